//! The methods of `sqlite3_io_methods`, over a [`VfsFile`]. The path of every read and write.

use std::ffi::{c_int, c_void};
use std::ptr::{self, NonNull};
use std::slice;

use super::Registered;
use super::control::file_control;
use crate::sys;
use crate::vfs::{
    ErrorCode, FCNTL_BEGIN_ATOMIC_WRITE, FCNTL_COMMIT_ATOMIC_WRITE, FCNTL_ROLLBACK_ATOMIC_WRITE, FileFeatures,
    LockLevel, Result, ShmLock, SyncOptions, Vfs, VfsError, VfsFile,
};

/// What SQLite takes for its `sqlite3_file`: our file lies in it, so that opening allocates nothing and reading follows no
/// pointer more than it must.
#[repr(C)]
pub(super) struct FileHandle<V: Vfs> {
    base: sys::sqlite3_file,
    registered: *const Registered<V>,
    /// A method of this file is running. If the VFS, from inside it, uses the connection that the file belongs to, SQLite
    /// comes back here, and there must not be a second `&mut` to the file.
    entered: bool,
    /// What was written since the file was locked, outside of batches ([`spilled`]).
    since_locked: Written,
    file: V::File,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Written {
    /// The file is not locked for writing, or not by SQLite.
    Unlocked,
    Nothing,
    Pages,
}

impl<V: Vfs> FileHandle<V> {
    /// Makes an open file of the bytes that SQLite set aside.
    ///
    /// # Safety
    /// `place` has `szOsFile` bytes that hold no open file.
    pub(super) unsafe fn emplace(place: *mut sys::sqlite3_file, registered: &Registered<V>, file: V::File) {
        let base = sys::sqlite3_file { pMethods: Self::methods(file.features()) };
        // SAFETY: as the caller promises; the alignment is checked at registration.
        unsafe {
            place.cast::<Self>().write(Self { base, registered, entered: false, since_locked: Written::Unlocked, file })
        }
    }

    /// The table for what the file offers: SQLite looks at the version and at null entries.
    fn methods(features: FileFeatures) -> &'static sys::sqlite3_io_methods {
        match (features.shared_memory, features.fetch) {
            (false, false) => Self::PLAIN,
            (true, false) => Self::SHARED_MEMORY,
            (false, true) => Self::FETCH,
            (true, true) => Self::ALL,
        }
    }

    const PLAIN: &'static sys::sqlite3_io_methods = &Self::table(false, false);
    const SHARED_MEMORY: &'static sys::sqlite3_io_methods = &Self::table(true, false);
    const FETCH: &'static sys::sqlite3_io_methods = &Self::table(false, true);
    const ALL: &'static sys::sqlite3_io_methods = &Self::table(true, true);

    const fn table(shared_memory: bool, fetch: bool) -> sys::sqlite3_io_methods {
        let mut table = sys::sqlite3_io_methods {
            iVersion: 1,
            xClose: Some(close::<V>),
            xRead: Some(read::<V>),
            xWrite: Some(write::<V>),
            xTruncate: Some(truncate::<V>),
            xSync: Some(sync::<V>),
            xFileSize: Some(file_size::<V>),
            xLock: Some(lock::<V>),
            xUnlock: Some(unlock::<V>),
            xCheckReservedLock: Some(check_reserved_lock::<V>),
            xFileControl: Some(control::<V>),
            xSectorSize: Some(sector_size::<V>),
            xDeviceCharacteristics: Some(device_characteristics::<V>),
            xShmMap: None,
            xShmLock: None,
            xShmBarrier: None,
            xShmUnmap: None,
            xFetch: None,
            xUnfetch: None,
        };
        if shared_memory {
            table.iVersion = 2;
            table.xShmMap = Some(shm_map::<V>);
            table.xShmLock = Some(shm_lock::<V>);
            table.xShmBarrier = Some(shm_barrier::<V>);
            table.xShmUnmap = Some(shm_unmap::<V>);
        }
        if fetch {
            table.iVersion = 3;
            table.xFetch = Some(fetch_page::<V>);
            table.xUnfetch = Some(unfetch_page::<V>);
        }
        table
    }
}

/// Runs a method of an open file: the one door to it. An error is kept for whoever asks, and its code is answered.
///
/// # Safety
/// `file` is a handle that `emplace` made and `close` has not unmade, and nothing in `body` closes it.
#[inline]
unsafe fn enter<V: Vfs>(file: *mut sys::sqlite3_file, body: impl FnOnce(&mut V::File) -> Result<c_int>) -> c_int {
    let handle = file.cast::<FileHandle<V>>();
    // SAFETY: the handle is live. References are made to its fields one by one, and one to the file only while `entered`
    // says that there is no other.
    unsafe {
        let registered = &*(*handle).registered;
        if let Err(error) = registered.check_thread() {
            return registered.fail(error);
        }
        if (*handle).entered {
            return registered.fail(reentered());
        }
        (*handle).entered = true;
        let result = body(&mut (*handle).file);
        (*handle).entered = false;
        match result {
            Ok(code) => code,
            Err(error) => registered.fail(error),
        }
    }
}

#[cold]
fn reentered() -> VfsError {
    VfsError::new(
        ErrorCode::Misuse,
        "a method of this file is still running; a VFS may use SQLite, but not the connection it is serving",
    )
}

/// SQLite never passes a negative offset or length; one that is becomes an error, not a huge number.
#[inline]
fn unsigned(value: i64) -> Result<u64> {
    u64::try_from(value).map_err(|_| VfsError::new(ErrorCode::Misuse, "a negative offset or length"))
}

unsafe extern "C" fn close<V: Vfs>(file: *mut sys::sqlite3_file) -> c_int {
    // SAFETY: SQLite closes an open file once. It is moved out before its `close` runs, and the handle says that it is no
    // more.
    unsafe {
        let handle = file.cast::<FileHandle<V>>();
        let registered = &*(*handle).registered;
        if let Err(error) = registered.check_thread() {
            // Not ours to drop here. It leaks, which harms nobody.
            return registered.fail(error);
        }
        (*handle).base.pMethods = ptr::null();
        let inner = ptr::read(&raw const (*handle).file);
        registered.answer(inner.close())
    }
}

unsafe extern "C" fn read<V: Vfs>(
    file: *mut sys::sqlite3_file,
    buffer: *mut c_void,
    size: c_int,
    offset: i64,
) -> c_int {
    // SAFETY: SQLite passes an open file and a buffer of `size` bytes that nobody else uses meanwhile.
    unsafe {
        enter::<V>(file, |file| {
            let buffer = slice::from_raw_parts_mut(buffer.cast::<u8>(), unsigned(size.into())? as usize);
            let read = file.read_at(buffer, unsigned(offset)?)?;
            if read == buffer.len() {
                return Ok(sys::SQLITE_OK);
            }
            // https://sqlite.org/c3ref/io_methods.html: what was not read must be zero, or corruption follows.
            match buffer.get_mut(read..) {
                Some(rest) => rest.fill(0),
                None => {
                    return Err(VfsError::new(ErrorCode::IoErrRead, "the VFS says it read more than was asked for"));
                }
            }
            Ok(sys::SQLITE_IOERR_SHORT_READ)
        })
    }
}

unsafe extern "C" fn write<V: Vfs>(
    file: *mut sys::sqlite3_file,
    data: *const c_void,
    size: c_int,
    offset: i64,
) -> c_int {
    // SAFETY: SQLite passes an open file and `size` bytes that do not change meanwhile.
    unsafe {
        let since_locked = &raw mut (*file.cast::<FileHandle<V>>()).since_locked;
        if *since_locked == Written::Nothing {
            *since_locked = Written::Pages;
        }
        enter::<V>(file, |file| {
            let data = slice::from_raw_parts(data.cast::<u8>(), unsigned(size.into())? as usize);
            file.write_at(data, unsigned(offset)?).map(|()| sys::SQLITE_OK)
        })
    }
}

unsafe extern "C" fn truncate<V: Vfs>(file: *mut sys::sqlite3_file, size: i64) -> c_int {
    // SAFETY: SQLite passes an open file.
    unsafe { enter::<V>(file, |file| file.set_len(unsigned(size)?).map(|()| sys::SQLITE_OK)) }
}

unsafe extern "C" fn sync<V: Vfs>(file: *mut sys::sqlite3_file, flags: c_int) -> c_int {
    // SAFETY: SQLite passes an open file.
    unsafe { enter::<V>(file, |file| file.sync(SyncOptions::from_flags(flags)).map(|()| sys::SQLITE_OK)) }
}

unsafe extern "C" fn file_size<V: Vfs>(file: *mut sys::sqlite3_file, out: *mut i64) -> c_int {
    // SAFETY: SQLite passes an open file and a place for the answer.
    unsafe {
        enter::<V>(file, |file| {
            *out = i64::try_from(file.len()?)
                .map_err(|_| VfsError::new(ErrorCode::IoErrFstat, "the file is longer than SQLite can say"))?;
            Ok(sys::SQLITE_OK)
        })
    }
}

fn lock_level(raw: c_int) -> Result<LockLevel> {
    LockLevel::from_raw(raw).ok_or_else(|| VfsError::new(ErrorCode::Misuse, "no such lock level"))
}

unsafe extern "C" fn lock<V: Vfs>(file: *mut sys::sqlite3_file, level: c_int) -> c_int {
    // SAFETY: SQLite passes an open file.
    unsafe {
        let code = enter::<V>(file, |file| file.lock(lock_level(level)?).map(|()| sys::SQLITE_OK));
        if code == sys::SQLITE_OK && level == LockLevel::Exclusive as c_int {
            (*file.cast::<FileHandle<V>>()).since_locked = Written::Nothing;
        }
        code
    }
}

unsafe extern "C" fn unlock<V: Vfs>(file: *mut sys::sqlite3_file, level: c_int) -> c_int {
    // SAFETY: SQLite passes an open file.
    unsafe {
        (*file.cast::<FileHandle<V>>()).since_locked = Written::Unlocked;
        enter::<V>(file, |file| file.unlock(lock_level(level)?).map(|()| sys::SQLITE_OK))
    }
}

unsafe extern "C" fn check_reserved_lock<V: Vfs>(file: *mut sys::sqlite3_file, out: *mut c_int) -> c_int {
    // SAFETY: SQLite passes an open file and a place for the answer.
    unsafe {
        *out = 0;
        enter::<V>(file, |file| {
            *out = c_int::from(file.has_reserved_lock()?);
            Ok(sys::SQLITE_OK)
        })
    }
}

unsafe extern "C" fn control<V: Vfs>(file: *mut sys::sqlite3_file, code: c_int, argument: *mut c_void) -> c_int {
    // SAFETY: SQLite passes an open file, and an argument of the type that the code says.
    unsafe {
        let handle = file.cast::<FileHandle<V>>();
        if spilled(&mut (*handle).since_locked, code) {
            return ErrorCode::IoErrBeginAtomic.raw();
        }
        let name = (*(*handle).registered).name;
        enter::<V>(file, |file| file_control(file, name, code, argument))
    }
}

/// Is a batch about to begin that SQLite could not undo? With its journal in memory, a transaction that was larger than the
/// cache has written pages already when it is committed as a batch. SQLite has then closed its journal; if the batch fails,
/// the pages stay as they are, and the database is malformed (`sqlite3PagerCommitPhaseOne`, in 3.54 and before). Where the
/// batch does not even begin, it keeps the journal.
fn spilled(since_locked: &mut Written, code: c_int) -> bool {
    match code {
        FCNTL_BEGIN_ATOMIC_WRITE => return *since_locked == Written::Pages,
        // Whoever locks the file for good never unlocks it.
        FCNTL_COMMIT_ATOMIC_WRITE | FCNTL_ROLLBACK_ATOMIC_WRITE | sys::SQLITE_FCNTL_COMMIT_PHASETWO
            if *since_locked == Written::Pages =>
        {
            *since_locked = Written::Nothing;
        }
        _ => {}
    }
    false
}

/// Both of these answer a plain number, so there is no way to refuse: a file that is busy with another call gets the default.
unsafe extern "C" fn sector_size<V: Vfs>(file: *mut sys::sqlite3_file) -> c_int {
    let mut size = 0;
    // SAFETY: SQLite passes an open file.
    unsafe {
        enter::<V>(file, |file| {
            size = file.sector_size();
            Ok(sys::SQLITE_OK)
        });
    }
    c_int::try_from(size).unwrap_or(0)
}

unsafe extern "C" fn device_characteristics<V: Vfs>(file: *mut sys::sqlite3_file) -> c_int {
    let mut raw = 0;
    // SAFETY: SQLite passes an open file.
    unsafe {
        enter::<V>(file, |file| {
            raw = file.device_characteristics().raw();
            Ok(sys::SQLITE_OK)
        });
    }
    raw
}

unsafe extern "C" fn shm_map<V: Vfs>(
    file: *mut sys::sqlite3_file,
    region: c_int,
    size: c_int,
    extend: c_int,
    out: *mut *mut c_void,
) -> c_int {
    // SAFETY: SQLite passes an open file and a place for the answer. It is declared volatile there; a pointer's type here
    // says nothing about how C reads through it.
    unsafe {
        *out = ptr::null_mut();
        enter::<V>(file, |file| {
            let invalid = |_| VfsError::new(ErrorCode::Misuse, "a negative region of the WAL index");
            let region = u32::try_from(region).map_err(invalid)?;
            let size = u32::try_from(size).map_err(invalid)?;
            if let Some(pointer) = file.shm_map(region, size, extend != 0)? {
                *out = pointer.as_ptr().cast();
            }
            Ok(sys::SQLITE_OK)
        })
    }
}

unsafe extern "C" fn shm_lock<V: Vfs>(file: *mut sys::sqlite3_file, first: c_int, n: c_int, flags: c_int) -> c_int {
    // SAFETY: SQLite passes an open file.
    unsafe {
        enter::<V>(file, |file| {
            let request = ShmLock::from_flags(flags);
            let invalid = |_| VfsError::new(ErrorCode::Misuse, "a negative lock slot of the WAL index");
            file.shm_lock(u32::try_from(first).map_err(invalid)?, u32::try_from(n).map_err(invalid)?, request)?;
            Ok(sys::SQLITE_OK)
        })
    }
}

unsafe extern "C" fn shm_barrier<V: Vfs>(file: *mut sys::sqlite3_file) {
    // SAFETY: SQLite passes an open file.
    unsafe {
        enter::<V>(file, |file| {
            file.shm_barrier();
            Ok(sys::SQLITE_OK)
        });
    }
}

unsafe extern "C" fn shm_unmap<V: Vfs>(file: *mut sys::sqlite3_file, delete: c_int) -> c_int {
    // SAFETY: SQLite passes an open file.
    unsafe { enter::<V>(file, |file| file.shm_unmap(delete != 0).map(|()| sys::SQLITE_OK)) }
}

unsafe extern "C" fn fetch_page<V: Vfs>(
    file: *mut sys::sqlite3_file,
    offset: i64,
    size: c_int,
    out: *mut *mut c_void,
) -> c_int {
    // SAFETY: SQLite passes an open file and a place for the answer.
    unsafe {
        *out = ptr::null_mut();
        enter::<V>(file, |file| {
            if let Some(pointer) = file.fetch(unsigned(offset)?, unsigned(size.into())? as usize)? {
                *out = pointer.as_ptr().cast();
            }
            Ok(sys::SQLITE_OK)
        })
    }
}

unsafe extern "C" fn unfetch_page<V: Vfs>(file: *mut sys::sqlite3_file, offset: i64, pointer: *mut c_void) -> c_int {
    // SAFETY: SQLite passes an open file.
    unsafe {
        enter::<V>(file, |file| {
            file.unfetch(unsigned(offset)?, NonNull::new(pointer.cast()))?;
            Ok(sys::SQLITE_OK)
        })
    }
}
