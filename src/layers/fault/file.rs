//! An open file that fails as it is told, and is recorded.

use std::ptr::NonNull;
use std::rc::Rc;

use super::recorder::Node;
use super::recording::Change;
use super::{Outcome, Shared};
use crate::layers::Operation;
use crate::vfs::{
    DeviceCharacteristics, ErrorCode, FileControl, FileFeatures, FileKind, LockLevel, OpenOptions, Pragma, Result,
    ShmLock, SyncOptions, Vfs, VfsError, VfsFile,
};

/// An open file of a [`Fault`](super::Fault).
pub struct FaultFile<V: Vfs> {
    inner: V::File,
    shared: Rc<Shared<V>>,
    node: Rc<Node>,
    has_name: bool,
    kind: FileKind,
    /// The name goes when the file is closed.
    deletes: Deletes<V>,
}

/// Records that a file was deleted when it was closed. Fields are dropped in order: by then it was.
struct Deletes<V: Vfs>(Option<(Rc<Shared<V>>, Rc<Node>)>);

impl<V: Vfs> Drop for Deletes<V> {
    fn drop(&mut self) {
        if let Some((shared, node)) = self.0.take()
            && !shared.crashed.get()
        {
            shared.recorder.delete_node(&node);
        }
    }
}

impl<V: Vfs> FaultFile<V> {
    pub(super) fn new(
        inner: V::File,
        shared: Rc<Shared<V>>,
        node: Rc<Node>,
        has_name: bool,
        options: OpenOptions,
    ) -> Self {
        let deletes = (has_name && options.delete_on_close()).then(|| (shared.clone(), node.clone()));
        Self { inner, shared, node, has_name, kind: options.kind(), deletes: Deletes(deletes) }
    }

    fn meet(&self, operation: Operation) -> Result<Outcome> {
        self.shared.meet(operation, self.has_name.then_some(&*self.node.name), Some(self.kind))
    }

    fn meet_whole(&self, operation: Operation) -> Result<()> {
        self.shared.meet_whole(operation, self.has_name.then_some(&*self.node.name), Some(self.kind))
    }

    /// Nobody looks for temporary files after a crash.
    fn is_recorded(&self) -> bool {
        self.has_name && !self.kind.is_temporary() && self.shared.recorder.is_on()
    }

    /// Has the recorder know the file.
    pub(super) fn opened(&mut self, options: OpenOptions) -> Result<()> {
        if !self.is_recorded() {
            return Ok(());
        }
        let recorder = &self.shared.recorder;
        if let Some(id) = recorder.id(&self.node) {
            recorder.describe(id, self.device_characteristics(), self.sector_size());
            return Ok(());
        }
        let before = self.contents()?;
        // An empty file of which nothing was known might have been there; but that is as good as none.
        let before = if before.is_empty() && options.create() { None } else { Some(before) };
        self.learn(before);
        Ok(())
    }

    /// Before the first change to a file that was open when the recording began.
    fn before_change(&mut self) -> Result<()> {
        if self.is_recorded() && self.shared.recorder.id(&self.node).is_none() {
            let before = self.contents()?;
            self.learn(Some(before));
        }
        Ok(())
    }

    fn learn(&self, before: Option<Vec<u8>>) {
        let recorder = &self.shared.recorder;
        recorder.learn(&self.node, before, self.device_characteristics(), self.sector_size());
    }

    fn record(&self, change: Change) {
        if self.is_recorded() {
            self.shared.recorder.record(&self.node, change);
        }
    }

    /// All bytes of the file.
    fn contents(&mut self) -> Result<Vec<u8>> {
        let no_room = || VfsError::new(ErrorCode::NoMem, "no memory for recording what the file held before");
        let len = usize::try_from(self.inner.len()?).map_err(|_| no_room())?;
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(len).map_err(|_| no_room())?;
        bytes.resize(len, 0);
        let read = self.inner.read_at(&mut bytes, 0)?;
        bytes.truncate(read);
        Ok(bytes)
    }

    fn write(&mut self, data: &[u8], offset: u64) -> Result<()> {
        self.before_change()?;
        self.inner.write_at(data, offset)?;
        if self.is_recorded() {
            self.record(Change::Write { offset, bytes: data.into() });
        }
        Ok(())
    }

    /// Writes the first of the bytes, of a write that is to fail.
    fn write_part(&mut self, data: &[u8], offset: u64) -> Result<()> {
        if data.is_empty() { Ok(()) } else { self.write(data, offset) }
    }
}

impl<V: Vfs> VfsFile for FaultFile<V> {
    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> Result<usize> {
        match self.meet(Operation::Read)? {
            Outcome::All => self.inner.read_at(buffer, offset),
            Outcome::Bytes(bytes, _) => {
                let length = bytes.min(buffer.len());
                self.inner.read_at(buffer.get_mut(..length).unwrap_or_default(), offset)
            }
            Outcome::Sectors(_, then) => Err(self.shared.end(then)),
        }
    }

    fn write_at(&mut self, data: &[u8], offset: u64) -> Result<()> {
        match self.meet(Operation::Write)? {
            Outcome::All => self.write(data, offset),
            Outcome::Bytes(bytes, error) => {
                self.write_part(data.get(..bytes).unwrap_or(data), offset)?;
                Err(error)
            }
            Outcome::Sectors(sectors, then) => {
                let sector = u64::from(self.sector_size().max(1));
                let end = (offset / sector).saturating_add(sectors).saturating_mul(sector);
                let bytes = usize::try_from(end.saturating_sub(offset)).unwrap_or(usize::MAX);
                self.write_part(data.get(..bytes).unwrap_or(data), offset)?;
                Err(self.shared.end(then))
            }
        }
    }

    fn set_len(&mut self, len: u64) -> Result<()> {
        self.meet_whole(Operation::Truncate)?;
        self.before_change()?;
        self.inner.set_len(len)?;
        self.record(Change::Truncate { len });
        Ok(())
    }

    fn sync(&mut self, options: SyncOptions) -> Result<()> {
        self.meet_whole(Operation::Sync)?;
        self.before_change()?;
        self.inner.sync(options)?;
        self.record(Change::Sync);
        Ok(())
    }

    fn len(&mut self) -> Result<u64> {
        self.meet_whole(Operation::Size)?;
        self.inner.len()
    }

    fn lock(&mut self, level: LockLevel) -> Result<()> {
        self.meet_whole(Operation::Lock)?;
        self.inner.lock(level)
    }

    fn unlock(&mut self, level: LockLevel) -> Result<()> {
        let met = self.meet_whole(Operation::Unlock);
        // What is to be had back after a power loss are the locks of the instance.
        if self.shared.crashed.get() {
            return self.inner.unlock(level);
        }
        met?;
        self.inner.unlock(level)
    }

    fn has_reserved_lock(&mut self) -> Result<bool> {
        self.inner.has_reserved_lock()
    }

    fn close(self) -> Result<()> {
        let met = self.meet_whole(Operation::Close);
        let crashed = self.shared.crashed.get();
        let Self { inner, deletes, .. } = self;
        let closed = inner.close();
        drop(deletes);
        if crashed { closed } else { met.and(closed) }
    }

    fn sector_size(&self) -> u32 {
        self.shared.sector_size.get().unwrap_or_else(|| self.inner.sector_size())
    }

    fn device_characteristics(&self) -> DeviceCharacteristics {
        self.shared.characteristics.get().unwrap_or_else(|| self.inner.device_characteristics())
    }

    fn features(&self) -> FileFeatures {
        self.inner.features()
    }

    fn pragma(&mut self, name: &str, value: Option<&str>) -> Result<Pragma> {
        self.meet_whole(Operation::Control)?;
        self.inner.pragma(name, value)
    }

    fn file_control(&mut self, control: FileControl<'_>) -> Result<bool> {
        self.meet_whole(Operation::Control)?;
        let change = match control {
            FileControl::BeginAtomicWrite => Some(Change::BeginBatch),
            FileControl::CommitAtomicWrite => Some(Change::CommitBatch),
            FileControl::RollbackAtomicWrite => Some(Change::RollbackBatch),
            _ => None,
        };
        if change.is_some() {
            self.before_change()?;
        }
        let answer = self.inner.file_control(control)?;
        if let Some(change) = change.filter(|_| answer) {
            self.record(change);
        }
        Ok(answer)
    }

    fn shm_map(&mut self, region: u32, size: u32, extend: bool) -> Result<Option<NonNull<u8>>> {
        self.meet_whole(Operation::Shm)?;
        self.inner.shm_map(region, size, extend)
    }

    fn shm_lock(&mut self, first: u32, n: u32, request: ShmLock) -> Result<()> {
        let met = self.meet_whole(Operation::Shm);
        if self.shared.crashed.get() && matches!(request, ShmLock::Unlock { .. }) {
            return self.inner.shm_lock(first, n, request);
        }
        met?;
        self.inner.shm_lock(first, n, request)
    }

    fn shm_barrier(&mut self) {
        self.inner.shm_barrier();
    }

    fn shm_unmap(&mut self, delete: bool) -> Result<()> {
        let met = self.meet_whole(Operation::Shm);
        let crashed = self.shared.crashed.get();
        let unmapped = self.inner.shm_unmap(delete);
        if crashed { unmapped } else { met.and(unmapped) }
    }

    fn fetch(&mut self, offset: u64, len: usize) -> Result<Option<NonNull<u8>>> {
        match self.meet(Operation::Read)? {
            Outcome::All => self.inner.fetch(offset, len),
            // It is read instead.
            Outcome::Bytes(..) => Ok(None),
            Outcome::Sectors(_, then) => Err(self.shared.end(then)),
        }
    }

    fn unfetch(&mut self, offset: u64, pointer: Option<NonNull<u8>>) -> Result<()> {
        self.inner.unfetch(offset, pointer)
    }
}
