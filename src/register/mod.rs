//! From the facade to SQLite: makes a `sqlite3_vfs` of a [`Vfs`] and a `sqlite3_io_methods` of its [`VfsFile`]
//! (<https://sqlite.org/vfs.html>).
//!
//! Dispatch is static: a file lies inline in SQLite's `sqlite3_file`, and a read is one call from SQLite's function pointer
//! into [`VfsFile::read_at`], with no box and no allocation.

mod control;
mod file_methods;
mod report;
mod vfs_methods;

use std::cell::UnsafeCell;
use std::ffi::{CStr, CString, c_int, c_void};
use std::marker::PhantomData;
use std::ptr;
use std::sync::{Arc, PoisonError, RwLock};
#[cfg(not(target_family = "wasm"))]
use std::thread::ThreadId;

use crate::sys;
use crate::vfs::{ErrorCode, Result, Vfs, VfsError};
use file_methods::FileHandle;
use report::LastError;
#[cfg(all(feature = "engine", target_family = "wasm"))]
pub(crate) use report::put_back_latest_error;
#[cfg(feature = "engine")]
pub(crate) use report::{forget_latest_error, take_latest_error};

/// How a VFS is registered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RegisterOptions {
    /// Connections that name no VFS use this one from now on.
    pub make_default: bool,
}

/// Registers a VFS with SQLite under a name. Natively it may be used on this thread only; elsewhere it answers
/// `SQLITE_MISUSE`. For one that can do more, see [`register_sync`].
///
/// The VFS stays registered when the [`Registration`] is dropped.
///
/// # Errors
/// [`ErrorCode::Misuse`] if the name is empty, holds a NUL, or is taken; [`ErrorCode::NoMem`].
pub fn register<V: Vfs>(name: &str, vfs: V, options: RegisterOptions) -> Result<Registration> {
    Registered::register(name, vfs, options, Threads::Own)
}

/// As [`register`], for a VFS that connections on several threads may use.
///
/// # Errors
/// As [`register`].
pub fn register_sync<V: Vfs + Send + Sync>(name: &str, vfs: V, options: RegisterOptions) -> Result<Registration>
where
    V::File: Send,
{
    Registered::register(name, vfs, options, Threads::Any)
}

/// A VFS that SQLite knows.
pub struct Registration {
    vfs: &'static dyn Erased,
    // The VFS behind it may be bound to its thread.
    not_send: PhantomData<*const ()>,
}

impl Registration {
    /// The name it is registered under.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.vfs.name()
    }

    /// The last error that a method of this VFS or of its files answered, message included; `None` before the first.
    #[must_use]
    pub fn last_error(&self) -> Option<VfsError> {
        self.vfs.last_error().get()
    }

    /// Takes the VFS out of SQLite's list and drops it. Files that are open stay usable until they are closed; everything
    /// else that connections still ask of it fails cleanly.
    ///
    /// # Errors
    /// When SQLite refuses.
    pub fn unregister(self) -> Result<()> {
        self.vfs.unregister()
    }
}

impl std::fmt::Debug for Registration {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Registration").field("name", &self.name()).finish_non_exhaustive()
    }
}

/// What a [`Registration`] asks of a VFS of any type.
trait Erased {
    fn name(&self) -> &'static str;
    fn last_error(&self) -> &LastError;
    fn unregister(&self) -> Result<()>;
}

/// Which threads may use a VFS.
#[derive(Clone, Copy)]
enum Threads {
    Own,
    Any,
}

/// All that a registered VFS consists of. It is never freed: a connection keeps its pointer to the `sqlite3_vfs` for life,
/// also with no file open and after the VFS was unregistered.
struct Registered<V: Vfs> {
    /// SQLite links its list of VFSes through it, behind our shared references.
    raw: UnsafeCell<sys::sqlite3_vfs>,
    /// `raw` points to it. Leaked like the struct itself.
    name: &'static CStr,
    /// `None` after it was unregistered.
    vfs: RwLock<Option<Arc<V>>>,
    max_pathname: usize,
    last_error: LastError,
    #[cfg(not(target_family = "wasm"))]
    thread: Option<ThreadId>,
}

impl<V: Vfs> Registered<V> {
    fn register(name: &str, vfs: V, options: RegisterOptions, threads: Threads) -> Result<Registration> {
        let c_name = CString::new(name)
            .ok()
            .filter(|name| !name.is_empty())
            .ok_or_else(|| VfsError::new(ErrorCode::Misuse, "the name of a VFS is empty or holds a NUL"))?;
        // SAFETY: a NUL-terminated string that lives through the call.
        if unsafe { !sys::sqlite3_vfs_find(c_name.as_ptr()).is_null() } {
            return Err(VfsError::new(ErrorCode::Misuse, format!("a VFS named '{name}' is registered already")));
        }
        const { assert!(align_of::<FileHandle<V>>() <= 8, "SQLite aligns a sqlite3_file to eight bytes") };
        let max_pathname = vfs.max_pathname();
        // Arc also for what stays on its thread: on the web it costs the same, and one kind is simpler than two.
        #[allow(clippy::arc_with_non_send_sync)]
        let vfs = RwLock::new(Some(Arc::new(vfs)));
        #[cfg(target_family = "wasm")]
        let _ = threads;
        let registered = Box::leak(Box::new(Self {
            raw: UnsafeCell::new(vfs_methods::vfs_struct::<V>(max_pathname)?),
            name: Box::leak(c_name.into_boxed_c_str()),
            vfs,
            max_pathname,
            last_error: LastError::default(),
            #[cfg(not(target_family = "wasm"))]
            thread: match threads {
                Threads::Own => Some(std::thread::current().id()),
                Threads::Any => None,
            },
        }));
        registered.raw.get_mut().zName = registered.name.as_ptr();
        let app_data = ptr::from_mut(registered).cast::<c_void>();
        registered.raw.get_mut().pAppData = app_data;
        let vfs: &'static Self = registered;
        // SAFETY: the struct is complete and leaked, so it outlives every use SQLite makes of it.
        let code = unsafe { sys::sqlite3_vfs_register(vfs.raw.get(), c_int::from(options.make_default)) };
        if code != sys::SQLITE_OK {
            return Err(ErrorCode::from_raw(code).unwrap_or(ErrorCode::Error).into());
        }
        Ok(Registration { vfs, not_send: PhantomData })
    }

    /// The struct behind a pointer that SQLite hands back.
    ///
    /// # Safety
    /// `vfs` is the pointer that [`Registered::register`] gave to SQLite.
    unsafe fn from_raw<'a>(vfs: *mut sys::sqlite3_vfs) -> &'a Self {
        // SAFETY: `pAppData` was set to the leaked struct before SQLite saw it, and nothing changes it.
        unsafe { &*(*vfs).pAppData.cast::<Self>() }
    }

    /// The VFS, held for one call: the call may itself unregister it.
    fn vfs(&self) -> Result<Arc<V>> {
        self.check_thread()?;
        self.vfs.read().unwrap_or_else(PoisonError::into_inner).clone().ok_or_else(|| {
            VfsError::new(ErrorCode::Misuse, format!("the VFS '{}' was unregistered", self.name.to_string_lossy()))
        })
    }

    #[cfg(target_family = "wasm")]
    #[allow(clippy::unused_self, clippy::unnecessary_wraps)]
    #[inline]
    fn check_thread(&self) -> Result<()> {
        Ok(())
    }

    #[cfg(not(target_family = "wasm"))]
    fn check_thread(&self) -> Result<()> {
        match self.thread {
            Some(thread) if thread != std::thread::current().id() => Err(VfsError::new(
                ErrorCode::Misuse,
                "this VFS belongs to the thread that registered it; register_sync is for one that any thread may use",
            )),
            _ => Ok(()),
        }
    }

    /// Keeps the error for whoever asks, and answers its code.
    #[cold]
    fn fail(&self, error: VfsError) -> c_int {
        let code = error.code().raw();
        self.last_error.set(error);
        code
    }

    fn answer(&self, result: Result<()>) -> c_int {
        match result {
            Ok(()) => sys::SQLITE_OK,
            Err(error) => self.fail(error),
        }
    }
}

impl<V: Vfs> Erased for Registered<V> {
    fn name(&self) -> &'static str {
        self.name.to_str().unwrap_or_default()
    }

    fn last_error(&self) -> &LastError {
        &self.last_error
    }

    fn unregister(&self) -> Result<()> {
        // SAFETY: the struct is registered, and SQLite only unlinks it.
        let code = unsafe { sys::sqlite3_vfs_unregister(self.raw.get()) };
        if code != sys::SQLITE_OK {
            return Err(ErrorCode::from_raw(code).unwrap_or(ErrorCode::Error).into());
        }
        // Dropped outside the lock: a destructor may do anything.
        let vfs = self.vfs.write().unwrap_or_else(PoisonError::into_inner).take();
        drop(vfs);
        Ok(())
    }
}

/// A copy of a string in SQLite's heap, for SQLite to free; null when there is no room.
fn sqlite_string(text: &str) -> *mut std::ffi::c_char {
    // What follows a NUL would be lost silently; SQLite's strings can't hold one.
    let text = text.split('\0').next().unwrap_or_default();
    // SAFETY: the allocation has room for the text and its NUL, and both are written before anyone reads.
    unsafe {
        let copy = sys::sqlite3_malloc64(text.len() as u64 + 1).cast::<u8>();
        if !copy.is_null() {
            ptr::copy_nonoverlapping(text.as_ptr(), copy, text.len());
            *copy.add(text.len()) = 0;
        }
        copy.cast()
    }
}
