//! Files that nobody needs after their connection: sorters, temporary tables, statement journals.

use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;

use rusqlite::Connection;
use sqlite_vfs_kit::stores::MemoryVfs;
use sqlite_vfs_kit::sys;
use sqlite_vfs_kit::vfs::FileKind;

use crate::support::probe::{Method, Probe};
use crate::support::raw::{RawFile, delete};
use crate::support::{Place, assert_whole, failure, get, memory, place, run, test};

const TEMPORARY: i32 =
    sys::SQLITE_OPEN_READWRITE | sys::SQLITE_OPEN_CREATE | sys::SQLITE_OPEN_EXCLUSIVE | sys::SQLITE_OPEN_DELETEONCLOSE;

/// A connection that keeps what is temporary in files, and little in its caches.
fn open<V>(place: &Place<V>) -> Connection {
    let db = place.open("x.db");
    // SQLite's builds for the web prefer memory for what is temporary.
    run(&db, "PRAGMA temp_store=file; PRAGMA cache_size=10");
    run(&db, "CREATE TABLE IF NOT EXISTS t (k INTEGER PRIMARY KEY, v)");
    db
}

/// 6000 rows of 600 random bytes: more than a sorter keeps in memory.
fn fill(db: &Connection) {
    run(
        db,
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6000)
             INSERT INTO t SELECT i, randomblob(600) FROM n",
    );
}

/// Copies `t` into a temporary table, which has a cache of its own.
fn copy(db: &Connection) {
    run(db, "CREATE TEMP TABLE copy (k INTEGER PRIMARY KEY, v); PRAGMA temp.cache_size=10");
    run(db, "INSERT INTO copy SELECT * FROM t");
}

#[test]
fn a_sorter_gives_its_memory_back() {
    let place = memory();
    let db = open(&place);
    fill(&db);
    let before = place.vfs.allocated_bytes();
    let mut statement = db.prepare("SELECT v FROM t ORDER BY v").unwrap();
    let mut found = statement.query([]).unwrap();
    let (mut count, mut last) = (0, Vec::new());
    let mut most = 0;
    while let Some(row) = found.next().unwrap() {
        let value: Vec<u8> = row.get(0).unwrap();
        assert!(last <= value);
        last = value;
        count += 1;
        most = most.max(place.vfs.allocated_bytes());
    }
    assert_eq!(count, 6000);
    assert!(most >= before + 2 * 1024 * 1024, "the sorter worked in a file: {most} after {before}");
    assert_eq!(place.files(), ["x.db"], "and that has no name");
    drop(found);
    drop(statement);
    assert_eq!(place.vfs.allocated_bytes(), before);
}

#[test]
fn temporary_tables_and_indexes_are_gone_with_their_connection() {
    let place = memory();
    let [db, other] = [open(&place), open(&place)];
    fill(&db);
    let before = place.vfs.allocated_bytes();
    copy(&db);
    run(&db, "CREATE INDEX temp.i ON copy(v)");
    assert!(place.vfs.allocated_bytes() > before + 4 * 1024 * 1024);
    assert_eq!(get::<i64>(&db, "SELECT count(*) FROM t JOIN copy USING (v)"), 6000);
    assert_ne!(failure(&other, "SELECT * FROM copy"), sys::SQLITE_OK);

    run(&db, "BEGIN; DELETE FROM copy WHERE k % 2; ROLLBACK");
    assert_eq!(get::<i64>(&db, "SELECT count(*) FROM copy"), 6000);
    assert_eq!(get::<String>(&db, "PRAGMA temp.integrity_check"), "ok");
    assert_eq!(place.files(), ["x.db"]);
    drop(db);
    assert_eq!(place.vfs.allocated_bytes(), before);
}

#[test]
fn each_kind_of_temporary_file_is_opened_without_a_name_and_closed_again() {
    let place = place(Probe::new(MemoryVfs::new()));
    let db = open(&place);
    fill(&db);
    let kinds = Rc::new(RefCell::new(HashSet::new()));
    let seen = kinds.clone();
    place.vfs.on_call(move |call| {
        if call.method == Method::Open && call.file.is_empty() {
            seen.borrow_mut().insert(call.kind.unwrap());
        }
        Ok(())
    });
    let open_before = place.vfs.open_files();
    run(&db, "SELECT DISTINCT v, random() FROM t ORDER BY v DESC");
    // More than the largest cache that SQLite's builds have by default.
    run(
        &db,
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 7000)
         SELECT count(*) FROM (SELECT DISTINCT i, randomblob(3000) FROM n)",
    );
    run(&db, "BEGIN; UPDATE t SET v = zeroblob(600) WHERE k > (SELECT min(k) FROM t); ROLLBACK");
    run(&db, "BEGIN; UPDATE t SET v = zeroblob(600); SAVEPOINT s; UPDATE t SET v = 1; ROLLBACK TO s; COMMIT");
    copy(&db);
    run(&db, "BEGIN; UPDATE copy SET v = 1; ROLLBACK");
    run(&db, "VACUUM");
    let expected = [FileKind::TempDb, FileKind::TransientDb, FileKind::SubJournal, FileKind::TempJournal];
    for kind in expected {
        assert!(kinds.borrow().contains(&kind), "{kind:?} is not among {:?}", kinds.borrow());
        assert!(kind.is_temporary());
    }
    assert_eq!(kinds.borrow().len(), expected.len(), "{:?}", kinds.borrow());
    assert_whole(&db);
    drop(db);
    assert!(open_before > 0);
    assert_eq!(place.vfs.open_files(), 0);
}

#[test]
fn a_temporary_database_of_an_empty_name_gives_its_memory_back() {
    let place = memory();
    let db = open(&place);
    let before = place.vfs.allocated_bytes();
    run(&db, "DROP TABLE t; ATTACH '' AS scratch; CREATE TABLE scratch.t (k INTEGER PRIMARY KEY, v)");
    run(&db, "PRAGMA scratch.cache_size=10");
    fill(&db);
    assert!(place.vfs.allocated_bytes() > before + 3 * 1024 * 1024);
    assert_eq!(get::<i64>(&db, "SELECT count(DISTINCT v) FROM t"), 6000);
    assert_eq!(place.files(), ["x.db"]);
    run(&db, "DETACH scratch");
    assert_eq!(place.vfs.allocated_bytes(), before);
}

#[test]
fn files_without_a_name_are_each_their_own() {
    let place = memory();
    let open = || RawFile::open(place.name(), None, TEMPORARY | sys::SQLITE_OPEN_TEMP_DB).unwrap();
    let (mut a, mut b) = (open(), open());
    a.write(b"a", 0);
    assert_eq!((a.size(), b.size()), (Ok(1), Ok(0)));
    assert_eq!(place.files().len(), 0);
    b.write(b"b", 0);
    drop((a, b));
    assert_eq!(place.vfs.allocated_bytes(), 0);
}

#[test]
fn a_named_file_that_is_to_go_when_closed_goes_when_closed() {
    let place = memory();
    let open = || RawFile::open(place.name(), Some("temp"), TEMPORARY | sys::SQLITE_OPEN_TEMP_DB).unwrap();
    let mut first = open();
    first.write(b"first", 0);
    assert_eq!(place.files(), ["temp"]);
    first.close();
    assert_eq!(place.files().len(), 0);
    assert_eq!(place.vfs.allocated_bytes(), 0);

    // When its name belongs to another file by now, it is not that one which goes.
    let mut first = open();
    assert_eq!(delete(place.name(), "temp"), sys::SQLITE_OK);
    let mut second = open();
    second.write(b"second", 0);
    first.close();
    assert_eq!(place.vfs.file_size("temp"), Some(6));
}
