//! Checkpoints: what moves from the log into the database, and when the log is cut.

use rusqlite::Connection;
use sqlite_vfs_kit::stores::MemoryVfs;
use sqlite_vfs_kit::sys;

use crate::support::{Place, assert_whole, failure, fill, get, memory, rows, run, set_mode, test};

const KINDS: [&str; 4] = ["PASSIVE", "FULL", "RESTART", "TRUNCATE"];

/// What `PRAGMA wal_checkpoint` returns.
#[derive(Debug, PartialEq)]
struct Checkpoint {
    busy: bool,
    in_log: i64,
    moved: i64,
}

fn checkpoint(db: &Connection, kind: &str) -> Checkpoint {
    db.query_row(&format!("PRAGMA wal_checkpoint({kind})"), [], |row| {
        Ok(Checkpoint { busy: row.get(0)?, in_log: row.get(1)?, moved: row.get(2)? })
    })
    .unwrap()
}

/// A database in WAL mode with 200 rows that are all in the log.
fn logged() -> (Place<MemoryVfs>, Connection) {
    let place = memory();
    let db = place.open("x.db");
    set_mode(&db, "wal");
    run(&db, "PRAGMA wal_autocheckpoint=0");
    fill(&db, 1, 200, 500);
    (place, db)
}

fn wal_size(place: &Place<MemoryVfs>) -> u64 {
    place.vfs.file_size("x.db-wal").unwrap()
}

#[test]
fn without_readers_every_kind_moves_everything() {
    for kind in KINDS {
        let (place, db) = logged();
        let before = wal_size(&place);
        let done = checkpoint(&db, kind);
        assert!(!done.busy && done.in_log == done.moved, "{kind}: {done:?}");
        assert_eq!(done.moved > 0, kind != "TRUNCATE", "{kind} reports an empty log or a full one");
        assert_eq!(wal_size(&place), if kind == "TRUNCATE" { 0 } else { before }, "{kind}");
        assert_eq!(rows(&place.open("x.db")), 200);

        // The next write begins the log anew.
        run(&db, "INSERT INTO t VALUES (1000, 1)");
        assert!(wal_size(&place) <= before, "{kind}");
        assert_eq!(rows(&place.open("x.db")), 201);
        assert_whole(&db);
    }
}

#[test]
fn with_a_reader_of_an_old_snapshot_no_kind_moves_what_it_must_not_see() {
    for kind in KINDS {
        let (place, db) = logged();
        let reader = place.open("x.db");
        run(&reader, "BEGIN");
        assert_eq!(rows(&reader), 200);
        run(&db, "DELETE FROM t; INSERT INTO t VALUES (1, 'new')");
        let done = checkpoint(&db, kind);
        // PASSIVE moves what it can and is content; the others would have had to wait.
        assert_eq!(done.busy, kind != "PASSIVE", "{kind}: {done:?}");
        assert!(done.moved < done.in_log, "{kind}: {done:?}");
        assert_eq!(rows(&reader), 200, "{kind}");
        assert_whole(&reader);
        run(&reader, "COMMIT");
        assert_eq!(rows(&reader), 1, "{kind}");
        assert!(!checkpoint(&db, kind).busy, "{kind}");
        assert_whole(&db);
    }
}

#[test]
fn with_a_reader_of_the_newest_snapshot_all_is_moved_but_the_log_stays() {
    for kind in KINDS {
        let (place, db) = logged();
        let reader = place.open("x.db");
        run(&reader, "BEGIN");
        assert_eq!(rows(&reader), 200);
        let done = checkpoint(&db, kind);
        assert_eq!(done.moved, done.in_log, "{kind}");
        // RESTART and TRUNCATE want the log for themselves.
        assert_eq!(done.busy, ["RESTART", "TRUNCATE"].contains(&kind), "{kind}: {done:?}");
        assert!(wal_size(&place) > 0, "{kind}");
        assert_eq!(rows(&reader), 200);
    }
}

#[test]
fn beside_a_writer_only_passive_does_anything() {
    for kind in KINDS {
        let (place, db) = logged();
        let writer = place.open("x.db");
        run(&writer, "BEGIN IMMEDIATE; INSERT INTO t VALUES (1000, 1)");
        let done = checkpoint(&db, kind);
        assert_eq!(done.busy, kind != "PASSIVE", "{kind}: {done:?}");
        run(&writer, "COMMIT");
        assert_eq!(rows(&db), 201);
        assert!(!checkpoint(&db, kind).busy);
    }
}

#[test]
fn a_connection_cannot_checkpoint_what_it_is_writing_itself() {
    let (_place, db) = logged();
    run(&db, "BEGIN IMMEDIATE");
    assert_eq!(failure(&db, "PRAGMA wal_checkpoint"), sys::SQLITE_LOCKED);
    run(&db, "COMMIT");
    assert!(!checkpoint(&db, "FULL").busy);
}

#[test]
fn the_log_is_used_again_from_its_beginning() {
    let place = memory();
    let db = place.open("x.db");
    set_mode(&db, "wal");
    run(&db, "PRAGMA wal_autocheckpoint=50");
    fill(&db, 1, 1, 10);
    for k in 2..2000 {
        run(&db, &format!("INSERT INTO t VALUES ({k}, zeroblob(500))"));
    }
    assert!(wal_size(&place) < 80 * 4200, "{} bytes", wal_size(&place));
    assert_eq!(rows(&place.open("x.db")), 1999);
}

#[test]
fn a_size_limit_cuts_the_log_after_a_checkpoint() {
    const LIMIT: u64 = 100_000;
    let (place, db) = logged();
    run(&db, "UPDATE t SET v = zeroblob(3000)");
    assert!(wal_size(&place) > 3 * LIMIT);
    run(&db, &format!("PRAGMA journal_size_limit={LIMIT}"));
    assert!(!checkpoint(&db, "RESTART").busy);
    run(&db, "INSERT INTO t VALUES (1000, 1)");
    assert!(wal_size(&place) <= LIMIT, "{} bytes", wal_size(&place));
    assert_eq!(rows(&place.open("x.db")), 201);
}

#[test]
fn a_forced_checkpoint_bounds_the_log_once_a_long_reader_is_gone() {
    let (place, db) = logged();
    let reader = place.open("x.db");
    run(&reader, "BEGIN");
    assert_eq!(rows(&reader), 200);
    run(&db, "PRAGMA wal_autocheckpoint=100");
    for k in 1000..1500 {
        run(&db, &format!("INSERT INTO t VALUES ({k}, zeroblob(2000))"));
    }
    assert!(wal_size(&place) > 1_000_000, "the reader holds the log");
    assert!(checkpoint(&db, "TRUNCATE").busy);
    run(&reader, "COMMIT");
    assert!(!checkpoint(&db, "TRUNCATE").busy);
    assert_eq!(wal_size(&place), 0);
    assert_eq!((rows(&db), rows(&reader)), (700, 700));
    assert_whole(&reader);
}

#[test]
fn another_connection_may_checkpoint() {
    let (place, db) = logged();
    let other = place.open("x.db");
    assert!(!checkpoint(&other, "TRUNCATE").busy);
    assert_eq!(wal_size(&place), 0);
    run(&db, "INSERT INTO t VALUES (1000, 1)");
    assert_eq!(rows(&other), 201);
}

#[test]
fn outside_wal_a_checkpoint_does_nothing() {
    let place = memory();
    let db = place.open("x.db");
    fill(&db, 1, 10, 10);
    assert_eq!(checkpoint(&db, "TRUNCATE"), Checkpoint { busy: false, in_log: -1, moved: -1 });
    assert_eq!(get::<String>(&db, "PRAGMA journal_mode"), "delete");
}
