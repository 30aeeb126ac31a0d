//! Lends stores to builds of SQLite that live in other wasm modules.
//!
//! A store stays where it is, in this module's memory, and so do its locks: connections of every build see each other's.
//! JavaScript stands between the two memories (`js/src/lent-vfs.ts`). It has stores and open files by number, and copies bytes
//! from where [`VfsFile::peek`] says, or to where [`VfsFile::place`] does: once for each read or write. There is no WAL
//! index and no `xFetch`, which hand out pointers into the memory of the SQLite that asks.

use crate::vfs::{
    Access, ErrorCode, FCNTL_BEGIN_ATOMIC_WRITE, FCNTL_COMMIT_ATOMIC_WRITE, FCNTL_ROLLBACK_ATOMIC_WRITE, FileControl,
    FileKind, OpenOptions, Result, Vfs, VfsError, VfsFile, VfsPath,
};

/// Stores that are lent, and their open files, by number.
#[derive(Debug)]
pub struct Lender<V: Vfs> {
    stores: Vec<V>,
    files: Vec<Option<V::File>>,
}

/// A file that a borrower opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lent {
    /// Its number, until it is closed.
    pub file: u32,
    /// It can only be read, asked for or not.
    pub read_only: bool,
}

impl<V: Vfs> Lender<V> {
    /// Without stores.
    #[must_use]
    pub const fn new() -> Self {
        Self { stores: Vec::new(), files: Vec::new() }
    }

    /// Takes in a store; answers its number.
    pub fn add(&mut self, store: V) -> u32 {
        self.stores.push(store);
        number(self.stores.len() - 1)
    }

    /// A store by its number.
    ///
    /// # Errors
    /// [`ErrorCode::Misuse`] for a number that is none's.
    pub fn store(&self, store: u32) -> Result<&V> {
        self.stores.get(store as usize).ok_or_else(|| VfsError::new(ErrorCode::Misuse, "no store has this number"))
    }

    /// Opens a file, `None` a temporary one, with the flags of `xOpen`.
    ///
    /// # Errors
    /// As [`Vfs::open`].
    pub fn open(&mut self, store: u32, name: Option<&str>, flags: i32) -> Result<Lent> {
        let kind = FileKind::from_flags(flags)
            .ok_or_else(|| VfsError::new(ErrorCode::Misuse, "a file must be opened as exactly one kind"))?;
        let database = name.and_then(|name| match kind {
            FileKind::MainDb => Some(name),
            FileKind::MainJournal => name.strip_suffix("-journal"),
            FileKind::Wal => name.strip_suffix("-wal"),
            _ => None,
        });
        let path = name.map(|name| VfsPath::opened(name, kind, database, None));
        let opened = self.store(store)?.open(path.as_ref(), OpenOptions::new(kind, flags))?;
        let free = self.files.iter().position(Option::is_none).unwrap_or(self.files.len());
        let file = Some(opened.file);
        match self.files.get_mut(free) {
            Some(slot) => *slot = file,
            None => self.files.push(file),
        }
        Ok(Lent { file: number(free), read_only: opened.read_only })
    }

    /// An open file by its number.
    ///
    /// # Errors
    /// [`ErrorCode::Misuse`] for a number that is none's.
    #[inline]
    pub fn file(&mut self, file: u32) -> Result<&mut V::File> {
        match self.files.get_mut(file as usize) {
            Some(Some(file)) => Ok(file),
            _ => Err(VfsError::new(ErrorCode::Misuse, "this file was closed")),
        }
    }

    /// Closes a file. Its number may be another's from now on.
    ///
    /// # Errors
    /// As [`VfsFile::close`].
    pub fn close(&mut self, file: u32) -> Result<()> {
        match self.files.get_mut(file as usize).and_then(Option::take) {
            Some(file) => file.close(),
            None => Ok(()),
        }
    }

    /// Deletes a file. One that is not there is no error.
    ///
    /// # Errors
    /// As [`Vfs::delete`].
    pub fn delete(&self, store: u32, name: &str, sync_dir: bool) -> Result<()> {
        match self.store(store)?.delete(&VfsPath::new(name), sync_dir) {
            Err(error) if error.code() == ErrorCode::IoErrDeleteNoEnt => Ok(()),
            answer => answer,
        }
    }

    /// Is there a file of this name? A journal or log that is empty counts as absent.
    ///
    /// # Errors
    /// As [`Vfs::access`].
    pub fn exists(&self, store: u32, name: &str) -> Result<bool> {
        let beside = name.ends_with("-journal") || name.ends_with("-wal");
        let access = if beside { Access::Exists } else { Access::Read };
        self.store(store)?.access(&VfsPath::new(name), access)
    }
}

impl<V: Vfs> Default for Lender<V> {
    fn default() -> Self {
        Self::new()
    }
}

/// There are never so many that it matters.
fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// A file control, with what comes with it as a number. Answers the number that goes back, or `None` where the file has no
/// answer.
///
/// # Errors
/// As [`VfsFile::file_control`].
#[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, clippy::cast_sign_loss)]
pub fn control<F: VfsFile>(file: &mut F, code: i32, value: f64) -> Result<Option<f64>> {
    use crate::sys;
    let mut int = value as i32;
    let mut long = value as i64;
    let handled = file.file_control(match code {
        sys::SQLITE_FCNTL_SIZE_HINT => FileControl::SizeHint(value as u64),
        sys::SQLITE_FCNTL_OVERWRITE => FileControl::Overwrite(value as u64),
        sys::SQLITE_FCNTL_CHUNK_SIZE => FileControl::ChunkSize(value as u32),
        sys::SQLITE_FCNTL_SYNC => FileControl::Sync { super_journal: None },
        sys::SQLITE_FCNTL_COMMIT_PHASETWO => FileControl::CommitPhaseTwo,
        FCNTL_BEGIN_ATOMIC_WRITE => FileControl::BeginAtomicWrite,
        FCNTL_COMMIT_ATOMIC_WRITE => FileControl::CommitAtomicWrite,
        FCNTL_ROLLBACK_ATOMIC_WRITE => FileControl::RollbackAtomicWrite,
        sys::SQLITE_FCNTL_PERSIST_WAL => FileControl::PersistWal(&mut int),
        sys::SQLITE_FCNTL_POWERSAFE_OVERWRITE => FileControl::PowersafeOverwrite(&mut int),
        sys::SQLITE_FCNTL_HAS_MOVED => FileControl::HasMoved(&mut int),
        sys::SQLITE_FCNTL_LOCK_TIMEOUT => FileControl::LockTimeout(&mut int),
        sys::SQLITE_FCNTL_MMAP_SIZE => FileControl::MmapSize(&mut long),
        sys::SQLITE_FCNTL_CKPT_START => FileControl::CheckpointStart,
        sys::SQLITE_FCNTL_CKPT_DONE => FileControl::CheckpointDone,
        other => FileControl::Other(other),
    })?;
    Ok(handled.then(|| if code == sys::SQLITE_FCNTL_MMAP_SIZE { long as f64 } else { f64::from(int) }))
}

/// What JavaScript calls. Each function answers a number, and a negative one is SQLite's code of a failure, whose words are in the
/// buffer.
#[cfg(feature = "memory")]
mod exports {
    use std::cell::RefCell;
    use std::ffi::c_int;
    use std::slice;

    use super::{Lender, control};
    #[cfg(feature = "engine")]
    use crate::engine::LentStore;
    use crate::vfs::{ErrorCode, LockLevel, Result, SyncOptions, Vfs, VfsError, VfsFile};

    /// Without the engine there is no other kind to lend.
    #[cfg(not(feature = "engine"))]
    type LentStore = crate::stores::MemoryVfs;

    type LentFile = <LentStore as Vfs>::File;

    /// Names, words, and bytes that are in no one place.
    struct Buffer {
        /// `u64`, since a number may be written into it.
        room: Vec<u64>,
        /// Bytes of the last words.
        words: usize,
    }

    thread_local! {
        static LENDER: RefCell<Lender<LentStore>> = const { RefCell::new(Lender::new()) };
        static BUFFER: RefCell<Buffer> = const { RefCell::new(Buffer { room: Vec::new(), words: 0 }) };
    }

    fn with(body: &mut dyn FnMut(&mut Lender<LentStore>) -> Result<f64>) -> f64 {
        let answer = LENDER.with(|lender| match lender.try_borrow_mut() {
            Ok(mut lender) => body(&mut lender),
            Err(_) => Err(ErrorCode::Misuse.into()),
        });
        answer.unwrap_or_else(|error| failed(&error))
    }

    fn with_file(file: u32, body: &mut dyn FnMut(&mut LentFile) -> Result<f64>) -> f64 {
        with(&mut |lender| body(lender.file(file)?))
    }

    #[cold]
    fn failed(error: &VfsError) -> f64 {
        let words = error.message().as_bytes();
        let place = kit_foreign_buffer(words.len());
        if !place.is_null() {
            // SAFETY: the buffer has so much room, and nobody has a reference to it.
            unsafe { slice::from_raw_parts_mut(place, words.len()) }.copy_from_slice(words);
        }
        BUFFER.with(|buffer| buffer.borrow_mut().words = if place.is_null() { 0 } else { words.len() });
        -f64::from(error.code().raw())
    }

    /// Room for `len` bytes that cross, until the next call of this; null when there is no memory for it.
    #[unsafe(no_mangle)]
    pub extern "C" fn kit_foreign_buffer(len: usize) -> *mut u8 {
        BUFFER.with(|buffer| {
            let Ok(mut buffer) = buffer.try_borrow_mut() else { return std::ptr::null_mut() };
            let words = len.div_ceil(8);
            let missing = words.saturating_sub(buffer.room.len());
            if buffer.room.try_reserve(missing).is_err() {
                return std::ptr::null_mut();
            }
            if missing > 0 {
                buffer.room.resize(words, 0);
            }
            buffer.room.as_mut_ptr().cast()
        })
    }

    /// How many bytes of the buffer are the words of the last failure.
    #[unsafe(no_mangle)]
    pub extern "C" fn kit_foreign_words() -> usize {
        BUFFER.with(|buffer| buffer.try_borrow().map_or(0, |buffer| buffer.words))
    }

    /// The first `len` bytes of the buffer, for one call that does not ask for another.
    ///
    /// # Safety
    /// JavaScript asked for so much room and filled it.
    unsafe fn filled<'a>(len: usize) -> &'a mut [u8] {
        let place = kit_foreign_buffer(len);
        // SAFETY: the room is there, and was initialised when it was made; for no bytes any place will do.
        if place.is_null() { &mut [] } else { unsafe { slice::from_raw_parts_mut(place, len) } }
    }

    /// The name in the buffer.
    fn name<'a>(len: usize) -> Result<&'a str> {
        // SAFETY: nothing of ours asks for the buffer while a name is used, but the words of a failure at the end.
        str::from_utf8(unsafe { filled(len) }).map_err(|_| VfsError::new(ErrorCode::CantOpen, "a name is not UTF-8"))
    }

    /// Exact up to 2^53.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    fn offset_of(offset: f64) -> u64 {
        offset as u64
    }

    #[allow(clippy::cast_precision_loss)]
    fn answer(size: u64) -> f64 {
        size as f64
    }

    fn done(result: Result<()>) -> Result<f64> {
        result.map(|()| 0.0)
    }

    /// The store that is registered under the name in the buffer; answers its number.
    #[cfg(feature = "engine")]
    #[unsafe(no_mangle)]
    pub extern "C" fn kit_foreign_store(name_len: usize) -> f64 {
        with(&mut |lender| Ok(lender.add(crate::engine::store_to_lend(name(name_len)?)?).into()))
    }

    /// A new MemoryVFS; answers its number. `max_bytes`: as much as there is, if negative.
    #[cfg(not(feature = "engine"))]
    #[unsafe(no_mangle)]
    pub extern "C" fn kit_foreign_memory(max_bytes: f64) -> f64 {
        let max_bytes = (max_bytes >= 0.0).then(|| offset_of(max_bytes));
        let options = crate::stores::MemoryOptions { max_bytes };
        with(&mut |lender| Ok(lender.add(LentStore::with_options(options)).into()))
    }

    /// Length of the longest name.
    #[unsafe(no_mangle)]
    pub extern "C" fn kit_foreign_max_pathname(store: u32) -> f64 {
        with(&mut |lender| Ok(answer(lender.store(store)?.max_pathname() as u64)))
    }

    /// Opens the file whose name is in the buffer, or a temporary one where that has no length. Answers twice its number, and
    /// one more if it can only be read.
    #[unsafe(no_mangle)]
    pub extern "C" fn kit_foreign_open(store: u32, name_len: usize, flags: c_int) -> f64 {
        with(&mut |lender| {
            let name = if name_len == 0 { None } else { Some(name(name_len)?) };
            let lent = lender.open(store, name, flags)?;
            Ok(f64::from(lent.file) * 2.0 + f64::from(u8::from(lent.read_only)))
        })
    }

    /// Closes a file.
    #[unsafe(no_mangle)]
    pub extern "C" fn kit_foreign_close(file: u32) -> f64 {
        with(&mut |lender| done(lender.close(file)))
    }

    /// Deletes the file whose name is in the buffer.
    #[unsafe(no_mangle)]
    pub extern "C" fn kit_foreign_delete(store: u32, name_len: usize, sync_dir: c_int) -> f64 {
        with(&mut |lender| done(lender.delete(store, name(name_len)?, sync_dir != 0)))
    }

    /// Is there a file of the name in the buffer?
    #[unsafe(no_mangle)]
    pub extern "C" fn kit_foreign_exists(store: u32, name_len: usize) -> f64 {
        with(&mut |lender| Ok(u8::from(lender.exists(store, name(name_len)?)?).into()))
    }

    /// Where bytes lie; null to have them read. To be copied before the next call.
    #[unsafe(no_mangle)]
    pub extern "C" fn kit_foreign_peek(file: u32, offset: f64, len: usize) -> *const u8 {
        LENDER.with(|lender| {
            let found = lender
                .try_borrow_mut()
                .ok()
                .and_then(|mut lender| lender.file(file).ok()?.peek(offset_of(offset), len));
            found.map_or(std::ptr::null(), |place| place.as_ptr().cast_const())
        })
    }

    /// Where bytes are to be written, before the next call; null to have them written, and to be told what is wrong.
    #[unsafe(no_mangle)]
    pub extern "C" fn kit_foreign_place(file: u32, offset: f64, len: usize) -> *mut u8 {
        LENDER.with(|lender| {
            let found = lender
                .try_borrow_mut()
                .ok()
                .and_then(|mut lender| lender.file(file).ok()?.place(offset_of(offset), len).ok()?);
            found.map_or(std::ptr::null_mut(), std::ptr::NonNull::as_ptr)
        })
    }

    /// Reads into the buffer. Answers how many bytes there were.
    #[unsafe(no_mangle)]
    pub extern "C" fn kit_foreign_read(file: u32, offset: f64, len: usize) -> f64 {
        // SAFETY: the room is there from the beginning, and reading asks for no other.
        with_file(file, &mut |file| Ok(answer(file.read_at(unsafe { filled(len) }, offset_of(offset))? as u64)))
    }

    /// Writes what is in the buffer.
    #[unsafe(no_mangle)]
    pub extern "C" fn kit_foreign_write(file: u32, offset: f64, len: usize) -> f64 {
        // SAFETY: as for reading.
        with_file(file, &mut |file| done(file.write_at(unsafe { filled(len) }, offset_of(offset))))
    }

    /// What [`kit_foreign_ask`] is asked.
    const TRUNCATE: c_int = 0;
    const SYNC: c_int = 1;
    const SIZE: c_int = 2;
    const LOCK: c_int = 3;
    const UNLOCK: c_int = 4;
    const HAS_RESERVED_LOCK: c_int = 5;
    const SECTOR_SIZE: c_int = 6;
    const CHARACTERISTICS: c_int = 7;

    /// Whatever else is asked of a file, with a number and for one.
    #[unsafe(no_mangle)]
    pub extern "C" fn kit_foreign_ask(file: u32, question: c_int, value: f64) -> f64 {
        #[allow(clippy::cast_possible_truncation)]
        let int = value as c_int;
        let level = || LockLevel::from_raw(int).ok_or_else(|| VfsError::new(ErrorCode::Misuse, "no such lock level"));
        with_file(file, &mut |file| match question {
            TRUNCATE => done(file.set_len(offset_of(value))),
            SYNC => done(file.sync(SyncOptions::from_flags(int))),
            SIZE => Ok(answer(file.len()?)),
            LOCK => done(file.lock(level()?)),
            UNLOCK => done(file.unlock(level()?)),
            HAS_RESERVED_LOCK => Ok(u8::from(file.has_reserved_lock()?).into()),
            SECTOR_SIZE => Ok(file.sector_size().into()),
            CHARACTERISTICS => Ok(file.device_characteristics().raw().into()),
            _ => Err(ErrorCode::Misuse.into()),
        })
    }

    /// A file control. Answers 1 if it was dealt with: then what goes back is the number at the beginning of the buffer.
    #[unsafe(no_mangle)]
    pub extern "C" fn kit_foreign_control(file: u32, code: c_int, value: f64) -> f64 {
        with_file(file, &mut |file| {
            let Some(back) = control(file, code, value)? else { return Ok(0.0) };
            // SAFETY: nobody else uses the buffer.
            if let Some(place) = unsafe { filled(8) }.get_mut(..8) {
                place.copy_from_slice(&back.to_le_bytes());
            }
            Ok(1.0)
        })
    }
}

#[cfg(all(test, feature = "memory"))]
mod tests {
    use std::ptr::NonNull;
    use std::slice;

    use super::*;
    use crate::layers::{Operation, Trace};
    use crate::stores::{MemoryOptions, MemoryVfs};
    use crate::sys;
    use crate::vfs::{Files, LockLevel};

    const OPEN: i32 = sys::SQLITE_OPEN_CREATE | 2;
    const DATABASE: i32 = OPEN | sys::SQLITE_OPEN_MAIN_DB;

    fn lender(store: &MemoryVfs) -> (Lender<MemoryVfs>, u32) {
        let mut lender = Lender::new();
        let number = lender.add(store.clone());
        (lender, number)
    }

    /// What JavaScript does with the place.
    fn fill<F: VfsFile>(file: &mut F, offset: u64, data: &[u8]) -> bool {
        let Some(place) = file.place(offset, data.len()).unwrap() else { return false };
        // SAFETY: nothing else is asked of the store before the bytes are there.
        unsafe { slice::from_raw_parts_mut(place.as_ptr(), data.len()) }.copy_from_slice(data);
        true
    }

    fn bytes(place: Option<NonNull<u8>>, len: usize) -> Option<Vec<u8>> {
        // SAFETY: as above.
        place.map(|place| unsafe { slice::from_raw_parts(place.as_ptr(), len) }.to_vec())
    }

    #[test]
    fn what_a_borrower_writes_in_place_is_in_the_store() {
        let store = MemoryVfs::new();
        let (mut lender, number) = lender(&store);
        let lent = lender.open(number, Some("x.db"), DATABASE).unwrap();
        let file = lender.file(lent.file).unwrap();
        assert!(fill(file, 4192, b"hello"));
        assert_eq!(file.len().unwrap(), 4197);
        assert_eq!(store.read("x.db").unwrap(), [vec![0; 4192], b"hello".to_vec()].concat());
        assert_eq!(bytes(file.peek(4192, 5), 5).unwrap(), b"hello");
        assert_eq!(bytes(file.peek(4096, 101), 101).unwrap(), [vec![0; 96], b"hello".to_vec()].concat());
    }

    #[test]
    fn what_is_not_in_one_piece_is_not_lent() {
        let store = MemoryVfs::new();
        let (mut lender, number) = lender(&store);
        let lent = lender.open(number, Some("x.db"), DATABASE).unwrap();
        let file = lender.file(lent.file).unwrap();
        assert_eq!(file.peek(0, 1), None, "nothing is there");
        assert!(!fill(file, 65_530, b"over two chunks"));
        assert!(!fill(file, 0, b""));
        assert_eq!(file.len().unwrap(), 0, "and nothing was done");
        file.write_at(b"over two chunks", 65_530).unwrap();
        assert_eq!(file.peek(65_530, 15), None);
        assert_eq!(bytes(file.peek(65_536, 9), 9).unwrap(), b"wo chunks");
        assert_eq!(file.peek(65_536, 10), None, "beyond the end");
        assert_eq!(file.peek(u64::MAX, 10), None);
        file.set_len(1 << 20).unwrap();
        assert_eq!(file.peek(900_000, 10), None, "a hole");
        assert_eq!(file.peek(100_000, 10), None, "never written");
    }

    #[test]
    fn a_batch_of_writes_in_place_is_undone() {
        let store = MemoryVfs::new();
        let (mut lender, number) = lender(&store);
        let lent = lender.open(number, Some("x.db"), DATABASE).unwrap();
        let file = lender.file(lent.file).unwrap();
        assert!(fill(file, 0, b"before"));
        assert_eq!(control(file, FCNTL_BEGIN_ATOMIC_WRITE, 0.0).unwrap(), Some(0.0));
        assert!(fill(file, 0, b"during"));
        assert!(fill(file, 100_000, b"more"));
        control(file, FCNTL_ROLLBACK_ATOMIC_WRITE, 0.0).unwrap();
        assert_eq!(store.read("x.db").unwrap(), b"before");
        control(file, FCNTL_BEGIN_ATOMIC_WRITE, 0.0).unwrap();
        assert!(fill(file, 0, b"during"));
        // As a crash ends it.
        lender.close(lent.file).unwrap();
        assert_eq!(store.read("x.db").unwrap(), b"before");
    }

    #[test]
    fn a_full_store_lends_no_place() {
        let store = MemoryVfs::with_options(MemoryOptions { max_bytes: Some(4096) });
        let (mut lender, number) = lender(&store);
        let lent = lender.open(number, Some("x.db"), DATABASE).unwrap();
        let file = lender.file(lent.file).unwrap();
        assert!(fill(file, 0, b"fits"));
        assert_eq!(file.place(4096, 4).unwrap_err().code(), ErrorCode::Full);
        assert_eq!(file.len().unwrap(), 4);
    }

    #[test]
    fn borrowers_and_others_lock_each_other() {
        let store = MemoryVfs::new();
        let (mut lender, number) = lender(&store);
        let lent = lender.open(number, Some("x.db"), DATABASE).unwrap();
        let path = VfsPath::opened("x.db", FileKind::MainDb, None, None);
        let mut own = store.open(Some(&path), OpenOptions::new(FileKind::MainDb, OPEN)).unwrap().file;
        own.lock(LockLevel::Shared).unwrap();
        own.lock(LockLevel::Reserved).unwrap();
        let file = lender.file(lent.file).unwrap();
        file.lock(LockLevel::Shared).unwrap();
        assert_eq!(file.lock(LockLevel::Reserved).unwrap_err().code(), ErrorCode::Busy);
        assert!(file.has_reserved_lock().unwrap());
        assert_eq!(own.lock(LockLevel::Exclusive).unwrap_err().code(), ErrorCode::Busy);
        lender.close(lent.file).unwrap();
        own.lock(LockLevel::Exclusive).unwrap();
    }

    #[test]
    fn numbers_are_used_again_and_strange_ones_refused() {
        let store = MemoryVfs::new();
        let (mut lender, number) = lender(&store);
        let a = lender.open(number, Some("a"), DATABASE).unwrap();
        let b = lender.open(number, None, OPEN | sys::SQLITE_OPEN_TEMP_DB).unwrap();
        assert_ne!(a.file, b.file);
        lender.close(a.file).unwrap();
        lender.close(a.file).unwrap();
        assert_eq!(lender.file(a.file).unwrap_err().code(), ErrorCode::Misuse);
        assert_eq!(lender.file(u32::MAX).unwrap_err().code(), ErrorCode::Misuse);
        assert_eq!(lender.open(number, Some("c"), DATABASE).unwrap().file, a.file);
        assert_eq!(lender.open(number + 1, Some("c"), DATABASE).unwrap_err().code(), ErrorCode::Misuse);
        assert_eq!(lender.open(number, Some("c"), OPEN).unwrap_err().code(), ErrorCode::Misuse, "no kind");
        assert_eq!(lender.open(number, Some("missing"), 2 | 0x100).unwrap_err().code(), ErrorCode::CantOpen);
        assert!(lender.open(number, Some("c"), 1 | 0x100).unwrap().read_only);
    }

    #[test]
    fn names() {
        let store = MemoryVfs::new();
        let (mut lender, number) = lender(&store);
        lender.open(number, Some("x.db"), DATABASE).unwrap();
        lender.open(number, Some("x.db-journal"), OPEN | sys::SQLITE_OPEN_MAIN_JOURNAL).unwrap();
        assert!(lender.exists(number, "x.db").unwrap(), "it is there, and empty");
        assert!(!lender.exists(number, "x.db-journal").unwrap(), "an empty journal is none");
        lender.delete(number, "x.db", true).unwrap();
        lender.delete(number, "x.db", true).unwrap();
        assert!(!lender.exists(number, "x.db").unwrap());
    }

    #[test]
    fn controls_answer_with_numbers() {
        let store = MemoryVfs::new();
        let (mut lender, number) = lender(&store);
        let lent = lender.open(number, Some("x.db"), DATABASE).unwrap();
        let moved = sys::SQLITE_FCNTL_HAS_MOVED;
        assert_eq!(control(lender.file(lent.file).unwrap(), moved, 0.0).unwrap(), Some(0.0));
        lender.delete(number, "x.db", false).unwrap();
        let file = lender.file(lent.file).unwrap();
        assert_eq!(control(file, moved, 0.0).unwrap(), Some(1.0));
        assert_eq!(control(file, sys::SQLITE_FCNTL_MMAP_SIZE, -1.0).unwrap(), None);
        assert_eq!(control(file, 12_345, 0.0).unwrap(), None);
    }

    #[test]
    fn what_is_lent_counts_as_read_and_written() {
        let trace = Trace::new(MemoryVfs::new());
        let mut lender = Lender::new();
        let number = lender.add(trace.clone());
        let lent = lender.open(number, Some("x.db"), DATABASE).unwrap();
        let file = lender.file(lent.file).unwrap();
        assert!(fill(file, 0, &[7; 4096]));
        assert!(file.peek(0, 4096).is_some());
        assert!(file.peek(4000, 4096).is_none());
        for operation in [Operation::Read, Operation::Write] {
            let counter = trace.file_counter("x.db", operation);
            assert_eq!((counter.calls, counter.bytes), (1, 4096), "{operation:?}");
        }
    }
}
