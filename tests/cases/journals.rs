//! Rollback journals: commit, rollback, and what a crash leaves behind.

use std::cell::RefCell;
use std::rc::Rc;

use rusqlite::Connection;
use sqlite_vfs_kit::layers::{Operation, Trace};
use sqlite_vfs_kit::stores::MemoryVfs;
use sqlite_vfs_kit::sys;
use sqlite_vfs_kit::vfs::{FileKind, Files};

use crate::support::probe::{Method, Probe};
use crate::support::shelf::Shelf;
use crate::support::{
    self, FILE_MODES, Place, SAFE_MODES, assert_whole, contents, failure, fill, get, memory, place, rows, run,
    set_mode, spill_early, test,
};

/// In all modes; in `off` nothing can be rolled back.
const MODES: [&str; 6] = ["delete", "truncate", "persist", "memory", "wal", "off"];

#[test]
fn what_was_committed_is_there_after_reopening() {
    for mode in MODES {
        let place = memory();
        let db = place.open("x.db");
        set_mode(&db, mode);
        fill(&db, 1, 300, 500);
        run(&db, "DELETE FROM t WHERE k % 3 = 0; UPDATE t SET v = 'changed' WHERE k % 5 = 0");
        drop(db);
        let db = place.open("x.db");
        assert_eq!(rows(&db), 200, "{mode}");
        assert_eq!(get::<i64>(&db, "SELECT count(*) FROM t WHERE v = 'changed'"), 40, "{mode}");
        assert_eq!(get::<Vec<u8>>(&db, "SELECT v FROM t WHERE k = 2"), support::row(2, 500), "{mode}");
        assert_whole(&db);
    }
}

#[test]
fn what_was_rolled_back_never_was() {
    for mode in SAFE_MODES {
        for early in [false, true] {
            let place = memory();
            let db = place.open("x.db");
            set_mode(&db, mode);
            fill(&db, 1, 300, 500);
            if early {
                spill_early(&db);
            }
            let before: String = contents(&db);
            run(&db, "BEGIN; DELETE FROM t WHERE k < 200; CREATE TABLE u (x); UPDATE t SET v = zeroblob(2000)");
            assert_ne!(contents(&db), before);
            run(&db, "ROLLBACK");
            assert_eq!(contents(&db), before, "{mode}");
            assert_whole(&db);
            drop(db);
            assert_eq!(contents(&place.open("x.db")), before, "{mode}");
        }
    }
}

#[test]
fn savepoints_go_back_to_where_they_were_set() {
    for mode in SAFE_MODES {
        let place = memory();
        let db = place.open("x.db");
        set_mode(&db, mode);
        fill(&db, 1, 200, 500);
        spill_early(&db);
        // Statement journals go to a file, too.
        run(&db, "PRAGMA temp_store=file");
        let start = contents(&db);
        run(&db, "BEGIN; UPDATE t SET v = 1 WHERE k < 50; SAVEPOINT one");
        let one = contents(&db);
        run(&db, "UPDATE t SET v = 2; SAVEPOINT two; DELETE FROM t");
        run(&db, "ROLLBACK TO two; RELEASE two; ROLLBACK TO one");
        assert_eq!(contents(&db), one, "{mode}");
        // A statement that fails half-way takes its own changes back.
        assert_ne!(failure(&db, "UPDATE t SET k = 150 WHERE k >= 100"), sys::SQLITE_OK);
        assert_eq!(contents(&db), one, "{mode}");
        run(&db, "ROLLBACK");
        assert_eq!(contents(&db), start, "{mode}");
        assert_whole(&db);
    }
}

#[test]
fn the_journal_mode_can_change_at_any_time() {
    let place = memory();
    let db = place.open("x.db");
    fill(&db, 0, 0, 10);
    let mut n = 0;
    for from in MODES {
        for to in MODES {
            set_mode(&db, from);
            set_mode(&db, to);
            n += 1;
            run(&db, &format!("INSERT INTO t VALUES ({n}, '{from} to {to}')"));
            assert_eq!(rows(&place.open("x.db")), n + 1, "{from} to {to}");
        }
    }
    assert_whole(&db);
}

/// The journal that a mode leaves behind after a commit: none, an empty one, one whose header is zeros.
#[test]
fn the_journal_ends_as_its_mode_says() {
    for (mode, expected) in [("delete", None), ("truncate", Some(true)), ("persist", Some(false))] {
        let place = memory();
        let db = place.open("x.db");
        set_mode(&db, mode);
        fill(&db, 1, 100, 500);
        spill_early(&db);
        run(&db, "UPDATE t SET v = zeroblob(500)");
        let journal = place.vfs.read("x.db-journal").ok();
        assert_eq!(journal.as_ref().map(Vec::is_empty), expected, "{mode}");
        assert!(journal.unwrap_or_default().iter().take(8).all(|&byte| byte == 0));
    }
}

#[test]
fn an_autocommit_writes_no_journal_file() {
    for mode in FILE_MODES {
        let place = place(Trace::new(MemoryVfs::new()));
        let db = place.open("x.db");
        set_mode(&db, mode);
        // The very first transaction of a file has a journal yet: SQLite wants one while the file is empty.
        fill(&db, 1, 10, 100);
        let files = place.vfs.list();
        place.vfs.reset();
        run(&db, "INSERT INTO t VALUES (100, 'x')");
        // One that persists from before is looked at, for a header that would make it hot.
        assert_eq!(place.vfs.counter(Operation::Open).calls, u64::from(mode == "persist"), "{mode}");
        assert_eq!(place.vfs.counter(Operation::Delete).calls, 0, "{mode}");
        assert_eq!(place.vfs.counter(Operation::Write).calls, 2, "{mode}: the page and the change counter");
        assert_eq!(place.vfs.list(), files, "{mode}");
    }
}

#[test]
fn a_store_that_promises_nothing_gets_a_journal() {
    let place = place(Probe::new(Shelf::new()));
    let db = place.open("x.db");
    fill(&db, 1, 10, 100);
    let journals = Rc::new(RefCell::new(0));
    let seen = journals.clone();
    place.vfs.on_call(move |call| {
        let journal = call.method == Method::Open && call.kind == Some(FileKind::MainJournal);
        *seen.borrow_mut() += i32::from(journal);
        Ok(())
    });
    run(&db, "INSERT INTO t VALUES (100, 'x')");
    assert_eq!(*journals.borrow(), 1);
}

/// A copy of the files made while the transaction has written to the database but not committed.
fn copy_within_transaction(place: &Place<MemoryVfs>, mode: &str) -> (Connection, String) {
    let db = place.open("x.db");
    set_mode(&db, mode);
    fill(&db, 1, 300, 500);
    let before = contents(&db);
    let clean = place.vfs.read("x.db").unwrap();
    spill_early(&db);
    run(&db, "BEGIN; UPDATE t SET v = zeroblob(700); INSERT INTO t SELECT k + 1000, v FROM t");
    assert_ne!(place.vfs.read("x.db").unwrap(), clean, "the transaction has written to the file");
    place.copy("x.db", "copy.db");
    (db, before)
}

#[test]
fn a_hot_journal_is_rolled_back() {
    for mode in FILE_MODES {
        let place = memory();
        let (db, before) = copy_within_transaction(&place, mode);
        let copy = place.open("copy.db");
        assert_eq!(contents(&copy), before, "{mode}");
        assert_whole(&copy);
        run(&copy, "INSERT INTO t VALUES (5000, 'on we go')");
        assert_eq!(place.vfs.file_size("copy.db-journal"), None);
        // The original goes its own way.
        run(&db, "COMMIT");
        assert_eq!(rows(&db), 600);
    }
}

#[test]
fn a_hot_journal_is_rolled_back_once_when_several_connections_find_it() {
    let place = memory();
    let (_db, before) = copy_within_transaction(&place, "delete");
    let [a, b] = [place.open("copy.db"), place.open("copy.db")];
    assert_eq!(contents(&a), before);
    assert_eq!(contents(&b), before);
    run(&b, "INSERT INTO t VALUES (5000, 1)");
    assert_eq!(rows(&a), 301);
    assert_whole(&a);
}

#[test]
fn a_hot_journal_waits_for_readers_that_came_before() {
    let place = memory();
    let (_db, before) = copy_within_transaction(&place, "delete");
    // A reader that holds SHARED, as one that opened before the writer crashed would.
    let mut reader =
        support::raw::RawFile::open(place.name(), Some("copy.db"), support::raw::MAIN_DB).expect("it is there");
    assert_eq!(reader.lock(1), sys::SQLITE_OK);
    let late = place.open("copy.db");
    assert_eq!(failure(&late, "SELECT * FROM t"), sys::SQLITE_BUSY);
    assert_eq!(reader.unlock(0), sys::SQLITE_OK);
    assert_eq!(contents(&late), before);
}

#[test]
fn a_torn_journal_is_rolled_back_as_far_as_it_is_valid() {
    let place = memory();
    let (_db, before) = copy_within_transaction(&place, "delete");
    let mut journal = place.vfs.read("copy.db-journal").unwrap();
    journal.extend_from_slice(&[0xA5; 1000]);
    place.vfs.write("copy.db-journal", &journal).unwrap();
    let copy = place.open("copy.db");
    assert_eq!(contents(&copy), before);
    assert_whole(&copy);
}

#[test]
fn a_leftover_journal_without_a_database_is_no_harm() {
    let place = memory();
    let (_db, _) = copy_within_transaction(&place, "delete");
    let journal = place.vfs.read("copy.db-journal").unwrap();
    place.vfs.write("new.db-journal", &journal).unwrap();
    let db = place.open("new.db");
    fill(&db, 1, 10, 10);
    assert_eq!(rows(&db), 10);
    assert_whole(&db);
}

#[test]
fn auto_vacuum_gives_pages_back_at_every_commit() {
    for mode in SAFE_MODES {
        let place = memory();
        let db = place.open("x.db");
        run(&db, "PRAGMA auto_vacuum=full");
        set_mode(&db, mode);
        fill(&db, 1, 500, 1000);
        let large = place.vfs.file_size("x.db").unwrap();
        run(&db, "DELETE FROM t WHERE k > 10");
        assert_whole(&db);
        drop(db);
        assert!(place.vfs.file_size("x.db").unwrap() < large / 10 || mode == "wal", "{mode}");
        assert_eq!(rows(&place.open("x.db")), 10, "{mode}");
    }
}

#[test]
fn every_page_size_works() {
    for size in [512, 1024, 4096, 8192, 65536] {
        for mode in SAFE_MODES {
            let place = memory();
            let db = place.open("x.db");
            run(&db, &format!("PRAGMA page_size={size}"));
            set_mode(&db, mode);
            fill(&db, 1, 100, 2000);
            run(&db, "BEGIN; DELETE FROM t; ROLLBACK");
            assert_eq!(get::<i64>(&db, "PRAGMA page_size"), size);
            assert_eq!(rows(&db), 100);
            assert_whole(&db);
        }
    }
}
