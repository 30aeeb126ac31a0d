//! Files that nobody needs after their connection: sorters, temporary tables, statement journals.

use crate::sys;
use crate::testing::case::Capability::{FileSize, TemporaryFiles, Write};
use crate::testing::case::{Case, Checked, check, check_eq};
use crate::testing::db::Db;
use crate::testing::lab::{Lab, Place};
use crate::vfs::{FileKind, OpenOptions};

const UNNAMED: i32 =
    sys::SQLITE_OPEN_READWRITE | sys::SQLITE_OPEN_CREATE | sys::SQLITE_OPEN_EXCLUSIVE | sys::SQLITE_OPEN_DELETEONCLOSE;

pub(super) fn cases() -> Vec<Case> {
    let file = [Write, TemporaryFiles];
    let sql = [Write, TemporaryFiles, FileSize(32 << 20)];
    vec![
        Case::new("temporary/every-kind", &file, every_kind),
        Case::new("temporary/each-is-its-own", &file, each_is_its_own),
        Case::new("temporary/sort", &sql, sort),
        Case::new("temporary/distinct", &sql, distinct),
        Case::new("temporary/table", &sql, table),
        Case::new("temporary/table-rolled-back", &sql, table_rolled_back),
        Case::new("temporary/statement-journal", &sql, statement_journal),
        Case::new("temporary/index", &sql, index),
        Case::new("temporary/vacuum", &sql, vacuum),
        Case::new("temporary/database-without-a-name", &sql, database_without_a_name),
    ]
}

fn every_kind(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    for kind in [FileKind::TempDb, FileKind::TempJournal, FileKind::TransientDb, FileKind::SubJournal] {
        let mut file = place.try_file(None, OpenOptions::new(kind, UNNAMED))?;
        check_eq!(file.len()?, 0, "length of a new {kind:?}");
        file.write(5000, b"bytes")?;
        check_eq!(file.read(4998, 100)?, b"\0\0bytes", "bytes of a {kind:?}");
        file.set_len(5002)?;
        check_eq!(file.read(5000, 100)?, b"by", "bytes of a {kind:?} after cutting");
        file.close()?;
    }
    Ok(())
}

fn each_is_its_own(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let mut files = Vec::new();
    for i in 0..10u8 {
        let mut file = place.try_file(None, OpenOptions::new(FileKind::TransientDb, UNNAMED))?;
        file.write(0, &vec![i; 1000 + usize::from(i)])?;
        files.push(file);
    }
    for (i, mut file) in (0u8..).zip(files) {
        check_eq!(file.read(0, 2000)?, vec![i; 1000 + usize::from(i)], "bytes of unnamed file {i}");
    }
    Ok(())
}

/// A table of 3000 rows of 600 bytes, and a connection that keeps what is temporary in files and little in its caches.
fn filled(place: &Place) -> Checked<Db> {
    let db = place.open("x.db")?;
    // SQLite's builds for the web prefer memory for what is temporary.
    db.run("PRAGMA temp_store=file; PRAGMA cache_size=10; PRAGMA cache_spill=10")?;
    db.fill(1, 3000, 600)?;
    Ok(db)
}

fn sort(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let db = filled(&place)?;
    let in_order = "SELECT count(*) FROM (SELECT k, lag(k) OVER (ORDER BY v DESC, hex(v), k) AS before FROM t)
                    WHERE before IS NULL OR before <> k";
    check_eq!(db.get::<i64>(in_order)?, 3000, "rows out of a sort");
    let sorted = "SELECT group_concat(k) FROM (SELECT k FROM t ORDER BY substr(hex(v), 1, 600), k)";
    check!(db.get::<String>(sorted)?.split(',').count() == 3000, "a sort has lost rows");
    db.is_whole()
}

fn distinct(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let db = filled(&place)?;
    check_eq!(db.get::<i64>("SELECT count(*) FROM (SELECT DISTINCT v, k % 3000 FROM t)")?, 3000, "distinct rows");
    let union = "SELECT count(*) FROM (SELECT v FROM t UNION SELECT v || 'x' FROM t)";
    check_eq!(db.get::<i64>(union)?, 6000, "rows of a union");
    Ok(())
}

fn temporary_copy(db: &Db) -> Checked {
    db.run(
        "CREATE TEMP TABLE copy (k INTEGER PRIMARY KEY, v); PRAGMA temp.cache_size=10; PRAGMA temp.cache_spill=10;
            INSERT INTO copy SELECT * FROM t",
    )
}

fn table(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let db = filled(&place)?;
    temporary_copy(&db)?;
    db.run("CREATE INDEX temp.i ON copy(v)")?;
    check_eq!(db.get::<i64>("SELECT count(*) FROM t JOIN copy USING (v)")?, 3000, "rows in a temporary table");
    check_eq!(db.get::<String>("PRAGMA temp.integrity_check")?, "ok", "integrity_check of the temporary database");
    db.close()?;
    let db = place.open("x.db")?;
    db.fails("SELECT * FROM copy", sys::SQLITE_ERROR)?;
    db.holds(3000, 600)
}

fn table_rolled_back(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let db = filled(&place)?;
    temporary_copy(&db)?;
    db.run("BEGIN; UPDATE copy SET v = zeroblob(900); DELETE FROM copy WHERE k % 2; ROLLBACK")?;
    let unchanged = "SELECT count(*) FROM t JOIN copy USING (k) WHERE t.v = copy.v";
    check_eq!(db.get::<i64>(unchanged)?, 3000, "rows of a temporary table as they were before the transaction");
    check_eq!(db.get::<String>("PRAGMA temp.integrity_check")?, "ok", "integrity_check of the temporary database");
    Ok(())
}

fn statement_journal(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let db = filled(&place)?;
    db.run("CREATE UNIQUE INDEX i ON t(v); BEGIN; UPDATE t SET v = v || 'a' WHERE k < 100")?;
    let before = db.contents()?;
    // Fails at the last row, when all others are changed already.
    db.fails(
        "UPDATE t SET v = CASE k WHEN 3000 THEN (SELECT v FROM t WHERE k = 1) ELSE v || 'b' END",
        sys::SQLITE_CONSTRAINT,
    )?;
    check!(db.contents()? == before, "a statement that failed has left changes behind");
    db.run("COMMIT")?;
    db.is_as(&before)
}

fn index(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let db = filled(&place)?;
    db.run("CREATE INDEX i ON t(v)")?;
    db.holds(3000, 600)
}

fn vacuum(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let db = filled(&place)?;
    db.run("DELETE FROM t WHERE k > 1000; VACUUM")?;
    db.holds(1000, 600)
}

fn database_without_a_name(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let db = filled(&place)?;
    db.run(
        "ATTACH '' AS scratch; PRAGMA scratch.cache_size=10; PRAGMA scratch.cache_spill=10;
            CREATE TABLE scratch.copy AS SELECT * FROM t",
    )?;
    check_eq!(db.get::<i64>("SELECT count(*) FROM scratch.copy JOIN t USING (k, v)")?, 3000, "rows in it");
    db.run("DETACH scratch")?;
    db.is_whole()
}
