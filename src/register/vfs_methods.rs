//! The methods of `sqlite3_vfs`, over a [`Vfs`].

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::time::Duration;

use super::Registered;
use super::file_methods::FileHandle;
use crate::sys;
use crate::vfs::{Access, ErrorCode, FileKind, OpenOptions, Parameters, Result, Vfs, VfsError, VfsPath};

/// Room that SQLite wants beyond the longest name: 8 bytes for `-journal`, and 12 for a super-journal's `-mj` and nine
/// digits. A super-journal's name that is longer than `mxPathname` SQLite does not read back from a journal, and then rolls
/// back one file of a transaction that is committed in the others.
const SUFFIX: usize = 12;

/// Milliseconds from the beginning of Julian days to 1970-01-01.
const JULIAN_EPOCH: i64 = 210_866_760_000_000;

/// The struct for SQLite, but for its name and its data.
pub(super) fn vfs_struct<V: Vfs>(max_pathname: usize) -> Result<sys::sqlite3_vfs> {
    let too_large = |_| VfsError::new(ErrorCode::Misuse, "the VFS's limit on names is too large");
    Ok(sys::sqlite3_vfs {
        iVersion: 3,
        szOsFile: c_int::try_from(size_of::<FileHandle<V>>()).map_err(too_large)?,
        mxPathname: c_int::try_from(max_pathname.saturating_add(SUFFIX)).map_err(too_large)?,
        pNext: ptr::null_mut(),
        zName: ptr::null(),
        pAppData: ptr::null_mut(),
        xOpen: Some(open::<V>),
        xDelete: Some(delete::<V>),
        xAccess: Some(access::<V>),
        xFullPathname: Some(full_pathname::<V>),
        xDlOpen: Some(dl_open),
        xDlError: Some(dl_error),
        xDlSym: None,
        xDlClose: Some(dl_close),
        xRandomness: Some(randomness::<V>),
        xSleep: Some(sleep::<V>),
        xCurrentTime: Some(current_time::<V>),
        xGetLastError: Some(get_last_error),
        xCurrentTimeInt64: Some(current_time_int64::<V>),
        // For replacing system calls in SQLite's own tests; a VFS without system calls has none to replace.
        xSetSystemCall: None,
        xGetSystemCall: None,
        xNextSystemCall: None,
    })
}

/// The URI parameters behind a database's name, which SQLite keeps in the bytes after it.
struct UriParameters(sys::sqlite3_filename);

impl Parameters for UriParameters {
    fn get(&self, key: &str) -> Option<&str> {
        let key = std::ffi::CString::new(key).ok()?;
        // SAFETY: the name is one that SQLite gave to `xOpen` for a database, journal or WAL: the kinds for which
        // sqlite3_uri_parameter is defined. The answer lives as long as the name, which outlives `self`.
        unsafe {
            let value = sys::sqlite3_uri_parameter(self.0, key.as_ptr());
            if value.is_null() { None } else { CStr::from_ptr(value).to_str().ok() }
        }
    }

    fn all(&self) -> Vec<(&str, &str)> {
        // SAFETY: as above. The key after the last is null.
        let key = |n| unsafe {
            let key = sys::sqlite3_uri_key(self.0, n);
            if key.is_null() { None } else { CStr::from_ptr(key).to_str().ok() }
        };
        (0..).map_while(key).filter_map(|key| Some((key, self.get(key)?))).collect()
    }
}

/// # Safety
/// `name` is null or NUL-terminated, and lives as long as the answer is used.
unsafe fn name_from<'a>(name: *const c_char) -> Result<Option<&'a str>> {
    if name.is_null() {
        return Ok(None);
    }
    // SAFETY: as the caller promises.
    unsafe { CStr::from_ptr(name) }
        .to_str()
        .map(Some)
        .map_err(|_| VfsError::new(ErrorCode::CantOpen, "the file's name is not UTF-8"))
}

unsafe extern "C" fn open<V: Vfs>(
    vfs: *mut sys::sqlite3_vfs,
    name: sys::sqlite3_filename,
    file: *mut sys::sqlite3_file,
    flags: c_int,
    out_flags: *mut c_int,
) -> c_int {
    // SAFETY: SQLite passes the struct we registered, a name from its pager, and `szOsFile` bytes for the file. Without
    // methods it never calls close on the file, whatever happens here.
    unsafe {
        (*file).pMethods = ptr::null();
        let registered = Registered::<V>::from_raw(vfs);
        match try_open(registered, name, flags) {
            Ok((opened, options)) => {
                // Whatever the VFS granted, a reader stays a reader: SQLite would take its word and write.
                let read_only = opened.read_only || options.read_only();
                FileHandle::emplace(file, registered, opened.file);
                if !out_flags.is_null() {
                    const ACCESS: c_int = sys::SQLITE_OPEN_READONLY | sys::SQLITE_OPEN_READWRITE;
                    let granted = if read_only { sys::SQLITE_OPEN_READONLY } else { sys::SQLITE_OPEN_READWRITE };
                    *out_flags = options.flags() & !ACCESS | granted;
                }
                sys::SQLITE_OK
            }
            Err(error) => registered.fail(error),
        }
    }
}

/// # Safety
/// `name` is what SQLite gave to `xOpen` together with `flags`.
unsafe fn try_open<V: Vfs>(
    registered: &Registered<V>,
    name: sys::sqlite3_filename,
    flags: c_int,
) -> Result<(crate::vfs::Opened<V::File>, OpenOptions)> {
    let vfs = registered.vfs()?;
    let kind = FileKind::from_flags(flags)
        .ok_or_else(|| VfsError::new(ErrorCode::Misuse, "a file must be opened as exactly one kind"))?;
    let options = OpenOptions::new(kind, flags);
    // SAFETY: as the caller promises.
    let Some(path) = (unsafe { name_from(name)? }) else {
        return Ok((vfs.open(None, options)?, options));
    };
    let parameters = UriParameters(name);
    let of_database = matches!(kind, FileKind::MainDb | FileKind::MainJournal | FileKind::Wal);
    let database = if of_database {
        // SAFETY: the name is of one of the kinds for which sqlite3_filename_database is defined.
        unsafe { name_from(sys::sqlite3_filename_database(name))? }
    } else {
        None
    };
    let path = VfsPath::opened(path, kind, database, of_database.then_some(&parameters));
    Ok((vfs.open(Some(&path), options)?, options))
}

unsafe extern "C" fn delete<V: Vfs>(vfs: *mut sys::sqlite3_vfs, name: *const c_char, sync_dir: c_int) -> c_int {
    // SAFETY: SQLite passes the struct we registered, and a NUL-terminated name.
    unsafe {
        let registered = Registered::<V>::from_raw(vfs);
        let result = registered.vfs().and_then(|vfs| match name_from(name)? {
            Some(name) => vfs.delete(&VfsPath::new(name), sync_dir != 0),
            None => Err(VfsError::new(ErrorCode::IoErrDelete, "a file without a name cannot be deleted")),
        });
        registered.answer(result)
    }
}

unsafe extern "C" fn access<V: Vfs>(
    vfs: *mut sys::sqlite3_vfs,
    name: *const c_char,
    flags: c_int,
    out: *mut c_int,
) -> c_int {
    // SAFETY: SQLite passes the struct we registered, a NUL-terminated name, and a place for the answer.
    unsafe {
        *out = 0;
        let registered = Registered::<V>::from_raw(vfs);
        let question = match flags {
            sys::SQLITE_ACCESS_READWRITE => Access::ReadWrite,
            sys::SQLITE_ACCESS_READ => Access::Read,
            _ => Access::Exists,
        };
        let result = registered.vfs().and_then(|vfs| match name_from(name)? {
            Some(name) => vfs.access(&VfsPath::new(name), question),
            None => Ok(false),
        });
        registered.answer(result.map(|yes| *out = c_int::from(yes)))
    }
}

unsafe extern "C" fn full_pathname<V: Vfs>(
    vfs: *mut sys::sqlite3_vfs,
    name: *const c_char,
    out_size: c_int,
    out: *mut c_char,
) -> c_int {
    // SAFETY: SQLite passes the struct we registered, a NUL-terminated name, and `out_size` bytes for the answer.
    unsafe {
        let registered = Registered::<V>::from_raw(vfs);
        let result = registered.vfs().and_then(|vfs| {
            let full = vfs.full_pathname(name_from(name)?.unwrap_or_default())?;
            let room = usize::try_from(out_size).unwrap_or(0);
            if full.len() > registered.max_pathname || full.len() >= room {
                return Err(VfsError::new(
                    ErrorCode::CantOpenFullPath,
                    format!("the name is {} bytes long; this VFS allows {}", full.len(), registered.max_pathname),
                ));
            }
            if full.contains('\0') {
                return Err(VfsError::new(ErrorCode::CantOpenFullPath, "the full name holds a NUL"));
            }
            ptr::copy_nonoverlapping(full.as_ptr(), out.cast(), full.len());
            *out.add(full.len()) = 0;
            Ok(())
        });
        registered.answer(result)
    }
}

unsafe extern "C" fn randomness<V: Vfs>(vfs: *mut sys::sqlite3_vfs, size: c_int, out: *mut c_char) -> c_int {
    // SAFETY: SQLite passes the struct we registered and `size` bytes; zeroed, they are initialised.
    unsafe {
        let Ok(size) = usize::try_from(size) else { return 0 };
        ptr::write_bytes(out, 0, size);
        let buffer = std::slice::from_raw_parts_mut(out.cast::<u8>(), size);
        let written = Registered::<V>::from_raw(vfs).vfs().map_or(0, |vfs| vfs.randomness(buffer));
        c_int::try_from(written.min(size)).unwrap_or(0)
    }
}

unsafe extern "C" fn sleep<V: Vfs>(vfs: *mut sys::sqlite3_vfs, microseconds: c_int) -> c_int {
    let wanted = Duration::from_micros(u64::try_from(microseconds).unwrap_or(0));
    // SAFETY: SQLite passes the struct we registered.
    let slept = unsafe { Registered::<V>::from_raw(vfs) }.vfs().map_or(Duration::ZERO, |vfs| vfs.sleep(wanted));
    c_int::try_from(slept.as_micros()).unwrap_or(c_int::MAX)
}

unsafe extern "C" fn current_time_int64<V: Vfs>(vfs: *mut sys::sqlite3_vfs, out: *mut sys::sqlite3_int64) -> c_int {
    // SAFETY: SQLite passes the struct we registered and a place for the answer.
    unsafe {
        let registered = Registered::<V>::from_raw(vfs);
        let result = registered.vfs().and_then(|vfs| vfs.current_time());
        registered.answer(result.map(|unix| *out = unix.saturating_add(JULIAN_EPOCH)))
    }
}

unsafe extern "C" fn current_time<V: Vfs>(vfs: *mut sys::sqlite3_vfs, out: *mut f64) -> c_int {
    let mut milliseconds = 0;
    // SAFETY: as above; the place for the answer is ours.
    let code = unsafe { current_time_int64::<V>(vfs, &raw mut milliseconds) };
    // SAFETY: SQLite passes a place for the answer. A Julian day in milliseconds is exact in an f64.
    #[allow(clippy::cast_precision_loss)]
    unsafe {
        *out = milliseconds as f64 / 86_400_000.0;
    }
    code
}

/// SQLite calls it with a null buffer, for the number only, and never shows it.
unsafe extern "C" fn get_last_error(_: *mut sys::sqlite3_vfs, _: c_int, _: *mut c_char) -> c_int {
    0
}

// Extensions cannot be loaded from a VFS's files. A null method here would be a crash for who tries.
unsafe extern "C" fn dl_open(_: *mut sys::sqlite3_vfs, _: *const c_char) -> *mut c_void {
    ptr::null_mut()
}

unsafe extern "C" fn dl_error(_: *mut sys::sqlite3_vfs, size: c_int, out: *mut c_char) {
    const MESSAGE: &[u8] = b"extensions cannot be loaded through this VFS";
    let Some(room) = usize::try_from(size).ok().and_then(|size| size.checked_sub(1)) else { return };
    let length = MESSAGE.len().min(room);
    // SAFETY: SQLite passes `size` bytes, and the NUL fits too.
    unsafe {
        ptr::copy_nonoverlapping(MESSAGE.as_ptr(), out.cast(), length);
        *out.add(length) = 0;
    }
}

unsafe extern "C" fn dl_close(_: *mut sys::sqlite3_vfs, _: *mut c_void) {}
