//! Ways back within a transaction.

use crate::sys;
use crate::testing::case::Capability::{SharedMemory, Write};
use crate::testing::case::{Case, Checked, check, check_eq};
use crate::testing::db::Db;
use crate::testing::lab::{Lab, Place};

pub(super) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for mode in ["delete", "truncate", "persist", "memory", "wal"] {
        let needs: &[_] = if mode == "wal" { &[Write, SharedMemory] } else { &[Write] };
        cases.push(Case::new(format!("savepoint/nested-{mode}"), needs, move |lab| nested(lab, mode)));
    }
    cases.extend([
        Case::new("savepoint/released", &[Write], released),
        Case::new("savepoint/as-a-transaction", &[Write], as_a_transaction),
        Case::new("savepoint/many-levels", &[Write], many_levels),
        Case::new("savepoint/statement-that-fails", &[Write], statement_that_fails),
        Case::new("savepoint/schema", &[Write], schema),
    ]);
    cases
}

/// A database of 200 rows whose transactions are larger than the cache.
fn filled(place: &Place, mode: &str) -> Checked<Db> {
    let db = place.open("x.db")?;
    db.set_mode(mode)?;
    db.fill(1, 200, 300)?;
    db.spill_early()?;
    Ok(db)
}

fn nested(lab: &Lab<'_>, mode: &str) -> Checked {
    for place in lab.places()? {
        let db = filled(&place, mode)?;
        if !lab.options.no_temporary_files {
            db.run("PRAGMA temp_store=file")?;
        }
        let start = db.contents()?;
        db.run("BEGIN; UPDATE t SET v = zeroblob(500) WHERE k < 50; SAVEPOINT one")?;
        let one = db.contents()?;
        db.run("UPDATE t SET v = zeroblob(600); SAVEPOINT two; DELETE FROM t; INSERT INTO t VALUES (1, 2)")?;
        db.run("ROLLBACK TO two; RELEASE two; ROLLBACK TO one")?;
        check!(db.contents()? == one, "rolling back to a savepoint leads elsewhere");
        db.run("DELETE FROM t WHERE k > 100; ROLLBACK TO one; ROLLBACK TO one")?;
        check!(db.contents()? == one, "rolling back to a savepoint twice leads elsewhere");
        db.run("ROLLBACK")?;
        db.is_as(&start)?;
        db.close()?;
        place.open("x.db")?.is_as(&start)?;
    }
    Ok(())
}

fn released(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let db = filled(&place, "delete")?;
    db.run(
        "BEGIN; SAVEPOINT one; DELETE FROM t WHERE k > 150; SAVEPOINT two; DELETE FROM t WHERE k > 100;
            ROLLBACK TO two; RELEASE two; RELEASE one; COMMIT",
    )?;
    db.close()?;
    place.open("x.db")?.holds(150, 300)
}

fn as_a_transaction(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let db = filled(&place, "delete")?;
    db.run("SAVEPOINT one; DELETE FROM t WHERE k > 150; RELEASE one")?;
    check!(db.connection.is_autocommit(), "releasing the outermost savepoint does not commit");
    db.run("SAVEPOINT one; DELETE FROM t; ROLLBACK TO one; RELEASE one")?;
    db.close()?;
    place.open("x.db")?.holds(150, 300)
}

fn many_levels(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let db = filled(&place, "delete")?;
    db.run("BEGIN")?;
    for level in 0..20 {
        db.run(&format!("SAVEPOINT s{level}; DELETE FROM t WHERE k > {}", 190 - level * 10))?;
    }
    db.has_rows(0)?;
    for level in (10..20).rev() {
        db.run(&format!("ROLLBACK TO s{level}; RELEASE s{level}"))?;
    }
    db.run("COMMIT")?;
    db.holds(100, 300)
}

fn statement_that_fails(lab: &Lab<'_>) -> Checked {
    for place in lab.places()? {
        let db = filled(&place, "delete")?;
        db.run("BEGIN; DELETE FROM t WHERE k > 190")?;
        // Fails when it has moved many rows.
        db.fails("UPDATE t SET k = 50 + (k < 180) * k WHERE k > 60", sys::SQLITE_CONSTRAINT)?;
        check!(!db.connection.is_autocommit(), "a statement that failed has ended the transaction");
        db.holds(190, 300)?;
        db.run("COMMIT")?;
        db.holds(190, 300)?;
    }
    Ok(())
}

fn schema(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let db = filled(&place, "delete")?;
    let start = db.contents()?;
    db.run("BEGIN; SAVEPOINT one; CREATE INDEX i ON t(v); CREATE TABLE u AS SELECT * FROM t; DROP TABLE t; ROLLBACK TO one")?;
    check_eq!(db.get::<i64>("SELECT count(*) FROM sqlite_schema")?, 1, "tables and indexes after rolling back");
    db.run("COMMIT")?;
    db.is_as(&start)
}
