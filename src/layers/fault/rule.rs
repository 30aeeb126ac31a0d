//! What is to go wrong, and when.

use std::fmt;
use std::rc::Rc;
use std::time::Duration;

use crate::layers::Operation;
use crate::vfs::{FileKind, VfsError};

/// Which of the operations that a [`Rule`] is about meet it. They are counted from 1, from when the rule was added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// This one.
    Nth(u64),
    /// This one and all that follow.
    From(u64),
    /// Every one whose number this divides. With 0 none.
    Every(u64),
}

impl When {
    const fn meets(self, number: u64) -> bool {
        match self {
            Self::Nth(n) => number == n,
            Self::From(n) => number >= n,
            Self::Every(k) => k > 0 && number.is_multiple_of(k),
        }
    }
}

/// What becomes of an operation.
#[derive(Clone)]
#[non_exhaustive]
pub enum Action {
    /// It fails, and nothing is done.
    Fail(VfsError),
    /// A read gives no more than so many bytes, which to SQLite is the end of the file. A write writes no more than so many
    /// and fails. Any other operation fails.
    Shorten {
        /// How many bytes are read or written at most.
        bytes: usize,
        /// How a write fails: [`Full`](crate::vfs::ErrorCode::Full) where space ran out,
        /// [`IoErrWrite`](crate::vfs::ErrorCode::IoErrWrite) for a medium that broke.
        error: VfsError,
    },
    /// A write writes the first sectors that it touches and no more. Any other operation does nothing.
    Tear {
        /// How many sectors of the file's [`sector_size`](crate::vfs::VfsFile::sector_size), the first of which may be touched
        /// in part.
        sectors: u64,
        /// What comes after it.
        then: Then,
    },
    /// The VFS inside sleeps, then the operation is done. On the web sleep returns at once, unless the VFS has its own.
    Delay(Duration),
    /// This is called, then the operation is done. It may use SQLite, but not the connection that waits for it.
    Call(Rc<dyn Fn()>),
    /// Power is lost, and the operation is not done: [`Fault::is_crashed`](super::Fault::is_crashed) from here on.
    Crash,
}

impl fmt::Debug for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fail(error) => f.debug_tuple("Fail").field(error).finish(),
            Self::Shorten { bytes, error } => {
                f.debug_struct("Shorten").field("bytes", bytes).field("error", error).finish()
            }
            Self::Tear { sectors, then } => {
                f.debug_struct("Tear").field("sectors", sectors).field("then", then).finish()
            }
            Self::Delay(duration) => f.debug_tuple("Delay").field(duration).finish(),
            Self::Call(_) => f.write_str("Call"),
            Self::Crash => f.write_str("Crash"),
        }
    }
}

/// How a torn write ends.
#[derive(Clone, Debug)]
pub enum Then {
    /// It fails.
    Fail(VfsError),
    /// Power is lost.
    Crash,
}

/// Something that is to go wrong with a VFS.
///
/// ```
/// use sqlite_vfs_kit::layers::{Action, Fault, Operation, Rule, When};
/// use sqlite_vfs_kit::stores::MemoryVfs;
/// use sqlite_vfs_kit::vfs::{ErrorCode, FileKind};
///
/// let vfs = Fault::new(MemoryVfs::new());
/// // The third sync of a journal fails, and only that one.
/// let broken = Action::Fail(ErrorCode::IoErrFsync.into());
/// vfs.add(Rule::new(Operation::Sync, When::Nth(3), broken).kind(FileKind::MainJournal));
/// ```
#[derive(Clone, Debug)]
pub struct Rule {
    operation: Operation,
    when: When,
    pub(super) action: Action,
    kind: Option<FileKind>,
    file: Option<String>,
}

impl Rule {
    /// For all files.
    #[must_use]
    pub const fn new(operation: Operation, when: When, action: Action) -> Self {
        Self { operation, when, action, kind: None, file: None }
    }

    /// For files of one kind only; others are not counted. SQLite does not tell `delete` and `access` what a file is: it is
    /// what a file of that name last was opened as, or what its suffix says.
    #[must_use]
    pub const fn kind(mut self, kind: FileKind) -> Self {
        self.kind = Some(kind);
        self
    }

    /// For the file of one full name only; others are not counted.
    #[must_use]
    pub fn file(mut self, name: impl Into<String>) -> Self {
        self.file = Some(name.into());
        self
    }
}

/// A rule, and how many operations it has seen.
#[derive(Debug)]
pub(super) struct Armed {
    rule: Rule,
    seen: u64,
}

impl Armed {
    pub(super) const fn new(rule: Rule) -> Self {
        Self { rule, seen: 0 }
    }

    /// Counts the operation if it is one of those the rule is about, and says what becomes of it.
    pub(super) fn meet(&mut self, operation: Operation, name: Option<&str>, kind: Option<FileKind>) -> Option<&Action> {
        let rule = &self.rule;
        let about = rule.operation == operation
            && rule.kind.is_none_or(|wanted| kind == Some(wanted))
            && rule.file.as_deref().is_none_or(|wanted| name == Some(wanted));
        if !about {
            return None;
        }
        self.seen += 1;
        rule.when.meets(self.seen).then_some(&rule.action)
    }
}
