//! Copies of a database while it is in use (<https://sqlite.org/backup.html>). The other side is `js/src/copying.ts`.

use std::ffi::{c_char, c_int};

use super::{inbox, outbox};
use crate::sys;

/// Begins to copy a database of `source` over one of `target`. Answers null when it failed: then `target` has the error.
///
/// # Safety
/// Both are open until the copy is finished, the names NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_backup_new(
    target: *mut sys::sqlite3,
    target_name: *const c_char,
    source: *mut sys::sqlite3,
    source_name: *const c_char,
) -> *mut sys::sqlite3_backup {
    let _texts = inbox::hold();
    outbox::begin();
    // SAFETY: as the caller promises.
    unsafe {
        let backup = sys::sqlite3_backup_init(target, target_name, source, source_name);
        if backup.is_null() {
            outbox::explain(target, sys::sqlite3_errcode(target));
        }
        backup
    }
}

/// Copies pages. Answers `SQLITE_DONE` at the end, `SQLITE_OK` before it, or the code of a failure, which `target` has. The outbox has
/// how many pages there are, and remain, where it has changes and a rowid otherwise.
///
/// # Safety
/// `backup` is not finished, and `target` its target.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_backup_step(
    backup: *mut sys::sqlite3_backup,
    target: *mut sys::sqlite3,
    pages: c_int,
) -> c_int {
    outbox::begin();
    // SAFETY: as the caller promises. The code is the copy's own: it becomes the target's error here, so that its message can be had.
    unsafe {
        let code = sys::sqlite3_backup_step(backup, pages);
        if code != sys::SQLITE_OK && code != sys::SQLITE_DONE {
            sys::sqlite3_set_errmsg(target, code, std::ptr::null());
            outbox::explain(target, code);
        }
        outbox::update(|words| {
            words.changes = sys::sqlite3_backup_pagecount(backup).into();
            words.last_insert_rowid = sys::sqlite3_backup_remaining(backup).into();
        });
        code
    }
}

/// Ends a copy; one that was not complete is undone.
///
/// # Safety
/// `backup` is not finished, and is gone afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_backup_finish(backup: *mut sys::sqlite3_backup) -> c_int {
    // SAFETY: as the caller promises.
    unsafe { sys::sqlite3_backup_finish(backup) }
}
