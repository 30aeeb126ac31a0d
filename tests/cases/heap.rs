//! What is opened, committed and closed leaves nothing behind in the heap.
//!
//! Natively SQLite counts its memory for the whole process, so there these cases have one to themselves, and take turns.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::{Connection, OpenFlags};

use crate::support::{SAFE_MODES, alloc, full, memory, place, rows, run, set_mode, shelf::Shelf, test};

fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Bytes in use, by SQLite and by us.
fn heap() -> i64 {
    // SAFETY: asks for a number. On wasm it is zero: SQLite's memory comes from Rust's allocator, and is counted there.
    alloc::bytes() + unsafe { sqlite_vfs_kit::sys::sqlite3_memory_used() }
}

/// 64 KiB pages that wasm's memory has; it never shrinks.
fn pages() -> usize {
    #[cfg(target_family = "wasm")]
    return core::arch::wasm32::memory_size(0);
    #[cfg(not(target_family = "wasm"))]
    return 0;
}

fn change(db: &Connection, times: i64) {
    let mut update = db.prepare("UPDATE t SET v = v + 1 WHERE k = ?1").unwrap();
    for k in 0..times {
        assert_eq!(update.execute([k % 100]), Ok(1));
    }
}

#[test]
fn autocommitted_transactions_leave_the_heap_where_it_was() {
    let _turn = alone();
    // In a browser, where tests are not optimised, the small number has to do.
    let times = if full() && cfg!(not(target_family = "wasm")) { 200_000 } else { 5000 };
    for mode in SAFE_MODES {
        let place = memory();
        let db = place.open("x.db");
        set_mode(&db, mode);
        run(&db, "CREATE TABLE t (k INTEGER PRIMARY KEY, v INTEGER)");
        run(
            &db,
            "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99) INSERT INTO t SELECT i, 0 FROM n",
        );
        // A log has its full length after a thousand pages, so that many commits come first.
        change(&db, 2000);
        let before = (heap(), pages(), place.vfs.allocated_bytes());
        change(&db, times - 2000);
        let after = (heap(), pages(), place.vfs.allocated_bytes());
        // Caches may hold a page more or less; a leak would be one per commit.
        assert!((after.0 - before.0).abs() < times, "{mode}: from {before:?} to {after:?}");
        assert_eq!((after.1, after.2), (before.1, before.2), "{mode}");
    }
}

#[test]
fn opening_and_closing_leaves_nothing() {
    let _turn = alone();
    for mode in SAFE_MODES {
        let place = memory();
        let open_use_close = || {
            let db = place.open("x.db");
            set_mode(&db, mode);
            run(&db, "CREATE TABLE IF NOT EXISTS t (k INTEGER PRIMARY KEY, v); REPLACE INTO t VALUES (1, 1)");
            assert_eq!(rows(&db), 1);
        };
        (0..100).for_each(|_| open_use_close());
        let before = (heap(), place.vfs.allocated_bytes());
        (0..500).for_each(|_| open_use_close());
        let after = (heap(), place.vfs.allocated_bytes());
        assert!((after.0 - before.0).abs() < 500, "{mode}: from {before:?} to {after:?}");
        assert_eq!(after.1, before.1, "{mode}");
    }
}

#[test]
fn an_open_that_fails_leaves_nothing() {
    let _turn = alone();
    let place = memory();
    let fail = || {
        for name in ["missing.db", &"x".repeat(2000)] {
            place.try_open(name, OpenFlags::SQLITE_OPEN_READ_WRITE).unwrap_err();
        }
    };
    (0..100).for_each(|_| fail());
    let before = heap();
    (0..500).for_each(|_| fail());
    assert!((heap() - before).abs() < 500, "from {before} to {}", heap());
}

#[test]
fn errors_leave_nothing() {
    let _turn = alone();
    let place = place(Shelf::new());
    let [a, b] = [place.open("x.db"), place.open("x.db")];
    run(&a, "CREATE TABLE t (v); BEGIN IMMEDIATE");
    let fail = || {
        assert_eq!(crate::support::failure(&b, "INSERT INTO t VALUES (1)"), sqlite_vfs_kit::sys::SQLITE_BUSY);
    };
    (0..100).for_each(|_| fail());
    let before = heap();
    (0..500).for_each(|_| fail());
    assert!((heap() - before).abs() < 500, "from {before} to {}", heap());
}

#[test]
fn an_unregistered_vfs_drops_all_files_but_its_name() {
    let _turn = alone();
    let once = || {
        let place = memory();
        let db = place.open("x.db");
        crate::support::fill(&db, 1, 1000, 1000);
    };
    (0..10).for_each(|_| once());
    let before = heap();
    (0..10).for_each(|_| once());
    // The struct that SQLite was given stays for good, since a connection could still have it: a few hundred bytes.
    assert!(heap() - before < 10 * 1024, "from {before} to {}", heap());
}
