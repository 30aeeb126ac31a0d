//! Where JavaScript puts what it hands over: SQL, names, parameters, whole files.

use std::ptr;

use super::context;

/// What is kept between calls. Larger requests are for one use, and give their memory back.
const KEPT: usize = 64 * 1024;

/// The inbox while a statement runs whose text or parameters lie in it. What runs inside that statement (a function, a VFS written in
/// JavaScript) and uses SQLite as well gets another one.
pub(super) struct Held(Vec<u64>);

/// Takes the inbox away until the answer is dropped. Its bytes stay where they are.
pub(super) fn hold() -> Held {
    Held(context::with(|context| {
        context.inbox.try_borrow_mut().map(|mut inbox| std::mem::take(&mut *inbox)).unwrap_or_default()
    }))
}

impl Drop for Held {
    fn drop(&mut self) {
        if self.0.len() > KEPT / 8 {
            // For one use, which was this.
            return;
        }
        context::with(|context| {
            if let Ok(mut inbox) = context.inbox.try_borrow_mut() {
                *inbox = std::mem::take(&mut self.0);
            }
        });
    }
}

/// A buffer of at least `size` bytes, aligned to eight; null when there is no memory. Valid until the next request for a
/// larger one, or [`kit_inbox_trim`].
#[unsafe(no_mangle)]
pub extern "C" fn kit_inbox(size: usize) -> *mut u8 {
    context::with(|context| {
        let Ok(mut inbox) = context.inbox.try_borrow_mut() else { return ptr::null_mut() };
        let words = size.max(KEPT).div_ceil(8);
        if inbox.len() < words {
            // What is in it is not wanted any more: let go of it first, so that the new one may lie in its place.
            *inbox = Vec::new();
            if inbox.try_reserve_exact(words).is_err() {
                return ptr::null_mut();
            }
            inbox.resize(words, 0);
        }
        inbox.as_mut_ptr().cast()
    })
}

/// Gives back what a large request took.
#[unsafe(no_mangle)]
pub extern "C" fn kit_inbox_trim() {
    context::with(|context| {
        if let Ok(mut inbox) = context.inbox.try_borrow_mut()
            && inbox.len() > KEPT / 8
        {
            *inbox = Vec::new();
        }
    });
}
