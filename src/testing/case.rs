//! One thing that SQLite expects of a VFS.

use std::borrow::Cow;
use std::fmt;

use super::Subject;
use super::lab::Lab;
use super::options::Options;
use super::report::{Outcome, Verdict};
use crate::vfs::VfsError;

/// What a VFS may or may not offer. A case that needs what is not offered is not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Capability {
    /// Files can be written: not [`Options::read_only`].
    Write,
    /// Several connections have a database open at once: not [`Options::one_connection`].
    Connections,
    /// Connections share a WAL index: [`FileFeatures::shared_memory`](crate::vfs::FileFeatures::shared_memory).
    SharedMemory,
    /// Batches of writes: [`DeviceCharacteristics::BATCH_ATOMIC`](crate::vfs::DeviceCharacteristics::BATCH_ATOMIC).
    BatchAtomic,
    /// Files without a name: not [`Options::no_temporary_files`].
    TemporaryFiles,
    /// Files longer than 4 GiB: [`Options::sparse`].
    Sparse,
    /// Files as long as this, in bytes: [`Options::max_file_size`].
    FileSize(u64),
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Write => f.write_str("writing"),
            Self::Connections => f.write_str("several connections at once"),
            Self::SharedMemory => f.write_str("shared memory"),
            Self::BatchAtomic => f.write_str("batches of writes"),
            Self::TemporaryFiles => f.write_str("files without a name"),
            Self::Sparse => f.write_str("files beyond 4 GiB"),
            Self::FileSize(bytes) => write!(f, "files of {} MiB", bytes.div_ceil(1 << 20)),
        }
    }
}

/// Why a case ended before its end.
#[derive(Clone, Debug)]
pub(super) enum Stop {
    Failed(String),
    NotPromised(String),
}

impl Stop {
    pub(super) fn failed(why: impl Into<String>) -> Self {
        Self::Failed(why.into())
    }

    pub(super) fn not_promised(why: impl Into<String>) -> Self {
        Self::NotPromised(why.into())
    }

    /// Says in which circumstances it failed.
    pub(super) fn within(self, circumstances: impl fmt::Display) -> Self {
        match self {
            Self::Failed(why) => Self::Failed(format!("{circumstances}: {why}")),
            other @ Self::NotPromised(_) => other,
        }
    }
}

impl From<VfsError> for Stop {
    fn from(error: VfsError) -> Self {
        Self::failed(error.to_string())
    }
}

impl From<rusqlite::Error> for Stop {
    fn from(error: rusqlite::Error) -> Self {
        Self::failed(error.to_string())
    }
}

/// The result of a step of a case.
pub(super) type Checked<T = ()> = Result<T, Stop>;

/// Ends the case as failed unless this holds.
macro_rules! check {
    ($condition:expr, $($message:tt)+) => {
        if !$condition {
            return Err($crate::testing::case::Stop::failed(format!($($message)+)));
        }
    };
}

/// Ends the case as failed unless both are equal.
macro_rules! check_eq {
    ($found:expr, $expected:expr, $($message:tt)+) => {
        match (&$found, &$expected) {
            (found, expected) => {
                if found != expected {
                    let message = format!($($message)+);
                    let (found, expected) = ($crate::testing::case::brief(found), $crate::testing::case::brief(expected));
                    return Err($crate::testing::case::Stop::failed(format!("{message}: {found} and not {expected}")));
                }
            }
        }
    };
}

pub(super) use {check, check_eq};

/// A value for people; bytes by the thousand are not shown whole.
pub(super) fn brief(value: &impl fmt::Debug) -> String {
    let whole = format!("{value:?}");
    match whole.char_indices().nth(120) {
        Some((at, _)) => format!("{}…", whole.get(..at).unwrap_or_default()),
        None => whole,
    }
}

type Run = Box<dyn Fn(&Lab<'_>) -> Checked>;

/// One thing that SQLite expects of a VFS, with a name: `"open/missing-without-create"`.
pub struct Case {
    name: Cow<'static, str>,
    needs: Vec<Capability>,
    run: Run,
}

impl Case {
    pub(super) fn new(
        name: impl Into<Cow<'static, str>>,
        needs: &[Capability],
        run: impl Fn(&Lab<'_>) -> Checked + 'static,
    ) -> Self {
        Self { name: name.into(), needs: needs.to_vec(), run: Box::new(run) }
    }

    /// Its name: the group, a slash, and what is expected.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The group that it belongs to: the name up to the slash.
    #[must_use]
    pub fn group(&self) -> &str {
        self.name.split('/').next().unwrap_or_default()
    }

    /// What the VFS must offer for it.
    #[must_use]
    pub fn needs(&self) -> &[Capability] {
        &self.needs
    }

    /// Runs it alone.
    pub fn run<S: Subject>(&self, subject: &S, options: &Options<'_>) -> Outcome {
        match Lab::new(subject, options) {
            Ok(lab) => self.run_in(&lab),
            Err(stop) => self.outcome(Err(stop)),
        }
    }

    pub(super) fn run_in(&self, lab: &Lab<'_>) -> Outcome {
        let missing: Vec<_> = self.needs.iter().filter(|&&need| !lab.offers(need)).map(Capability::to_string).collect();
        self.outcome(if missing.is_empty() {
            (self.run)(lab)
        } else {
            Err(Stop::not_promised(format!("needs {}", missing.join(" and "))))
        })
    }

    pub(super) fn outcome(&self, result: Checked) -> Outcome {
        let verdict = match result {
            Ok(()) => Verdict::Passed,
            Err(Stop::Failed(why)) => Verdict::Failed(why),
            Err(Stop::NotPromised(why)) => Verdict::NotPromised(why),
        };
        Outcome { case: self.name.clone().into_owned(), verdict }
    }
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Case").field("name", &self.name).field("needs", &self.needs).finish_non_exhaustive()
    }
}
