//! Write-ahead logging: readers and a writer side by side.

use std::cell::RefCell;
use std::rc::Rc;

use rusqlite::Connection;
use sqlite_vfs_kit::stores::MemoryVfs;
use sqlite_vfs_kit::sys;

use crate::support::probe::{Method, Probe};
use crate::support::shelf::Shelf;
use crate::support::{
    CHUNK, Place, assert_whole, failure, fill, get, memory, place, rows, run, set_mode, spill_early, test,
};

const BUSY: i32 = sys::SQLITE_BUSY;

fn wal_database() -> (Place<MemoryVfs>, Connection) {
    let place = memory();
    let db = place.open("x.db");
    set_mode(&db, "wal");
    run(&db, "CREATE TABLE t (k INTEGER PRIMARY KEY, v)");
    (place, db)
}

#[test]
fn wal_takes_effect_without_exclusive_locking() {
    let (place, db) = wal_database();
    assert_eq!(get::<String>(&db, "PRAGMA journal_mode"), "wal");
    assert_eq!(get::<String>(&db, "PRAGMA locking_mode"), "normal");
    let other = place.open("x.db");
    assert_eq!(get::<String>(&other, "PRAGMA journal_mode"), "wal");
    run(&other, "INSERT INTO t VALUES (1, 1)");
    assert_eq!(rows(&db), 1);
    assert!(place.vfs.file_size("x.db-wal") > Some(0));
}

#[test]
fn a_reader_keeps_its_snapshot_while_a_writer_commits_a_thousand_times() {
    let (place, writer) = wal_database();
    run(&writer, "INSERT INTO t VALUES (0, 0)");
    let reader = place.open("x.db");
    run(&reader, "BEGIN");
    assert_eq!(rows(&reader), 1);
    for k in 1..=1000 {
        run(&writer, &format!("INSERT INTO t VALUES ({k}, {k}); UPDATE t SET v = {k} WHERE k = 0"));
        if k % 100 == 0 {
            assert_eq!(get::<i64>(&reader, "SELECT v FROM t WHERE k = 0"), 0);
            assert_eq!(rows(&reader), 1);
            assert_eq!(rows(&place.open("x.db")), k + 1, "a new reader sees all");
        }
    }
    run(&reader, "COMMIT");
    assert_eq!(get::<i64>(&reader, "SELECT v FROM t WHERE k = 0"), 1000);
    assert_eq!(rows(&reader), 1001);
    assert_whole(&reader);
}

#[test]
fn readers_see_nothing_of_a_transaction_before_it_commits() {
    let (place, writer) = wal_database();
    spill_early(&writer);
    let reader = place.open("x.db");
    run(&writer, "BEGIN");
    fill(&writer, 1, 500, 500);
    assert!(place.vfs.file_size("x.db-wal") > Some(32 * CHUNK), "it is in the log already");
    assert_eq!(rows(&reader), 0);
    assert_eq!(rows(&place.open("x.db")), 0);
    run(&writer, "COMMIT");
    assert_eq!(rows(&reader), 500);
}

#[test]
fn a_query_that_is_half_way_through_is_not_disturbed() {
    let (place, writer) = wal_database();
    fill(&writer, 1, 200, 300);
    let reader = place.open("x.db");
    let mut statement = reader.prepare("SELECT k, v FROM t ORDER BY k").unwrap();
    let mut found = statement.query([]).unwrap();
    let mut expected = 0;
    while let Some(row) = found.next().unwrap() {
        expected += 1;
        assert_eq!(row.get::<_, i64>(0).unwrap(), expected);
        assert_eq!(row.get::<_, Vec<u8>>(1).unwrap(), crate::support::row(expected, 300));
        run(&writer, &format!("UPDATE t SET v = 'gone' WHERE k >= {expected}"));
    }
    assert_eq!(expected, 200);
}

#[test]
fn a_snapshot_that_is_no_longer_the_newest_cannot_be_written() {
    let (place, a) = wal_database();
    let b = place.open("x.db");
    run(&b, "BEGIN");
    assert_eq!(rows(&b), 0);
    run(&a, "INSERT INTO t VALUES (1, 1)");
    assert_eq!(failure(&b, "INSERT INTO t VALUES (2, 2)"), sys::SQLITE_BUSY_SNAPSHOT);
    run(&b, "ROLLBACK; INSERT INTO t VALUES (2, 2)");
    assert_eq!(rows(&a), 2);
}

#[test]
fn many_readers_hold_many_snapshots() {
    let (place, writer) = wal_database();
    // More than the five read marks that a WAL index has.
    let mut readers = Vec::new();
    for k in 0..12 {
        let reader = place.open("x.db");
        run(&reader, "BEGIN");
        assert_eq!(rows(&reader), k);
        readers.push(reader);
        run(&writer, &format!("INSERT INTO t VALUES ({k}, {k})"));
    }
    for (k, reader) in readers.iter().enumerate() {
        assert_eq!(rows(reader), k as i64);
        run(reader, "COMMIT");
        assert_eq!(rows(reader), 12);
    }
}

#[test]
fn the_wal_index_grows_beyond_its_first_region() {
    let (place, db) = wal_database();
    run(&db, "PRAGMA wal_autocheckpoint=0");
    let early = place.open("x.db");
    run(&early, "BEGIN");
    assert_eq!(rows(&early), 0);
    // A region indexes 4096 frames, the first one a few less. A page each, and a change of page 1.
    run(&db, "BEGIN");
    let mut insert = db.prepare("INSERT INTO t VALUES (?1, zeroblob(3500))").unwrap();
    for k in 1..=9000 {
        insert.execute([k]).unwrap();
    }
    run(&db, "COMMIT");
    let frames: i64 = db.query_row("PRAGMA wal_checkpoint", [], |row| row.get(1)).unwrap();
    assert!(frames > 2 * 4096, "{frames} frames");
    assert_eq!(rows(&early), 0);
    let late = place.open("x.db");
    assert_eq!(rows(&late), 9000);
    assert_eq!(get::<i64>(&late, "SELECT sum(length(v)) FROM t"), 9000 * 3500);
    assert_whole(&late);
}

#[test]
fn wal_works_with_exclusive_locking_too() {
    let place = memory();
    let db = place.open("x.db");
    run(&db, "PRAGMA locking_mode=exclusive");
    set_mode(&db, "wal");
    fill(&db, 1, 100, 500);
    assert_eq!(failure(&place.open("x.db"), "SELECT * FROM sqlite_schema"), BUSY);
    drop(db);
    let db = place.open("x.db");
    assert_eq!(rows(&db), 100);
    assert_whole(&db);
}

#[test]
fn exclusive_locking_can_begin_and_end_while_in_wal() {
    let (place, db) = wal_database();
    let other = place.open("x.db");
    run(&db, "PRAGMA locking_mode=exclusive; INSERT INTO t VALUES (1, 1)");
    assert_eq!(failure(&other, "INSERT INTO t VALUES (2, 2)"), BUSY);
    run(&db, "PRAGMA locking_mode=normal; INSERT INTO t VALUES (3, 3)");
    run(&other, "INSERT INTO t VALUES (4, 4)");
    assert_eq!(rows(&db), 3);
    assert_whole(&db);
}

#[test]
fn leaving_wal_waits_until_the_other_connections_are_done() {
    let (place, db) = wal_database();
    let other = place.open("x.db");
    assert_eq!(rows(&other), 0);
    // Even an idle connection has the WAL open.
    assert_eq!(failure(&db, "PRAGMA journal_mode=delete"), BUSY);
    assert_eq!(get::<String>(&db, "PRAGMA journal_mode"), "wal");
    run(&db, "INSERT INTO t VALUES (1, 1)");
    assert_eq!(rows(&other), 1);
    drop(other);
    set_mode(&db, "delete");
    assert_eq!(place.files(), ["x.db"]);
    assert_eq!(rows(&place.open("x.db")), 1);
}

#[test]
fn entering_wal_waits_for_readers_and_reaches_connections_that_are_open() {
    let place = memory();
    let [a, b] = [place.open("x.db"), place.open("x.db")];
    run(&a, "CREATE TABLE t (k INTEGER PRIMARY KEY, v)");
    run(&b, "BEGIN");
    assert_eq!(rows(&b), 0);
    assert_eq!(failure(&a, "PRAGMA journal_mode=wal"), BUSY);
    run(&b, "COMMIT");
    set_mode(&a, "wal");
    run(&a, "INSERT INTO t VALUES (1, 1)");
    assert_eq!(rows(&b), 1);
    assert_eq!(get::<String>(&b, "PRAGMA journal_mode"), "wal");
}

/// Two versions of one program, one of which asks for TRUNCATE at every start and one for WAL.
#[test]
fn connections_that_want_different_journal_modes_coexist() {
    let place = memory();
    run(&place.open("x.db"), "CREATE TABLE t (k INTEGER PRIMARY KEY, v)");
    let mut count = 0;
    for round in 0..20 {
        let [old, new] = [place.open("x.db"), place.open("x.db")];
        // Asking may be refused while the other is at work, never more than that.
        for (db, mode) in [(&old, "truncate"), (&new, "wal")] {
            let answer = failure(db, &format!("PRAGMA journal_mode={mode}"));
            assert!([sys::SQLITE_OK, BUSY].contains(&answer), "{answer}");
            for db in [&old, &new] {
                count += 1;
                run(db, &format!("INSERT INTO t VALUES ({count}, {round})"));
            }
        }
        assert_eq!((rows(&old), rows(&new)), (count, count));
        // They leave in turn, first the one and then the other.
        if round % 2 == 0 { drop(old) } else { drop(new) }
    }
    assert_whole(&place.open("x.db"));
}

#[test]
fn a_connection_alone_may_switch_back_and_forth() {
    let place = memory();
    let db = place.open("x.db");
    run(&db, "CREATE TABLE t (k INTEGER PRIMARY KEY, v)");
    for k in 0..40 {
        set_mode(&db, ["wal", "truncate", "wal", "delete", "wal", "persist"][k % 6]);
        run(&db, &format!("INSERT INTO t VALUES ({k}, {k})"));
    }
    assert_eq!(rows(&db), 40);
    assert_whole(&db);
}

#[test]
fn a_reader_may_come_in_the_middle_of_a_write_to_the_log() {
    let place = place(Probe::new(MemoryVfs::new()));
    let [writer, reader] = [(); 2].map(|()| Rc::new(place.open("x.db")));
    set_mode(&writer, "wal");
    run(&writer, "CREATE TABLE t (k INTEGER PRIMARY KEY, v); INSERT INTO t VALUES (1, 1)");
    let seen = Rc::new(RefCell::new(Vec::new()));
    let (log, db) = (seen.clone(), reader.clone());
    place.vfs.on_call(move |call| {
        if call.method == Method::WriteAt && call.file.ends_with("-wal") {
            log.borrow_mut().push(rows(&db));
        }
        Ok(())
    });
    run(&writer, "BEGIN; INSERT INTO t VALUES (2, zeroblob(20000)); COMMIT");
    place.vfs.clear();
    let seen = seen.take();
    assert!(seen.len() > 5 && seen.iter().all(|&rows| rows == 1), "{seen:?}");
    assert_eq!(rows(&reader), 2);
}

#[test]
fn without_shared_memory_wal_is_not_entered_unless_exclusive() {
    let place = place(Shelf::new());
    let db = place.open("x.db");
    assert_eq!(get::<String>(&db, "PRAGMA journal_mode=wal"), "delete");
    run(&db, "PRAGMA locking_mode=exclusive");
    set_mode(&db, "wal");
    fill(&db, 1, 100, 100);
    drop(db);
    // Whoever comes next has to lock it for itself as well.
    let db = place.open("x.db");
    assert_eq!(failure(&db, "SELECT * FROM t"), sys::SQLITE_CANTOPEN);
    run(&db, "PRAGMA locking_mode=exclusive");
    assert_eq!(rows(&db), 100);
    set_mode(&db, "delete");
    drop(db);
    assert_eq!(rows(&place.open("x.db")), 100);
}

#[test]
fn the_memory_of_the_wal_is_given_back_when_the_last_connection_closes() {
    let (place, db) = wal_database();
    fill(&db, 1, 500, 1000);
    let other = place.open("x.db");
    assert_eq!(rows(&other), 500);
    assert!(place.vfs.file_size("x.db-wal") > Some(128 * CHUNK));
    drop(db);
    assert!(place.vfs.file_size("x.db-wal") > Some(0), "another connection has it");
    drop(other);
    assert_eq!(place.files(), ["x.db"]);
    assert_eq!(place.vfs.allocated_bytes(), place.vfs.file_size("x.db").unwrap().next_multiple_of(CHUNK));
}
