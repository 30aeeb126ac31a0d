//! WAL indexes in the memory of this instance, for VFSes written in JavaScript (`js/src/wal-index.ts`).

use std::cell::RefCell;
use std::ffi::{c_char, c_int};
use std::rc::{Rc, Weak};

use super::outbox;
use crate::shm::{Shm, ShmNode};
use crate::vfs::{ErrorCode, Result, ShmLock, VfsError};

#[derive(Default)]
struct Indexes {
    /// By name, as long as somebody uses them.
    nodes: Vec<(String, Weak<ShmNode>)>,
    /// Each connection's use of one, by number.
    uses: Vec<Option<Shm>>,
}

thread_local! {
    static INDEXES: RefCell<Indexes> = RefCell::default();
}

fn with<T>(body: impl FnOnce(&mut Indexes) -> Result<T>) -> Result<T> {
    INDEXES.with(|indexes| match indexes.try_borrow_mut() {
        Ok(mut indexes) => body(&mut indexes),
        Err(_) => Err(ErrorCode::Misuse.into()),
    })
}

fn with_use<T>(index: usize, body: impl FnOnce(&mut Shm) -> Result<T>) -> Result<T> {
    with(|indexes| match indexes.uses.get_mut(index) {
        Some(Some(shm)) => body(shm),
        _ => Err(VfsError::new(ErrorCode::Misuse, "this WAL index was unmapped")),
    })
}

fn code(result: Result<()>) -> c_int {
    result.map_or_else(|error| outbox::refuse(&error), |()| 0)
}

/// Starts to use the index of a name; answers a number for this use, or -1.
///
/// # Safety
/// `name` is NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_wal_index_open(name: *const c_char) -> c_int {
    // SAFETY: as the caller promises.
    let name = unsafe { super::files::text(name) };
    let opened = name.and_then(|name| {
        with(|indexes| {
            indexes.nodes.retain(|(_, node)| node.strong_count() > 0);
            let known = indexes.nodes.iter().find(|(known, _)| known == name);
            let node = known.and_then(|(_, node)| node.upgrade()).unwrap_or_else(|| {
                let node = Rc::default();
                indexes.nodes.push((name.to_owned(), Rc::downgrade(&node)));
                node
            });
            let shm = Some(Shm::new(node));
            let free = indexes.uses.iter().position(Option::is_none);
            if let Some(slot) = free.and_then(|free| indexes.uses.get_mut(free)) {
                *slot = shm;
            } else {
                indexes.uses.push(shm);
            }
            Ok(free.unwrap_or(indexes.uses.len() - 1))
        })
    });
    opened.ok().and_then(|index| c_int::try_from(index).ok()).unwrap_or(-1)
}

/// Where a region is: 0 if it is not there. The outbox has the code.
#[unsafe(no_mangle)]
pub extern "C" fn kit_wal_index_map(index: usize, region: u32, size: u32, extend: c_int) -> *const u8 {
    let mapped = with_use(index, |shm| shm.map(region, size, extend != 0));
    let (code, pointer) = match mapped {
        Ok(pointer) => (0, pointer.map_or(std::ptr::null(), |pointer| pointer.as_ptr().cast_const())),
        Err(error) => (outbox::refuse(&error), std::ptr::null()),
    };
    outbox::update(|words| words.code = code);
    pointer
}

/// Takes or gives back lock slots: `SQLITE_SHM_…`.
#[unsafe(no_mangle)]
pub extern "C" fn kit_wal_index_lock(index: usize, first: u32, n: u32, flags: c_int) -> c_int {
    code(with_use(index, |shm| shm.lock(first, n, ShmLock::from_flags(flags))))
}

/// Ends a use.
#[unsafe(no_mangle)]
pub extern "C" fn kit_wal_index_unmap(index: usize) {
    // Dropped outside: nothing of ours runs in a destructor, and nothing has to.
    let ended = with(|indexes| Ok(indexes.uses.get_mut(index).and_then(Option::take)));
    drop(ended);
}
