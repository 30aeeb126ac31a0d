//! The conformance kit, on VFSes that are as they should be.

use sqlite_vfs_kit::layers::{Fault, Trace};
use sqlite_vfs_kit::stores::MemoryVfs;
use sqlite_vfs_kit::testing::{self, Options, Report, Verdict};

use crate::support::shelf::Shelf;
use crate::support::{full, test};

/// All pass, but for those whose names begin like this, which are not promised.
#[track_caller]
fn assert_passed(report: &Report, not_promised: &[&str]) {
    println!("{report}");
    report.assert_passed();
    for outcome in &report.outcomes {
        let expected = not_promised.iter().any(|prefix| outcome.case.starts_with(prefix));
        assert_eq!(matches!(outcome.verdict, Verdict::NotPromised(_)), expected, "{outcome:?}");
    }
}

/// Files of these VFSes do not outlive them.
const NO_REOPENING: [&str; 3] = ["reopen/in-another-vfs", "reopen/wal-in-another-vfs", "reopen/deleted-stays-deleted"];

/// Holes take no space in the heap.
fn sparse() -> Options<'static> {
    Options { sparse: true, full: full(), ..Options::default() }
}

#[test]
fn memory_vfs_is_what_sqlite_expects() {
    assert_passed(&testing::run(&MemoryVfs::new, &sparse()), &NO_REOPENING);
}

#[test]
fn a_layer_that_counts_changes_nothing() {
    assert_passed(&testing::run(&|| Trace::new(MemoryVfs::new()), &sparse()), &NO_REOPENING);
}

#[test]
fn a_layer_that_makes_nothing_fail_changes_nothing() {
    assert_passed(&testing::run(&|| Fault::new(MemoryVfs::new()), &sparse()), &NO_REOPENING);
}

#[test]
fn the_smallest_vfs_is_what_sqlite_expects_but_for_what_it_does_not_offer() {
    let report = testing::run(&Shelf::new, &Options { full: full(), ..Options::default() });
    println!("{report}");
    report.assert_passed();
    let (passed, _, not_promised) = report.counts();
    assert!(passed > 200 && not_promised > 50, "{passed} passed, {not_promised} are not promised");
    // It has no shared memory and no batches, it says; and what it says nothing about, it does.
    for outcome in &report.outcomes {
        if let Verdict::NotPromised(why) = &outcome.verdict {
            let reasons =
                ["needs shared memory", "needs batches of writes", "needs files beyond 4 GiB", "files do not outlive"];
            assert!(reasons.iter().any(|reason| why.starts_with(reason)), "{outcome:?}");
        }
    }
}
