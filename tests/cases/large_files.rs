//! Files larger than 32 bits can count, and stores as large as memory goes.

use sqlite_vfs_kit::stores::{MemoryOptions, MemoryVfs};
use sqlite_vfs_kit::sys;

use crate::support::raw::{MAIN_DB, RawFile};
use crate::support::{CHUNK, Place, assert_whole, failure, fill, full, memory, place, rows, run, test};

const OK: i32 = sys::SQLITE_OK;
const MEBI: usize = 1 << 20;

/// A hole costs nothing, so this works wherever the table of chunks fits, wasm included.
#[test]
fn a_file_with_holes_goes_beyond_four_gibibytes() {
    let place = memory();
    let mut file = RawFile::open(place.name(), Some("x"), MAIN_DB).unwrap();
    let places = [0, (1 << 31) - 3, (1 << 32) - 3, (1 << 32) + 5, 5 << 30, (8_i64 << 30) + 1];
    for (i, &offset) in places.iter().enumerate() {
        assert_eq!(file.write(&[i as u8 + 1; 6], offset), OK);
    }
    assert_eq!(file.size(), Ok((8 << 30) + 7));
    for (i, &offset) in places.iter().enumerate() {
        let mut buffer = [0; 6];
        assert_eq!(file.read(&mut buffer, offset), OK);
        assert_eq!(buffer, [i as u8 + 1; 6], "at {offset}");
    }
    let mut between = [9; 100];
    assert_eq!(file.read(&mut between, 6 << 30), OK);
    assert_eq!(between, [0; 100]);
    assert!(place.vfs.allocated_bytes() <= 9 * CHUNK);

    assert_eq!(file.truncate((1 << 32) + 1), OK);
    assert_eq!(file.size(), Ok((1 << 32) + 1));
    assert_eq!(file.truncate(6 << 30), OK);
    assert_eq!(file.read(&mut between, (1 << 32) + 1), OK);
    assert_eq!(between, [0; 100], "what was cut is gone");
}

/// A store that ends where memory does when all tests are wanted, and natively at 3 GiB; else after 64 MiB.
fn ending_store() -> Place<MemoryVfs> {
    let max_bytes = match full() {
        true if cfg!(target_family = "wasm") => None,
        true => Some(3 << 30),
        false => Some(64 * MEBI as u64),
    };
    place(MemoryVfs::with_options(MemoryOptions { max_bytes }))
}

fn mark(block: &mut [u8], number: usize) {
    block[..8].copy_from_slice(&(number as u64).to_le_bytes());
}

/// Writes numbered blocks of 1 MiB until there is no more room, and answers how many there are.
fn write_until_full(file: &mut RawFile) -> usize {
    let mut block = vec![0xA5; MEBI];
    for number in 0.. {
        mark(&mut block, number);
        match file.write(&block, (number * MEBI) as i64) {
            OK => {}
            code => {
                // Nothing is asserted before there is room: a message takes some.
                let size = file.size();
                file.truncate(((number - number.min(16)) * MEBI) as i64);
                assert_eq!((code, size), (sys::SQLITE_FULL, Ok((number * MEBI) as i64)));
                return number;
            }
        }
    }
    unreachable!("memory ends")
}

#[test]
fn a_store_is_full_where_memory_ends_and_everything_in_it_is_right() {
    let place = ending_store();
    let mut file = RawFile::open(place.name(), Some("x"), MAIN_DB).unwrap();
    let blocks = write_until_full(&mut file);
    assert!(blocks >= if full() { 2500 } else { 64 }, "{blocks} MiB");
    let mut block = vec![0; MEBI];
    let mut expected = vec![0xA5; MEBI];
    for number in 0..blocks - 16 {
        mark(&mut expected, number);
        assert_eq!(file.read(&mut block, (number * MEBI) as i64), OK);
        assert!(block == expected, "block {number}");
    }
    // Given back, it can be had again.
    file.truncate(0);
    assert_eq!(place.vfs.allocated_bytes(), 0);
    assert!(write_until_full(&mut file) >= blocks - 16);
}

#[test]
fn a_database_is_whole_when_memory_has_ended() {
    let place = ending_store();
    let db = place.open("x.db");
    fill(&db, 1, 100, 1000);
    let mut ballast = RawFile::open(place.name(), Some("ballast"), MAIN_DB).unwrap();
    write_until_full(&mut ballast);
    // SQLite may find that there is no memory for itself, or that the store has none for the file.
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n) INSERT INTO t SELECT i, zeroblob(100000) FROM n";
    let code = failure(&db, endless);
    ballast.truncate(0);
    assert!([sys::SQLITE_FULL, sys::SQLITE_NOMEM, sys::SQLITE_IOERR_NOMEM].contains(&code), "{code}");
    assert_eq!(rows(&db), 100);
    assert_whole(&db);
    run(&db, "INSERT INTO t VALUES (1000, 1)");
    assert_whole(&place.open("x.db"));
}
