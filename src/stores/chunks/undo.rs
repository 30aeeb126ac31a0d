//! The way back from a batch of writes: running out of space in its middle must leave the file whole.

use super::{CHUNK, Chunk, Chunks, full, split, vacant};
use crate::vfs::Result;

/// Chunks that are kept from one batch to the next, so that a commit allocates nothing. That of an ordinary statement
/// needs fewer.
const MAX_SPARE: usize = 64;

/// What a batch has done to a file.
#[derive(Debug, Default)]
pub(in crate::stores) struct Undo {
    /// Length of the file when the batch began, in bytes.
    len: u64,
    /// Oldest first.
    steps: Vec<Step>,
    /// What was overwritten in part, one after another.
    bytes: Vec<u8>,
    spare: Vec<Chunk>,
}

#[derive(Debug)]
enum Step {
    /// So many bytes at an offset were overwritten. They are the last ones of `bytes`.
    Overwritten(u64, usize),
    /// Another chunk took the place of this one.
    Replaced(usize, Chunk),
    /// The chunk was cut off. The store still counts it, or there might be no room for it on the way back.
    Cut(usize, Chunk),
    /// From this one on, no chunk was left: what is there came later.
    Emptied(usize),
}

impl Undo {
    /// Begins a batch.
    pub(in crate::stores) fn begin(&mut self, file: &Chunks) {
        self.len = file.len;
    }

    /// [`Chunks::write_at`]. A whole chunk, as most pages are, takes the place of the old one: nothing is copied to be kept.
    #[inline]
    pub(in crate::stores) fn write_at(&mut self, file: &mut Chunks, data: &[u8], offset: u64) -> Result<()> {
        if let Some((index, 0)) = split(offset)
            && data.len() == CHUNK
            && offset + CHUNK as u64 <= self.len.min(file.len)
            && let Some(Some(there)) = file.table.get_mut(index)
        {
            self.steps.try_reserve(1).map_err(full)?;
            let mut chunk = match self.spare.pop() {
                Some(chunk) => chunk,
                None => vacant()?,
            };
            chunk.extend_from_slice(data);
            self.steps.push(Step::Replaced(index, std::mem::replace(there, chunk)));
            return Ok(());
        }
        self.save(file, offset, data.len() as u64)?;
        file.write_at(data, offset)
    }

    /// Keeps what `len` bytes at `offset` are about to overwrite.
    pub(in crate::stores) fn save(&mut self, file: &Chunks, offset: u64, len: u64) -> Result<()> {
        let end = offset.saturating_add(len).min(self.len).min(file.len);
        let Some(count) = end.checked_sub(offset).filter(|&count| count > 0) else { return Ok(()) };
        let count = usize::try_from(count).map_err(full)?;
        self.steps.try_reserve(1).map_err(full)?;
        self.bytes.try_reserve(count).map_err(full)?;
        let start = self.bytes.len();
        self.bytes.resize(start + count, 0);
        file.read_at(self.bytes.get_mut(start..).unwrap_or_default(), offset);
        self.steps.push(Step::Overwritten(offset, count));
        Ok(())
    }

    /// Makes the file shorter.
    pub(in crate::stores) fn cut(&mut self, file: &mut Chunks, len: u64) -> Result<()> {
        let Some((index, start)) = split(len).filter(|_| len < file.len) else { return Ok(()) };
        let first = if start > 0 {
            self.save(file, len, (CHUNK - start) as u64)?;
            index + 1
        } else {
            index
        };
        self.steps.try_reserve(file.table.len().saturating_sub(first) + 1).map_err(full)?;
        let whole = file.table.iter_mut().enumerate().skip(first);
        self.steps.extend(whole.filter_map(|(index, chunk)| Some(Step::Cut(index, chunk.take()?))));
        self.steps.push(Step::Emptied(first));
        file.cut(len);
        Ok(())
    }

    /// Ends the batch, and keeps what it did or undoes it. Undoing cannot fail: it asks for no memory.
    pub(in crate::stores) fn end(&mut self, file: &mut Chunks, keep: bool) {
        while let Some(step) = self.steps.pop() {
            match step {
                Step::Overwritten(offset, count) => {
                    let start = self.bytes.len().saturating_sub(count);
                    if !keep {
                        file.put(self.bytes.get(start..).unwrap_or_default(), offset);
                    }
                    self.bytes.truncate(start);
                }
                Step::Replaced(_, chunk) if keep => self.spare(chunk),
                Step::Cut(_, chunk) if keep => {
                    file.budget.give_back(1);
                    self.spare(chunk);
                }
                Step::Replaced(index, chunk) | Step::Cut(index, chunk) => {
                    if let Some(there) = file.table.get_mut(index) {
                        *there = Some(chunk);
                    }
                }
                Step::Emptied(_) if keep => {}
                Step::Emptied(first) => file.empty_from(first),
            }
        }
        if !keep {
            // What is missing was a hole, and what is beyond goes, however long the file is now.
            file.len = u64::MAX;
            file.cut(self.len);
        }
        file.trim();
        self.bytes.shrink_to(MAX_SPARE * CHUNK);
        self.steps.shrink_to(MAX_SPARE);
    }

    fn spare(&mut self, mut chunk: Chunk) {
        if self.spare.len() < MAX_SPARE && self.spare.try_reserve(1).is_ok() {
            chunk.clear();
            self.spare.push(chunk);
        }
    }
}
