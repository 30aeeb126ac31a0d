//! What is there after everything was closed.

use crate::testing::case::Capability::{Connections, SharedMemory, Write};
use crate::testing::case::{Case, Checked, check};
use crate::testing::lab::Lab;
use crate::vfs::FileKind;

pub(super) fn cases() -> Vec<Case> {
    vec![
        Case::new("reopen/after-all-connections", &[Write], after_all_connections),
        Case::new("reopen/in-another-vfs", &[Write], in_another_vfs),
        Case::new("reopen/wal-in-another-vfs", &[Write, SharedMemory], wal_in_another_vfs),
        Case::new("reopen/deleted-stays-deleted", &[Write], deleted_stays_deleted),
        Case::new("reopen/elsewhere", &[Write, Connections], elsewhere),
    ]
}

fn after_all_connections(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    for round in 0..5 {
        let db = place.open("x.db")?;
        db.fill(round * 100 + 1, round * 100 + 100, 300)?;
        db.close()?;
        place.open("x.db")?.holds(round * 100 + 100, 300)?;
    }
    Ok(())
}

fn in_another_vfs(lab: &Lab<'_>) -> Checked {
    let mut place = lab.place()?;
    for round in 0..3 {
        let db = place.open("x.db")?;
        db.fill(round * 100 + 1, round * 100 + 100, 300)?;
        db.close()?;
        place = lab.reopen(place)?;
        place.open("x.db")?.holds(round * 100 + 100, 300)?;
    }
    Ok(())
}

fn wal_in_another_vfs(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let db = place.open("x.db")?;
    db.set_mode("wal")?;
    db.fill(1, 200, 300)?;
    db.close()?;
    let place = lab.reopen(place)?;
    let db = place.open("x.db")?;
    db.holds(200, 300)?;
    db.fill(201, 300, 300)?;
    db.holds(300, 300)
}

fn deleted_stays_deleted(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    place.open("x.db")?.fill(1, 100, 300)?;
    place.open("y.db")?.fill(1, 100, 300)?;
    place.delete("x.db")?;
    let place = lab.reopen(place)?;
    check!(!place.exists("x.db")?, "a deleted file is back");
    place.open("y.db")?.holds(100, 300)
}

/// The bytes of a database are a database, on any store.
fn elsewhere(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    place.open("x.db")?.fill(1, 200, 300)?;
    let bytes = place.bytes("x.db", FileKind::MainDb)?.unwrap_or_default();
    check!(bytes.starts_with(b"SQLite format 3\0"), "the file of a database does not begin like one");
    lab.holding(&[("y.db", &bytes)])?.open("y.db")?.holds(200, 300)
}
