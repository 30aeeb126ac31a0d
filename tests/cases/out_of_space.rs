//! A store that is full answers SQLITE_FULL, and the database is as it was.

use rusqlite::Connection;
use sqlite_vfs_kit::stores::{MemoryOptions, MemoryVfs};
use sqlite_vfs_kit::sys;
use sqlite_vfs_kit::vfs::{DeviceCharacteristics, Files};

use crate::support::probe::Probe;
use crate::support::raw::{MAIN_DB, RawFile};
use crate::support::{
    self, CHUNK, Place, SAFE_MODES, assert_whole, contents, failure, fill, full, memory_of, place, rows, run, set_mode,
    spill_early, test,
};

/// Chunks that the store has. What a test leaves free of them, a file of ballast takes the rest.
const CHUNKS: u64 = 384;

/// How a commit is done: at once, or, where SQLite was compiled without batches or the store has none, by a journal.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Commits {
    Batched,
    Journalled,
}

fn nearly_full(mode: &str, free: u64) -> (Place<Probe<MemoryVfs>>, Connection) {
    nearly_full_that_commits(Commits::Batched, mode, free)
}

/// A database of 400 rows, and room for `free` chunks beyond it.
fn nearly_full_that_commits(commits: Commits, mode: &str, free: u64) -> (Place<Probe<MemoryVfs>>, Connection) {
    let options = MemoryOptions { max_bytes: Some(CHUNKS * CHUNK) };
    let place = place(Probe::new(MemoryVfs::with_options(options)));
    if commits == Commits::Journalled {
        place.vfs.promise(DeviceCharacteristics::NONE);
    }
    let db = place.open("x.db");
    set_mode(&db, mode);
    fill(&db, 1, 400, 500);
    if mode == "wal" {
        run(&db, "PRAGMA wal_checkpoint(TRUNCATE)");
    }
    let taken = allocated(&place) / CHUNK;
    place.vfs.write("ballast", &vec![1; ((CHUNKS - taken - free) * CHUNK) as usize]).unwrap();
    assert_eq!(allocated(&place), (CHUNKS - free) * CHUNK);
    (place, db)
}

fn allocated(place: &Place<Probe<MemoryVfs>>) -> u64 {
    place.vfs.inner.allocated_bytes()
}

/// Runs the workload with ever more room, until it succeeds. Before that it must fail cleanly every time.
fn until_it_fits(mode: &str, prepare: &str, workload: &str) {
    until_it_fits_and_commits(Commits::Batched, mode, prepare, workload);
}

fn until_it_fits_and_commits(commits: Commits, mode: &str, prepare: &str, workload: &str) {
    let mut free = 0;
    loop {
        let (place, db) = nearly_full_that_commits(commits, mode, free);
        run(&db, prepare);
        let before = contents(&db);
        let code = failure(&db, workload);
        if code == sys::SQLITE_OK {
            assert_whole(&db);
            break;
        }
        let context = format!("{commits:?} {mode}, {free} chunks free: {workload}");
        assert_eq!(code, sys::SQLITE_FULL, "{context}");
        assert!(place.reason().contains("limit of 1572864 bytes"), "{context}: {}", place.reason());
        if !db.is_autocommit() {
            run(&db, "ROLLBACK");
        }
        assert_eq!(contents(&db), before, "{context}");
        assert_whole(&db);
        // Somebody who comes new sees the same.
        assert_eq!(contents(&place.open("x.db")), before, "{context}");

        // So does who finds the files after a crash.
        let later = support::memory();
        place.copy_to(&later, "x.db");
        assert_eq!(contents(&later.open("x.db")), before, "{context}");

        // With room again, the same connection does the same work.
        assert!(place.vfs.remove("ballast").unwrap());
        run(&db, workload);
        assert_whole(&db);
        drop(db);
        assert_whole(&place.open("x.db"));
        free += if full() { 1 + free / 16 } else { 1 + free / 2 };
    }
    assert!(free > 0, "{mode}: {workload} never failed, so nothing was tested");
}

const SMALL_CACHE: &str = "PRAGMA cache_size=5; PRAGMA cache_spill=5";

#[test]
fn an_insert_that_does_not_fit() {
    for mode in SAFE_MODES {
        until_it_fits(mode, "", "INSERT INTO t SELECT k + 1000, v FROM t");
    }
}

#[test]
fn a_transaction_that_overwrites_and_grows() {
    for mode in SAFE_MODES {
        let workload = "BEGIN; UPDATE t SET v = zeroblob(700); DELETE FROM t WHERE k < 50;
                        INSERT INTO t SELECT k + 1000, randomblob(600) FROM t; COMMIT";
        until_it_fits(mode, "", workload);
        until_it_fits(mode, SMALL_CACHE, workload);
    }
}

#[test]
fn an_index() {
    for mode in SAFE_MODES {
        until_it_fits(mode, "", "CREATE INDEX i ON t(v)");
        until_it_fits(mode, SMALL_CACHE, "CREATE INDEX i ON t(v)");
    }
}

#[test]
fn a_vacuum_that_makes_the_file_larger() {
    for mode in ["delete", "truncate", "persist", "memory"] {
        // Its copy of everything takes room in the store, too, or not.
        for temp_store in ["file", "memory"] {
            until_it_fits(
                mode,
                &format!("{SMALL_CACHE}; PRAGMA temp_store={temp_store}; PRAGMA page_size=65536"),
                "VACUUM",
            );
        }
    }
    until_it_fits("wal", "", "VACUUM");
}

#[test]
fn with_a_journal_it_is_as_safe() {
    for mode in ["delete", "truncate", "persist", "memory"] {
        for synchronous in ["full", "off"] {
            let workload = "BEGIN; UPDATE t SET v = zeroblob(700); DELETE FROM t WHERE k < 50;
                            INSERT INTO t SELECT k + 1000, randomblob(600) FROM t; COMMIT";
            let prepare = format!("PRAGMA synchronous={synchronous}");
            until_it_fits_and_commits(Commits::Journalled, mode, &prepare, workload);
            until_it_fits_and_commits(Commits::Journalled, mode, &format!("{prepare}; {SMALL_CACHE}"), workload);
        }
    }
}

#[test]
fn without_syncing_it_is_as_safe() {
    for mode in SAFE_MODES {
        let workload = "BEGIN; UPDATE t SET v = zeroblob(700); INSERT INTO t SELECT k + 1000, v FROM t; COMMIT";
        until_it_fits(mode, "PRAGMA synchronous=off", workload);
        until_it_fits(mode, &format!("PRAGMA synchronous=off; {SMALL_CACHE}"), workload);
    }
}

#[test]
fn a_checkpoint_that_does_not_fit_leaves_the_log_as_it_is() {
    let (place, db) = nearly_full("wal", 96);
    run(&db, "PRAGMA wal_autocheckpoint=0; INSERT INTO t SELECT k + 1000, v FROM t");
    assert_eq!(rows(&db), 800);
    // The log took what was free; now the database would have to grow by as much.
    let taken = allocated(&place) / CHUNK;
    assert!(CHUNKS - taken < 48);
    assert_eq!(failure(&db, "PRAGMA wal_checkpoint(TRUNCATE)"), sys::SQLITE_FULL);
    assert_eq!(rows(&place.open("x.db")), 800);
    assert_whole(&db);
    place.vfs.remove("ballast").unwrap();
    run(&db, "PRAGMA wal_checkpoint(TRUNCATE)");
    assert_eq!(place.vfs.inner.file_size("x.db-wal"), Some(0));
    assert_whole(&db);
}

#[test]
fn deleting_rows_makes_room_in_a_full_store() {
    for mode in ["delete", "truncate", "persist", "memory"] {
        let (place, db) = nearly_full(mode, 0);
        assert_eq!(failure(&db, "INSERT INTO t SELECT k + 1000, v FROM t"), sys::SQLITE_FULL);
        run(&db, "DELETE FROM t WHERE k > 100");
        run(&db, "INSERT INTO t SELECT k + 1000, v FROM t WHERE k <= 100");
        run(&db, "PRAGMA temp_store=memory; VACUUM");
        assert_eq!(rows(&db), 200, "{mode}");
        assert!(allocated(&place) < CHUNKS * CHUNK, "{mode}");
        assert_whole(&db);
    }
}

#[test]
fn a_full_store_still_answers_queries() {
    for mode in SAFE_MODES {
        let (place, db) = nearly_full(mode, 0);
        assert_eq!(rows(&db), 400);
        assert_eq!(rows(&place.open("x.db")), 400);
        assert_whole(&db);
    }
}

#[test]
fn files_of_one_store_share_its_limit() {
    let place = memory_of(70);
    let [a, b] = [place.open("a.db"), place.open("b.db")];
    for db in [&a, &b] {
        fill(db, 1, 200, 500);
    }
    assert_eq!(failure(&a, "INSERT INTO t SELECT k + 1000, v FROM t"), sys::SQLITE_FULL);
    drop(b);
    assert!(place.vfs.remove("b.db").unwrap());
    run(&a, "INSERT INTO t SELECT k + 1000, v FROM t");
    assert_whole(&a);
}

#[test]
fn a_file_put_in_that_does_not_fit_leaves_what_was_there() {
    let place = memory_of(3);
    place.vfs.write("x", &vec![1; CHUNK as usize]).unwrap();
    let error = place.vfs.write("x", &vec![2; 3 * CHUNK as usize]).unwrap_err();
    assert_eq!(error.code().raw(), sys::SQLITE_FULL);
    assert!(place.vfs.read("x").unwrap() == vec![1; CHUNK as usize]);
    assert_eq!(place.vfs.allocated_bytes(), CHUNK);
}

const BEGIN: i32 = 31;
const COMMIT: i32 = 32;
const ROLLBACK: i32 = 33;

fn control(file: &mut RawFile, code: i32) {
    assert_eq!(file.control(code, std::ptr::null_mut::<u8>()), sys::SQLITE_OK);
}

fn bytes(file: &mut RawFile) -> Vec<u8> {
    let mut bytes = vec![0xEE; file.size().unwrap() as usize];
    assert_eq!(file.read(&mut bytes, 0), sys::SQLITE_OK);
    bytes
}

#[test]
fn a_batch_of_writes_is_undone_as_a_whole() {
    let place = support::memory();
    for seed in 0..50 {
        let mut random = support::Random::new(seed);
        let mut file = RawFile::open(place.name(), Some("file"), MAIN_DB).unwrap();
        file.truncate(0);
        file.write(&support::row(seed as i64, 200_000), 0);
        file.truncate(250_000);
        let before = bytes(&mut file);
        for keep in [false, true] {
            control(&mut file, BEGIN);
            let mut model = before.clone();
            for _ in 0..20 {
                // A whole chunk is exchanged, and all else is copied.
                let chunk = random.below(2) == 0;
                let offset = if chunk { random.below(70) * CHUNK } else { random.below(300_000) } as usize;
                if random.below(4) == 0 {
                    assert_eq!(file.truncate(offset as i64), sys::SQLITE_OK);
                    model.resize(offset, 0);
                } else {
                    let size = if chunk { CHUNK } else { random.below(100_000) + 1 };
                    let data = vec![random.below(256) as u8; size as usize];
                    assert_eq!(file.write(&data, offset as i64), sys::SQLITE_OK);
                    model.resize(model.len().max(offset + data.len()), 0);
                    model[offset..offset + data.len()].copy_from_slice(&data);
                }
            }
            assert!(bytes(&mut file) == model, "seed {seed}: within the batch");
            control(&mut file, if keep { COMMIT } else { ROLLBACK });
            assert!(bytes(&mut file) == if keep { model } else { before.clone() }, "seed {seed}: after it");
            let allocated = place.vfs.allocated_bytes();
            assert!(allocated <= (file.size().unwrap() as u64).next_multiple_of(CHUNK), "seed {seed}");
        }
    }
}

/// What a batch may need for its way back is not given to somebody else meanwhile.
#[test]
fn a_batch_that_ran_out_of_space_can_always_be_undone() {
    let place = memory_of(4);
    let mut file = RawFile::open(place.name(), Some("file"), MAIN_DB).unwrap();
    let mut other = RawFile::open(place.name(), Some("other"), MAIN_DB).unwrap();
    let before = support::row(1, 3 * CHUNK as usize);
    file.write(&before, 0);
    control(&mut file, BEGIN);
    file.truncate(10);
    assert_eq!(file.write(&vec![1; 5 * CHUNK as usize], 0), sys::SQLITE_FULL);
    assert_eq!(other.write(&vec![2; 2 * CHUNK as usize], 0), sys::SQLITE_FULL);
    assert_eq!(other.write(&vec![2; CHUNK as usize], 0), sys::SQLITE_OK);
    control(&mut file, ROLLBACK);
    assert!(bytes(&mut file) == before);
}

#[test]
fn a_hole_that_a_batch_has_cut_off_comes_back_without_room_for_it() {
    let place = memory_of(2);
    let mut file = RawFile::open(place.name(), Some("file"), MAIN_DB).unwrap();
    let mut other = RawFile::open(place.name(), Some("other"), MAIN_DB).unwrap();
    file.write(&support::row(1, CHUNK as usize), 0);
    file.truncate(2 * CHUNK as i64);
    let before = bytes(&mut file);
    control(&mut file, BEGIN);
    file.truncate(10);
    assert_eq!(other.write(b"the last chunk", 0), sys::SQLITE_OK);
    control(&mut file, ROLLBACK);
    assert!(bytes(&mut file) == before);
    assert_eq!(place.vfs.allocated_bytes(), 2 * CHUNK);
}

#[test]
fn a_batch_that_is_left_open_is_undone_when_the_file_is_closed() {
    let place = support::memory();
    let open = || RawFile::open(place.name(), Some("file"), MAIN_DB).unwrap();
    let mut file = open();
    file.write(b"before", 0);
    control(&mut file, BEGIN);
    file.write(b"within the batch", 0);
    file.close();
    assert_eq!(bytes(&mut open()), b"before");
}

#[test]
fn a_transaction_larger_than_its_cache_comes_back_from_full_in_every_mode() {
    for mode in SAFE_MODES {
        let (place, db) = nearly_full(mode, 48);
        spill_early(&db);
        let before = contents(&db);
        run(&db, "BEGIN");
        let code = failure(
            &db,
            "INSERT INTO t SELECT k + 1000 * (a.column1 + 1), randomblob(900)
                                 FROM t, (VALUES (0), (1), (2)) a",
        );
        assert_eq!(code, sys::SQLITE_FULL, "{mode}");
        let _ = db.execute_batch("ROLLBACK");
        assert_eq!(contents(&db), before, "{mode}");
        assert_whole(&db);
        assert_eq!(rows(&place.open("x.db")), 400);
    }
}
