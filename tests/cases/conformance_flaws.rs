//! Every flaw of a VFS makes the conformance kit fail where that flaw is: its cases can fail.

use std::collections::BTreeSet;

use sqlite_vfs_kit::testing::{self, Options};

use crate::support::flawed::{Flaw, Flawed};
use crate::support::{full, test};

/// The cases that call the methods of a VFS, without SQLite; `*` stands for anything.
const DIRECT: &[&str] = &[
    "open/*",
    "bytes/*",
    "delete/*",
    "locks/*",
    "batch/*",
    "temporary/every-kind",
    "temporary/each-is-its-own",
    "wal/index-*",
    "reading/file-refuses-writing",
    "reading/in-pieces",
];

/// Those among them that drive SQLite all the same.
const INDIRECT: &[&str] = &[
    "open/database-without-create",
    "open/many-cycles",
    "delete/database",
    "batch/sql",
    "locks/second-writer-is-busy",
    "locks/readers-beside-a-writer",
    "locks/exclusive-transaction",
    "locks/readers-that-want-to-write",
    "locks/busy-timeout-ends",
    "locks/closed-in-a-transaction",
    "locks/exclusive-locking-mode",
];

/// Of the cases that call methods, these fail and no others. Of those that drive SQLite, these fail and others may: what
/// SQLite makes of a flaw is its own affair.
const FLAWS: &[(Flaw, &[&str], &[&str])] = &[
    (
        Flaw::MakesMissingFiles,
        &["open/missing-without-create", "open/missing-for-reading", "open/failed-leaves-name-free", "delete/removes"],
        &["open/database-without-create", "journal/ends-as-its-mode-says", "wal/recovery"],
    ),
    (Flaw::IgnoresExclusive, &["open/exclusive-refuses-existing"], &[]),
    (
        Flaw::EmptiesExistingFiles,
        &[
            "open/failed-leaves-name-free",
            "open/create-keeps-existing",
            "open/exclusive-refuses-existing",
            "bytes/kept-when-closed",
            "delete/leaves-others",
            "delete/open-file",
            "batch/left-open",
        ],
        &["names/plain", "connections/many", "reopen/after-all-connections"],
    ),
    (
        Flaw::SaysAllExists,
        &[
            "open/missing-without-create",
            "open/missing-for-reading",
            "open/failed-leaves-name-free",
            "open/access",
            "open/empty-wal-counts-as-absent",
            "delete/removes",
            "delete/on-close",
        ],
        &["reading/makes-no-files", "open/database-without-create"],
    ),
    (Flaw::EmptyFilesExist, &["open/empty-wal-counts-as-absent"], &[]),
    (Flaw::ParsesNamesAsUrls, &[], &["names/hash", "names/question-mark", "names/are-distinct"]),
    (Flaw::ShortNamesOnly, &[], &["names/longest", "names/longest-of-multibyte-letters"]),
    (Flaw::NamesWithoutCase, &[], &["names/are-distinct"]),
    (
        Flaw::IgnoresDelete,
        &["delete/removes", "delete/missing-says-so", "delete/made-again-is-empty", "delete/open-file"],
        &["journal/ends-as-its-mode-says", "open/database-without-create"],
    ),
    (Flaw::DeletesWhatIsMissing, &["delete/missing-says-so"], &[]),
    (Flaw::IgnoresDeleteOnClose, &["delete/on-close"], &[]),
    (
        Flaw::SharesUnnamedFiles,
        &["temporary/every-kind", "temporary/each-is-its-own"],
        &["temporary/table", "temporary/table-rolled-back"],
    ),
    (
        Flaw::OldBytesAfterTruncate,
        &["bytes/cut-to-*", "bytes/emptied", "bytes/as-a-vector-would", "batch/at-random"],
        &[],
    ),
    (Flaw::IgnoresLengthening, &["bytes/cut-to-*", "bytes/lengthen-to-*", "bytes/as-a-vector-would"], &[]),
    (
        Flaw::CutsTooMuch,
        &[
            "open/same-file-twice",
            "bytes/cut-to-*",
            "bytes/as-a-vector-would",
            "temporary/every-kind",
            "batch/at-random",
        ],
        &["vacuum/shrinks", "vacuum/incremental", "full/vacuum"],
    ),
    (
        Flaw::GarbageInGaps,
        &[
            "bytes/large-write",
            "bytes/hole-to-*",
            "bytes/cut-to-*",
            "bytes/emptied",
            "bytes/as-a-vector-would",
            "delete/made-again-is-empty",
            "temporary/every-kind",
            "batch/one-after-another",
            "batch/at-random",
        ],
        &[],
    ),
    (
        Flaw::SizeInSectors,
        &[
            "open/same-file-twice",
            "reading/in-pieces",
            "bytes/read-back",
            "bytes/overwrite",
            "bytes/read-beyond-end",
            "bytes/append-in-small-pieces",
            "bytes/large-write",
            "bytes/write-at-*",
            "bytes/hole-to-*",
            "bytes/cut-to-511",
            "bytes/cut-to-513",
            "bytes/cut-to-4095",
            "bytes/cut-to-4097",
            "bytes/cut-to-65535",
            "bytes/cut-to-65537",
            "bytes/lengthen-to-511",
            "bytes/lengthen-to-513",
            "bytes/lengthen-to-4095",
            "bytes/lengthen-to-4097",
            "bytes/lengthen-to-65535",
            "bytes/lengthen-to-65537",
            "bytes/kept-when-closed",
            "bytes/as-a-vector-would",
            "bytes/many-files",
            "batch/rollback",
            "batch/rollback-of-growth",
            "batch/rollback-of-cut",
        ],
        &["names/plain"],
    ),
    (
        Flaw::ReadsBeyondEnd,
        &[
            "open/failed-leaves-name-free",
            "open/create-keeps-existing",
            "open/exclusive-create",
            "open/exclusive-refuses-existing",
            "open/every-kind",
            "open/every-kind-is-its-own-file",
            "open/same-file-twice",
            "reading/file-refuses-writing",
            "reading/in-pieces",
            "bytes/new-file-is-empty",
            "bytes/overwrite",
            "bytes/short-read",
            "bytes/read-beyond-end",
            "bytes/hole-to-*",
            "bytes/cut-to-*",
            "bytes/lengthen-to-*",
            "bytes/emptied",
            "bytes/set-len-to-same",
            "bytes/sync-keeps-all",
            "bytes/as-a-vector-would",
            "delete/leaves-others",
            "delete/open-file",
            "delete/on-close",
            "temporary/every-kind",
            "temporary/each-is-its-own",
            "batch/rollback",
            "batch/rollback-of-growth",
            "batch/rollback-of-cut",
            "batch/left-open",
            "batch/at-random",
        ],
        &[],
    ),
    (
        Flaw::ForgetsSecondChunk,
        &[
            "reading/in-pieces",
            "bytes/append-in-small-pieces",
            "bytes/large-write",
            "bytes/write-at-*",
            "bytes/hole-to-65535",
            "bytes/cut-to-65537",
            "bytes/lengthen-to-65536",
            "bytes/set-len-to-same",
            "bytes/sync-keeps-all",
            "bytes/kept-when-closed",
            "bytes/two-handles",
            "bytes/as-a-vector-would",
            "batch/rollback",
            "batch/rollback-of-growth",
            "batch/rollback-of-cut",
            "batch/at-random",
        ],
        &["reading/query", "journal/delete-full"],
    ),
    (
        Flaw::WriteAppends,
        &[
            "bytes/large-write",
            "bytes/hole-to-*",
            "bytes/cut-to-*",
            "bytes/emptied",
            "bytes/two-handles",
            "bytes/as-a-vector-would",
            "bytes/many-files",
            "delete/made-again-is-empty",
            "temporary/every-kind",
            "batch/commit",
            "batch/one-after-another",
            "batch/at-random",
        ],
        &["journal/delete-full"],
    ),
    (Flaw::SyncCuts, &["bytes/sync-keeps-all"], &["journal/delete-full", "names/plain"]),
    (
        Flaw::AdmitsSecondWriter,
        &["locks/reserved-beside-reserved", "locks/refused-leaves-what-was-held"],
        &["locks/second-writer-is-busy", "locks/readers-that-want-to-write", "connections/interleaved"],
    ),
    (
        Flaw::AdmitsReadersBesideExclusive,
        &["locks/shared-beside-exclusive"],
        &["locks/exclusive-transaction", "locks/exclusive-locking-mode"],
    ),
    (
        Flaw::AdmitsExclusiveBesideReaders,
        &[
            "locks/exclusive-beside-shared",
            "locks/lowered-to-shared",
            "locks/many-readers",
            "locks/refused-leaves-what-was-held",
        ],
        &[
            "locks/readers-beside-a-writer",
            "connections/statement-stays-open",
            "wal/readers-beside-a-writer",
            "wal/last-close-removes-log",
            "wal/busy-when-leaving",
            "attach/one-is-locked",
            "full/wal",
            "full/wal-in-part",
        ],
    ),
    (Flaw::UnlocksTooMuch, &["locks/lowered-to-shared"], &[]),
    (
        Flaw::NeverUnlocks,
        &[
            "locks/*-beside-*",
            "locks/alone",
            "locks/reserved-is-seen",
            "locks/lowered-to-shared",
            "locks/refused-leaves-what-was-held",
            "locks/given-back-when-closed",
        ],
        &["connections/in-turn", "locks/second-writer-is-busy"],
    ),
    (Flaw::KeepsLocksWhenClosed, &["delete/on-close", "locks/given-back-when-closed", "batch/left-open"], &[]),
    (Flaw::NeverReserved, &["locks/reserved-is-seen", "locks/refused-leaves-what-was-held"], &[]),
    (
        Flaw::OneLockForAll,
        &["locks/other-files-are-free"],
        &["names/are-distinct", "vacuum/into", "attach/commit-delete", "crash/two-files"],
    ),
    (
        Flaw::IgnoresShmLocks,
        &["wal/index-slots"],
        &["wal/second-writer-is-busy", "wal/checkpoint-passive-beside-a-reader", "connections/interleaved-in-wal"],
    ),
    (
        Flaw::OwnShm,
        &["wal/index-slots"],
        &[
            "connections/in-turn-in-wal",
            "wal/readers-beside-a-writer",
            "wal/snapshots",
            "wal/second-writer-is-busy",
            "wal/recovery-by-two",
        ],
    ),
    (
        Flaw::BatchIsNone,
        &[
            "batch/rollback",
            "batch/rollback-of-growth",
            "batch/rollback-of-cut",
            "batch/one-after-another",
            "batch/left-open",
            "batch/at-random",
        ],
        &["full/batch"],
    ),
    (
        Flaw::BatchRollbackKeeps,
        &[
            "batch/rollback",
            "batch/rollback-of-growth",
            "batch/rollback-of-cut",
            "batch/one-after-another",
            "batch/at-random",
        ],
        &["full/batch"],
    ),
    (
        Flaw::BatchCommitLoses,
        &["batch/commit", "batch/one-after-another", "batch/at-random"],
        &["batch/sql", "connections/in-turn"],
    ),
    (Flaw::OddSector, &["bytes/sector-size"], &["journal/delete-full"]),
    (
        Flaw::OffsetsWrap,
        &["bytes/read-beyond-end", "bytes/page-by-page"],
        &["temporary/sort", "temporary/vacuum", "wal/large-index"],
    ),
    (Flaw::OffsetsOf32Bits, &["bytes/read-beyond-end", "bytes/beyond-4-gib"], &[]),
    (
        Flaw::RefusesRepeatedLocks,
        &["locks/alone", "locks/repeated", "locks/reserved-is-seen"],
        &["journal/switching-modes", "wal/back-to-delete", "wal/exclusive-locking"],
    ),
    (Flaw::MakesRegionsUnasked, &["wal/index-regions"], &[]),
];

/// Is the name like this, where `*` stands for anything?
fn is_like(name: &str, pattern: &str) -> bool {
    match pattern.split_once('*') {
        None => name == pattern,
        Some((before, after)) => name
            .strip_prefix(before)
            .is_some_and(|rest| rest.char_indices().any(|(at, _)| is_like(&rest[at..], after)) || after.is_empty()),
    }
}

fn is_among(name: &str, patterns: &[&str]) -> bool {
    patterns.iter().any(|pattern| is_like(name, pattern))
}

fn is_direct(name: &str) -> bool {
    is_among(name, DIRECT) && !is_among(name, INDIRECT)
}

#[test]
fn each_flaw_is_found_where_it_is() {
    let cases = testing::cases();
    for &(flaw, direct, driven) in FLAWS {
        // All cases that call methods take half a minute: without `full` only the groups in which some must fail.
        let groups: BTreeSet<&str> = direct.iter().filter_map(|name| name.split_inclusive('/').next()).collect();
        let only: Vec<&str> = groups.into_iter().chain(driven.iter().copied()).collect();
        let only = if full() { &[][..] } else { &only };
        // With some of the others holes are no holes.
        let sparse = flaw == Flaw::OffsetsOf32Bits;
        let report = testing::run(&|| Flawed::new(flaw), &Options { only, sparse, ..Options::default() });
        let failed: BTreeSet<&str> = report.failed().map(|outcome| outcome.case.as_str()).collect();

        let names = cases.iter().map(|case| case.name());
        let expected: BTreeSet<&str> = names.filter(|name| is_direct(name) && is_among(name, direct)).collect();
        let found: BTreeSet<&str> = failed.iter().copied().filter(|name| is_direct(name)).collect();
        assert_eq!(found, expected, "{flaw:?}\n{report}");
        for name in driven {
            assert!(failed.contains(name), "{flaw:?} passes {name}\n{report}");
        }
    }
}

#[test]
fn without_a_flaw_nothing_fails() {
    let only = if full() { &[][..] } else { &["open/", "delete/", "locks/", "batch/", "wal/"] };
    testing::run(&|| Flawed::new(Flaw::None), &Options { only, ..Options::default() }).assert_passed();
}
