//! What the engine calls in JavaScript: the methods of VFSes that are written there. The other side is `js/src/vfs-host.ts`.
//!
//! Numbers cross, and where there is text or bytes, a pointer and a length. Each function answers a number; a negative one is a
//! failure: its lower fourteen bits are SQLite's code, the rest the number under which JavaScript keeps the words and the
//! exception.

use std::ffi::c_int;
use std::ptr::{self, NonNull};

use crate::register;
use crate::stores::{Host, JsFeatures, JsOpened};
use crate::vfs::{DeviceCharacteristics, ErrorCode, LockLevel, Pragma, Result, VfsError, VfsPath};

/// What is asked of `open`, and what it answers beside the file's number: `js/src/vfs-host.ts` reads and writes these words.
#[repr(C)]
struct Opening {
    /// Null for a temporary file.
    name: *const u8,
    name_len: usize,
    /// Null where it is not known.
    database: *const u8,
    database_len: usize,
    /// Keys and values in turn, each ended by a NUL.
    parameters: *const u8,
    parameters_len: usize,
    flags: c_int,
    features: u32,
    sector_size: u32,
    characteristics: c_int,
}

macro_rules! imports {
    ($(fn $name:ident / $suspending:ident($($argument:ident: $type:ty),*);)*) => {
        #[link(wasm_import_module = "vfs-host")]
        unsafe extern "C" {
            $(safe fn $name($($argument: $type),*) -> f64;)*
            #[cfg(feature = "jspi")]
            safe fn js_stack() -> u32;
            #[cfg(feature = "jspi")]
            safe fn js_resume(stack: u32);
            #[cfg(feature = "jspi")]
            safe fn js_sleep(milliseconds: f64) -> f64;
        }

        #[cfg(feature = "jspi")]
        #[link(wasm_import_module = "vfs-host")]
        unsafe extern "C" {
            $(safe fn $suspending($($argument: $type),*) -> f64;)*
        }

        /// Each of them, in the way that the VFS needs.
        impl JsHost {
            $(#[inline] fn $name(&self, $($argument: $type),*) -> f64 {
                #[cfg(feature = "jspi")]
                if self.suspends {
                    return suspended(|| $suspending($($argument),*));
                }
                nested(|| $name($($argument),*))
            })*
        }
    };
}

imports! {
    fn js_open / js_open_suspending(vfs: u32, opening: *mut Opening);
    fn js_delete / js_delete_suspending(vfs: u32, name: *const u8, len: usize, sync_dir: c_int);
    fn js_exists / js_exists_suspending(vfs: u32, name: *const u8, len: usize);
    fn js_full_pathname / js_full_pathname_suspending(vfs: u32, name: *const u8, len: usize);
    fn js_close / js_close_suspending(file: u32);
    fn js_read / js_read_suspending(file: u32, buffer: *mut u8, len: usize, offset: f64);
    fn js_write / js_write_suspending(file: u32, data: *const u8, len: usize, offset: f64);
    fn js_truncate / js_truncate_suspending(file: u32, size: f64);
    fn js_sync / js_sync_suspending(file: u32, flags: c_int);
    fn js_size / js_size_suspending(file: u32);
    fn js_lock / js_lock_suspending(file: u32, level: c_int);
    fn js_unlock / js_unlock_suspending(file: u32, level: c_int);
    fn js_has_reserved_lock / js_has_reserved_lock_suspending(file: u32);
    fn js_pragma / js_pragma_suspending(file: u32, name: *const u8, name_len: usize, value: *const u8, value_len: usize);
    fn js_file_control / js_file_control_suspending(file: u32, op: c_int, value: *mut f64);
}

// These never wait: they are about what lies in memory, and are asked for again and again.
#[link(wasm_import_module = "vfs-host")]
unsafe extern "C" {
    safe fn js_host_lock(file: u32, level: c_int) -> c_int;
    safe fn js_host_unlock(file: u32, level: c_int);
    safe fn js_host_has_reserved_lock(file: u32) -> c_int;
    safe fn js_shm_map(file: u32, region: u32, size: u32, extend: c_int) -> f64;
    safe fn js_shm_lock(file: u32, first: u32, n: u32, flags: c_int) -> f64;
    safe fn js_shm_barrier(file: u32);
    safe fn js_shm_unmap(file: u32, delete: c_int) -> f64;
    /// Milliseconds since any moment.
    safe fn js_now() -> f64;
    /// Length in bytes of a text that JavaScript keeps.
    safe fn js_text_length(text: u32) -> usize;
    /// Writes the text to `target`.
    safe fn js_text(text: u32, target: *mut u8);
}

/// A clock for layers that take times.
pub(super) fn now() -> f64 {
    js_now()
}

/// Calls JavaScript, which may use SQLite on other databases before it answers: what is this call's is put back in its place.
#[inline]
pub(super) fn nested<T>(call: impl FnOnce() -> T) -> T {
    #[cfg(feature = "jspi")]
    let context = super::context::current();
    let error = register::take_latest_error();
    let answer = call();
    register::put_back_latest_error(error);
    #[cfg(feature = "jspi")]
    super::context::restore(context);
    answer
}

/// As [`nested`], but the call is suspended until JavaScript's promise settles. Others run meanwhile, on stacks of their own.
#[cfg(feature = "jspi")]
fn suspended<T>(call: impl FnOnce() -> T) -> T {
    nested(|| {
        let stack = js_stack();
        let answer = call();
        js_resume(stack);
        answer
    })
}

/// Waits as SQLite's busy handler wants it: others run meanwhile, and may give up the lock.
#[cfg(feature = "jspi")]
pub(super) fn sleep(duration: std::time::Duration) -> std::time::Duration {
    suspended(|| js_sleep(duration.as_secs_f64() * 1000.0));
    duration
}

/// JavaScript's VFS of this number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JsHost {
    pub vfs: u32,
    /// Its methods answer promises.
    #[cfg_attr(not(feature = "jspi"), allow(dead_code))]
    pub suspends: bool,
}

/// Splits a failure.
#[cold]
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn failure(answer: f64) -> VfsError {
    let number = (-answer) as u32;
    let code = ErrorCode::from_raw((number & 0x3FFF) as c_int).unwrap_or(ErrorCode::IoErr);
    let cause = number >> 14;
    VfsError::new(code, text(cause)).with_cause(cause)
}

fn text(number: u32) -> String {
    let mut bytes: Vec<u8> = Vec::new();
    let len = js_text_length(number);
    if bytes.try_reserve_exact(len).is_err() {
        return String::new();
    }
    bytes.resize(len, 0);
    js_text(number, bytes.as_mut_ptr());
    String::from_utf8(bytes).unwrap_or_default()
}

#[inline]
fn check(answer: f64) -> Result<f64> {
    if answer >= 0.0 { Ok(answer) } else { Err(failure(answer)) }
}

#[inline]
fn done(answer: f64) -> Result<()> {
    check(answer).map(drop)
}

/// JavaScript's numbers are exact up to 2^53, and no file is longer.
#[inline]
#[allow(clippy::cast_precision_loss)]
fn number(offset: u64) -> f64 {
    offset as f64
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
impl Host for JsHost {
    fn open(&self, path: Option<&VfsPath<'_>>, flags: i32) -> Result<JsOpened> {
        let name = path.map(VfsPath::as_str);
        let database = path.and_then(VfsPath::database);
        let mut parameters = Vec::new();
        for (key, value) in path.map(VfsPath::parameters).unwrap_or_default() {
            parameters.extend_from_slice(format!("{key}\0{value}\0").as_bytes());
        }
        let mut opening = Opening {
            name: name.map_or(ptr::null(), str::as_ptr),
            name_len: name.map_or(0, str::len),
            database: database.map_or(ptr::null(), str::as_ptr),
            database_len: database.map_or(0, str::len),
            parameters: parameters.as_ptr(),
            parameters_len: parameters.len(),
            flags,
            features: 0,
            sector_size: 0,
            characteristics: 0,
        };
        let file = check(self.js_open(self.vfs, &raw mut opening))? as u32;
        Ok(JsOpened {
            file,
            features: JsFeatures::from_raw(opening.features),
            sector_size: opening.sector_size,
            characteristics: DeviceCharacteristics::from_raw(opening.characteristics),
        })
    }

    fn delete(&self, name: &str, sync_dir: bool) -> Result<()> {
        done(self.js_delete(self.vfs, name.as_ptr(), name.len(), sync_dir.into()))
    }

    fn exists(&self, name: &str) -> Result<bool> {
        Ok(check(self.js_exists(self.vfs, name.as_ptr(), name.len()))? != 0.0)
    }

    fn full_pathname(&self, name: &str) -> Result<Option<String>> {
        let answer = check(self.js_full_pathname(self.vfs, name.as_ptr(), name.len()))? as u32;
        Ok((answer != 0).then(|| text(answer)))
    }

    fn close(&self, file: u32) -> Result<()> {
        done(self.js_close(file))
    }

    #[inline]
    fn read(&self, file: u32, buffer: &mut [u8], offset: u64) -> Result<usize> {
        Ok(check(self.js_read(file, buffer.as_mut_ptr(), buffer.len(), number(offset)))? as usize)
    }

    #[inline]
    fn write(&self, file: u32, data: &[u8], offset: u64) -> Result<()> {
        done(self.js_write(file, data.as_ptr(), data.len(), number(offset)))
    }

    fn truncate(&self, file: u32, size: u64) -> Result<()> {
        done(self.js_truncate(file, number(size)))
    }

    fn sync(&self, file: u32, flags: i32) -> Result<()> {
        done(self.js_sync(file, flags))
    }

    fn size(&self, file: u32) -> Result<u64> {
        Ok(check(self.js_size(file))? as u64)
    }

    fn lock(&self, file: u32, level: LockLevel) -> Result<()> {
        done(self.js_lock(file, level as c_int))
    }

    fn unlock(&self, file: u32, level: LockLevel) -> Result<()> {
        done(self.js_unlock(file, level as c_int))
    }

    fn has_reserved_lock(&self, file: u32) -> Result<bool> {
        Ok(check(self.js_has_reserved_lock(file))? != 0.0)
    }

    fn host_lock(&self, file: u32, level: LockLevel) -> Result<()> {
        if js_host_lock(file, level as c_int) != 0 { Ok(()) } else { Err(VfsError::busy()) }
    }

    fn host_unlock(&self, file: u32, level: LockLevel) {
        js_host_unlock(file, level as c_int);
    }

    fn host_has_reserved_lock(&self, file: u32) -> bool {
        js_host_has_reserved_lock(file) != 0
    }

    fn pragma(&self, file: u32, name: &str, value: Option<&str>) -> Result<Pragma> {
        let (value, value_len) = value.map_or((ptr::null(), 0), |value| (value.as_ptr(), value.len()));
        // 0: not handled; 1: handled; else a text, by its number and one more.
        let answer = check(self.js_pragma(file, name.as_ptr(), name.len(), value, value_len))? as u32;
        Ok(match answer {
            0 => Pragma::NotHandled,
            1 => Pragma::Handled(None),
            text_number => Pragma::Handled(Some(text(text_number - 1))),
        })
    }

    fn file_control(&self, file: u32, op: i32, value: &mut f64) -> Result<bool> {
        Ok(check(self.js_file_control(file, op, ptr::from_mut(value)))? != 0.0)
    }

    fn shm_map(&self, file: u32, region: u32, size: u32, extend: bool) -> Result<Option<NonNull<u8>>> {
        let address = check(nested(|| js_shm_map(file, region, size, extend.into())))?;
        // Memory of this module, of which JavaScript keeps no pointers but such as it was given.
        Ok(NonNull::new(address as usize as *mut u8))
    }

    fn shm_lock(&self, file: u32, first: u32, n: u32, flags: i32) -> Result<()> {
        done(nested(|| js_shm_lock(file, first, n, flags)))
    }

    fn shm_barrier(&self, file: u32) {
        nested(|| js_shm_barrier(file));
    }

    fn shm_unmap(&self, file: u32, delete: bool) -> Result<()> {
        done(nested(|| js_shm_unmap(file, delete.into())))
    }
}
