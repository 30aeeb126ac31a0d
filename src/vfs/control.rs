//! `xFileControl`, typed (<https://sqlite.org/c3ref/c_fcntl_begin_atomic_write.html>).

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

/// The answer to a `PRAGMA` that reached the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pragma {
    /// Not one of ours: SQLite deals with it.
    NotHandled,
    /// Dealt with; the statement returns this text, or no row. SQLite does not look at the pragma any further.
    Handled(Option<String>),
}
