//! The store runs out of space: the transaction is rolled back, and the database works again afterwards.

use super::ledger::{ADVANCE, begin, version};
use crate::layers::{Action, Fault, Operation, Rule, When};
use crate::sys;
use crate::testing::any::AnyVfs;
use crate::testing::case::Capability::{BatchAtomic, Connections, SharedMemory, Write};
use crate::testing::case::{Case, Checked, Stop, check, check_eq};
use crate::testing::db::Db;
use crate::testing::lab::{Lab, Place};
use crate::vfs::{DeviceCharacteristics, ErrorCode, FileKind, VfsError};

pub(super) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for mode in ["delete", "truncate", "persist", "memory", "wal"] {
        let needs: &[_] = if mode == "wal" { &[Write, Connections, SharedMemory] } else { &[Write, Connections] };
        cases.push(Case::new(format!("full/{mode}"), needs, move |lab| every_write(lab, mode, None)));
        let run = move |lab: &Lab<'_>| every_write(lab, mode, Some(100));
        cases.push(Case::new(format!("full/{mode}-in-part"), needs, run));
    }
    cases.extend([
        Case::new("full/batch", &[Write, Connections, BatchAtomic], batch),
        Case::new("full/vacuum", &[Write], vacuum),
        Case::new("full/index", &[Write], index),
        Case::new("full/two-files", &[Write, Connections], two_files),
        Case::new("full/checkpoint", &[Write, SharedMemory], checkpoint),
    ]);
    cases
}

type FaultyPlace = Place<Fault<AnyVfs>>;

fn is_full() -> VfsError {
    VfsError::new(ErrorCode::Full, "no space is left")
}

/// Space runs out at the n-th write; of it, so many bytes arrive.
fn runs_out(place: &FaultyPlace, n: u64, arrive: Option<usize>) {
    let action = arrive.map_or(Action::Fail(is_full()), |bytes| Action::Shorten { bytes, error: is_full() });
    place.vfs.clear();
    place.vfs.reset_counts();
    place.vfs.add(Rule::new(Operation::Write, When::Nth(n), action));
}

/// Runs `sql` with space running out at its first write, at a later one, and so on, until it gets by with what there is. Each
/// time it fails `after` says whether all is well.
fn at_every_write(
    lab: &Lab<'_>,
    place: &FaultyPlace,
    db: &Db,
    sql: &str,
    arrive: Option<usize>,
    after: impl Fn() -> Checked,
) -> Checked {
    let mut n = 1;
    loop {
        let at = |stop: Stop| stop.within(format!("space runs out at write {n}"));
        runs_out(place, n, arrive);
        let code = db.code(sql);
        let reached = place.vfs.count(Operation::Write) >= n;
        place.vfs.clear();
        if !reached {
            check_eq!(code, sys::SQLITE_OK, "the result code of what fits");
            check!(n > 1, "nothing was written, so nothing was tried");
            return Ok(());
        }
        check_eq!(code, sys::SQLITE_FULL, "the result code when space runs out at write {n}");
        db.give_up().map_err(at)?;
        after().map_err(at)?;
        n += lab.rounds(1 + n / 3, 1);
    }
}

fn faulty(lab: &Lab<'_>, promises: DeviceCharacteristics) -> Checked<FaultyPlace> {
    lab.register(Fault::new(lab.fresh()?.promising(promises)))
}

/// A database at version 0, and a connection to it.
fn ledger(place: &FaultyPlace, mode: &str) -> Checked<Db> {
    let db = place.open("x.db")?;
    db.set_mode(mode)?;
    begin(&db)?;
    Ok(db)
}

fn every_write(lab: &Lab<'_>, mode: &str, arrive: Option<usize>) -> Checked {
    let place = faulty(lab, DeviceCharacteristics::NONE)?;
    let db = ledger(&place, mode)?;
    at_every_write(lab, &place, &db, ADVANCE, arrive, || {
        let before = version(&db)?;
        check_eq!(version(&place.open("x.db")?)?, before, "the version that another connection finds");
        db.run(ADVANCE)?;
        check_eq!(version(&db)?, before + 1, "the version after doing the same with space");
        Ok(())
    })
}

/// In the middle of a batch: what it has written is undone.
fn batch(lab: &Lab<'_>) -> Checked {
    let place = faulty(lab, lab.promises)?;
    let db = ledger(&place, "delete")?;
    // The whole transaction waits in the cache for its batch.
    db.run("PRAGMA cache_size=1000; PRAGMA cache_spill=off")?;
    for arrive in [None, Some(100)] {
        at_every_write(lab, &place, &db, ADVANCE, arrive, || {
            let before = version(&place.open("x.db")?)?;
            check_eq!(version(&db)?, before, "the version that the connection itself finds");
            db.run(ADVANCE)?;
            check_eq!(version(&place.open("x.db")?)?, before + 1, "the version after doing the same with space");
            Ok(())
        })?;
    }
    Ok(())
}

fn filled(place: &FaultyPlace) -> Checked<Db> {
    let db = place.open("x.db")?;
    db.fill(1, 100, 300)?;
    db.spill_early()?;
    Ok(db)
}

fn vacuum(lab: &Lab<'_>) -> Checked {
    let place = faulty(lab, DeviceCharacteristics::NONE)?;
    let db = filled(&place)?;
    at_every_write(lab, &place, &db, "PRAGMA page_size=1024; VACUUM", None, || db.holds(100, 300))?;
    db.holds(100, 300)
}

fn index(lab: &Lab<'_>) -> Checked {
    let place = faulty(lab, DeviceCharacteristics::NONE)?;
    let db = filled(&place)?;
    at_every_write(lab, &place, &db, "CREATE INDEX i ON t(v)", None, || db.holds(100, 300))?;
    db.holds(100, 300)
}

fn two_files(lab: &Lab<'_>) -> Checked {
    let place = faulty(lab, DeviceCharacteristics::NONE)?;
    for name in ["a.db", "b.db"] {
        place.open(name)?.run("CREATE TABLE t AS SELECT 0 AS v")?;
    }
    let db = place.open("a.db")?;
    db.run("ATTACH 'b.db' AS b")?;
    let change = "BEGIN; UPDATE main.t SET v = v + 1; UPDATE b.t SET v = v + 1; COMMIT";
    at_every_write(lab, &place, &db, change, None, || {
        let [a, b] = ["a.db", "b.db"].map(|name| place.open(name).and_then(|db| db.get::<i64>("SELECT v FROM t")));
        check_eq!(a?, 0, "the value in the first file");
        check_eq!(b?, 0, "the value in the second file");
        Ok(())
    })
}

fn checkpoint(lab: &Lab<'_>) -> Checked {
    let place = faulty(lab, DeviceCharacteristics::NONE)?;
    let db = place.open("x.db")?;
    db.set_mode("wal")?;
    db.run("PRAGMA wal_autocheckpoint=0")?;
    db.fill(1, 200, 300)?;
    for n in [1, 2, 5] {
        place.vfs.add(Rule::new(Operation::Write, When::From(n), Action::Fail(is_full())).kind(FileKind::MainDb));
        db.fails("PRAGMA wal_checkpoint(truncate)", sys::SQLITE_FULL)?;
        db.holds(200, 300)?;
        place.vfs.clear();
    }
    db.run("PRAGMA wal_checkpoint(truncate)")?;
    db.holds(200, 300)
}
