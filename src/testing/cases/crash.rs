//! Power is lost at each change to a file: what is left opens, is whole, and has all that was committed.

use super::ledger::{ADVANCE, begin, version};
use crate::layers::{Fault, Recording, Unsynced};
use crate::testing::any::AnyVfs;
use crate::testing::case::Capability::{SharedMemory, Write};
use crate::testing::case::{Case, Checked, Stop, check};
use crate::testing::db::Db;
use crate::testing::lab::{Contents, Lab, Place};
use crate::vfs::DeviceCharacteristics;

pub(super) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for mode in ["delete", "truncate", "persist", "wal"] {
        let needs: &[_] = if mode == "wal" { &[Write, SharedMemory] } else { &[Write] };
        for (what, unsynced) in [
            ("lost", (|_| Unsynced::Lost) as fn(u64) -> Unsynced),
            ("kept", |_| Unsynced::Kept),
            ("reordered", |seed| Unsynced::Reordered { seed }),
            ("torn", |seed| Unsynced::Torn { seed }),
        ] {
            let run = move |lab: &Lab<'_>| transactions(lab, mode, "extra", unsynced);
            cases.push(Case::new(format!("crash/{mode}-{what}"), needs, run));
        }
        // Without syncing it is the program that may crash, not the machine.
        let run = move |lab: &Lab<'_>| transactions(lab, mode, "off", |_| Unsynced::Kept);
        cases.push(Case::new(format!("crash/{mode}-of-the-program"), needs, run));
    }
    cases.extend([
        Case::new("crash/wal-normal", &[Write, SharedMemory], wal_normal),
        Case::new("crash/wal-checkpoint", &[Write, SharedMemory], wal_checkpoint),
        Case::new("crash/first-transaction", &[Write], first_transaction),
        Case::new("crash/vacuum", &[Write], vacuum),
        Case::new("crash/two-files", &[Write], two_files),
        Case::new("crash/in-recovery", &[Write], in_recovery),
        Case::new("crash/leaving-wal", &[Write, SharedMemory], leaving_wal),
    ]);
    cases
}

/// Which versions may be found after a crash at a point: those of transactions that were on their way, and of the last one
/// that had come to its end.
#[derive(Clone, Copy)]
enum Durable {
    Yes,
    /// Later ones may be lost, but for whole transactions.
    No,
}

/// What was recorded, and after how many events each transaction was over, first of all the one that made the database.
struct Story {
    recording: Recording,
    ends: Vec<usize>,
}

/// Makes a database on the store, then records what `work` does. It tells of each transaction that it has come to its end.
fn tell(
    lab: &Lab<'_>,
    promises: DeviceCharacteristics,
    prepare: impl Fn(&Db) -> Checked,
    work: impl Fn(&Place<Fault<AnyVfs>>, &mut Vec<usize>) -> Checked,
) -> Checked<Story> {
    let place = lab.register(Fault::new(lab.fresh()?.promising(promises)))?;
    let db = place.open("x.db")?;
    prepare(&db)?;
    db.close()?;
    // What is there is taken in when it is opened.
    place.vfs.record();
    let mut ends = vec![0];
    work(&place, &mut ends)?;
    Ok(Story { recording: place.vfs.stop(), ends })
}

/// With and without what the medium promises.
fn promises(lab: &Lab<'_>) -> Vec<DeviceCharacteristics> {
    let mut promises = vec![DeviceCharacteristics::NONE];
    if lab.promises != DeviceCharacteristics::NONE {
        promises.push(lab.promises);
    }
    promises
}

fn left_behind(recording: &Recording, point: usize, unsynced: Unsynced) -> Checked<Contents> {
    Ok(recording.crash_at(point, unsynced)?.into_iter().collect())
}

impl Story {
    /// The points to try: all, or some.
    fn points(&self, lab: &Lab<'_>) -> impl Iterator<Item = usize> + use<> {
        let events = self.recording.events().len();
        let step = lab.rounds(events / 12 + 1, 1);
        // The end of the last transaction, too, at which all of it must be there.
        (0..events).step_by(step).chain([events])
    }

    /// How many transactions were over at a point, not counting the one that made the database.
    fn over(&self, point: usize) -> i64 {
        i64::try_from(self.ends.iter().filter(|&&end| end <= point).count()).unwrap_or(0) - 1
    }

    /// At every point the database is whole, and at a version that can be.
    fn holds(&self, lab: &Lab<'_>, unsynced: fn(u64) -> Unsynced, durable: Durable) -> Checked {
        for point in self.points(lab) {
            for seed in 0..lab.rounds(1, 5) {
                let unsynced = unsynced(seed * 1000 + point as u64);
                self.holds_at(lab, point, unsynced, durable).map_err(|stop| {
                    let event = point.checked_sub(1).and_then(|last| self.recording.events().get(last));
                    let event = event.map_or_else(
                        || "the first".to_owned(),
                        |event| format!("{} {:.60?}", event.name, event.change),
                    );
                    stop.within(format!("crash after event {point} ({event}), unsynced {unsynced:?}"))
                })?;
            }
        }
        Ok(())
    }

    fn holds_at(&self, lab: &Lab<'_>, point: usize, unsynced: Unsynced, durable: Durable) -> Checked {
        let place = lab.holding_all(&left_behind(&self.recording, point, unsynced)?)?;
        let found = version(&place.open("x.db")?)?;
        let over = self.over(point);
        let least = match durable {
            Durable::Yes => over,
            Durable::No => 0,
        };
        check!(found >= least, "a committed transaction is lost: version {found}, and {over} were committed");
        check!(found <= over + 1, "version {found}, and only {over} were committed");
        let db = place.open("x.db")?;
        db.run(ADVANCE)?;
        check!(version(&db)? == found + 1, "the database does not work on after the crash");
        Ok(())
    }
}

fn three_transactions(
    mode: &'static str,
    synchronous: &'static str,
) -> impl Fn(&Place<Fault<AnyVfs>>, &mut Vec<usize>) -> Checked {
    move |place, ends| {
        let db = place.open("x.db")?;
        db.set_mode(mode)?;
        db.run(&format!("PRAGMA synchronous={synchronous}"))?;
        db.spill_early()?;
        for _ in 0..3 {
            db.run(ADVANCE)?;
            ends.push(place.vfs.recorded());
        }
        db.close()
    }
}

fn prepared(mode: &'static str) -> impl Fn(&Db) -> Checked {
    move |db| {
        db.set_mode(mode)?;
        begin(db)
    }
}

fn transactions(
    lab: &Lab<'_>,
    mode: &'static str,
    synchronous: &'static str,
    unsynced: fn(u64) -> Unsynced,
) -> Checked {
    for promises in promises(lab) {
        let story = tell(lab, promises, prepared(mode), three_transactions(mode, synchronous))?;
        check!(story.recording.events().len() > 6, "transactions have changed hardly anything");
        story.holds(lab, unsynced, Durable::Yes)?;
    }
    Ok(())
}

/// The last transactions may be lost with power, but nothing else is.
fn wal_normal(lab: &Lab<'_>) -> Checked {
    for promises in promises(lab) {
        let story = tell(lab, promises, prepared("wal"), three_transactions("wal", "normal"))?;
        for unsynced in [(|_| Unsynced::Lost) as fn(u64) -> Unsynced, |seed| Unsynced::Torn { seed }] {
            story.holds(lab, unsynced, Durable::No)?;
        }
        story.holds(lab, |_| Unsynced::Kept, Durable::Yes)?;
    }
    Ok(())
}

fn wal_checkpoint(lab: &Lab<'_>) -> Checked {
    let story = tell(lab, DeviceCharacteristics::NONE, prepared("wal"), |place, ends| {
        let db = place.open("x.db")?;
        db.run("PRAGMA synchronous=full; PRAGMA wal_autocheckpoint=0")?;
        for kind in ["passive", "restart", "truncate"] {
            db.run(ADVANCE)?;
            ends.push(place.vfs.recorded());
            db.run(&format!("PRAGMA wal_checkpoint({kind})"))?;
        }
        db.close()
    })?;
    for unsynced in [(|_| Unsynced::Lost) as fn(u64) -> Unsynced, |_| Unsynced::Kept, |seed| Unsynced::Torn { seed }] {
        story.holds(lab, unsynced, Durable::Yes)?;
    }
    Ok(())
}

fn leaving_wal(lab: &Lab<'_>) -> Checked {
    let story = tell(lab, DeviceCharacteristics::NONE, prepared("wal"), |place, ends| {
        let db = place.open("x.db")?;
        db.run("PRAGMA synchronous=extra")?;
        for mode in ["delete", "wal", "delete"] {
            db.set_mode(mode)?;
            db.run(ADVANCE)?;
            ends.push(place.vfs.recorded());
        }
        db.close()
    })?;
    // SQLite deletes the log without asking for that to be durable, and takes one that is back for its own. So power may only
    // be lost where deletions arrive.
    story.holds(lab, |_| Unsynced::Kept, Durable::Yes)
}

/// The transaction that makes the file: there is a database without tables, or with one.
fn first_transaction(lab: &Lab<'_>) -> Checked {
    for promises in promises(lab) {
        let place = lab.register(Fault::new(lab.fresh()?.promising(promises)))?;
        place.vfs.record();
        let db = place.open("x.db")?;
        db.run("PRAGMA synchronous=extra")?;
        begin(&db)?;
        let end = place.vfs.recorded();
        let recording = place.vfs.stop();
        for point in 0..=end {
            for unsynced in [Unsynced::Lost, Unsynced::Kept, Unsynced::Torn { seed: point as u64 }] {
                let at = |stop: Stop| stop.within(format!("crash after event {point}, unsynced {unsynced:?}"));
                let place = lab.holding_all(&left_behind(&recording, point, unsynced)?)?;
                let db = place.open("x.db")?;
                let tables: i64 = db.get("SELECT count(*) FROM sqlite_schema").map_err(at)?;
                if tables == 0 {
                    check!(
                        point < end,
                        "crash after event {point}, unsynced {unsynced:?}: a committed database is lost"
                    );
                    begin(&db).map_err(at)?;
                }
                version(&db).map_err(at)?;
            }
        }
    }
    Ok(())
}

fn vacuum(lab: &Lab<'_>) -> Checked {
    for promises in promises(lab) {
        let story = tell(lab, promises, prepared("delete"), |place, _| {
            let db = place.open("x.db")?;
            db.run("PRAGMA synchronous=extra; PRAGMA page_size=1024; VACUUM")?;
            db.close()
        })?;
        for unsynced in
            [(|_| Unsynced::Lost) as fn(u64) -> Unsynced, |_| Unsynced::Kept, |seed| Unsynced::Torn { seed }]
        {
            story.holds(lab, unsynced, Durable::Yes)?;
        }
    }
    Ok(())
}

/// A transaction over two files: both have it, or neither.
fn two_files(lab: &Lab<'_>) -> Checked {
    let place = lab.register(Fault::new(lab.fresh()?.promising(DeviceCharacteristics::NONE)))?;
    for name in ["a.db", "b.db"] {
        place.open(name)?.run("CREATE TABLE t AS SELECT 0 AS v")?;
    }
    place.vfs.record();
    let db = place.open("a.db")?;
    db.run("ATTACH 'b.db' AS b; PRAGMA main.synchronous=extra; PRAGMA b.synchronous=extra")?;
    // Both files are taken in before either changes.
    db.run("SELECT * FROM main.t; SELECT * FROM b.t")?;
    db.run("BEGIN; UPDATE main.t SET v = 1; UPDATE b.t SET v = 1; COMMIT")?;
    let end = place.vfs.recorded();
    let recording = place.vfs.stop();
    let mut seen = Vec::new();
    for point in 0..=end {
        for unsynced in [Unsynced::Lost, Unsynced::Kept, Unsynced::Reordered { seed: point as u64 }] {
            let at = |stop: Stop| stop.within(format!("crash after event {point}, unsynced {unsynced:?}"));
            let place = lab.holding_all(&left_behind(&recording, point, unsynced)?)?;
            // The second file first: it has to find out about the other by itself.
            let [b, a] = ["b.db", "a.db"].map(|name| {
                let db = place.open(name)?;
                db.is_whole()?;
                db.get::<i64>("SELECT v FROM t")
            });
            let (a, b) = (a.map_err(at)?, b.map_err(at)?);
            check!(a == b, "crash after event {point}, unsynced {unsynced:?}: {a} in one file and {b} in the other");
            check!(point < end || a == 1, "unsynced {unsynced:?}: a committed transaction is lost");
            seen.push(a);
        }
    }
    check!(seen.contains(&0) && seen.contains(&1), "no crash fell into the transaction");
    Ok(())
}

/// Power is lost again while a hot journal is rolled back.
fn in_recovery(lab: &Lab<'_>) -> Checked {
    let story = tell(lab, DeviceCharacteristics::NONE, prepared("delete"), three_transactions("delete", "extra"))?;
    for point in story.points(lab) {
        let files = left_behind(&story.recording, point, Unsynced::Kept)?;
        let borrowed: Vec<_> = files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
        let place =
            lab.register(Fault::new(lab.holding_unregistered(&borrowed)?.promising(DeviceCharacteristics::NONE)))?;
        place.vfs.record();
        let first = version(&place.open("x.db")?)?;
        let recording = place.vfs.stop();
        let events = recording.events().len();
        for again in (0..=events).step_by(lab.rounds(events / 4 + 1, 1)) {
            let mut files = left_behind(&recording, again, Unsynced::Lost)?;
            if files.is_empty() {
                // Nothing was hot, and so nothing was changed.
                files = left_behind(&story.recording, point, Unsynced::Kept)?;
            }
            let found = version(&lab.holding_all(&files)?.open("x.db")?).map_err(|stop| {
                stop.within(format!("crash after event {point}, and again after {again} events of recovery"))
            })?;
            check!(
                found == first,
                "crash after event {point}, and {again} of recovery: version {found} and not {first}"
            );
        }
    }
    Ok(())
}
