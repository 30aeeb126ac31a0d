//! What a case works with: stores of the VFS under test, and open files of them.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::Subject;
use super::any::{AnyFile, AnyVfs};
use super::case::{Capability, Checked, Stop};
use super::db::Db;
use super::options::Options;
use crate::sys;
use crate::vfs::{
    Access, DeviceCharacteristics, ErrorCode, FileFeatures, FileKind, LockLevel, OpenOptions, Result, SyncOptions, Vfs,
    VfsError, VfsFile, VfsPath,
};
use crate::{RegisterOptions, Registration, register};

/// Bytes of files by their names.
pub(super) type Contents = Vec<(String, Vec<u8>)>;

/// A [`Subject`] without its type.
trait Source {
    fn fresh(&self) -> Result<AnyVfs>;
    fn holding(&self, files: &[(&str, &[u8])]) -> Result<AnyVfs>;
    fn reopen(&self, vfs: AnyVfs) -> Result<Option<AnyVfs>>;
}

impl<S: Subject> Source for S {
    fn fresh(&self) -> Result<AnyVfs> {
        Subject::fresh(self).map(AnyVfs::new)
    }

    fn holding(&self, files: &[(&str, &[u8])]) -> Result<AnyVfs> {
        Subject::holding(self, files).map(AnyVfs::new)
    }

    fn reopen(&self, vfs: AnyVfs) -> Result<Option<AnyVfs>> {
        let vfs = vfs.into_inner().ok_or_else(|| VfsError::new(ErrorCode::Busy, "the store is still in use"))?;
        Ok(Subject::reopen(self, vfs)?.map(AnyVfs::new))
    }
}

/// The VFS under test, and what it offers.
pub(super) struct Lab<'a> {
    source: &'a dyn Source,
    pub(super) options: &'a Options<'a>,
    features: FileFeatures,
    pub(super) promises: DeviceCharacteristics,
}

impl<'a> Lab<'a> {
    /// Opens a file of the VFS to see what it offers.
    pub(super) fn new<S: Subject>(subject: &'a S, options: &'a Options<'a>) -> Checked<Self> {
        let unopened = |error: VfsError| Stop::failed(format!("not even a first file could be opened: {error}"));
        let mut lab =
            Self { source: subject, options, features: FileFeatures::default(), promises: DeviceCharacteristics::NONE };
        let place = lab.some_place()?;
        let file =
            place.try_file(Some("x.db"), OpenOptions::new(FileKind::MainDb, lab.main_flags())).map_err(unopened)?;
        lab.features = file.file.features();
        lab.promises = file.file.device_characteristics();
        Ok(lab)
    }

    fn main_flags(&self) -> i32 {
        if self.options.read_only {
            sys::SQLITE_OPEN_READONLY
        } else {
            sys::SQLITE_OPEN_READWRITE | sys::SQLITE_OPEN_CREATE
        }
    }

    pub(super) fn offers(&self, capability: Capability) -> bool {
        let options = self.options;
        match capability {
            Capability::Write => !options.read_only && !self.promises.contains(DeviceCharacteristics::IMMUTABLE),
            Capability::Connections => !options.one_connection,
            Capability::SharedMemory => self.features.shared_memory,
            Capability::BatchAtomic => self.promises.contains(DeviceCharacteristics::BATCH_ATOMIC),
            Capability::TemporaryFiles => !options.no_temporary_files,
            Capability::Sparse => options.sparse,
            Capability::FileSize(bytes) => options.max_file_size.is_none_or(|limit| limit >= bytes),
        }
    }

    /// Has SQLite know a store.
    pub(super) fn register<V: Vfs + Clone>(&self, vfs: V) -> Checked<Place<V>> {
        let mut place = Place::new(vfs)?;
        if self.options.no_temporary_files {
            place.prepare = "PRAGMA temp_store=memory";
        }
        Ok(place)
    }

    /// An empty store.
    pub(super) fn place(&self) -> Checked<Place> {
        self.register(self.fresh()?)
    }

    /// An empty store, or one with an empty file where that is all a VFS can have.
    pub(super) fn some_place(&self) -> Checked<Place> {
        if self.options.read_only { self.holding(&[("x.db", b"")]) } else { self.place() }
    }

    /// An empty store that is not registered yet.
    pub(super) fn fresh(&self) -> Checked<AnyVfs> {
        self.source.fresh().map_err(|error| Stop::failed(format!("no empty store could be had: {error}")))
    }

    /// An empty store whose medium promises nothing, so that SQLite takes all the care it knows.
    pub(super) fn plain(&self) -> Checked<Place> {
        self.register(self.fresh()?.promising(DeviceCharacteristics::NONE))
    }

    /// The store as it is; and, where its medium makes promises, as one that makes none.
    pub(super) fn places(&self) -> Checked<Vec<Place>> {
        let mut places = vec![self.place()?];
        if self.promises != DeviceCharacteristics::NONE {
            places.push(self.plain()?);
        }
        Ok(places)
    }

    /// A store with these files.
    pub(super) fn holding(&self, files: &[(&str, &[u8])]) -> Checked<Place> {
        self.register(self.holding_unregistered(files)?)
    }

    /// A store with these files that is not registered yet.
    pub(super) fn holding_unregistered(&self, files: &[(&str, &[u8])]) -> Checked<AnyVfs> {
        self.source.holding(files).map_err(|error| Stop::failed(format!("files could not be put in: {error}")))
    }

    /// A store with these files.
    pub(super) fn holding_all(&self, files: &Contents) -> Checked<Place> {
        let files: Vec<_> = files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
        self.holding(&files)
    }

    /// The same store by another value of the VFS, where it outlives one.
    pub(super) fn reopen(&self, place: Place) -> Checked<Place> {
        let vfs = place.into_vfs()?;
        match self.source.reopen(vfs) {
            Ok(Some(vfs)) => self.register(vfs),
            Ok(None) => Err(Stop::not_promised("files do not outlive the VFS")),
            Err(error) => Err(Stop::failed(format!("the store could not be opened again: {error}"))),
        }
    }

    /// Ends the case if files cannot have this name.
    pub(super) fn allows(&self, name: &str) -> Checked {
        match self.options.allows_name {
            Some(allows) if !allows(name) => Err(Stop::not_promised(format!("no file is named {name:?}"))),
            _ => Ok(()),
        }
    }

    /// How many rounds: so many in short, so many in full.
    pub(super) fn rounds<T>(&self, short: T, full: T) -> T {
        if self.options.full { full } else { short }
    }
}

static COUNTER: AtomicU32 = AtomicU32::new(0);

/// A store that SQLite knows. Dropping it takes it out of SQLite's list.
pub(super) struct Place<V: Vfs = AnyVfs> {
    pub(super) vfs: V,
    registration: Option<Registration>,
    /// What each connection begins with.
    prepare: &'static str,
}

impl<V: Vfs + Clone> Place<V> {
    pub(super) fn new(vfs: V) -> Checked<Self> {
        let name = format!("conformance-{}", COUNTER.fetch_add(1, Ordering::Relaxed));
        let registration = register(&name, vfs.clone(), RegisterOptions::default())?;
        Ok(Self { vfs, registration: Some(registration), prepare: "" })
    }

    /// The name by which SQLite knows it.
    pub(super) fn name(&self) -> &'static str {
        self.registration.as_ref().map_or("", Registration::name)
    }

    /// The words of the VFS's last error.
    pub(super) fn reason(&self) -> String {
        let error = self.registration.as_ref().and_then(Registration::last_error);
        error.map_or_else(String::new, |error| error.message().to_owned())
    }

    fn into_vfs(mut self) -> Checked<V> {
        let vfs = self.vfs.clone();
        if let Some(registration) = self.registration.take() {
            registration.unregister()?;
        }
        Ok(vfs)
    }

    /// A connection to a database that is made if need be. It waits for nobody.
    pub(super) fn open(&self, name: &str) -> Checked<Db> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        self.try_open(name, flags).map_err(|error| {
            let (code, reason) = (super::db::code(&error), self.reason());
            Stop::failed(format!("database {} could not be opened (result code {code}): {reason}", short(name)))
        })
    }

    pub(super) fn try_open(&self, name: &str, flags: OpenFlags) -> rusqlite::Result<Db> {
        let db = Connection::open_with_flags_and_vfs(name, flags, self.name())?;
        db.busy_timeout(Duration::ZERO)?;
        db.execute_batch(self.prepare)?;
        Ok(Db::new(db))
    }

    /// A file that is made if need be, as a database.
    pub(super) fn file(&self, name: &str) -> Checked<Handle<V::File>> {
        let flags = sys::SQLITE_OPEN_READWRITE | sys::SQLITE_OPEN_CREATE;
        self.try_file(Some(name), OpenOptions::new(FileKind::MainDb, flags))
            .map_err(|error| Stop::failed(format!("file {} could not be opened: {error}", short(name))))
    }

    /// What the VFS makes of opening a file like this.
    pub(super) fn try_file(&self, name: Option<&str>, options: OpenOptions) -> Result<Handle<V::File>> {
        let opened = match name {
            None => self.vfs.open(None, options)?,
            Some(name) => {
                let full = self.vfs.full_pathname(name)?;
                let kind = options.kind();
                let database = match kind {
                    FileKind::MainDb => Some(&*full),
                    FileKind::MainJournal => full.strip_suffix("-journal"),
                    FileKind::Wal => full.strip_suffix("-wal"),
                    _ => None,
                };
                self.vfs.open(Some(&VfsPath::opened(&full, kind, database, None)), options)?
            }
        };
        Ok(Handle { file: opened.file, read_only: opened.read_only })
    }

    pub(super) fn try_delete(&self, name: &str) -> Result<()> {
        self.vfs.delete(&VfsPath::new(&self.vfs.full_pathname(name)?), true)
    }

    pub(super) fn delete(&self, name: &str) -> Checked {
        self.try_delete(name).map_err(|error| Stop::failed(format!("{} could not be deleted: {error}", short(name))))
    }

    /// Is there such a file?
    pub(super) fn exists(&self, name: &str) -> Checked<bool> {
        self.access(name, Access::Exists)
    }

    pub(super) fn access(&self, name: &str, access: Access) -> Checked<bool> {
        self.vfs
            .full_pathname(name)
            .and_then(|full| self.vfs.access(&VfsPath::new(&full), access))
            .map_err(|error| Stop::failed(format!("access ({access:?}) of {}: {error}", short(name))))
    }

    /// The bytes of a file, read through an open file of its own; `None` if there is no such file.
    pub(super) fn bytes(&self, name: &str, kind: FileKind) -> Checked<Option<Vec<u8>>> {
        match self.try_file(Some(name), OpenOptions::new(kind, sys::SQLITE_OPEN_READONLY)) {
            Ok(mut file) => {
                let len = file.len()?;
                file.read(0, usize::try_from(len).unwrap_or(0)).map(Some)
            }
            Err(error) if error.code() == ErrorCode::CantOpen => Ok(None),
            Err(error) => Err(Stop::failed(format!("{} could not be opened for reading: {error}", short(name)))),
        }
    }

    /// What a crash at this moment would leave behind of a database: the file, its journal and its log.
    pub(super) fn contents(&self, name: &str) -> Checked<Contents> {
        let mut contents = Contents::new();
        for (suffix, kind) in [("", FileKind::MainDb), ("-journal", FileKind::MainJournal), ("-wal", FileKind::Wal)] {
            let name = format!("{name}{suffix}");
            if let Some(bytes) = self.bytes(&name, kind)? {
                contents.push((name, bytes));
            }
        }
        Ok(contents)
    }
}

impl<V: Vfs> Drop for Place<V> {
    fn drop(&mut self) {
        if let Some(registration) = self.registration.take() {
            // Nobody is left to be told.
            let _ = registration.unregister();
        }
    }
}

/// Long names are not shown whole.
pub(super) fn short(name: &str) -> String {
    match name.char_indices().nth(40) {
        Some((at, _)) => format!("{:?}… of {} bytes", name.get(..at).unwrap_or_default(), name.len()),
        None => format!("{name:?}"),
    }
}

/// An open file, whose errors say at which step they came.
pub(super) struct Handle<F = AnyFile> {
    pub(super) file: F,
    pub(super) read_only: bool,
}

impl<F: VfsFile> Handle<F> {
    pub(super) fn write(&mut self, offset: u64, data: &[u8]) -> Checked {
        self.file
            .write_at(data, offset)
            .map_err(|error| Stop::failed(format!("write_at of {} bytes at {offset}: {error}", data.len())))
    }

    /// Reads into a buffer that held something else before, and answers what was read.
    pub(super) fn read(&mut self, offset: u64, len: usize) -> Checked<Vec<u8>> {
        let mut buffer = vec![0xEE; len];
        let read = self
            .file
            .read_at(&mut buffer, offset)
            .map_err(|error| Stop::failed(format!("read_at of {len} bytes at {offset}: {error}")))?;
        if read > len {
            return Err(Stop::failed(format!("read_at of {len} bytes at {offset} says that it read {read}")));
        }
        buffer.truncate(read);
        Ok(buffer)
    }

    pub(super) fn set_len(&mut self, len: u64) -> Checked {
        self.file.set_len(len).map_err(|error| Stop::failed(format!("set_len({len}): {error}")))
    }

    pub(super) fn len(&mut self) -> Checked<u64> {
        self.file.len().map_err(|error| Stop::failed(format!("len: {error}")))
    }

    pub(super) fn sync(&mut self, flags: i32) -> Checked {
        self.file
            .sync(SyncOptions::from_flags(flags))
            .map_err(|error| Stop::failed(format!("sync with flags {flags}: {error}")))
    }

    /// Whether the lock was had. Being busy is an answer, anything else a failure.
    pub(super) fn lock(&mut self, level: LockLevel) -> Checked<bool> {
        match self.file.lock(level) {
            Ok(()) => Ok(true),
            Err(error) if error.code() == ErrorCode::Busy => Ok(false),
            Err(error) => Err(Stop::failed(format!("lock({level:?}): {error}"))),
        }
    }

    pub(super) fn unlock(&mut self, level: LockLevel) -> Checked {
        self.file.unlock(level).map_err(|error| Stop::failed(format!("unlock({level:?}): {error}")))
    }

    pub(super) fn is_reserved(&mut self) -> Checked<bool> {
        self.file.has_reserved_lock().map_err(|error| Stop::failed(format!("has_reserved_lock: {error}")))
    }

    pub(super) fn close(self) -> Checked {
        self.file.close().map_err(|error| Stop::failed(format!("close: {error}")))
    }
}
