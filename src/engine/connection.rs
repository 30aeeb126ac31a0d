//! Connections.

use std::ffi::{c_char, c_int};
use std::ptr;

use super::{inbox, outbox};
use crate::sys;

/// Opens a connection. `vfs` may be null, for the default. Answers null when it failed: then the outbox has the code, and
/// the message as its text.
///
/// # Safety
/// Both texts are NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_open(path: *const c_char, flags: c_int, vfs: *const c_char) -> *mut sys::sqlite3 {
    let _texts = inbox::hold();
    outbox::begin();
    outbox::update(|words| words.cause = 0);
    let mut db = ptr::null_mut();
    // SAFETY: as the caller promises; the handle that a failed open leaves is closed once its message is read.
    unsafe {
        let code = sys::sqlite3_open_v2(path, &raw mut db, flags, vfs);
        let mut extended = code;
        if code == sys::SQLITE_OK {
            sys::sqlite3_extended_result_codes(db, 1);
        } else {
            if db.is_null() {
                outbox::lend_c_text(sys::sqlite3_errmsg(db));
            } else {
                extended = sys::sqlite3_extended_errcode(db);
                let message = outbox::explained(db, code).map_or_else(
                    || std::ffi::CStr::from_ptr(sys::sqlite3_errmsg(db)).to_bytes().to_vec(),
                    String::into_bytes,
                );
                outbox::give_bytes(message);
                sys::sqlite3_close(db);
            }
            db = ptr::null_mut();
        }
        outbox::update(|words| words.code = extended);
    }
    db
}

/// Closes a connection.
///
/// # Safety
/// `db` is open, and every statement that JavaScript prepared on it is finalised. It is gone afterwards if the answer is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_close(db: *mut sys::sqlite3) -> c_int {
    outbox::begin();
    // SAFETY: as the caller promises.
    unsafe {
        let code = sys::sqlite3_close(db);
        if code != sys::SQLITE_OK {
            outbox::explain(db, code);
        }
        code
    }
}

/// Runs all statements of a text, and drops their rows.
///
/// # Safety
/// `db` is open, `sql` NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_exec(db: *mut sys::sqlite3, sql: *const c_char) -> c_int {
    let _texts = inbox::hold();
    outbox::begin();
    // SAFETY: as the caller promises.
    unsafe {
        let code = sys::sqlite3_exec(db, sql, None, ptr::null_mut(), ptr::null_mut());
        if code != sys::SQLITE_OK {
            outbox::explain(db, code);
        }
        code
    }
}

/// The connection's last error: its code, extended, in the outbox and as the answer; its message as the text.
///
/// # Safety
/// `db` is open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_error(db: *mut sys::sqlite3) -> c_int {
    // SAFETY: as the caller promises. The message lives until the connection is used again.
    unsafe {
        outbox::lend_c_text(sys::sqlite3_errmsg(db));
        sys::sqlite3_extended_errcode(db)
    }
}

/// What a code means in general, as the text.
#[unsafe(no_mangle)]
pub extern "C" fn kit_errstr(code: c_int) {
    // SAFETY: SQLite answers a static text for every number.
    unsafe { outbox::lend_c_text(sys::sqlite3_errstr(code)) }
}

/// Turns one of the connection's switches (`SQLITE_DBCONFIG_…`) on or off.
///
/// # Safety
/// `db` is open, and the switch one that takes a number and a place for the answer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_config(db: *mut sys::sqlite3, switch: c_int, on: c_int) -> c_int {
    // SAFETY: as the caller promises.
    unsafe { sys::sqlite3_db_config(db, switch, on, ptr::null_mut::<c_int>()) }
}

/// How long a lock is waited for, in milliseconds.
///
/// # Safety
/// `db` is open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_busy_timeout(db: *mut sys::sqlite3, milliseconds: c_int) -> c_int {
    // SAFETY: as the caller promises.
    unsafe { sys::sqlite3_busy_timeout(db, milliseconds) }
}

/// Sets one of the connection's limits (`SQLITE_LIMIT_…`), and answers the former one; a negative value only asks.
///
/// # Safety
/// `db` is open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_limit(db: *mut sys::sqlite3, limit: c_int, value: c_int) -> c_int {
    // SAFETY: as the caller promises.
    unsafe { sys::sqlite3_limit(db, limit, value) }
}

/// One of the connection's counters (`SQLITE_DBSTATUS_…`): in the outbox, where it has changes, what it is now, and where it has a
/// rowid the highest that it was. With `reset`, those that can be begin anew.
///
/// # Safety
/// `db` is open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_status(db: *mut sys::sqlite3, counter: c_int, reset: c_int) -> c_int {
    let (mut now, mut highest) = (0, 0);
    // SAFETY: as the caller promises.
    let code = unsafe { sys::sqlite3_db_status(db, counter, &raw mut now, &raw mut highest, reset) };
    outbox::update(|words| {
        words.changes = now.into();
        words.last_insert_rowid = highest.into();
    });
    code
}

/// Has what the connection runs end with `SQLITE_INTERRUPT` as soon as it can. May be called in the middle of it.
///
/// # Safety
/// `db` is open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_interrupt(db: *mut sys::sqlite3) {
    // SAFETY: as the caller promises.
    unsafe { sys::sqlite3_interrupt(db) }
}

/// 1 outside a transaction.
///
/// # Safety
/// `db` is open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_autocommit(db: *mut sys::sqlite3) -> c_int {
    // SAFETY: as the caller promises.
    unsafe { sys::sqlite3_get_autocommit(db) }
}

/// The file of an attached database, as the text; null for one without.
///
/// # Safety
/// `db` is open, `name` NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_filename(db: *mut sys::sqlite3, name: *const c_char) {
    // SAFETY: as the caller promises. The name lives as long as the connection has the file.
    unsafe { outbox::lend_c_text(sys::sqlite3_db_filename(db, name)) }
}

/// Name of the VFS that the main database is on, as the text.
///
/// # Safety
/// `db` is open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_vfs_name(db: *mut sys::sqlite3) {
    let mut vfs: *mut sys::sqlite3_vfs = ptr::null_mut();
    // SAFETY: as the caller promises; SQLite answers this one itself, with a VFS that is never freed.
    unsafe {
        sys::sqlite3_file_control(db, c"main".as_ptr(), sys::SQLITE_FCNTL_VFS_POINTER, (&raw mut vfs).cast());
        outbox::lend_c_text(if vfs.is_null() { ptr::null() } else { (*vfs).zName });
    }
}

/// A database as the bytes of a file, as the text: what its WAL holds is in it. To be freed with [`kit_free`]; null when there
/// was no memory, or no such database.
///
/// # Safety
/// `db` is open, `name` NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_serialize(db: *mut sys::sqlite3, name: *const c_char) -> *mut u8 {
    let _texts = inbox::hold();
    outbox::begin();
    let mut size = 0;
    // SAFETY: as the caller promises.
    let bytes = unsafe { sys::sqlite3_serialize(db, name, &raw mut size, 0) };
    if bytes.is_null() && size > 0 {
        // How large it is was found out, and SQLite says nothing more.
        // SAFETY: as the caller promises.
        unsafe { sys::sqlite3_set_errmsg(db, sys::SQLITE_NOMEM, ptr::null()) };
    }
    outbox::lend_bytes(bytes, usize::try_from(size).unwrap_or(0));
    bytes
}

/// Puts a copy of a file's bytes in the place of a database, which is in memory from then on.
///
/// # Safety
/// `db` is open, `name` NUL-terminated, and `bytes` has `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_deserialize(
    db: *mut sys::sqlite3,
    name: *const c_char,
    bytes: *const u8,
    len: usize,
) -> c_int {
    let _texts = inbox::hold();
    outbox::begin();
    // SAFETY: as the caller promises. The copy is in SQLite's heap, and SQLite's to free, also when this fails.
    unsafe {
        let copy = sys::sqlite3_malloc64(len as u64).cast::<u8>();
        if copy.is_null() {
            return sys::SQLITE_NOMEM;
        }
        ptr::copy_nonoverlapping(bytes, copy, len);
        let flags = sys::SQLITE_DESERIALIZE_FREEONCLOSE | sys::SQLITE_DESERIALIZE_RESIZEABLE;
        sys::sqlite3_deserialize(db, name, copy, len as i64, len as i64, flags)
    }
}

/// Frees what [`kit_serialize`] answered.
///
/// # Safety
/// `bytes` came from there, and is used no more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_free(bytes: *mut u8) {
    // SAFETY: as the caller promises.
    unsafe { sys::sqlite3_free(bytes.cast()) }
}

/// SQLite's version, as the text.
#[unsafe(no_mangle)]
pub extern "C" fn kit_version() {
    // SAFETY: SQLite answers a static text.
    unsafe { outbox::lend_c_text(sys::sqlite3_libversion()) }
}
