//! Transactions over several files.

use rusqlite::{Connection, OpenFlags};
use sqlite_vfs_kit::stores::MemoryVfs;
use sqlite_vfs_kit::sys;
use sqlite_vfs_kit::vfs::{ErrorCode, FileKind, Files, VfsError};

use crate::support::probe::{Method, Probe};
use crate::support::{FILE_MODES, Place, SAFE_MODES, assert_whole, failure, get, memory, place, run, set_mode, test};

/// A connection to `a.db` with `b.db` attached as `b`, each with a table of one row: 0.
fn pair(place: &Place<MemoryVfs>, mode: &str) -> Connection {
    named_pair(place, mode, "a.db", "b.db")
}

fn named_pair(place: &Place<MemoryVfs>, mode: &str, first: &str, second: &str) -> Connection {
    for name in [first, second] {
        let db = place.open(name);
        set_mode(&db, mode);
        run(&db, "CREATE TABLE t AS SELECT 0 AS v");
    }
    let db = place.open(first);
    run(&db, &format!("ATTACH '{second}' AS b; PRAGMA journal_mode={mode}"));
    db
}

fn values(db: &Connection) -> (i64, i64) {
    (get(db, "SELECT v FROM main.t"), get(db, "SELECT v FROM b.t"))
}

const CHANGE_BOTH: &str = "BEGIN; UPDATE main.t SET v = 1; UPDATE b.t SET v = 1;";

#[test]
fn both_files_commit_or_neither_does() {
    for mode in SAFE_MODES {
        let place = memory();
        let db = pair(&place, mode);
        run(&db, CHANGE_BOTH);
        assert_eq!(values(&db), (1, 1));
        run(&db, "ROLLBACK");
        assert_eq!(values(&db), (0, 0), "{mode}");
        run(&db, CHANGE_BOTH);
        run(&db, "COMMIT");
        drop(db);
        for name in ["a.db", "b.db"] {
            let db = place.open(name);
            assert_eq!(get::<i64>(&db, "SELECT v FROM t"), 1, "{mode}");
            assert_whole(&db);
        }
        assert!(!place.files().iter().any(|name| name.contains("-mj")), "the super-journal is gone");
    }
}

#[test]
fn a_file_that_is_locked_keeps_both_from_committing() {
    for mode in FILE_MODES {
        let place = memory();
        let db = pair(&place, mode);
        let other = place.open("b.db");
        run(&other, "BEGIN; SELECT * FROM t");
        let mut statement = other.prepare("SELECT v FROM t").unwrap();
        let mut reading = statement.query([]).unwrap();
        assert!(reading.next().unwrap().is_some());

        run(&db, CHANGE_BOTH);
        assert_eq!(failure(&db, "COMMIT"), sys::SQLITE_BUSY, "{mode}");
        assert_eq!(get::<i64>(&other, "SELECT v FROM t"), 0);
        drop(reading);
        run(&other, "COMMIT");
        run(&db, "COMMIT");
        assert_eq!(values(&db), (1, 1), "{mode}");
    }
}

/// All files as they are before change number `at` of a commit; `None` when it has no such change.
fn crash_in_commit(mode: &str, names: [&str; 2], at: usize) -> Option<Vec<(String, Vec<u8>)>> {
    let place = place(Probe::new(MemoryVfs::new()));
    let plain = Place::of(place.vfs.inner.clone());
    let [first, second] = names;
    drop(named_pair(&plain, mode, first, second));
    let db = place.open(first);
    run(&db, &format!("ATTACH '{second}' AS b; PRAGMA journal_mode={mode}; {CHANGE_BOTH}"));

    let crash = std::rc::Rc::new(std::cell::RefCell::new((0, None)));
    let (state, files) = (crash.clone(), place.vfs.inner.clone());
    place.vfs.on_call(move |call| {
        let changes = [Method::WriteAt, Method::SetLen, Method::Delete, Method::Close].contains(&call.method);
        if changes {
            let mut state = state.borrow_mut();
            if state.0 == at {
                let copy = |name: &String| (name.clone(), files.read(name).unwrap());
                state.1 = Some(files.list().unwrap().into_iter().map(|file| copy(&file.name)).collect());
            }
            state.0 += 1;
        }
        Ok(())
    });
    run(&db, "COMMIT");
    place.vfs.clear();
    assert_eq!(values(&db), (1, 1));
    crash.take().1
}

#[test]
fn a_crash_anywhere_in_the_commit_leaves_both_old_or_both_new() {
    for mode in FILE_MODES {
        crash_everywhere(mode, ["a.db", "b.db"]);
    }
}

/// A journal names the super-journal, and SQLite reads that name only if it is no longer than the VFS says a name can be.
#[test]
fn the_same_holds_for_the_longest_names() {
    let [a, b] = ["a", "b"].map(|letter| letter.repeat(1024));
    crash_everywhere("delete", [&a, &b]);
}

fn crash_everywhere(mode: &str, names: [&str; 2]) {
    let mut seen = Vec::new();
    for at in 0.. {
        let Some(files) = crash_in_commit(mode, names, at) else { break };
        let place = memory();
        for (name, bytes) in &files {
            place.vfs.write(name, bytes).unwrap();
        }
        // The second file first: it has to find out about the other by itself.
        let [a, b] = names;
        let b: i64 = get(&place.open(b), "SELECT v FROM t");
        let a: i64 = get(&place.open(a), "SELECT v FROM t");
        assert_eq!(a, b, "{mode}, crash at change {at}");
        for name in names {
            assert_whole(&place.open(name));
        }
        seen.push(a);
    }
    assert!(seen.is_sorted() && seen.len() > 8 && seen.contains(&1), "{mode}: {seen:?}");
}

#[test]
fn a_super_journal_that_cannot_be_made_rolls_both_back() {
    let place = place(Probe::new(MemoryVfs::new()));
    drop(pair(&Place::of(place.vfs.inner.clone()), "delete"));
    let db = place.open("a.db");
    run(&db, &format!("ATTACH 'b.db' AS b; {CHANGE_BOTH}"));
    place.vfs.on_call(|call| match (call.method, call.kind) {
        (Method::Open, Some(FileKind::SuperJournal)) => Err(VfsError::new(ErrorCode::Full, "no more files")),
        _ => Ok(()),
    });
    assert_eq!(failure(&db, "COMMIT"), sys::SQLITE_FULL);
    assert_eq!(place.reason(), "no more files");
    place.vfs.clear();
    let _ = db.execute_batch("ROLLBACK");
    assert_eq!(values(&db), (0, 0));
    run(&db, CHANGE_BOTH);
    run(&db, "COMMIT");
    assert_eq!(values(&db), (1, 1));
}

#[test]
fn a_transaction_may_span_two_stores() {
    for mode in SAFE_MODES {
        let [first, second] = [memory(), memory()];
        let flags = OpenFlags::default() | OpenFlags::SQLITE_OPEN_URI;
        let db = first.try_open("a.db", flags).unwrap();
        run(&db, &format!("ATTACH 'file:b.db?vfs={}' AS b", second.name()));
        set_mode(&db, mode);
        assert_eq!(get::<String>(&db, &format!("PRAGMA b.journal_mode={mode}")), mode);
        run(&db, "CREATE TABLE main.t AS SELECT 0 AS v; CREATE TABLE b.t AS SELECT 0 AS v");
        run(&db, CHANGE_BOTH);
        run(&db, "ROLLBACK");
        assert_eq!(values(&db), (0, 0), "{mode}");
        run(&db, CHANGE_BOTH);
        run(&db, "COMMIT");
        assert_eq!(values(&db), (1, 1), "{mode}");
        drop(db);
        assert!(first.files().iter().all(|name| name.starts_with("a.db")));
        assert!(second.files().iter().all(|name| name.starts_with("b.db")));
        assert_eq!(get::<i64>(&second.open("b.db"), "SELECT v FROM t"), 1);
    }
}

#[test]
fn the_same_file_may_be_attached_twice() {
    let place = memory();
    let db = pair(&place, "wal");
    run(&db, "ATTACH 'a.db' AS again");
    run(&db, "UPDATE main.t SET v = 5");
    assert_eq!(get::<i64>(&db, "SELECT v FROM again.t"), 5);
    run(&db, "BEGIN; UPDATE main.t SET v = 6");
    assert_eq!(failure(&db, "UPDATE again.t SET v = 7"), sys::SQLITE_BUSY);
    run(&db, "COMMIT; DETACH again; DETACH b");
    assert_eq!(place.files(), ["a.db", "a.db-wal", "b.db"]);
}

#[test]
fn a_database_is_copied_into_an_attached_one() {
    let place = memory();
    let db = pair(&place, "delete");
    run(&db, "VACUUM main INTO 'c.db'");
    assert_eq!(get::<i64>(&place.open("c.db"), "SELECT v FROM t"), 0);
    assert_ne!(failure(&db, "VACUUM main INTO 'b.db'"), sys::SQLITE_OK, "a file that is no empty database stays");
    assert_eq!(values(&db), (0, 0));
}
