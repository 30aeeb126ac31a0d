//! The conformance kit: what SQLite expects of a VFS, as a list of cases that any VFS can be run against.
//!
//! A case has a name, `"open/missing-without-create"`, and passes, fails, or is *not promised*: what a VFS says it does
//! not offer is no failure. It says so by itself ([`FileFeatures`](crate::vfs::FileFeatures),
//! [`DeviceCharacteristics`](crate::vfs::DeviceCharacteristics)) or through its author ([`Options`]). Some cases call the
//! methods of the VFS, most drive SQLite with SQL.
//!
//! One test runs all of them:
//!
//! ```
//! use sqlite_vfs_kit::stores::MemoryVfs;
//! use sqlite_vfs_kit::testing::{self, Options};
//!
//! // #[test]
//! fn memory_vfs_is_what_sqlite_expects() {
//!     let report = testing::run(&MemoryVfs::new, &Options { only: &["open/", "locks/"], ..Options::default() });
//!     println!("{report}");
//!     report.assert_passed();
//! }
//! # memory_vfs_is_what_sqlite_expects();
//! ```
//!
//! A closure that makes an empty store will do. A store that outlives its VFS, or that only its author can fill, has a type
//! of its own for a [`Subject`]. A test runner that wants each case by itself takes them from [`cases`].
//!
//! The cases need no threads and no clock, so they run in a browser as well. A VFS that panics ends the run.
//!
//! The feature `testing` brings this module, and rusqlite with it: turn it on among the dev-dependencies.

mod any;
mod case;
mod cases;
mod db;
mod lab;
mod options;
mod random;
mod report;

pub use case::{Capability, Case};
pub use options::Options;
pub use report::{Outcome, Report, Verdict};

use crate::sys;
use crate::vfs::{FileKind, OpenOptions, Result, Vfs, VfsFile, VfsPath};
use lab::Lab;

/// Where the kit gets stores from. `Fn() -> V` is one, for a VFS that begins empty.
pub trait Subject {
    /// The VFS under test.
    type Vfs: Vfs;

    /// An empty store that shares nothing with those made before. At most a few are in use at a time.
    ///
    /// # Errors
    /// When there is none to be had: the case has failed then.
    fn fresh(&self) -> Result<Self::Vfs>;

    /// A store with these files and no others. The default writes them through the VFS; a read-only one has other ways.
    ///
    /// # Errors
    /// When they could not be put in: the case has failed then.
    fn holding(&self, files: &[(&str, &[u8])]) -> Result<Self::Vfs> {
        let vfs = self.fresh()?;
        for &(name, bytes) in files {
            let full = vfs.full_pathname(name)?;
            let kind = match () {
                () if name.ends_with("-journal") => FileKind::MainJournal,
                () if name.ends_with("-wal") => FileKind::Wal,
                () if name.contains("-mj") => FileKind::SuperJournal,
                () => FileKind::MainDb,
            };
            let database = full.strip_suffix("-journal").or_else(|| full.strip_suffix("-wal")).unwrap_or(&full);
            let path = VfsPath::opened(&full, kind, Some(database), None);
            let flags = sys::SQLITE_OPEN_READWRITE | sys::SQLITE_OPEN_CREATE;
            let mut file = vfs.open(Some(&path), OpenOptions::new(kind, flags))?.file;
            file.write_at(bytes, 0)?;
            file.close()?;
        }
        Ok(vfs)
    }

    /// The same store by another value of the VFS, after this one is dropped; `None`, the default, where a store does not
    /// outlive its VFS.
    ///
    /// # Errors
    /// When it could not be opened again: the case has failed then.
    fn reopen(&self, vfs: Self::Vfs) -> Result<Option<Self::Vfs>> {
        drop(vfs);
        Ok(None)
    }
}

impl<F: Fn() -> V, V: Vfs> Subject for F {
    type Vfs = V;

    fn fresh(&self) -> Result<V> {
        Ok(self())
    }
}

/// All cases, group by group.
#[must_use]
pub fn cases() -> Vec<Case> {
    cases::all()
}

/// Runs all cases that the options choose.
pub fn run<S: Subject>(subject: &S, options: &Options<'_>) -> Report {
    run_with(subject, options, |_| {})
}

/// As [`run`], and tells of each case when it is done.
pub fn run_with<S: Subject>(subject: &S, options: &Options<'_>, mut done: impl FnMut(&Outcome)) -> Report {
    let mut report = Report::default();
    let lab = Lab::new(subject, options);
    for case in cases::all().iter().filter(|case| options.chooses(case.name())) {
        let outcome = match &lab {
            Ok(lab) => case.run_in(lab),
            Err(stop) => case.outcome(Err(stop.clone())),
        };
        done(&outcome);
        report.outcomes.push(outcome);
    }
    report
}
