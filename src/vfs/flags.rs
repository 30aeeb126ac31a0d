//! SQLite's bit sets as types: how a file is opened, synced, asked about, locked, and what it promises.

use crate::sys;

/// What a file is to SQLite. It is told at open and decides, for a store, how durable the file must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileKind {
    /// A database.
    MainDb,
    /// The rollback journal of a database.
    MainJournal,
    /// The write-ahead log of a database.
    Wal,
    /// A temporary database: dies with its connection.
    TempDb,
    /// The journal of a temporary database.
    TempJournal,
    /// A database that never needs a journal: sorters and materialised views.
    TransientDb,
    /// The journal of a statement inside a transaction.
    SubJournal,
    /// Names the journals of a transaction over several attached databases; if it vanishes in a crash, they are void.
    SuperJournal,
}

impl FileKind {
    /// The kind that the flags of `xOpen` name. SQLite always sets exactly one.
    #[must_use]
    pub const fn from_flags(flags: i32) -> Option<Self> {
        const KINDS: i32 = 0x000F_FF00;
        Some(match flags & KINDS {
            sys::SQLITE_OPEN_MAIN_DB => Self::MainDb,
            sys::SQLITE_OPEN_MAIN_JOURNAL => Self::MainJournal,
            sys::SQLITE_OPEN_WAL => Self::Wal,
            sys::SQLITE_OPEN_TEMP_DB => Self::TempDb,
            sys::SQLITE_OPEN_TEMP_JOURNAL => Self::TempJournal,
            sys::SQLITE_OPEN_TRANSIENT_DB => Self::TransientDb,
            sys::SQLITE_OPEN_SUBJOURNAL => Self::SubJournal,
            sys::SQLITE_OPEN_SUPER_JOURNAL => Self::SuperJournal,
            _ => return None,
        })
    }

    /// The flag of `xOpen` for this kind.
    #[must_use]
    pub const fn flag(self) -> i32 {
        match self {
            Self::MainDb => sys::SQLITE_OPEN_MAIN_DB,
            Self::MainJournal => sys::SQLITE_OPEN_MAIN_JOURNAL,
            Self::Wal => sys::SQLITE_OPEN_WAL,
            Self::TempDb => sys::SQLITE_OPEN_TEMP_DB,
            Self::TempJournal => sys::SQLITE_OPEN_TEMP_JOURNAL,
            Self::TransientDb => sys::SQLITE_OPEN_TRANSIENT_DB,
            Self::SubJournal => sys::SQLITE_OPEN_SUBJOURNAL,
            Self::SuperJournal => sys::SQLITE_OPEN_SUPER_JOURNAL,
        }
    }

    /// True for files that nobody needs after their connection is gone, crashed or not.
    #[must_use]
    pub const fn is_temporary(self) -> bool {
        matches!(self, Self::TempDb | Self::TempJournal | Self::TransientDb | Self::SubJournal)
    }
}

/// How a file is to be opened: `xOpen`'s flags (<https://sqlite.org/c3ref/c_open_autoproxy.html>).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenOptions {
    kind: FileKind,
    flags: i32,
}

impl OpenOptions {
    /// Options for a file of this kind with `SQLITE_OPEN_…` flags; the kind's own flag is added.
    #[must_use]
    pub const fn new(kind: FileKind, flags: i32) -> Self {
        Self { kind, flags: flags | kind.flag() }
    }

    /// What the file is.
    #[must_use]
    pub const fn kind(self) -> FileKind {
        self.kind
    }

    /// Reading is enough.
    #[must_use]
    pub const fn read_only(self) -> bool {
        self.has(sys::SQLITE_OPEN_READONLY)
    }

    /// A missing file is to be made.
    #[must_use]
    pub const fn create(self) -> bool {
        self.has(sys::SQLITE_OPEN_CREATE)
    }

    /// A file that exists is an error. Meaningful together with [`create`](Self::create) only.
    #[must_use]
    pub const fn exclusive(self) -> bool {
        self.has(sys::SQLITE_OPEN_EXCLUSIVE)
    }

    /// The file is to be deleted when it is closed.
    #[must_use]
    pub const fn delete_on_close(self) -> bool {
        self.has(sys::SQLITE_OPEN_DELETEONCLOSE)
    }

    /// Symbolic links must not be followed.
    #[must_use]
    pub const fn no_follow(self) -> bool {
        self.has(sys::SQLITE_OPEN_NOFOLLOW)
    }

    /// All flags as SQLite gave them.
    #[must_use]
    pub const fn flags(self) -> i32 {
        self.flags
    }

    const fn has(self, flag: i32) -> bool {
        self.flags & flag != 0
    }
}

/// What `access` asks about a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Is there such a file? For a journal or WAL, an empty one should count as absent: SQLite takes a zero-length WAL
    /// that exists as a reason to open the database in WAL mode.
    Exists,
    /// Is it there, to be read and written?
    ReadWrite,
    /// Is it there, to be read? SQLite itself never asks this today.
    Read,
}

/// How thorough a `sync` must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyncOptions {
    flags: i32,
}

impl SyncOptions {
    /// From the flags of `xSync`.
    #[must_use]
    pub const fn from_flags(flags: i32) -> Self {
        Self { flags }
    }

    /// The medium's own caches are to be flushed as well (`PRAGMA fullfsync`).
    #[must_use]
    pub const fn full(self) -> bool {
        self.flags & 0x0F == sys::SQLITE_SYNC_FULL
    }

    /// Only the bytes need to be durable, not the file's times.
    #[must_use]
    pub const fn data_only(self) -> bool {
        self.flags & sys::SQLITE_SYNC_DATAONLY != 0
    }

    /// As SQLite gave them.
    #[must_use]
    pub const fn flags(self) -> i32 {
        self.flags
    }
}

/// SQLite's five lock levels (<https://sqlite.org/lockingv3.html>), weakest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum LockLevel {
    /// No lock.
    #[default]
    None = 0,
    /// May read; any number may hold it.
    Shared = 1,
    /// Will write: one may hold it, beside readers.
    Reserved = 2,
    /// Waits for the readers to go; no new ones are let in.
    Pending = 3,
    /// May write the file; nobody else holds anything.
    Exclusive = 4,
}

impl LockLevel {
    /// The level with SQLite's number.
    #[must_use]
    pub const fn from_raw(raw: i32) -> Option<Self> {
        Some(match raw {
            0 => Self::None,
            1 => Self::Shared,
            2 => Self::Reserved,
            3 => Self::Pending,
            4 => Self::Exclusive,
            _ => return None,
        })
    }
}

/// What a medium promises of its writes: `SQLITE_IOCAP_…` (<https://sqlite.org/c3ref/c_iocap_atomic.html>).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceCharacteristics(i32);

impl DeviceCharacteristics {
    /// Promises nothing.
    pub const NONE: Self = Self(0);
    /// All writes are atomic.
    pub const ATOMIC: Self = Self(sys::SQLITE_IOCAP_ATOMIC);
    /// When a file grows, its bytes come before its length.
    pub const SAFE_APPEND: Self = Self(sys::SQLITE_IOCAP_SAFE_APPEND);
    /// Writes become durable in the order in which they were made.
    pub const SEQUENTIAL: Self = Self(sys::SQLITE_IOCAP_SEQUENTIAL);
    /// A file cannot be deleted while it is open.
    pub const UNDELETABLE_WHEN_OPEN: Self = Self(sys::SQLITE_IOCAP_UNDELETABLE_WHEN_OPEN);
    /// A write cut off by a crash leaves the bytes around it alone.
    pub const POWERSAFE_OVERWRITE: Self = Self(sys::SQLITE_IOCAP_POWERSAFE_OVERWRITE);
    /// The file never changes: no locks, no journal.
    pub const IMMUTABLE: Self = Self(sys::SQLITE_IOCAP_IMMUTABLE);
    /// The file answers [`FileControl::BeginAtomicWrite`](crate::vfs::FileControl::BeginAtomicWrite) and its kin.
    pub const BATCH_ATOMIC: Self = Self(sys::SQLITE_IOCAP_BATCH_ATOMIC);
    /// Parts of pages may be read.
    pub const SUBPAGE_READ: Self = Self(sys::SQLITE_IOCAP_SUBPAGE_READ);

    /// From SQLite's bits.
    #[must_use]
    pub const fn from_raw(raw: i32) -> Self {
        Self(raw)
    }

    /// SQLite's bits.
    #[must_use]
    pub const fn raw(self) -> i32 {
        self.0
    }

    /// Both sets of promises.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// True if all of `other` is promised.
    #[must_use]
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}
