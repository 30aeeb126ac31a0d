//! Counts what Rust has on the heap, thread by thread. On wasm SQLite's own allocations are among it.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    static BYTES: Cell<i64> = const { Cell::new(0) };
    static CALLS: Cell<usize> = const { Cell::new(0) };
    static REQUESTED: Cell<u64> = const { Cell::new(0) };
}

/// Bytes that this thread has allocated and nobody has freed on it.
pub fn bytes() -> i64 {
    BYTES.get()
}

/// How often this thread has asked for memory.
pub fn calls() -> usize {
    CALLS.get()
}

/// Bytes that this thread has asked for in all, given back or not.
pub fn requested() -> u64 {
    REQUESTED.get()
}

fn allocated(size: usize) {
    BYTES.set(BYTES.get() + size as i64);
    CALLS.set(CALLS.get() + 1);
    REQUESTED.set(REQUESTED.get() + size as u64);
}

fn freed(size: usize) {
    BYTES.set(BYTES.get() - size as i64);
}

// SAFETY: all is passed on to the system's allocator. Counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        allocated(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        allocated(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        freed(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        freed(layout.size());
        allocated(size);
        // SAFETY: as the caller promises.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;
