//! A file as SQLite's C core sees it: opened, used and closed through the tables of function pointers alone.

use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr;

use sqlite_vfs_kit::sys;

/// The methods that `pMethods` of an open file points to.
pub struct RawFile {
    // u64: SQLite aligns a sqlite3_file to eight bytes.
    memory: Vec<u64>,
    name: sys::sqlite3_filename,
    /// The flags that `xOpen` said it granted.
    pub granted: c_int,
}

pub fn find(vfs: &str) -> *mut sys::sqlite3_vfs {
    let name = CString::new(vfs).unwrap();
    // SAFETY: a NUL-terminated string.
    unsafe { sys::sqlite3_vfs_find(name.as_ptr()) }
}

/// Flags for a database that is made if need be.
pub const MAIN_DB: c_int = sys::SQLITE_OPEN_READWRITE | sys::SQLITE_OPEN_CREATE | sys::SQLITE_OPEN_MAIN_DB;

impl RawFile {
    /// Calls `xOpen` of a registered VFS; `None` for a file without a name.
    pub fn open(vfs: &str, name: Option<&str>, flags: c_int) -> Result<Self, c_int> {
        Self::open_bytes(vfs, name.map(str::as_bytes), flags)
    }

    pub fn open_bytes(vfs: &str, name: Option<&[u8]>, flags: c_int) -> Result<Self, c_int> {
        let vfs = find(vfs);
        assert!(!vfs.is_null());
        let name = name.map_or(ptr::null(), |name| {
            let name = CString::new(name).unwrap();
            // SAFETY: strings that end with NUL, and no parameters.
            unsafe { sys::sqlite3_create_filename(name.as_ptr(), c"".as_ptr(), c"".as_ptr(), 0, ptr::null_mut()) }
        });
        // SAFETY: the VFS is registered, so the struct is complete. The memory is as large as it says, and not zero: SQLite
        // promises nothing about it.
        unsafe {
            let size = usize::try_from((*vfs).szOsFile).unwrap();
            let mut file = Self { memory: vec![u64::MAX; size.div_ceil(8)], name, granted: 0 };
            let code = (*vfs).xOpen.unwrap()(vfs, name, file.pointer(), flags, &raw mut file.granted);
            if code == sys::SQLITE_OK {
                assert!(!file.methods().is_null());
                Ok(file)
            } else {
                assert!(file.methods().is_null(), "SQLite would close a file that did not open");
                Err(code)
            }
        }
    }

    pub fn pointer(&mut self) -> *mut sys::sqlite3_file {
        self.memory.as_mut_ptr().cast()
    }

    pub fn methods(&mut self) -> *const sys::sqlite3_io_methods {
        // SAFETY: `xOpen` has set it, whatever it answered.
        unsafe { (*self.pointer()).pMethods }
    }

    fn table(&mut self) -> &'static sys::sqlite3_io_methods {
        // SAFETY: the file is open, and its table is static.
        unsafe { &*self.methods() }
    }

    // SAFETY of all that follow: the file is open, and buffers are as long as is said.

    pub fn read(&mut self, buffer: &mut [u8], offset: i64) -> c_int {
        let size = c_int::try_from(buffer.len()).unwrap();
        unsafe { self.table().xRead.unwrap()(self.pointer(), buffer.as_mut_ptr().cast(), size, offset) }
    }

    pub fn write(&mut self, data: &[u8], offset: i64) -> c_int {
        let size = c_int::try_from(data.len()).unwrap();
        unsafe { self.table().xWrite.unwrap()(self.pointer(), data.as_ptr().cast(), size, offset) }
    }

    pub fn truncate(&mut self, size: i64) -> c_int {
        unsafe { self.table().xTruncate.unwrap()(self.pointer(), size) }
    }

    pub fn sync(&mut self, flags: c_int) -> c_int {
        unsafe { self.table().xSync.unwrap()(self.pointer(), flags) }
    }

    pub fn size(&mut self) -> Result<i64, c_int> {
        let mut size = -1;
        answer(unsafe { self.table().xFileSize.unwrap()(self.pointer(), &raw mut size) }, size)
    }

    pub fn lock(&mut self, level: c_int) -> c_int {
        unsafe { self.table().xLock.unwrap()(self.pointer(), level) }
    }

    pub fn unlock(&mut self, level: c_int) -> c_int {
        unsafe { self.table().xUnlock.unwrap()(self.pointer(), level) }
    }

    pub fn is_reserved(&mut self) -> Result<bool, c_int> {
        let mut reserved = -1;
        let code = unsafe { self.table().xCheckReservedLock.unwrap()(self.pointer(), &raw mut reserved) };
        answer(code, reserved != 0)
    }

    pub fn control<T>(&mut self, code: c_int, argument: *mut T) -> c_int {
        unsafe { self.table().xFileControl.unwrap()(self.pointer(), code, argument.cast()) }
    }

    pub fn characteristics(&mut self) -> c_int {
        unsafe { self.table().xDeviceCharacteristics.unwrap()(self.pointer()) }
    }

    pub fn sector_size(&mut self) -> c_int {
        unsafe { self.table().xSectorSize.unwrap()(self.pointer()) }
    }

    pub fn shm_map(&mut self, region: c_int, size: c_int, extend: bool) -> Result<*mut c_void, c_int> {
        let mut pointer: *mut c_void = ptr::dangling_mut();
        let out = (&raw mut pointer).cast();
        let code = unsafe { self.table().xShmMap.unwrap()(self.pointer(), region, size, extend.into(), out) };
        answer(code, pointer)
    }

    pub fn shm_lock(&mut self, first: c_int, n: c_int, flags: c_int) -> c_int {
        unsafe { self.table().xShmLock.unwrap()(self.pointer(), first, n, flags) }
    }

    pub fn shm_unmap(&mut self, delete: bool) -> c_int {
        unsafe { self.table().xShmUnmap.unwrap()(self.pointer(), delete.into()) }
    }

    pub fn close(&mut self) -> c_int {
        unsafe {
            let code = self.table().xClose.unwrap()(self.pointer());
            assert!(self.methods().is_null());
            code
        }
    }
}

impl Drop for RawFile {
    fn drop(&mut self) {
        if !self.methods().is_null() {
            self.close();
        }
        // SAFETY: made by sqlite3_create_filename, or null.
        unsafe { sys::sqlite3_free_filename(self.name) };
    }
}

fn answer<T>(code: c_int, value: T) -> Result<T, c_int> {
    if code == sys::SQLITE_OK { Ok(value) } else { Err(code) }
}

/// Calls `xDelete` of a registered VFS.
pub fn delete(vfs: &str, name: &str) -> c_int {
    let (vfs, name) = (find(vfs), CString::new(name).unwrap());
    // SAFETY: the VFS is registered, and the string ends with NUL.
    unsafe { (*vfs).xDelete.unwrap()(vfs, name.as_ptr(), 0) }
}

/// Calls `xAccess` of a VFS that is or was registered.
pub fn access(vfs: *mut sys::sqlite3_vfs, name: &str) -> Result<bool, c_int> {
    let name = CString::new(name).unwrap();
    let mut yes = -1;
    // SAFETY: SQLite was given this struct for good, the string ends with NUL, and there is a place for the answer.
    let code = unsafe { (*vfs).xAccess.unwrap()(vfs, name.as_ptr(), sys::SQLITE_ACCESS_EXISTS, &raw mut yes) };
    answer(code, yes != 0)
}

/// Calls `xFullPathname` of a registered VFS, with room for so many bytes.
pub fn full_pathname(vfs: &str, name: &str, room: usize) -> Result<String, c_int> {
    let (vfs, name) = (find(vfs), CString::new(name).unwrap());
    let mut out: Vec<c_char> = vec![1; room];
    let size = c_int::try_from(room).unwrap();
    // SAFETY: as above; `out` has `room` bytes, and was terminated when all went well.
    unsafe {
        let code = (*vfs).xFullPathname.unwrap()(vfs, name.as_ptr(), size, out.as_mut_ptr());
        if code != sys::SQLITE_OK {
            return Err(code);
        }
        Ok(std::ffi::CStr::from_ptr(out.as_ptr()).to_str().unwrap().to_owned())
    }
}
