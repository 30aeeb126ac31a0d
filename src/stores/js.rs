//! A VFS written in JavaScript, as the facade sees it.
//!
//! JavaScript is on the other side of a [`Host`]: numbers go over, and bytes lie where a pointer says. What it answers was
//! checked there (`js/src/vfs-host.ts`), so a count is never larger than what was asked for.

use std::borrow::Cow;
use std::fmt;
use std::ptr::NonNull;

use crate::vfs::{
    Access, DeviceCharacteristics, ErrorCode, FileControl, FileFeatures, FileInfo, FileKind, Files, LockLevel,
    OpenOptions, Opened, Pragma, Result, ShmLock, SyncOptions, Vfs, VfsError, VfsFile, VfsPath,
};

/// What an open file offers beyond reading and writing; JavaScript says it at open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JsFeatures(u32);

impl JsFeatures {
    const LOCKS: u32 = 1;
    const FILE_CONTROL: u32 = 2;
    const PRAGMA: u32 = 4;
    const WAL_INDEX: u32 = 8;
    const READ_ONLY: u32 = 16;

    /// From JavaScript's bits.
    #[must_use]
    pub const fn from_raw(raw: u32) -> Self {
        Self(raw)
    }

    const fn has(self, bit: u32) -> bool {
        self.0 & bit != 0
    }
}

/// A file that JavaScript opened.
#[derive(Clone, Copy, Debug)]
pub struct JsOpened {
    /// JavaScript's number for it.
    pub file: u32,
    /// What it offers.
    pub features: JsFeatures,
    /// Answer of its `sectorSize`.
    pub sector_size: u32,
    /// Answer of its `deviceCharacteristics`.
    pub characteristics: DeviceCharacteristics,
}

/// JavaScript, which has VFSes and open files by number. The methods are those of `js/src/facade.ts`, and each fails with what
/// its namesake threw: a code, words, and the exception behind.
#[allow(missing_docs, clippy::missing_errors_doc)]
pub trait Host: Clone + fmt::Debug + 'static {
    fn open(&self, path: Option<&VfsPath<'_>>, flags: i32) -> Result<JsOpened>;
    fn delete(&self, name: &str, sync_dir: bool) -> Result<()>;
    fn exists(&self, name: &str) -> Result<bool>;
    /// `None`: the VFS has no such method.
    fn full_pathname(&self, name: &str) -> Result<Option<String>>;
    fn close(&self, file: u32) -> Result<()>;
    fn read(&self, file: u32, buffer: &mut [u8], offset: u64) -> Result<usize>;
    fn write(&self, file: u32, data: &[u8], offset: u64) -> Result<()>;
    fn truncate(&self, file: u32, size: u64) -> Result<()>;
    fn sync(&self, file: u32, flags: i32) -> Result<()>;
    fn size(&self, file: u32) -> Result<u64>;
    fn lock(&self, file: u32, level: LockLevel) -> Result<()>;
    fn unlock(&self, file: u32, level: LockLevel) -> Result<()>;
    fn has_reserved_lock(&self, file: u32) -> Result<bool>;
    /// The host's own lock, for a file that does not lock itself: builds of SQLite elsewhere see it, too.
    fn host_lock(&self, file: u32, level: LockLevel) -> Result<()>;
    fn host_unlock(&self, file: u32, level: LockLevel);
    fn host_has_reserved_lock(&self, file: u32) -> bool;
    fn pragma(&self, file: u32, name: &str, value: Option<&str>) -> Result<Pragma>;
    /// Answers whether it was dealt with; a number that the method answered takes the place of `value`.
    fn file_control(&self, file: u32, op: i32, value: &mut f64) -> Result<bool>;
    fn shm_map(&self, file: u32, region: u32, size: u32, extend: bool) -> Result<Option<NonNull<u8>>>;
    fn shm_lock(&self, file: u32, first: u32, n: u32, flags: i32) -> Result<()>;
    fn shm_barrier(&self, file: u32);
    fn shm_unmap(&self, file: u32, delete: bool) -> Result<()>;
}

/// A VFS that JavaScript has.
#[derive(Clone, Debug)]
pub struct JsVfs<H> {
    host: H,
    max_pathname: usize,
}

impl<H: Host> JsVfs<H> {
    /// Of the VFS that `host` calls.
    pub fn new(host: H, max_pathname: usize) -> Self {
        Self { host, max_pathname }
    }
}

impl<H: Host> Vfs for JsVfs<H> {
    type File = JsFile<H>;

    fn open(&self, path: Option<&VfsPath<'_>>, options: OpenOptions) -> Result<Opened<JsFile<H>>> {
        let opened = self.host.open(path, options.flags())?;
        let read_only = opened.features.has(JsFeatures::READ_ONLY);
        let file = JsFile { host: self.host.clone(), opened, open: true };
        if read_only && !options.read_only() && options.kind() != FileKind::MainDb {
            // SQLite looks at what was granted for databases alone.
            return Err(VfsError::new(ErrorCode::CantOpen, "a file that SQLite writes was opened for reading only"));
        }
        Ok(Opened { file, read_only })
    }

    fn delete(&self, path: &VfsPath<'_>, sync_dir: bool) -> Result<()> {
        self.host.delete(path.as_str(), sync_dir)
    }

    fn access(&self, path: &VfsPath<'_>, _: Access) -> Result<bool> {
        self.host.exists(path.as_str())
    }

    fn full_pathname<'a>(&self, name: &'a str) -> Result<Cow<'a, str>> {
        Ok(self.host.full_pathname(name)?.map_or(Cow::Borrowed(name), Cow::Owned))
    }

    fn max_pathname(&self) -> usize {
        self.max_pathname
    }
}

/// The facade has no method that lists, and SQLite needs none.
fn unlisted<T>() -> Result<T> {
    Err(VfsError::new(
        ErrorCode::NotFound,
        "a VFS written in JavaScript keeps its files to itself: open a database, and serialize() it",
    ))
}

impl<H: Host> Files for JsVfs<H> {
    fn list(&self) -> Result<Vec<FileInfo>> {
        unlisted()
    }

    fn size(&self, _: &str) -> Result<Option<u64>> {
        unlisted()
    }

    fn read_at(&self, _: &str, _: &mut [u8], _: u64) -> Result<usize> {
        unlisted()
    }

    fn write_at(&self, _: &str, _: &[u8], _: u64) -> Result<()> {
        unlisted()
    }

    fn rename(&self, _: &str, _: &str) -> Result<()> {
        unlisted()
    }

    fn remove(&self, _: &str) -> Result<bool> {
        unlisted()
    }
}

/// An open file of a [`JsVfs`].
#[derive(Debug)]
pub struct JsFile<H: Host> {
    host: H,
    opened: JsOpened,
    /// JavaScript was not told yet that it is closed.
    open: bool,
}

impl<H: Host> JsFile<H> {
    fn has(&self, feature: u32) -> bool {
        self.opened.features.has(feature)
    }
}

impl<H: Host> Drop for JsFile<H> {
    fn drop(&mut self) {
        if std::mem::take(&mut self.open) {
            // Nobody is there to be told.
            let _ = self.host.close(self.opened.file);
        }
    }
}

impl<H: Host> VfsFile for JsFile<H> {
    #[inline]
    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> Result<usize> {
        self.host.read(self.opened.file, buffer, offset)
    }

    #[inline]
    fn write_at(&mut self, data: &[u8], offset: u64) -> Result<()> {
        self.host.write(self.opened.file, data, offset)
    }

    fn set_len(&mut self, len: u64) -> Result<()> {
        self.host.truncate(self.opened.file, len)
    }

    fn sync(&mut self, options: SyncOptions) -> Result<()> {
        self.host.sync(self.opened.file, options.flags())
    }

    fn len(&mut self) -> Result<u64> {
        self.host.size(self.opened.file)
    }

    fn lock(&mut self, level: LockLevel) -> Result<()> {
        if self.has(JsFeatures::LOCKS) {
            self.host.lock(self.opened.file, level)
        } else {
            self.host.host_lock(self.opened.file, level)
        }
    }

    fn unlock(&mut self, level: LockLevel) -> Result<()> {
        if self.has(JsFeatures::LOCKS) {
            return self.host.unlock(self.opened.file, level);
        }
        self.host.host_unlock(self.opened.file, level);
        Ok(())
    }

    fn has_reserved_lock(&mut self) -> Result<bool> {
        if self.has(JsFeatures::LOCKS) {
            self.host.has_reserved_lock(self.opened.file)
        } else {
            Ok(self.host.host_has_reserved_lock(self.opened.file))
        }
    }

    fn close(mut self) -> Result<()> {
        self.open = false;
        self.host.close(self.opened.file)
    }

    fn sector_size(&self) -> u32 {
        self.opened.sector_size
    }

    fn device_characteristics(&self) -> DeviceCharacteristics {
        self.opened.characteristics
    }

    fn features(&self) -> FileFeatures {
        FileFeatures { shared_memory: self.has(JsFeatures::WAL_INDEX), fetch: false }
    }

    fn pragma(&mut self, name: &str, value: Option<&str>) -> Result<Pragma> {
        if self.has(JsFeatures::PRAGMA) {
            self.host.pragma(self.opened.file, name, value)
        } else {
            Ok(Pragma::NotHandled)
        }
    }

    fn file_control(&mut self, control: FileControl<'_>) -> Result<bool> {
        if !self.has(JsFeatures::FILE_CONTROL) {
            return Ok(false);
        }
        let op = control.code();
        let ask =
            |mut value: f64| self.host.file_control(self.opened.file, op, &mut value).map(|done| done.then_some(value));
        #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation)]
        let answer = match control {
            FileControl::SizeHint(size) | FileControl::Overwrite(size) => ask(size as f64)?,
            FileControl::ChunkSize(size) => ask(size.into())?,
            FileControl::PersistWal(number)
            | FileControl::PowersafeOverwrite(number)
            | FileControl::HasMoved(number)
            | FileControl::LockTimeout(number) => {
                let answer = ask((*number).into())?;
                if let Some(answer) = answer {
                    *number = answer as i32;
                }
                answer
            }
            FileControl::MmapSize(number) => {
                let answer = ask(*number as f64)?;
                if let Some(answer) = answer {
                    *number = answer as i64;
                }
                answer
            }
            FileControl::Other(_) => return Ok(false),
            _ => ask(0.0)?,
        };
        Ok(answer.is_some())
    }

    fn shm_map(&mut self, region: u32, size: u32, extend: bool) -> Result<Option<NonNull<u8>>> {
        self.host.shm_map(self.opened.file, region, size, extend)
    }

    fn shm_lock(&mut self, first: u32, n: u32, request: ShmLock) -> Result<()> {
        self.host.shm_lock(self.opened.file, first, n, request.flags())
    }

    fn shm_barrier(&mut self) {
        self.host.shm_barrier(self.opened.file);
    }

    fn shm_unmap(&mut self, delete: bool) -> Result<()> {
        self.host.shm_unmap(self.opened.file, delete)
    }
}
