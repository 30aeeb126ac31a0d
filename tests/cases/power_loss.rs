//! Power is lost at any moment: what was committed is there, and nothing by halves.

use std::collections::BTreeMap;

use rusqlite::Connection;
use sqlite_vfs_kit::layers::{Change, Fault, Recording, Unsynced};
use sqlite_vfs_kit::stores::MemoryVfs;
use sqlite_vfs_kit::vfs::{DeviceCharacteristics, Files};

use crate::support::{Place, Random, fill, full, memory, place, run, set_mode, spill_early, test};

/// Those whose journal survives a crash at all.
const MODES: [&str; 4] = ["delete", "truncate", "persist", "wal"];

/// What a medium may promise, each with a size of its sectors.
const PROMISES: [(DeviceCharacteristics, u32); 5] = [
    (DeviceCharacteristics::NONE, 4096),
    (DeviceCharacteristics::NONE, 512),
    (DeviceCharacteristics::POWERSAFE_OVERWRITE, 512),
    (DeviceCharacteristics::POWERSAFE_OVERWRITE.and(DeviceCharacteristics::SAFE_APPEND), 512),
    (DeviceCharacteristics::POWERSAFE_OVERWRITE.and(DeviceCharacteristics::SEQUENTIAL), 512),
];

/// A database at work, and everything it did.
struct History {
    recording: Recording,
    /// What it held after each commit, and how many events there were by then. At first it holds nothing.
    states: Vec<(String, usize)>,
    context: String,
}

/// What the table holds; nothing if there is none.
fn state(db: &Connection) -> rusqlite::Result<String> {
    let exists: bool = db.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if !exists {
        return Ok(String::new());
    }
    db.query_row("SELECT coalesce(group_concat(k || hex(v)), 'empty') FROM t", [], |row| row.get(0))
}

fn open(place: &Place<Fault<MemoryVfs>>, mode: &str, synchronous: &str) -> Connection {
    let db = place.open("x.db");
    run(&db, &format!("PRAGMA page_size=1024; PRAGMA auto_vacuum=full; PRAGMA synchronous={synchronous}"));
    set_mode(&db, mode);
    spill_early(&db);
    run(&db, "PRAGMA wal_autocheckpoint=20");
    db
}

/// Transactions that grow, overwrite and shrink the file, roll back, and leave the cache early.
fn history(vfs: Fault<MemoryVfs>, mode: &str, synchronous: &str) -> History {
    let place = place(vfs);
    let vfs = place.vfs.clone();
    vfs.record();
    let mut states = vec![(String::new(), 0)];
    let mut db = open(&place, mode, synchronous);
    let mut commit = |db: &Connection, sql: &str| {
        run(db, sql);
        states.push((state(db).unwrap(), vfs.recorded()));
    };
    commit(&db, "CREATE TABLE t (k INTEGER PRIMARY KEY, v BLOB)");
    run(&db, "BEGIN");
    fill(&db, 1, 12, 700);
    commit(&db, "COMMIT");
    commit(&db, "UPDATE t SET v = zeroblob(300) WHERE k % 2 = 0");
    run(&db, "BEGIN; UPDATE t SET v = 'never'; INSERT INTO t SELECT k + 50, zeroblob(900) FROM t; ROLLBACK");
    commit(&db, "DELETE FROM t WHERE k < 6");
    commit(&db, "INSERT INTO t VALUES (100, 'alone')");
    // The last to close puts an end to the log.
    drop(db);
    db = open(&place, mode, synchronous);
    commit(&db, "INSERT INTO t SELECT k + 200, v FROM t");
    commit(&db, "UPDATE t SET v = k WHERE k > 200");
    commit(&db, "DELETE FROM t");
    drop(db);
    History { recording: vfs.stop(), states, context: format!("{mode}, {synchronous}") }
}

/// What is found when the power is back.
fn recover(files: &BTreeMap<String, Vec<u8>>) -> Result<String, String> {
    let place = memory();
    for (name, bytes) in files {
        place.vfs.write(name, bytes).unwrap();
    }
    let db = place.open("x.db");
    let look = || -> rusqlite::Result<_> {
        let check: String = db.query_row("PRAGMA integrity_check", [], |row| row.get(0))?;
        let state = state(&db)?;
        // It works.
        db.execute_batch("CREATE TABLE u (x); INSERT INTO u VALUES (zeroblob(3000))")?;
        Ok((check, state))
    };
    match look() {
        Ok((check, state)) if check == "ok" => Ok(state),
        Ok((check, _)) => Err(check),
        Err(error) => Err(error.to_string()),
    }
}

impl History {
    /// Loses power after so many events. The last commits, `lost` of them, need not have survived.
    fn crash(&self, point: usize, unsynced: Unsynced, lost: usize) -> Result<(), String> {
        let files = self.recording.crash_at(point, unsynced).unwrap();
        let committed = self.states.iter().rposition(|&(_, by)| by <= point).unwrap();
        let allowed = self.states.get(committed.saturating_sub(lost)..).unwrap();
        let allowed = &allowed[..allowed.len().min(lost.min(committed).saturating_add(2))];
        let found = recover(&files);
        if found.as_ref().is_ok_and(|found| allowed.iter().any(|(state, _)| state == found)) {
            return Ok(());
        }
        let what = match found {
            Ok(found) => match self.states.iter().position(|(state, _)| *state == found) {
                Some(number) => format!("the state after commit {number} of {committed}"),
                None => "half a transaction".to_owned(),
            },
            Err(error) => error,
        };
        Err(format!("{}: {point} events, {unsynced:?}: {what}", self.context))
    }

    fn ways(random: &mut Random) -> [Unsynced; 4] {
        let mut seed = || random.next();
        [Unsynced::Lost, Unsynced::Kept, Unsynced::Reordered { seed: seed() }, Unsynced::Torn { seed: seed() }]
    }

    /// Loses power at every moment, or in short runs at some, in every way.
    fn check(&self, lost: usize, random: &mut Random) {
        let step = match full() {
            true if cfg!(target_family = "wasm") => 4,
            true => 1,
            false => 16,
        };
        let mut point = random.below(step) as usize;
        while point <= self.recording.events().len() {
            for unsynced in Self::ways(random) {
                let lost = if unsynced == Unsynced::Kept { 0 } else { lost };
                if let Err(error) = self.crash(point, unsynced, lost) {
                    panic!("{error}");
                }
            }
            point += 1 + random.below(2 * step - 1) as usize;
        }
    }
}

fn fault(promise: DeviceCharacteristics, sector: u32) -> Fault<MemoryVfs> {
    Fault::new(MemoryVfs::new()).with_characteristics(promise).with_sector_size(sector)
}

#[test]
fn what_was_committed_survives() {
    let mut random = Random::new(1);
    for mode in MODES {
        for (promise, sector) in PROMISES {
            // With SAFE_APPEND SQLite goes by the journal's length, which tells nothing where it persists.
            if mode == "persist" && promise.contains(DeviceCharacteristics::SAFE_APPEND) {
                continue;
            }
            // The deletion of the journal is the commit, and only EXTRA asks for it to be durable.
            let lost = usize::from(mode == "delete");
            let mut history = history(fault(promise, sector), mode, "full");
            history.context += &format!(", {promise:?}, sectors of {sector}");
            history.check(lost, &mut random);
        }
    }
}

#[test]
fn with_extra_a_deleted_journal_does_not_come_back() {
    let history = history(fault(DeviceCharacteristics::NONE, 512), "delete", "extra");
    let deletes = history.recording.events().iter().filter(|event| event.change == Change::Delete { sync_dir: true });
    assert!(deletes.count() > 5);
    history.check(0, &mut Random::new(2));
}

/// With a rollback journal NORMAL does not promise as much: a database may come back malformed.
#[test]
fn a_log_that_is_synced_by_checkpoints_only_may_lose_commits_but_no_halves() {
    for (promise, sector) in PROMISES {
        let history = history(fault(promise, sector), "wal", "normal");
        history.check(usize::MAX, &mut Random::new(3));
    }
}

#[test]
fn batches_survive_as_a_whole() {
    for mode in MODES {
        let history = history(Fault::new(MemoryVfs::new()), mode, "full");
        let batches = history.recording.events().iter().filter(|event| event.change == Change::CommitBatch).count();
        assert_eq!(batches > 2, mode != "wal", "{mode}: {batches} batches");
        history.check(usize::from(mode == "delete"), &mut Random::new(4));
    }
}

/// Were nothing found where nothing is synced, the tests above would prove nothing.
#[test]
fn who_does_not_sync_is_found_out() {
    let mut random = Random::new(5);
    for mode in MODES {
        let history = history(fault(DeviceCharacteristics::NONE, 512), mode, "off");
        let mut found = BTreeMap::new();
        for point in (0..=history.recording.events().len()).step_by(2) {
            for (way, unsynced) in History::ways(&mut random).into_iter().enumerate() {
                *found.entry(way).or_insert(0) += i32::from(history.crash(point, unsynced, 0).is_err());
            }
        }
        let [lost, kept, reordered, torn] = [0, 1, 2, 3].map(|way| found[&way]);
        assert!(lost > 0 && reordered > 0 && torn > 0, "{mode}: {found:?}");
        assert_eq!(kept, 0, "{mode}: what has all arrived is as after the end of the process");
    }
}
