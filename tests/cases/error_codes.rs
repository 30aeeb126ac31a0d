//! Each error of each method reaches who asked, code and words.

use std::collections::HashSet;

use sqlite_vfs_kit::stores::MemoryVfs;
use sqlite_vfs_kit::sys;
use sqlite_vfs_kit::vfs::{ErrorCode, FileKind, VfsError};

use crate::support::probe::{Method, Probe};
use crate::support::raw::{self, MAIN_DB, RawFile};
use crate::support::shelf::Shelf;
use crate::support::{assert_whole, code, failure, fill, get, place, rows, run, set_mode, test};

/// Calls a method through SQLite's tables and answers with its code.
fn call(method: Method, vfs: &str, file: &mut RawFile) -> i32 {
    let mut byte = [0];
    let code = |result: Result<(), i32>| result.err().unwrap_or(sys::SQLITE_OK);
    match method {
        Method::Open => code(RawFile::open(vfs, Some("other"), MAIN_DB).map(drop)),
        Method::Delete => raw::delete(vfs, "other"),
        Method::Access => code(raw::access(raw::find(vfs), "other").map(drop)),
        Method::FullPathname => code(raw::full_pathname(vfs, "other", 100).map(drop)),
        Method::CurrentTime => {
            let vfs = raw::find(vfs);
            let mut now = 0;
            // SAFETY: it is registered, and there is a place for the answer.
            unsafe { (*vfs).xCurrentTimeInt64.unwrap()(vfs, &raw mut now) }
        }
        Method::Sleep => unreachable!("it cannot fail"),
        Method::Close => {
            let code = file.close();
            *file = RawFile::open(vfs, Some("x"), MAIN_DB).unwrap();
            code
        }
        Method::ReadAt => file.read(&mut byte, 0),
        Method::WriteAt => file.write(&byte, 0),
        Method::SetLen => file.truncate(0),
        Method::Sync => file.sync(2),
        Method::Len => code(file.size().map(drop)),
        Method::Lock => file.lock(1),
        Method::Unlock => file.unlock(0),
        Method::HasReservedLock => code(file.is_reserved().map(drop)),
        Method::FileControl => file.control(31, std::ptr::null_mut::<u8>()),
        Method::ShmMap => code(file.shm_map(0, 32768, true).map(drop)),
        Method::ShmLock => file.shm_lock(0, 1, sys::SQLITE_SHM_LOCK | sys::SQLITE_SHM_SHARED),
        Method::ShmUnmap => file.shm_unmap(false),
    }
}

const METHODS: [Method; 18] = [
    Method::Open,
    Method::Delete,
    Method::Access,
    Method::FullPathname,
    Method::CurrentTime,
    Method::Close,
    Method::ReadAt,
    Method::WriteAt,
    Method::SetLen,
    Method::Sync,
    Method::Len,
    Method::Lock,
    Method::Unlock,
    Method::HasReservedLock,
    Method::FileControl,
    Method::ShmMap,
    Method::ShmLock,
    Method::ShmUnmap,
];

#[test]
fn every_code_of_every_method_is_answered_as_it_is() {
    let place = place(Probe::new(MemoryVfs::new()));
    let mut file = RawFile::open(place.name(), Some("x"), MAIN_DB).unwrap();
    for method in METHODS {
        for &code in ErrorCode::ALL {
            let error = VfsError::new(code, format!("{code} of {method:?}"));
            place.vfs.fail(method, error.clone());
            assert_eq!(call(method, place.name(), &mut file), code.raw(), "{error}");
            assert_eq!(place.registration().last_error(), Some(error));
        }
        place.vfs.clear();
        // The file is none the worse for it.
        assert_eq!(file.write(b"fine", 0), sys::SQLITE_OK);
        assert_eq!(file.size(), Ok(4));
    }
}

#[test]
fn a_file_that_says_it_failed_to_close_is_closed() {
    let place = place(Probe::new(MemoryVfs::new()));
    place.vfs.fail(Method::Close, ErrorCode::IoErrClose.into());
    let db = place.open("x.db");
    run(&db, "CREATE TABLE t (x)");
    drop(db);
    assert_eq!(place.vfs.open_files(), 0);
    assert_eq!(place.registration().last_error(), Some(ErrorCode::IoErrClose.into()));
    place.vfs.clear();
    assert_eq!(get::<i64>(&place.open("x.db"), "SELECT count(*) FROM t"), 0);
}

/// A statement during which a method fails for files of a kind.
struct Failure {
    method: Method,
    kind: FileKind,
    mode: &'static str,
    sql: &'static str,
    code: ErrorCode,
}

const fn failing(method: Method, kind: FileKind, mode: &'static str, sql: &'static str, code: ErrorCode) -> Failure {
    Failure { method, kind, mode, sql, code }
}

const SELECT: &str = "SELECT sum(length(v)) FROM t";
const INSERT: &str = "INSERT INTO t VALUES (1000, randomblob(100))";

const FAILURES: &[Failure] = &[
    failing(Method::ReadAt, FileKind::MainDb, "delete", SELECT, ErrorCode::IoErrRead),
    failing(Method::ReadAt, FileKind::MainDb, "delete", SELECT, ErrorCode::NoMem),
    failing(Method::Len, FileKind::MainDb, "delete", SELECT, ErrorCode::IoErrFstat),
    failing(Method::Lock, FileKind::MainDb, "delete", SELECT, ErrorCode::Busy),
    failing(Method::Lock, FileKind::MainDb, "delete", SELECT, ErrorCode::IoErrLock),
    failing(Method::Lock, FileKind::MainDb, "delete", INSERT, ErrorCode::IoErrRdLock),
    failing(Method::WriteAt, FileKind::MainDb, "delete", INSERT, ErrorCode::Full),
    failing(Method::WriteAt, FileKind::MainDb, "delete", INSERT, ErrorCode::IoErrWrite),
    failing(Method::WriteAt, FileKind::MainJournal, "delete", INSERT, ErrorCode::IoErrWrite),
    failing(Method::WriteAt, FileKind::MainJournal, "delete", INSERT, ErrorCode::Full),
    failing(Method::Open, FileKind::MainJournal, "delete", INSERT, ErrorCode::CantOpen),
    failing(Method::Open, FileKind::MainJournal, "delete", INSERT, ErrorCode::CantOpenSymlink),
    failing(Method::Sync, FileKind::MainJournal, "delete", INSERT, ErrorCode::IoErrFsync),
    failing(Method::Sync, FileKind::MainDb, "delete", INSERT, ErrorCode::IoErrFsync),
    failing(Method::SetLen, FileKind::MainJournal, "truncate", INSERT, ErrorCode::IoErrTruncate),
    failing(Method::WriteAt, FileKind::MainJournal, "persist", INSERT, ErrorCode::IoErrWrite),
    failing(Method::Open, FileKind::Wal, "wal", SELECT, ErrorCode::CantOpen),
    failing(Method::WriteAt, FileKind::Wal, "wal", INSERT, ErrorCode::Full),
    failing(Method::WriteAt, FileKind::Wal, "wal", INSERT, ErrorCode::IoErrWrite),
    failing(Method::ReadAt, FileKind::Wal, "wal", SELECT, ErrorCode::IoErrRead),
    failing(Method::ShmMap, FileKind::MainDb, "wal", SELECT, ErrorCode::IoErrShmMap),
    failing(Method::ShmMap, FileKind::MainDb, "wal", SELECT, ErrorCode::NoMem),
    failing(Method::ShmLock, FileKind::MainDb, "wal", SELECT, ErrorCode::IoErrShmLock),
    failing(Method::Sync, FileKind::Wal, "wal", "PRAGMA wal_checkpoint(FULL)", ErrorCode::IoErrFsync),
    failing(Method::WriteAt, FileKind::MainDb, "wal", "PRAGMA wal_checkpoint(FULL)", ErrorCode::IoErrWrite),
    failing(Method::SetLen, FileKind::MainDb, "delete", "VACUUM", ErrorCode::IoErrTruncate),
];

#[test]
fn an_error_reaches_the_caller_of_sql_and_the_database_survives_it() {
    for &Failure { method, kind, mode, sql, code } in FAILURES {
        // A file without promises, so that journals are used; but WAL wants the store that has shared memory.
        if mode == "wal" {
            survives(place(Probe::new(MemoryVfs::new())), &Failure { method, kind, mode, sql, code });
        } else {
            survives(place(Probe::new(Shelf::new())), &Failure { method, kind, mode, sql, code });
        }
    }
}

fn survives<V: sqlite_vfs_kit::vfs::Vfs + Clone>(place: crate::support::Place<Probe<V>>, failure: &Failure) {
    let &Failure { method, kind, mode, sql, code: expected } = failure;
    let context = format!("{method:?} of a {kind:?} answers {expected}: {sql} in {mode}");
    let keeper = place.open("x.db");
    set_mode(&keeper, mode);
    fill(&keeper, 1, 100, 300);
    run(&keeper, "DELETE FROM t WHERE k > 50");

    // Another connection has nothing in its cache.
    let db = place.open("x.db");
    if mode != "wal" {
        set_mode(&db, mode);
    }
    let error = VfsError::new(expected, context.clone());
    place.vfs.on_call(move |call| {
        let hit = call.method == method && call.kind == Some(kind);
        if hit { Err(error.clone()) } else { Ok(()) }
    });
    let failed = db.execute_batch(sql).expect_err(&context);
    assert_eq!(code(&failed), expected.raw(), "{context}");
    assert_eq!(place.reason(), context);
    if !db.is_autocommit() {
        let _ = db.execute_batch("ROLLBACK");
    }

    place.vfs.clear();
    assert_eq!(rows(&db), 50, "{context}");
    run(&db, INSERT);
    assert_eq!(rows(&keeper), 51, "{context}");
    assert_whole(&keeper);
}

#[test]
fn a_name_that_cannot_be_asked_about_or_deleted_is_an_error_of_the_statement() {
    let place = place(Probe::new(Shelf::new()));
    let db = place.open("x.db");
    fill(&db, 1, 10, 10);
    place.vfs.fail(Method::Access, VfsError::new(ErrorCode::IoErrAccess, "gone"));
    assert_eq!(failure(&db, "SELECT * FROM t"), sys::SQLITE_IOERR_ACCESS);
    assert_eq!(place.reason(), "gone");
    // The deletion of the journal is the commit.
    place.vfs.fail(Method::Delete, VfsError::new(ErrorCode::IoErrDelete, "stuck"));
    assert_eq!(failure(&db, "INSERT INTO t VALUES (100, 1)"), sys::SQLITE_IOERR_DELETE);
    assert_eq!(place.reason(), "stuck");
    place.vfs.clear();
    assert_eq!(rows(&db), 10);
    run(&db, "INSERT INTO t VALUES (100, 1)");
    assert_whole(&place.open("x.db"));
}

#[test]
fn a_vfs_that_says_it_read_more_than_was_asked_is_caught() {
    let place = place(Probe::new(MemoryVfs::new()));
    let mut file = RawFile::open(place.name(), Some("x"), MAIN_DB).unwrap();
    file.write(&[7; 100], 0);
    place.vfs.claim(11);
    assert_eq!(file.read(&mut [0; 10], 0), sys::SQLITE_IOERR_READ);
    assert_eq!(place.reason(), "the VFS says it read more than was asked for");
    place.vfs.claim(usize::MAX);
    assert_eq!(file.read(&mut [0; 10], 0), sys::SQLITE_IOERR_READ);
    place.vfs.claim(10);
    assert_eq!(file.read(&mut [0; 10], 0), sys::SQLITE_OK);
}

#[test]
fn a_code_has_one_number_and_one_name() {
    let all = ErrorCode::ALL;
    for &code in all {
        assert_eq!(ErrorCode::from_raw(code.raw()), Some(code));
        assert!(code.name().starts_with("SQLITE_"));
    }
    assert_eq!(all.iter().map(|code| code.raw()).collect::<HashSet<_>>().len(), all.len());
    assert_eq!(all.iter().map(|code| code.name()).collect::<HashSet<_>>().len(), all.len());
    for not_an_error in [sys::SQLITE_OK, sys::SQLITE_ROW, sys::SQLITE_DONE] {
        assert_eq!(ErrorCode::from_raw(not_an_error), None);
    }
}

#[test]
fn an_error_shows_its_code_and_its_words() {
    assert_eq!(VfsError::new(ErrorCode::Full, "no room").to_string(), "SQLITE_FULL: no room");
    assert_eq!(VfsError::from(ErrorCode::IoErrRead).to_string(), "SQLITE_IOERR_READ");
    assert_eq!(VfsError::busy().code(), ErrorCode::Busy);
}
