//! Who has to wait for whom.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use rusqlite::OpenFlags;
use sqlite_vfs_kit::stores::MemoryVfs;
use sqlite_vfs_kit::sys;

use crate::support::probe::{Method, Probe};
use crate::support::raw::{MAIN_DB, RawFile};
use crate::support::{FILE_MODES, SAFE_MODES, assert_whole, failure, get, memory, place, rows, run, set_mode, test};

const OK: i32 = sys::SQLITE_OK;
const BUSY: i32 = sys::SQLITE_BUSY;

#[test]
fn a_second_writer_is_busy_while_another_connection_is_in_begin_immediate() {
    for mode in SAFE_MODES {
        let place = memory();
        let [a, b] = [place.open("x.db"), place.open("x.db")];
        set_mode(&a, mode);
        run(&a, "CREATE TABLE t (v); BEGIN IMMEDIATE");
        assert_eq!(failure(&b, "INSERT INTO t VALUES (1)"), BUSY, "{mode}");
        assert_eq!(failure(&b, "BEGIN IMMEDIATE"), BUSY, "{mode}");
        run(&a, "INSERT INTO t VALUES (2); COMMIT");
        run(&b, "INSERT INTO t VALUES (3)");
        assert_eq!(get::<String>(&a, "SELECT group_concat(v) FROM t"), "2,3", "{mode}");
    }
}

#[test]
fn the_busy_timeout_is_waited_for() {
    for mode in SAFE_MODES {
        let place = place(Probe::new(MemoryVfs::new()));
        let (a, b) = (Rc::new(place.open("x.db")), place.open("x.db"));
        set_mode(&a, mode);
        run(&a, "CREATE TABLE t (v); BEGIN IMMEDIATE; INSERT INTO t VALUES (1)");
        b.busy_timeout(Duration::from_secs(3600)).unwrap();

        // Meanwhile, the other connection commits.
        let slept = Rc::new(Cell::new(0));
        let (seen, writer) = (slept.clone(), a.clone());
        place.vfs.on_call(move |call| {
            if call.method == Method::Sleep {
                seen.set(seen.get() + 1);
                if seen.get() == 3 {
                    run(&writer, "COMMIT");
                }
            }
            Ok(())
        });
        run(&b, "INSERT INTO t VALUES (2)");
        assert_eq!(slept.get(), 3, "{mode}");
        assert_eq!(get::<String>(&a, "SELECT group_concat(v) FROM t"), "1,2", "{mode}");
        place.vfs.clear();
    }
}

#[test]
fn a_commit_waits_for_readers_as_long_as_the_busy_timeout_says() {
    for mode in FILE_MODES {
        let place = place(Probe::new(MemoryVfs::new()));
        let (writer, reader) = (place.open("x.db"), Rc::new(place.open("x.db")));
        set_mode(&writer, mode);
        run(&writer, "CREATE TABLE t (v)");
        run(&reader, "BEGIN");
        assert_eq!(rows(&reader), 0);
        writer.busy_timeout(Duration::from_secs(3600)).unwrap();
        let (slept, db) = (Rc::new(Cell::new(0)), reader.clone());
        let seen = slept.clone();
        place.vfs.on_call(move |call| {
            if call.method == Method::Sleep {
                seen.set(seen.get() + 1);
                if seen.get() == 2 {
                    run(&db, "COMMIT");
                }
            }
            Ok(())
        });
        run(&writer, "INSERT INTO t VALUES (1)");
        place.vfs.clear();
        assert_eq!((slept.get(), rows(&reader)), (2, 1), "{mode}");
    }
}

#[test]
fn a_busy_timeout_ends() {
    let place = place(Probe::new(MemoryVfs::new()));
    let [a, b] = [place.open("x.db"), place.open("x.db")];
    run(&a, "CREATE TABLE t (v); BEGIN IMMEDIATE");
    b.busy_timeout(Duration::from_millis(50)).unwrap();
    let slept = Rc::new(Cell::new(false));
    let seen = slept.clone();
    place.vfs.on_call(move |call| {
        seen.set(seen.get() || call.method == Method::Sleep);
        Ok(())
    });
    assert_eq!(failure(&b, "INSERT INTO t VALUES (1)"), BUSY);
    assert!(slept.get());
    place.vfs.clear();
}

#[test]
fn a_busy_handler_is_asked_and_may_give_up() {
    let place = memory();
    let (a, mut b) = (place.open("x.db"), place.open("x.db"));
    run(&a, "CREATE TABLE t (v); BEGIN IMMEDIATE");
    let asked = Arc::new(AtomicU32::new(0));
    let seen = asked.clone();
    b.busy_handler(Some(move |_| seen.fetch_add(1, Ordering::Relaxed) < 4)).unwrap();
    assert_eq!(failure(&b, "INSERT INTO t VALUES (1)"), BUSY);
    assert_eq!(asked.load(Ordering::Relaxed), 5);
}

#[test]
fn readers_go_on_beside_a_writer_until_it_commits() {
    for mode in FILE_MODES {
        let place = memory();
        let [a, b, c] = [(); 3].map(|()| place.open("x.db"));
        set_mode(&a, mode);
        run(&a, "CREATE TABLE t (v); INSERT INTO t VALUES (1)");
        run(&a, "BEGIN IMMEDIATE; INSERT INTO t VALUES (2)");
        run(&b, "BEGIN");
        assert_eq!(rows(&b), 1, "{mode}");

        // The commit has to wait for that reader, and meanwhile no new one is let in.
        assert_eq!(failure(&a, "COMMIT"), BUSY, "{mode}");
        assert_eq!(failure(&c, "SELECT * FROM t"), BUSY, "{mode}");
        assert_eq!(rows(&b), 1, "{mode}");
        run(&b, "COMMIT");
        run(&a, "COMMIT");
        assert_eq!((rows(&b), rows(&c)), (2, 2), "{mode}");
    }
}

#[test]
fn nobody_reads_beside_an_exclusive_transaction() {
    let place = memory();
    let [a, b] = [place.open("x.db"), place.open("x.db")];
    run(&a, "CREATE TABLE t (v); BEGIN EXCLUSIVE");
    assert_eq!(failure(&b, "SELECT * FROM t"), BUSY);
    run(&a, "ROLLBACK");
    assert_eq!(rows(&b), 0);
}

#[test]
fn two_readers_that_both_want_to_write_do_not_wait_for_each_other() {
    for mode in SAFE_MODES {
        let place = memory();
        let [a, b] = [place.open("x.db"), place.open("x.db")];
        set_mode(&a, mode);
        run(&a, "CREATE TABLE t (v)");
        for db in [&a, &b] {
            run(db, "BEGIN");
            rows(db);
        }
        run(&a, "INSERT INTO t VALUES (1)");
        assert_eq!(failure(&b, "INSERT INTO t VALUES (2)"), BUSY, "{mode}");
        run(&b, "ROLLBACK");
        run(&a, "COMMIT");
        assert_eq!(rows(&b), 1, "{mode}");
    }
}

#[test]
fn closing_a_connection_ends_its_transaction_and_gives_its_locks_back() {
    for mode in SAFE_MODES {
        let place = memory();
        let [a, b] = [place.open("x.db"), place.open("x.db")];
        set_mode(&a, mode);
        run(&a, "CREATE TABLE t (v); BEGIN IMMEDIATE; INSERT INTO t VALUES (1)");
        drop(a);
        assert_eq!(rows(&b), 0, "{mode}");
        run(&b, "INSERT INTO t VALUES (2)");
        assert_whole(&b);
    }
}

#[test]
fn an_open_that_fails_gives_its_locks_back() {
    let place = memory();
    let db = place.open("x.db");
    run(&db, "CREATE TABLE t (v); BEGIN EXCLUSIVE");
    let other = place.open("x.db");
    assert_eq!(failure(&other, "PRAGMA journal_mode=wal"), BUSY);
    assert_eq!(failure(&other, "SELECT * FROM t"), BUSY);
    drop(other);
    run(&db, "COMMIT; BEGIN EXCLUSIVE; COMMIT");
}

#[test]
fn exclusive_locking_mode_keeps_others_out_until_it_is_left() {
    for mode in FILE_MODES {
        let place = memory();
        let [a, b] = [place.open("x.db"), place.open("x.db")];
        set_mode(&a, mode);
        run(&a, "PRAGMA locking_mode=exclusive; CREATE TABLE t (v)");
        assert_eq!(failure(&b, "SELECT * FROM t"), BUSY, "{mode}");
        run(&a, "PRAGMA locking_mode=normal; SELECT * FROM t");
        run(&b, "INSERT INTO t VALUES (1)");
    }
}

#[test]
fn a_connection_that_only_reads_never_writes_the_file() {
    let place = memory();
    run(&place.open("x.db"), "CREATE TABLE t (v)");
    let reader = place.try_open("x.db", OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    run(&reader, "BEGIN");
    rows(&reader);
    assert_eq!(failure(&place.open("x.db"), "INSERT INTO t VALUES (1)"), BUSY, "but it has to be waited for");
    run(&reader, "COMMIT");
    run(&place.open("x.db"), "INSERT INTO t VALUES (1)");
}

#[test]
fn connections_to_other_files_are_never_in_the_way() {
    let place = memory();
    let [a, b] = [place.open("a.db"), place.open("b.db")];
    run(&a, "CREATE TABLE t (v); BEGIN EXCLUSIVE");
    run(&b, "CREATE TABLE t (v); BEGIN EXCLUSIVE");
    // The same name on another store is another file.
    let other = memory();
    run(&other.open("a.db"), "CREATE TABLE t (v); BEGIN EXCLUSIVE");
}

/// The table of <https://sqlite.org/lockingv3.html>: with one connection at `held`, may another one have `wanted`?
#[test]
fn the_lock_levels_exclude_each_other_as_documented() {
    const NONE: i32 = 0;
    let place = memory();
    let open = || RawFile::open(place.name(), Some("x.db"), MAIN_DB).unwrap();
    let [shared, reserved, exclusive] = [1, 2, 4];
    for (held, wanted, expected) in [
        (NONE, exclusive, OK),
        (shared, shared, OK),
        (shared, reserved, OK),
        (shared, exclusive, BUSY),
        (reserved, shared, OK),
        (reserved, reserved, BUSY),
        (reserved, exclusive, BUSY),
        (exclusive, shared, BUSY),
    ] {
        let (mut a, mut b) = (open(), open());
        let climb = |file: &mut RawFile, to: i32| {
            [shared, reserved, exclusive].into_iter().filter(|&level| level <= to).map(|level| file.lock(level)).max()
        };
        assert_eq!(climb(&mut a, held).unwrap_or(OK), OK);
        assert_eq!(climb(&mut b, wanted), Some(expected), "{held} held, {wanted} wanted");
        let somebody_writes = held >= reserved || wanted >= reserved;
        assert_eq!((a.is_reserved(), b.is_reserved()), (Ok(somebody_writes), Ok(somebody_writes)));
        // Whatever happened, all is free again when both let go.
        for file in [&mut a, &mut b] {
            assert_eq!(file.unlock(NONE), OK);
        }
        assert_eq!(climb(&mut b, exclusive), Some(OK));
    }
    assert_eq!(open().lock(9), sys::SQLITE_MISUSE);
}
