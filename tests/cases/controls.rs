//! File controls and pragmas: what SQLite tells a file, and what the file may answer.

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr;
use std::rc::Rc;

use rusqlite::Connection;
use sqlite_vfs_kit::stores::MemoryVfs;
use sqlite_vfs_kit::sys;
use sqlite_vfs_kit::vfs::{DeviceCharacteristics, ErrorCode, FileControl, Pragma, VfsError};

use crate::support::probe::Probe;
use crate::support::raw::{MAIN_DB, RawFile};
use crate::support::shelf::Shelf;
use crate::support::{Place, code, failure, fill, get, memory, place, rows, run, set_mode, test};

const OK: c_int = sys::SQLITE_OK;
const NOTFOUND: c_int = sys::SQLITE_NOTFOUND;

type Log = Rc<RefCell<Vec<String>>>;

/// A place whose files answer every control with `answer` and write down how it came to them.
fn recording(answer: Option<bool>) -> (Place<Probe<MemoryVfs>>, Log) {
    let place = place(Probe::new(MemoryVfs::new()));
    let log = Log::default();
    let seen = log.clone();
    place.vfs.on_control(move |control| {
        seen.borrow_mut().push(format!("{control:?}"));
        answer.map(Ok)
    });
    (place, log)
}

#[test]
fn every_control_arrives_with_its_argument() {
    let (place, log) = recording(Some(true));
    let mut file = RawFile::open(place.name(), Some("x.db"), MAIN_DB).unwrap();
    let mut size = 1_i64 << 33;
    let mut int = 7;
    let mut limit = 1_i64 << 40;
    let name = c"x.db-mj0123456".as_ptr().cast_mut();
    let nothing = ptr::null_mut::<u8>();
    let (size, int, limit) = (&raw mut size, &raw mut int, &raw mut limit);
    for (code, argument, expected) in [
        (sys::SQLITE_FCNTL_SIZE_HINT, size.cast(), "SizeHint(8589934592)"),
        (sys::SQLITE_FCNTL_CHUNK_SIZE, int.cast(), "ChunkSize(7)"),
        (sys::SQLITE_FCNTL_SYNC, nothing, "Sync { super_journal: None }"),
        (sys::SQLITE_FCNTL_SYNC, name.cast(), "Sync { super_journal: Some(\"x.db-mj0123456\") }"),
        (sys::SQLITE_FCNTL_COMMIT_PHASETWO, nothing, "CommitPhaseTwo"),
        (sys::SQLITE_FCNTL_OVERWRITE, size.cast(), "Overwrite(8589934592)"),
        (31, nothing, "BeginAtomicWrite"),
        (32, nothing, "CommitAtomicWrite"),
        (33, nothing, "RollbackAtomicWrite"),
        (sys::SQLITE_FCNTL_PERSIST_WAL, int.cast(), "PersistWal(7)"),
        (sys::SQLITE_FCNTL_POWERSAFE_OVERWRITE, int.cast(), "PowersafeOverwrite(7)"),
        (sys::SQLITE_FCNTL_HAS_MOVED, int.cast(), "HasMoved(7)"),
        (sys::SQLITE_FCNTL_LOCK_TIMEOUT, int.cast(), "LockTimeout(7)"),
        (sys::SQLITE_FCNTL_MMAP_SIZE, limit.cast(), "MmapSize(1099511627776)"),
        (sys::SQLITE_FCNTL_CKPT_START, nothing, "CheckpointStart"),
        (sys::SQLITE_FCNTL_CKPT_DONE, nothing, "CheckpointDone"),
        (123_456, nothing, "Other(123456)"),
    ] {
        assert_eq!(file.control(code, argument), OK);
        assert_eq!(log.take(), [expected]);
    }
}

#[test]
fn a_negative_size_is_refused() {
    let (place, log) = recording(Some(true));
    let mut file = RawFile::open(place.name(), Some("x.db"), MAIN_DB).unwrap();
    let mut size = -1_i64;
    for code in [sys::SQLITE_FCNTL_SIZE_HINT, sys::SQLITE_FCNTL_OVERWRITE] {
        assert_eq!(file.control(code, &raw mut size), sys::SQLITE_MISUSE);
    }
    assert_eq!(log.take(), [""; 0]);
}

#[test]
fn answers_go_back_through_the_argument() {
    let place = place(Probe::new(MemoryVfs::new()));
    place.vfs.on_control(|control| {
        match control {
            FileControl::PersistWal(value)
            | FileControl::PowersafeOverwrite(value)
            | FileControl::HasMoved(value)
            | FileControl::LockTimeout(value) => **value += 1,
            FileControl::MmapSize(value) => **value += 1,
            _ => return None,
        }
        Some(Ok(true))
    });
    let mut file = RawFile::open(place.name(), Some("x.db"), MAIN_DB).unwrap();
    let ints = [
        sys::SQLITE_FCNTL_PERSIST_WAL,
        sys::SQLITE_FCNTL_POWERSAFE_OVERWRITE,
        sys::SQLITE_FCNTL_HAS_MOVED,
        sys::SQLITE_FCNTL_LOCK_TIMEOUT,
    ];
    for code in ints {
        let mut value = 41_i32;
        assert_eq!(file.control(code, &raw mut value), OK);
        assert_eq!(value, 42);
    }
    let mut value = 1_i64 << 40;
    assert_eq!(file.control(sys::SQLITE_FCNTL_MMAP_SIZE, &raw mut value), OK);
    assert_eq!(value, (1 << 40) + 1);
}

#[test]
fn a_control_without_an_answer_is_not_found() {
    let (place, _log) = recording(Some(false));
    let mut file = RawFile::open(place.name(), Some("x.db"), MAIN_DB).unwrap();
    for code in [sys::SQLITE_FCNTL_COMMIT_PHASETWO, 31, 123_456] {
        assert_eq!(file.control(code, ptr::null_mut::<u8>()), NOTFOUND);
    }
    // Such an answer is no error.
    assert_eq!(place.registration().last_error(), None);
    let plain = memory();
    let mut file = RawFile::open(plain.name(), Some("x.db"), MAIN_DB).unwrap();
    assert_eq!(file.control(123_456, ptr::null_mut::<u8>()), NOTFOUND);
}

/// `sqlite3_file_control` on a connection's database.
fn control<T>(db: &Connection, code: c_int, argument: *mut T) -> c_int {
    // SAFETY: the argument is of the type that the code wants.
    unsafe { sys::sqlite3_file_control(db.handle().cast(), c"main".as_ptr(), code, argument.cast()) }
}

#[test]
fn the_name_of_the_vfs_is_the_one_it_is_registered_under() {
    let place = memory();
    let db = place.open("x.db");
    let mut name: *mut c_char = ptr::null_mut();
    assert_eq!(control(&db, sys::SQLITE_FCNTL_VFSNAME, &raw mut name), OK);
    // SAFETY: SQLite's own string, ours to free.
    unsafe {
        assert_eq!(CStr::from_ptr(name).to_str(), Ok(place.name()));
        sys::sqlite3_free(name.cast());
    }
}

/// The controls, of those that matter to a store, that some SQL brings about.
fn controls_of(place: &Place<Probe<MemoryVfs>>, log: &Log, sql: &str) -> Vec<String> {
    let db = place.open("x.db");
    log.take();
    run(&db, sql);
    log.take().into_iter().filter(|control| !control.starts_with("Other")).collect()
}

#[test]
fn a_commit_is_a_batch_a_sync_and_its_second_phase() {
    let (place, log) = recording(None);
    run(&place.open("x.db"), "CREATE TABLE t (x)");
    let seen = controls_of(&place, &log, "INSERT INTO t VALUES (1)");
    let expected =
        ["HasMoved(0)", "BeginAtomicWrite", "CommitAtomicWrite", "Sync { super_journal: None }", "CommitPhaseTwo"];
    let seen: Vec<&str> = seen.iter().map(String::as_str).filter(|seen| expected.contains(seen)).collect();
    assert_eq!(seen, expected);
}

#[test]
fn without_syncing_the_file_is_told_of_the_commit_all_the_same() {
    let (place, log) = recording(None);
    run(&place.open("x.db"), "CREATE TABLE t (x)");
    let seen = controls_of(&place, &log, "PRAGMA synchronous=off; INSERT INTO t VALUES (1)");
    for expected in ["Sync { super_journal: None }", "CommitPhaseTwo"] {
        assert!(seen.iter().any(|seen| seen == expected), "{seen:?}");
    }
}

#[test]
fn a_transaction_over_two_files_names_its_super_journal() {
    let (place, log) = recording(None);
    let db = place.open("a.db");
    run(&db, "ATTACH 'b.db' AS b; CREATE TABLE t (x); CREATE TABLE b.t (x)");
    log.take();
    run(&db, "BEGIN; INSERT INTO main.t VALUES (1); INSERT INTO b.t VALUES (1); COMMIT");
    let named = log.take().iter().filter(|seen| seen.starts_with("Sync { super_journal: Some(\"a.db-mj")).count();
    assert_eq!(named, 2, "each of the files");
}

#[test]
fn vacuum_announces_how_much_it_will_write() {
    let (place, log) = recording(None);
    fill(&place.open("x.db"), 1, 100, 1000);
    let size = place.vfs.inner.file_size("x.db").unwrap();
    let seen = controls_of(&place, &log, "VACUUM");
    assert!(seen.contains(&format!("Overwrite({size})")), "{seen:?}");
}

#[test]
fn a_checkpoint_says_when_it_begins_and_ends() {
    let (place, log) = recording(None);
    let db = place.open("x.db");
    set_mode(&db, "wal");
    fill(&db, 1, 10, 10);
    let seen = controls_of(&place, &log, "PRAGMA wal_checkpoint(TRUNCATE)");
    let [start, hint, done] = ["CheckpointStart", "SizeHint", "CheckpointDone"]
        .map(|name| seen.iter().position(|seen| seen.starts_with(name)).unwrap_or_else(|| panic!("{name}: {seen:?}")));
    assert!(start < hint && hint < done, "{seen:?}");
}

#[test]
fn a_batch_that_cannot_be_begun_becomes_a_journal() {
    let place = place(Probe::new(MemoryVfs::new()));
    let db = place.open("x.db");
    fill(&db, 1, 10, 10);
    place.vfs.on_control(|control| match control {
        FileControl::BeginAtomicWrite => Some(Err(ErrorCode::IoErrBeginAtomic.into())),
        _ => None,
    });
    run(&db, "INSERT INTO t VALUES (100, 1)");
    assert_eq!(rows(&place.open("x.db")), 11);
}

#[test]
fn a_batch_that_cannot_be_committed_is_undone_and_becomes_a_journal() {
    let place = place(Probe::new(MemoryVfs::new()));
    let db = place.open("x.db");
    fill(&db, 1, 10, 10);
    place.vfs.on_control(|control| match control {
        FileControl::CommitAtomicWrite => Some(Err(VfsError::new(ErrorCode::IoErrCommitAtomic, "not this time"))),
        _ => None,
    });
    run(&db, "INSERT INTO t VALUES (100, 1)");
    assert_eq!(rows(&place.open("x.db")), 11);
    assert_eq!(place.reason(), "not this time");
}

#[test]
fn a_store_that_promises_batches_but_does_not_know_them_is_refused() {
    let place = place(Probe::new(Shelf::new()));
    let db = place.open("x.db");
    fill(&db, 1, 10, 10);
    place.vfs.promise(DeviceCharacteristics::BATCH_ATOMIC);
    assert_eq!(failure(&db, "INSERT INTO t VALUES (100, 1)"), NOTFOUND);
    assert_eq!(rows(&place.open("x.db")), 10);
}

fn with_pragmas(answer: impl Fn(&str, Option<&str>) -> Result<Pragma, VfsError> + 'static) -> Place<Probe<MemoryVfs>> {
    let place = place(Probe::new(MemoryVfs::new()));
    place.vfs.on_pragma(answer);
    place
}

#[test]
fn a_pragma_reaches_the_file_with_its_value() {
    let log = Log::default();
    let seen = log.clone();
    let place = with_pragmas(move |name, value| {
        seen.borrow_mut().push(format!("{name} {value:?}"));
        Ok(Pragma::NotHandled)
    });
    let db = place.open("x.db");
    log.take();
    run(&db, "PRAGMA color; PRAGMA color='réd'; PRAGMA main.color(7); PRAGMA user_version=3");
    assert_eq!(log.take(), ["color None", "color Some(\"réd\")", "color Some(\"7\")", "user_version Some(\"3\")"]);
    assert_eq!(get::<i64>(&db, "PRAGMA user_version"), 3, "not handled: SQLite does it");
}

#[test]
fn a_handled_pragma_returns_its_text_or_no_row() {
    let place = with_pragmas(|name, _| match name {
        "color" => Ok(Pragma::Handled(Some("réd\0never".into()))),
        "user_version" => Ok(Pragma::Handled(None)),
        _ => Ok(Pragma::NotHandled),
    });
    let db = place.open("x.db");
    assert_eq!(get::<String>(&db, "PRAGMA color"), "réd");
    let no_row = db.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0));
    assert_eq!(no_row, Err(rusqlite::Error::QueryReturnedNoRows));
}

#[test]
fn a_refused_pragma_fails_with_the_message() {
    let place = with_pragmas(|name, value| match (name, value) {
        ("journal_mode", Some("wal")) => {
            Err(VfsError::new(ErrorCode::Error, "this store can't have a WAL; use truncate"))
        }
        ("color", _) => Err(ErrorCode::Perm.into()),
        _ => Ok(Pragma::NotHandled),
    });
    let db = place.open("x.db");
    let error = db.execute_batch("PRAGMA journal_mode=wal").unwrap_err();
    assert_eq!((code(&error), error.to_string()), (1, "this store can't have a WAL; use truncate".into()));
    assert_eq!(place.reason(), "this store can't have a WAL; use truncate");
    assert_eq!(get::<String>(&db, "PRAGMA journal_mode"), "delete");
    assert_eq!(failure(&db, "PRAGMA color"), sys::SQLITE_PERM);
    set_mode(&db, "truncate");
}

#[test]
fn a_pragma_of_a_file_without_a_hook_goes_to_sqlite() {
    let place = memory();
    let mut file = RawFile::open(place.name(), Some("x.db"), MAIN_DB).unwrap();
    let name = CString::new("color").unwrap();
    let mut words: [*mut c_char; 4] = [ptr::null_mut(), name.as_ptr().cast_mut(), ptr::null_mut(), ptr::null_mut()];
    assert_eq!(file.control(sys::SQLITE_FCNTL_PRAGMA, words.as_mut_ptr().cast::<c_void>()), NOTFOUND);
    assert!(words[0].is_null());
}
