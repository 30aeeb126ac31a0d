//! The encoding in which parameters enter (format 1, `js/src/params.ts` writes it).
//!
//! In the inbox, for `count` parameters: a cell of eight bytes for each, then a tag of one byte for each, then the heap.
//! Tags and cells are those of `rows.rs`; only NULL, NUMBER, INT64, TEXT and BLOB occur, and offsets count from the
//! beginning of the inbox.

use std::ffi::c_int;
use std::slice;

use super::rows::{BLOB, INT64, NULL, NUMBER, TEXT};
use crate::sys;

/// How long texts and blobs stay where they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lifetime {
    /// Until the statement has run: SQLite reads them there. It saves an allocation and a copy for each.
    Call,
    /// Not for long: SQLite makes copies.
    Moment,
}

/// Binds `count` parameters, from the first on. Answers SQLite's code.
///
/// # Safety
/// `statement` is live; `inbox` holds what the format says, written by JavaScript, for as long as `lifetime` says. After a
/// [`Lifetime::Call`] the statement is bound anew before anybody looks at its bindings again.
pub unsafe fn bind(statement: *mut sys::sqlite3_stmt, inbox: *const u8, count: usize, lifetime: Lifetime) -> c_int {
    let destructor = match lifetime {
        Lifetime::Call => sys::SQLITE_STATIC(),
        Lifetime::Moment => sys::SQLITE_TRANSIENT(),
    };
    // SAFETY: as the caller promises.
    let (cells, tags) = unsafe {
        (slice::from_raw_parts(inbox.cast::<u64>(), count), slice::from_raw_parts(inbox.add(count * 8), count))
    };
    for (i, (&cell, &tag)) in cells.iter().zip(tags).enumerate() {
        let index = c_int::try_from(i + 1).unwrap_or(c_int::MAX);
        // SAFETY: offsets and lengths are within the inbox, and the destructor is what its lifetime asks for.
        #[allow(clippy::cast_possible_wrap)]
        let code = unsafe {
            let start = inbox.add((cell & 0xFFFF_FFFF) as usize);
            let len = cell >> 32;
            match tag {
                NULL => sys::sqlite3_bind_null(statement, index),
                NUMBER => sys::sqlite3_bind_double(statement, index, f64::from_bits(cell)),
                INT64 => sys::sqlite3_bind_int64(statement, index, cell as i64),
                TEXT => {
                    sys::sqlite3_bind_text64(statement, index, start.cast(), len, destructor, sys::SQLITE_UTF8 as u8)
                }
                // An empty blob must not be at address null, which would be NULL; the inbox never is.
                BLOB => sys::sqlite3_bind_blob64(statement, index, start.cast(), len, destructor),
                _ => sys::SQLITE_MISMATCH,
            }
        };
        if code != sys::SQLITE_OK {
            return code;
        }
    }
    sys::SQLITE_OK
}
