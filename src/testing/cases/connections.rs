//! Several connections to one database, none of them in a transaction for long.

use crate::testing::case::Capability::{Connections, SharedMemory, Write};
use crate::testing::case::{Case, Checked, check_eq};
use crate::testing::lab::Lab;
use crate::testing::random::Random;

pub(super) fn cases() -> Vec<Case> {
    let needs = [Write, Connections];
    let wal = [Write, Connections, SharedMemory];
    vec![
        Case::new("connections/in-turn", &needs, |lab| in_turn(lab, "delete")),
        Case::new("connections/in-turn-in-wal", &wal, |lab| in_turn(lab, "wal")),
        Case::new("connections/interleaved", &needs, |lab| interleaved(lab, "delete")),
        Case::new("connections/interleaved-in-wal", &wal, |lab| interleaved(lab, "wal")),
        Case::new("connections/schema-changes-are-seen", &needs, schema_changes_are_seen),
        Case::new("connections/caches-are-left-behind", &needs, caches_are_left_behind),
        Case::new("connections/many", &needs, many),
        Case::new("connections/two-stores", &[Write], two_stores),
        Case::new("connections/statement-stays-open", &needs, statement_stays_open),
    ]
}

fn in_turn(lab: &Lab<'_>, mode: &str) -> Checked {
    let place = lab.place()?;
    let (a, b) = (place.open("x.db")?, place.open("x.db")?);
    a.set_mode(mode)?;
    a.run("CREATE TABLE t (k INTEGER PRIMARY KEY, v BLOB)")?;
    let rounds = lab.rounds(100, 2000);
    for i in 0..rounds {
        let (writer, reader) = if i % 2 == 0 { (&a, &b) } else { (&b, &a) };
        writer.run(&format!("INSERT INTO t VALUES ({i}, randomblob(200))"))?;
        reader.has_rows(i + 1)?;
    }
    a.is_whole()?;
    b.is_whole()
}

/// Three connections do at random what connections do. Their answers are those of a model.
fn interleaved(lab: &Lab<'_>, mode: &str) -> Checked {
    for seed in 0..lab.rounds(2, 30) {
        let place = lab.place()?;
        let open = [place.open("x.db")?, place.open("x.db")?, place.open("x.db")?];
        let mut random = Random::new(seed + 100);
        let mut committed = 0;
        // In a transaction of its own, which one has how many rows.
        let mut writing: Option<(usize, i64)> = None;
        for (i, db) in open.iter().enumerate() {
            if i == 0 {
                db.set_mode(mode)?;
                db.run("CREATE TABLE t (k INTEGER PRIMARY KEY, v BLOB)")?;
            }
        }
        for _ in 0..150 {
            let who = usize::try_from(random.below(3)).unwrap_or(0);
            let Some(db) = open.get(who) else { continue };
            match (random.below(4), &mut writing) {
                (0, None) => {
                    db.run("BEGIN IMMEDIATE")?;
                    writing = Some((who, committed));
                }
                (0, Some((writer, _))) if *writer != who => db.is_busy("BEGIN IMMEDIATE")?,
                (1, Some((writer, rows))) => {
                    if *writer == who {
                        db.run("INSERT INTO t (v) VALUES (randomblob(300))")?;
                        *rows += 1;
                    } else {
                        db.is_busy("INSERT INTO t (v) VALUES (1)")?;
                    }
                }
                (2, Some((writer, rows))) if *writer == who => {
                    if random.below(3) == 0 {
                        db.run("ROLLBACK")?;
                    } else {
                        db.run("COMMIT")?;
                        committed = *rows;
                    }
                    writing = None;
                }
                (_, writing) => {
                    let expected = writing.filter(|(writer, _)| *writer == who).map_or(committed, |(_, rows)| rows);
                    db.has_rows(expected)?;
                }
            }
        }
        for db in &open {
            db.give_up()?;
            db.has_rows(committed)?;
            db.is_whole()?;
        }
    }
    Ok(())
}

fn schema_changes_are_seen(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let (a, b) = (place.open("x.db")?, place.open("x.db")?);
    a.fill(1, 10, 10)?;
    b.has_rows(10)?;
    a.run("ALTER TABLE t ADD COLUMN w DEFAULT 7; CREATE INDEX i ON t(w)")?;
    check_eq!(b.get::<i64>("SELECT sum(w) FROM t")?, 70, "sum over a column that another connection added");
    a.run("DROP TABLE t")?;
    check_eq!(
        b.get::<i64>("SELECT count(*) FROM sqlite_schema")?,
        0,
        "tables after another connection dropped the only one"
    );
    b.is_whole()
}

fn caches_are_left_behind(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let (a, b) = (place.open("x.db")?, place.open("x.db")?);
    a.fill(1, 500, 300)?;
    b.has_rows(500)?;
    // The file shrinks under b's cache, and grows again.
    a.run("DELETE FROM t WHERE k > 10; VACUUM")?;
    b.holds(10, 300)?;
    a.fill(11, 600, 300)?;
    b.holds(600, 300)
}

fn many(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    place.open("x.db")?.run("CREATE TABLE t (v)")?;
    let mut open = Vec::new();
    for i in 1..=20 {
        let db = place.open("x.db")?;
        db.run(&format!("INSERT INTO t VALUES ({i})"))?;
        open.push(db);
        for db in &open {
            db.has_rows(i)?;
        }
    }
    while let Some(db) = open.pop() {
        db.close()?;
        for db in &open {
            db.has_rows(20)?;
        }
    }
    place.open("x.db")?.is_whole()
}

fn two_stores(lab: &Lab<'_>) -> Checked {
    let (first, second) = (lab.place()?, lab.place()?);
    let (a, b) = (first.open("x.db")?, second.open("x.db")?);
    a.fill(1, 10, 10)?;
    check_eq!(b.get::<i64>("SELECT count(*) FROM sqlite_schema")?, 0, "tables in the database of another store");
    a.run("BEGIN EXCLUSIVE")?;
    b.fill(1, 20, 10)?;
    a.run("COMMIT")?;
    a.holds(10, 10)?;
    b.holds(20, 10)
}

fn statement_stays_open(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let (a, b) = (place.open("x.db")?, place.open("x.db")?);
    a.fill(1, 500, 300)?;
    let mut statement = b.connection.prepare("SELECT k FROM t")?;
    let mut rows = statement.query([])?;
    rows.next()?;
    // While b reads, nobody can change the file.
    a.is_busy("DELETE FROM t")?;
    let mut count = 1;
    while rows.next()?.is_some() {
        count += 1;
    }
    check_eq!(count, 500, "rows of a statement that was open while another connection wanted to write");
    a.run("DELETE FROM t WHERE k > 100")?;
    b.has_rows(100)
}
