//! A VFS under a name of its own, for as long as a test needs it.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};
use sqlite_vfs_kit::vfs::{Files, Vfs};
use sqlite_vfs_kit::{RegisterOptions, Registration, register};

/// A registered VFS. Dropping it takes it out of SQLite's list.
pub struct Place<V> {
    pub vfs: V,
    registration: Option<Registration>,
}

static COUNTER: AtomicU32 = AtomicU32::new(0);

/// Registers a VFS under a name that nobody else has.
#[track_caller]
pub fn place<V: Vfs + Clone>(vfs: V) -> Place<V> {
    let name = format!("test-{}", COUNTER.fetch_add(1, Ordering::Relaxed));
    let registration = register(&name, vfs.clone(), RegisterOptions::default()).unwrap();
    Place { vfs, registration: Some(registration) }
}

impl<V: Vfs + Clone> Place<V> {
    /// As [`place`]: another name for the same files.
    #[track_caller]
    pub fn of(vfs: V) -> Self {
        place(vfs)
    }
}

impl<V> Place<V> {
    pub fn registration(&self) -> &Registration {
        self.registration.as_ref().unwrap()
    }

    /// The name it is registered under.
    pub fn name(&self) -> &'static str {
        self.registration().name()
    }

    /// Opens a database that is made if need be. Nobody is waited for.
    #[track_caller]
    pub fn open(&self, name: &str) -> Connection {
        self.try_open(name, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE).unwrap()
    }

    pub fn try_open(&self, name: &str, flags: OpenFlags) -> rusqlite::Result<Connection> {
        let db = Connection::open_with_flags_and_vfs(name, flags, self.name())?;
        db.busy_timeout(Duration::ZERO)?;
        Ok(db)
    }

    /// The words of the last error.
    pub fn reason(&self) -> String {
        self.registration().last_error().map_or_else(String::new, |error| error.message().to_owned())
    }

    pub fn unregister(&mut self) {
        self.registration.take().unwrap().unregister().unwrap();
    }
}

impl<V: Files> Place<V> {
    /// What a crash at this moment would leave behind: `from` and its journal or WAL, under the name `to`.
    #[track_caller]
    pub fn copy(&self, from: &str, to: &str) {
        for suffix in ["", "-journal", "-wal"] {
            if let Ok(bytes) = self.vfs.read(&format!("{from}{suffix}")) {
                self.vfs.write(&format!("{to}{suffix}"), &bytes).unwrap();
            }
        }
    }

    /// As [`copy`](Self::copy), under the same name on another store.
    #[track_caller]
    pub fn copy_to(&self, other: &Place<impl Files>, name: &str) {
        for suffix in ["", "-journal", "-wal"] {
            let name = format!("{name}{suffix}");
            if let Ok(bytes) = self.vfs.read(&name) {
                other.vfs.write(&name, &bytes).unwrap();
            }
        }
    }

    /// The names of all files.
    #[track_caller]
    pub fn files(&self) -> Vec<String> {
        self.vfs.list().unwrap().into_iter().map(|file| file.name).collect()
    }
}

impl<V> Drop for Place<V> {
    fn drop(&mut self) {
        if let Some(registration) = self.registration.take() {
            registration.unregister().unwrap();
        }
    }
}
