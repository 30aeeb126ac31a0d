//! SQLite's five lock levels between the connections of one instance (<https://sqlite.org/lockingv3.html>).

use std::cell::Cell;
use std::rc::Rc;

use crate::vfs::{LockLevel, Result, VfsError};

/// The locks on one file, shared by every connection to it.
#[derive(Debug, Default)]
pub struct LockTable {
    /// How many connections hold SHARED or more.
    readers: Cell<u32>,
    /// The highest level that the one writer holds: NONE where there is none, else RESERVED or more.
    writer: Cell<LockLevel>,
}

impl LockTable {
    /// Does any connection hold RESERVED or more?
    #[must_use]
    pub fn is_reserved(&self) -> bool {
        self.writer.get() >= LockLevel::Reserved
    }

    /// Does any connection hold any lock?
    #[must_use]
    pub fn is_locked(&self) -> bool {
        self.readers.get() > 0
    }
}

/// One connection's lock on a file. Dropping it gives the lock back.
#[derive(Debug)]
pub struct FileLock {
    table: Rc<LockTable>,
    level: LockLevel,
}

impl FileLock {
    /// A lock on the file of this table, not taken yet.
    #[must_use]
    pub fn new(table: Rc<LockTable>) -> Self {
        Self { table, level: LockLevel::None }
    }

    /// The level held.
    #[must_use]
    pub fn level(&self) -> LockLevel {
        self.level
    }

    /// Does any connection hold RESERVED or more?
    #[must_use]
    pub fn is_reserved(&self) -> bool {
        self.table.is_reserved()
    }

    /// Raises the lock. A level that is held already is had at once.
    ///
    /// # Errors
    /// [`Busy`](crate::vfs::ErrorCode::Busy) when another connection stands in the way. A refused EXCLUSIVE leaves PENDING
    /// behind: no new reader is let in, so the writer gets its turn.
    pub fn lock(&mut self, level: LockLevel) -> Result<()> {
        if level <= self.level {
            return Ok(());
        }
        let table = &self.table;
        if self.level == LockLevel::None {
            if table.writer.get() >= LockLevel::Pending {
                return Err(VfsError::busy());
            }
            table.readers.set(table.readers.get() + 1);
            self.level = LockLevel::Shared;
        }
        if level == LockLevel::Shared {
            return Ok(());
        }
        // The writer is this connection, or nobody may be.
        if self.level < LockLevel::Reserved && table.is_reserved() {
            return Err(VfsError::busy());
        }
        // A hot journal is rolled back from SHARED straight to EXCLUSIVE, so RESERVED may be skipped.
        let wanted = if level == LockLevel::Exclusive && table.readers.get() > 1 { LockLevel::Pending } else { level };
        table.writer.set(wanted);
        self.level = wanted;
        if wanted == level { Ok(()) } else { Err(VfsError::busy()) }
    }

    /// Lowers the lock to SHARED or NONE. A level that is not above `level` stays.
    pub fn unlock(&mut self, level: LockLevel) {
        if level >= self.level {
            return;
        }
        if self.level >= LockLevel::Reserved {
            self.table.writer.set(LockLevel::None);
            self.level = LockLevel::Shared;
        }
        if level == LockLevel::None {
            self.table.readers.set(self.table.readers.get() - 1);
            self.level = LockLevel::None;
        }
    }
}

impl Drop for FileLock {
    fn drop(&mut self) {
        self.unlock(LockLevel::None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vfs::ErrorCode;

    fn busy(result: Result<()>) -> bool {
        result.is_err_and(|error| error.code() == ErrorCode::Busy)
    }

    #[test]
    fn readers_share_and_one_writes() {
        let table = Rc::new(LockTable::default());
        let [mut a, mut b, mut c] = [(); 3].map(|()| FileLock::new(table.clone()));
        a.lock(LockLevel::Shared).unwrap();
        b.lock(LockLevel::Shared).unwrap();
        a.lock(LockLevel::Reserved).unwrap();
        assert!(busy(b.lock(LockLevel::Reserved)), "a second writer");
        c.lock(LockLevel::Shared).unwrap();
        c.unlock(LockLevel::None);

        // The writer has to wait for b, and meanwhile nobody new may read.
        assert!(busy(a.lock(LockLevel::Exclusive)));
        assert_eq!(a.level(), LockLevel::Pending);
        assert!(busy(c.lock(LockLevel::Shared)));
        b.unlock(LockLevel::None);
        a.lock(LockLevel::Exclusive).unwrap();
        assert!(busy(b.lock(LockLevel::Shared)));
        a.unlock(LockLevel::Shared);
        assert!(!b.is_reserved());
        b.lock(LockLevel::Shared).unwrap();
    }

    #[test]
    fn shared_goes_straight_to_exclusive_for_a_hot_journal() {
        let table = Rc::new(LockTable::default());
        let [mut a, mut b] = [(); 2].map(|()| FileLock::new(table.clone()));
        a.lock(LockLevel::Shared).unwrap();
        a.lock(LockLevel::Exclusive).unwrap();
        assert!(busy(b.lock(LockLevel::Shared)));
        a.unlock(LockLevel::None);
        b.lock(LockLevel::Exclusive).unwrap();
    }

    #[test]
    fn a_dropped_connection_gives_its_lock_back() {
        let table = Rc::new(LockTable::default());
        let mut a = FileLock::new(table.clone());
        a.lock(LockLevel::Exclusive).unwrap();
        drop(a);
        assert!(!table.is_locked() && !table.is_reserved());
    }
}
