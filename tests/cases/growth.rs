//! Growing and shrinking cost what they should, and no more.

use sqlite_vfs_kit::sys;
use sqlite_vfs_kit::vfs::Files;

use crate::support::raw::{MAIN_DB, RawFile};
use crate::support::{CHUNK, SAFE_MODES, alloc, assert_whole, fill, memory, rows, run, set_mode, test};

const OK: i32 = sys::SQLITE_OK;
const PAGE: usize = 4096;

#[test]
fn vacuum_gives_memory_back() {
    for mode in SAFE_MODES {
        let place = memory();
        let db = place.open("x.db");
        set_mode(&db, mode);
        fill(&db, 1, 3000, 4000);
        run(&db, "DELETE FROM t WHERE k > 5; VACUUM");
        if mode == "wal" {
            run(&db, "PRAGMA wal_checkpoint(TRUNCATE)");
        }
        let size = place.vfs.file_size("x.db").unwrap();
        assert!(size < 50_000, "{mode}: {size} bytes");
        // In `persist` there is the journal as well: it keeps its size.
        let journal = place.vfs.file_size("x.db-journal").unwrap_or(0);
        assert_eq!(
            place.vfs.allocated_bytes(),
            size.next_multiple_of(CHUNK) + journal.next_multiple_of(CHUNK),
            "{mode}"
        );
        assert_eq!(rows(&db), 5);
        assert_whole(&db);
    }
}

#[test]
fn deleting_a_file_gives_its_memory_back() {
    let place = memory();
    fill(&place.open("x.db"), 1, 1000, 1000);
    assert!(place.vfs.allocated_bytes() > 240 * CHUNK);
    place.vfs.remove("x.db").unwrap();
    assert_eq!(place.vfs.allocated_bytes(), 0);
}

#[test]
fn a_deleted_file_gives_its_memory_back_when_it_is_closed() {
    let place = memory();
    let mut file = RawFile::open(place.name(), Some("x"), MAIN_DB).unwrap();
    file.write(&[1; PAGE], 0);
    assert_eq!(crate::support::raw::delete(place.name(), "x"), OK);
    assert_eq!(place.vfs.allocated_bytes(), CHUNK);
    file.close();
    assert_eq!(place.vfs.allocated_bytes(), 0);
}

/// Time is what others measured when growth was quadratic; what is counted here is its cause.
#[test]
fn growth_asks_for_no_more_memory_than_is_written() {
    let place = memory();
    let mut file = RawFile::open(place.name(), Some("x"), MAIN_DB).unwrap();
    let written = 30_u64 << 20;
    let (calls, requested) = (alloc::calls(), alloc::requested());
    for offset in (0..written).step_by(PAGE) {
        assert_eq!(file.write(&[1; PAGE], offset.cast_signed()), OK);
    }
    let (calls, requested) = (alloc::calls() - calls, alloc::requested() - requested);
    assert!(requested < written + written / 50, "{requested} bytes for {written}");
    assert!(calls < (written / CHUNK) as usize + 20, "{calls} allocations");
}

#[test]
fn writing_where_something_is_and_reading_allocate_nothing() {
    let place = memory();
    let mut file = RawFile::open(place.name(), Some("x"), MAIN_DB).unwrap();
    file.write(&vec![1; 1 << 20], 0);
    let mut buffer = [0; PAGE];
    let before = alloc::calls();
    for offset in (0..1 << 20).step_by(PAGE) {
        assert_eq!(file.write(&[2; PAGE], offset), OK);
        assert_eq!(file.read(&mut buffer, offset), OK);
        assert_eq!(file.size(), Ok(1 << 20));
    }
    assert_eq!(alloc::calls(), before);
}

/// On wasm, what SQLite itself allocates would be counted as well.
#[cfg(not(target_family = "wasm"))]
#[test]
fn a_commit_allocates_nothing() {
    for mode in SAFE_MODES {
        let place = memory();
        let db = place.open("x.db");
        set_mode(&db, mode);
        fill(&db, 1, 1000, 200);
        let mut update = db.prepare("UPDATE t SET v = ?2 WHERE k = ?1").unwrap();
        let texts = ["x", "y", "z"].map(|letter| letter.repeat(200));
        let mut change_all = |to: usize| (1..=1000).for_each(|k| assert_eq!(update.execute((k, &texts[to])), Ok(1)));
        // What is kept from one commit to the next comes into being first. A log gets the chunks that it keeps, too.
        change_all(0);
        change_all(1);
        let before = alloc::calls();
        change_all(2);
        assert_eq!(alloc::calls(), before, "{mode}");
    }
}
