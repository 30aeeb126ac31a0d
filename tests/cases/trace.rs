//! A layer that counts, times and logs.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use sqlite_vfs_kit::layers::{Action, Counter, Fault, LogEntry, OTHERS, Operation, Rule, Trace, UNNAMED, When};
use sqlite_vfs_kit::stores::MemoryVfs;
use sqlite_vfs_kit::sys;
use sqlite_vfs_kit::vfs::{ErrorCode, FileKind, OpenOptions, Opened, Vfs, VfsFile, VfsPath};

use crate::support::probe::{Method, Probe};
use crate::support::shelf::Shelf;
use crate::support::{fill, place, run, set_mode, test};

thread_local! {
    static TIME: Cell<f64> = const { Cell::new(0.0) };
}

/// A clock that goes on by a millisecond whenever somebody looks.
fn clock() -> f64 {
    TIME.with(|time| time.replace(time.get() + 1.0))
}

fn open<V: Vfs>(vfs: &V, name: &str) -> V::File {
    let options = OpenOptions::new(FileKind::MainDb, sys::SQLITE_OPEN_CREATE | sys::SQLITE_OPEN_READWRITE);
    vfs.open(Some(&VfsPath::new(name)), options).unwrap().file
}

/// Calls that were not timed.
fn calls(calls: u64, bytes: u64) -> Counter {
    Counter { calls, bytes, ..Counter::default() }
}

#[test]
fn each_file_is_counted_by_itself() {
    let place = place(Trace::new(Probe::new(Shelf::new())));
    place.vfs.set_sampling(0);
    let seen: Rc<RefCell<BTreeMap<(String, usize), u64>>> = Rc::default();
    let methods = [
        (Method::Open, Operation::Open),
        (Method::Close, Operation::Close),
        (Method::ReadAt, Operation::Read),
        (Method::WriteAt, Operation::Write),
        (Method::SetLen, Operation::Truncate),
        (Method::Sync, Operation::Sync),
        (Method::Len, Operation::Size),
        (Method::Delete, Operation::Delete),
        (Method::Access, Operation::Access),
    ];
    let hook = seen.clone();
    place.vfs.inner().on_call(move |call| {
        if let Some((_, operation)) = methods.iter().find(|(method, _)| *method == call.method) {
            *hook.borrow_mut().entry((call.file.to_string(), *operation as usize)).or_default() += 1;
        }
        Ok(())
    });
    for (name, mode) in [("a.db", "delete"), ("b.db", "truncate")] {
        let db = place.open(name);
        set_mode(&db, mode);
        fill(&db, 1, 30, 500);
        run(&db, "DELETE FROM t; VACUUM");
    }
    let traced: Vec<String> = place.vfs.files().iter().map(ToString::to_string).collect();
    assert_eq!(traced, ["a.db", "a.db-journal", "a.db-wal", "b.db", "b.db-journal", "b.db-wal"]);
    for (_, operation) in methods {
        let mut total = 0;
        for name in &traced {
            let calls = place.vfs.file_counter(name, operation).calls;
            let expected = seen.borrow().get(&(name.clone(), operation as usize)).copied().unwrap_or(0);
            assert_eq!(calls, expected, "{} of {name}", operation.name());
            total += calls;
        }
        assert!(total > 0, "{}", operation.name());
        assert_eq!(place.vfs.counter(operation).calls, total);
    }
}

#[test]
fn bytes_are_those_asked_for() {
    let trace = Trace::new(MemoryVfs::new());
    trace.set_sampling(0);
    let mut file = open(&trace, "x");
    file.write_at(&[1; 100], 0).unwrap();
    file.write_at(&[1; 20], 100).unwrap();
    assert_eq!(file.read_at(&mut [0; 500], 0).unwrap(), 120);
    assert_eq!(trace.file_counter("x", Operation::Write), calls(2, 120));
    assert_eq!(trace.file_counter("x", Operation::Read), calls(1, 500));
    assert_eq!(trace.file_counter("y", Operation::Read), calls(0, 0));
}

#[test]
fn files_without_a_name_are_counted_together() {
    let trace = Trace::new(MemoryVfs::new());
    for _ in 0..3 {
        let options = OpenOptions::new(FileKind::TempDb, sys::SQLITE_OPEN_CREATE | sys::SQLITE_OPEN_READWRITE);
        let Opened { mut file, .. } = trace.open(None, options).unwrap();
        file.write_at(b"abc", 0).unwrap();
        file.close().unwrap();
    }
    assert_eq!(trace.file_counter(UNNAMED, Operation::Open).calls, 3);
    assert_eq!(trace.file_counter(UNNAMED, Operation::Write), calls(3, 9));
    assert_eq!(trace.file_counter(UNNAMED, Operation::Close).calls, 3);
    assert_eq!(trace.files(), [UNNAMED.into()]);
}

#[test]
fn beyond_a_thousand_files_are_counted_together() {
    let trace = Trace::new(MemoryVfs::new());
    for n in 0..1100 {
        open(&trace, &format!("{n}")).write_at(b"abc", 0).unwrap();
    }
    assert_eq!(trace.files().len(), 1001);
    assert_eq!(trace.file_counter("999", Operation::Write).calls, 1);
    assert_eq!(trace.file_counter("1000", Operation::Write).calls, 0);
    assert_eq!(trace.file_counter(OTHERS, Operation::Write).calls, 100);
    assert_eq!(trace.counter(Operation::Write).calls, 1100);
    // With nobody using them they are forgotten, and there is room for others.
    trace.reset();
    (1000..2000).for_each(|n| drop(open(&trace, &format!("{n}"))));
    assert_eq!(trace.files().len(), 1000);
    assert_eq!(trace.file_counter(OTHERS, Operation::Open).calls, 0);
}

#[test]
fn a_name_keeps_its_counters_when_its_file_is_another() {
    let trace = Trace::new(MemoryVfs::new());
    for _ in 0..2 {
        open(&trace, "x").write_at(b"abc", 0).unwrap();
        trace.delete(&VfsPath::new("x"), false).unwrap();
    }
    assert_eq!(trace.file_counter("x", Operation::Write).calls, 2);
    assert_eq!(trace.file_counter("x", Operation::Delete).calls, 2);
}

#[test]
fn a_reset_sets_all_to_zero_and_open_files_go_on() {
    let trace = Trace::new(MemoryVfs::new());
    let other_handle = trace.clone();
    let mut file = open(&trace, "x");
    open(&trace, "y").write_at(b"abc", 0).unwrap();
    file.write_at(b"abc", 0).unwrap();
    other_handle.reset();
    assert!(trace.files().is_empty());
    for &operation in Operation::ALL {
        assert_eq!(trace.counter(operation), Counter::default());
    }
    file.write_at(b"abc", 0).unwrap();
    open(&trace, "x").write_at(b"abc", 0).unwrap();
    assert_eq!(trace.file_counter("x", Operation::Write).calls, 2);
}

#[test]
fn every_so_many_calls_one_is_timed() {
    for (every, timed) in [(1, 768), (2, 384), (256, 3), (100, 7), (0, 0)] {
        let trace = Trace::new(MemoryVfs::new());
        trace.set_clock(clock);
        // 256 is what it is without being told.
        if every != 256 {
            trace.set_sampling(every);
        }
        let mut files = [open(&trace, "x"), open(&trace, "y")];
        for n in 0..768 {
            files[n % 2].read_at(&mut [0; 10], 0).unwrap();
        }
        let counter = trace.counter(Operation::Read);
        assert_eq!((counter.calls, counter.timed), (768, timed), "{every}");
        assert_eq!(counter.time, Duration::from_millis(timed), "{every}");
        assert_eq!(counter.mean(), (timed > 0).then_some(Duration::from_millis(1)), "{every}");
        assert_eq!(counter.estimated_time(), Duration::from_millis(if timed > 0 { 768 } else { 0 }), "{every}");
        // Others have their own turn.
        assert_eq!(trace.counter(Operation::Write).timed, 0);
    }
}

#[test]
fn a_clock_that_is_set_back_takes_nothing_away() {
    thread_local!(static TIMES: RefCell<Vec<f64>> = const { RefCell::new(Vec::new()) });
    // Looked at before and after each of two calls.
    TIMES.set(vec![7.0, 5.0, 1.0, 10.0]);
    let trace = Trace::new(MemoryVfs::new());
    let mut file = open(&trace, "x");
    trace.set_clock(|| TIMES.with_borrow_mut(Vec::pop).unwrap_or_default());
    trace.set_sampling(1);
    file.read_at(&mut [0; 10], 0).unwrap();
    file.read_at(&mut [0; 10], 0).unwrap();
    let counter = trace.counter(Operation::Read);
    assert_eq!((counter.timed, counter.time), (2, Duration::from_millis(2)));
}

#[test]
fn failures_are_counted() {
    // Those that are timed and those that are not.
    for sampling in [0, 1, 3] {
        let fault = Fault::new(MemoryVfs::new());
        let trace = Trace::new(fault.clone());
        trace.set_sampling(sampling);
        let broken = Action::Fail(ErrorCode::IoErrRead.into());
        fault.add(Rule::new(Operation::Read, When::Every(2), broken));
        let mut file = open(&trace, "x");
        let failed = (0..10).filter(|_| file.read_at(&mut [0; 10], 0).is_err()).count();
        assert_eq!(failed, 5);
        let counter = trace.file_counter("x", Operation::Read);
        assert_eq!((counter.calls, counter.errors), (10, 5), "{sampling}");
        let options = OpenOptions::new(FileKind::MainDb, sys::SQLITE_OPEN_READWRITE);
        assert!(trace.open(Some(&VfsPath::new("missing")), options).is_err());
        assert_eq!(trace.file_counter("missing", Operation::Open).errors, 1);
        assert_eq!(trace.file_counter("x", Operation::Open).errors, 0);
    }
}

#[test]
fn the_log_has_the_last_operations() {
    let trace = Trace::new(MemoryVfs::new());
    trace.set_clock(clock);
    let mut file = open(&trace, "x");
    file.write_at(b"abcdef", 0).unwrap();
    assert!(trace.log().is_empty(), "it is off at first");
    trace.set_log(4);
    file.write_at(b"abcdef", 10).unwrap();
    file.write_at(b"abc", 16).unwrap();
    file.set_len(7).unwrap();
    file.read_at(&mut [0; 5], 1).unwrap();
    assert!(trace.delete(&VfsPath::new("y"), false).is_err());
    let entry = |sequence, operation, file: &str, offset, length, code| LogEntry {
        sequence,
        operation,
        file: file.into(),
        offset,
        length,
        code,
        duration: Duration::from_millis(1),
    };
    let expected = [
        entry(2, Operation::Write, "x", 16, 3, 0),
        entry(3, Operation::Truncate, "x", 0, 7, 0),
        entry(4, Operation::Read, "x", 1, 5, 0),
        entry(5, Operation::Delete, "y", 0, 0, sys::SQLITE_IOERR_DELETE_NOENT),
    ];
    assert_eq!(trace.log(), expected);
    trace.set_log(2);
    assert_eq!(trace.log(), expected[2..]);
    trace.set_log(0);
    file.write_at(b"abc", 0).unwrap();
    assert!(trace.log().is_empty());
    // What follows is sampled as before.
    let timed = trace.counter(Operation::Write).timed;
    (0..255).for_each(|_| file.write_at(b"abc", 0).unwrap());
    assert_eq!(trace.counter(Operation::Write).timed, timed + 1);
}

#[test]
fn the_clock_of_the_host_does_when_there_is_no_other() {
    let place = place(Trace::new(MemoryVfs::new()));
    place.vfs.set_sampling(1);
    let db = place.open("x.db");
    fill(&db, 1, 100, 1000);
    let counter = place.vfs.counter(Operation::Write);
    assert_eq!(counter.timed, counter.calls);
    assert!(counter.time < Duration::from_secs(10), "{counter:?}");
}
