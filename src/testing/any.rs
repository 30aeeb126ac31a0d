//! Any VFS as one type, so that the cases are compiled once and not for each VFS.

use std::any::Any;
use std::borrow::Cow;
use std::ptr::NonNull;
use std::rc::Rc;
use std::time::Duration;

use crate::vfs::{
    Access, DeviceCharacteristics, FileControl, FileFeatures, LockLevel, OpenOptions, Opened, Pragma, Result, ShmLock,
    SyncOptions, Vfs, VfsFile, VfsPath,
};

/// A VFS of any type. A clone is the same VFS.
#[derive(Clone)]
pub(super) struct AnyVfs {
    inner: Rc<dyn ErasedVfs>,
    promises: Option<DeviceCharacteristics>,
}

impl AnyVfs {
    pub(super) fn new<V: Vfs>(vfs: V) -> Self {
        Self { inner: Rc::new(vfs), promises: None }
    }

    /// The same, with files that promise this and no more. To promise less is always true.
    pub(super) fn promising(self, promises: DeviceCharacteristics) -> Self {
        Self { promises: Some(promises), ..self }
    }

    /// The VFS as what it was, if nobody else has it.
    pub(super) fn into_inner<V: Vfs>(self) -> Option<V> {
        self.inner.into_any().downcast::<V>().ok().and_then(|vfs| Rc::try_unwrap(vfs).ok())
    }
}

/// [`Vfs`] without its associated type.
trait ErasedVfs {
    fn open(&self, path: Option<&VfsPath<'_>>, options: OpenOptions) -> Result<Opened<Box<dyn ErasedFile>>>;
    fn delete(&self, path: &VfsPath<'_>, sync_dir: bool) -> Result<()>;
    fn access(&self, path: &VfsPath<'_>, access: Access) -> Result<bool>;
    fn full_pathname<'a>(&self, name: &'a str) -> Result<Cow<'a, str>>;
    fn max_pathname(&self) -> usize;
    fn randomness(&self, buffer: &mut [u8]) -> usize;
    fn sleep(&self, duration: Duration) -> Duration;
    fn current_time(&self) -> Result<i64>;
    fn into_any(self: Rc<Self>) -> Rc<dyn Any>;
}

impl<V: Vfs> ErasedVfs for V {
    fn open(&self, path: Option<&VfsPath<'_>>, options: OpenOptions) -> Result<Opened<Box<dyn ErasedFile>>> {
        let Opened { file, read_only } = Vfs::open(self, path, options)?;
        Ok(Opened { file: Box::new(file), read_only })
    }

    fn delete(&self, path: &VfsPath<'_>, sync_dir: bool) -> Result<()> {
        Vfs::delete(self, path, sync_dir)
    }

    fn access(&self, path: &VfsPath<'_>, access: Access) -> Result<bool> {
        Vfs::access(self, path, access)
    }

    fn full_pathname<'a>(&self, name: &'a str) -> Result<Cow<'a, str>> {
        Vfs::full_pathname(self, name)
    }

    fn max_pathname(&self) -> usize {
        Vfs::max_pathname(self)
    }

    fn randomness(&self, buffer: &mut [u8]) -> usize {
        Vfs::randomness(self, buffer)
    }

    fn sleep(&self, duration: Duration) -> Duration {
        Vfs::sleep(self, duration)
    }

    fn current_time(&self) -> Result<i64> {
        Vfs::current_time(self)
    }

    fn into_any(self: Rc<Self>) -> Rc<dyn Any> {
        self
    }
}

impl Vfs for AnyVfs {
    type File = AnyFile;

    fn open(&self, path: Option<&VfsPath<'_>>, options: OpenOptions) -> Result<Opened<AnyFile>> {
        let Opened { file, read_only } = self.inner.open(path, options)?;
        Ok(Opened { file: AnyFile { inner: file, promises: self.promises }, read_only })
    }

    fn delete(&self, path: &VfsPath<'_>, sync_dir: bool) -> Result<()> {
        self.inner.delete(path, sync_dir)
    }

    fn access(&self, path: &VfsPath<'_>, access: Access) -> Result<bool> {
        self.inner.access(path, access)
    }

    fn full_pathname<'a>(&self, name: &'a str) -> Result<Cow<'a, str>> {
        self.inner.full_pathname(name)
    }

    fn max_pathname(&self) -> usize {
        self.inner.max_pathname()
    }

    fn randomness(&self, buffer: &mut [u8]) -> usize {
        self.inner.randomness(buffer)
    }

    fn sleep(&self, duration: Duration) -> Duration {
        self.inner.sleep(duration)
    }

    fn current_time(&self) -> Result<i64> {
        self.inner.current_time()
    }
}

/// An open file of an [`AnyVfs`].
pub(super) struct AnyFile {
    inner: Box<dyn ErasedFile>,
    promises: Option<DeviceCharacteristics>,
}

/// [`VfsFile`] without the need to know its size.
trait ErasedFile {
    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> Result<usize>;
    fn write_at(&mut self, data: &[u8], offset: u64) -> Result<()>;
    fn set_len(&mut self, len: u64) -> Result<()>;
    fn sync(&mut self, options: SyncOptions) -> Result<()>;
    fn length(&mut self) -> Result<u64>;
    fn lock(&mut self, level: LockLevel) -> Result<()>;
    fn unlock(&mut self, level: LockLevel) -> Result<()>;
    fn has_reserved_lock(&mut self) -> Result<bool>;
    fn close(self: Box<Self>) -> Result<()>;
    fn sector_size(&self) -> u32;
    fn device_characteristics(&self) -> DeviceCharacteristics;
    fn features(&self) -> FileFeatures;
    fn pragma(&mut self, name: &str, value: Option<&str>) -> Result<Pragma>;
    fn file_control(&mut self, control: FileControl<'_>) -> Result<bool>;
    fn shm_map(&mut self, region: u32, size: u32, extend: bool) -> Result<Option<NonNull<u8>>>;
    fn shm_lock(&mut self, first: u32, n: u32, request: ShmLock) -> Result<()>;
    fn shm_barrier(&mut self);
    fn shm_unmap(&mut self, delete: bool) -> Result<()>;
    fn fetch(&mut self, offset: u64, len: usize) -> Result<Option<NonNull<u8>>>;
    fn unfetch(&mut self, offset: u64, pointer: Option<NonNull<u8>>) -> Result<()>;
}

impl<F: VfsFile> ErasedFile for F {
    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> Result<usize> {
        VfsFile::read_at(self, buffer, offset)
    }

    fn write_at(&mut self, data: &[u8], offset: u64) -> Result<()> {
        VfsFile::write_at(self, data, offset)
    }

    fn set_len(&mut self, len: u64) -> Result<()> {
        VfsFile::set_len(self, len)
    }

    fn sync(&mut self, options: SyncOptions) -> Result<()> {
        VfsFile::sync(self, options)
    }

    fn length(&mut self) -> Result<u64> {
        VfsFile::len(self)
    }

    fn lock(&mut self, level: LockLevel) -> Result<()> {
        VfsFile::lock(self, level)
    }

    fn unlock(&mut self, level: LockLevel) -> Result<()> {
        VfsFile::unlock(self, level)
    }

    fn has_reserved_lock(&mut self) -> Result<bool> {
        VfsFile::has_reserved_lock(self)
    }

    fn close(self: Box<Self>) -> Result<()> {
        VfsFile::close(*self)
    }

    fn sector_size(&self) -> u32 {
        VfsFile::sector_size(self)
    }

    fn device_characteristics(&self) -> DeviceCharacteristics {
        VfsFile::device_characteristics(self)
    }

    fn features(&self) -> FileFeatures {
        VfsFile::features(self)
    }

    fn pragma(&mut self, name: &str, value: Option<&str>) -> Result<Pragma> {
        VfsFile::pragma(self, name, value)
    }

    fn file_control(&mut self, control: FileControl<'_>) -> Result<bool> {
        VfsFile::file_control(self, control)
    }

    fn shm_map(&mut self, region: u32, size: u32, extend: bool) -> Result<Option<NonNull<u8>>> {
        VfsFile::shm_map(self, region, size, extend)
    }

    fn shm_lock(&mut self, first: u32, n: u32, request: ShmLock) -> Result<()> {
        VfsFile::shm_lock(self, first, n, request)
    }

    fn shm_barrier(&mut self) {
        VfsFile::shm_barrier(self);
    }

    fn shm_unmap(&mut self, delete: bool) -> Result<()> {
        VfsFile::shm_unmap(self, delete)
    }

    fn fetch(&mut self, offset: u64, len: usize) -> Result<Option<NonNull<u8>>> {
        VfsFile::fetch(self, offset, len)
    }

    fn unfetch(&mut self, offset: u64, pointer: Option<NonNull<u8>>) -> Result<()> {
        VfsFile::unfetch(self, offset, pointer)
    }
}

impl VfsFile for AnyFile {
    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> Result<usize> {
        self.inner.read_at(buffer, offset)
    }

    fn write_at(&mut self, data: &[u8], offset: u64) -> Result<()> {
        self.inner.write_at(data, offset)
    }

    fn set_len(&mut self, len: u64) -> Result<()> {
        self.inner.set_len(len)
    }

    fn sync(&mut self, options: SyncOptions) -> Result<()> {
        self.inner.sync(options)
    }

    fn len(&mut self) -> Result<u64> {
        self.inner.length()
    }

    fn lock(&mut self, level: LockLevel) -> Result<()> {
        self.inner.lock(level)
    }

    fn unlock(&mut self, level: LockLevel) -> Result<()> {
        self.inner.unlock(level)
    }

    fn has_reserved_lock(&mut self) -> Result<bool> {
        self.inner.has_reserved_lock()
    }

    fn close(self) -> Result<()> {
        self.inner.close()
    }

    fn sector_size(&self) -> u32 {
        self.inner.sector_size()
    }

    fn device_characteristics(&self) -> DeviceCharacteristics {
        self.promises.unwrap_or_else(|| self.inner.device_characteristics())
    }

    fn features(&self) -> FileFeatures {
        self.inner.features()
    }

    fn pragma(&mut self, name: &str, value: Option<&str>) -> Result<Pragma> {
        self.inner.pragma(name, value)
    }

    fn file_control(&mut self, control: FileControl<'_>) -> Result<bool> {
        self.inner.file_control(control)
    }

    fn shm_map(&mut self, region: u32, size: u32, extend: bool) -> Result<Option<NonNull<u8>>> {
        self.inner.shm_map(region, size, extend)
    }

    fn shm_lock(&mut self, first: u32, n: u32, request: ShmLock) -> Result<()> {
        self.inner.shm_lock(first, n, request)
    }

    fn shm_barrier(&mut self) {
        self.inner.shm_barrier();
    }

    fn shm_unmap(&mut self, delete: bool) -> Result<()> {
        self.inner.shm_unmap(delete)
    }

    fn fetch(&mut self, offset: u64, len: usize) -> Result<Option<NonNull<u8>>> {
        self.inner.fetch(offset, len)
    }

    fn unfetch(&mut self, offset: u64, pointer: Option<NonNull<u8>>) -> Result<()> {
        self.inner.unfetch(offset, pointer)
    }
}
