//! A connection whose errors say which SQL failed.

use rusqlite::types::FromSql;
use rusqlite::{Connection, Error};

use super::case::{Checked, Stop, check, check_eq};
use crate::sys;

/// Every journal mode that can roll back. `wal` is among them where the store has what it needs.
pub(super) const ROLLBACK_MODES: [&str; 4] = ["delete", "truncate", "persist", "memory"];

/// Those that keep their journal in a file.
pub(super) const FILE_MODES: [&str; 3] = ["delete", "truncate", "persist"];

/// A connection.
pub(super) struct Db {
    pub(super) connection: Connection,
}

/// The extended result code of an error.
pub(super) fn code(error: &Error) -> i32 {
    error.sqlite_error().map_or(-1, |error| error.extended_code)
}

fn failed(sql: &str, error: &Error) -> Stop {
    Stop::failed(format!("`{}`: {error} (result code {})", sql.trim(), code(error)))
}

impl Db {
    pub(super) fn new(connection: Connection) -> Self {
        Self { connection }
    }

    /// Runs SQL that must succeed.
    pub(super) fn run(&self, sql: &str) -> Checked {
        self.connection.execute_batch(sql).map_err(|error| failed(sql, &error))
    }

    /// The one value that a query returns.
    pub(super) fn get<T: FromSql>(&self, sql: &str) -> Checked<T> {
        self.connection.query_row(sql, [], |row| row.get(0)).map_err(|error| failed(sql, &error))
    }

    /// Runs SQL and answers with what extended code it failed; `SQLITE_OK` if it did not.
    pub(super) fn code(&self, sql: &str) -> i32 {
        self.connection.execute_batch(sql).err().map_or(sys::SQLITE_OK, |error| code(&error))
    }

    /// Runs SQL that must fail with this code, or with an extension of it.
    pub(super) fn fails(&self, sql: &str, expected: i32) -> Checked {
        let code = self.code(sql);
        check!(
            code == expected || code & 0xFF == expected,
            "`{sql}` should have failed with result code {expected}, and its result code was {code}"
        );
        Ok(())
    }

    /// Runs SQL that must find another connection's lock in its way.
    pub(super) fn is_busy(&self, sql: &str) -> Checked {
        self.fails(sql, sys::SQLITE_BUSY)
    }

    /// Switches the journal mode, which must take effect.
    pub(super) fn set_mode(&self, mode: &str) -> Checked {
        let now: String = self.get(&format!("PRAGMA journal_mode={mode}"))?;
        check_eq!(now, mode, "the journal mode after asking for another");
        Ok(())
    }

    /// All of the database is in order.
    pub(super) fn is_whole(&self) -> Checked {
        let answer: String = self.get("PRAGMA integrity_check")?;
        check_eq!(answer, "ok", "integrity_check");
        Ok(())
    }

    /// Fills a table `t(k INTEGER PRIMARY KEY, v BLOB)` with rows `from..=to`, each with `size` bytes that tell rows apart.
    pub(super) fn fill(&self, from: i64, to: i64, size: usize) -> Checked {
        self.run(&format!(
            "SAVEPOINT fill; CREATE TABLE IF NOT EXISTS t (k INTEGER PRIMARY KEY, v BLOB);
             WITH RECURSIVE n(i) AS (SELECT {from} UNION ALL SELECT i + 1 FROM n WHERE i < {to})
             INSERT INTO t SELECT i, {} FROM n; RELEASE fill",
            row("i", size)
        ))
    }

    /// How many rows [`fill`](Self::fill)'s table has.
    pub(super) fn rows(&self) -> Checked<i64> {
        self.get("SELECT count(*) FROM t")
    }

    pub(super) fn has_rows(&self, expected: i64) -> Checked {
        check_eq!(self.rows()?, expected, "rows in the table");
        Ok(())
    }

    /// Rows `1..=n` and no others are there, with the bytes that [`fill`](Self::fill) gave them; and all is in order.
    pub(super) fn holds(&self, n: i64, size: usize) -> Checked {
        self.is_whole()?;
        self.has_rows(n)?;
        let sql = format!("SELECT count(*) FROM t WHERE k BETWEEN 1 AND {n} AND v = {}", row("k", size));
        check_eq!(self.get::<i64>(&sql)?, n, "rows with the bytes that were written");
        Ok(())
    }

    /// Everything in a database with [`fill`](Self::fill)'s table, as text.
    pub(super) fn contents(&self) -> Checked<String> {
        self.get("SELECT (SELECT group_concat(sql) FROM sqlite_schema) || (SELECT total(k) || group_concat(k || hex(v)) FROM t)")
    }

    /// Everything is as it was.
    pub(super) fn is_as(&self, before: &str) -> Checked {
        check!(self.contents()? == before, "the database is not as it was before");
        self.is_whole()
    }

    /// Lets a transaction write to its files before it commits: the cache has room for a few pages only.
    pub(super) fn spill_early(&self) -> Checked {
        self.run("PRAGMA cache_size=5; PRAGMA cache_spill=5")
    }

    /// Ends a transaction, if one is open, as somebody does whose statement has failed.
    pub(super) fn give_up(&self) -> Checked {
        if !self.connection.is_autocommit() {
            self.run("ROLLBACK")?;
        }
        Ok(())
    }

    /// Closes the connection, which must succeed.
    pub(super) fn close(self) -> Checked {
        self.connection.close().map_err(|(_, error)| Stop::failed(format!("closing the connection: {error}")))
    }
}

/// SQL for the bytes of a row: the same for the same key, different for others.
fn row(key: &str, size: usize) -> String {
    format!(
        "CAST(substr(replace(hex(zeroblob({size} / 16 + 1)), '00', printf('%016d.', {key} * 7919)), 1, {size}) AS BLOB)"
    )
}
