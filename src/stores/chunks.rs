//! Bytes in chunks that never move.
//!
//! One growing buffer would copy itself again and again, and keep the largest size it ever had. Here growth copies nothing
//! but the table of pointers, a hole costs nothing, and cutting gives chunks back to the allocator.

mod undo;

pub(super) use undo::Undo;

use std::cell::Cell;
use std::rc::Rc;

use crate::vfs::{ErrorCode, Result, VfsError};

/// Bytes in a chunk: a page, as most databases have them. A batch that overwrites one exchanges it ([`Undo`]).
pub(super) const CHUNK: usize = 4096;

/// A vector with room for a whole chunk from the beginning, so that it never moves. What it does not hold yet is zero: most
/// chunks are filled from their beginning to their end, and would otherwise be written twice.
type Chunk = Vec<u8>;

/// How much heap the chunks of several files may take together.
#[derive(Debug)]
pub(super) struct Budget {
    used: Cell<u64>,
    max: u64,
}

impl Budget {
    pub(super) fn new(max: Option<u64>) -> Self {
        Self { used: Cell::new(0), max: max.unwrap_or(u64::MAX) }
    }

    /// Bytes of heap in chunks.
    pub(super) fn used(&self) -> u64 {
        self.used.get()
    }

    fn give_back(&self, chunks: usize) {
        self.used.set(self.used.get() - (chunks * CHUNK) as u64);
    }
}

/// The bytes of one file.
#[derive(Debug)]
pub(super) struct Chunks {
    /// `None` is a hole: zeros that take no space.
    table: Vec<Option<Chunk>>,
    /// No chunk holds bytes beyond it.
    len: u64,
    budget: Rc<Budget>,
}

/// Where a byte lies. The table is indexed by `usize`, so a file may be as long as the address space has room for.
fn split(offset: u64) -> Option<(usize, usize)> {
    let chunk = usize::try_from(offset / CHUNK as u64).ok()?;
    Some((chunk, (offset % CHUNK as u64) as usize))
}

#[cold]
fn full<E>(_: E) -> VfsError {
    VfsError::new(ErrorCode::Full, "no memory is left for the file")
}

impl Chunks {
    pub(super) fn new(budget: Rc<Budget>) -> Self {
        Self { table: Vec::new(), len: 0, budget }
    }

    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Copies bytes out; answers how many there were.
    pub(super) fn read_at(&self, buffer: &mut [u8], offset: u64) -> usize {
        let there = self.len.saturating_sub(offset);
        let count = usize::try_from(there).map_or(buffer.len(), |there| there.min(buffer.len()));
        let Some((mut index, mut start)) = split(offset) else { return 0 };
        let mut rest = buffer.get_mut(..count).unwrap_or_default();
        while !rest.is_empty() {
            let (part, more) = rest.split_at_mut(rest.len().min(CHUNK - start));
            match self.table.get(index) {
                Some(Some(chunk)) => read_chunk(chunk, part, start),
                _ => part.fill(0),
            }
            rest = more;
            index += 1;
            start = 0;
        }
        count
    }

    /// Copies bytes in: all of them, or none and the file is as it was.
    pub(super) fn write_at(&mut self, data: &[u8], offset: u64) -> Result<()> {
        if data.is_empty() {
            return Ok(());
        }
        let end = offset.checked_add(data.len() as u64).ok_or_else(|| full(()))?;
        let (first, _) = split(offset).ok_or_else(|| full(()))?;
        self.allocate(first, split(end - 1).ok_or_else(|| full(()))?.0)?;
        self.put(data, offset);
        self.len = self.len.max(end);
        Ok(())
    }

    /// Bytes that lie in one piece; `None` if they do not, or not all of them were ever written.
    pub(super) fn piece(&self, offset: u64, len: usize) -> Option<&[u8]> {
        if offset.checked_add(len as u64)? > self.len {
            return None;
        }
        let (index, start) = split(offset)?;
        self.table.get(index)?.as_ref()?.get(start..start.checked_add(len)?)
    }

    /// Room for bytes, which the caller fills, as if they were written; `None` if it would be in two pieces.
    pub(super) fn room(&mut self, offset: u64, len: usize) -> Result<Option<&mut [u8]>> {
        let end = offset.checked_add(len as u64).ok_or_else(|| full(()))?;
        let (index, start) = split(offset).ok_or_else(|| full(()))?;
        let Some(stop) = start.checked_add(len).filter(|&stop| stop <= CHUNK && len > 0) else { return Ok(None) };
        self.allocate(index, index)?;
        self.len = self.len.max(end);
        let Some(Some(chunk)) = self.table.get_mut(index) else { return Ok(None) };
        if chunk.len() < stop {
            chunk.resize(stop, 0);
        }
        Ok(chunk.get_mut(start..stop))
    }

    /// Copies bytes into the chunks that are there, and passes over holes. The length stays as it is.
    #[inline]
    pub(super) fn put(&mut self, data: &[u8], offset: u64) {
        let Some((mut index, mut start)) = split(offset) else { return };
        let mut rest = data;
        while !rest.is_empty() {
            let (part, more) = rest.split_at(rest.len().min(CHUNK - start));
            if let Some(Some(chunk)) = self.table.get_mut(index) {
                write_chunk(chunk, part, start);
            }
            rest = more;
            index += 1;
            start = 0;
        }
    }

    /// Makes the file this long, and gives back the chunks it no longer needs.
    pub(super) fn set_len(&mut self, len: u64) -> Result<()> {
        if len < self.len {
            self.cut(len);
            self.trim();
        } else {
            // What is new is a hole, and a hole needs no entry in the table either.
            split(len).ok_or_else(|| full(()))?;
            self.len = len;
        }
        Ok(())
    }

    /// Makes the file shorter but keeps its chunks, so that it can be made longer again without asking for memory.
    pub(super) fn cut(&mut self, len: u64) {
        if len >= self.len {
            return;
        }
        let Some((first, mut start)) = split(len) else { return };
        for chunk in self.table.iter_mut().skip(first) {
            if let Some(chunk) = chunk {
                chunk.truncate(start);
            }
            start = 0;
        }
        self.len = len;
    }

    /// Gives back the chunks beyond the end.
    pub(super) fn trim(&mut self) {
        self.free_from(self.wanted());
    }

    /// How many entries of the table the file's length needs.
    fn wanted(&self) -> usize {
        usize::try_from(self.len.div_ceil(CHUNK as u64)).unwrap_or(usize::MAX)
    }

    /// Gives back chunks, and keeps their entries in the table.
    fn empty_from(&mut self, index: usize) {
        let emptied = self.table.iter_mut().skip(index).filter_map(Option::take).count();
        self.budget.give_back(emptied);
    }

    fn free_from(&mut self, index: usize) {
        if index >= self.table.len() {
            return;
        }
        self.empty_from(index);
        self.table.truncate(index);
        // The table too, when it has become much too large. Shrinking by a little would only cost.
        if self.table.capacity() > 64 && self.table.len() < self.table.capacity() / 4 {
            self.table.shrink_to(self.table.len() * 2);
        }
    }

    /// Sees to it that the chunks `first..=last` exist.
    #[inline]
    fn allocate(&mut self, first: usize, last: usize) -> Result<()> {
        if first == last && matches!(self.table.get(first), Some(Some(_))) {
            return Ok(());
        }
        self.allocate_missing(first, last)
    }

    #[cold]
    fn allocate_missing(&mut self, first: usize, last: usize) -> Result<()> {
        let wanted = last.checked_add(1).ok_or_else(|| full(()))?;
        let before = self.table.len();
        if let Some(more) = wanted.checked_sub(self.table.len()) {
            self.table.try_reserve(more).map_err(full)?;
            self.table.resize_with(wanted, || None);
        }
        for index in first..=last {
            if let Some(slot @ None) = self.table.get_mut(index) {
                match new_chunk(&self.budget) {
                    Ok(chunk) => *slot = Some(chunk),
                    Err(error) => {
                        // What was begun is given back. A hole within the file that became zeros stays, and so does the
                        // table, for a batch of writes that has cut the file needs its entries on the way back.
                        self.empty_from(self.wanted());
                        self.table.truncate(before);
                        return Err(error);
                    }
                }
            }
        }
        Ok(())
    }
}

impl Drop for Chunks {
    fn drop(&mut self) {
        self.len = 0;
        self.trim();
    }
}

fn new_chunk(budget: &Budget) -> Result<Chunk> {
    let used = budget.used.get().saturating_add(CHUNK as u64);
    if used > budget.max {
        return Err(VfsError::new(ErrorCode::Full, format!("the store's limit of {} bytes is reached", budget.max)));
    }
    let chunk = vacant()?;
    budget.used.set(used);
    Ok(chunk)
}

/// A chunk that no store counts.
fn vacant() -> Result<Chunk> {
    let mut chunk = Vec::new();
    chunk.try_reserve_exact(CHUNK).map_err(full)?;
    Ok(chunk)
}

/// Copies out of a chunk. The part lies within it.
#[inline]
fn read_chunk(chunk: &Chunk, part: &mut [u8], start: usize) {
    if let Some(bytes) = chunk.get(start..start + part.len()) {
        part.copy_from_slice(bytes);
        return;
    }
    let held = chunk.get(start..).unwrap_or_default();
    let (front, rest) = part.split_at_mut(held.len());
    front.copy_from_slice(held);
    rest.fill(0);
}

/// Copies into a chunk. The part lies within it, so the room it was made with is enough.
#[inline]
fn write_chunk(chunk: &mut Chunk, part: &[u8], start: usize) {
    if let Some(bytes) = chunk.get_mut(start..start + part.len()) {
        bytes.copy_from_slice(part);
        return;
    }
    if start > chunk.len() {
        chunk.resize(start, 0);
    }
    let (over, rest) = part.split_at(chunk.len() - start);
    if let Some(bytes) = chunk.get_mut(start..) {
        bytes.copy_from_slice(over);
    }
    chunk.extend_from_slice(rest);
    debug_assert!(chunk.len() <= CHUNK);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunks(max: Option<u64>) -> Chunks {
        Chunks::new(Rc::new(Budget::new(max)))
    }

    fn read(chunks: &Chunks, offset: u64, len: usize) -> Vec<u8> {
        let mut buffer = vec![0xEE; len];
        let count = chunks.read_at(&mut buffer, offset);
        buffer.truncate(count);
        buffer
    }

    #[test]
    fn bytes_across_borders_come_back() {
        let mut file = chunks(None);
        let data: Vec<u8> = (0..3 * CHUNK).map(|i| (i % 251) as u8).collect();
        file.write_at(&data, 1000).unwrap();
        assert_eq!(file.len(), 1000 + data.len() as u64);
        assert_eq!(read(&file, 1000, data.len()), data);
        assert_eq!(read(&file, CHUNK as u64 - 3, 7), data[CHUNK - 1003..CHUNK - 996]);
        assert_eq!(read(&file, 0, 1000), vec![0; 1000]);
        assert!(read(&file, file.len(), 10).is_empty());
        assert!(read(&file, u64::MAX, 10).is_empty());
    }

    #[test]
    fn what_was_cut_reads_as_zero_when_the_file_grows_again() {
        let mut file = chunks(None);
        file.write_at(&[7; 100_000], 0).unwrap();
        file.set_len(10).unwrap();
        file.set_len(100_000).unwrap();
        let mut expected = vec![0; 100_000];
        expected[..10].fill(7);
        assert_eq!(read(&file, 0, 100_000), expected);
    }

    #[test]
    fn a_hole_takes_no_heap_and_cut_chunks_are_given_back() {
        let mut file = chunks(None);
        file.write_at(&[1], 1 << 30).unwrap();
        assert_eq!(file.budget.used(), CHUNK as u64);
        assert_eq!(read(&file, (1 << 30) - 5, 6), [0, 0, 0, 0, 0, 1]);
        file.set_len(1).unwrap();
        assert_eq!(file.budget.used(), 0);
        file.set_len(1 << 40).unwrap();
        assert_eq!(file.budget.used(), 0, "growing makes a hole");
    }

    #[test]
    fn a_write_without_room_changes_nothing() {
        let mut file = chunks(Some(2 * CHUNK as u64));
        file.write_at(&[5; CHUNK], 0).unwrap();
        let error = file.write_at(&[6; 2 * CHUNK], 10).unwrap_err();
        assert_eq!(error.code(), ErrorCode::Full);
        assert_eq!(file.len(), CHUNK as u64);
        assert_eq!(read(&file, 0, 2 * CHUNK), vec![5; CHUNK]);
        assert_eq!(file.budget.used(), CHUNK as u64, "what was begun is given back");
        file.write_at(&[6; CHUNK], CHUNK as u64).unwrap();
    }

    #[test]
    fn dropping_gives_everything_back() {
        let budget = Rc::new(Budget::new(None));
        let mut file = Chunks::new(budget.clone());
        file.write_at(&[1; 3 * CHUNK], 0).unwrap();
        drop(file);
        assert_eq!(budget.used(), 0);
    }
}
