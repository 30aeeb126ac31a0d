//! A layer that makes a VFS fail as it is told.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use sqlite_vfs_kit::layers::{Action, Fault, FaultFile, Operation, Rule, Then, When};
use sqlite_vfs_kit::stores::MemoryVfs;
use sqlite_vfs_kit::sys;
use sqlite_vfs_kit::vfs::{
    Access, DeviceCharacteristics, ErrorCode, FileKind, Files, LockLevel, OpenOptions, Result, SyncOptions, Vfs,
    VfsError, VfsFile, VfsPath,
};

use crate::support::probe::{Method, Probe};
use crate::support::shelf::Shelf;
use crate::support::{SAFE_MODES, assert_whole, contents, failure, fill, place, run, set_mode, spill_early, test};

const CREATE: i32 = sys::SQLITE_OPEN_CREATE | sys::SQLITE_OPEN_READWRITE;

fn fault() -> Fault<MemoryVfs> {
    Fault::new(MemoryVfs::new())
}

fn open<V: Vfs>(vfs: &Fault<V>, name: &str, kind: FileKind) -> FaultFile<V> {
    vfs.open(Some(&VfsPath::new(name)), OpenOptions::new(kind, CREATE)).unwrap().file
}

fn fail(code: ErrorCode) -> Action {
    Action::Fail(code.into())
}

fn code<T>(result: Result<T>) -> Option<ErrorCode> {
    result.err().map(|error| error.code())
}

/// Which of ten writes fail.
fn failing(rule: Rule) -> Vec<u64> {
    let vfs = fault();
    let mut file = open(&vfs, "x", FileKind::MainDb);
    file.write_at(b"not counted yet", 0).unwrap();
    vfs.add(rule);
    let failed = (1..=10).filter(|_| file.write_at(b"x", 0).is_err()).collect();
    assert_eq!(vfs.count(Operation::Write), 11);
    failed
}

#[test]
fn once_from_some_time_on_and_every_so_often() {
    let rule = |when| Rule::new(Operation::Write, when, fail(ErrorCode::IoErrWrite));
    assert_eq!(failing(rule(When::Nth(3))), [3]);
    assert_eq!(failing(rule(When::From(8))), [8, 9, 10]);
    assert_eq!(failing(rule(When::Every(4))), [4, 8]);
    assert_eq!(failing(rule(When::Nth(0))), [0_u64; 0]);
    assert_eq!(failing(rule(When::Every(0))), [0_u64; 0]);
    assert_eq!(failing(Rule::new(Operation::Read, When::From(1), fail(ErrorCode::IoErrRead))), [0_u64; 0]);
}

#[test]
fn for_files_of_a_kind_or_a_name_only() {
    let vfs = fault();
    vfs.add(Rule::new(Operation::Sync, When::Nth(2), fail(ErrorCode::IoErrFsync)).kind(FileKind::Wal));
    vfs.add(Rule::new(Operation::Sync, When::Nth(2), fail(ErrorCode::IoErr)).file("b"));
    let sync = |name, kind| code(open(&vfs, name, kind).sync(SyncOptions::from_flags(sys::SQLITE_SYNC_NORMAL)));
    assert_eq!(sync("a", FileKind::MainDb), None);
    assert_eq!(sync("a-wal", FileKind::Wal), None);
    assert_eq!(sync("a", FileKind::MainDb), None);
    assert_eq!(sync("a-wal", FileKind::Wal), Some(ErrorCode::IoErrFsync));
    assert_eq!(sync("b", FileKind::MainDb), None);
    assert_eq!(sync("b", FileKind::MainDb), Some(ErrorCode::IoErr));
}

#[test]
fn the_kind_of_a_file_that_is_deleted_is_known() {
    let vfs = fault();
    open(&vfs, "a-wal", FileKind::Wal);
    open(&vfs, "odd", FileKind::MainJournal);
    vfs.add(Rule::new(Operation::Delete, When::Every(1), fail(ErrorCode::IoErrDelete)).kind(FileKind::MainJournal));
    vfs.add(Rule::new(Operation::Access, When::Every(1), fail(ErrorCode::IoErrAccess)).kind(FileKind::Wal));
    let delete = |name| code(vfs.delete(&VfsPath::new(name), false));
    assert_eq!(delete("odd"), Some(ErrorCode::IoErrDelete));
    assert_eq!(delete("never-opened-journal"), Some(ErrorCode::IoErrDelete));
    assert_eq!(delete("never opened"), Some(ErrorCode::IoErrDeleteNoEnt));
    assert_eq!(delete("a-wal"), None);
    assert_eq!(code(vfs.access(&VfsPath::new("a-wal"), Access::Exists)), Some(ErrorCode::IoErrAccess));
}

#[test]
fn every_operation_can_fail_and_is_counted() {
    let failures = |operation| {
        let vfs = fault();
        let mut file = open(&vfs, "x", FileKind::MainDb);
        vfs.reset_counts();
        let why = VfsError::new(ErrorCode::IoErr, "as told");
        vfs.add(Rule::new(operation, When::Every(1), Action::Fail(why.clone())));
        let mut results = vec![
            vfs.open(Some(&VfsPath::new("y")), OpenOptions::new(FileKind::MainDb, CREATE)).map(drop),
            vfs.delete(&VfsPath::new("x"), false),
            vfs.access(&VfsPath::new("x"), Access::Exists).map(drop),
            file.read_at(&mut [0], 0).map(drop),
            file.write_at(&[0], 0),
            file.set_len(7),
            file.sync(SyncOptions::from_flags(0)),
            file.len().map(drop),
            file.lock(LockLevel::Shared),
            file.unlock(LockLevel::None),
            file.pragma("journal_mode", None).map(drop),
            file.file_control(sqlite_vfs_kit::vfs::FileControl::CommitPhaseTwo).map(drop),
            file.shm_map(0, 32768, true).map(drop),
            file.shm_unmap(false),
        ];
        results.push(file.close());
        let failed = results.iter().filter(|result| result.as_ref() == Err(&why)).count() as u64;
        assert_eq!(failed, vfs.count(operation), "{}", operation.name());
        assert_eq!(results.iter().filter(|result| result.is_err()).count() as u64, failed, "{}", operation.name());
        failed
    };
    let counts: Vec<_> = Operation::ALL.iter().map(|&operation| failures(operation)).collect();
    assert_eq!(counts, [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2]);
}

#[test]
fn what_failed_was_not_done() {
    let vfs = fault();
    let mut file = open(&vfs, "x", FileKind::MainDb);
    file.write_at(b"before", 0).unwrap();
    for operation in [Operation::Write, Operation::Truncate, Operation::Delete, Operation::Lock] {
        vfs.add(Rule::new(operation, When::Every(1), fail(ErrorCode::IoErr)));
    }
    assert!(file.write_at(b"AFTER", 0).is_err());
    assert!(file.set_len(0).is_err());
    assert!(file.lock(LockLevel::Shared).is_err());
    assert!(vfs.delete(&VfsPath::new("x"), false).is_err());
    assert_eq!(vfs.read("x").unwrap(), b"before");
    vfs.clear();
    file.write_at(b"AFTER", 0).unwrap();
    assert_eq!(vfs.read("x").unwrap(), b"AFTERe");
}

#[test]
fn a_read_can_be_short() {
    let vfs = fault();
    let mut file = open(&vfs, "x", FileKind::MainDb);
    file.write_at(b"abcdef", 0).unwrap();
    let error = ErrorCode::IoErr.into();
    vfs.add(Rule::new(Operation::Read, When::Nth(1), Action::Shorten { bytes: 2, error }));
    let mut buffer = [0; 6];
    assert_eq!(file.read_at(&mut buffer, 1).unwrap(), 2);
    assert_eq!(&buffer, b"bc\0\0\0\0");
    assert_eq!(file.read_at(&mut buffer, 0).unwrap(), 6);
}

#[test]
fn a_write_can_be_short() {
    for (bytes, expected) in [(0, "abcdef"), (2, "aXXdef"), (9, "aXXXXf")] {
        let vfs = fault();
        let mut file = open(&vfs, "x", FileKind::MainDb);
        file.write_at(b"abcdef", 0).unwrap();
        let error = ErrorCode::Full.into();
        vfs.add(Rule::new(Operation::Write, When::Nth(1), Action::Shorten { bytes, error }));
        assert_eq!(code(file.write_at(b"XXXX", 1)), Some(ErrorCode::Full));
        assert_eq!(String::from_utf8(vfs.read("x").unwrap()).unwrap(), expected);
    }
}

#[test]
fn a_write_is_torn_at_a_sector() {
    // From the middle of a sector: the first counts though it is touched in part.
    for (sectors, written) in [(0, 0), (1, 412), (2, 924), (3, 1436), (4, 1500), (99, 1500)] {
        let vfs = fault().with_sector_size(512);
        let mut file = open(&vfs, "x", FileKind::MainDb);
        let then = Then::Fail(ErrorCode::IoErrWrite.into());
        vfs.add(Rule::new(Operation::Write, When::Nth(1), Action::Tear { sectors, then }));
        assert_eq!(code(file.write_at(&[7; 1500], 100)), Some(ErrorCode::IoErrWrite));
        let mut expected = vec![0; if written > 0 { 100 } else { 0 }];
        expected.resize(expected.len() + written, 7);
        assert_eq!(vfs.read("x").unwrap(), expected, "{sectors}");
        file.write_at(&[7; 1500], 100).unwrap();
    }
}

#[test]
fn after_a_power_loss_nothing_works_but_letting_go() {
    for action in [Action::Crash, Action::Tear { sectors: 1, then: Then::Crash }] {
        let torn = matches!(action, Action::Tear { .. });
        let vfs = fault();
        let [mut a, mut b] = [open(&vfs, "x", FileKind::MainDb), open(&vfs, "x", FileKind::MainDb)];
        a.lock(LockLevel::Shared).unwrap();
        a.lock(LockLevel::Reserved).unwrap();
        vfs.record();
        vfs.add(Rule::new(Operation::Write, When::Nth(2), action));
        a.write_at(b"one", 0).unwrap();
        assert!(!vfs.is_crashed());
        assert!(a.write_at(&[1; 5000], 0).is_err());
        assert!(vfs.is_crashed());
        assert_eq!(vfs.read("x").unwrap().len(), if torn { 4096 } else { 3 });
        let recorded = vfs.recorded();
        assert!(a.write_at(b"two", 0).is_err());
        assert!(a.read_at(&mut [0], 0).is_err());
        assert!(b.sync(SyncOptions::from_flags(0)).is_err());
        assert!(b.lock(LockLevel::Shared).is_err());
        assert!(vfs.delete(&VfsPath::new("x"), true).is_err());
        assert!(vfs.open(Some(&VfsPath::new("x")), OpenOptions::new(FileKind::MainDb, CREATE)).is_err());
        assert_eq!(vfs.recorded(), recorded);
        a.unlock(LockLevel::None).unwrap();
        a.close().unwrap();
        vfs.restore_power();
        b.lock(LockLevel::Shared).unwrap();
        b.lock(LockLevel::Reserved).unwrap();
    }
}

#[test]
fn an_operation_can_be_late() {
    let inner = Probe::new(MemoryVfs::new());
    let vfs = Fault::new(inner.clone());
    let mut file = open(&vfs, "x", FileKind::MainDb);
    let order = Rc::new(RefCell::new(Vec::new()));
    let seen = order.clone();
    inner.on_call(move |call| {
        seen.borrow_mut().push(call.method);
        Ok(())
    });
    let called = order.clone();
    vfs.add(Rule::new(Operation::Write, When::Nth(1), Action::Delay(Duration::from_millis(5))));
    vfs.add(Rule::new(Operation::Write, When::Nth(2), Action::Call(Rc::new(move || called.borrow_mut().clear()))));
    file.write_at(b"x", 0).unwrap();
    assert_eq!(*order.borrow(), [Method::Sleep, Method::WriteAt]);
    file.write_at(b"x", 0).unwrap();
    assert_eq!(*order.borrow(), [Method::WriteAt]);
}

#[test]
fn of_several_rules_the_first_decides() {
    let vfs = fault();
    let called = Rc::new(RefCell::new(0));
    let count = called.clone();
    vfs.add(Rule::new(Operation::Write, When::Every(2), fail(ErrorCode::Full)));
    vfs.add(Rule::new(Operation::Write, When::Every(1), fail(ErrorCode::IoErrWrite)));
    vfs.add(Rule::new(Operation::Write, When::Every(1), Action::Call(Rc::new(move || *count.borrow_mut() += 1))));
    let mut file = open(&vfs, "x", FileKind::MainDb);
    let codes = [1, 2, 3].map(|_| code(file.write_at(b"x", 0)));
    assert_eq!(codes, [ErrorCode::IoErrWrite, ErrorCode::Full, ErrorCode::IoErrWrite].map(Some));
    assert_eq!(*called.borrow(), 3);
}

#[test]
fn promises_can_be_other_than_those_of_the_store() {
    let vfs = fault().with_characteristics(DeviceCharacteristics::SAFE_APPEND).with_sector_size(512);
    let file = open(&vfs, "x", FileKind::MainDb);
    assert_eq!(file.device_characteristics(), DeviceCharacteristics::SAFE_APPEND);
    assert_eq!(file.sector_size(), 512);
    let vfs = fault();
    let (file, inside) = (open(&vfs, "x", FileKind::MainDb), vfs.inner());
    let options = OpenOptions::new(FileKind::MainDb, CREATE);
    let inside = inside.open(Some(&VfsPath::new("y")), options).unwrap().file;
    assert_eq!(file.device_characteristics(), inside.device_characteristics());
    assert_eq!(file.sector_size(), inside.sector_size());
}

/// Fails each operation of a transaction in turn: it fails and changes nothing, or succeeds. If what comes last fails, after the
/// journal was made void, it fails and is done.
#[test]
fn a_database_survives_the_failure_of_any_operation() {
    let workload = "BEGIN; UPDATE t SET v = zeroblob(900); DELETE FROM t WHERE k < 5;
                    INSERT INTO t SELECT k + 100, v FROM t; COMMIT";
    let operations = [
        (Operation::Open, ErrorCode::CantOpen),
        (Operation::Read, ErrorCode::IoErrRead),
        (Operation::Write, ErrorCode::Full),
        (Operation::Write, ErrorCode::IoErrWrite),
        (Operation::Truncate, ErrorCode::IoErrTruncate),
        (Operation::Sync, ErrorCode::IoErrFsync),
        (Operation::Size, ErrorCode::IoErrFstat),
        (Operation::Lock, ErrorCode::Busy),
        (Operation::Delete, ErrorCode::IoErrDelete),
        (Operation::Access, ErrorCode::IoErrAccess),
    ];
    let start = |mode| {
        let place = place(fault().with_characteristics(DeviceCharacteristics::NONE));
        let db = place.open("x.db");
        run(&db, "PRAGMA page_size=1024; PRAGMA auto_vacuum=full");
        set_mode(&db, mode);
        fill(&db, 1, 12, 600);
        spill_early(&db);
        place.vfs.reset_counts();
        (place, db)
    };
    for mode in SAFE_MODES {
        let (place, db) = start(mode);
        let before = contents(&db);
        place.vfs.reset_counts();
        run(&db, workload);
        let counts = operations.map(|(operation, _)| place.vfs.count(operation));
        let after = contents(&db);
        for ((operation, code), count) in operations.into_iter().zip(counts) {
            for n in 1..=count {
                let context = format!("{mode}: {} {n} of {count} answers {code}", operation.name());
                let (place, db) = start(mode);
                place.vfs.add(Rule::new(operation, When::Nth(n), Action::Fail(code.into())));
                let failed = failure(&db, workload) != sys::SQLITE_OK;
                place.vfs.clear();
                if !db.is_autocommit() {
                    run(&db, "ROLLBACK");
                }
                let found = contents(&db);
                let done = found == after;
                assert!(done || found == before, "{context}: half of it is there");
                assert!(done != failed || (done && n == count), "{context}, failed: {failed}, done: {done}");
                assert_whole(&db);
                drop(db);
                assert_eq!(contents(&place.open("x.db")), found, "{context}");
            }
        }
    }
}

#[test]
fn it_goes_around_a_store_without_extras() {
    let place = place(Fault::new(Shelf::new()));
    let db = place.open("x.db");
    fill(&db, 1, 10, 100);
    place.vfs.add(Rule::new(Operation::Sync, When::Nth(1), fail(ErrorCode::IoErrFsync)));
    assert_eq!(failure(&db, "DELETE FROM t"), sys::SQLITE_IOERR_FSYNC);
    assert_whole(&db);
    assert_eq!(crate::support::rows(&db), 10);
}
