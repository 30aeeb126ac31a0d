//! Rewriting the whole file, and shrinking it piece by piece.

use crate::testing::case::Capability::{FileSize, SharedMemory, Write};
use crate::testing::case::{Case, Checked, check, check_eq};
use crate::testing::lab::{Lab, Place};
use crate::vfs::FileKind;

pub(super) fn cases() -> Vec<Case> {
    let needs = [Write, FileSize(8 << 20)];
    vec![
        Case::new("vacuum/shrinks", &needs, |lab| shrinks(lab, "delete")),
        Case::new("vacuum/shrinks-in-truncate-mode", &needs, |lab| shrinks(lab, "truncate")),
        Case::new("vacuum/shrinks-in-wal-mode", &[Write, SharedMemory, FileSize(8 << 20)], |lab| shrinks(lab, "wal")),
        Case::new("vacuum/changes-page-size", &needs, changes_page_size),
        Case::new("vacuum/into", &needs, into),
        Case::new("vacuum/auto", &needs, auto),
        Case::new("vacuum/incremental", &needs, incremental),
        Case::new("vacuum/free-pages-are-used", &needs, free_pages_are_used),
    ]
}

/// Length of the database, by the file itself.
fn length(place: &Place) -> Checked<u64> {
    Ok(place.bytes("x.db", FileKind::MainDb)?.map_or(0, |bytes| bytes.len() as u64))
}

fn shrinks(lab: &Lab<'_>, mode: &str) -> Checked {
    for place in lab.places()? {
        let db = place.open("x.db")?;
        db.set_mode(mode)?;
        db.fill(1, 1000, 600)?;
        let full: i64 = db.get("PRAGMA page_count")?;
        db.run("DELETE FROM t WHERE k > 20; VACUUM")?;
        let pages: i64 = db.get("PRAGMA page_count")?;
        check!(pages < full / 5, "after VACUUM there are {pages} pages of {full}");
        db.holds(20, 600)?;
        db.close()?;
        check_eq!(length(&place)?, pages.unsigned_abs() * 4096, "length of the file after VACUUM");
        place.open("x.db")?.holds(20, 600)?;
    }
    Ok(())
}

fn changes_page_size(lab: &Lab<'_>) -> Checked {
    for place in lab.places()? {
        let db = place.open("x.db")?;
        db.fill(1, 200, 300)?;
        for size in [512, 65_536, 1024, 32_768, 8192, 2048, 16_384, 4096] {
            db.run(&format!("PRAGMA page_size={size}; VACUUM"))?;
            check_eq!(db.get::<i64>("PRAGMA page_size")?, size, "page_size after VACUUM");
            db.holds(200, 300)?;
        }
        db.close()?;
        place.open("x.db")?.holds(200, 300)?;
    }
    Ok(())
}

fn into(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let db = place.open("x.db")?;
    db.fill(1, 200, 300)?;
    db.run("VACUUM INTO 'copy.db'")?;
    db.run("DELETE FROM t")?;
    place.open("copy.db")?.holds(200, 300)
}

fn auto(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let db = place.open("x.db")?;
    db.run("PRAGMA auto_vacuum=full")?;
    db.fill(1, 1000, 600)?;
    let full: i64 = db.get("PRAGMA page_count")?;
    db.run("DELETE FROM t WHERE k > 20")?;
    let pages: i64 = db.get("PRAGMA page_count")?;
    check!(pages < full / 5, "with auto_vacuum there are {pages} pages of {full}");
    db.holds(20, 600)?;
    db.close()?;
    check_eq!(length(&place)?, pages.unsigned_abs() * 4096, "length of the file");
    place.open("x.db")?.holds(20, 600)
}

fn incremental(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let db = place.open("x.db")?;
    db.run("PRAGMA auto_vacuum=incremental")?;
    db.fill(1, 1000, 600)?;
    db.run("DELETE FROM t WHERE k > 20")?;
    let mut before: i64 = db.get("PRAGMA page_count")?;
    while db.get::<i64>("PRAGMA freelist_count")? > 0 {
        db.run("PRAGMA incremental_vacuum(20)")?;
        let now: i64 = db.get("PRAGMA page_count")?;
        check!(now < before, "incremental_vacuum does not shrink the file");
        before = now;
        db.holds(20, 600)?;
    }
    db.close()?;
    check_eq!(length(&place)?, before.unsigned_abs() * 4096, "length of the file");
    Ok(())
}

fn free_pages_are_used(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let db = place.open("x.db")?;
    db.fill(1, 500, 600)?;
    let full: i64 = db.get("PRAGMA page_count")?;
    for _ in 0..5 {
        db.run("DELETE FROM t")?;
        db.fill(1, 500, 600)?;
    }
    let pages: i64 = db.get("PRAGMA page_count")?;
    check!(pages <= full + 5, "after writing the same rows again there are {pages} pages, and {full} before");
    db.holds(500, 600)
}
