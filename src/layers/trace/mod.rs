//! Counts and times what SQLite asks of a VFS.

mod counter;
mod log;

use std::borrow::Cow;
use std::ptr::NonNull;
use std::rc::Rc;
use std::time::Duration;

use super::Operation;
use crate::vfs::{
    Access, DeviceCharacteristics, FileControl, FileFeatures, FileInfo, Files, LockLevel, OpenOptions, Opened, Pragma,
    Result, ShmLock, SyncOptions, Vfs, VfsFile, VfsPath,
};

pub use counter::{Counter, OTHERS, UNNAMED};
use counter::{Extent, Tallies, Tally};
pub use log::LogEntry;

/// A VFS that counts what is asked of the one inside, for each file. A clone is another handle to the same counters.
///
/// It is cheap enough to be left on: reading and writing add to two counters and count down to the next call that is timed.
/// Nothing is looked up or allocated for them. A thousand names are told apart; what comes later is counted under
/// [`OTHERS`], and files without a name under [`UNNAMED`].
///
/// ```
/// use sqlite_vfs_kit::layers::{Operation, Trace};
/// use sqlite_vfs_kit::stores::MemoryVfs;
/// use sqlite_vfs_kit::{RegisterOptions, register};
///
/// let trace = Trace::new(MemoryVfs::new());
/// register("traced", trace.clone(), RegisterOptions::default())?;
/// let db = rusqlite::Connection::open_with_flags_and_vfs("x.db", rusqlite::OpenFlags::default(), "traced").unwrap();
/// db.execute_batch("CREATE TABLE t (x)").unwrap();
/// for file in trace.files() {
///     println!("{file}: {} writes", trace.file_counter(&file, Operation::Write).calls);
/// }
/// # assert!(trace.file_counter("x.db", Operation::Write).calls > 0);
/// # Ok::<(), sqlite_vfs_kit::vfs::VfsError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Trace<V> {
    inner: V,
    tallies: Rc<Tallies>,
}

impl<V> Trace<V> {
    /// Around `inner`, with all counters at zero.
    pub fn new(inner: V) -> Self {
        Self { inner, tallies: Rc::new(Tallies::new()) }
    }

    /// The VFS inside.
    pub fn inner(&self) -> &V {
        &self.inner
    }

    /// How often an operation ran since the last [`reset`](Self::reset), on all files together.
    #[must_use]
    pub fn counter(&self, operation: Operation) -> Counter {
        self.tallies.total(operation)
    }

    /// How often an operation ran on one file, by its full name. What had that name and was deleted counts, too.
    #[must_use]
    pub fn file_counter(&self, name: &str, operation: Operation) -> Counter {
        self.tallies.of(name, operation)
    }

    /// The full names of the files of which anything was asked since the last [`reset`](Self::reset), sorted; those that were not there
    /// included.
    #[must_use]
    pub fn files(&self) -> Vec<Rc<str>> {
        self.tallies.names()
    }

    /// Every so many calls of an operation, on whatever files, one is timed: 256 at first. 0: none is.
    ///
    /// What [`Counter`] says of time is about those. It is what the VFS inside takes, and what a VFS around this one takes is not in it.
    pub fn set_sampling(&self, every: u32) {
        self.tallies.set_sampling(every);
    }

    /// Takes the time from this clock. It answers milliseconds, with fractions, since any moment.
    ///
    /// At first it is a clock that never goes back, except on the web, where it is the one of [`Vfs::current_time`] with
    /// whole milliseconds: a host that has `performance.now` gives it here.
    pub fn set_clock(&self, clock: fn() -> f64) {
        self.tallies.set_clock(clock);
    }

    /// Keeps a log of the last operations, at most so many. 0: keeps none, and lets go of those it has. It is off at first.
    ///
    /// While it is on every call is timed.
    pub fn set_log(&self, capacity: usize) {
        self.tallies.set_log(capacity);
    }

    /// The log, oldest first.
    #[must_use]
    pub fn log(&self) -> Vec<LogEntry> {
        self.tallies.log.entries()
    }

    /// Sets all counters to zero and empties the log.
    pub fn reset(&self) {
        self.tallies.reset();
    }
}

fn at(offset: u64, length: usize) -> Extent {
    Extent { offset, length: length as u64 }
}

fn length(length: impl Into<u64>) -> Extent {
    Extent { offset: 0, length: length.into() }
}

const NOWHERE: Extent = Extent { offset: 0, length: 0 };

impl<V: Vfs> Vfs for Trace<V> {
    type File = TraceFile<V::File>;

    fn open(&self, path: Option<&VfsPath<'_>>, options: OpenOptions) -> Result<Opened<Self::File>> {
        let tally = self.tallies.tally(path.map(VfsPath::as_str));
        let open = || self.inner.open(path, options);
        let Opened { file, read_only } = self.tallies.measure(&tally, Operation::Open, 0, NOWHERE, open)?;
        Ok(Opened { file: TraceFile { inner: file, tally, tallies: self.tallies.clone() }, read_only })
    }

    fn delete(&self, path: &VfsPath<'_>, sync_dir: bool) -> Result<()> {
        let tally = self.tallies.tally(Some(path.as_str()));
        self.tallies.measure(&tally, Operation::Delete, 0, NOWHERE, || self.inner.delete(path, sync_dir))
    }

    fn access(&self, path: &VfsPath<'_>, access: Access) -> Result<bool> {
        let tally = self.tallies.tally(Some(path.as_str()));
        self.tallies.measure(&tally, Operation::Access, 0, NOWHERE, || self.inner.access(path, access))
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
    tally: Rc<Tally>,
    tallies: Rc<Tallies>,
}

impl<F: VfsFile> TraceFile<F> {
    #[inline]
    fn measure<T>(
        &mut self,
        operation: Operation,
        bytes: usize,
        extent: Extent,
        run: impl FnOnce(&mut F) -> Result<T>,
    ) -> Result<T> {
        let inner = &mut self.inner;
        self.tallies.measure(&self.tally, operation, bytes, extent, || run(inner))
    }
}

impl<F: VfsFile> VfsFile for TraceFile<F> {
    #[inline]
    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> Result<usize> {
        let bytes = buffer.len();
        self.measure(Operation::Read, bytes, at(offset, bytes), |file| file.read_at(buffer, offset))
    }

    #[inline]
    fn write_at(&mut self, data: &[u8], offset: u64) -> Result<()> {
        let bytes = data.len();
        self.measure(Operation::Write, bytes, at(offset, bytes), |file| file.write_at(data, offset))
    }

    fn set_len(&mut self, len: u64) -> Result<()> {
        self.measure(Operation::Truncate, 0, length(len), |file| file.set_len(len))
    }

    fn sync(&mut self, options: SyncOptions) -> Result<()> {
        self.measure(Operation::Sync, 0, NOWHERE, |file| file.sync(options))
    }

    fn len(&mut self) -> Result<u64> {
        self.measure(Operation::Size, 0, NOWHERE, F::len)
    }

    fn lock(&mut self, level: LockLevel) -> Result<()> {
        self.measure(Operation::Lock, 0, length(level as u8), |file| file.lock(level))
    }

    fn unlock(&mut self, level: LockLevel) -> Result<()> {
        self.measure(Operation::Unlock, 0, length(level as u8), |file| file.unlock(level))
    }

    fn has_reserved_lock(&mut self) -> Result<bool> {
        self.inner.has_reserved_lock()
    }

    fn close(self) -> Result<()> {
        let Self { inner, tally, tallies } = self;
        tallies.measure(&tally, Operation::Close, 0, NOWHERE, || inner.close())
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
        self.measure(Operation::Control, 0, NOWHERE, |file| file.pragma(name, value))
    }

    fn file_control(&mut self, control: FileControl<'_>) -> Result<bool> {
        self.measure(Operation::Control, 0, NOWHERE, |file| file.file_control(control))
    }

    fn shm_map(&mut self, region: u32, size: u32, extend: bool) -> Result<Option<NonNull<u8>>> {
        let extent = Extent { offset: region.into(), length: size.into() };
        self.measure(Operation::Shm, 0, extent, |file| file.shm_map(region, size, extend))
    }

    fn shm_lock(&mut self, first: u32, n: u32, request: ShmLock) -> Result<()> {
        let extent = Extent { offset: first.into(), length: n.into() };
        self.measure(Operation::Shm, 0, extent, |file| file.shm_lock(first, n, request))
    }

    fn shm_barrier(&mut self) {
        self.inner.shm_barrier();
    }

    fn shm_unmap(&mut self, delete: bool) -> Result<()> {
        self.measure(Operation::Shm, 0, NOWHERE, |file| file.shm_unmap(delete))
    }

    fn fetch(&mut self, offset: u64, len: usize) -> Result<Option<NonNull<u8>>> {
        self.measure(Operation::Read, len, at(offset, len), |file| file.fetch(offset, len))
    }

    fn peek(&mut self, offset: u64, len: usize) -> Option<NonNull<u8>> {
        // What is not lent will be read, and counted then.
        let pointer = self.inner.peek(offset, len)?;
        self.measure(Operation::Read, len, at(offset, len), |_| Ok(pointer)).ok()
    }

    fn place(&mut self, offset: u64, len: usize) -> Result<Option<NonNull<u8>>> {
        let Some(pointer) = self.inner.place(offset, len)? else { return Ok(None) };
        self.measure(Operation::Write, len, at(offset, len), |_| Ok(Some(pointer)))
    }

    fn unfetch(&mut self, offset: u64, pointer: Option<NonNull<u8>>) -> Result<()> {
        self.inner.unfetch(offset, pointer)
    }
}
