//! Who may do what: a function of JavaScript's that SQLite asks while it compiles statements. The other side is
//! `js/src/callbacks.ts`.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;

use super::callbacks::counted;
use crate::sys;

#[link(wasm_import_module = "vfs-host")]
unsafe extern "C" {
    /// Answers SQLite's code. There are four texts.
    safe fn js_authorize(number: u32, action: c_int, texts: *const Text) -> c_int;
}

/// A text where SQLite has it; null where there is none.
#[repr(C)]
pub(super) struct Text {
    bytes: *const c_char,
    len: usize,
}

impl Text {
    /// # Safety
    /// `text` is null or NUL-terminated, and outlives the answer.
    pub(super) unsafe fn new(text: *const c_char) -> Self {
        // SAFETY: as the caller promises.
        let len = if text.is_null() { 0 } else { unsafe { CStr::from_ptr(text) }.count_bytes() };
        Self { bytes: text, len }
    }
}

#[allow(clippy::cast_possible_truncation)]
unsafe extern "C" fn authorize(
    number: *mut c_void,
    action: c_int,
    first: *const c_char,
    second: *const c_char,
    database: *const c_char,
    trigger: *const c_char,
) -> c_int {
    // SAFETY: SQLite calls it with texts or null.
    let texts = unsafe { [first, second, database, trigger].map(|text| Text::new(text)) };
    counted(|| js_authorize(number as usize as u32, action, texts.as_ptr()))
}

/// Has a function asked from now on; none with 0, which is nobody's number.
///
/// # Safety
/// `db` is open, and JavaScript keeps the function until there is another one, or the connection is closed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_authorizer(db: *mut sys::sqlite3, number: usize) -> c_int {
    let ask = (number != 0).then_some(authorize as unsafe extern "C" fn(_, _, _, _, _, _) -> _);
    // SAFETY: as the caller promises.
    unsafe { sys::sqlite3_set_authorizer(db, ask, ptr::without_provenance_mut(number)) }
}
