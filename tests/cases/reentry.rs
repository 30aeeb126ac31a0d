//! A VFS may use SQLite from inside its methods, but not the connection it is serving.

use std::cell::{Cell, RefCell};
use std::ffi::CString;
use std::rc::Rc;

use rusqlite::Connection;
use sqlite_vfs_kit::stores::MemoryVfs;
use sqlite_vfs_kit::sys;
use sqlite_vfs_kit::vfs::Files;

use crate::support::probe::{Method, Probe};
use crate::support::{Place, assert_whole, fill, get, memory, place, raw, rows, run, test};

type Probed = Place<Probe<MemoryVfs>>;

fn probed() -> Probed {
    place(Probe::new(MemoryVfs::new()))
}

#[test]
fn a_method_may_use_another_database_on_the_same_vfs() {
    for method in [Method::ReadAt, Method::WriteAt, Method::Lock, Method::Sync, Method::Open, Method::Access] {
        let place = probed();
        let log = Rc::new(place.open("log.db"));
        run(&log, "CREATE TABLE log (entry)");
        let entries = Rc::new(Cell::new(0));
        let (seen, inner) = (entries.clone(), log.clone());
        place.vfs.on_call(move |call| {
            if call.method == method && call.file.starts_with("x.db") {
                seen.set(seen.get() + 1);
                run(&inner, "INSERT INTO log VALUES (1)");
            }
            Ok(())
        });
        let db = place.open("x.db");
        fill(&db, 1, 10, 10);
        drop(db);
        let db = place.open("x.db");
        assert_eq!(rows(&db), 10);
        place.vfs.clear();
        assert!(entries.get() > 0, "{method:?}");
        assert_eq!(get::<i32>(&log, "SELECT count(*) FROM log"), entries.get(), "{method:?}");
    }
}

#[test]
fn a_method_may_open_and_close_databases() {
    let place = probed();
    let name = place.name();
    let opened = Rc::new(Cell::new(0));
    let seen = opened.clone();
    place.vfs.on_call(move |call| {
        if call.method == Method::WriteAt && &*call.file == "x.db" {
            seen.set(seen.get() + 1);
            let name_of_new = format!("new-{}.db", seen.get());
            let flags = rusqlite::OpenFlags::default();
            let new = Connection::open_with_flags_and_vfs(name_of_new, flags, name).unwrap();
            run(&new, "CREATE TABLE t (x)");
        }
        Ok(())
    });
    fill(&place.open("x.db"), 1, 10, 10);
    place.vfs.clear();
    assert_eq!(place.vfs.list().unwrap().len(), 1 + opened.get());
}

/// Runs SQL on a connection that is in the middle of something, which rusqlite would not let us do.
fn run_inside(db: *mut sys::sqlite3, sql: &str) -> i32 {
    let sql = CString::new(sql).unwrap();
    // SAFETY: the connection is open, in this thread.
    unsafe { sys::sqlite3_exec(db, sql.as_ptr(), None, std::ptr::null_mut(), std::ptr::null_mut()) }
}

#[test]
fn using_the_connection_that_is_being_served_is_misuse() {
    let place = probed();
    fill(&place.open("x.db"), 1, 500, 500);
    let db = place.open("x.db");
    // SAFETY: used while `db` lives.
    let handle: *mut sys::sqlite3 = unsafe { db.handle() }.cast();
    assert_eq!(get::<i64>(&db, "SELECT count(*) FROM sqlite_schema"), 1);
    let answers = Rc::new(RefCell::new(Vec::new()));
    let seen = answers.clone();
    place.vfs.on_call(move |call| {
        if call.method == Method::ReadAt && seen.borrow().is_empty() {
            seen.borrow_mut().push(0);
            // Its pages are not in the cache, so SQLite has to read them: from the file that is reading.
            let code = run_inside(handle, "SELECT sum(length(v)) FROM t WHERE k > 400");
            *seen.borrow_mut() = vec![code];
        }
        Ok(())
    });
    assert_eq!(get::<i64>(&db, "SELECT sum(length(v)) FROM t"), 250_000);
    assert_eq!(*answers.borrow(), [sys::SQLITE_MISUSE]);
    assert!(place.reason().contains("not the connection it is serving"));
    place.vfs.clear();
    assert_whole(&db);
}

#[test]
fn another_connection_to_the_same_file_may_be_used() {
    let place = probed();
    fill(&place.open("x.db"), 1, 100, 500);
    let [db, other] = [place.open("x.db"), place.open("x.db")];
    let counted = Rc::new(Cell::new(0));
    let (seen, other) = (counted.clone(), Rc::new(other));
    place.vfs.on_call(move |call| {
        if call.method == Method::ReadAt && seen.get() == 0 {
            seen.set(-1);
            seen.set(rows(&other));
        }
        Ok(())
    });
    assert_eq!(get::<i64>(&db, "SELECT sum(length(v)) FROM t"), 50_000);
    place.vfs.clear();
    assert_eq!(counted.get(), 100);
}

#[test]
fn a_method_may_unregister_its_own_vfs() {
    let place = Rc::new(RefCell::new(probed()));
    let (vfs, name) = (place.borrow().vfs.clone(), place.borrow().name());
    let sqlite = raw::find(name);
    vfs.write("x.db", b"something").unwrap();
    let inner = place.clone();
    vfs.on_call(move |_| {
        inner.borrow_mut().unregister();
        Ok(())
    });
    // The call that is running still has the VFS, the next one has it no more.
    assert_eq!(raw::access(sqlite, "x.db"), Ok(true));
    assert_eq!(raw::access(sqlite, "x.db"), Err(sys::SQLITE_MISUSE));
    vfs.clear();
}

#[test]
fn files_may_be_looked_at_from_inside_a_method() {
    let place = probed();
    let sizes = Rc::new(RefCell::new(Vec::new()));
    let (seen, store) = (sizes.clone(), place.vfs.inner.clone());
    place.vfs.on_call(move |call| {
        if call.method == Method::Sync {
            seen.borrow_mut().push(store.read("x.db").unwrap().len());
            store.write("backup.db", b"a copy").unwrap();
        }
        Ok(())
    });
    fill(&place.open("x.db"), 1, 10, 10);
    place.vfs.clear();
    assert!(sizes.borrow().contains(&8192), "{sizes:?}");
    assert_eq!(memory().vfs.list().unwrap(), []);
}
