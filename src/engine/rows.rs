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
//! | 5 [`PLAIN`] | plain text | offset into the list, length: two `u32` |
//! | 6 [`TEXT`] | other text, UTF-8 | offset into the heap, length: two `u32` |
//! | 7 [`BLOB`] | bytes | offset into the heap, length: two `u32` |
//!
//! All numbers are little-endian. Plain text is printable ASCII without quotation marks and backslashes, and no longer than
//! [`LONGEST_PLAIN`]. In the order of its cells it makes up the list, which is the text of a JSON array of strings. So one call
//! makes all strings of a batch in JavaScript, each with bytes of its own: measured, that is as fast as slices of one long
//! string, which would keep the long string alive, and takes a third of the time of a `TextDecoder` call for each.

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
pub const PLAIN: u8 = 5;
/// See the table above.
pub const TEXT: u8 = 6;
/// See the table above.
pub const BLOB: u8 = 7;

/// A longer text is decoded by itself: that costs one call, and the list two copies.
pub const LONGEST_PLAIN: usize = 1024;

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
    list: Vec<u8>,
    heap: Vec<u8>,
}

impl Batch {
    /// Makes it empty, for rows of so many columns.
    pub fn clear(&mut self, columns: usize) {
        self.rows = 0;
        self.columns = columns;
        self.cells.clear();
        self.tags.clear();
        for bytes in [&mut self.list, &mut self.heap] {
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

    /// The plain texts, as a JSON array once [`finish`](Self::finish) was called; empty if there are none.
    #[must_use]
    pub fn list(&self) -> &[u8] {
        &self.list
    }

    /// Other texts, and blobs.
    #[must_use]
    pub fn heap(&self) -> &[u8] {
        &self.heap
    }

    /// It is large enough to be handed out.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.cells.len() * 9 + self.list.len() + self.heap.len() >= BATCH_BYTES
    }

    /// Closes the list of plain texts. No row may be added afterwards.
    pub fn finish(&mut self) {
        if let Some(comma) = self.list.last_mut() {
            *comma = b']';
        }
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
        if text.len() > LONGEST_PLAIN || !is_plain(text) {
            return Ok((TEXT, append(&mut self.heap, text)?));
        }
        // Brackets, quotation marks and a comma.
        self.list.try_reserve(text.len() + 4).map_err(|_| OutOfMemory)?;
        if self.list.is_empty() {
            self.list.push(b'[');
        }
        self.list.push(b'"');
        let cell = append(&mut self.list, text)?;
        self.list.extend_from_slice(b"\",");
        Ok((PLAIN, cell))
    }
}

/// Printable ASCII that means itself inside a JSON string.
fn is_plain(text: &[u8]) -> bool {
    // Eight at a time, with a high bit for each byte that is not plain: http://graphics.stanford.edu/~seander/bithacks.html
    // (ZeroInWord, HasLess). A borrow can only make a false alarm beside a true one.
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let odd = |word: u64| {
        let zero_in = |word: u64| word.wrapping_sub(ONES) & !word;
        let is = |byte: u8, word: u64| zero_in(word ^ (ONES * u64::from(byte)));
        let control = word.wrapping_sub(ONES * 0x20) & !word;
        (word | control | is(b'"', word) | is(b'\\', word)) & HIGH
    };
    let (words, rest) = text.as_chunks::<8>();
    words.iter().all(|word| odd(u64::from_le_bytes(*word)) == 0)
        && rest.iter().all(|byte| matches!(byte, 0x20..0x80) && *byte != b'"' && *byte != b'\\')
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
