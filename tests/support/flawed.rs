//! A VFS with one flaw.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::mem::ManuallyDrop;
use std::ptr::NonNull;
use std::rc::Rc;
use std::time::Duration;

use sqlite_vfs_kit::shm::Shm;
use sqlite_vfs_kit::stores::{MemoryFile, MemoryVfs};
use sqlite_vfs_kit::sys;
use sqlite_vfs_kit::vfs::{
    Access, DeviceCharacteristics, ErrorCode, FileControl, FileFeatures, LockLevel, OpenOptions, Opened, Result,
    ShmLock, SyncOptions, Vfs, VfsError, VfsFile, VfsPath,
};

/// What the flawed ones think that files consist of, in bytes.
const CHUNK: u64 = 64 * 1024;

/// What is wrong with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    None,
    MakesMissingFiles,
    IgnoresExclusive,
    EmptiesExistingFiles,
    SaysAllExists,
    EmptyFilesExist,
    ParsesNamesAsUrls,
    ShortNamesOnly,
    NamesWithoutCase,
    IgnoresDelete,
    DeletesWhatIsMissing,
    IgnoresDeleteOnClose,
    SharesUnnamedFiles,
    OldBytesAfterTruncate,
    IgnoresLengthening,
    CutsTooMuch,
    GarbageInGaps,
    SizeInSectors,
    ReadsBeyondEnd,
    ForgetsSecondChunk,
    WriteAppends,
    SyncCuts,
    AdmitsSecondWriter,
    AdmitsReadersBesideExclusive,
    AdmitsExclusiveBesideReaders,
    UnlocksTooMuch,
    NeverUnlocks,
    KeepsLocksWhenClosed,
    NeverReserved,
    OneLockForAll,
    IgnoresShmLocks,
    OwnShm,
    BatchIsNone,
    BatchRollbackKeeps,
    BatchCommitLoses,
    OddSector,
    OffsetsWrap,
    OffsetsOf32Bits,
    RefusesRepeatedLocks,
    MakesRegionsUnasked,
    /// No flaw where [`Options::read_only`](sqlite_vfs_kit::testing::Options::read_only) says so.
    ReadOnly,
    /// No flaw where [`Options::one_connection`](sqlite_vfs_kit::testing::Options::one_connection) says so.
    OneHandle,
    /// No flaw where [`Options::no_temporary_files`](sqlite_vfs_kit::testing::Options::no_temporary_files) says so.
    NoUnnamedFiles,
}

/// Where bytes were cut off, and which.
type Tail = (u64, Vec<u8>);

#[derive(Clone)]
pub struct Flawed {
    inner: MemoryVfs,
    flaw: Flaw,
    /// What was cut off files, and from where.
    tails: Rc<RefCell<BTreeMap<String, Tail>>>,
    /// Names of open files.
    open: Rc<RefCell<BTreeSet<String>>>,
}

impl Flawed {
    pub fn files(&self) -> &MemoryVfs {
        &self.inner
    }

    pub fn new(flaw: Flaw) -> Self {
        Self { inner: MemoryVfs::new(), flaw, tails: Rc::default(), open: Rc::default() }
    }

    fn name(&self, name: &str) -> String {
        match self.flaw {
            Flaw::ParsesNamesAsUrls => name.split(['#', '?']).next().unwrap_or_default().to_owned(),
            Flaw::NamesWithoutCase => name.to_lowercase(),
            _ => name.to_owned(),
        }
    }
}

impl Vfs for Flawed {
    type File = FlawedFile;

    fn open(&self, path: Option<&VfsPath<'_>>, options: OpenOptions) -> Result<Opened<FlawedFile>> {
        let mut flags = options.flags();
        match self.flaw {
            Flaw::MakesMissingFiles => flags |= sys::SQLITE_OPEN_CREATE,
            Flaw::IgnoresExclusive => flags &= !sys::SQLITE_OPEN_EXCLUSIVE,
            Flaw::ReadOnly => {
                flags = flags & !(sys::SQLITE_OPEN_READWRITE | sys::SQLITE_OPEN_CREATE) | sys::SQLITE_OPEN_READONLY
            }
            Flaw::IgnoresDeleteOnClose => flags &= !sys::SQLITE_OPEN_DELETEONCLOSE,
            Flaw::SharesUnnamedFiles if path.is_none() => {
                flags &= !(sys::SQLITE_OPEN_EXCLUSIVE | sys::SQLITE_OPEN_DELETEONCLOSE);
            }
            _ => {}
        }
        let options = OpenOptions::new(options.kind(), flags);
        let name = match path {
            None if self.flaw == Flaw::SharesUnnamedFiles => Some("unnamed".to_owned()),
            path => path.map(|path| self.name(path.as_str())),
        };
        if self.flaw == Flaw::ShortNamesOnly && name.as_ref().is_some_and(|name| name.len() > 64) {
            return Err(VfsError::new(ErrorCode::CantOpen, "the name is too long"));
        }
        if self.flaw == Flaw::NoUnnamedFiles && name.is_none() {
            return Err(VfsError::new(ErrorCode::CantOpen, "a file has a name here"));
        }
        if self.flaw == Flaw::OneHandle && name.as_ref().is_some_and(|name| self.open.borrow().contains(name)) {
            return Err(VfsError::new(ErrorCode::CantOpen, "the file is open elsewhere"));
        }
        let opened = self.inner.open(name.as_deref().map(VfsPath::new).as_ref(), options)?;
        let mut file = FlawedFile {
            inner: ManuallyDrop::new(opened.file),
            vfs: self.clone(),
            name: name.unwrap_or_default(),
            own_shm: Shm::new(Rc::default()),
            lock_of_all: None,
            level: LockLevel::None,
        };
        self.open.borrow_mut().insert(file.name.clone());
        match self.flaw {
            Flaw::EmptiesExistingFiles if options.create() => file.inner.set_len(0)?,
            Flaw::OneLockForAll => {
                let options = OpenOptions::new(options.kind(), sys::SQLITE_OPEN_READWRITE | sys::SQLITE_OPEN_CREATE);
                file.lock_of_all = Some(self.inner.open(Some(&VfsPath::new("lock")), options)?.file);
            }
            _ => {}
        }
        Ok(Opened { file, read_only: opened.read_only })
    }

    fn delete(&self, path: &VfsPath<'_>, sync_dir: bool) -> Result<()> {
        if self.flaw == Flaw::IgnoresDelete {
            return Ok(());
        }
        let name = self.name(path.as_str());
        let result = self.inner.delete(&VfsPath::new(&name), sync_dir);
        if self.flaw == Flaw::DeletesWhatIsMissing { Ok(()) } else { result }
    }

    fn access(&self, path: &VfsPath<'_>, access: Access) -> Result<bool> {
        if self.flaw == Flaw::SaysAllExists {
            return Ok(true);
        }
        let access = if self.flaw == Flaw::EmptyFilesExist { Access::Read } else { access };
        self.inner.access(&VfsPath::new(&self.name(path.as_str())), access)
    }

    fn full_pathname<'a>(&self, name: &'a str) -> Result<Cow<'a, str>> {
        self.inner.full_pathname(name)
    }

    /// Nothing here gets better by waiting.
    fn sleep(&self, duration: Duration) -> Duration {
        duration
    }
}

pub struct FlawedFile {
    inner: ManuallyDrop<MemoryFile>,
    vfs: Flawed,
    name: String,
    own_shm: Shm,
    lock_of_all: Option<MemoryFile>,
    level: LockLevel,
}

impl Drop for FlawedFile {
    fn drop(&mut self) {
        self.vfs.open.borrow_mut().remove(&self.name);
        if self.vfs.flaw != Flaw::KeepsLocksWhenClosed {
            // SAFETY: nobody uses it after this.
            unsafe { ManuallyDrop::drop(&mut self.inner) }
        }
    }
}

impl FlawedFile {
    fn locks(&mut self) -> &mut MemoryFile {
        self.lock_of_all.as_mut().unwrap_or(&mut self.inner)
    }

    fn offset(&self, offset: u64) -> u64 {
        match self.vfs.flaw {
            Flaw::OffsetsWrap => offset % (1 << 20),
            Flaw::OffsetsOf32Bits => offset & 0xFFFF_FFFF,
            _ => offset,
        }
    }

    /// Old bytes come back where the file has grown over them.
    fn haunt(&mut self, from: u64, to: u64) -> Result<()> {
        let tails = self.vfs.tails.borrow();
        let Some((start, tail)) = tails.get(&self.name) else { return Ok(()) };
        let (first, last) = (from.max(*start), to.min(start + tail.len() as u64));
        if first < last {
            self.inner.write_at(&tail[(first - start) as usize..(last - start) as usize], first)?;
        }
        Ok(())
    }
}

impl VfsFile for FlawedFile {
    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> Result<usize> {
        let offset = self.offset(offset);
        let read = self.inner.read_at(buffer, offset)?;
        if self.vfs.flaw == Flaw::ReadsBeyondEnd {
            buffer[read..].fill(0);
            return Ok(buffer.len());
        }
        Ok(read)
    }

    fn write_at(&mut self, data: &[u8], offset: u64) -> Result<()> {
        let (offset, end) = (self.offset(offset), self.inner.len()?);
        match self.vfs.flaw {
            Flaw::GarbageInGaps if offset > end => self.inner.write_at(&vec![0xAA; (offset - end) as usize], end)?,
            Flaw::WriteAppends => return self.inner.write_at(data, offset.min(end)),
            Flaw::ForgetsSecondChunk => {
                let room = CHUNK - offset % CHUNK;
                return self.inner.write_at(&data[..data.len().min(room as usize)], offset);
            }
            _ => {}
        }
        self.inner.write_at(data, offset)?;
        if offset > end { self.haunt(end, offset) } else { Ok(()) }
    }

    fn set_len(&mut self, len: u64) -> Result<()> {
        let before = self.inner.len()?;
        match self.vfs.flaw {
            Flaw::IgnoresLengthening if len > before => return Ok(()),
            Flaw::CutsTooMuch if len < before => return self.inner.set_len(len.saturating_sub(1)),
            Flaw::OldBytesAfterTruncate if len < before => {
                let mut tail = vec![0; (before - len) as usize];
                self.inner.read_at(&mut tail, len)?;
                self.vfs.tails.borrow_mut().insert(self.name.clone(), (len, tail));
            }
            _ => {}
        }
        self.inner.set_len(len)?;
        if len > before { self.haunt(before, len) } else { Ok(()) }
    }

    fn sync(&mut self, options: SyncOptions) -> Result<()> {
        if self.vfs.flaw == Flaw::SyncCuts {
            let whole_sectors = self.inner.len()? / 512 * 512;
            self.inner.set_len(whole_sectors)?;
        }
        self.inner.sync(options)
    }

    fn len(&mut self) -> Result<u64> {
        let len = self.inner.len()?;
        Ok(if self.vfs.flaw == Flaw::SizeInSectors { len.next_multiple_of(512) } else { len })
    }

    fn lock(&mut self, level: LockLevel) -> Result<()> {
        if self.vfs.flaw == Flaw::RefusesRepeatedLocks && level <= self.level {
            return Err(VfsError::busy());
        }
        let result = self.locks().lock(level);
        let admits = match self.vfs.flaw {
            Flaw::AdmitsSecondWriter => level == LockLevel::Reserved,
            Flaw::AdmitsReadersBesideExclusive => level == LockLevel::Shared,
            Flaw::AdmitsExclusiveBesideReaders => level == LockLevel::Exclusive,
            _ => false,
        };
        let result = if admits { Ok(()) } else { result };
        if result.is_ok() {
            self.level = level;
        }
        result
    }

    fn unlock(&mut self, level: LockLevel) -> Result<()> {
        self.level = level;
        match self.vfs.flaw {
            Flaw::NeverUnlocks => Ok(()),
            Flaw::UnlocksTooMuch => self.locks().unlock(LockLevel::None),
            _ => self.locks().unlock(level),
        }
    }

    fn has_reserved_lock(&mut self) -> Result<bool> {
        Ok(self.vfs.flaw != Flaw::NeverReserved && self.locks().has_reserved_lock()?)
    }

    fn sector_size(&self) -> u32 {
        if self.vfs.flaw == Flaw::OddSector { 1000 } else { self.inner.sector_size() }
    }

    fn device_characteristics(&self) -> DeviceCharacteristics {
        self.inner.device_characteristics()
    }

    fn features(&self) -> FileFeatures {
        self.inner.features()
    }

    fn file_control(&mut self, control: FileControl<'_>) -> Result<bool> {
        let control = match (self.vfs.flaw, control) {
            (Flaw::BatchIsNone, FileControl::BeginAtomicWrite | FileControl::CommitAtomicWrite) => return Ok(true),
            (Flaw::BatchIsNone, FileControl::RollbackAtomicWrite) => return Ok(true),
            (Flaw::BatchRollbackKeeps, FileControl::RollbackAtomicWrite) => FileControl::CommitAtomicWrite,
            (Flaw::BatchCommitLoses, FileControl::CommitAtomicWrite) => FileControl::RollbackAtomicWrite,
            (_, control) => control,
        };
        self.inner.file_control(control)
    }

    fn shm_map(&mut self, region: u32, size: u32, extend: bool) -> Result<Option<NonNull<u8>>> {
        if self.vfs.flaw == Flaw::OwnShm {
            return self.own_shm.map(region, size, extend);
        }
        self.inner.shm_map(region, size, extend || self.vfs.flaw == Flaw::MakesRegionsUnasked)
    }

    fn shm_lock(&mut self, first: u32, n: u32, request: ShmLock) -> Result<()> {
        match self.vfs.flaw {
            Flaw::IgnoresShmLocks => Ok(()),
            Flaw::OwnShm => self.own_shm.lock(first, n, request),
            _ => self.inner.shm_lock(first, n, request),
        }
    }

    fn shm_unmap(&mut self, delete: bool) -> Result<()> {
        if self.vfs.flaw == Flaw::OwnShm {
            self.own_shm = Shm::new(Rc::default());
        }
        self.inner.shm_unmap(delete)
    }
}
