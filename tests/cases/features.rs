//! A file offers shared memory, lending pointers, both, or neither; SQLite's table of methods says which.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use sqlite_vfs_kit::stores::MemoryVfs;
use sqlite_vfs_kit::sys;
use sqlite_vfs_kit::vfs::{DeviceCharacteristics, FileFeatures};

use crate::support::probe::Probe;
use crate::support::raw::{MAIN_DB, RawFile};
use crate::support::shelf::{Fetches, Shelf};
use crate::support::{memory, place, test};

const OK: i32 = sys::SQLITE_OK;

#[test]
fn the_table_has_the_methods_that_the_file_offers() {
    for (shared_memory, fetch, version) in [(false, false, 1), (true, false, 2), (false, true, 3), (true, true, 3)] {
        let place = place(Probe::new(MemoryVfs::new()));
        place.vfs.offer(FileFeatures { shared_memory, fetch });
        let mut file = RawFile::open(place.name(), Some("x"), MAIN_DB).unwrap();
        // SAFETY: the file is open.
        let methods = unsafe { &*file.methods() };
        assert_eq!(methods.iVersion, version);
        assert_eq!(methods.xShmMap.is_some(), shared_memory);
        assert_eq!(methods.xShmLock.is_some(), shared_memory);
        assert_eq!(methods.xShmBarrier.is_some(), shared_memory);
        assert_eq!(methods.xShmUnmap.is_some(), shared_memory);
        assert_eq!(methods.xFetch.is_some(), fetch);
        assert_eq!(methods.xUnfetch.is_some(), fetch);
    }
}

#[test]
fn all_files_of_a_kind_share_one_table() {
    let place = memory();
    let open = |name: &str| RawFile::open(place.name(), Some(name), MAIN_DB).unwrap();
    assert_eq!(open("a").methods(), open("b").methods());
}

#[test]
fn a_file_without_shared_memory_but_with_fetch_cannot_have_wal() {
    let place = place(Shelf::lending(Arc::default()));
    let db = place.open("x.db");
    assert_eq!(crate::support::get::<String>(&db, "PRAGMA journal_mode=wal"), "delete");
    crate::support::run(&db, "CREATE TABLE t (x)");
}

#[test]
fn what_the_medium_promises_is_passed_on() {
    let place = place(Probe::new(Shelf::new()));
    let mut file = RawFile::open(place.name(), Some("x"), MAIN_DB).unwrap();
    assert_eq!(file.characteristics(), 0);
    assert_eq!(file.sector_size(), 4096);
    let promised = DeviceCharacteristics::ATOMIC.and(DeviceCharacteristics::SEQUENTIAL);
    place.vfs.promise(promised);
    assert_eq!(file.characteristics(), sys::SQLITE_IOCAP_ATOMIC | sys::SQLITE_IOCAP_SEQUENTIAL);
    assert!(promised.contains(DeviceCharacteristics::SEQUENTIAL));
    assert!(!promised.contains(DeviceCharacteristics::SEQUENTIAL.and(DeviceCharacteristics::IMMUTABLE)));
}

#[test]
fn lent_pointers_show_the_file_and_are_given_back() {
    let fetches = Arc::new(Fetches::default());
    let place = place(Shelf::lending(fetches.clone()));
    let mut file = RawFile::open(place.name(), Some("x"), MAIN_DB).unwrap();
    file.write(b"hello", 0);
    // SAFETY: the file is open, and bytes are read only where a pointer was given.
    unsafe {
        let methods = &*file.methods();
        let (fetch, unfetch) = (methods.xFetch.unwrap(), methods.xUnfetch.unwrap());
        let mut pointer = std::ptr::dangling_mut();
        assert_eq!(fetch(file.pointer(), 1, 3, &raw mut pointer), OK);
        assert_eq!(std::slice::from_raw_parts(pointer.cast::<u8>(), 3), b"ell");
        assert_eq!(unfetch(file.pointer(), 1, pointer), OK);
        // Beyond the end there is nothing to lend: SQLite reads instead.
        assert_eq!(fetch(file.pointer(), 3, 3, &raw mut pointer), OK);
        assert!(pointer.is_null());
        assert_eq!(unfetch(file.pointer(), 0, std::ptr::null_mut()), OK);
        assert_eq!(fetch(file.pointer(), -1, 3, &raw mut pointer), sys::SQLITE_MISUSE);
    }
    assert_eq!(fetches.lent.load(Ordering::Relaxed), 1);
    assert_eq!(fetches.given_back.load(Ordering::Relaxed), 1);
}

/// On wasm, SQLite is compiled with `SQLITE_MAX_MMAP_SIZE=0` and never asks.
#[cfg(not(target_family = "wasm"))]
#[test]
fn sqlite_uses_lent_pointers_when_mmap_size_allows() {
    use crate::support::{assert_whole, fill, get, row, rows, run};

    let fetches = Arc::new(Fetches::default());
    let place = place(Shelf::lending(fetches.clone()));
    fill(&place.open("x.db"), 1, 500, 1000);
    assert_eq!(fetches.lent.load(Ordering::Relaxed), 0, "not without being asked");
    let db = place.open("x.db");
    run(&db, "PRAGMA mmap_size=2000000");
    assert_eq!(rows(&db), 500);
    assert_eq!(get::<Vec<u8>>(&db, "SELECT v FROM t WHERE k = 77"), row(77, 1000));
    run(&db, "UPDATE t SET v = 'new' WHERE k = 77");
    assert_eq!(get::<String>(&db, "SELECT v FROM t WHERE k = 77"), "new");
    assert_whole(&db);
    drop(db);
    let lent = fetches.lent.load(Ordering::Relaxed);
    assert!(lent > 100, "{lent}");
    assert_eq!(fetches.given_back.load(Ordering::Relaxed), lent);
    assert_whole(&place.open("x.db"));
}
