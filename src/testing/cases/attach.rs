//! Transactions over several files.

use crate::testing::case::Capability::{Connections, SharedMemory, Write};
use crate::testing::case::{Case, Checked, check, check_eq};
use crate::testing::db::Db;
use crate::testing::lab::{Lab, Place};

const CHANGE: &str = "BEGIN; UPDATE main.t SET v = v + 1; UPDATE b.t SET v = v + 1; UPDATE c.t SET v = v + 1;";

pub(super) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for mode in ["delete", "truncate", "persist", "memory", "wal"] {
        let needs: &[_] = if mode == "wal" { &[Write, SharedMemory] } else { &[Write] };
        cases.push(Case::new(format!("attach/commit-{mode}"), needs, move |lab| commit(lab, mode)));
    }
    let needs = [Write, Connections];
    cases.extend([
        Case::new("attach/mixed-modes", &[Write, SharedMemory], mixed_modes),
        Case::new("attach/one-is-locked", &needs, one_is_locked),
        Case::new("attach/same-file-twice", &needs, same_file_twice),
        Case::new("attach/detach", &[Write], detach),
        Case::new("attach/two-stores", &[Write], two_stores),
    ]);
    cases
}

/// A connection to `a.db` with `b.db` and `c.db` attached, each with a table of one row: 0.
fn three(place: &Place, modes: [&str; 3]) -> Checked<Db> {
    for (name, mode) in ["a.db", "b.db", "c.db"].into_iter().zip(modes) {
        let db = place.open(name)?;
        db.set_mode(mode)?;
        db.run("CREATE TABLE t AS SELECT 0 AS v")?;
        db.close()?;
    }
    let db = place.open("a.db")?;
    db.run("ATTACH 'b.db' AS b; ATTACH 'c.db' AS c")?;
    for (schema, mode) in ["main", "b", "c"].into_iter().zip(modes) {
        check_eq!(db.get::<String>(&format!("PRAGMA {schema}.journal_mode={mode}"))?, mode, "journal mode of {schema}");
    }
    Ok(db)
}

fn all_are(db: &Db, expected: i64) -> Checked {
    let values: String = db.get("SELECT (SELECT v FROM main.t) || (SELECT v FROM b.t) || (SELECT v FROM c.t)")?;
    check_eq!(values, expected.to_string().repeat(3), "the values in the three files");
    Ok(())
}

fn commit(lab: &Lab<'_>, mode: &str) -> Checked {
    for place in lab.places()? {
        let db = three(&place, [mode; 3])?;
        db.run(CHANGE)?;
        db.run("ROLLBACK")?;
        all_are(&db, 0)?;
        db.run(CHANGE)?;
        db.run("COMMIT")?;
        all_are(&db, 1)?;
        db.close()?;
        for name in ["a.db", "b.db", "c.db"] {
            let db = place.open(name)?;
            check_eq!(db.get::<i64>("SELECT v FROM t")?, 1, "the value in {name} after opening it again");
            db.is_whole()?;
        }
    }
    Ok(())
}

fn mixed_modes(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let db = three(&place, ["delete", "wal", "persist"])?;
    db.run(CHANGE)?;
    db.run("ROLLBACK")?;
    all_are(&db, 0)?;
    db.run(CHANGE)?;
    db.run("COMMIT")?;
    db.close()?;
    let db = place.open("a.db")?;
    db.run("ATTACH 'b.db' AS b; ATTACH 'c.db' AS c")?;
    all_are(&db, 1)
}

fn one_is_locked(lab: &Lab<'_>) -> Checked {
    for place in lab.places()? {
        let db = three(&place, ["delete"; 3])?;
        let other = place.open("b.db")?;
        other.run("BEGIN")?;
        check_eq!(other.get::<i64>("SELECT v FROM t")?, 0, "the value that a reader sees");
        db.run(CHANGE)?;
        db.is_busy("COMMIT")?;
        check_eq!(
            other.get::<i64>("SELECT v FROM t")?,
            0,
            "the value that a reader sees while the commit waits for it"
        );
        other.run("COMMIT")?;
        db.run("COMMIT")?;
        all_are(&db, 1)?;
    }
    Ok(())
}

fn same_file_twice(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let db = three(&place, ["delete"; 3])?;
    db.run("ATTACH 'a.db' AS again; UPDATE main.t SET v = 5")?;
    check_eq!(db.get::<i64>("SELECT v FROM again.t")?, 5, "the value through the other name");
    db.run("DETACH again")
}

fn detach(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let db = three(&place, ["delete"; 3])?;
    db.run("DETACH b")?;
    let other = place.open("b.db")?;
    other.run("BEGIN EXCLUSIVE; UPDATE t SET v = 3; COMMIT")?;
    other.close()?;
    db.run("ATTACH 'b.db' AS b")?;
    check_eq!(db.get::<i64>("SELECT v FROM b.t")?, 3, "the value written while it was detached");
    Ok(())
}

fn two_stores(lab: &Lab<'_>) -> Checked {
    let (first, second) = (lab.plain()?, lab.plain()?);
    let flags = rusqlite::OpenFlags::default() | rusqlite::OpenFlags::SQLITE_OPEN_URI;
    let db = first.try_open("a.db", flags)?;
    db.run(&format!("ATTACH 'file:b.db?vfs={}' AS b; CREATE TABLE main.t AS SELECT 0 AS v", second.name()))?;
    db.run("CREATE TABLE b.t AS SELECT 0 AS v")?;
    for end in ["ROLLBACK", "COMMIT"] {
        db.run("BEGIN; UPDATE main.t SET v = 1; UPDATE b.t SET v = 1")?;
        db.run(end)?;
        let both: String = db.get("SELECT (SELECT v FROM main.t) || (SELECT v FROM b.t)")?;
        check_eq!(both, if end == "COMMIT" { "11" } else { "00" }, "the values in both files after {end}");
    }
    db.close()?;
    check!(!first.exists("b.db")?, "a file of the second store is on the first");
    check_eq!(second.open("b.db")?.get::<i64>("SELECT v FROM t")?, 1, "the value in the second store");
    Ok(())
}
