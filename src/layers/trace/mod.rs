//! Counts what SQLite asks of a VFS.

use std::borrow::Cow;
use std::cell::Cell;
use std::ptr::NonNull;
use std::rc::Rc;
use std::time::Duration;

use super::Operation;
use crate::vfs::{
    Access, DeviceCharacteristics, FileControl, FileFeatures, FileInfo, Files, LockLevel, OpenOptions, Opened, Pragma,
    Result, ShmLock, SyncOptions, Vfs, VfsFile, VfsPath,
};

/// How often an operation ran, failures included, and how many bytes it moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counter {
    /// Calls.
    pub calls: u64,
    /// Bytes asked to be read or written.
    pub bytes: u64,
}

type Counters = Rc<[Cell<Counter>]>;

/// A VFS that counts what is asked of the one inside.
#[derive(Clone, Debug)]
pub struct Trace<V> {
    inner: V,
    counters: Counters,
}

impl<V> Trace<V> {
    /// Around `inner`, with all counters at zero.
    pub fn new(inner: V) -> Self {
        Self { inner, counters: Operation::ALL.iter().map(|_| Cell::default()).collect() }
    }

    /// The VFS inside.
    pub fn inner(&self) -> &V {
        &self.inner
    }

    /// How often an operation ran since the last [`reset`](Self::reset).
    #[must_use]
    pub fn counter(&self, operation: Operation) -> Counter {
        self.counters.get(operation as usize).map_or_else(Counter::default, Cell::get)
    }

    /// Sets all counters to zero.
    pub fn reset(&self) {
        self.counters.iter().for_each(|counter| counter.set(Counter::default()));
    }
}

#[inline]
fn count(counters: &Counters, operation: Operation, bytes: usize) {
    if let Some(counter) = counters.get(operation as usize) {
        let Counter { calls, bytes: so_far } = counter.get();
        counter.set(Counter { calls: calls + 1, bytes: so_far + bytes as u64 });
    }
}

impl<V: Vfs> Vfs for Trace<V> {
    type File = TraceFile<V::File>;

    fn open(&self, path: Option<&VfsPath<'_>>, options: OpenOptions) -> Result<Opened<Self::File>> {
        count(&self.counters, Operation::Open, 0);
        let Opened { file, read_only } = self.inner.open(path, options)?;
        Ok(Opened { file: TraceFile { inner: file, counters: self.counters.clone() }, read_only })
    }

    fn delete(&self, path: &VfsPath<'_>, sync_dir: bool) -> Result<()> {
        count(&self.counters, Operation::Delete, 0);
        self.inner.delete(path, sync_dir)
    }

    fn access(&self, path: &VfsPath<'_>, access: Access) -> Result<bool> {
        count(&self.counters, Operation::Access, 0);
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

impl<V: Files> Files for Trace<V> {
    fn list(&self) -> Result<Vec<FileInfo>> {
        self.inner.list()
    }

    fn size(&self, name: &str) -> Result<Option<u64>> {
        self.inner.size(name)
    }

    fn read_at(&self, name: &str, buffer: &mut [u8], offset: u64) -> Result<usize> {
        self.inner.read_at(name, buffer, offset)
    }

    fn write_at(&self, name: &str, bytes: &[u8], offset: u64) -> Result<()> {
        self.inner.write_at(name, bytes, offset)
    }

    fn rename(&self, from: &str, to: &str) -> Result<()> {
        self.inner.rename(from, to)
    }

    fn remove(&self, name: &str) -> Result<bool> {
        self.inner.remove(name)
    }
}

/// An open file of a [`Trace`].
#[derive(Debug)]
pub struct TraceFile<F> {
    inner: F,
    counters: Counters,
}

impl<F: VfsFile> VfsFile for TraceFile<F> {
    #[inline]
    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> Result<usize> {
        count(&self.counters, Operation::Read, buffer.len());
        self.inner.read_at(buffer, offset)
    }

    #[inline]
    fn write_at(&mut self, data: &[u8], offset: u64) -> Result<()> {
        count(&self.counters, Operation::Write, data.len());
        self.inner.write_at(data, offset)
    }

    fn set_len(&mut self, len: u64) -> Result<()> {
        count(&self.counters, Operation::Truncate, 0);
        self.inner.set_len(len)
    }

    fn sync(&mut self, options: SyncOptions) -> Result<()> {
        count(&self.counters, Operation::Sync, 0);
        self.inner.sync(options)
    }

    fn len(&mut self) -> Result<u64> {
        count(&self.counters, Operation::Size, 0);
        self.inner.len()
    }

    fn lock(&mut self, level: LockLevel) -> Result<()> {
        count(&self.counters, Operation::Lock, 0);
        self.inner.lock(level)
    }

    fn unlock(&mut self, level: LockLevel) -> Result<()> {
        count(&self.counters, Operation::Unlock, 0);
        self.inner.unlock(level)
    }

    fn has_reserved_lock(&mut self) -> Result<bool> {
        self.inner.has_reserved_lock()
    }

    fn close(self) -> Result<()> {
        count(&self.counters, Operation::Close, 0);
        self.inner.close()
    }

    fn sector_size(&self) -> u32 {
        self.inner.sector_size()
    }

    fn device_characteristics(&self) -> DeviceCharacteristics {
        self.inner.device_characteristics()
    }

    fn features(&self) -> FileFeatures {
        self.inner.features()
    }

    fn pragma(&mut self, name: &str, value: Option<&str>) -> Result<Pragma> {
        count(&self.counters, Operation::Control, 0);
        self.inner.pragma(name, value)
    }

    fn file_control(&mut self, control: FileControl<'_>) -> Result<bool> {
        count(&self.counters, Operation::Control, 0);
        self.inner.file_control(control)
    }

    fn shm_map(&mut self, region: u32, size: u32, extend: bool) -> Result<Option<NonNull<u8>>> {
        count(&self.counters, Operation::Shm, 0);
        self.inner.shm_map(region, size, extend)
    }

    fn shm_lock(&mut self, first: u32, n: u32, request: ShmLock) -> Result<()> {
        count(&self.counters, Operation::Shm, 0);
        self.inner.shm_lock(first, n, request)
    }

    fn shm_barrier(&mut self) {
        self.inner.shm_barrier();
    }

    fn shm_unmap(&mut self, delete: bool) -> Result<()> {
        count(&self.counters, Operation::Shm, 0);
        self.inner.shm_unmap(delete)
    }

    fn fetch(&mut self, offset: u64, len: usize) -> Result<Option<NonNull<u8>>> {
        count(&self.counters, Operation::Read, len);
        self.inner.fetch(offset, len)
    }

    fn unfetch(&mut self, offset: u64, pointer: Option<NonNull<u8>>) -> Result<()> {
        self.inner.unfetch(offset, pointer)
    }
}
