//! Write-ahead logging: readers beside a writer, checkpoints, recovery.

use rusqlite::OpenFlags;

use crate::sys;
use crate::testing::case::Capability::{Connections, FileSize, SharedMemory, Write};
use crate::testing::case::{Case, Checked, Stop, check, check_eq};
use crate::testing::db::Db;
use crate::testing::lab::{Contents, Lab, Place};
use crate::vfs::{FileKind, ShmLock, VfsFile};

const CHECKPOINTS: [&str; 4] = ["passive", "full", "restart", "truncate"];

/// A log begins with a header; its frames have a header and a page each.
const HEADER: usize = 32;
const FRAME: usize = 24 + 4096;

pub(super) fn cases() -> Vec<Case> {
    let needs = [Write, SharedMemory, Connections];
    let mut cases = vec![
        Case::new("wal/takes-effect", &needs, takes_effect),
        Case::new("wal/readers-beside-a-writer", &needs, readers_beside_a_writer),
        Case::new("wal/snapshots", &needs, snapshots),
        Case::new("wal/second-writer-is-busy", &needs, second_writer_is_busy),
        Case::new("wal/old-snapshot-cannot-write", &needs, old_snapshot_cannot_write),
        Case::new("wal/rollback", &needs, rollback),
        Case::new("wal/large-transaction", &needs, large_transaction),
        Case::new("wal/large-index", &[Write, SharedMemory, FileSize(16 << 20)], large_index),
    ];
    for kind in CHECKPOINTS {
        cases.push(Case::new(format!("wal/checkpoint-{kind}"), &needs, move |lab| checkpoint(lab, kind)));
        let run = move |lab: &Lab<'_>| checkpoint_beside_a_reader(lab, kind);
        cases.push(Case::new(format!("wal/checkpoint-{kind}-beside-a-reader"), &needs, run));
    }
    cases.extend([
        Case::new("wal/log-is-used-again", &needs, log_is_used_again),
        Case::new("wal/last-close-removes-log", &needs, last_close_removes_log),
        Case::new("wal/recovery", &needs, recovery),
        Case::new("wal/recovery-by-two", &needs, recovery_by_two),
        Case::new("wal/recovery-of-a-cut-log", &needs, recovery_of_a_cut_log),
        Case::new("wal/recovery-of-a-damaged-log", &needs, recovery_of_a_damaged_log),
        Case::new("wal/recovery-without-log", &needs, recovery_without_log),
        Case::new("wal/read-only-connection", &needs, read_only_connection),
        Case::new("wal/back-to-delete", &needs, back_to_delete),
        Case::new("wal/busy-when-leaving", &needs, busy_when_leaving),
        Case::new("wal/index-slots", &needs, index_slots),
        Case::new("wal/index-regions", &needs, index_regions),
        Case::new("wal/exclusive-locking", &[Write], exclusive_locking),
    ]);
    cases
}

/// A connection in WAL mode to a database whose 200 rows are all in the log.
fn logged(place: &Place) -> Checked<Db> {
    let db = place.open("x.db")?;
    db.set_mode("wal")?;
    db.run("PRAGMA wal_autocheckpoint=0")?;
    db.fill(1, 200, 300)?;
    Ok(db)
}

fn log_length(place: &Place) -> Checked<Option<usize>> {
    Ok(place.bytes("x.db-wal", FileKind::Wal)?.map(|bytes| bytes.len()))
}

fn takes_effect(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let db = logged(&place)?;
    check!(log_length(&place)? > Some(HEADER), "in WAL mode nothing is written to the log");
    let other = place.open("x.db")?;
    check_eq!(other.get::<String>("PRAGMA journal_mode")?, "wal", "the journal mode that another connection finds");
    other.holds(200, 300)?;
    drop((db, other));
    let db = place.open("x.db")?;
    check_eq!(db.get::<String>("PRAGMA journal_mode")?, "wal", "the journal mode after opening again");
    db.holds(200, 300)
}

fn readers_beside_a_writer(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let writer = logged(&place)?;
    let reader = place.open("x.db")?;
    reader.run("BEGIN")?;
    reader.has_rows(200)?;
    writer.run("BEGIN IMMEDIATE; DELETE FROM t WHERE k > 100")?;
    place.open("x.db")?.has_rows(200)?;
    writer.run("COMMIT")?;
    reader.has_rows(200)?;
    place.open("x.db")?.has_rows(100)?;
    reader.run("COMMIT")?;
    reader.holds(100, 300)
}

fn snapshots(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let writer = logged(&place)?;
    let mut readers = Vec::new();
    for i in 0..4 {
        let reader = place.open("x.db")?;
        reader.run("BEGIN")?;
        reader.has_rows(200 + i)?;
        readers.push(reader);
        writer.run(&format!("INSERT INTO t VALUES ({}, 1)", 1000 + i))?;
    }
    for (i, reader) in (0..).zip(&readers) {
        reader.has_rows(200 + i)?;
    }
    for reader in &readers {
        reader.run("COMMIT")?;
        reader.has_rows(204)?;
    }
    Ok(())
}

fn second_writer_is_busy(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let (a, b) = (logged(&place)?, place.open("x.db")?);
    a.run("BEGIN IMMEDIATE")?;
    b.is_busy("BEGIN IMMEDIATE")?;
    b.is_busy("DELETE FROM t")?;
    b.has_rows(200)?;
    a.run("COMMIT")?;
    b.run("DELETE FROM t WHERE k > 100")?;
    a.holds(100, 300)
}

fn old_snapshot_cannot_write(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let (a, b) = (logged(&place)?, place.open("x.db")?);
    b.run("BEGIN")?;
    b.has_rows(200)?;
    a.run("DELETE FROM t WHERE k > 100")?;
    b.fails("DELETE FROM t", sys::SQLITE_BUSY_SNAPSHOT)?;
    b.run("ROLLBACK")?;
    b.holds(100, 300)
}

fn rollback(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let (a, b) = (logged(&place)?, place.open("x.db")?);
    let before = a.contents()?;
    a.spill_early()?;
    a.run("BEGIN; UPDATE t SET v = zeroblob(900); CREATE TABLE u (x); SAVEPOINT s; DELETE FROM t; ROLLBACK TO s; ROLLBACK")?;
    a.is_as(&before)?;
    b.is_as(&before)
}

fn large_transaction(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let (a, b) = (logged(&place)?, place.open("x.db")?);
    a.spill_early()?;
    a.fill(201, 2000, 300)?;
    a.holds(2000, 300)?;
    b.holds(2000, 300)?;
    b.run("PRAGMA wal_checkpoint(truncate)")?;
    a.holds(2000, 300)
}

/// A log with more frames than one region of its index has room for.
fn large_index(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let db = place.open("x.db")?;
    db.run("PRAGMA page_size=512")?;
    db.set_mode("wal")?;
    db.run("PRAGMA wal_autocheckpoint=0")?;
    db.fill(1, 9000, 300)?;
    db.holds(9000, 300)?;
    if !lab.options.one_connection {
        place.open("x.db")?.holds(9000, 300)?;
    }
    let (_, frames, moved) = run_checkpoint(&db, "passive")?;
    check!(frames > 4096, "the log has only {frames} frames");
    check_eq!(moved, frames, "frames moved into the database");
    db.holds(9000, 300)
}

/// Whether it was busy, and how many frames were in the log and how many of them are in the database now.
fn run_checkpoint(db: &Db, kind: &str) -> Checked<(bool, i64, i64)> {
    let sql = format!("PRAGMA wal_checkpoint({kind})");
    let row = db.connection.query_row(&sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)));
    row.map_err(|error| Stop::from(error).within(sql))
}

fn checkpoint(lab: &Lab<'_>, kind: &str) -> Checked {
    let place = lab.place()?;
    let db = logged(&place)?;
    let before = log_length(&place)?;
    let (busy, in_log, moved) = run_checkpoint(&db, kind)?;
    check!(!busy, "a checkpoint without readers is busy");
    check_eq!(moved, in_log, "frames moved into the database");
    check_eq!(log_length(&place)?, if kind == "truncate" { Some(0) } else { before }, "length of the log afterwards");
    let database = place.bytes("x.db", FileKind::MainDb)?.unwrap_or_default();
    lab.holding(&[("copy.db", &database)])?.open("copy.db")?.holds(200, 300)?;
    db.fill(201, 250, 300)?;
    place.open("x.db")?.holds(250, 300)
}

fn checkpoint_beside_a_reader(lab: &Lab<'_>, kind: &str) -> Checked {
    let place = lab.place()?;
    let db = logged(&place)?;
    let reader = place.open("x.db")?;
    reader.run("BEGIN")?;
    reader.has_rows(200)?;
    db.run("DELETE FROM t WHERE k > 100; UPDATE t SET v = v || ''; UPDATE t SET v = CAST(v AS BLOB)")?;
    let (busy, in_log, moved) = run_checkpoint(&db, kind)?;
    // Passive moves what it can and is content; the others would have had to wait.
    check_eq!(busy, kind != "passive", "busy");
    check!(moved < in_log, "a checkpoint has moved what a reader must not see");
    reader.holds(200, 300)?;
    reader.run("COMMIT")?;
    reader.holds(100, 300)?;
    check!(!run_checkpoint(&db, kind)?.0, "a checkpoint is busy when the reader has gone");
    db.holds(100, 300)
}

fn log_is_used_again(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let db = place.open("x.db")?;
    db.set_mode("wal")?;
    db.run("PRAGMA wal_autocheckpoint=20; CREATE TABLE t (k INTEGER PRIMARY KEY, v BLOB)")?;
    let rounds = lab.rounds(200, 3000);
    for k in 1..=rounds {
        db.run(&format!("INSERT INTO t VALUES ({k}, zeroblob(500))"))?;
    }
    let length = log_length(&place)?.unwrap_or(0);
    check!(length < HEADER + 40 * FRAME, "the log of small transactions has grown to {length} bytes");
    place.open("x.db")?.has_rows(rounds)?;
    db.is_whole()
}

fn last_close_removes_log(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let (a, b) = (logged(&place)?, place.open("x.db")?);
    b.has_rows(200)?;
    a.close()?;
    check!(place.exists("x.db-wal")?, "the log was removed while a connection is open");
    b.close()?;
    check!(!place.exists("x.db-wal")?, "the log is still there after the last connection was closed");
    place.open("x.db")?.holds(200, 300)
}

/// The files of a connection that never closed, after ten transactions of ten rows.
fn abandoned(lab: &Lab<'_>) -> Checked<Contents> {
    let place = lab.place()?;
    let db = place.open("x.db")?;
    db.set_mode("wal")?;
    db.run("PRAGMA wal_autocheckpoint=0; CREATE TABLE t (k INTEGER PRIMARY KEY, v BLOB)")?;
    for from in (1..=100).step_by(10) {
        db.fill(from, from + 9, 300)?;
    }
    let files = place.contents("x.db")?;
    check_eq!(files.len(), 2, "files of a database in WAL mode");
    Ok(files)
}

fn recovery(lab: &Lab<'_>) -> Checked {
    let place = lab.holding_all(&abandoned(lab)?)?;
    let db = place.open("x.db")?;
    db.holds(100, 300)?;
    db.fill(101, 150, 300)?;
    db.close()?;
    check!(!place.exists("x.db-wal")?, "the log is still there after the last connection was closed");
    place.open("x.db")?.holds(150, 300)
}

fn recovery_by_two(lab: &Lab<'_>) -> Checked {
    let place = lab.holding_all(&abandoned(lab)?)?;
    let (a, b) = (place.open("x.db")?, place.open("x.db")?);
    a.holds(100, 300)?;
    b.holds(100, 300)?;
    b.fill(101, 150, 300)?;
    a.holds(150, 300)
}

/// After a log was cut or damaged at a frame, the transactions before it are there, whole ones only.
fn recovers_a_prefix(lab: &Lab<'_>, files: &Contents) -> Checked<i64> {
    let place = lab.holding_all(files)?;
    let db = place.open("x.db")?;
    let tables: i64 = db.get("SELECT count(*) FROM sqlite_schema")?;
    if tables == 0 {
        db.is_whole()?;
        return Ok(-1);
    }
    let rows = db.rows()?;
    check_eq!(rows % 10, 0, "rows beyond a whole transaction");
    if rows > 0 {
        db.holds(rows, 300)?;
    }
    Ok(rows)
}

fn with_log(files: &Contents, change: impl Fn(&mut Vec<u8>)) -> Contents {
    let mut files = files.clone();
    for (name, bytes) in &mut files {
        if name.ends_with("-wal") {
            change(bytes);
        }
    }
    files
}

fn recovery_of_a_cut_log(lab: &Lab<'_>) -> Checked {
    let files = abandoned(lab)?;
    let frames = files.get(1).map_or(0, |(_, log)| (log.len() - HEADER) / FRAME);
    let mut last = -1;
    for frame in (0..=frames).step_by(lab.rounds(4, 1)) {
        for beyond in [0, 10, 24, 2000] {
            let rows = recovers_a_prefix(lab, &with_log(&files, |log| log.truncate(HEADER + frame * FRAME + beyond)))?;
            check!(rows >= last, "a longer log has fewer transactions: {rows} rows after {last}");
            last = rows;
        }
    }
    check!(recovers_a_prefix(lab, &files)? == 100, "the whole log does not have all transactions");
    Ok(())
}

fn recovery_of_a_damaged_log(lab: &Lab<'_>) -> Checked {
    let files = abandoned(lab)?;
    let frames = files.get(1).map_or(0, |(_, log)| (log.len() - HEADER) / FRAME);
    for frame in (0..frames).step_by(lab.rounds(4, 1)) {
        for at in [0, 8, 16, 1000] {
            let damaged = with_log(&files, |log| {
                if let Some(byte) = log.get_mut(HEADER + frame * FRAME + at) {
                    *byte ^= 0x55;
                }
            });
            let rows = recovers_a_prefix(lab, &damaged)?;
            check!(rows < 100, "a damaged frame was taken for whole");
        }
    }
    Ok(())
}

fn recovery_without_log(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let db = logged(&place)?;
    db.run("PRAGMA wal_checkpoint(truncate); DELETE FROM t")?;
    let database = place.bytes("x.db", FileKind::MainDb)?.unwrap_or_default();
    let place = lab.holding(&[("x.db", &database)])?;
    let db = place.open("x.db")?;
    db.holds(200, 300)?;
    db.fill(201, 210, 300)
}

fn read_only_connection(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let writer = logged(&place)?;
    let reader = place.try_open("x.db", OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    reader.holds(200, 300)?;
    reader.fails("DELETE FROM t", sys::SQLITE_READONLY)?;
    writer.run("DELETE FROM t WHERE k > 100")?;
    reader.holds(100, 300)?;
    writer.close()?;
    reader.holds(100, 300)?;
    reader.close()?;
    place.open("x.db")?.holds(100, 300)
}

fn back_to_delete(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let db = logged(&place)?;
    db.set_mode("delete")?;
    check!(!place.exists("x.db-wal")?, "the log is still there after leaving WAL mode");
    db.fill(201, 250, 300)?;
    db.close()?;
    let db = place.open("x.db")?;
    check_eq!(db.get::<String>("PRAGMA journal_mode")?, "delete", "the journal mode after opening again");
    db.holds(250, 300)
}

fn busy_when_leaving(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let (a, b) = (logged(&place)?, place.open("x.db")?);
    b.has_rows(200)?;
    a.is_busy("PRAGMA journal_mode=delete")?;
    b.close()?;
    a.set_mode("delete")?;
    a.holds(200, 300)
}

/// The lock slots of the index, as SQLite uses them: shared by readers, one at a time for writing.
fn index_slots(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let (mut a, mut b) = (place.file("x.db")?, place.file("x.db")?);
    for file in [&mut a, &mut b] {
        file.write(0, b"x")?;
        file.lock(crate::vfs::LockLevel::Shared)?;
        file.file.shm_map(0, 32_768, true)?;
    }
    const SHARED: bool = false;
    const EXCLUSIVE: bool = true;
    for first in 0..8 {
        a.file.shm_lock(first, 1, ShmLock::Lock { exclusive: SHARED })?;
        b.file.shm_lock(first, 1, ShmLock::Lock { exclusive: SHARED })?;
        b.file.shm_lock(first, 1, ShmLock::Unlock { exclusive: SHARED })?;
        let beside = b.file.shm_lock(first, 1, ShmLock::Lock { exclusive: EXCLUSIVE });
        check!(beside.is_err(), "slot {first} was had for writing beside a reader");
        a.file.shm_lock(first, 1, ShmLock::Unlock { exclusive: SHARED })?;
        b.file.shm_lock(first, 1, ShmLock::Lock { exclusive: EXCLUSIVE })?;
        for exclusive in [SHARED, EXCLUSIVE] {
            let beside = a.file.shm_lock(first, 1, ShmLock::Lock { exclusive });
            check!(beside.is_err(), "slot {first} was had beside a writer");
        }
        b.file.shm_lock(first, 1, ShmLock::Unlock { exclusive: EXCLUSIVE })?;
    }
    // Several at once: all or none.
    a.file.shm_lock(5, 1, ShmLock::Lock { exclusive: SHARED })?;
    check!(b.file.shm_lock(3, 5, ShmLock::Lock { exclusive: EXCLUSIVE }).is_err(), "slots were had that are in use");
    a.file.shm_lock(5, 1, ShmLock::Unlock { exclusive: SHARED })?;
    a.file.shm_lock(3, 5, ShmLock::Lock { exclusive: EXCLUSIVE })?;
    a.file.shm_unmap(false)?;
    b.file.shm_lock(3, 5, ShmLock::Lock { exclusive: EXCLUSIVE })?;
    b.file.shm_unmap(true)?;
    Ok(())
}

fn index_regions(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let mut file = place.file("x.db")?;
    file.write(0, b"x")?;
    file.lock(crate::vfs::LockLevel::Shared)?;
    check!(file.file.shm_map(0, 32_768, false)?.is_none(), "a region is there that nobody has made");
    let first = file.file.shm_map(0, 32_768, true)?;
    check!(first.is_some(), "a region could not be made");
    check!(file.file.shm_map(1, 32_768, false)?.is_none(), "a second region is there that nobody has made");
    check!(file.file.shm_map(1, 32_768, true)?.is_some(), "a second region could not be made");
    check_eq!(file.file.shm_map(0, 32_768, true)?, first, "where the first region lies after the second was made");
    file.file.shm_barrier();
    file.file.shm_unmap(true)?;
    Ok(())
}

/// With exclusive locking the index is SQLite's own, so any VFS that can write has WAL; one that cannot refuses the mode.
fn exclusive_locking(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let db = place.open("x.db")?;
    db.run("PRAGMA locking_mode=exclusive")?;
    if let Err(error) = db.connection.query_row("PRAGMA journal_mode=wal", [], |_| Ok(())) {
        return Err(Stop::not_promised(format!("WAL with exclusive locking is refused: {error}")));
    }
    check_eq!(db.get::<String>("PRAGMA journal_mode")?, "wal", "the journal mode with exclusive locking");
    db.fill(1, 200, 300)?;
    db.run("PRAGMA wal_checkpoint(truncate)")?;
    db.fill(201, 300, 300)?;
    db.close()?;
    let db = place.open("x.db")?;
    db.run("PRAGMA locking_mode=exclusive")?;
    db.holds(300, 300)?;
    db.set_mode("delete")?;
    db.close()?;
    place.open("x.db")?.holds(300, 300)
}
