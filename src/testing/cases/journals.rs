//! Rollback journals: commit, rollback, and what is left when a connection never came to its end.

use crate::testing::case::Capability::{Connections, SharedMemory, Write};
use crate::testing::case::{Case, Checked, Stop, check, check_eq};
use crate::testing::db::{Db, FILE_MODES};
use crate::testing::lab::{Contents, Lab, Place};
use crate::vfs::FileKind;

const MODES: [&str; 6] = ["delete", "truncate", "persist", "memory", "wal", "off"];
const SYNCHRONOUS: [&str; 4] = ["off", "normal", "full", "extra"];

pub(super) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for mode in MODES {
        let needs: &[_] = if mode == "wal" { &[Write, SharedMemory] } else { &[Write] };
        for synchronous in SYNCHRONOUS {
            let run = move |lab: &Lab<'_>| life(lab, mode, synchronous);
            cases.push(Case::new(format!("journal/{mode}-{synchronous}"), needs, run));
        }
    }
    let needs = [Write, Connections];
    cases.extend([
        Case::new("journal/ends-as-its-mode-says", &[Write], ends_as_its_mode_says),
        Case::new("journal/switching-modes", &[Write], switching_modes),
        Case::new("journal/spilled-rollback", &[Write], spilled_rollback),
        Case::new("journal/hot-is-rolled-back", &needs, hot_is_rolled_back),
        Case::new("journal/hot-is-found-by-two", &needs, hot_is_found_by_two),
        Case::new("journal/hot-but-cut-off", &needs, hot_but_cut_off),
        Case::new("journal/size-limit", &[Write], size_limit),
    ]);
    cases
}

/// A database's life in this mode: on the store as it is, and with SQLite taking all the care it knows.
fn life(lab: &Lab<'_>, mode: &str, synchronous: &str) -> Checked {
    for place in lab.places()? {
        let db = place.open("x.db")?;
        db.set_mode(mode)?;
        db.run(&format!("PRAGMA synchronous={synchronous}"))?;
        db.fill(1, 300, 300)?;
        db.run("DELETE FROM t WHERE k > 200; UPDATE t SET v = v WHERE k % 5 = 0; INSERT INTO t VALUES (1000, 1)")?;
        db.run("DELETE FROM t WHERE k = 1000")?;
        db.holds(200, 300)?;
        for early in [false, true] {
            if early {
                db.spill_early()?;
            }
            if mode != "off" {
                db.run(
                    "BEGIN; DELETE FROM t WHERE k < 100; CREATE TABLE u (x); UPDATE t SET v = zeroblob(900); ROLLBACK",
                )?;
                db.holds(200, 300)?;
            }
            db.run("BEGIN; UPDATE t SET v = v || 'x'; INSERT INTO t SELECT k + 1000, zeroblob(900) FROM t; COMMIT")?;
            db.run("BEGIN; UPDATE t SET v = substr(v, 1, 300); DELETE FROM t WHERE k > 1000; COMMIT")?;
            db.run("UPDATE t SET v = CAST(v AS BLOB)")?;
            db.holds(200, 300)?;
        }
        db.close()?;
        let db = place.open("x.db")?;
        db.holds(200, 300)?;
        db.run("INSERT INTO t VALUES (1000, 1)")?;
        db.close()?;
        place.open("x.db")?.has_rows(201)?;
    }
    Ok(())
}

fn length(place: &Place, name: &str) -> Checked<Option<usize>> {
    Ok(place.bytes(name, FileKind::MainJournal)?.map(|bytes| bytes.len()))
}

/// The journal that a mode leaves behind after a commit: none, an empty one, one whose header is zeros.
fn ends_as_its_mode_says(lab: &Lab<'_>) -> Checked {
    for mode in FILE_MODES {
        let place = lab.plain()?;
        let db = place.open("x.db")?;
        db.set_mode(mode)?;
        db.fill(1, 100, 300)?;
        db.run("UPDATE t SET v = zeroblob(300)")?;
        let journal = place.bytes("x.db-journal", FileKind::MainJournal)?;
        match (mode, journal) {
            ("delete", None) => {}
            ("truncate", Some(bytes)) => check_eq!(bytes.len(), 0, "length of the journal in truncate mode"),
            ("persist", Some(bytes)) => check!(
                bytes.len() > 512 && bytes.iter().take(8).all(|&byte| byte == 0),
                "the journal in persist mode has a header that is not zeros"
            ),
            (_, journal) => {
                let there = if journal.is_some() { "there is a journal" } else { "there is no journal" };
                return Err(Stop::failed(format!("{there} after a commit in {mode} mode")));
            }
        }
    }
    Ok(())
}

fn switching_modes(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let db = place.open("x.db")?;
    db.fill(1, 1, 10)?;
    let wal = lab.offers(SharedMemory);
    let modes = || MODES.into_iter().filter(|&mode| wal || mode != "wal");
    let mut n = 1;
    for from in modes() {
        for to in modes() {
            db.set_mode(from)?;
            db.run("UPDATE t SET v = 1 WHERE k = 1")?;
            db.set_mode(to)?;
            n += 1;
            db.run(&format!("INSERT INTO t VALUES ({n}, '{from} to {to}')"))?;
            db.has_rows(n).map_err(|stop| stop.within(format!("{from} to {to}")))?;
        }
    }
    db.set_mode("delete")?;
    db.close()?;
    let db = place.open("x.db")?;
    db.has_rows(n)?;
    db.is_whole()
}

/// A database of 300 rows, in the middle of a transaction that has written to the file.
fn within_transaction(place: &Place, mode: &str) -> Checked<(Db, String)> {
    let db = place.open("x.db")?;
    db.set_mode(mode)?;
    db.fill(1, 300, 300)?;
    let before = db.contents()?;
    db.spill_early()?;
    db.run("BEGIN; UPDATE t SET v = zeroblob(700); INSERT INTO t SELECT k + 1000, v FROM t")?;
    Ok((db, before))
}

fn spilled_rollback(lab: &Lab<'_>) -> Checked {
    for mode in FILE_MODES {
        for place in lab.places()? {
            let (db, before) = within_transaction(&place, mode)?;
            check!(place.exists("x.db-journal")?, "a transaction larger than its cache has no journal");
            db.run("ROLLBACK")?;
            db.is_as(&before)?;
            db.close()?;
            place.open("x.db")?.is_as(&before)?;
        }
    }
    Ok(())
}

/// The files of a transaction that never ends.
fn abandoned(lab: &Lab<'_>, mode: &str) -> Checked<(Contents, String)> {
    let place = lab.place()?;
    let (_db, before) = within_transaction(&place, mode)?;
    let files = place.contents("x.db")?;
    check!(files.len() == 2, "a transaction larger than its cache has no journal");
    Ok((files, before))
}

fn hot_is_rolled_back(lab: &Lab<'_>) -> Checked {
    for mode in FILE_MODES {
        let (files, before) = abandoned(lab, mode)?;
        let place = lab.holding_all(&files)?;
        let db = place.open("x.db")?;
        db.is_as(&before).map_err(|stop| stop.within(format!("a hot journal in {mode} mode")))?;
        check!(!place.exists("x.db-journal")?, "the journal is still there after it was rolled back");
        db.run("INSERT INTO t VALUES (5000, 'on we go')")?;
        db.has_rows(301)?;
    }
    Ok(())
}

fn hot_is_found_by_two(lab: &Lab<'_>) -> Checked {
    let (files, before) = abandoned(lab, "delete")?;
    let place = lab.holding_all(&files)?;
    let (a, b) = (place.open("x.db")?, place.open("x.db")?);
    a.is_as(&before)?;
    b.is_as(&before)?;
    b.run("INSERT INTO t VALUES (5000, 1)")?;
    a.has_rows(301)
}

/// A journal that was cut off anywhere never harms: what it has is rolled back, and the file was not written beyond that.
fn hot_but_cut_off(lab: &Lab<'_>) -> Checked {
    // With no page written to the database yet, the journal may have any length.
    let place = lab.plain()?;
    let db = place.open("x.db")?;
    db.fill(1, 300, 300)?;
    let before = db.contents()?;
    let database = place.bytes("x.db", FileKind::MainDb)?.unwrap_or_default();
    db.spill_early()?;
    db.run("BEGIN; UPDATE t SET v = zeroblob(700)")?;
    let journal = place.bytes("x.db-journal", FileKind::MainJournal)?.unwrap_or_default();
    check!(journal.len() > 5000, "a transaction larger than its cache has no journal");
    for length in [1, 8, 27, 28, 511, 512, 513, 600, 4608, 4615, 4616, journal.len() - 1] {
        let cut = journal.get(..length).unwrap_or(&journal);
        let place = lab.holding(&[("x.db", &database), ("x.db-journal", cut)])?;
        place.open("x.db")?.is_as(&before).map_err(|stop| stop.within(format!("a journal of {length} bytes")))?;
    }
    Ok(())
}

fn size_limit(lab: &Lab<'_>) -> Checked {
    let place = lab.plain()?;
    let db = place.open("x.db")?;
    db.set_mode("persist")?;
    db.run("PRAGMA journal_size_limit=10000")?;
    db.fill(1, 300, 300)?;
    db.run("UPDATE t SET v = zeroblob(300)")?;
    check!(length(&place, "x.db-journal")? <= Some(10_000), "a journal is longer than its limit after the commit");
    db.is_whole()
}
