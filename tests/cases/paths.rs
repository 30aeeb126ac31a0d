//! What a VFS is told about a file when it is to be opened.

use std::cell::RefCell;
use std::rc::Rc;

use rusqlite::OpenFlags;
use sqlite_vfs_kit::stores::{MemoryFile, MemoryVfs};
use sqlite_vfs_kit::vfs::{Access, FileKind, OpenOptions, Opened, Result, Vfs, VfsPath};

use crate::support::{fill, place, run, set_mode, spill_early, test};

/// One `open`.
#[derive(Clone, Debug, PartialEq)]
struct Seen {
    name: Option<String>,
    kind: FileKind,
    database: Option<String>,
    color: Option<String>,
    options: OpenOptions,
}

#[derive(Clone, Default)]
struct Paths {
    inner: MemoryVfs,
    seen: Rc<RefCell<Vec<Seen>>>,
}

impl Vfs for Paths {
    type File = MemoryFile;

    fn open(&self, path: Option<&VfsPath<'_>>, options: OpenOptions) -> Result<Opened<MemoryFile>> {
        if let Some(path) = path {
            assert_eq!(path.kind(), Some(options.kind()));
            assert_eq!(path.to_string(), path.as_str());
            assert_eq!(path.parameter("no such"), None);
        }
        self.seen.borrow_mut().push(Seen {
            name: path.map(|path| path.as_str().to_owned()),
            kind: options.kind(),
            database: path.and_then(VfsPath::database).map(str::to_owned),
            color: path.and_then(|path| path.parameter("color")).map(str::to_owned),
            options,
        });
        self.inner.open(path, options)
    }

    fn delete(&self, path: &VfsPath<'_>, sync_dir: bool) -> Result<()> {
        assert_eq!((path.kind(), path.database(), path.parameter("color")), (None, None, None));
        self.inner.delete(path, sync_dir)
    }

    fn access(&self, path: &VfsPath<'_>, access: Access) -> Result<bool> {
        assert_eq!((path.kind(), path.database(), path.parameter("color")), (None, None, None));
        self.inner.access(path, access)
    }
}

impl Paths {
    /// All that was opened since the last time, without repetitions.
    fn take(&self) -> Vec<Seen> {
        let mut seen = self.seen.take();
        seen.dedup();
        seen
    }

    fn of_kind(&self, kind: FileKind) -> Vec<Seen> {
        self.take().into_iter().filter(|seen| seen.kind == kind).collect()
    }
}

const URI: &str = "file:x%23y.db?color=r%C3%A9d%20%26%20blue&empty=";

#[test]
fn a_database_knows_its_name_and_the_parameters_of_its_uri() {
    let place = place(Paths::default());
    let _db = place.try_open(URI, OpenFlags::default() | OpenFlags::SQLITE_OPEN_URI).unwrap();
    let seen = place.vfs.take().remove(0);
    assert_eq!(seen.name.as_deref(), Some("x#y.db"));
    assert_eq!(seen.database.as_deref(), Some("x#y.db"));
    assert_eq!(seen.kind, FileKind::MainDb);
    assert_eq!(seen.color.as_deref(), Some("réd & blue"));
    let options = seen.options;
    assert!(options.create() && !options.read_only() && !options.exclusive() && !options.delete_on_close());
}

#[test]
fn a_journal_and_a_wal_know_their_database_and_its_parameters() {
    let place = place(Paths::default());
    let db = place.try_open(URI, OpenFlags::default() | OpenFlags::SQLITE_OPEN_URI).unwrap();
    fill(&db, 1, 100, 500);
    spill_early(&db);
    place.vfs.take();
    run(&db, "UPDATE t SET v = zeroblob(500)");
    let journal = place.vfs.of_kind(FileKind::MainJournal).remove(0);
    set_mode(&db, "wal");
    run(&db, "UPDATE t SET v = 1");
    let wal = place.vfs.of_kind(FileKind::Wal).remove(0);
    for (seen, name) in [(journal, "x#y.db-journal"), (wal, "x#y.db-wal")] {
        assert_eq!(seen.name.as_deref(), Some(name));
        assert_eq!(seen.database.as_deref(), Some("x#y.db"));
        assert_eq!(seen.color.as_deref(), Some("réd & blue"));
        assert!(seen.options.create());
    }
}

#[test]
fn a_plain_name_has_no_parameters() {
    let place = place(Paths::default());
    let _db = place.open("x.db?color=red");
    let seen = place.vfs.take().remove(0);
    assert_eq!((seen.name.as_deref(), seen.color), (Some("x.db?color=red"), None));
}

#[test]
fn opening_for_reading_is_told() {
    let place = place(Paths::default());
    run(&place.open("x.db"), "CREATE TABLE t (x)");
    place.vfs.take();
    let _db = place.try_open("x.db", OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    let options = place.vfs.take().remove(0).options;
    assert!(options.read_only() && !options.create());
}

#[test]
fn a_super_journal_has_a_name_and_must_be_new() {
    let place = place(Paths::default());
    let db = place.open("a.db");
    run(&db, "ATTACH 'b.db' AS b; CREATE TABLE t (x); CREATE TABLE b.t (x)");
    place.vfs.take();
    run(&db, "BEGIN; INSERT INTO main.t VALUES (1); INSERT INTO b.t VALUES (1); COMMIT");
    let seen = place.vfs.of_kind(FileKind::SuperJournal).remove(0);
    assert!(seen.name.as_deref().is_some_and(|name| name.starts_with("a.db-mj")));
    assert_eq!((seen.database, seen.color), (None, None));
    assert!(seen.options.create() && seen.options.exclusive());
}

#[test]
fn a_temporary_file_has_no_name_and_is_deleted_when_closed() {
    let place = place(Paths::default());
    let db = place.open("x.db");
    place.vfs.take();
    run(&db, "PRAGMA temp_store=file; CREATE TEMP TABLE t (v); PRAGMA temp.cache_size=5");
    run(
        &db,
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
              INSERT INTO t SELECT zeroblob(500) FROM n",
    );
    let seen = place.vfs.of_kind(FileKind::TempDb).remove(0);
    assert_eq!((seen.name, seen.database), (None, None));
    assert!(seen.options.create() && seen.options.delete_on_close());
    assert_eq!(OpenOptions::new(FileKind::TempDb, seen.options.flags()), seen.options);
}

#[test]
fn every_kind_has_a_flag_of_its_own() {
    use FileKind::{MainDb, MainJournal, SubJournal, SuperJournal, TempDb, TempJournal, TransientDb, Wal};
    let kinds = [MainDb, MainJournal, Wal, TempDb, TempJournal, TransientDb, SubJournal, SuperJournal];
    for kind in kinds {
        assert_eq!(FileKind::from_flags(kind.flag() | 6), Some(kind));
    }
    assert_eq!(kinds.iter().fold(0, |all, kind| all | kind.flag()).count_ones(), 8);
    assert_eq!(FileKind::from_flags(6), None);
}
