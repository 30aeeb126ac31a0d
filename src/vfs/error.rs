//! What a VFS answers when it cannot do what SQLite asked.

use std::borrow::Cow;
use std::fmt;

use crate::sys;

/// Shorthand for the result of every facade method.
pub type Result<T, E = VfsError> = std::result::Result<T, E>;

macro_rules! codes {
    ($($(#[$doc:meta])* $variant:ident = $name:ident,)*) => {
        /// SQLite's result codes that a VFS may answer with, extended ones included
        /// (<https://sqlite.org/rescode.html>).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        #[repr(i32)]
        pub enum ErrorCode {
            $($(#[$doc])* $variant = sys::$name,)*
        }

        impl ErrorCode {
            /// The code with this number, where a VFS may answer it.
            #[must_use]
            pub const fn from_raw(raw: i32) -> Option<Self> {
                match raw {
                    $(sys::$name => Some(Self::$variant),)*
                    _ => None,
                }
            }

            /// SQLite's name for the code: `"SQLITE_IOERR_READ"`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => stringify!($name),)*
                }
            }

            /// Every code, for tests and tables.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];
        }
    };
}

codes! {
    /// The VFS was used against its rules, or is no longer registered.
    Misuse = SQLITE_MISUSE,
    /// An error that has no code of its own.
    Error = SQLITE_ERROR,
    /// The caller may not have this.
    Perm = SQLITE_PERM,
    /// An authorisation was refused.
    Auth = SQLITE_AUTH,
    /// The operation was stopped on purpose.
    Interrupt = SQLITE_INTERRUPT,
    /// Another connection holds a lock that stands in the way.
    Busy = SQLITE_BUSY,
    /// Busy, because another connection recovers a WAL.
    BusyRecovery = SQLITE_BUSY_RECOVERY,
    /// Busy, because the snapshot read is no longer the newest.
    BusySnapshot = SQLITE_BUSY_SNAPSHOT,
    /// Busy, after waiting as long as was allowed.
    BusyTimeout = SQLITE_BUSY_TIMEOUT,
    /// Locked by the same connection or shared cache.
    Locked = SQLITE_LOCKED,
    /// The heap has no more room.
    NoMem = SQLITE_NOMEM,
    /// The file may not be written.
    ReadOnly = SQLITE_READONLY,
    /// The WAL index cannot be made by a read-only connection.
    ReadOnlyCantInit = SQLITE_READONLY_CANTINIT,
    /// The WAL needs recovery, which a read-only connection cannot do.
    ReadOnlyCantLock = SQLITE_READONLY_CANTLOCK,
    /// The file was moved or deleted while open.
    ReadOnlyDbMoved = SQLITE_READONLY_DBMOVED,
    /// The folder may not be written.
    ReadOnlyDirectory = SQLITE_READONLY_DIRECTORY,
    /// Stored bytes are damaged.
    Corrupt = SQLITE_CORRUPT,
    /// Not known here: to `file_control`, "I have no answer to this code".
    NotFound = SQLITE_NOTFOUND,
    /// No space is left for the bytes.
    Full = SQLITE_FULL,
    /// The file cannot be opened.
    CantOpen = SQLITE_CANTOPEN,
    /// The name is a folder.
    CantOpenIsDir = SQLITE_CANTOPEN_ISDIR,
    /// The name cannot be turned into a full path.
    CantOpenFullPath = SQLITE_CANTOPEN_FULLPATH,
    /// The name is a symbolic link that must not be followed.
    CantOpenSymlink = SQLITE_CANTOPEN_SYMLINK,
    /// A lock could not be had for a reason other than another connection.
    Protocol = SQLITE_PROTOCOL,
    /// A file is larger than can be handled.
    TooBig = SQLITE_TOOBIG,
    /// The host lacks what this needs.
    NoLfs = SQLITE_NOLFS,
    /// The file is no database.
    NotADb = SQLITE_NOTADB,
    /// An I/O error without a closer name.
    IoErr = SQLITE_IOERR,
    /// `access` failed.
    IoErrAccess = SQLITE_IOERR_ACCESS,
    /// Authorisation was refused by the medium.
    IoErrAuth = SQLITE_IOERR_AUTH,
    /// A batch of writes could not be begun.
    IoErrBeginAtomic = SQLITE_IOERR_BEGIN_ATOMIC,
    /// A lock could not be asked about.
    IoErrCheckReservedLock = SQLITE_IOERR_CHECKRESERVEDLOCK,
    /// `close` failed.
    IoErrClose = SQLITE_IOERR_CLOSE,
    /// A batch of writes could not be committed.
    IoErrCommitAtomic = SQLITE_IOERR_COMMIT_ATOMIC,
    /// A checksum of the stored bytes is wrong.
    IoErrCorruptFs = SQLITE_IOERR_CORRUPTFS,
    /// A page's bytes do not match what was stored.
    IoErrData = SQLITE_IOERR_DATA,
    /// `delete` failed.
    IoErrDelete = SQLITE_IOERR_DELETE,
    /// `delete` was asked for a file that is not there.
    IoErrDeleteNoEnt = SQLITE_IOERR_DELETE_NOENT,
    /// The folder of the file could not be synced.
    IoErrDirFsync = SQLITE_IOERR_DIR_FSYNC,
    /// `len` failed.
    IoErrFstat = SQLITE_IOERR_FSTAT,
    /// `sync` failed.
    IoErrFsync = SQLITE_IOERR_FSYNC,
    /// `lock` failed for a reason other than another connection.
    IoErrLock = SQLITE_IOERR_LOCK,
    /// `fetch` failed.
    IoErrMmap = SQLITE_IOERR_MMAP,
    /// An I/O operation found no heap.
    IoErrNoMem = SQLITE_IOERR_NOMEM,
    /// `lock` to RESERVED or above failed.
    IoErrRdLock = SQLITE_IOERR_RDLOCK,
    /// `read_at` failed.
    IoErrRead = SQLITE_IOERR_READ,
    /// A batch of writes could not be rolled back.
    IoErrRollbackAtomic = SQLITE_IOERR_ROLLBACK_ATOMIC,
    /// Positioning in the file failed.
    IoErrSeek = SQLITE_IOERR_SEEK,
    /// `shm_lock` failed.
    IoErrShmLock = SQLITE_IOERR_SHMLOCK,
    /// `shm_map` failed.
    IoErrShmMap = SQLITE_IOERR_SHMMAP,
    /// The WAL index could not be opened.
    IoErrShmOpen = SQLITE_IOERR_SHMOPEN,
    /// The WAL index could not be made larger.
    IoErrShmSize = SQLITE_IOERR_SHMSIZE,
    /// `set_len` failed.
    IoErrTruncate = SQLITE_IOERR_TRUNCATE,
    /// `unlock` failed.
    IoErrUnlock = SQLITE_IOERR_UNLOCK,
    /// `write_at` failed.
    IoErrWrite = SQLITE_IOERR_WRITE,
}

impl ErrorCode {
    /// The number SQLite knows the code by.
    #[must_use]
    pub const fn raw(self) -> i32 {
        self as i32
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An answer other than success: SQLite's code for it, and for people the reason in words.
///
/// SQLite carries the code only. The message is kept beside it: Rust users read it with
/// [`Registration::last_error`](crate::Registration::last_error), a caller in JavaScript finds it in the thrown error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VfsError {
    code: ErrorCode,
    message: Cow<'static, str>,
    /// The host's number for the exception behind it; 0 for none.
    cause: u32,
}

impl VfsError {
    /// An error with a code and the reason in words. A message that is a literal costs no allocation.
    pub fn new(code: ErrorCode, message: impl Into<Cow<'static, str>>) -> Self {
        Self { code, message: message.into(), cause: 0 }
    }

    /// What a host threw, by the number that the host has it under.
    #[cfg(all(feature = "engine", target_family = "wasm"))]
    #[must_use]
    pub(crate) fn with_cause(mut self, cause: u32) -> Self {
        self.cause = cause;
        self
    }

    #[cfg(feature = "engine")]
    #[must_use]
    pub(crate) const fn cause(&self) -> u32 {
        self.cause
    }

    /// Another connection holds a lock that stands in the way. Cheap: it is an answer, not a fault.
    #[must_use]
    pub const fn busy() -> Self {
        Self { code: ErrorCode::Busy, message: Cow::Borrowed("locked by another connection"), cause: 0 }
    }

    /// SQLite's code.
    #[must_use]
    pub const fn code(&self) -> ErrorCode {
        self.code
    }

    /// The reason in words; may be empty.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl From<ErrorCode> for VfsError {
    fn from(code: ErrorCode) -> Self {
        Self { code, message: Cow::Borrowed(""), cause: 0 }
    }
}

impl fmt::Display for VfsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.message.is_empty() { write!(f, "{}", self.code) } else { write!(f, "{}: {}", self.code, self.message) }
    }
}

impl std::error::Error for VfsError {}
