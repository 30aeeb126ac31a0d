//! A database that is only read, on any VFS.

use rusqlite::OpenFlags;

use crate::stores::MemoryVfs;
use crate::sys;
use crate::testing::any::AnyVfs;
use crate::testing::case::{Case, Checked, check};
use crate::testing::db::Db;
use crate::testing::lab::{Contents, Lab, Place};
use crate::vfs::{FileKind, OpenOptions};

pub(super) fn cases() -> Vec<Case> {
    vec![
        Case::new("reading/query", &[], query),
        Case::new("reading/every-page-size", &[], every_page_size),
        Case::new("reading/refuses-writing", &[], refuses_writing),
        Case::new("reading/makes-no-files", &[], makes_no_files),
        Case::new("reading/file-refuses-writing", &[], file_refuses_writing),
        Case::new("reading/in-pieces", &[], in_pieces),
    ]
}

/// A database of 200 rows, made elsewhere.
fn made_elsewhere(page_size: u32) -> Checked<Contents> {
    let place = Place::new(AnyVfs::new(MemoryVfs::new()))?;
    let db = place.open("x.db")?;
    db.run(&format!("PRAGMA page_size={page_size}"))?;
    db.fill(1, 200, 300)?;
    drop(db);
    place.contents("x.db")
}

fn reader(lab: &Lab<'_>, page_size: u32) -> Checked<(Place, Db)> {
    let place = lab.holding_all(&made_elsewhere(page_size)?)?;
    let db = place.try_open("x.db", OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    Ok((place, db))
}

fn query(lab: &Lab<'_>) -> Checked {
    let (_place, db) = reader(lab, 4096)?;
    db.holds(200, 300)?;
    db.close()
}

fn every_page_size(lab: &Lab<'_>) -> Checked {
    for shift in 9..=16 {
        let (_place, db) = reader(lab, 1 << shift)?;
        db.holds(200, 300).map_err(|stop| stop.within(format!("pages of {} bytes", 1 << shift)))?;
    }
    Ok(())
}

fn refuses_writing(lab: &Lab<'_>) -> Checked {
    let (_place, db) = reader(lab, 4096)?;
    for sql in ["INSERT INTO t VALUES (1000, 1)", "DELETE FROM t", "CREATE TABLE u (x)"] {
        db.fails(sql, sys::SQLITE_READONLY)?;
    }
    db.holds(200, 300)
}

fn makes_no_files(lab: &Lab<'_>) -> Checked {
    let (place, db) = reader(lab, 4096)?;
    db.run("BEGIN; SELECT * FROM t; COMMIT")?;
    for name in ["x.db-journal", "x.db-wal"] {
        check!(!place.exists(name)?, "reading has made {name}");
    }
    Ok(())
}

fn file_refuses_writing(lab: &Lab<'_>) -> Checked {
    let place = lab.holding(&[("x.db", b"bytes")])?;
    let mut file = place.try_file(Some("x.db"), OpenOptions::new(FileKind::MainDb, sys::SQLITE_OPEN_READONLY))?;
    check!(file.read(0, 10)? == b"bytes", "a file opened for reading has other bytes");
    // SQLite does not write a file that it has opened for reading, so a VFS need not refuse. But what it refuses stays.
    if file.write(0, b"other").is_err() {
        check!(file.read(0, 10)? == b"bytes", "a write that was refused has changed the file");
    }
    Ok(())
}

fn in_pieces(lab: &Lab<'_>) -> Checked {
    let bytes: Vec<u8> = (0..200_000u32).map(|i| ((i * 7) >> 3) as u8).collect();
    let place = lab.holding(&[("x.db", &bytes)])?;
    let mut file = place.try_file(Some("x.db"), OpenOptions::new(FileKind::MainDb, sys::SQLITE_OPEN_READONLY))?;
    check!(file.len()? == bytes.len() as u64, "the file has another length than what was put in");
    for (offset, len) in [(0, 100), (24, 16), (4095, 2), (65_535, 2), (65_536, 65_536), (131_071, 70_000), (199_999, 1)]
    {
        let expected = bytes.get(offset..).unwrap_or_default();
        let expected = expected.get(..len).unwrap_or(expected);
        check!(file.read(offset as u64, len)? == expected, "{len} bytes at {offset} are others than were put in");
    }
    Ok(())
}
