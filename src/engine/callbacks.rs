//! How often SQLite has called JavaScript's functions, which can be seen to be called. Methods of VFSes do not count.

use std::cell::Cell;

thread_local! {
    static COUNT: Cell<u32> = const { Cell::new(0) };
}

/// Changes with each call.
#[inline]
pub(super) fn count() -> u32 {
    COUNT.with(Cell::get)
}

#[cfg(target_family = "wasm")]
#[inline]
pub(super) fn counted<T>(call: impl FnOnce() -> T) -> T {
    COUNT.with(|count| count.set(count.get().wrapping_add(1)));
    super::imports::nested(call)
}
