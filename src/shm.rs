//! The WAL index in heap memory, shared by all connections of one instance: what lets WAL work without
//! `locking_mode=EXCLUSIVE` (<https://sqlite.org/walformat.html#the_wal_index_file_format>).

use std::cell::{Cell, RefCell};
use std::ptr::NonNull;
use std::rc::Rc;

use crate::vfs::{ErrorCode, Result, ShmLock, VfsError};

/// SQLite's `SQLITE_SHM_NLOCK`: how many lock slots a WAL index has.
const SLOTS: usize = 8;

/// The WAL index of one database: its regions, and who holds its lock slots.
#[derive(Debug, Default)]
pub struct ShmNode {
    /// Vectors never grow once made, so their heap stays where SQLite has pointers to it. `Cell`, since all connections
    /// write through those pointers; `u64`, since SQLite wants eight-byte alignment.
    regions: RefCell<Vec<Vec<Cell<u64>>>>,
    /// Per slot: how many readers hold it, or [`EXCLUSIVE`].
    slots: [Cell<i32>; SLOTS],
    /// How many connections use the index.
    users: Cell<u32>,
}

const EXCLUSIVE: i32 = -1;

/// One connection's use of a WAL index. Dropping it gives back its locks; with the last one the regions go too.
#[derive(Debug)]
pub struct Shm {
    node: Rc<ShmNode>,
    shared: u8,
    exclusive: u8,
}

impl Shm {
    /// Starts to use an index.
    #[must_use]
    pub fn new(node: Rc<ShmNode>) -> Self {
        node.users.set(node.users.get() + 1);
        Self { node, shared: 0, exclusive: 0 }
    }

    /// As [`VfsFile::shm_map`](crate::vfs::VfsFile::shm_map).
    ///
    /// # Errors
    /// [`ErrorCode::NoMem`], or [`ErrorCode::IoErrShmMap`] for a region of another size than before.
    pub fn map(&mut self, region: u32, size: u32, extend: bool) -> Result<Option<NonNull<u8>>> {
        let words = size.div_ceil(8) as usize;
        let wanted = region as usize;
        let mut regions = self.node.regions.borrow_mut();
        if wanted >= regions.len() && !extend {
            return Ok(None);
        }
        while wanted >= regions.len() {
            let mut fresh = Vec::new();
            if regions.try_reserve(1).is_err() || fresh.try_reserve_exact(words).is_err() {
                return Err(VfsError::new(ErrorCode::NoMem, "no memory for the WAL index"));
            }
            fresh.resize_with(words, Cell::default);
            regions.push(fresh);
        }
        match regions.get(wanted) {
            Some(cells) if cells.len() == words => Ok(NonNull::new(cells.as_ptr().cast_mut().cast())),
            _ => Err(VfsError::new(ErrorCode::IoErrShmMap, "a region of the WAL index has another size")),
        }
    }

    /// As [`VfsFile::shm_lock`](crate::vfs::VfsFile::shm_lock).
    ///
    /// # Errors
    /// [`ErrorCode::Busy`] when another connection is in the way, and then nothing is taken.
    pub fn lock(&mut self, first: u32, n: u32, request: ShmLock) -> Result<()> {
        let range = first as usize..(first as usize).saturating_add(n as usize);
        let Some(slots) = self.node.slots.get(range) else {
            return Err(VfsError::new(ErrorCode::IoErrShmLock, "no such lock slot in a WAL index"));
        };
        let mask = u8::try_from(((1u16 << n) - 1) << first).unwrap_or(u8::MAX);
        match request {
            ShmLock::Lock { exclusive: false } => {
                // A slot that this connection holds already is not counted twice. One that it has for writing it has to
                // give back first: SQLite never asks for both.
                let wanted = mask & !self.shared;
                if slots.iter().any(|slot| slot.get() == EXCLUSIVE) {
                    return Err(VfsError::busy());
                }
                for (i, slot) in slots.iter().enumerate() {
                    if wanted & (1 << (first as usize + i)) != 0 {
                        slot.set(slot.get() + 1);
                    }
                }
                self.shared |= mask;
            }
            ShmLock::Lock { exclusive: true } => {
                for (i, slot) in slots.iter().enumerate() {
                    let mine = i32::from(self.shared & (1 << (first as usize + i)) != 0);
                    let free = slot.get() == mine || self.exclusive & (1 << (first as usize + i)) != 0;
                    if !free {
                        return Err(VfsError::busy());
                    }
                }
                slots.iter().for_each(|slot| slot.set(EXCLUSIVE));
                self.shared &= !mask;
                self.exclusive |= mask;
            }
            ShmLock::Unlock { .. } => self.release(mask),
        }
        Ok(())
    }

    fn release(&mut self, mask: u8) {
        for (i, slot) in self.node.slots.iter().enumerate() {
            let bit = 1u8 << i;
            if mask & bit & self.exclusive != 0 {
                slot.set(0);
            } else if mask & bit & self.shared != 0 {
                slot.set(slot.get() - 1);
            }
        }
        self.shared &= !mask;
        self.exclusive &= !mask;
    }
}

impl Drop for Shm {
    fn drop(&mut self) {
        self.release(u8::MAX);
        let users = self.node.users.get() - 1;
        self.node.users.set(users);
        if users == 0 {
            // Nobody has a pointer any more, and whoever comes next must rebuild the index from the WAL.
            self.node.regions.take();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const READ: ShmLock = ShmLock::Lock { exclusive: false };
    const WRITE: ShmLock = ShmLock::Lock { exclusive: true };

    fn busy(result: Result<()>) -> bool {
        result.is_err_and(|error| error.code() == ErrorCode::Busy)
    }

    #[test]
    fn slots_are_shared_or_exclusive() {
        let node = Rc::new(ShmNode::default());
        let [mut a, mut b] = [(); 2].map(|()| Shm::new(node.clone()));
        a.lock(3, 1, READ).unwrap();
        a.lock(3, 1, READ).unwrap();
        b.lock(3, 1, READ).unwrap();
        assert!(busy(b.lock(0, 8, WRITE)), "a range with a slot read by another");
        a.lock(3, 1, ShmLock::Unlock { exclusive: false }).unwrap();
        b.lock(0, 8, WRITE).unwrap();
        assert!(busy(a.lock(7, 1, READ)));
        assert!(busy(a.lock(0, 1, WRITE)));
        assert!(busy(b.lock(0, 1, READ)), "it has the slot for writing");
        assert!(busy(a.lock(0, 1, READ)), "and keeps it");
        drop(b);
        a.lock(0, 8, WRITE).unwrap();
    }

    #[test]
    fn a_slot_out_of_range_is_an_error() {
        let mut shm = Shm::new(Rc::default());
        assert!(shm.lock(7, 2, READ).is_err());
        assert!(shm.lock(u32::MAX, 1, READ).is_err());
    }

    #[test]
    fn regions_stay_where_they_are_until_the_last_user_goes() {
        let node = Rc::new(ShmNode::default());
        let [mut a, mut b] = [(); 2].map(|()| Shm::new(node.clone()));
        assert_eq!(a.map(0, 32768, false).unwrap(), None);
        let first = a.map(0, 32768, true).unwrap();
        assert!(first.is_some());
        a.map(100, 32768, true).unwrap();
        assert_eq!(b.map(0, 32768, false).unwrap(), first);
        assert!(b.map(0, 1024, false).is_err());
        drop(a);
        assert_eq!(b.map(0, 32768, false).unwrap(), first);
        drop(b);
        assert!(node.regions.borrow().is_empty());
    }
}
