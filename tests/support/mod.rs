//! What the tests share: a database on a store of its own in one line, a VFS that can be watched and made to fail, and a
//! small complete VFS without any extras.

// Each test binary uses a part of it.
#![allow(dead_code)]

pub mod alloc;
#[cfg(feature = "testing")]
pub mod flawed;
mod place;
pub mod probe;
mod random;
pub mod raw;
pub mod shelf;

pub use place::{Place, place};
pub use random::Random;

use rusqlite::types::FromSql;
use rusqlite::{Connection, Error};
use sqlite_vfs_kit::stores::{MemoryOptions, MemoryVfs};
use sqlite_vfs_kit::sys;

// Each test is written once: `use crate::support::test`, then `#[test]`.
#[cfg(not(target_family = "wasm"))]
pub use core::prelude::v1::test;
#[cfg(target_family = "wasm")]
pub use wasm_bindgen_test::wasm_bindgen_test as test;

/// Bytes in a chunk of a [`MemoryVfs`]: what its limit is counted in.
pub const CHUNK: u64 = 4096;

/// Every journal mode that can roll back.
pub const SAFE_MODES: [&str; 5] = ["delete", "truncate", "persist", "memory", "wal"];

/// Those that keep their journal in a file.
pub const FILE_MODES: [&str; 3] = ["delete", "truncate", "persist"];

/// Are the long loops wanted, too? Set `SQLITE_VFS_KIT_FULL=1`; for the browsers, when compiling.
pub fn full() -> bool {
    #[cfg(target_family = "wasm")]
    return option_env!("SQLITE_VFS_KIT_FULL") == Some("1");
    #[cfg(not(target_family = "wasm"))]
    return std::env::var_os("SQLITE_VFS_KIT_FULL").is_some_and(|value| value == "1");
}

/// A fresh [`MemoryVfs`], registered.
pub fn memory() -> Place<MemoryVfs> {
    place(MemoryVfs::new())
}

/// A fresh [`MemoryVfs`] with room for so many chunks.
pub fn memory_of(chunks: u64) -> Place<MemoryVfs> {
    place(MemoryVfs::with_options(MemoryOptions { max_bytes: Some(chunks * CHUNK) }))
}

/// Runs SQL that must succeed.
#[track_caller]
pub fn run(db: &Connection, sql: &str) {
    if let Err(error) = db.execute_batch(sql) {
        panic!("{sql}\n  failed: {error} ({})", code(&error));
    }
}

/// The one value that a query returns.
#[track_caller]
pub fn get<T: FromSql>(db: &Connection, sql: &str) -> T {
    match db.query_row(sql, [], |row| row.get(0)) {
        Ok(value) => value,
        Err(error) => panic!("{sql}\n  failed: {error} ({})", code(&error)),
    }
}

/// Switches the journal mode, which must take effect.
#[track_caller]
pub fn set_mode(db: &Connection, mode: &str) {
    assert_eq!(get::<String>(db, &format!("PRAGMA journal_mode={mode}")), mode);
}

/// All of the database is in order.
#[track_caller]
pub fn assert_whole(db: &Connection) {
    assert_eq!(get::<String>(db, "PRAGMA integrity_check"), "ok");
}

/// The extended result code of an error.
pub fn code(error: &Error) -> i32 {
    error.sqlite_error().map_or(-1, |error| error.extended_code)
}

/// Runs SQL and answers with what code it failed; `SQLITE_OK` if it did not.
pub fn failure(db: &Connection, sql: &str) -> i32 {
    db.execute_batch(sql).err().map_or(sys::SQLITE_OK, |error| code(&error))
}

/// Fills a table `t(k INTEGER PRIMARY KEY, v BLOB)` with rows `from..=to`, each with `size` bytes that tell rows apart,
/// in one transaction.
#[track_caller]
pub fn fill(db: &Connection, from: i64, to: i64, size: usize) {
    run(db, "SAVEPOINT fill; CREATE TABLE IF NOT EXISTS t (k INTEGER PRIMARY KEY, v BLOB)");
    let mut insert = db.prepare("INSERT INTO t VALUES (?1, ?2)").unwrap();
    for k in from..=to {
        insert.execute((k, row(k, size))).unwrap();
    }
    run(db, "RELEASE fill");
}

/// The bytes that [`fill`] gives a row.
pub fn row(k: i64, size: usize) -> Vec<u8> {
    let mut random = Random::new(k.unsigned_abs() + 1);
    let mut bytes: Vec<u8> =
        std::iter::repeat_with(|| random.next().to_le_bytes()).take(size.div_ceil(8)).flatten().collect();
    bytes.truncate(size);
    bytes
}

/// Everything in a database with [`fill`]'s table, as text.
#[track_caller]
pub fn contents(db: &Connection) -> String {
    get(db, "SELECT (SELECT group_concat(sql) FROM sqlite_schema) || (SELECT group_concat(k || hex(v)) FROM t)")
}

/// How many rows [`fill`]'s table has.
#[track_caller]
pub fn rows(db: &Connection) -> i64 {
    get(db, "SELECT count(*) FROM t")
}

/// Lets a transaction write to its files before it commits: the cache has room for a few pages only.
#[track_caller]
pub fn spill_early(db: &Connection) {
    run(db, "PRAGMA cache_size=5; PRAGMA cache_spill=5");
}
