//! Natively a connection can move to another thread; whether it may is for its VFS to say.

use std::thread;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};
use sqlite_vfs_kit::vfs::Files;
use sqlite_vfs_kit::{RegisterOptions, register_sync, sys};

use crate::support::shelf::Shelf;
use crate::support::{assert_whole, code, failure, fill, get, memory, rows, run, test};

const NOT_THIS_THREAD: &str =
    "this VFS belongs to the thread that registered it; register_sync is for one that any thread may use";

#[test]
fn a_vfs_of_one_thread_is_not_opened_from_another() {
    let place = memory();
    let name = place.name();
    let error = thread::spawn(move || {
        Connection::open_with_flags_and_vfs("x.db", OpenFlags::default(), name).err().map(|error| code(&error))
    });
    assert_eq!(error.join().unwrap(), Some(sys::SQLITE_MISUSE));
    assert_eq!(place.reason(), NOT_THIS_THREAD);
    assert_eq!(place.files().len(), 0);
    run(&place.open("x.db"), "CREATE TABLE t (x)");
}

#[test]
fn a_connection_that_moved_to_another_thread_answers_misuse_and_works_again_at_home() {
    let place = memory();
    let db = place.open("x.db");
    fill(&db, 1, 100, 500);
    let db = thread::spawn(move || {
        assert_eq!(failure(&db, "SELECT * FROM t"), sys::SQLITE_MISUSE);
        assert_eq!(failure(&db, "INSERT INTO t VALUES (1000, 1)"), sys::SQLITE_MISUSE);
        db
    });
    let db = db.join().unwrap();
    assert_eq!(place.reason(), NOT_THIS_THREAD);
    assert_eq!(rows(&db), 100);
    run(&db, "INSERT INTO t VALUES (1000, 1)");
    assert_whole(&db);
}

#[test]
fn a_connection_closed_on_another_thread_harms_nobody() {
    let place = memory();
    let db = place.open("x.db");
    fill(&db, 1, 10, 10);
    thread::spawn(move || drop(db)).join().unwrap();
    // Its file is still open as far as the store knows, and that is all.
    assert_eq!(rows(&place.open("x.db")), 10);
}

#[test]
fn a_vfs_for_all_threads_is_used_by_several_at_once() {
    const NAME: &str = "for all threads";
    let shelf = Shelf::new();
    let registration = register_sync(NAME, shelf.clone(), RegisterOptions::default()).unwrap();
    let open = || {
        let db = Connection::open_with_flags_and_vfs("x.db", OpenFlags::default(), NAME).unwrap();
        db.busy_timeout(Duration::from_secs(60)).unwrap();
        db
    };
    run(&open(), "CREATE TABLE t (thread, n)");
    let threads: Vec<_> = (0..4)
        .map(|thread| {
            thread::spawn(move || {
                let db = open();
                for n in 0..50 {
                    run(&db, &format!("BEGIN IMMEDIATE; INSERT INTO t VALUES ({thread}, {n}); COMMIT"));
                }
                db
            })
        })
        .collect();
    // The connections come home and are closed here.
    for thread in threads {
        let db = thread.join().unwrap();
        assert!(rows(&db) >= 50);
    }
    let db = open();
    assert_eq!(rows(&db), 200);
    assert_eq!(get::<i64>(&db, "SELECT count(*) FROM (SELECT DISTINCT thread, n FROM t)"), 200);
    assert_whole(&db);
    drop(db);
    assert_eq!(shelf.list().unwrap().len(), 1);
    registration.unregister().unwrap();
}
