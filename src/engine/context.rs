//! What crosses in shared buffers, for one call at a time.
//!
//! In the default build a call runs to its end, and one context serves all. In the JSPI build a call can be suspended while calls
//! of other connections run, so each connection has a context of its own, with a stack of its own: a call that is suspended
//! has its frames on the stack in linear memory, and what runs meanwhile must not write over them.

use std::cell::{Cell, RefCell};

use super::outbox::Words;
use super::rows::Batch;

/// The buffers. `js/src/context.ts` is the other side.
pub(super) struct Context {
    /// What JavaScript hands over. `u64`, since cells of eight bytes are written into it.
    pub inbox: RefCell<Vec<u64>>,
    /// Where the engine puts its answers.
    pub words: Cell<Words>,
    /// Holds the bytes of the last text that was made for JavaScript.
    pub text: RefCell<Vec<u8>>,
    /// Holds the last batch, and lends its vectors to the next.
    pub batch: Cell<Option<Batch>>,
    #[cfg(feature = "jspi")]
    stack: Vec<StackUnit>,
}

/// Stacks begin at multiples of 16 bytes (the C ABI of WebAssembly): compilers count on it, and reckon addresses of variables
/// with `or` for `+`. On one that began elsewhere a file's bytes went to the wrong place.
#[cfg(feature = "jspi")]
#[derive(PartialEq)]
#[repr(align(16))]
struct StackUnit(u64);

impl Context {
    const fn new() -> Self {
        Self {
            inbox: RefCell::new(Vec::new()),
            words: Cell::new(Words::NONE),
            text: RefCell::new(Vec::new()),
            batch: Cell::new(None),
            #[cfg(feature = "jspi")]
            stack: Vec::new(),
        }
    }
}

thread_local! {
    static MAIN: Context = const { Context::new() };
}

#[cfg(not(feature = "jspi"))]
#[inline]
pub(super) fn with<T>(body: impl FnOnce(&Context) -> T) -> T {
    MAIN.with(body)
}

#[cfg(feature = "jspi")]
pub(super) use several::with;
#[cfg(all(feature = "jspi", target_family = "wasm"))]
pub(super) use several::{current, restore};

#[cfg(feature = "jspi")]
mod several {
    use std::cell::Cell;
    use std::ptr;

    use super::{Context, MAIN, StackUnit};

    /// Units of a stack: one MiB, as the module's own has.
    const STACK: usize = 1024 * 1024 / size_of::<StackUnit>();

    /// At the end that a stack grows towards. Whoever finds another value there knows that the stack was too small.
    const UNTOUCHED: StackUnit = StackUnit(0x5AFE_57AC_C0DE_D00D);

    thread_local! {
        /// Null for the main one.
        static CURRENT: Cell<*const Context> = const { Cell::new(ptr::null()) };
    }

    #[inline]
    pub(in crate::engine) fn with<T>(body: impl FnOnce(&Context) -> T) -> T {
        let current = CURRENT.with(Cell::get);
        if current.is_null() {
            return MAIN.with(body);
        }
        // SAFETY: JavaScript frees a context only when none of its calls runs, and then it is not the current one any more.
        body(unsafe { &*current })
    }

    /// The context of what runs now, to be [`restore`]d after a suspension.
    #[cfg(target_family = "wasm")]
    pub(in crate::engine) fn current() -> *const Context {
        CURRENT.with(Cell::get)
    }

    #[cfg(target_family = "wasm")]
    pub(in crate::engine) fn restore(context: *const Context) {
        CURRENT.with(|current| current.set(context));
    }

    /// A new context; null when there is no memory for its stack.
    #[unsafe(no_mangle)]
    pub extern "C" fn kit_context_new() -> *const Context {
        let mut stack = Vec::new();
        if stack.try_reserve_exact(STACK).is_err() {
            return ptr::null();
        }
        stack.push(UNTOUCHED);
        Box::into_raw(Box::new(Context { stack, ..Context::new() }))
    }

    /// Makes a context the current one: what crosses from now on is its. Null for the main one.
    ///
    /// # Safety
    /// It came from [`kit_context_new`], and is not freed.
    #[unsafe(no_mangle)]
    pub unsafe extern "C" fn kit_context_use(context: *const Context) {
        CURRENT.with(|current| current.set(context));
    }

    /// Where its stack begins: the end of its room, since stacks grow downwards.
    ///
    /// # Safety
    /// As [`kit_context_use`].
    #[unsafe(no_mangle)]
    pub unsafe extern "C" fn kit_context_stack(context: *const Context) -> *const u8 {
        // SAFETY: as the caller promises; the room is the vector's capacity.
        unsafe { (*context).stack.as_ptr().add(STACK).cast() }
    }

    /// 1 if its stack was large enough until now.
    ///
    /// # Safety
    /// As [`kit_context_use`].
    #[unsafe(no_mangle)]
    pub unsafe extern "C" fn kit_context_is_sound(context: *const Context) -> i32 {
        // SAFETY: as the caller promises.
        unsafe { i32::from((*context).stack.first() == Some(&UNTOUCHED)) }
    }

    /// Frees a context. The main one is current afterwards.
    ///
    /// # Safety
    /// As [`kit_context_use`]; none of its calls runs, and it is used no more.
    #[unsafe(no_mangle)]
    pub unsafe extern "C" fn kit_context_free(context: *const Context) {
        CURRENT.with(|current| current.set(ptr::null()));
        // SAFETY: as the caller promises.
        drop(unsafe { Box::from_raw(context.cast_mut()) });
    }
}
