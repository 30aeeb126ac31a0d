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
pub(super) fn encode_integer(value: i64, big_integers: bool) -> (u8, u64) {
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
pub(super) unsafe fn bytes_of<'a>(pointer: *const u8, len: std::ffi::c_int) -> &'a [u8] {
    match usize::try_from(len) {
        // SAFETY: as the caller promises.
        Ok(len) if !pointer.is_null() => unsafe { slice::from_raw_parts(pointer, len) },
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::super::params::{self, Lifetime};
    use super::*;
    use std::ffi::{CStr, c_int};
    use std::ptr;

    /// A value as SQLite has it.
    #[derive(Clone, Debug, PartialEq)]
    enum Value {
        Null,
        Integer(i64),
        Float(f64),
        Text(String),
        Blob(Vec<u8>),
    }

    /// A connection and a statement that answers its parameters.
    struct Echo {
        db: *mut sys::sqlite3,
        statement: *mut sys::sqlite3_stmt,
    }

    impl Echo {
        fn new(sql: &CStr) -> Self {
            let (mut db, mut statement) = (ptr::null_mut(), ptr::null_mut());
            // SAFETY: plain use of SQLite; both pointers are checked.
            unsafe {
                assert_eq!(sys::sqlite3_open(c":memory:".as_ptr(), &raw mut db), sys::SQLITE_OK);
                let code = sys::sqlite3_prepare_v2(db, sql.as_ptr(), -1, &raw mut statement, ptr::null_mut());
                assert_eq!(code, sys::SQLITE_OK);
            }
            Self { db, statement }
        }

        /// Binds with the encoding of parameters, steps, and takes the row as a batch.
        fn row(&self, values: &[Value], big_integers: bool) -> Batch {
            let inbox = encode_params(values);
            let mut batch = Batch::default();
            // SAFETY: the statement is live, the inbox outlives the step.
            unsafe {
                sys::sqlite3_reset(self.statement);
                let code = params::bind(self.statement, inbox.as_ptr().cast(), values.len(), Lifetime::Call);
                assert_eq!(code, sys::SQLITE_OK);
                assert_eq!(sys::sqlite3_step(self.statement), sys::SQLITE_ROW);
                batch.clear(sys::sqlite3_column_count(self.statement) as usize);
                batch.push_row(self.statement, big_integers).unwrap();
            }
            batch.finish();
            batch
        }
    }

    impl Drop for Echo {
        fn drop(&mut self) {
            // SAFETY: neither is used any more.
            unsafe {
                sys::sqlite3_finalize(self.statement);
                sys::sqlite3_close(self.db);
            }
        }
    }

    /// What `js/src/params.ts` writes, written here by what the format says.
    fn encode_params(values: &[Value]) -> Vec<u64> {
        let head = values.len() * 9;
        let (mut cells, mut tags, mut heap) = (Vec::new(), Vec::new(), Vec::new());
        for value in values {
            let (tag, cell) = match value {
                Value::Null => (NULL, 0),
                Value::Integer(value) => (INT64, *value as u64),
                Value::Float(value) => (NUMBER, value.to_bits()),
                Value::Text(text) => (TEXT, place(&mut heap, head, text.as_bytes())),
                Value::Blob(bytes) => (BLOB, place(&mut heap, head, bytes)),
            };
            tags.push(tag);
            cells.push(cell);
        }
        let mut bytes: Vec<u8> = cells.iter().flat_map(|cell: &u64| cell.to_le_bytes()).collect();
        bytes.extend(tags);
        bytes.extend(heap);
        bytes
            .chunks(8)
            .map(|part| {
                let mut word = [0; 8];
                word[..part.len()].copy_from_slice(part);
                u64::from_le_bytes(word)
            })
            .collect()
    }

    fn place(heap: &mut Vec<u8>, head: usize, bytes: &[u8]) -> u64 {
        let cell = (bytes.len() as u64) << 32 | (head + heap.len()) as u64;
        heap.extend_from_slice(bytes);
        cell
    }

    /// What `js/src/rows.ts` reads, read here by what the format says.
    fn decode(batch: &Batch) -> Vec<Value> {
        let part = |bytes: &[u8], cell: u64| {
            let start = (cell & 0xFFFF_FFFF) as usize;
            bytes[start..start + (cell >> 32) as usize].to_vec()
        };
        let text = |bytes: Vec<u8>| Value::Text(String::from_utf8(bytes).unwrap());
        let value = |(&tag, &cell): (&u8, &u64)| match tag {
            NULL => Value::Null,
            INT32 => Value::Integer(i64::from(cell as u32 as i32)),
            INT64 | TOO_LARGE => Value::Integer(cell as i64),
            NUMBER => Value::Float(f64::from_bits(cell)),
            PLAIN => text(part(batch.list(), cell)),
            TEXT => text(part(batch.heap(), cell)),
            BLOB => Value::Blob(part(batch.heap(), cell)),
            tag => panic!("no such tag: {tag}"),
        };
        batch.tags().iter().zip(batch.cells()).map(value).collect()
    }

    const ECHO: &CStr = c"SELECT ?1, ?2, ?3, ?4, ?5, ?6";

    #[test]
    fn each_integer_has_the_tag_of_its_size() {
        let safe = MAX_SAFE_INTEGER;
        let echo = Echo::new(ECHO);
        let (i32_min, i32_max) = (i64::from(i32::MIN), i64::from(i32::MAX));
        for (value, tag) in [
            (0, INT32),
            (-1, INT32),
            (i32_max, INT32),
            (i32_min, INT32),
            (i32_max + 1, NUMBER),
            (i32_min - 1, NUMBER),
            (safe, NUMBER),
            (-safe, NUMBER),
            (safe + 1, TOO_LARGE),
            (-safe - 1, TOO_LARGE),
            (i64::MAX, TOO_LARGE),
            (i64::MIN, TOO_LARGE),
        ] {
            let batch = echo.row(&[Value::Integer(value)], false);
            assert_eq!(batch.tags()[0], tag, "{value}");
            let same = match decode(&batch)[0] {
                Value::Integer(decoded) => decoded == value,
                Value::Float(decoded) => decoded as i64 == value,
                _ => false,
            };
            assert!(same, "{value}");
            let batch = echo.row(&[Value::Integer(value)], true);
            assert_eq!((batch.tags()[0], batch.cells()[0]), (INT64, value as u64), "{value}");
        }
    }

    #[test]
    fn a_text_is_plain_if_it_means_itself_in_json() {
        let long = "x".repeat(LONGEST_PLAIN);
        for (text, plain) in [
            ("", true),
            ("a", true),
            ("1234567", true),
            ("12345678", true),
            (" ~ 'single' <tag>", true),
            ("\u{7f}", true),
            ("\"", false),
            ("\\", false),
            ("\n", false),
            ("\0", false),
            ("\u{1f}", false),
            ("é", false),
            ("12345678\"", false),
            ("1234567\\", false),
            ("12345678\t1", false),
            ("1234567é", false),
            ("日本語", false),
            (long.as_str(), true),
            (&format!("{long}x"), false),
        ] {
            let batch = Echo::new(ECHO).row(&[Value::Text(text.into())], false);
            assert_eq!(batch.tags()[0], if plain { PLAIN } else { TEXT }, "{text:?}");
            assert_eq!(decode(&batch)[0], Value::Text(text.into()));
        }
        // All bytes, at each place of a word.
        for byte in 0..=255u8 {
            for at in 0..9 {
                let mut bytes = *b"abcdefghi";
                bytes[at] = byte;
                let expected = (0x20..0x80).contains(&byte) && byte != b'"' && byte != b'\\';
                assert_eq!(is_plain(&bytes), expected, "{byte:#x} at {at}");
            }
        }
    }

    #[test]
    fn the_list_is_a_json_array_of_the_plain_texts_in_order() {
        let values = ["one", "zwei", "drei\"", "vier"].map(|text| Value::Text(text.into()));
        let batch = Echo::new(ECHO).row(&values, false);
        assert_eq!(batch.list(), br#"["one","zwei","vier"]"#);
        assert_eq!(Echo::new(ECHO).row(&[Value::Null], false).list(), b"");
    }

    #[test]
    fn generated_values_come_out_as_they_went_in() {
        let echo = Echo::new(ECHO);
        let mut random = Random(0x5EED_1234_5678_9ABC);
        for _ in 0..3000 {
            let values: Vec<Value> = (0..6).map(|_| random.value()).collect();
            let decoded = decode(&echo.row(&values, true));
            // SQLite has no NaN: it is NULL.
            let expected: Vec<Value> = values
                .into_iter()
                .map(|value| if matches!(value, Value::Float(f) if f.is_nan()) { Value::Null } else { value })
                .collect();
            assert_eq!(decoded, expected);
        }
    }

    #[test]
    fn a_batch_is_full_before_it_is_large() {
        let echo = Echo::new(ECHO);
        let mut batch = Batch::default();
        batch.clear(6);
        let mut rows = 0;
        while !batch.is_full() {
            let inbox = encode_params(&[Value::Text("some text".into()), Value::Blob(vec![7; 100])]);
            // SAFETY: as in `row`.
            unsafe {
                sys::sqlite3_reset(echo.statement);
                params::bind(echo.statement, inbox.as_ptr().cast(), 2, Lifetime::Call);
                assert_eq!(sys::sqlite3_step(echo.statement), sys::SQLITE_ROW);
                batch.push_row(echo.statement, false).unwrap();
            }
            rows += 1;
        }
        assert_eq!(batch.rows(), rows);
        assert!(batch.heap().len() + batch.list().len() + batch.cells().len() * 9 < BATCH_BYTES + 1000);
    }

    #[test]
    fn an_unknown_tag_of_a_parameter_is_refused() {
        let echo = Echo::new(ECHO);
        let inbox = [0u64, 99];
        // SAFETY: one cell and one tag are there.
        let code = unsafe { params::bind(echo.statement, inbox.as_ptr().cast(), 1, Lifetime::Moment) };
        assert_eq!(code, sys::SQLITE_MISMATCH as c_int);
    }

    /// xorshift64*: the same values in every run.
    struct Random(u64);

    impl Random {
        fn next(&mut self) -> u64 {
            self.0 ^= self.0 >> 12;
            self.0 ^= self.0 << 25;
            self.0 ^= self.0 >> 27;
            self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
        }

        fn value(&mut self) -> Value {
            let len = [0, 1, 7, 8, 12, 13, 100, 1023, 1024, 1025, 5000][(self.next() % 11) as usize];
            match self.next() % 8 {
                0 => Value::Null,
                1 => Value::Integer(self.next() as i64),
                2 => Value::Integer(self.next() as i64 >> (self.next() % 64)),
                3 => Value::Float(f64::from_bits(self.next())),
                4 => Value::Text((0..len).map(|_| char::from(b' ' + (self.next() % 95) as u8)).collect()),
                5 => {
                    Value::Text((0..len).map(|_| char::from_u32(self.next() as u32 % 0xD800).unwrap_or('x')).collect())
                }
                6 => Value::Text("plain text".repeat(len / 10)),
                _ => Value::Blob((0..len).map(|_| self.next() as u8).collect()),
            }
        }
    }
}
