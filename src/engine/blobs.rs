//! Blobs that are read and written in parts, where they lie (<https://sqlite.org/c3ref/blob_open.html>). The other side is
//! `js/src/open-blob.ts`, which knows how long a blob is and asks for nothing beyond its end.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;

use super::{inbox, outbox};
use crate::sys;

/// Opens a blob. `names` are those of a database, a table and a column, one after another. Answers null when it failed: then the
/// connection has the error.
///
/// # Safety
/// `db` is open; each of the names is NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_blob_open(
    db: *mut sys::sqlite3,
    names: *const c_char,
    rowid: i64,
    writable: c_int,
) -> *mut sys::sqlite3_blob {
    let _names = inbox::hold();
    outbox::begin();
    let mut blob = ptr::null_mut();
    // SAFETY: as the caller promises: behind the NUL of a name is the next one.
    unsafe {
        let table = names.add(CStr::from_ptr(names).count_bytes() + 1);
        let column = table.add(CStr::from_ptr(table).count_bytes() + 1);
        let code = sys::sqlite3_blob_open(db, names, table, column, rowid, writable, &raw mut blob);
        if code != sys::SQLITE_OK {
            outbox::explain(db, code);
        }
    }
    blob
}

/// How many bytes a blob has: none, if it could not be reopened.
///
/// # Safety
/// `blob` is open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_blob_bytes(blob: *mut sys::sqlite3_blob) -> c_int {
    // SAFETY: as the caller promises.
    unsafe { sys::sqlite3_blob_bytes(blob) }
}

/// Goes to another row.
///
/// # Safety
/// `blob` is open, and of the connection `db`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_blob_reopen(db: *mut sys::sqlite3, blob: *mut sys::sqlite3_blob, rowid: i64) -> c_int {
    outbox::begin();
    // SAFETY: as the caller promises.
    unsafe { explained(db, sys::sqlite3_blob_reopen(blob, rowid)) }
}

/// Reads `len` bytes, which become the text.
///
/// # Safety
/// As [`kit_blob_reopen`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_blob_read(
    db: *mut sys::sqlite3,
    blob: *mut sys::sqlite3_blob,
    len: c_int,
    offset: c_int,
) -> c_int {
    outbox::begin();
    let mut bytes: Vec<u8> = Vec::new();
    let size = usize::try_from(len).unwrap_or(0);
    // SAFETY: as the caller promises; there is room for what is read.
    unsafe {
        if bytes.try_reserve_exact(size).is_err() {
            sys::sqlite3_set_errmsg(db, sys::SQLITE_NOMEM, ptr::null());
            return sys::SQLITE_NOMEM;
        }
        let code = sys::sqlite3_blob_read(blob, bytes.as_mut_ptr().cast(), len, offset);
        if code == sys::SQLITE_OK {
            bytes.set_len(size);
            outbox::give_bytes(bytes);
        }
        explained(db, code)
    }
}

/// Writes `len` bytes.
///
/// # Safety
/// As [`kit_blob_reopen`]; `bytes` has so many, of the inbox.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_blob_write(
    db: *mut sys::sqlite3,
    blob: *mut sys::sqlite3_blob,
    bytes: *const c_void,
    len: c_int,
    offset: c_int,
) -> c_int {
    let _bytes = inbox::hold();
    outbox::begin();
    // SAFETY: as the caller promises.
    unsafe { explained(db, sys::sqlite3_blob_write(blob, bytes, len, offset)) }
}

/// Closes a blob. What was written outside a transaction is committed with the last one, and may fail to be.
///
/// # Safety
/// As [`kit_blob_reopen`]. It is gone afterwards, whatever the answer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_blob_close(db: *mut sys::sqlite3, blob: *mut sys::sqlite3_blob) -> c_int {
    outbox::begin();
    // SAFETY: as the caller promises.
    unsafe { explained(db, sys::sqlite3_blob_close(blob)) }
}

/// # Safety
/// `db` is open, and the code that of its last call.
unsafe fn explained(db: *mut sys::sqlite3, code: c_int) -> c_int {
    if code != sys::SQLITE_OK {
        // SAFETY: as the caller promises.
        unsafe { outbox::explain(db, code) };
    }
    code
}
