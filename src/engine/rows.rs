//! The encoding in which rows leave the engine: batches of values (format 1, `js/src/rows.ts` reads it).
//!
//! A batch is `rows × columns` values, row by row. Each has a tag of one byte, and a cell of eight:
//!
//! | tag | value | cell |
//! | --- | --- | --- |
//! | 0 [`NULL`] | NULL | unused |
//! | 1 [`INT32`] | an integer that fits 32 bits | `i32` in the low half |
//! | 2 [`NUMBER`] | a float, or an integer within ±(2^53 − 1) | `f64` |
//! | 3 [`INT64`] | any integer, where big integers are asked for | `i64` |
//! | 4 [`TOO_LARGE`] | an integer beyond ±(2^53 − 1) where they are not | `i64` |
//! | 5 [`ASCII`] | text, all ASCII | offset into the ASCII bytes, length: two `u32` |
//! | 6 [`TEXT`] | text, UTF-8 | offset into the heap, length: two `u32` |
//! | 7 [`BLOB`] | bytes | offset into the heap, length: two `u32` |
//!
//! ASCII lies apart, so that one decoding serves a whole batch. All numbers are little-endian.

use std::slice;

use crate::sys;

/// See the table above.
pub const NULL: u8 = 0;
/// See the table above.
pub const INT32: u8 = 1;
/// See the table above.
pub const NUMBER: u8 = 2;
/// See the table above.
pub const INT64: u8 = 3;
/// See the table above.
pub const TOO_LARGE: u8 = 4;
/// See the table above.
pub const ASCII: u8 = 5;
/// See the table above.
pub const TEXT: u8 = 6;
/// See the table above.
pub const BLOB: u8 = 7;

/// JavaScript's `Number.MAX_SAFE_INTEGER`.
const MAX_SAFE_INTEGER: i64 = (1 << 53) - 1;

/// A batch is handed out when it has grown to so many bytes, so that a large result stays small in both memories.
const BATCH_BYTES: usize = 256 * 1024;

/// Heap that one batch leaves for the next.
const KEPT_BYTES: usize = 1 << 20;

/// There is no memory for the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfMemory;

/// Rows on their way out.
#[derive(Debug, Default)]
pub struct Batch {
    rows: usize,
    columns: usize,
    cells: Vec<u64>,
    tags: Vec<u8>,
    ascii: Vec<u8>,
    heap: Vec<u8>,
}

impl Batch {
    /// Makes it empty, for rows of so many columns.
    pub fn clear(&mut self, columns: usize) {
        self.rows = 0;
        self.columns = columns;
        self.cells.clear();
        self.tags.clear();
        for bytes in [&mut self.ascii, &mut self.heap] {
            bytes.clear();
            bytes.shrink_to(KEPT_BYTES);
        }
    }

    /// How many rows it has.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many values each row has.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Eight bytes for each value.
    #[must_use]
    pub fn cells(&self) -> &[u64] {
        &self.cells
    }

    /// A tag for each value.
    #[must_use]
    pub fn tags(&self) -> &[u8] {
        &self.tags
    }

    /// Texts that are ASCII.
    #[must_use]
    pub fn ascii(&self) -> &[u8] {
        &self.ascii
    }

    /// Other texts, and blobs.
    #[must_use]
    pub fn heap(&self) -> &[u8] {
        &self.heap
    }

    /// It is large enough to be handed out.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.cells.len() * 9 + self.ascii.len() + self.heap.len() >= BATCH_BYTES
    }

    /// Adds the row that the statement stands on.
    ///
    /// # Errors
    /// When there is no memory; the row is not in the batch then.
    ///
    /// # Safety
    /// `statement` stands on a row of as many columns as the batch was cleared for, and no other thread uses its connection.
    pub unsafe fn push_row(
        &mut self,
        statement: *mut sys::sqlite3_stmt,
        big_integers: bool,
    ) -> Result<(), OutOfMemory> {
        self.cells.try_reserve(self.columns).map_err(|_| OutOfMemory)?;
        self.tags.try_reserve(self.columns).map_err(|_| OutOfMemory)?;
        for column in 0..self.columns {
            // SAFETY: as the caller promises. The value is looked up once for all that is asked about it: with one thread
            // an unprotected one is as good (https://sqlite.org/c3ref/value.html).
            let (tag, cell) = unsafe {
                let value = sys::sqlite3_column_value(statement, column as std::ffi::c_int);
                match sys::sqlite3_value_type(value) {
                    sys::SQLITE_INTEGER => encode_integer(sys::sqlite3_value_int64(value), big_integers),
                    sys::SQLITE_FLOAT => (NUMBER, sys::sqlite3_value_double(value).to_bits()),
                    sys::SQLITE_TEXT => {
                        let text = sys::sqlite3_value_text(value);
                        self.push_text(bytes_of(text, sys::sqlite3_value_bytes(value)))?
                    }
                    sys::SQLITE_BLOB => {
                        let blob = sys::sqlite3_value_blob(value);
                        let bytes = bytes_of(blob.cast(), sys::sqlite3_value_bytes(value));
                        (BLOB, append(&mut self.heap, bytes)?)
                    }
                    _ => (NULL, 0),
                }
            };
            self.tags.push(tag);
            self.cells.push(cell);
        }
        self.rows += 1;
        Ok(())
    }

    fn push_text(&mut self, text: &[u8]) -> Result<(u8, u64), OutOfMemory> {
        if text.is_ascii() {
            Ok((ASCII, append(&mut self.ascii, text)?))
        } else {
            Ok((TEXT, append(&mut self.heap, text)?))
        }
    }
}

#[allow(clippy::cast_sign_loss, clippy::cast_precision_loss)]
fn encode_integer(value: i64, big_integers: bool) -> (u8, u64) {
    if big_integers {
        (INT64, value as u64)
    } else if let Ok(small) = i32::try_from(value) {
        (INT32, u64::from(small as u32))
    } else if (-MAX_SAFE_INTEGER..=MAX_SAFE_INTEGER).contains(&value) {
        (NUMBER, (value as f64).to_bits())
    } else {
        (TOO_LARGE, value as u64)
    }
}

/// Appends bytes and answers their cell: offset, and length in the high half.
fn append(target: &mut Vec<u8>, bytes: &[u8]) -> Result<u64, OutOfMemory> {
    target.try_reserve(bytes.len()).map_err(|_| OutOfMemory)?;
    let offset = u32::try_from(target.len()).map_err(|_| OutOfMemory)?;
    let len = u32::try_from(bytes.len()).map_err(|_| OutOfMemory)?;
    target.extend_from_slice(bytes);
    Ok(u64::from(len) << 32 | u64::from(offset))
}

/// # Safety
/// `pointer` is null or has `len` bytes that live and do not change as long as the answer is used.
unsafe fn bytes_of<'a>(pointer: *const u8, len: std::ffi::c_int) -> &'a [u8] {
    match usize::try_from(len) {
        // SAFETY: as the caller promises.
        Ok(len) if !pointer.is_null() => unsafe { slice::from_raw_parts(pointer, len) },
        _ => &[],
    }
}
