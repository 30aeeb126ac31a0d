//! Sessions, which record changes, and changesets, which bring them to another database (<https://sqlite.org/sessionintro.html>). The
//! other side is `js/src/recording.ts`, and for what is asked meanwhile `js/src/callbacks.ts`.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;

use super::callbacks::counted;
use super::{inbox, outbox};
use crate::sys;

#[link(wasm_import_module = "vfs-host")]
unsafe extern "C" {
    /// Answers what becomes of a change that meets another one, as SQLite has it.
    safe fn js_conflict(number: u32, kind: c_int) -> c_int;
    /// Answers whether a table's changes are wanted.
    safe fn js_filter(number: u32, name: *const c_char, len: usize) -> c_int;
}

/// Begins to record the changes of a database: of one table, or with null of all. Answers null when it failed: then the outbox has
/// the code.
///
/// # Safety
/// `db` is open, the texts NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_session_new(
    db: *mut sys::sqlite3,
    name: *const c_char,
    table: *const c_char,
) -> *mut sys::sqlite3_session {
    let mut session = ptr::null_mut();
    // SAFETY: as the caller promises; SQLite copies the texts.
    unsafe {
        let mut code = sys::sqlite3session_create(db, name, &raw mut session);
        if code == sys::SQLITE_OK {
            code = sys::sqlite3session_attach(session, table);
            if code != sys::SQLITE_OK {
                sys::sqlite3session_delete(session);
                session = ptr::null_mut();
            }
        }
        outbox::update(|words| words.code = code);
    }
    session
}

/// Ends a recording.
///
/// # Safety
/// `session` is live, and gone afterwards; its database is open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_session_delete(session: *mut sys::sqlite3_session) {
    // SAFETY: as the caller promises.
    unsafe { sys::sqlite3session_delete(session) }
}

/// What was recorded, as the text: to be freed with `kit_free`. As a patchset it is shorter, and conflicts are fewer to be seen. The
/// outbox has the code.
///
/// # Safety
/// `session` is live; its database is `db`, and open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_session_changes(
    db: *mut sys::sqlite3,
    session: *mut sys::sqlite3_session,
    as_patchset: c_int,
) -> *mut c_void {
    outbox::begin();
    let mut size = 0;
    let mut bytes = ptr::null_mut();
    // SAFETY: as the caller promises.
    unsafe {
        let code = if as_patchset == 0 {
            sys::sqlite3session_changeset(session, &raw mut size, &raw mut bytes)
        } else {
            sys::sqlite3session_patchset(session, &raw mut size, &raw mut bytes)
        };
        if code != sys::SQLITE_OK {
            outbox::explain(db, code);
        }
        outbox::lend_bytes(bytes.cast(), usize::try_from(size).unwrap_or(0));
        outbox::update(|words| words.code = code);
    }
    bytes
}

/// Who is asked while changes are applied: numbers of JavaScript's, of which 0 is nobody's.
struct Asked {
    filter: u32,
    conflict: u32,
}

unsafe extern "C" fn filter(asked: *mut c_void, table: *const c_char) -> c_int {
    // SAFETY: SQLite calls it with what `kit_changeset_apply` gave, and the name of a table.
    let (asked, table) = unsafe { (&*asked.cast::<Asked>(), CStr::from_ptr(table)) };
    counted(|| js_filter(asked.filter, table.as_ptr(), table.count_bytes()))
}

unsafe extern "C" fn conflict(asked: *mut c_void, kind: c_int, _changes: *mut sys::sqlite3_changeset_iter) -> c_int {
    // SAFETY: as above.
    let asked = unsafe { &*asked.cast::<Asked>() };
    if asked.conflict == 0 {
        return sys::SQLITE_CHANGESET_ABORT;
    }
    counted(|| js_conflict(asked.conflict, kind))
}

/// Makes the changes of a changeset or a patchset. Answers SQLite's code, of which `SQLITE_ABORT` is no failure: a conflict was
/// answered so, and there is no change at all.
///
/// # Safety
/// `db` is open, and `bytes` has `len` bytes, of the inbox.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_changeset_apply(
    db: *mut sys::sqlite3,
    bytes: *mut c_void,
    len: c_int,
    filter_number: u32,
    conflict_number: u32,
) -> c_int {
    let _bytes = inbox::hold();
    outbox::begin();
    let mut asked = Asked { filter: filter_number, conflict: conflict_number };
    let asks = (filter_number != 0).then_some(filter as unsafe extern "C" fn(_, _) -> _);
    // SAFETY: as the caller promises; who is asked outlives the call.
    unsafe {
        let code = sys::sqlite3changeset_apply(db, len, bytes, asks, Some(conflict), (&raw mut asked).cast());
        if code != sys::SQLITE_OK {
            outbox::explain(db, code);
        }
        code
    }
}
