//! `xFileControl`, typed (<https://sqlite.org/c3ref/c_fcntl_begin_atomic_write.html>).

use crate::sys;

// Not in every binding.
pub(crate) const FCNTL_BEGIN_ATOMIC_WRITE: i32 = 31;
pub(crate) const FCNTL_COMMIT_ATOMIC_WRITE: i32 = 32;
pub(crate) const FCNTL_ROLLBACK_ATOMIC_WRITE: i32 = 33;

/// A question or command of SQLite's to an open file. Answer `Ok(true)` when it was dealt with and `Ok(false)` for
/// "I have no answer to this", which SQLite takes as a no.
#[derive(Debug)]
#[non_exhaustive]
pub enum FileControl<'a> {
    /// The file is about to grow to so many bytes.
    SizeHint(u64),
    /// Grow the file by multiples of so many bytes.
    ChunkSize(u32),
    /// `sync` is about to be called, or would be but for `synchronous=OFF`. The name is the transaction's super-journal.
    Sync {
        /// Name of the super-journal, for a transaction over several files.
        super_journal: Option<&'a str>,
    },
    /// The transaction is durable as far as SQLite is concerned. In WAL mode it comes too, while the main file is unchanged.
    CommitPhaseTwo,
    /// The whole file is about to be rewritten with so many bytes (VACUUM).
    Overwrite(u64),
    /// Begin a batch: the writes that follow become the file's content together or not at all.
    BeginAtomicWrite,
    /// End the batch and keep its writes.
    CommitAtomicWrite,
    /// End the batch and undo its writes. It must succeed: SQLite has no way back of its own.
    RollbackAtomicWrite,
    /// Should the WAL stay when the last connection closes? Negative on entry: only asked.
    PersistWal(&'a mut i32),
    /// As [`PersistWal`](Self::PersistWal), for `POWERSAFE_OVERWRITE`.
    PowersafeOverwrite(&'a mut i32),
    /// Set to a non-zero number if the file was moved or deleted since it was opened.
    HasMoved(&'a mut i32),
    /// How many milliseconds to wait for a lock; the former value goes back.
    LockTimeout(&'a mut i32),
    /// How much of the file may be fetched: the new limit in bytes, or negative to ask; the former value goes back.
    MmapSize(&'a mut i64),
    /// A checkpoint is about to begin.
    CheckpointStart,
    /// A checkpoint is done, before its lock is given up.
    CheckpointDone,
    /// Any other code. Its argument is a pointer of a meaning that only the code tells, so it is not passed on.
    Other(i32),
}

impl FileControl<'_> {
    /// SQLite's number for it, `SQLITE_FCNTL_…`.
    #[must_use]
    pub const fn code(&self) -> i32 {
        match self {
            Self::SizeHint(_) => sys::SQLITE_FCNTL_SIZE_HINT,
            Self::ChunkSize(_) => sys::SQLITE_FCNTL_CHUNK_SIZE,
            Self::Sync { .. } => sys::SQLITE_FCNTL_SYNC,
            Self::CommitPhaseTwo => sys::SQLITE_FCNTL_COMMIT_PHASETWO,
            Self::Overwrite(_) => sys::SQLITE_FCNTL_OVERWRITE,
            Self::BeginAtomicWrite => FCNTL_BEGIN_ATOMIC_WRITE,
            Self::CommitAtomicWrite => FCNTL_COMMIT_ATOMIC_WRITE,
            Self::RollbackAtomicWrite => FCNTL_ROLLBACK_ATOMIC_WRITE,
            Self::PersistWal(_) => sys::SQLITE_FCNTL_PERSIST_WAL,
            Self::PowersafeOverwrite(_) => sys::SQLITE_FCNTL_POWERSAFE_OVERWRITE,
            Self::HasMoved(_) => sys::SQLITE_FCNTL_HAS_MOVED,
            Self::LockTimeout(_) => sys::SQLITE_FCNTL_LOCK_TIMEOUT,
            Self::MmapSize(_) => sys::SQLITE_FCNTL_MMAP_SIZE,
            Self::CheckpointStart => sys::SQLITE_FCNTL_CKPT_START,
            Self::CheckpointDone => sys::SQLITE_FCNTL_CKPT_DONE,
            Self::Other(code) => *code,
        }
    }
}

/// The answer to a `PRAGMA` that reached the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pragma {
    /// Not one of ours: SQLite deals with it.
    NotHandled,
    /// Dealt with; the statement returns this text, or no row. SQLite does not look at the pragma any further.
    Handled(Option<String>),
}
