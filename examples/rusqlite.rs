//! rusqlite on files that live in memory, natively and on the web.
//!
//! In a crate for the web, `Cargo.toml` needs:
//!
//! ```toml
//! [dependencies]
//! sqlite-vfs-kit = "0.1"
//! rusqlite = { version = "0.43", default-features = false, features = ["ffi-sqlite-wasm-rs"] }
//! # SQLite's clock and randomness come from the browser:
//! sqlite-wasm-rs = { version = "0.6", default-features = false, features = ["wasm-bindgen"] }
//! ```

use std::error::Error;

use rusqlite::Connection;
use sqlite_vfs_kit::stores::MemoryVfs;
use sqlite_vfs_kit::vfs::Files;
use sqlite_vfs_kit::{RegisterOptions, register};

pub fn main() -> Result<(), Box<dyn Error>> {
    // Once, when the program starts. As the default it serves every connection that names no other.
    let memory = MemoryVfs::new();
    register("memory", memory.clone(), RegisterOptions { make_default: true })?;

    let mut db = Connection::open("songs.db")?;
    // Readers and a writer at the same time, between all connections of the program.
    db.pragma_update(None, "journal_mode", "wal")?;
    db.execute_batch("CREATE TABLE song (title TEXT, year INTEGER)")?;

    let transaction = db.transaction()?;
    for (title, year) in [("Gymnopédie No. 1", 1888), ("Clair de lune", 1905), ("Boléro", 1928)] {
        transaction.execute("INSERT INTO song VALUES (?1, ?2)", (title, year))?;
    }
    transaction.commit()?;

    let reader = Connection::open("songs.db")?;
    let mut statement = reader.prepare("SELECT title FROM song WHERE year < ?1 ORDER BY year")?;
    let titles = statement.query_map([1910], |row| row.get(0))?.collect::<Result<Vec<String>, _>>()?;
    assert_eq!(titles, ["Gymnopédie No. 1", "Clair de lune"]);
    drop(statement);

    // With the last connection the WAL goes into the database, and its bytes are a whole one: to download, or to keep
    // wherever bytes can be kept.
    reader.close().map_err(|(_, error)| error)?;
    db.close().map_err(|(_, error)| error)?;
    let bytes = memory.read("songs.db")?;
    assert!(bytes.starts_with(b"SQLite format 3"));

    // And from bytes to a database:
    memory.write("copy.db", &bytes)?;
    let count: i64 = Connection::open("copy.db")?.query_row("SELECT count(*) FROM song", [], |row| row.get(0))?;
    assert_eq!(count, 3);
    Ok(())
}
