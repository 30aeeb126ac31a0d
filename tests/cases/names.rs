//! Any legal name is its own file.

use rusqlite::{Connection, OpenFlags};
use sqlite_vfs_kit::sys;
use sqlite_vfs_kit::vfs::{ErrorCode, Files};

use crate::support::{self, assert_whole, code, get, memory, raw, run, set_mode, spill_early, test};

const NAMES: &[&str] = &[
    "plain.db",
    "a#b.db",
    "a?b.db",
    "a?b.db?c",
    "a%20b.db",
    "a b.db",
    "a&b=c.db",
    "a;b,c.db",
    "it's.db",
    "\"quoted\".db",
    "back\\slash.db",
    "/absolute.db",
    "//twice.db",
    "dir/../up.db",
    "./here.db",
    "line\nbreak.db",
    "http://example.org/a.db#b?c",
    "größe-日本語-🦀.db",
    // The same letter, composed and decomposed.
    "\u{e9}.db",
    "e\u{301}.db",
    "PLAIN.DB",
    "no-suffix",
    " ",
];

#[test]
fn any_legal_name_is_its_own_file() {
    let place = memory();
    for (i, name) in NAMES.iter().enumerate() {
        run(&place.open(name), &format!("CREATE TABLE t AS SELECT {i} AS v"));
    }
    for (i, name) in NAMES.iter().enumerate() {
        assert_eq!(get::<i64>(&place.open(name), "SELECT v FROM t"), i as i64, "{name}");
    }
    let mut expected = NAMES.to_vec();
    expected.sort_unstable();
    assert_eq!(place.files(), expected);
}

#[test]
fn a_journal_belongs_to_its_database_alone() {
    let place = memory();
    // All names at once have a transaction whose journal is in a file.
    let open: Vec<Connection> = NAMES.iter().map(|name| place.open(name)).collect();
    for (db, name) in open.iter().zip(NAMES) {
        support::fill(db, 1, 200, 300);
        spill_early(db);
        run(db, "BEGIN; UPDATE t SET v = zeroblob(300)");
        assert!(place.vfs.file_size(&format!("{name}-journal")) > Some(0), "{name}");
    }
    for (i, db) in open.iter().enumerate() {
        run(db, if i % 2 == 0 { "COMMIT" } else { "ROLLBACK" });
    }
    for (i, name) in NAMES.iter().enumerate() {
        let db = place.open(name);
        let zeros: i64 = get(&db, "SELECT count(*) FROM t WHERE v = zeroblob(300)");
        assert_eq!(zeros, if i % 2 == 0 { 200 } else { 0 }, "{name}");
        assert_whole(&db);
    }
    assert_eq!(place.files().len(), NAMES.len());
}

#[test]
fn a_wal_belongs_to_its_database_alone() {
    let place = memory();
    let open: Vec<Connection> = NAMES.iter().map(|name| place.open(name)).collect();
    for (i, db) in open.iter().enumerate() {
        set_mode(db, "wal");
        run(db, &format!("CREATE TABLE t AS SELECT {i} AS v"));
    }
    for (i, name) in NAMES.iter().enumerate() {
        assert!(place.vfs.file_size(&format!("{name}-wal")) > Some(0), "{name}");
        assert_eq!(get::<i64>(&place.open(name), "SELECT v FROM t"), i as i64, "{name}");
    }
    drop(open);
    assert_eq!(place.files().len(), NAMES.len(), "the last connection removes the WAL");
}

/// Names of exactly the documented limit: of one-byte letters, and of letters of two and four bytes.
fn longest_names() -> [String; 3] {
    let names = ["x".repeat(1024), "é".repeat(512), "🦀".repeat(256)];
    assert!(names.iter().all(|name| name.len() == 1024));
    names
}

#[test]
fn a_name_of_the_documented_limit_works_in_every_journal_mode() {
    let place = memory();
    for name in longest_names() {
        let db = place.open(&name);
        support::fill(&db, 1, 100, 300);
        for mode in support::SAFE_MODES {
            set_mode(&db, mode);
            spill_early(&db);
            run(&db, "BEGIN; UPDATE t SET v = zeroblob(300); ROLLBACK");
            run(&db, "BEGIN; UPDATE t SET v = zeroblob(300) WHERE k = 1; COMMIT");
            assert_whole(&db);
        }
        drop(db);
        assert_eq!(support::rows(&place.open(&name)), 100);
    }
    assert_eq!(place.files().len(), 3);
}

#[test]
fn a_name_over_the_limit_is_a_clear_error_at_open() {
    let place = memory();
    for name in longest_names() {
        let name = name + "x";
        let error = place.try_open(&name, OpenFlags::default()).unwrap_err();
        assert_eq!(code(&error) & 0xFF, sys::SQLITE_CANTOPEN);
        assert_eq!(place.reason(), "the name is 1025 bytes long; this VFS allows 1024");
    }
    assert_eq!(place.files().len(), 0);
    assert_eq!(place.vfs.allocated_bytes(), 0);
}

#[test]
fn names_put_in_behind_sqlites_back_are_checked_too() {
    let place = memory();
    // A journal's name is longer than that of its database.
    for longest in ["x".repeat(1024), "x".repeat(1024) + "-journal"] {
        place.vfs.write(&longest, b"bytes").unwrap();
        assert_eq!(place.vfs.read(&longest).unwrap(), b"bytes");
    }
    for wrong in ["x".repeat(1040), String::new(), "a\0b".into()] {
        assert_eq!(place.vfs.write(&wrong, b"bytes").unwrap_err().code(), ErrorCode::CantOpen);
    }
}

#[test]
fn an_empty_name_is_a_database_of_its_own() {
    let place = memory();
    let [a, b] = [place.open(""), place.open("")];
    run(&a, "CREATE TABLE a (x)");
    assert_eq!(get::<i64>(&b, "SELECT count(*) FROM sqlite_schema"), 0);
    drop((a, b));
    assert_eq!(place.files().len(), 0);
}

#[test]
fn a_name_that_is_not_utf8_is_a_clear_error() {
    let place = memory();
    let wrong = raw::RawFile::open_bytes(place.name(), Some(b"\xFF.db"), raw::MAIN_DB);
    assert_eq!(wrong.err(), Some(sys::SQLITE_CANTOPEN));
    assert_eq!(place.reason(), "the file's name is not UTF-8");
    assert_eq!(place.files().len(), 0);
}

#[test]
fn a_uri_is_decoded_by_sqlite_and_only_when_asked_for() {
    let place = memory();
    let uri = OpenFlags::default() | OpenFlags::SQLITE_OPEN_URI;
    run(&place.try_open("file:with%20space%23.db?mode=rwc", uri).unwrap(), "CREATE TABLE t (x)");
    assert_eq!(place.files(), ["with space#.db"]);
}

#[test]
fn a_full_name_that_does_not_fit_the_buffer_is_refused() {
    let place = memory();
    assert_eq!(raw::full_pathname(place.name(), "x.db", 5).as_deref(), Ok("x.db"));
    assert_eq!(raw::full_pathname(place.name(), "x.db", 4), Err(sys::SQLITE_CANTOPEN_FULLPATH));
}
