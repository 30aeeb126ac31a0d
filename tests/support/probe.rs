//! A VFS around a VFS that tells a test about every call, and lets the test answer in its place.

use std::cell::{Cell, RefCell};
use std::ptr::NonNull;
use std::rc::Rc;
use std::time::Duration;

use sqlite_vfs_kit::vfs::{
    Access, DeviceCharacteristics, FileControl, FileFeatures, FileInfo, FileKind, Files, LockLevel, OpenOptions,
    Opened, Pragma, Result, ShmLock, SyncOptions, Vfs, VfsError, VfsFile, VfsPath,
};

/// One call of a method.
#[derive(Clone, Debug)]
pub struct Call {
    pub method: Method,
    /// The file's name; empty for one without.
    pub file: Rc<str>,
    /// What the file is; not known to `delete` and `access`.
    pub kind: Option<FileKind>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    Open,
    Delete,
    Access,
    FullPathname,
    CurrentTime,
    Sleep,
    Close,
    ReadAt,
    WriteAt,
    SetLen,
    Sync,
    Len,
    Lock,
    Unlock,
    HasReservedLock,
    FileControl,
    ShmMap,
    ShmLock,
    ShmUnmap,
}

type Hook = Rc<dyn Fn(&Call) -> Result<()>>;
type PragmaHook = Rc<dyn Fn(&str, Option<&str>) -> Result<Pragma>>;
type ControlHook = Rc<dyn Fn(&mut FileControl<'_>) -> Option<Result<bool>>>;

#[derive(Default)]
struct Script {
    hook: RefCell<Option<Hook>>,
    pragma: RefCell<Option<PragmaHook>>,
    control: RefCell<Option<ControlHook>>,
    features: Cell<Option<FileFeatures>>,
    characteristics: Cell<Option<DeviceCharacteristics>>,
    claim: Cell<Option<usize>>,
    open_files: Cell<i32>,
}

#[derive(Clone)]
pub struct Probe<V> {
    pub inner: V,
    script: Rc<Script>,
}

impl<V> Probe<V> {
    pub fn new(inner: V) -> Self {
        Self { inner, script: Rc::default() }
    }

    /// `hook` sees every call first, and may answer it with an error.
    pub fn on_call(&self, hook: impl Fn(&Call) -> Result<()> + 'static) {
        self.clear();
        *self.script.hook.borrow_mut() = Some(Rc::new(hook));
    }

    /// Every call of this method fails, until [`clear`](Self::clear).
    pub fn fail(&self, method: Method, error: VfsError) {
        self.on_call(move |call| if call.method == method { Err(error.clone()) } else { Ok(()) });
    }

    pub fn on_pragma(&self, hook: impl Fn(&str, Option<&str>) -> Result<Pragma> + 'static) {
        *self.script.pragma.borrow_mut() = Some(Rc::new(hook));
    }

    /// `hook` sees every file control; where it answers `None` the VFS inside does.
    pub fn on_control(&self, hook: impl Fn(&mut FileControl<'_>) -> Option<Result<bool>> + 'static) {
        *self.script.control.borrow_mut() = Some(Rc::new(hook));
    }

    /// All calls go through again.
    pub fn clear(&self) {
        // What a hook holds may be connections, and closing them comes here again: first out of the cell, then dropped.
        let hook = self.script.hook.borrow_mut().take();
        drop(hook);
    }

    /// What files opened from now on say they offer.
    pub fn offer(&self, features: FileFeatures) {
        self.script.features.set(Some(features));
    }

    pub fn promise(&self, characteristics: DeviceCharacteristics) {
        self.script.characteristics.set(Some(characteristics));
    }

    /// How many bytes every read says it has read, whatever is true.
    pub fn claim(&self, bytes: usize) {
        self.script.claim.set(Some(bytes));
    }

    /// How many files are open.
    pub fn open_files(&self) -> i32 {
        self.script.open_files.get()
    }
}

impl Script {
    fn call(&self, method: Method, file: &Rc<str>, kind: Option<FileKind>) -> Result<()> {
        // The hook may use SQLite, so nothing is borrowed while it runs.
        let hook = self.hook.borrow().clone();
        hook.map_or(Ok(()), |hook| hook(&Call { method, file: file.clone(), kind }))
    }
}

impl<V: Vfs> Vfs for Probe<V> {
    type File = ProbeFile<V::File>;

    fn open(&self, path: Option<&VfsPath<'_>>, options: OpenOptions) -> Result<Opened<Self::File>> {
        let name: Rc<str> = path.map_or("", VfsPath::as_str).into();
        self.script.call(Method::Open, &name, Some(options.kind()))?;
        let Opened { file, read_only } = self.inner.open(path, options)?;
        self.script.open_files.set(self.script.open_files.get() + 1);
        Ok(Opened {
            file: ProbeFile { inner: file, script: self.script.clone(), name, kind: options.kind() },
            read_only,
        })
    }

    fn delete(&self, path: &VfsPath<'_>, sync_dir: bool) -> Result<()> {
        self.script.call(Method::Delete, &path.as_str().into(), path.kind())?;
        self.inner.delete(path, sync_dir)
    }

    fn access(&self, path: &VfsPath<'_>, access: Access) -> Result<bool> {
        self.script.call(Method::Access, &path.as_str().into(), path.kind())?;
        self.inner.access(path, access)
    }

    fn full_pathname<'a>(&self, name: &'a str) -> Result<std::borrow::Cow<'a, str>> {
        self.script.call(Method::FullPathname, &name.into(), None)?;
        self.inner.full_pathname(name)
    }

    fn current_time(&self) -> Result<i64> {
        self.script.call(Method::CurrentTime, &"".into(), None)?;
        self.inner.current_time()
    }

    fn sleep(&self, duration: Duration) -> Duration {
        // Tests don't wait: they do in the hook what would have happened meanwhile.
        let _ = self.script.call(Method::Sleep, &"".into(), None);
        duration
    }
}

impl<V: Files> Files for Probe<V> {
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

pub struct ProbeFile<F> {
    inner: F,
    script: Rc<Script>,
    name: Rc<str>,
    kind: FileKind,
}

impl<F> ProbeFile<F> {
    fn call(&self, method: Method) -> Result<()> {
        self.script.call(method, &self.name, Some(self.kind))
    }
}

impl<F: VfsFile> VfsFile for ProbeFile<F> {
    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> Result<usize> {
        self.call(Method::ReadAt)?;
        let read = self.inner.read_at(buffer, offset)?;
        Ok(self.script.claim.get().unwrap_or(read))
    }

    fn write_at(&mut self, data: &[u8], offset: u64) -> Result<()> {
        self.call(Method::WriteAt)?;
        self.inner.write_at(data, offset)
    }

    fn set_len(&mut self, len: u64) -> Result<()> {
        self.call(Method::SetLen)?;
        self.inner.set_len(len)
    }

    fn sync(&mut self, options: SyncOptions) -> Result<()> {
        self.call(Method::Sync)?;
        self.inner.sync(options)
    }

    fn len(&mut self) -> Result<u64> {
        self.call(Method::Len)?;
        self.inner.len()
    }

    fn lock(&mut self, level: LockLevel) -> Result<()> {
        self.call(Method::Lock)?;
        self.inner.lock(level)
    }

    fn unlock(&mut self, level: LockLevel) -> Result<()> {
        self.call(Method::Unlock)?;
        self.inner.unlock(level)
    }

    fn has_reserved_lock(&mut self) -> Result<bool> {
        self.call(Method::HasReservedLock)?;
        self.inner.has_reserved_lock()
    }

    fn close(self) -> Result<()> {
        self.script.open_files.set(self.script.open_files.get() - 1);
        self.call(Method::Close)?;
        self.inner.close()
    }

    fn sector_size(&self) -> u32 {
        self.inner.sector_size()
    }

    fn device_characteristics(&self) -> DeviceCharacteristics {
        self.script.characteristics.get().unwrap_or_else(|| self.inner.device_characteristics())
    }

    fn features(&self) -> FileFeatures {
        self.script.features.get().unwrap_or_else(|| self.inner.features())
    }

    fn pragma(&mut self, name: &str, value: Option<&str>) -> Result<Pragma> {
        let hook = self.script.pragma.borrow().clone();
        hook.map_or(Ok(Pragma::NotHandled), |hook| hook(name, value))
    }

    fn file_control(&mut self, mut control: FileControl<'_>) -> Result<bool> {
        self.call(Method::FileControl)?;
        let hook = self.script.control.borrow().clone();
        match hook.and_then(|hook| hook(&mut control)) {
            Some(answer) => answer,
            None => self.inner.file_control(control),
        }
    }

    fn shm_map(&mut self, region: u32, size: u32, extend: bool) -> Result<Option<NonNull<u8>>> {
        self.call(Method::ShmMap)?;
        self.inner.shm_map(region, size, extend)
    }

    fn shm_lock(&mut self, first: u32, n: u32, request: ShmLock) -> Result<()> {
        self.call(Method::ShmLock)?;
        self.inner.shm_lock(first, n, request)
    }

    fn shm_barrier(&mut self) {
        self.inner.shm_barrier();
    }

    fn shm_unmap(&mut self, delete: bool) -> Result<()> {
        self.call(Method::ShmUnmap)?;
        self.inner.shm_unmap(delete)
    }
}
