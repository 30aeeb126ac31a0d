//! Where the engine puts its answers: a few words at a fixed place.

use std::ffi::{CStr, c_char, c_int};

use super::context;
use super::rows::Batch;
use crate::register;
use crate::sys;
use crate::vfs::VfsError;

/// The words, in the order in which `js/src/context.ts` reads them. Pointers are into this module's memory.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(super) struct Words {
    /// Rows changed by a statement, or a 64-bit number that was asked for.
    pub changes: i64,
    /// Rowid of the last row inserted.
    pub last_insert_rowid: i64,
    /// Result code of the last call that answers a pointer.
    pub code: i32,
    /// A text or bytes, valid until the next call.
    pub text: usize,
    /// Its length in bytes.
    pub text_len: usize,
    /// Rows in the batch.
    pub rows: usize,
    /// Values in each of them.
    pub columns: usize,
    /// Eight bytes for each value: see `rows.rs`.
    pub cells: usize,
    /// A byte for each value.
    pub tags: usize,
    /// Plain texts, as a JSON array.
    pub list: usize,
    /// Its length in bytes.
    pub list_len: usize,
    /// Other texts and blobs, one after another.
    pub heap: usize,
    /// Their length in bytes.
    pub heap_len: usize,
    /// How often the statement was prepared anew: names and number of its columns may have changed with it.
    pub reprepared: usize,
    /// After a call that failed: the host's number for the exception that a VFS threw, or 0.
    pub cause: u32,
}

impl Words {
    pub(super) const NONE: Self = Self {
        changes: 0,
        last_insert_rowid: 0,
        code: 0,
        text: 0,
        text_len: 0,
        rows: 0,
        columns: 0,
        cells: 0,
        tags: 0,
        list: 0,
        list_len: 0,
        heap: 0,
        heap_len: 0,
        reprepared: 0,
        cause: 0,
    };
}

/// Where the words of the current context are. It never changes.
#[unsafe(no_mangle)]
pub extern "C" fn kit_outbox() -> *const u8 {
    context::with(|context| context.words.as_ptr().cast_const().cast())
}

pub(super) fn update(change: impl FnOnce(&mut Words)) {
    context::with(|context| {
        let mut copy = context.words.get();
        change(&mut copy);
        context.words.set(copy);
    });
}

/// Hands out a text that somebody else keeps alive until JavaScript has read it. Null is a text of no length at address 0.
///
/// # Safety
/// `text` is null or NUL-terminated.
pub(super) unsafe fn lend_c_text(text: *const c_char) {
    // SAFETY: as the caller promises.
    let len = if text.is_null() { 0 } else { unsafe { CStr::from_ptr(text) }.to_bytes().len() };
    lend_bytes(text.cast(), len);
}

/// As [`lend_c_text`], for bytes with a length.
pub(super) fn lend_bytes(bytes: *const u8, len: usize) {
    update(|words| {
        words.text = bytes as usize;
        words.text_len = len;
    });
}

/// Hands out bytes and keeps them until the next call.
pub(super) fn give_bytes(bytes: Vec<u8>) {
    context::with(|context| {
        let Ok(mut text) = context.text.try_borrow_mut() else { return };
        *text = bytes;
        lend_bytes(text.as_ptr(), text.len());
    });
}

/// An empty batch; with the vectors of the last one where nobody fills them right now. A statement may run inside another
/// one's step: then it gets its own.
pub(super) fn take_batch() -> Batch {
    context::with(|context| context.batch.take()).unwrap_or_default()
}

/// Hands out a batch.
pub(super) fn give_batch(mut batch: Batch, reprepared: usize) {
    batch.finish();
    update(|words| {
        words.rows = batch.rows();
        words.columns = batch.columns();
        words.cells = batch.cells().as_ptr() as usize;
        words.tags = batch.tags().as_ptr() as usize;
        words.list = batch.list().as_ptr() as usize;
        words.list_len = batch.list().len();
        words.heap = batch.heap().as_ptr() as usize;
        words.heap_len = batch.heap().len();
        words.reprepared = reprepared;
    });
    context::with(|context| context.batch.set(Some(batch)));
}

/// Before a call into SQLite: errors from earlier ones are not this one's.
pub(super) fn begin() {
    register::forget_latest_error();
}

/// After a call into SQLite that failed: the words of the VFS, if it was one, become part of the connection's message.
///
/// # Safety
/// `db` is an open connection, or one that failed to open, or null.
#[cold]
pub(super) unsafe fn explain(db: *mut sys::sqlite3, code: c_int) {
    update(|words| words.cause = 0);
    // SAFETY: as the caller promises; SQLite copies the message.
    unsafe {
        if let Some(message) = explained(db, code)
            && let Ok(message) = std::ffi::CString::new(message)
        {
            sys::sqlite3_set_errmsg(db, sys::sqlite3_extended_errcode(db), message.as_ptr());
        }
    }
}

/// The connection's message with the words of the VFS, if it was one that failed. SQLite takes no message for a connection
/// that did not open.
///
/// # Safety
/// As [`explain`].
#[cold]
pub(super) unsafe fn explained(db: *mut sys::sqlite3, code: c_int) -> Option<String> {
    let error = register::take_latest_error()?;
    // Another failure than the one that the VFS reported and SQLite got over.
    if error.code().raw() & 0xFF == code & 0xFF {
        update(|words| words.cause = error.cause());
    }
    if error.message().is_empty() || error.code().raw() & 0xFF != code & 0xFF || db.is_null() {
        return None;
    }
    // SAFETY: as the caller promises; the message is copied at once.
    let general = unsafe { CStr::from_ptr(sys::sqlite3_errmsg(db)) }.to_string_lossy();
    // A pragma that the VFS refused has its words for a message already.
    if general.ends_with(error.message()) { None } else { Some(format!("{general}: {}", error.message())) }
}

/// Answers an error of the facade as SQLite answers its own: a code, and the words in the outbox.
pub(super) fn refuse(error: &VfsError) -> c_int {
    give_bytes(error.message().as_bytes().to_vec());
    error.code().raw()
}
