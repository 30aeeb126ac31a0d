//! A layer passes on what is not its own business.

use std::borrow::Cow;
#[cfg(not(target_family = "wasm"))]
use std::sync::{Arc, atomic::Ordering};
use std::time::Duration;

use sqlite_vfs_kit::layers::{Fault, Trace};
use sqlite_vfs_kit::stores::MemoryVfs;
use sqlite_vfs_kit::vfs::{
    Access, ErrorCode, FileInfo, Files, OpenOptions, Opened, Pragma, Result, Vfs, VfsError, VfsPath,
};

use crate::support::probe::Probe;
use crate::support::shelf::ShelfFile;
#[cfg(not(target_family = "wasm"))]
use crate::support::shelf::{Fetches, Shelf};
use crate::support::{fill, get, place, rows, run, set_mode, test};

/// A VFS with an answer of its own to everything.
#[derive(Clone)]
struct Odd;

impl Vfs for Odd {
    type File = ShelfFile;

    fn open(&self, _: Option<&VfsPath<'_>>, _: OpenOptions) -> Result<Opened<ShelfFile>> {
        Err(VfsError::new(ErrorCode::Perm, "odd"))
    }

    fn delete(&self, _: &VfsPath<'_>, _: bool) -> Result<()> {
        Err(VfsError::new(ErrorCode::Auth, "odd"))
    }

    fn access(&self, _: &VfsPath<'_>, _: Access) -> Result<bool> {
        Err(VfsError::new(ErrorCode::Busy, "odd"))
    }

    fn full_pathname<'a>(&self, name: &'a str) -> Result<Cow<'a, str>> {
        Ok(format!("/odd/{name}").into())
    }

    fn max_pathname(&self) -> usize {
        77
    }

    fn randomness(&self, buffer: &mut [u8]) -> usize {
        buffer.fill(7);
        3
    }

    fn sleep(&self, duration: Duration) -> Duration {
        duration * 2
    }

    fn current_time(&self) -> Result<i64> {
        Ok(42)
    }
}

fn check_odd(vfs: &impl Vfs) {
    let name = VfsPath::new("x");
    let code = |result: Result<()>| result.err().map(|error| error.code());
    let options = OpenOptions::new(sqlite_vfs_kit::vfs::FileKind::MainDb, 0);
    assert_eq!(code(vfs.open(Some(&name), options).map(drop)), Some(ErrorCode::Perm));
    assert_eq!(code(vfs.delete(&name, false)), Some(ErrorCode::Auth));
    assert_eq!(code(vfs.access(&name, Access::Exists).map(drop)), Some(ErrorCode::Busy));
    assert_eq!(vfs.full_pathname("x").unwrap(), "/odd/x");
    assert_eq!(vfs.max_pathname(), 77);
    let mut buffer = [0; 4];
    assert_eq!((vfs.randomness(&mut buffer), buffer), (3, [7; 4]));
    assert_eq!(vfs.sleep(Duration::from_millis(5)), Duration::from_millis(10));
    assert_eq!(vfs.current_time().unwrap(), 42);
}

#[test]
fn clock_randomness_sleep_and_names_are_those_of_the_vfs_inside() {
    check_odd(&Trace::new(Odd));
    check_odd(&Fault::new(Odd));
    check_odd(&Trace::new(Fault::new(Trace::new(Odd))));
}

fn check_files(files: &impl Files) {
    files.write("a", b"abc").unwrap();
    files.write_at("a", b"def", 3).unwrap();
    files.rename("a", "b").unwrap();
    assert_eq!(files.list().unwrap(), [FileInfo { name: "b".into(), size: 6 }]);
    assert_eq!(files.read("b").unwrap(), b"abcdef");
    assert_eq!(files.size("a").unwrap(), None);
    assert!(files.remove("b").unwrap());
    assert!(!files.remove("b").unwrap());
}

#[test]
fn files_are_there_as_without_it() {
    check_files(&Trace::new(MemoryVfs::new()));
    check_files(&Fault::new(MemoryVfs::new()));
    let fault = Fault::new(MemoryVfs::new());
    fault.record();
    check_files(&fault);
}

/// Two connections in WAL mode, which need the index.
fn check_wal(vfs: impl Vfs + Clone) {
    let place = place(vfs);
    let [a, b] = [place.open("x.db"), place.open("x.db")];
    set_mode(&a, "wal");
    fill(&a, 1, 10, 100);
    run(&b, "BEGIN; SELECT * FROM t");
    run(&a, "DELETE FROM t WHERE k > 5");
    assert_eq!((rows(&a), rows(&b)), (5, 10));
}

#[test]
fn connections_share_a_wal_index() {
    check_wal(Trace::new(MemoryVfs::new()));
    check_wal(Fault::new(MemoryVfs::new()));
}

// SQLite is built without `xFetch` on wasm.
#[cfg(not(target_family = "wasm"))]
fn check_fetch(wrap: impl FnOnce(Shelf) -> crate::support::Place<Trace<Fault<Shelf>>>) {
    let fetches = Arc::<Fetches>::default();
    let place = wrap(Shelf::lending(fetches.clone()));
    let db = place.open("x.db");
    run(&db, "PRAGMA mmap_size=10000000");
    fill(&db, 1, 100, 500);
    drop(db);
    let db = place.open("x.db");
    run(&db, "PRAGMA mmap_size=10000000");
    assert_eq!(rows(&db), 100);
    assert!(fetches.lent.load(Ordering::Relaxed) > 0);
}

#[cfg(not(target_family = "wasm"))]
#[test]
fn pages_are_lent() {
    check_fetch(|shelf| place(Trace::new(Fault::new(shelf))));
}

fn check_pragma(probe: &Probe<MemoryVfs>, vfs: impl Vfs + Clone) {
    probe.on_pragma(|name, value| {
        let odd = name == "odd";
        Ok(if odd { Pragma::Handled(Some(format!("odd {value:?}"))) } else { Pragma::NotHandled })
    });
    let db = place(vfs).open("x.db");
    assert_eq!(get::<String>(&db, "PRAGMA odd=7"), "odd Some(\"7\")");
}

#[test]
fn pragmas_reach_the_file() {
    let probe = Probe::new(MemoryVfs::new());
    check_pragma(&probe, Trace::new(probe.clone()));
    check_pragma(&probe, Fault::new(probe.clone()));
}
