//! A database in which every transaction changes every row, so that half of one would be seen.

use crate::testing::case::{Checked, check, check_eq};
use crate::testing::db::Db;

/// A transaction. All rows have the version before it, and the next one after it; a row is added for one that goes.
pub(super) const ADVANCE: &str = "
    BEGIN;
    UPDATE t SET n = n + 1, v = zeroblob(150 + (k + n) % 100);
    DELETE FROM t WHERE k = (SELECT min(k) FROM t);
    INSERT INTO t SELECT max(k) + 1, max(n), zeroblob(300) FROM t;
    COMMIT";

const ROWS: i64 = 60;

/// Makes the table, at version 0. The cache is small: transactions write before they commit.
pub(super) fn begin(db: &Db) -> Checked {
    db.run(&format!(
        "BEGIN; CREATE TABLE t (k INTEGER PRIMARY KEY, n INTEGER, v BLOB); CREATE INDEX i ON t(n);
         WITH RECURSIVE k(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM k WHERE k < {ROWS})
         INSERT INTO t SELECT k, 0, zeroblob(200) FROM k; COMMIT"
    ))?;
    db.spill_early()
}

/// The version that the database is at; it is a whole one.
pub(super) fn version(db: &Db) -> Checked<i64> {
    db.is_whole()?;
    check_eq!(db.rows()?, ROWS, "rows in the table");
    let (least, most): (i64, i64) = (db.get("SELECT min(n) FROM t")?, db.get("SELECT max(n) FROM t")?);
    check!(least == most, "half of a transaction is there: rows of version {least} and of version {most}");
    Ok(least)
}
