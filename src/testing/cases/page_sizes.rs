//! Pages of every size.

use crate::testing::case::Capability::{FileSize, SharedMemory, Write};
use crate::testing::case::{Case, Checked, check_eq};
use crate::testing::lab::Lab;
use crate::vfs::FileKind;

pub(super) fn cases() -> Vec<Case> {
    (9..=16)
        .map(|shift| {
            let size = 1 << shift;
            Case::new(format!("page-size/{size}"), &[Write, FileSize(8 << 20)], move |lab| life(lab, size))
        })
        .collect()
}

fn life(lab: &Lab<'_>, page_size: i64) -> Checked {
    for place in lab.places()? {
        let db = place.open("x.db")?;
        db.run(&format!("PRAGMA page_size={page_size}"))?;
        db.fill(1, 400, 300)?;
        check_eq!(db.get::<i64>("PRAGMA page_size")?, page_size, "page_size");
        let pages: i64 = db.get("PRAGMA page_count")?;
        let length = place.bytes("x.db", FileKind::MainDb)?.map_or(0, |bytes| bytes.len());
        if !lab.options.one_connection {
            check_eq!(i64::try_from(length).ok(), Some(pages * page_size), "length of the database file");
        }
        db.spill_early()?;
        db.run("BEGIN; UPDATE t SET v = zeroblob(900); ROLLBACK")?;
        db.holds(400, 300)?;
        if lab.offers(SharedMemory) {
            db.set_mode("wal")?;
            db.run("BEGIN; UPDATE t SET v = zeroblob(900); ROLLBACK; DELETE FROM t WHERE k > 300")?;
            db.run("PRAGMA wal_checkpoint(TRUNCATE)")?;
            db.set_mode("delete")?;
        } else {
            db.run("DELETE FROM t WHERE k > 300")?;
        }
        db.close()?;
        place.open("x.db")?.holds(300, 300)?;
    }
    Ok(())
}
