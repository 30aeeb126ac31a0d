//! MemoryVFS: files in the heap of the module that SQLite runs in. Nothing crosses into JavaScript.

use std::cell::{Cell, RefCell};
use std::ptr::NonNull;
use std::rc::Rc;

use super::chunks::{Budget, Chunks, Undo};
use crate::lock::{FileLock, LockTable};
use crate::shm::{Shm, ShmNode};
use crate::vfs::{
    Access, DeviceCharacteristics, ErrorCode, FileControl, FileFeatures, FileInfo, Files, LockLevel, OpenOptions,
    Opened, Result, ShmLock, SyncOptions, Vfs, VfsError, VfsFile, VfsPath,
};

/// Length of the longest database's name, in bytes of UTF-8.
const MAX_NAME: usize = 1024;

/// What is appended at most: by SQLite `-mj` and nine digits, by [`Files::write`] its own mark.
const SUFFIX: usize = 24;

/// How a [`MemoryVfs`] is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryOptions {
    /// Bytes of heap that all files together may take, counted in chunks of 4 KiB. `None`: as much as there is.
    /// Beyond it, writes answer [`ErrorCode::Full`].
    pub max_bytes: Option<u64>,
}

/// A VFS that keeps its files in memory. A clone is another handle to the same files.
///
/// All connections of the instance share the locks and the WAL index, so every journal mode works, WAL without exclusive
/// locking included. A commit is a batch of writes with undo, so an autocommit writes no journal.
#[derive(Clone, Debug)]
pub struct MemoryVfs {
    space: Rc<Space>,
}

#[derive(Debug)]
struct Space {
    /// Sorted by name. SQLite asks for two names in every transaction: a few comparisons cost no more than a hash, and are
    /// less code.
    files: RefCell<Vec<(Box<str>, Rc<Node>)>>,
    budget: Rc<Budget>,
}

/// A file: its bytes, and what its connections share. It lives as long as its name or an open handle does.
#[derive(Debug)]
struct Node {
    bytes: RefCell<Chunks>,
    locks: Rc<LockTable>,
    shm: Rc<ShmNode>,
    handles: Cell<u32>,
    /// Its name was deleted, and may belong to another file by now.
    deleted: Cell<bool>,
}

impl Node {
    fn new(budget: &Rc<Budget>) -> Rc<Self> {
        Rc::new(Self {
            bytes: RefCell::new(Chunks::new(budget.clone())),
            locks: Rc::default(),
            shm: Rc::default(),
            handles: Cell::new(0),
            deleted: Cell::new(false),
        })
    }
}

impl Default for MemoryVfs {
    fn default() -> Self {
        Self::new()
    }
}

impl MemoryVfs {
    /// Without files, and without a limit.
    #[must_use]
    pub fn new() -> Self {
        Self::with_options(MemoryOptions::default())
    }

    /// Without files.
    #[must_use]
    pub fn with_options(options: MemoryOptions) -> Self {
        let budget = Rc::new(Budget::new(options.max_bytes));
        Self { space: Rc::new(Space { files: RefCell::default(), budget }) }
    }

    /// Bytes of heap that the files take: whole chunks of 4 KiB, those of deleted but open files included.
    #[must_use]
    pub fn allocated_bytes(&self) -> u64 {
        self.space.budget.used()
    }

    /// Length of a file in bytes; `None` if there is no such file.
    #[must_use]
    pub fn file_size(&self, name: &str) -> Option<u64> {
        self.node(name).map(|node| node.bytes.borrow().len())
    }

    fn node(&self, name: &str) -> Option<Rc<Node>> {
        let files = self.space.files.borrow();
        let (_, node) = files.get(place(&files, name).ok()?)?;
        Some(node.clone())
    }

    fn add(&self, name: &str, node: Rc<Node>) -> Result<()> {
        let mut files = self.space.files.borrow_mut();
        match place(&files, name) {
            Ok(at) => {
                if let Some((_, there)) = files.get_mut(at) {
                    *there = node;
                }
            }
            Err(at) => {
                files.try_reserve(1).map_err(|_| VfsError::from(ErrorCode::NoMem))?;
                files.insert(at, (name.into(), node));
            }
        }
        Ok(())
    }

    fn forget(&self, name: &str) -> Option<Rc<Node>> {
        let node = self.take(name)?;
        node.deleted.set(true);
        Some(node)
    }

    /// Takes the name away.
    fn take(&self, name: &str) -> Option<Rc<Node>> {
        let mut files = self.space.files.borrow_mut();
        let at = place(&files, name).ok()?;
        Some(files.remove(at).1)
    }

    /// The file of this name if nobody has it open; an error if somebody has.
    fn unopened(&self, name: &str) -> Result<Option<Rc<Node>>> {
        let node = self.node(name);
        match &node {
            Some(node) if node.handles.get() > 0 => {
                Err(VfsError::new(ErrorCode::Busy, format!("'{name}' is open; close its connections first")))
            }
            _ => Ok(node),
        }
    }
}

/// Where a name is, or where it would be.
fn place(files: &[(Box<str>, Rc<Node>)], name: &str) -> std::result::Result<usize, usize> {
    files.binary_search_by(|(there, _)| there.as_ref().cmp(name))
}

fn missing(name: &str) -> VfsError {
    VfsError::new(ErrorCode::CantOpen, format!("there is no file '{name}'"))
}

fn check_name(name: &str) -> Result<()> {
    // Whatever `list` tells can be put in again, journals with the longest names included.
    if name.is_empty() || name.len() > MAX_NAME + SUFFIX || name.contains('\0') {
        let message = format!("a name has 1 to {MAX_NAME} bytes, a suffix of SQLite's apart, and no NUL");
        return Err(VfsError::new(ErrorCode::CantOpen, message));
    }
    Ok(())
}

impl Vfs for MemoryVfs {
    type File = MemoryFile;

    fn open(&self, path: Option<&VfsPath<'_>>, options: OpenOptions) -> Result<Opened<MemoryFile>> {
        let name = path.map(VfsPath::as_str);
        let node = match name {
            // Without a name nobody else can find it: it dies with its handle.
            None => Node::new(&self.space.budget),
            Some(name) => match self.node(name) {
                Some(_) if options.create() && options.exclusive() => {
                    return Err(VfsError::new(ErrorCode::CantOpen, format!("'{name}' exists already")));
                }
                Some(node) => node,
                None if options.create() => {
                    let node = Node::new(&self.space.budget);
                    self.add(name, node.clone())?;
                    node
                }
                None => return Err(missing(name)),
            },
        };
        let delete = name.filter(|_| options.delete_on_close()).map(|name| (self.clone(), name.into()));
        let file = MemoryFile::new(node, options.read_only(), delete);
        Ok(Opened { file, read_only: options.read_only() })
    }

    fn delete(&self, path: &VfsPath<'_>, _sync_dir: bool) -> Result<()> {
        match self.forget(path.as_str()) {
            Some(_) => Ok(()),
            None => Err(ErrorCode::IoErrDeleteNoEnt.into()),
        }
    }

    fn access(&self, path: &VfsPath<'_>, access: Access) -> Result<bool> {
        let files = self.space.files.borrow();
        let there = place(&files, path.as_str()).ok().and_then(|at| files.get(at));
        Ok(match (there, access) {
            (None, _) => false,
            // An empty WAL that "exists" would put the database into WAL mode.
            (Some((_, node)), Access::Exists) => node.bytes.borrow().len() > 0,
            (Some(_), Access::Read | Access::ReadWrite) => true,
        })
    }

    fn max_pathname(&self) -> usize {
        MAX_NAME
    }
}

impl Files for MemoryVfs {
    fn list(&self) -> Result<Vec<FileInfo>> {
        let files = self.space.files.borrow();
        let info =
            |(name, node): &(Box<str>, Rc<Node>)| FileInfo { name: name.to_string(), size: node.bytes.borrow().len() };
        Ok(files.iter().map(info).collect())
    }

    fn size(&self, name: &str) -> Result<Option<u64>> {
        Ok(self.file_size(name))
    }

    fn read_at(&self, name: &str, buffer: &mut [u8], offset: u64) -> Result<usize> {
        let node = self.node(name).ok_or_else(|| missing(name))?;
        let bytes = node.bytes.borrow();
        Ok(bytes.read_at(buffer, offset))
    }

    fn write_at(&self, name: &str, bytes: &[u8], offset: u64) -> Result<()> {
        check_name(name)?;
        if let Some(node) = self.unopened(name)? {
            return node.bytes.borrow_mut().write_at(bytes, offset);
        }
        let node = Node::new(&self.space.budget);
        node.bytes.borrow_mut().write_at(bytes, offset)?;
        self.add(name, node)
    }

    fn rename(&self, from: &str, to: &str) -> Result<()> {
        check_name(to)?;
        let node = self.unopened(from)?.ok_or_else(|| missing(from))?;
        if from == to {
            return Ok(());
        }
        self.unopened(to)?;
        self.add(to, node)?;
        self.take(from);
        Ok(())
    }

    fn remove(&self, name: &str) -> Result<bool> {
        self.unopened(name)?;
        Ok(self.forget(name).is_some())
    }
}

/// An open file of a [`MemoryVfs`].
#[derive(Debug)]
pub struct MemoryFile {
    node: Rc<Node>,
    lock: FileLock,
    shm: Option<Shm>,
    read_only: bool,
    /// Where, and under which name, the file is to be deleted when it is closed.
    delete: Option<(MemoryVfs, Box<str>)>,
    /// Writes are a batch's, which may be undone.
    batch: bool,
    undo: Undo,
}

impl MemoryFile {
    fn new(node: Rc<Node>, read_only: bool, delete: Option<(MemoryVfs, Box<str>)>) -> Self {
        node.handles.set(node.handles.get() + 1);
        let lock = FileLock::new(node.locks.clone());
        Self { node, lock, shm: None, read_only, delete, batch: false, undo: Undo::default() }
    }

    fn check_writable(&self) -> Result<()> {
        if self.read_only { Err(VfsError::new(ErrorCode::ReadOnly, "the file was opened for reading")) } else { Ok(()) }
    }

    fn end_batch(&mut self, keep: bool) {
        if std::mem::take(&mut self.batch) {
            self.undo.end(&mut self.node.bytes.borrow_mut(), keep);
        }
    }

    fn shm(&mut self) -> &mut Shm {
        self.shm.get_or_insert_with(|| Shm::new(self.node.shm.clone()))
    }
}

impl Drop for MemoryFile {
    fn drop(&mut self) {
        self.end_batch(false);
        self.node.handles.set(self.node.handles.get() - 1);
        if let Some((vfs, name)) = self.delete.take() {
            // Only if the name is still this file's.
            if vfs.node(&name).is_some_and(|node| Rc::ptr_eq(&node, &self.node)) {
                vfs.forget(&name);
            }
        }
    }
}

impl VfsFile for MemoryFile {
    #[inline]
    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> Result<usize> {
        Ok(self.node.bytes.borrow().read_at(buffer, offset))
    }

    #[inline]
    fn write_at(&mut self, data: &[u8], offset: u64) -> Result<()> {
        self.check_writable()?;
        let mut bytes = self.node.bytes.borrow_mut();
        if self.batch { self.undo.write_at(&mut bytes, data, offset) } else { bytes.write_at(data, offset) }
    }

    fn set_len(&mut self, len: u64) -> Result<()> {
        self.check_writable()?;
        let mut bytes = self.node.bytes.borrow_mut();
        if self.batch && len < bytes.len() { self.undo.cut(&mut bytes, len) } else { bytes.set_len(len) }
    }

    fn sync(&mut self, _: SyncOptions) -> Result<()> {
        Ok(())
    }

    fn len(&mut self) -> Result<u64> {
        Ok(self.node.bytes.borrow().len())
    }

    fn lock(&mut self, level: LockLevel) -> Result<()> {
        self.lock.lock(level)
    }

    fn unlock(&mut self, level: LockLevel) -> Result<()> {
        self.lock.unlock(level);
        Ok(())
    }

    fn has_reserved_lock(&mut self) -> Result<bool> {
        Ok(self.lock.is_reserved())
    }

    fn device_characteristics(&self) -> DeviceCharacteristics {
        // Memory has no crash that spares it, so all that is said of crashes is true.
        DeviceCharacteristics::ATOMIC
            .and(DeviceCharacteristics::SAFE_APPEND)
            .and(DeviceCharacteristics::SEQUENTIAL)
            .and(DeviceCharacteristics::POWERSAFE_OVERWRITE)
            .and(DeviceCharacteristics::BATCH_ATOMIC)
            .and(DeviceCharacteristics::SUBPAGE_READ)
    }

    fn features(&self) -> FileFeatures {
        FileFeatures { shared_memory: true, fetch: false }
    }

    fn file_control(&mut self, control: FileControl<'_>) -> Result<bool> {
        match control {
            FileControl::BeginAtomicWrite => {
                self.check_writable()?;
                self.end_batch(false);
                self.undo.begin(&self.node.bytes.borrow());
                self.batch = true;
            }
            FileControl::CommitAtomicWrite => self.end_batch(true),
            FileControl::RollbackAtomicWrite => self.end_batch(false),
            FileControl::HasMoved(moved) => *moved = i32::from(self.node.deleted.get()),
            _ => return Ok(false),
        }
        Ok(true)
    }

    #[inline]
    fn peek(&mut self, offset: u64, len: usize) -> Option<NonNull<u8>> {
        self.node.bytes.borrow().piece(offset, len).map(|bytes| NonNull::from(bytes).cast())
    }

    #[inline]
    fn place(&mut self, offset: u64, len: usize) -> Result<Option<NonNull<u8>>> {
        self.check_writable()?;
        let mut bytes = self.node.bytes.borrow_mut();
        if self.batch {
            self.undo.save(&bytes, offset, len as u64)?;
        }
        Ok(bytes.room(offset, len)?.map(|room| NonNull::from(room).cast()))
    }

    fn shm_map(&mut self, region: u32, size: u32, extend: bool) -> Result<Option<NonNull<u8>>> {
        self.shm().map(region, size, extend)
    }

    fn shm_lock(&mut self, first: u32, n: u32, request: ShmLock) -> Result<()> {
        self.shm().lock(first, n, request)
    }

    fn shm_unmap(&mut self, _delete: bool) -> Result<()> {
        self.shm = None;
        Ok(())
    }
}
