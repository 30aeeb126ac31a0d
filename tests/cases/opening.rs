//! Opening: what is made, what is refused, and why.

use rusqlite::OpenFlags;
use sqlite_vfs_kit::stores::MemoryVfs;
use sqlite_vfs_kit::sys;
use sqlite_vfs_kit::vfs::{ErrorCode, Files, VfsError};

use crate::support::probe::{Method, Probe};
use crate::support::raw::{MAIN_DB, RawFile};
use crate::support::shelf::Shelf;
use crate::support::{assert_whole, code, failure, get, memory, place, run, set_mode, test};

#[test]
fn a_missing_file_is_not_opened_without_create() {
    let place = place(Probe::new(MemoryVfs::new()));
    for flags in [OpenFlags::SQLITE_OPEN_READ_WRITE, OpenFlags::SQLITE_OPEN_READ_ONLY] {
        let error = place.try_open("missing.db", flags).unwrap_err();
        assert_eq!(code(&error), sys::SQLITE_CANTOPEN);
        assert_eq!(place.reason(), "there is no file 'missing.db'");
    }
    assert_eq!(place.files().len(), 0);
    assert_eq!(place.vfs.open_files(), 0);
    assert_eq!(place.vfs.inner.allocated_bytes(), 0);
    // The name is free: nothing stayed locked or half made.
    run(&place.open("missing.db"), "CREATE TABLE t (x)");
}

#[test]
fn an_open_that_fails_leaves_no_methods_behind() {
    let place = memory();
    let flags = sys::SQLITE_OPEN_READWRITE | sys::SQLITE_OPEN_MAIN_DB;
    // RawFile checks that SQLite finds nothing to close.
    assert_eq!(RawFile::open(place.name(), Some("missing.db"), flags).err(), Some(sys::SQLITE_CANTOPEN));
}

#[test]
fn exclusive_creation_refuses_a_file_that_exists() {
    let place = memory();
    let flags = MAIN_DB | sys::SQLITE_OPEN_EXCLUSIVE;
    drop(RawFile::open(place.name(), Some("x.db"), flags).unwrap());
    assert_eq!(RawFile::open(place.name(), Some("x.db"), flags).err(), Some(sys::SQLITE_CANTOPEN));
    assert_eq!(place.reason(), "'x.db' exists already");
}

#[test]
fn a_file_opened_as_no_kind_or_as_two_is_refused() {
    let place = memory();
    let rw = sys::SQLITE_OPEN_READWRITE | sys::SQLITE_OPEN_CREATE;
    for kinds in [0, sys::SQLITE_OPEN_MAIN_DB | sys::SQLITE_OPEN_WAL] {
        assert_eq!(RawFile::open(place.name(), Some("x"), rw | kinds).err(), Some(sys::SQLITE_MISUSE));
    }
    assert_eq!(place.files().len(), 0);
}

#[test]
fn the_reason_of_a_failed_open_is_that_of_this_open() {
    let place = place(Probe::new(MemoryVfs::new()));
    let read_write = OpenFlags::SQLITE_OPEN_READ_WRITE;
    place.try_open("first.db", read_write).unwrap_err();
    place.try_open("second.db", read_write).unwrap_err();
    assert_eq!(place.reason(), "there is no file 'second.db'");

    // A reason without words must not bring back the words of an older one.
    place.vfs.fail(Method::Open, ErrorCode::CantOpenIsDir.into());
    place.try_open("third.db", read_write).unwrap_err();
    let error = place.registration().last_error().unwrap();
    assert_eq!((error.code(), error.message()), (ErrorCode::CantOpenIsDir, ""));
}

#[test]
fn a_failed_open_carries_the_code_that_the_vfs_gave() {
    let place = place(Probe::new(MemoryVfs::new()));
    for error in
        [ErrorCode::CantOpenIsDir, ErrorCode::CantOpenSymlink, ErrorCode::Full, ErrorCode::Perm, ErrorCode::IoErr]
    {
        place.vfs.fail(Method::Open, VfsError::new(error, format!("because of {error}")));
        let failed = place.try_open("x.db", OpenFlags::default()).unwrap_err();
        assert_eq!(code(&failed), error.raw());
        assert_eq!(place.reason(), format!("because of {error}"));
    }
    place.vfs.clear();
    run(&place.open("x.db"), "CREATE TABLE t (x)");
}

#[test]
fn a_connection_opened_for_reading_cannot_write() {
    let place = memory();
    run(&place.open("x.db"), "CREATE TABLE t (x)");
    let db = place.try_open("x.db", OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    assert_eq!(failure(&db, "INSERT INTO t VALUES (1)"), sys::SQLITE_READONLY);
    assert_eq!(get::<i64>(&db, "SELECT count(*) FROM t"), 0);
}

#[test]
fn a_file_opened_for_reading_refuses_to_be_changed() {
    let place = memory();
    RawFile::open(place.name(), Some("x"), MAIN_DB).unwrap().write(b"abc", 0);
    let flags = sys::SQLITE_OPEN_READONLY | sys::SQLITE_OPEN_MAIN_DB;
    let mut file = RawFile::open(place.name(), Some("x"), flags).unwrap();
    assert_eq!(file.granted & (sys::SQLITE_OPEN_READONLY | sys::SQLITE_OPEN_READWRITE), sys::SQLITE_OPEN_READONLY);
    assert_eq!(file.write(b"x", 0), sys::SQLITE_READONLY);
    assert_eq!(file.truncate(0), sys::SQLITE_READONLY);
    assert_eq!(file.control(31, std::ptr::null_mut::<u8>()), sys::SQLITE_READONLY);
    assert_eq!(place.vfs.read("x").unwrap(), b"abc");
}

#[test]
fn a_vfs_that_grants_more_than_was_asked_does_not_make_a_reader_a_writer() {
    let place = place(Shelf::new());
    run(&place.open("x.db"), "CREATE TABLE t (x)");
    let db = place.try_open("x.db", OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    assert_eq!(failure(&db, "INSERT INTO t VALUES (1)"), sys::SQLITE_READONLY);
}

#[test]
fn a_wal_database_can_be_read_by_a_connection_that_may_only_read() {
    let place = memory();
    let writer = place.open("x.db");
    set_mode(&writer, "wal");
    run(&writer, "CREATE TABLE t AS SELECT 1 AS v");
    let reader = place.try_open("x.db", OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    assert_eq!(get::<i64>(&reader, "SELECT v FROM t"), 1);
    run(&writer, "UPDATE t SET v = 2");
    assert_eq!(get::<i64>(&reader, "SELECT v FROM t"), 2);
    // The writer goes first, so the reader is the last one out.
    drop(writer);
    assert_eq!(get::<i64>(&reader, "SELECT v FROM t"), 2);
    drop(reader);
    assert_whole(&place.open("x.db"));
}

#[test]
fn an_open_file_outlives_its_deletion() {
    let place = memory();
    let old = place.open("x.db");
    run(&old, "CREATE TABLE old (x); BEGIN; SELECT * FROM old");
    assert_eq!(crate::support::raw::delete(place.name(), "x.db"), sys::SQLITE_OK);

    let new = place.open("x.db");
    run(&new, "CREATE TABLE new (x)");
    assert_eq!(get::<String>(&old, "SELECT name FROM sqlite_schema"), "old");
    assert_eq!(get::<String>(&new, "SELECT name FROM sqlite_schema"), "new");
    drop(old);
    assert_eq!(get::<String>(&new, "SELECT name FROM sqlite_schema"), "new");
}

#[test]
fn a_database_deleted_under_a_connection_is_not_written_any_more() {
    let place = memory();
    let db = place.open("x.db");
    run(&db, "CREATE TABLE t (x)");
    crate::support::raw::delete(place.name(), "x.db");
    assert_eq!(failure(&db, "INSERT INTO t VALUES (1)"), sys::SQLITE_READONLY_DBMOVED);
}

#[test]
fn deleting_what_is_not_there_says_so() {
    let place = memory();
    assert_eq!(crate::support::raw::delete(place.name(), "x.db"), sys::SQLITE_IOERR_DELETE_NOENT);
}

#[test]
fn an_open_file_is_neither_replaced_nor_removed_behind_its_back() {
    let place = memory();
    let db = place.open("x.db");
    run(&db, "CREATE TABLE t (x)");
    let before = place.vfs.read("x.db").unwrap();
    assert_eq!(place.vfs.write("x.db", b"other").unwrap_err().code(), ErrorCode::Busy);
    assert_eq!(place.vfs.remove("x.db").unwrap_err().code(), ErrorCode::Busy);
    assert_eq!(place.vfs.read("x.db").unwrap(), before);
    drop(db);
    assert_eq!(place.vfs.remove("x.db"), Ok(true));
    assert_eq!(place.vfs.remove("x.db"), Ok(false));
    assert_eq!(place.vfs.read("x.db").unwrap_err().code(), ErrorCode::CantOpen);
    assert_eq!(place.vfs.allocated_bytes(), 0);
}

#[test]
fn a_file_put_in_as_bytes_opens_and_comes_out_the_same() {
    let place = memory();
    run(&place.open("x.db"), "CREATE TABLE t AS SELECT 'hello' AS v");
    let bytes = place.vfs.read("x.db").unwrap();
    let other = memory();
    other.vfs.write("y.db", &bytes).unwrap();
    assert_eq!(other.vfs.list().unwrap()[0].size, bytes.len() as u64);
    assert_eq!(get::<String>(&other.open("y.db"), "SELECT v FROM t"), "hello");
    assert_eq!(other.vfs.read("y.db").unwrap(), bytes);
}
