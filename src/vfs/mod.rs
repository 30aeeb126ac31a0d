//! The facade: all that the author of a VFS implements or receives.
//!
//! A VFS is two traits. [`Vfs`] opens, deletes and finds files by name; [`VfsFile`] reads and writes one of them. Nothing
//! here knows SQLite's C structs; `register` makes those.

mod control;
mod error;
mod files;
mod flags;
mod path;

use std::borrow::Cow;
use std::ptr::NonNull;
use std::time::Duration;

#[cfg(any(feature = "sqlite", feature = "foreign"))]
pub(crate) use control::{FCNTL_BEGIN_ATOMIC_WRITE, FCNTL_COMMIT_ATOMIC_WRITE, FCNTL_ROLLBACK_ATOMIC_WRITE};
pub use control::{FileControl, Pragma};
pub use error::{ErrorCode, Result, VfsError};
pub use files::{FileInfo, Files};
pub use flags::{Access, DeviceCharacteristics, FileKind, LockLevel, OpenOptions, SyncOptions};
#[cfg(feature = "sqlite")]
pub(crate) use path::Parameters;
pub use path::VfsPath;

use crate::host;
use crate::sys;

/// A place that keeps files for SQLite: `sqlite3_vfs` (<https://sqlite.org/c3ref/vfs.html>).
///
/// Methods take `&self`: a VFS may be entered again while one of its methods runs, since a method may itself use SQLite.
pub trait Vfs: 'static {
    /// An open file of this VFS.
    type File: VfsFile;

    /// Opens a file. `path` is `None` for a temporary file without a name, which is gone when it is closed.
    ///
    /// # Errors
    /// [`ErrorCode::CantOpen`] for a missing file where [`OpenOptions::create`] is not set, and for an existing one where
    /// [`OpenOptions::exclusive`] is; nothing may be left behind then.
    fn open(&self, path: Option<&VfsPath<'_>>, options: OpenOptions) -> Result<Opened<Self::File>>;

    /// Deletes a file. With `sync_dir`, the deletion must be durable on return: in `journal_mode=delete` it is the commit.
    ///
    /// # Errors
    /// [`ErrorCode::IoErrDeleteNoEnt`] if there is no such file: SQLite passes over it.
    fn delete(&self, path: &VfsPath<'_>, sync_dir: bool) -> Result<()>;

    /// Answers a question about a name.
    ///
    /// # Errors
    /// Only when the answer could not be had; "no" is `Ok(false)`.
    fn access(&self, path: &VfsPath<'_>, access: Access) -> Result<bool>;

    /// The full form of a name; every later call gets that one. The default: names are full already.
    ///
    /// # Errors
    /// When the name can belong to no file.
    fn full_pathname<'a>(&self, name: &'a str) -> Result<Cow<'a, str>> {
        Ok(Cow::Borrowed(name))
    }

    /// Length of the longest full name, in bytes of UTF-8. A longer one fails at open, with a message that says so.
    fn max_pathname(&self) -> usize {
        1024
    }

    /// Fills `buffer` with random bytes and answers how many were written. SQLite seeds its generator with them.
    fn randomness(&self, buffer: &mut [u8]) -> usize {
        host::randomness(buffer)
    }

    /// Waits, and answers how long. In a single thread nothing can change while it waits, so the default returns at once
    /// on the web.
    fn sleep(&self, duration: Duration) -> Duration {
        host::sleep(duration)
    }

    /// Milliseconds since 1970-01-01 UTC.
    ///
    /// # Errors
    /// When the host has no clock.
    fn current_time(&self) -> Result<i64> {
        host::unix_milliseconds()
    }
}

/// What [`Vfs::open`] answers.
#[derive(Debug)]
pub struct Opened<F> {
    /// The open file.
    pub file: F,
    /// The file was opened for reading only, asked for or not. SQLite will not write it then.
    pub read_only: bool,
}

impl<F> Opened<F> {
    /// A file that may be written.
    pub const fn read_write(file: F) -> Self {
        Self { file, read_only: false }
    }

    /// A file that may only be read.
    pub const fn read_only(file: F) -> Self {
        Self { file, read_only: true }
    }
}

/// What a file offers beyond the required methods. Told once, at open: SQLite's method table is chosen by it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileFeatures {
    /// The `shm_…` methods work: connections share a WAL index, and WAL needs no exclusive locking.
    pub shared_memory: bool,
    /// `fetch` works.
    pub fetch: bool,
}

/// A request to `shm_lock`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShmLock {
    /// Take slots, for reading or for writing.
    Lock {
        /// For writing: nobody else may hold the slots at all.
        exclusive: bool,
    },
    /// Give them back.
    Unlock {
        /// How they were taken.
        exclusive: bool,
    },
}

impl ShmLock {
    /// From the flags of `xShmLock`.
    #[must_use]
    pub const fn from_flags(flags: i32) -> Self {
        let exclusive = flags & sys::SQLITE_SHM_EXCLUSIVE != 0;
        if flags & sys::SQLITE_SHM_LOCK != 0 { Self::Lock { exclusive } } else { Self::Unlock { exclusive } }
    }

    /// The flags of `xShmLock`.
    #[must_use]
    pub const fn flags(self) -> i32 {
        let (what, exclusive) = match self {
            Self::Lock { exclusive } => (sys::SQLITE_SHM_LOCK, exclusive),
            Self::Unlock { exclusive } => (sys::SQLITE_SHM_UNLOCK, exclusive),
        };
        what | if exclusive { sys::SQLITE_SHM_EXCLUSIVE } else { sys::SQLITE_SHM_SHARED }
    }
}

/// One open file: `sqlite3_io_methods` (<https://sqlite.org/c3ref/io_methods.html>).
///
/// Lengths and offsets are bytes. Dropping the value closes the file; [`close`](Self::close) can say that it failed.
/// A connection uses its file by itself: `&mut self` is exclusive, also when a method uses SQLite on another database.
#[allow(clippy::len_without_is_empty)] // SQLite never asks whether a file is empty
pub trait VfsFile: Sized + 'static {
    /// Reads at `offset` and answers how many bytes were read. Fewer than `buffer` holds means that the file ends there;
    /// what is left of the buffer is then filled with zeros by the caller.
    ///
    /// # Errors
    /// [`ErrorCode::IoErrRead`] when the medium cannot be read.
    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> Result<usize>;

    /// Writes all of `data` at `offset`. A gap between the end of the file and `offset` reads as zero afterwards.
    ///
    /// # Errors
    /// [`ErrorCode::Full`] when there is no space, else [`ErrorCode::IoErrWrite`].
    fn write_at(&mut self, data: &[u8], offset: u64) -> Result<()>;

    /// Makes the file this long: shorter by cutting, longer with zeros.
    ///
    /// # Errors
    /// [`ErrorCode::IoErrTruncate`], or [`ErrorCode::Full`].
    fn set_len(&mut self, len: u64) -> Result<()>;

    /// Makes everything written durable.
    ///
    /// # Errors
    /// [`ErrorCode::IoErrFsync`].
    fn sync(&mut self, options: SyncOptions) -> Result<()>;

    /// How long the file is.
    ///
    /// # Errors
    /// [`ErrorCode::IoErrFstat`].
    fn len(&mut self) -> Result<u64>;

    /// Raises this file's lock to `level`. [`FileLock`](crate::lock::FileLock) does it for stores of one instance.
    ///
    /// # Errors
    /// [`ErrorCode::Busy`] when another connection's lock stands in the way; no other code makes SQLite wait.
    fn lock(&mut self, level: LockLevel) -> Result<()>;

    /// Lowers this file's lock to [`LockLevel::Shared`] or [`LockLevel::None`].
    ///
    /// # Errors
    /// [`ErrorCode::IoErrUnlock`].
    fn unlock(&mut self, level: LockLevel) -> Result<()>;

    /// Does any connection, this one included, hold RESERVED or more?
    ///
    /// # Errors
    /// [`ErrorCode::IoErrCheckReservedLock`].
    fn has_reserved_lock(&mut self) -> Result<bool>;

    /// Closes the file. Whatever it answers, the file is closed. The default drops it.
    ///
    /// # Errors
    /// [`ErrorCode::IoErrClose`].
    fn close(self) -> Result<()> {
        Ok(())
    }

    /// The smallest piece, in bytes, that the medium writes without touching its neighbours.
    fn sector_size(&self) -> u32 {
        4096
    }

    /// What the medium promises of its writes.
    fn device_characteristics(&self) -> DeviceCharacteristics {
        DeviceCharacteristics::NONE
    }

    /// What this file offers beyond the required methods. Asked once, right after open.
    fn features(&self) -> FileFeatures {
        FileFeatures::default()
    }

    /// Deals with a `PRAGMA` before SQLite does; `value` is the text after `=` or in brackets. An error refuses the pragma
    /// and its message is what the user sees: how a store says that it can't have a journal mode.
    ///
    /// # Errors
    /// To refuse the pragma.
    fn pragma(&mut self, name: &str, value: Option<&str>) -> Result<Pragma> {
        let _ = (name, value);
        Ok(Pragma::NotHandled)
    }

    /// Deals with any other file control.
    ///
    /// # Errors
    /// When it was for this file, and failed.
    fn file_control(&mut self, control: FileControl<'_>) -> Result<bool> {
        let _ = control;
        Ok(false)
    }

    /// Region number `region` of the WAL index, of `size` bytes, shared with every other connection to this database
    /// ([`Shm`](crate::shm::Shm) does it in heap memory). `Ok(None)` if it is not there and `extend` is false. The pointer
    /// is valid until [`shm_unmap`](Self::shm_unmap).
    ///
    /// # Errors
    /// [`ErrorCode::IoErrShmMap`], or [`ErrorCode::NoMem`].
    fn shm_map(&mut self, region: u32, size: u32, extend: bool) -> Result<Option<NonNull<u8>>> {
        let _ = (region, size, extend);
        Err(VfsError::new(ErrorCode::IoErrShmMap, "this file has no shared memory"))
    }

    /// Takes or gives back the `n` lock slots of the WAL index from `first` on.
    ///
    /// # Errors
    /// [`ErrorCode::Busy`] when another connection holds one of them.
    fn shm_lock(&mut self, first: u32, n: u32, request: ShmLock) -> Result<()> {
        let _ = (first, n, request);
        Err(VfsError::new(ErrorCode::IoErrShmLock, "this file has no shared memory"))
    }

    /// All that was written to the WAL index before is visible to every reader after.
    fn shm_barrier(&mut self) {}

    /// This connection is done with the WAL index. With `delete`, nobody needs it any more.
    ///
    /// # Errors
    /// When the index could not be given back.
    fn shm_unmap(&mut self, delete: bool) -> Result<()> {
        let _ = delete;
        Ok(())
    }

    /// A pointer to `len` bytes of the file at `offset`, valid until [`unfetch`](Self::unfetch); `Ok(None)` to have them
    /// read instead.
    ///
    /// # Errors
    /// [`ErrorCode::IoErrMmap`].
    fn fetch(&mut self, offset: u64, len: usize) -> Result<Option<NonNull<u8>>> {
        let _ = (offset, len);
        Ok(None)
    }

    /// Where `len` bytes of the file at `offset` lie, to be copied from there before anything else is asked of the store; `None`
    /// to have them read instead. For a SQLite in another memory, to which a buffer in between would be a second copy.
    fn peek(&mut self, offset: u64, len: usize) -> Option<NonNull<u8>> {
        let _ = (offset, len);
        None
    }

    /// Where `len` bytes at `offset` are to be copied to, before anything else is asked of the store: a write of which the
    /// caller does the rest. `Ok(None)` to have them written instead.
    ///
    /// # Errors
    /// As [`write_at`](Self::write_at).
    fn place(&mut self, offset: u64, len: usize) -> Result<Option<NonNull<u8>>> {
        let _ = (offset, len);
        Ok(None)
    }

    /// Gives back what `fetch` gave for this offset; `None`: everything fetched but not used any more.
    ///
    /// # Errors
    /// When it could not be given back.
    fn unfetch(&mut self, offset: u64, pointer: Option<NonNull<u8>>) -> Result<()> {
        let _ = (offset, pointer);
        Ok(())
    }
}
