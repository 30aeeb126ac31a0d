//! SQL functions that are written in JavaScript. The other side is `js/src/callbacks.ts`.
//!
//! Arguments cross as a row does (`rows.rs`: a cell and a tag for each), but texts and blobs stay where SQLite has them: their cells
//! have a place in memory, and no text is plain. The answer is a tag and a cell: of a text or blob, a place and a length.

use std::ffi::{c_char, c_int, c_void};
use std::mem::MaybeUninit;
use std::{ptr, slice};

use super::callbacks::counted;
use super::rows::{BLOB, INT64, NULL, NUMBER, OutOfMemory, TEXT, bytes_of, encode_integer};
use crate::sys;

/// Bytes of an answer that need no memory of their own. `js/src/callbacks.ts` knows it too.
const ROOM: usize = 192;

/// So many arguments need no allocation.
const FEW: usize = 8;

/// Answers beside tags.
mod failure {
    pub const THREW: i32 = -1;
    pub const NO_VALUE: i32 = -2;
    pub const PROMISE: i32 = -3;
    pub const TOO_LARGE: i32 = -4;
    pub const TOO_BIG: i32 = -5;
}

#[link(wasm_import_module = "vfs-host")]
unsafe extern "C" {
    /// Calls a function. Answers a tag, or why there is none.
    safe fn js_function(number: u32, count: usize, cells: *const u64, tags: *const u8, answer: *mut Answer) -> c_int;
    /// Adds values to an aggregate, or takes them out of it. Answers the number of its state, of which 0 is one that has not begun.
    safe fn js_step(number: u32, state: u32, inverse: c_int, count: usize, cells: *const u64, tags: *const u8) -> f64;
    /// What an aggregate comes to; at its end JavaScript forgets its state. Answers as `js_function`.
    safe fn js_value(number: u32, state: u32, end: c_int, answer: *mut Answer) -> c_int;
    /// A function is called no more.
    safe fn js_forget(number: u32);
}

/// Where JavaScript puts what a function answers.
#[repr(C)]
struct Answer {
    cell: u64,
    room: [MaybeUninit<u8>; ROOM],
}

impl Answer {
    const fn new() -> Self {
        Self { cell: 0, room: [MaybeUninit::uninit(); ROOM] }
    }

    /// Makes it the function's result. JavaScript keeps what was thrown, which comes to light when the statement has failed.
    ///
    /// # Safety
    /// `context` is that of the call, and `code` with the answer as JavaScript left it.
    #[allow(clippy::cast_possible_wrap, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    unsafe fn give(&self, context: *mut sys::sqlite3_context, code: c_int) {
        let bytes = self.cell as u32 as usize as *mut c_void;
        let len = self.cell >> 32;
        // SAFETY: as the caller promises: bytes lie in the room, which is copied, or in memory of SQLite's, which it frees.
        unsafe {
            let destructor = if ptr::eq(bytes, self.room.as_ptr().cast()) {
                sys::SQLITE_TRANSIENT()
            } else {
                Some(free as unsafe extern "C" fn(*mut c_void))
            };
            const TAG_NULL: c_int = NULL as c_int;
            const TAG_NUMBER: c_int = NUMBER as c_int;
            const TAG_INT64: c_int = INT64 as c_int;
            const TAG_TEXT: c_int = TEXT as c_int;
            const TAG_BLOB: c_int = BLOB as c_int;
            match code {
                TAG_NULL => sys::sqlite3_result_null(context),
                TAG_NUMBER => sys::sqlite3_result_double(context, f64::from_bits(self.cell)),
                TAG_INT64 => sys::sqlite3_result_int64(context, self.cell as i64),
                TAG_TEXT => {
                    sys::sqlite3_result_text64(context, bytes.cast(), len, destructor, sys::SQLITE_UTF8 as u8);
                }
                TAG_BLOB => sys::sqlite3_result_blob64(context, bytes, len, destructor),
                failure::TOO_BIG => sys::sqlite3_result_error_nomem(context),
                failure::THREW => fail(context, "a function threw"),
                failure::NO_VALUE => {
                    fail(context, "Returned JavaScript value cannot be converted to a SQLite value");
                }
                failure::PROMISE => fail(context, "Asynchronous user-defined functions are not supported"),
                failure::TOO_LARGE => fail(context, "BigInt value is too large for SQLite"),
                _ => fail(context, "unknown answer"),
            }
        }
    }
}

/// # Safety
/// `context` is that of a call.
unsafe fn fail(context: *mut sys::sqlite3_context, message: &str) {
    // SAFETY: as the caller promises; SQLite copies the message.
    unsafe {
        sys::sqlite3_result_error(context, message.as_ptr().cast(), c_int::try_from(message.len()).unwrap_or(0));
    }
}

/// # Safety
/// It came from [`kit_allocate`].
unsafe extern "C" fn free(bytes: *mut c_void) {
    // SAFETY: as the caller promises.
    unsafe { sys::sqlite3_free(bytes) }
}

/// Memory for an answer that does not fit its room; null when there is none. It is SQLite's to free.
#[unsafe(no_mangle)]
pub extern "C" fn kit_allocate(size: usize) -> *mut c_void {
    // SAFETY: it may be called at any time.
    unsafe { sys::sqlite3_malloc64(size as u64) }
}

/// What SQLite keeps for a function: JavaScript's number for it, and in the two lowest bits whether an aggregate has an inverse, and
/// whether integers cross as `BigInt`.
#[derive(Clone, Copy)]
struct Data(usize);

impl Data {
    /// # Safety
    /// `context` is that of a call.
    unsafe fn of(context: *mut sys::sqlite3_context) -> Self {
        // SAFETY: as the caller promises.
        Self(unsafe { sys::sqlite3_user_data(context) } as usize)
    }

    #[allow(clippy::cast_possible_truncation)]
    fn number(self) -> u32 {
        (self.0 >> 2) as u32
    }

    fn has_inverse(self) -> bool {
        self.0 & 2 != 0
    }

    fn big_integers(self) -> bool {
        self.0 & 1 != 0
    }
}

/// Hands arguments over: cells and tags.
///
/// # Safety
/// `argv` has `argc` values, as SQLite calls functions.
pub(super) unsafe fn with_arguments<T>(
    argc: c_int,
    argv: *mut *mut sys::sqlite3_value,
    big_integers: bool,
    call: impl FnOnce(usize, *const u64, *const u8) -> T,
) -> Result<T, OutOfMemory> {
    let count = usize::try_from(argc).unwrap_or(0);
    if count == 0 {
        return Ok(call(0, ptr::null(), ptr::null()));
    }
    // SAFETY: as the caller promises.
    let values = unsafe { slice::from_raw_parts(argv, count) };
    let (mut few, mut few_tags) = ([0_u64; FEW], [0_u8; FEW]);
    let (mut many, mut many_tags) = (Vec::new(), Vec::new());
    let (cells, tags) = if count <= FEW {
        (&mut few[..count], &mut few_tags[..count])
    } else {
        many.try_reserve_exact(count).map_err(|_| OutOfMemory)?;
        many_tags.try_reserve_exact(count).map_err(|_| OutOfMemory)?;
        many.resize(count, 0);
        many_tags.resize(count, 0);
        (&mut many[..], &mut many_tags[..])
    };
    for ((&value, cell), tag) in values.iter().zip(&mut *cells).zip(&mut *tags) {
        // SAFETY: as the caller promises. The place is good until the value is converted or the function returns.
        (*tag, *cell) = unsafe {
            match sys::sqlite3_value_type(value) {
                sys::SQLITE_INTEGER => encode_integer(sys::sqlite3_value_int64(value), big_integers),
                sys::SQLITE_FLOAT => (NUMBER, sys::sqlite3_value_double(value).to_bits()),
                sys::SQLITE_TEXT => {
                    let text = sys::sqlite3_value_text(value);
                    (TEXT, place(bytes_of(text, sys::sqlite3_value_bytes(value))))
                }
                sys::SQLITE_BLOB => {
                    let blob = sys::sqlite3_value_blob(value);
                    (BLOB, place(bytes_of(blob.cast(), sys::sqlite3_value_bytes(value))))
                }
                _ => (NULL, 0),
            }
        };
    }
    Ok(call(count, cells.as_ptr(), tags.as_ptr()))
}

fn place(bytes: &[u8]) -> u64 {
    (bytes.len() as u64) << 32 | bytes.as_ptr() as u64
}

/// Calls a function.
unsafe extern "C" fn call(context: *mut sys::sqlite3_context, argc: c_int, argv: *mut *mut sys::sqlite3_value) {
    // SAFETY: SQLite calls it with what it promises to.
    unsafe {
        let data = Data::of(context);
        let mut answer = Answer::new();
        let code = with_arguments(argc, argv, data.big_integers(), |count, cells, tags| {
            counted(|| js_function(data.number(), count, cells, tags, &raw mut answer))
        });
        answer.give(context, code.unwrap_or(failure::TOO_BIG));
    }
}

pub(super) unsafe extern "C" fn destroy(data: *mut c_void) {
    js_forget(Data(data as usize).number());
}

/// Defines a function of `argc` arguments, or of any number with -1. Whether it succeeds or not, JavaScript is told when the function
/// is not needed any more.
///
/// # Safety
/// `db` is open, `name` NUL-terminated. `data` is as [`Data`] has it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_function(
    db: *mut sys::sqlite3,
    name: *const c_char,
    argc: c_int,
    flags: c_int,
    data: usize,
) -> c_int {
    // SAFETY: as the caller promises.
    unsafe {
        sys::sqlite3_create_function_v2(
            db,
            name,
            argc,
            sys::SQLITE_UTF8 | flags,
            data as *mut c_void,
            Some(call),
            None,
            None,
            Some(destroy),
        )
    }
}

/// The number of a state in SQLite's memory for an aggregate: null when nothing was stepped.
///
/// # Safety
/// `context` is that of a call. With a `size`, memory is made if there is none.
unsafe fn state_of(context: *mut sys::sqlite3_context, size: c_int) -> *mut u32 {
    // SAFETY: as the caller promises.
    unsafe { sys::sqlite3_aggregate_context(context, size).cast() }
}

/// # Safety
/// SQLite calls it with what it promises to.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
unsafe fn stepped(context: *mut sys::sqlite3_context, argc: c_int, argv: *mut *mut sys::sqlite3_value, inverse: bool) {
    // SAFETY: as the caller promises. The state's memory is aligned to eight, and begins with zeros.
    unsafe {
        let state = state_of(context, 8);
        if state.is_null() {
            return sys::sqlite3_result_error_nomem(context);
        }
        let data = Data::of(context);
        let answer = with_arguments(argc, argv, data.big_integers(), |count, cells, tags| {
            counted(|| js_step(data.number(), *state, inverse.into(), count, cells, tags))
        });
        match answer {
            Err(OutOfMemory) => sys::sqlite3_result_error_nomem(context),
            Ok(number) if number > 0.0 => *state = number as u32,
            Ok(_) => fail(context, "an aggregate threw"),
        }
    }
}

unsafe extern "C" fn step(context: *mut sys::sqlite3_context, argc: c_int, argv: *mut *mut sys::sqlite3_value) {
    // SAFETY: SQLite calls it with what it promises to.
    unsafe { stepped(context, argc, argv, false) }
}

unsafe extern "C" fn inverse(context: *mut sys::sqlite3_context, argc: c_int, argv: *mut *mut sys::sqlite3_value) {
    // SAFETY: SQLite calls it with what it promises to.
    unsafe { stepped(context, argc, argv, true) }
}

/// # Safety
/// SQLite calls it with what it promises to.
unsafe fn valued(context: *mut sys::sqlite3_context, end: bool) {
    // SAFETY: as the caller promises.
    unsafe {
        let state = state_of(context, 0);
        let state = if state.is_null() { 0 } else { *state };
        let mut answer = Answer::new();
        let code = counted(|| js_value(Data::of(context).number(), state, end.into(), &raw mut answer));
        answer.give(context, code);
    }
}

unsafe extern "C" fn value(context: *mut sys::sqlite3_context) {
    // SAFETY: SQLite calls it with what it promises to.
    unsafe { valued(context, false) }
}

unsafe extern "C" fn end(context: *mut sys::sqlite3_context) {
    // SAFETY: SQLite calls it with what it promises to.
    unsafe { valued(context, true) }
}

/// Defines an aggregate; one with an inverse is a window function, too. Otherwise as [`kit_function`].
///
/// # Safety
/// As [`kit_function`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_aggregate(
    db: *mut sys::sqlite3,
    name: *const c_char,
    argc: c_int,
    flags: c_int,
    data: usize,
) -> c_int {
    let is_window = Data(data).has_inverse();
    // SAFETY: as the caller promises.
    unsafe {
        sys::sqlite3_create_window_function(
            db,
            name,
            argc,
            sys::SQLITE_UTF8 | flags,
            data as *mut c_void,
            Some(step),
            Some(end),
            is_window.then_some(value as unsafe extern "C" fn(*mut sys::sqlite3_context)),
            is_window.then_some(inverse as unsafe extern "C" fn(_, _, _)),
            Some(destroy),
        )
    }
}
