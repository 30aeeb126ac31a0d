//! What SQLite tells JavaScript, and asks it, in the middle of its work: hooks of changes, commits and rollbacks, the progress
//! handler, and how texts compare. The other side is `js/src/callbacks.ts`.
//!
//! A connection must not be used in any of them (<https://sqlite.org/c3ref/update_hook.html>): JavaScript sees to that.

use std::ffi::{c_char, c_int, c_void};
use std::ptr;

use super::authorizer::Text;
use super::callbacks::counted;
use super::functions::{destroy, with_arguments};
use super::imports::nested;
use crate::sys;

#[link(wasm_import_module = "vfs-host")]
unsafe extern "C" {
    /// Calls a function without arguments. Answers 1 where SQLite is not to go on: also, at a commit, after something was thrown.
    safe fn js_ask(number: u32, commits: c_int) -> c_int;
    /// A row was changed. There are two texts: the database and the table.
    safe fn js_update(number: u32, operation: c_int, names: *const Text, rowid: i64);
    /// A row is about to be changed.
    safe fn js_preupdate(number: u32, change: *const Change);
    /// Compares two texts. Answers as SQLite has it.
    safe fn js_compare(number: u32, a: *const u8, a_len: c_int, b: *const u8, b_len: c_int) -> c_int;
}

/// A change of a row that is about to be made, as `js/src/callbacks.ts` reads it.
#[repr(C)]
struct Change {
    old_rowid: i64,
    new_rowid: i64,
    /// The database and the table.
    names: [Text; 2],
    operation: c_int,
    /// How many triggers are around it.
    depth: c_int,
    /// The column, if it is a blob that is written in part; else -1. SQLite calls that a deletion.
    blob_column: c_int,
    /// Values: the old row if there is one, then the new one, encoded as arguments are. None if there was no memory for them.
    count: usize,
    cells: *const u64,
    tags: *const u8,
}

/// Kinds of hooks, as `js/src/hooks.ts` has them.
mod kind {
    use std::ffi::c_int;

    pub const COMMIT: c_int = 0;
    pub const ROLLBACK: c_int = 1;
    pub const UPDATE: c_int = 2;
    pub const PREUPDATE: c_int = 3;
}

/// SQLite keeps JavaScript's number for a function where C would keep a pointer.
#[allow(clippy::cast_possible_truncation)]
fn number(data: *mut c_void) -> u32 {
    data as usize as u32
}

unsafe extern "C" fn commit(data: *mut c_void) -> c_int {
    nested(|| js_ask(number(data), 1))
}

unsafe extern "C" fn rollback(data: *mut c_void) {
    nested(|| js_ask(number(data), 0));
}

/// Not counted, as a call that rows can be seen to make: they would come one by one.
unsafe extern "C" fn progress(data: *mut c_void) -> c_int {
    nested(|| js_ask(number(data), 0))
}

unsafe extern "C" fn update(
    data: *mut c_void,
    operation: c_int,
    database: *const c_char,
    table: *const c_char,
    rowid: i64,
) {
    // SAFETY: SQLite calls it with texts.
    let names = unsafe { [database, table].map(|name| Text::new(name)) };
    counted(|| js_update(number(data), operation, names.as_ptr(), rowid));
}

type ValueOf = unsafe extern "C" fn(*mut sys::sqlite3, c_int, *mut *mut sys::sqlite3_value) -> c_int;

unsafe extern "C" fn preupdate(
    data: *mut c_void,
    db: *mut sys::sqlite3,
    operation: c_int,
    database: *const c_char,
    table: *const c_char,
    old_rowid: i64,
    new_rowid: i64,
) {
    // SAFETY: SQLite calls it with texts, and with a connection that has such a change: what values it can be asked for there are.
    unsafe {
        let columns = sys::sqlite3_preupdate_count(db);
        let mut values: Vec<*mut sys::sqlite3_value> = Vec::new();
        let (old, new): (ValueOf, ValueOf) = (sys::sqlite3_preupdate_old, sys::sqlite3_preupdate_new);
        let mut has_all = true;
        for (value_of, is_there) in [(old, operation != sys::SQLITE_INSERT), (new, operation != sys::SQLITE_DELETE)] {
            for column in 0..if is_there { columns } else { 0 } {
                let mut value = ptr::null_mut();
                has_all &= value_of(db, column, &raw mut value) == sys::SQLITE_OK && values.try_reserve(1).is_ok();
                if has_all {
                    values.push(value);
                }
            }
        }
        let tell = |count: usize, cells: *const u64, tags: *const u8| {
            let change = Change {
                old_rowid,
                new_rowid,
                names: [database, table].map(|name| Text::new(name)),
                operation,
                depth: sys::sqlite3_preupdate_depth(db),
                blob_column: sys::sqlite3_preupdate_blobwrite(db),
                count,
                cells,
                tags,
            };
            counted(|| js_preupdate(number(data), &raw const change));
        };
        let count = c_int::try_from(values.len()).unwrap_or(0);
        if !has_all || with_arguments(count, values.as_mut_ptr(), true, tell).is_err() {
            tell(0, ptr::null(), ptr::null());
        }
    }
}

unsafe extern "C" fn compare(
    data: *mut c_void,
    a_len: c_int,
    a: *const c_void,
    b_len: c_int,
    b: *const c_void,
) -> c_int {
    // Nor is this one counted.
    nested(|| js_compare(number(data) >> 2, a.cast(), a_len, b.cast(), b_len))
}

/// Sets a hook (`kind`), or with 0 for a number takes it away.
///
/// # Safety
/// `db` is open, JavaScript keeps the function until there is another one, or the connection is closed; and no session has the hook
/// that it shares with them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_hook(db: *mut sys::sqlite3, hook: c_int, number: usize) {
    let data = ptr::without_provenance_mut(number);
    // SAFETY: as the caller promises.
    unsafe {
        match hook {
            kind::COMMIT => {
                let commit = commit as unsafe extern "C" fn(_) -> _;
                sys::sqlite3_commit_hook(db, (number != 0).then_some(commit), data);
            }
            kind::ROLLBACK => {
                let rollback = rollback as unsafe extern "C" fn(_);
                sys::sqlite3_rollback_hook(db, (number != 0).then_some(rollback), data);
            }
            kind::UPDATE => {
                let update = update as unsafe extern "C" fn(_, _, _, _, _);
                sys::sqlite3_update_hook(db, (number != 0).then_some(update), data);
            }
            kind::PREUPDATE => {
                let preupdate = preupdate as unsafe extern "C" fn(_, _, _, _, _, _, _);
                sys::sqlite3_preupdate_hook(db, (number != 0).then_some(preupdate), data);
            }
            _ => {}
        }
    }
}

/// Has a function asked after each so many steps of a statement's program whether it is to go on; none with 0.
///
/// # Safety
/// As [`kit_hook`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_progress(db: *mut sys::sqlite3, steps: c_int, number: usize) {
    let progress = (number != 0).then_some(progress as unsafe extern "C" fn(_) -> _);
    // SAFETY: as the caller promises.
    unsafe { sys::sqlite3_progress_handler(db, steps, progress, ptr::without_provenance_mut(number)) }
}

/// Defines a collation, or with 0 takes it away. `data` is four times JavaScript's number, which is told when it is not needed any
/// more: not if this fails.
///
/// # Safety
/// `db` is open, `name` NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_collation(db: *mut sys::sqlite3, name: *const c_char, data: usize) -> c_int {
    let (compare, destroy) = if data == 0 {
        (None, None)
    } else {
        (Some(compare as unsafe extern "C" fn(_, _, _, _, _) -> _), Some(destroy as unsafe extern "C" fn(_)))
    };
    // SAFETY: as the caller promises.
    unsafe {
        sys::sqlite3_create_collation_v2(
            db,
            name,
            sys::SQLITE_UTF8,
            ptr::without_provenance_mut(data),
            compare,
            destroy,
        )
    }
}
