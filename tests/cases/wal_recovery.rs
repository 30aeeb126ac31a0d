//! A database in WAL mode whose connections never closed: a copy of the files while they are at work.

use std::cell::RefCell;
use std::rc::Rc;

use rusqlite::{Connection, OpenFlags};
use sqlite_vfs_kit::stores::MemoryVfs;
use sqlite_vfs_kit::sys;
use sqlite_vfs_kit::vfs::{FileKind, Files};

use crate::support::probe::{Method, Probe};
use crate::support::{
    Place, assert_whole, failure, fill, full, get, memory, place, row, rows, run, set_mode, spill_early, test,
};

/// A header, then frames of a header and a page each.
const HEADER: usize = 32;
const FRAME: usize = 24 + 4096;

/// Ten transactions of ten rows each, all in the log.
fn abandoned() -> (Place<MemoryVfs>, Connection) {
    let place = memory();
    let db = place.open("x.db");
    set_mode(&db, "wal");
    run(&db, "PRAGMA wal_autocheckpoint=0; CREATE TABLE t (k INTEGER PRIMARY KEY, v BLOB)");
    for from in (1..=100).step_by(10) {
        run(&db, "BEGIN");
        fill(&db, from, from + 9, 300);
        run(&db, "COMMIT");
    }
    (place, db)
}

#[track_caller]
fn assert_rows(db: &Connection, expected: i64) {
    assert_whole(db);
    assert_eq!(rows(db), expected);
    for k in 1..=expected {
        assert_eq!(get::<Vec<u8>>(db, &format!("SELECT v FROM t WHERE k = {k}")), row(k, 300));
    }
}

#[test]
fn a_database_left_in_wal_mode_opens_with_all_that_was_committed() {
    let (place, _db) = abandoned();
    place.copy("x.db", "copy.db");
    assert_eq!(place.vfs.file_size("copy.db"), Some(4096), "everything else is in the log");
    let copy = place.open("copy.db");
    assert_rows(&copy, 100);
    run(&copy, "INSERT INTO t VALUES (1000, 1)");
    drop(copy);
    assert_eq!(place.vfs.file_size("copy.db-wal"), None);
    assert_eq!(rows(&place.open("copy.db")), 101);
}

#[test]
fn it_opens_on_another_store_too() {
    let (place, _db) = abandoned();
    let other = memory();
    place.copy_to(&other, "x.db");
    assert_rows(&other.open("x.db"), 100);
}

#[test]
fn it_opens_without_its_log_as_of_the_last_checkpoint() {
    let (place, db) = abandoned();
    run(&db, "PRAGMA wal_checkpoint(TRUNCATE); DELETE FROM t");
    place.vfs.write("copy.db", &place.vfs.read("x.db").unwrap()).unwrap();
    assert_rows(&place.open("copy.db"), 100);
}

#[test]
fn it_can_be_turned_into_a_plain_file() {
    let (place, _db) = abandoned();
    place.copy("x.db", "copy.db");
    let copy = place.open("copy.db");
    set_mode(&copy, "delete");
    drop(copy);
    let other = memory();
    other.vfs.write("alone.db", &place.vfs.read("copy.db").unwrap()).unwrap();
    let db = other.try_open("alone.db", OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    assert_rows(&db, 100);
    assert_eq!(other.files(), ["alone.db"]);
}

#[test]
fn a_transaction_that_had_not_committed_is_not_there() {
    let (place, db) = abandoned();
    spill_early(&db);
    let before = place.vfs.file_size("x.db-wal");
    run(&db, "BEGIN; UPDATE t SET v = zeroblob(5000)");
    assert!(place.vfs.file_size("x.db-wal") > before);
    place.copy("x.db", "copy.db");
    assert_rows(&place.open("copy.db"), 100);
}

#[test]
fn two_connections_may_come_to_recover() {
    let (place, _db) = abandoned();
    place.copy("x.db", "copy.db");
    let [a, b] = [place.open("copy.db"), place.open("copy.db")];
    assert_eq!((rows(&a), rows(&b)), (100, 100));
    run(&a, "INSERT INTO t VALUES (1000, 1)");
    run(&b, "INSERT INTO t VALUES (1001, 1)");
    assert_eq!((rows(&a), rows(&b)), (102, 102));
    drop(a);
    assert_whole(&b);
}

#[test]
fn who_comes_while_another_connection_recovers_is_told_so() {
    let (source, _db) = abandoned();
    let place = place(Probe::new(MemoryVfs::new()));
    source.copy_to(&place, "x.db");
    let [first, second] = [place.open("x.db"), place.open("x.db")];
    let second = Rc::new(second);
    let (answers, db) = (Rc::new(RefCell::new(Vec::new())), second.clone());
    let seen = answers.clone();
    place.vfs.on_call(move |call| {
        if call.method == Method::ReadAt && call.kind == Some(FileKind::Wal) && seen.borrow().is_empty() {
            seen.borrow_mut().push(sys::SQLITE_OK);
            let answer = failure(&db, "SELECT * FROM t");
            seen.borrow_mut().push(answer);
        }
        Ok(())
    });
    assert_rows(&first, 100);
    place.vfs.clear();
    assert_eq!(answers.borrow().last(), Some(&sys::SQLITE_BUSY_RECOVERY));
    assert_rows(&second, 100);
}

#[test]
fn recovery_works_under_exclusive_locking() {
    let (place, _db) = abandoned();
    place.copy("x.db", "copy.db");
    let copy = place.open("copy.db");
    run(&copy, "PRAGMA locking_mode=exclusive");
    assert_rows(&copy, 100);
}

/// Wherever the log is cut, what was committed before the cut is there, and nothing of what came after.
#[test]
fn a_torn_log_holds_every_transaction_before_the_tear() {
    let (place, _db) = abandoned();
    let [database, log] = ["x.db", "x.db-wal"].map(|name| place.vfs.read(name).unwrap());
    let step = if full() { 97 } else { 4999 };
    let mut last = 0;
    let mut seen = Vec::new();
    for cut in (0..log.len()).step_by(step) {
        place.vfs.write("torn.db", &database).unwrap();
        place.vfs.write("torn.db-wal", &log[..cut]).unwrap();
        let db = place.open("torn.db");
        let tables: i64 = get(&db, "SELECT count(*) FROM sqlite_schema");
        let found = if tables == 0 { 0 } else { rows(&db) };
        assert_whole(&db);
        assert!(found % 10 == 0 && found >= last, "{found} rows after {last}");
        last = found;
        seen.push(found);
        drop(db);
        for name in ["torn.db", "torn.db-wal"] {
            place.vfs.remove(name).unwrap();
        }
    }
    seen.dedup();
    assert!(seen.len() > 8, "{seen:?}");
}

#[test]
fn a_damaged_frame_ends_the_log() {
    let (place, _db) = abandoned();
    place.copy("x.db", "copy.db");
    let mut log = place.vfs.read("copy.db-wal").unwrap();
    // The last byte of the last frame, which carries a commit.
    let end = HEADER + (log.len() - HEADER) / FRAME * FRAME;
    log[end - 1] ^= 1;
    place.vfs.write("copy.db-wal", &log).unwrap();
    assert_rows(&place.open("copy.db"), 90);
}

#[test]
fn garbage_after_the_last_frame_is_passed_over() {
    let (place, _db) = abandoned();
    place.copy("x.db", "copy.db");
    let mut log = place.vfs.read("copy.db-wal").unwrap();
    log.extend_from_slice(&[0xA5; 3 * FRAME]);
    place.vfs.write("copy.db-wal", &log).unwrap();
    assert_rows(&place.open("copy.db"), 100);
}

#[test]
fn the_log_of_an_older_round_does_not_come_back() {
    let (place, db) = abandoned();
    // The log starts anew and what follows its new end are frames of the round before.
    run(&db, "PRAGMA wal_checkpoint(RESTART); DELETE FROM t WHERE k > 50");
    place.copy("x.db", "copy.db");
    assert_rows(&place.open("copy.db"), 50);
}

#[test]
fn recovery_indexes_more_than_one_region() {
    let (place, db) = abandoned();
    run(&db, "BEGIN");
    let mut insert = db.prepare("INSERT INTO t VALUES (?1, zeroblob(3500))").unwrap();
    for k in 1001..=6000 {
        insert.execute([k]).unwrap();
    }
    run(&db, "COMMIT");
    assert!(place.vfs.file_size("x.db-wal") > Some(4096 * FRAME as u64));
    place.copy("x.db", "copy.db");
    let copy = place.open("copy.db");
    assert_eq!(rows(&copy), 5100);
    assert_whole(&copy);
}

#[test]
fn an_empty_log_does_not_turn_a_rollback_database_into_wal() {
    let place = memory();
    run(&place.open("x.db"), "CREATE TABLE t AS SELECT 1 AS v");
    place.vfs.write("x.db-wal", b"").unwrap();
    let db = place.open("x.db");
    run(&db, "INSERT INTO t VALUES (2)");
    assert_eq!(get::<String>(&db, "PRAGMA journal_mode"), "delete");
    assert_eq!(failure(&place.open("x.db"), "SELECT * FROM t"), 0);
}
