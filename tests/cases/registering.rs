//! Registering a VFS under a name, and taking it away again.

use std::ffi::CStr;
use std::rc::Rc;

use rusqlite::{Connection, OpenFlags};
use sqlite_vfs_kit::stores::{MemoryOptions, MemoryVfs};
use sqlite_vfs_kit::vfs::{ErrorCode, OpenOptions, Opened, Vfs, VfsPath};
use sqlite_vfs_kit::{RegisterOptions, register, sys};

use crate::support::{
    Place, assert_whole, code, failure, fill, get, memory, raw, rows, run, set_mode, spill_early, test,
};

#[test]
fn any_name_will_do() {
    for name in ["a name with spaces", "größe", "x?y=z&#%20", "\"", "memory"] {
        let vfs = MemoryVfs::new();
        let registration = register(name, vfs.clone(), RegisterOptions::default()).unwrap();
        assert_eq!(registration.name(), name);
        let db = Connection::open_with_flags_and_vfs("x.db", OpenFlags::default(), name).unwrap();
        run(&db, "CREATE TABLE t (x)");
        assert!(vfs.file_size("x.db") > Some(0));
        registration.unregister().unwrap();
    }
}

#[test]
fn a_name_that_is_taken_empty_or_holds_a_nul_is_refused() {
    let place = memory();
    let again = |name: &str| register(name, MemoryVfs::new(), RegisterOptions::default()).unwrap_err();
    let error = again(place.name());
    assert_eq!(error.code(), ErrorCode::Misuse);
    assert_eq!(error.message(), format!("a VFS named '{}' is registered already", place.name()));
    for name in ["", "a\0b"] {
        assert_eq!(again(name).message(), "the name of a VFS is empty or holds a NUL");
    }
    // The one that has the name goes on.
    run(&place.open("x.db"), "CREATE TABLE t (x)");
}

fn default_vfs() -> String {
    // SAFETY: null asks for the default, and there is one.
    unsafe { CStr::from_ptr((*sys::sqlite3_vfs_find(std::ptr::null())).zName) }.to_str().unwrap().to_owned()
}

#[test]
fn a_vfs_becomes_the_default_only_when_asked() {
    let before = default_vfs();
    let plain = register("plain", MemoryVfs::new(), RegisterOptions::default()).unwrap();
    assert_eq!(default_vfs(), before);

    let vfs = MemoryVfs::new();
    let default = register("the default", vfs.clone(), RegisterOptions { make_default: true }).unwrap();
    assert_eq!(default_vfs(), "the default");
    let db = Connection::open("x.db").unwrap();
    run(&db, "CREATE TABLE t (x)");
    assert!(vfs.file_size("x.db") > Some(0));
    drop(db);
    default.unregister().unwrap();
    plain.unregister().unwrap();
    assert_ne!(default_vfs(), "the default");
}

#[test]
fn a_vfs_stays_registered_without_its_registration() {
    let vfs = MemoryVfs::new();
    register("kept", vfs.clone(), RegisterOptions::default()).unwrap();
    let db = Connection::open_with_flags_and_vfs("x.db", OpenFlags::default(), "kept").unwrap();
    run(&db, "CREATE TABLE t (x)");
}

#[test]
fn after_unregistering_the_name_is_free() {
    let mut place = memory();
    let name = place.name();
    run(&place.open("x.db"), "CREATE TABLE t (x)");
    place.unregister();
    let error = Connection::open_with_flags_and_vfs("x.db", OpenFlags::default(), name).unwrap_err();
    assert_eq!(error.to_string(), format!("no such vfs: {name}"));
    // Another one, with other files.
    let again = register(name, MemoryVfs::new(), RegisterOptions::default()).unwrap();
    let db = Connection::open_with_flags_and_vfs("x.db", OpenFlags::default(), name).unwrap();
    assert_eq!(get::<i64>(&db, "SELECT count(*) FROM sqlite_schema"), 0);
    drop(db);
    again.unregister().unwrap();
}

/// A VFS whose end can be watched.
#[derive(Clone)]
struct Watched {
    inner: MemoryVfs,
    _alive: Rc<()>,
}

impl Vfs for Watched {
    type File = <MemoryVfs as Vfs>::File;

    fn open(
        &self,
        path: Option<&VfsPath<'_>>,
        options: OpenOptions,
    ) -> sqlite_vfs_kit::vfs::Result<Opened<Self::File>> {
        self.inner.open(path, options)
    }

    fn delete(&self, path: &VfsPath<'_>, sync_dir: bool) -> sqlite_vfs_kit::vfs::Result<()> {
        self.inner.delete(path, sync_dir)
    }

    fn access(&self, path: &VfsPath<'_>, access: sqlite_vfs_kit::vfs::Access) -> sqlite_vfs_kit::vfs::Result<bool> {
        self.inner.access(path, access)
    }
}

#[test]
fn unregistering_drops_the_vfs() {
    let alive = Rc::new(());
    let registration =
        register("watched", Watched { inner: MemoryVfs::new(), _alive: alive.clone() }, RegisterOptions::default())
            .unwrap();
    assert_eq!(Rc::strong_count(&alive), 2);
    registration.unregister().unwrap();
    assert_eq!(Rc::strong_count(&alive), 1);
}

/// A place whose VFS was unregistered while `x.db` is open.
fn unregistered(mode: &str) -> (Place<MemoryVfs>, Connection, &'static str) {
    let mut place = memory();
    let name = place.name();
    let db = place.open("x.db");
    set_mode(&db, mode);
    fill(&db, 1, 200, 500);
    run(&db, "BEGIN");
    rows(&db);
    place.unregister();
    (place, db, name)
}

#[test]
fn files_that_are_open_stay_usable_after_unregistering() {
    for mode in ["delete", "wal"] {
        let (place, db, _) = unregistered(mode);
        assert_eq!(rows(&db), 200);
        run(&db, "UPDATE t SET v = 'new' WHERE k = 1; COMMIT");
        let bytes = |name| sqlite_vfs_kit::vfs::Files::read(&place.vfs, name).unwrap();
        assert!(bytes(if mode == "wal" { "x.db-wal" } else { "x.db" }).windows(3).any(|part| part == b"new"));
    }
}

#[test]
fn what_needs_the_unregistered_vfs_fails_cleanly() {
    let (place, db, name) = unregistered("delete");
    let no_such_vfs = format!("no such vfs: {name}");
    spill_early(&db);
    // A journal that has to be opened, another database, and the look for a hot journal before every transaction.
    assert_eq!(failure(&db, "UPDATE t SET v = zeroblob(600)"), sys::SQLITE_MISUSE);
    let _ = db.execute_batch("ROLLBACK");
    let error = db.execute_batch("ATTACH 'y.db' AS y").unwrap_err();
    assert_eq!(error.to_string(), no_such_vfs);
    for _ in 0..2 {
        assert_eq!(failure(&db, "SELECT * FROM t"), sys::SQLITE_MISUSE);
    }
    drop(db);
    let error = Connection::open_with_flags_and_vfs("x.db", OpenFlags::default(), name).unwrap_err();
    assert_eq!(error.to_string(), no_such_vfs);
    // The files are the owner's, and whole.
    assert_whole(&Place::of(place.vfs.clone()).open("x.db"));
}

#[test]
fn the_limit_on_names_leaves_room_for_what_sqlite_appends() {
    let place = memory();
    // SAFETY: it is registered.
    let vfs = unsafe { &*raw::find(place.name()) };
    assert_eq!(vfs.mxPathname, 1024 + 12);
    assert!(vfs.iVersion >= 2, "times in milliseconds");
}

#[test]
fn clock_randomness_and_sleep_come_from_the_vfs() {
    let place = memory();
    let db = place.open("x.db");
    let now: i64 = get(&db, "SELECT unixepoch()");
    assert!(now > 1_750_000_000, "{now}");
    #[cfg(not(target_family = "wasm"))]
    {
        let really = std::time::UNIX_EPOCH.elapsed().unwrap().as_secs();
        assert!(really.abs_diff(now.unsigned_abs()) < 10, "{now}, but it is {really}");
    }
    let julian: f64 = get(&db, "SELECT julianday()");
    assert!((julian - (now as f64 / 86_400.0 + 2_440_587.5)).abs() < 0.001);

    // SAFETY: it is registered, and the buffers are as long as is said.
    unsafe {
        let vfs = raw::find(place.name());
        let random = || {
            let mut bytes = [0u8; 32];
            assert_eq!((*vfs).xRandomness.unwrap()(vfs, 32, bytes.as_mut_ptr().cast()), 32);
            bytes
        };
        assert_ne!(random(), random());
        let mut day = 0.0;
        assert_eq!((*vfs).xCurrentTime.unwrap()(vfs, &raw mut day), sys::SQLITE_OK);
        assert!((day - julian).abs() < 0.001);
        assert!((*vfs).xSleep.unwrap()(vfs, 10) >= 0);
    }
}

#[test]
fn extensions_are_refused_with_words() {
    let place = memory();
    // SAFETY: it is registered, and the buffer is as long as is said.
    unsafe {
        let vfs = raw::find(place.name());
        assert!((*vfs).xDlOpen.unwrap()(vfs, c"x.so".as_ptr()).is_null());
        let mut message = [1 as std::ffi::c_char; 20];
        (*vfs).xDlError.unwrap()(vfs, 20, message.as_mut_ptr());
        assert_eq!(CStr::from_ptr(message.as_ptr()), c"extensions cannot b");
    }
}

#[test]
fn clones_are_handles_to_the_same_files() {
    let vfs = MemoryVfs::with_options(MemoryOptions { max_bytes: None });
    let [a, b] = [Place::of(vfs.clone()), Place::of(vfs)];
    run(&a.open("x.db"), "CREATE TABLE t AS SELECT 1 AS v");
    assert_eq!(get::<i64>(&b.open("x.db"), "SELECT v FROM t"), 1);
    let (first, second) = (a.open("x.db"), b.open("x.db"));
    run(&first, "BEGIN IMMEDIATE");
    assert_eq!(failure(&second, "INSERT INTO t VALUES (2)"), sys::SQLITE_BUSY, "and of the same locks");
    let missing = a.try_open("y.db", OpenFlags::SQLITE_OPEN_READ_WRITE).unwrap_err();
    assert_eq!(code(&missing), sys::SQLITE_CANTOPEN);
}
