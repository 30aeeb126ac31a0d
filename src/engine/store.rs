//! The stores of the engine as one type.
//!
//! What SQLite calls is made for each type of VFS anew, layers included: a second one cost 7 KB of the compressed wasm file. The
//! choice between stores costs a branch that is always the same for one file.

use std::borrow::Cow;
use std::ptr::NonNull;
use std::time::Duration;

#[cfg(target_family = "wasm")]
use super::imports::JsHost;
#[cfg(target_family = "wasm")]
use crate::stores::{JsFile, JsVfs};
use crate::stores::{MemoryFile, MemoryVfs};
use crate::vfs::{
    Access, DeviceCharacteristics, FileControl, FileFeatures, FileInfo, Files, LockLevel, OpenOptions, Opened, Pragma,
    Result, ShmLock, SyncOptions, Vfs, VfsFile, VfsPath,
};

#[derive(Clone)]
pub(crate) enum Store {
    Memory(MemoryVfs),
    #[cfg(target_family = "wasm")]
    Js(JsVfs<JsHost>),
}

pub(crate) enum StoreFile {
    Memory(MemoryFile),
    #[cfg(target_family = "wasm")]
    Js(JsFile<JsHost>),
}

macro_rules! of {
    ($self:ident, $inner:ident => $body:expr) => {
        match $self {
            Self::Memory($inner) => $body,
            #[cfg(target_family = "wasm")]
            Self::Js($inner) => $body,
        }
    };
}

impl Vfs for Store {
    type File = StoreFile;

    fn open(&self, path: Option<&VfsPath<'_>>, options: OpenOptions) -> Result<Opened<StoreFile>> {
        fn opened<F>(opened: Opened<F>, file: impl FnOnce(F) -> StoreFile) -> Opened<StoreFile> {
            Opened { file: file(opened.file), read_only: opened.read_only }
        }
        match self {
            Self::Memory(vfs) => Ok(opened(vfs.open(path, options)?, StoreFile::Memory)),
            #[cfg(target_family = "wasm")]
            Self::Js(vfs) => Ok(opened(vfs.open(path, options)?, StoreFile::Js)),
        }
    }

    fn delete(&self, path: &VfsPath<'_>, sync_dir: bool) -> Result<()> {
        of!(self, vfs => vfs.delete(path, sync_dir))
    }

    fn access(&self, path: &VfsPath<'_>, access: Access) -> Result<bool> {
        of!(self, vfs => vfs.access(path, access))
    }

    fn full_pathname<'a>(&self, name: &'a str) -> Result<Cow<'a, str>> {
        of!(self, vfs => vfs.full_pathname(name))
    }

    fn max_pathname(&self) -> usize {
        of!(self, vfs => vfs.max_pathname())
    }

    fn randomness(&self, buffer: &mut [u8]) -> usize {
        of!(self, vfs => vfs.randomness(buffer))
    }

    fn sleep(&self, duration: Duration) -> Duration {
        of!(self, vfs => vfs.sleep(duration))
    }

    fn current_time(&self) -> Result<i64> {
        of!(self, vfs => vfs.current_time())
    }
}

impl Files for Store {
    fn list(&self) -> Result<Vec<FileInfo>> {
        of!(self, vfs => vfs.list())
    }

    fn size(&self, name: &str) -> Result<Option<u64>> {
        of!(self, vfs => vfs.size(name))
    }

    fn read_at(&self, name: &str, buffer: &mut [u8], offset: u64) -> Result<usize> {
        of!(self, vfs => vfs.read_at(name, buffer, offset))
    }

    fn write_at(&self, name: &str, bytes: &[u8], offset: u64) -> Result<()> {
        of!(self, vfs => vfs.write_at(name, bytes, offset))
    }

    fn rename(&self, from: &str, to: &str) -> Result<()> {
        of!(self, vfs => vfs.rename(from, to))
    }

    fn remove(&self, name: &str) -> Result<bool> {
        of!(self, vfs => vfs.remove(name))
    }
}

impl VfsFile for StoreFile {
    #[inline]
    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> Result<usize> {
        of!(self, file => file.read_at(buffer, offset))
    }

    #[inline]
    fn write_at(&mut self, data: &[u8], offset: u64) -> Result<()> {
        of!(self, file => file.write_at(data, offset))
    }

    fn set_len(&mut self, len: u64) -> Result<()> {
        of!(self, file => file.set_len(len))
    }

    fn sync(&mut self, options: SyncOptions) -> Result<()> {
        of!(self, file => file.sync(options))
    }

    fn len(&mut self) -> Result<u64> {
        of!(self, file => file.len())
    }

    fn lock(&mut self, level: LockLevel) -> Result<()> {
        of!(self, file => file.lock(level))
    }

    fn unlock(&mut self, level: LockLevel) -> Result<()> {
        of!(self, file => file.unlock(level))
    }

    fn has_reserved_lock(&mut self) -> Result<bool> {
        of!(self, file => file.has_reserved_lock())
    }

    fn close(self) -> Result<()> {
        of!(self, file => file.close())
    }

    fn sector_size(&self) -> u32 {
        of!(self, file => file.sector_size())
    }

    fn device_characteristics(&self) -> DeviceCharacteristics {
        of!(self, file => file.device_characteristics())
    }

    fn features(&self) -> FileFeatures {
        of!(self, file => file.features())
    }

    fn pragma(&mut self, name: &str, value: Option<&str>) -> Result<Pragma> {
        of!(self, file => file.pragma(name, value))
    }

    fn file_control(&mut self, control: FileControl<'_>) -> Result<bool> {
        of!(self, file => file.file_control(control))
    }

    #[inline]
    fn peek(&mut self, offset: u64, len: usize) -> Option<NonNull<u8>> {
        of!(self, file => file.peek(offset, len))
    }

    #[inline]
    fn place(&mut self, offset: u64, len: usize) -> Result<Option<NonNull<u8>>> {
        of!(self, file => file.place(offset, len))
    }

    fn shm_map(&mut self, region: u32, size: u32, extend: bool) -> Result<Option<NonNull<u8>>> {
        of!(self, file => file.shm_map(region, size, extend))
    }

    fn shm_lock(&mut self, first: u32, n: u32, request: ShmLock) -> Result<()> {
        of!(self, file => file.shm_lock(first, n, request))
    }

    fn shm_barrier(&mut self) {
        of!(self, file => file.shm_barrier());
    }

    fn shm_unmap(&mut self, delete: bool) -> Result<()> {
        of!(self, file => file.shm_unmap(delete))
    }
}
