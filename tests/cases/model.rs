//! Random transactions of several connections, against a model of what the database must hold.

use std::collections::BTreeMap;

use rusqlite::Connection;
use sqlite_vfs_kit::stores::MemoryVfs;
use sqlite_vfs_kit::sys;

use crate::support::{Place, Random, SAFE_MODES, assert_whole, code, failure, full, memory, memory_of, run, test};

/// Keys, with a number and the length of some padding each.
type Rows = BTreeMap<i64, (i64, i64)>;

enum State {
    Idle,
    /// In a transaction that has read, and so sees this.
    Reading(Rows),
    /// In a transaction that may write: what it will have written.
    Writing(Rows),
}

struct Session {
    db: Connection,
    state: State,
}

struct World {
    place: Place<MemoryVfs>,
    random: Random,
    sessions: Vec<Session>,
    committed: Rows,
    mode: &'static str,
    /// What happened, for whoever has to find out why.
    story: Vec<String>,
}

const SESSIONS: usize = 4;

impl World {
    fn new(seed: u64, place: Place<MemoryVfs>) -> Self {
        let mut random = Random::new(seed);
        let mode = *random.pick(&SAFE_MODES);
        let mut world = Self { place, random, sessions: Vec::new(), committed: Rows::new(), mode, story: Vec::new() };
        let first = world.place.open("x.db");
        run(&first, &format!("PRAGMA page_size={}", world.random.pick(&[512, 1024, 4096])));
        run(&first, &format!("PRAGMA auto_vacuum={}", world.random.below(3)));
        run(&first, &format!("PRAGMA journal_mode={mode}"));
        run(&first, "CREATE TABLE t (k INTEGER PRIMARY KEY, n, pad); CREATE INDEX i ON t(n)");
        for _ in 0..SESSIONS {
            let session = world.fresh();
            world.sessions.push(session);
        }
        world
    }

    fn fresh(&mut self) -> Session {
        let db = self.place.open("x.db");
        let mut pragmas = vec![
            format!("journal_size_limit={}", self.random.below(100_000)),
            format!("wal_autocheckpoint={}", self.random.below(100)),
        ];
        if self.mode != "wal" {
            pragmas.push(format!("journal_mode={}", self.mode));
        }
        if self.random.below(2) == 0 {
            pragmas.extend(["cache_size=5", "cache_spill=5"].map(str::to_owned));
        }
        for pragma in pragmas {
            // Some read the file, and are refused when a writer waits for the readers to go. Then it stays as it is.
            let code = failure(&db, &format!("PRAGMA {pragma}"));
            assert!(
                code == sys::SQLITE_OK || (code == sys::SQLITE_BUSY && self.writer().is_some()),
                "{pragma}: {code}"
            );
        }
        Session { db, state: State::Idle }
    }

    fn writer(&self) -> Option<usize> {
        self.sessions.iter().position(|session| matches!(session.state, State::Writing(_)))
    }

    fn others_are_idle(&self, me: usize) -> bool {
        self.sessions.iter().enumerate().all(|(i, session)| i == me || matches!(session.state, State::Idle))
    }

    fn step(&mut self) {
        let me = self.random.below(SESSIONS as u64) as usize;
        match self.sessions[me].state {
            State::Idle => self.idle(me),
            State::Reading(_) => self.reading(me),
            State::Writing(_) => self.writing(me),
        }
    }

    /// Runs SQL in a session; answers its code.
    fn try_run(&mut self, me: usize, sql: &str) -> i32 {
        let code = failure(&self.sessions[me].db, sql);
        self.story.push(format!("{me}: {sql} -> {code}"));
        code
    }

    fn idle(&mut self, me: usize) {
        match self.random.below(12) {
            0..4 => {
                let code = self.try_run(me, "BEGIN; SELECT count(*) FROM t");
                if code == sys::SQLITE_OK {
                    self.sessions[me].state = State::Reading(self.committed.clone());
                    self.check(me);
                } else {
                    // A writer that could not commit yet lets nobody new in.
                    assert!(code == sys::SQLITE_BUSY && self.mode != "wal" && self.writer().is_some(), "{code}");
                    self.try_run(me, "ROLLBACK");
                }
            }
            4..8 => {
                let code = self.try_run(me, "BEGIN IMMEDIATE");
                if code == sys::SQLITE_OK {
                    assert_eq!(self.writer(), None, "two writers");
                    self.sessions[me].state = State::Writing(self.committed.clone());
                    self.writing(me);
                } else {
                    assert_eq!(code, sys::SQLITE_BUSY);
                    assert!(self.writer().is_some(), "busy for no reason");
                }
            }
            8 => {
                let kind = *self.random.pick(&["PASSIVE", "FULL", "RESTART", "TRUNCATE"]);
                let code = self.try_run(me, &format!("PRAGMA wal_checkpoint({kind})"));
                assert!([sys::SQLITE_OK, sys::SQLITE_BUSY, sys::SQLITE_FULL].contains(&code), "{code}");
            }
            9 => {
                let code = self.try_run(me, "VACUUM");
                let busy = code == sys::SQLITE_BUSY && !self.others_are_idle(me);
                assert!(busy || [sys::SQLITE_OK, sys::SQLITE_FULL].contains(&code), "{code}");
            }
            10 => {
                self.story.push(format!("{me}: closes"));
                self.sessions[me] = self.fresh();
            }
            _ => self.crash(),
        }
    }

    fn reading(&mut self, me: usize) {
        self.check(me);
        match self.random.below(4) {
            0 => assert_whole(&self.sessions[me].db),
            1 => {}
            _ => {
                assert_eq!(self.try_run(me, "COMMIT"), sys::SQLITE_OK);
                self.sessions[me].state = State::Idle;
            }
        }
    }

    fn writing(&mut self, me: usize) {
        match self.random.below(10) {
            0..7 => self.change(me),
            7 => {
                assert_eq!(self.try_run(me, "ROLLBACK"), sys::SQLITE_OK);
                self.sessions[me].state = State::Idle;
            }
            8 => {
                self.story.push(format!("{me}: closes in the middle"));
                self.sessions[me] = self.fresh();
            }
            _ => match self.try_run(me, "COMMIT") {
                sys::SQLITE_OK => {
                    if let State::Writing(rows) = std::mem::replace(&mut self.sessions[me].state, State::Idle) {
                        self.committed = rows;
                    }
                }
                sys::SQLITE_BUSY => {
                    assert!(self.mode != "wal" && !self.others_are_idle(me), "busy for no reason");
                }
                code => self.ran_full(me, code),
            },
        }
    }

    fn change(&mut self, me: usize) {
        let (k, n, pad) =
            (self.random.below(200) as i64, self.random.below(1000) as i64, self.random.below(3000) as i64);
        let State::Writing(mut rows) = std::mem::replace(&mut self.sessions[me].state, State::Idle) else { return };
        let sql = match self.random.below(6) {
            0 => {
                rows.retain(|&key, _| key < k || key > k + 20);
                format!("DELETE FROM t WHERE k BETWEEN {k} AND {}", k + 20)
            }
            1 => {
                rows.iter_mut().filter(|(key, _)| **key % 7 == k % 7).for_each(|(_, row)| row.0 = n);
                format!("UPDATE t SET n = {n} WHERE k % 7 = {}", k % 7)
            }
            2 => {
                rows.extend((k..k + 20).map(|k| (k, (n, pad))));
                format!(
                    "WITH RECURSIVE s(i) AS (SELECT {k} UNION ALL SELECT i + 1 FROM s WHERE i < {})
                     REPLACE INTO t SELECT i, {n}, zeroblob({pad}) FROM s",
                    k + 19
                )
            }
            3 => "SAVEPOINT s; DELETE FROM t; ROLLBACK TO s; RELEASE s".to_owned(),
            _ => {
                rows.insert(k, (n, pad));
                format!("REPLACE INTO t VALUES ({k}, {n}, zeroblob({pad}))")
            }
        };
        self.sessions[me].state = State::Writing(rows);
        match self.try_run(me, &sql) {
            sys::SQLITE_OK => self.check(me),
            // A cache that spills wants the file to itself. A statement like that is taken back as a whole.
            sys::SQLITE_BUSY if self.mode != "wal" && !self.others_are_idle(me) => self.give_up(me),
            code => self.ran_full(me, code),
        }
    }

    fn ran_full(&mut self, me: usize, code: i32) {
        assert_eq!(code, sys::SQLITE_FULL);
        self.give_up(me);
    }

    fn give_up(&mut self, me: usize) {
        if !self.sessions[me].db.is_autocommit() {
            assert_eq!(self.try_run(me, "ROLLBACK"), sys::SQLITE_OK);
        }
        self.sessions[me].state = State::Idle;
    }

    /// What a session sees is what it must see.
    fn check(&mut self, me: usize) {
        let session = &self.sessions[me];
        let (expected, may_spill) = match &session.state {
            State::Idle => return,
            State::Reading(expected) => (expected, false),
            State::Writing(expected) => (expected, true),
        };
        match read(&session.db) {
            Ok(seen) => assert!(seen == *expected, "session {me} sees something else"),
            // Reading needs room in the cache, and what has to leave it for that is written.
            Err(error) if may_spill => self.ran_full(me, code(&error)),
            Err(error) => panic!("{error}"),
        }
    }

    /// The files as they are now, found by somebody later, hold what was committed.
    fn crash(&mut self) {
        self.story.push("crash".to_owned());
        let store = memory();
        self.place.copy_to(&store, "x.db");
        // With the journal in memory, nothing can be done for a transaction that has written already.
        if self.mode == "memory" && self.writer().is_some() {
            return;
        }
        let db = store.open("x.db");
        assert!(read(&db).unwrap() == self.committed, "after a crash");
        assert_whole(&db);
    }
}

fn read(db: &Connection) -> rusqlite::Result<Rows> {
    let mut statement = db.prepare("SELECT k, n, length(pad) FROM t")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))))?;
    rows.collect()
}

fn live(seed: u64, steps: u32, place: Place<MemoryVfs>) {
    /// Tells the story if it ends badly.
    struct Told(World, u64);
    impl Drop for Told {
        fn drop(&mut self) {
            if std::thread::panicking() {
                let Self(world, seed) = self;
                let last = world.story.len().saturating_sub(30);
                eprintln!("seed {seed}, {}, the last of {} steps:", world.mode, world.story.len());
                world.story.iter().skip(last).for_each(|line| eprintln!("  {line}"));
            }
        }
    }
    let mut told = Told(World::new(seed, place), seed);
    for _ in 0..steps {
        told.0.step();
    }
    let world = &mut told.0;
    world.sessions.clear();
    let db = world.place.open("x.db");
    assert!(read(&db).unwrap() == world.committed, "at the end");
    assert_whole(&db);
    assert!(world.story.iter().any(|line| line.contains("COMMIT")));
}

/// How many worlds there are, and how long they last.
fn lives() -> (u64, u32) {
    match full() {
        false => (10, 250),
        // In a browser, where tests are not optimised.
        true if cfg!(target_family = "wasm") => (30, 1000),
        true => (150, 2000),
    }
}

#[test]
fn connections_see_what_they_must() {
    let (seeds, steps) = lives();
    (0..seeds).for_each(|seed| live(seed, steps, memory()));
}

#[test]
fn connections_see_what_they_must_in_a_store_that_keeps_running_full() {
    let (seeds, steps) = lives();
    (1000..1000 + seeds).for_each(|seed| live(seed, steps, memory_of(64 + seed % 96)));
}
