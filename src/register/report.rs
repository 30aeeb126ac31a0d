//! Keeps what SQLite has no place for: the words of an error.

use std::cell::RefCell;
use std::sync::{Mutex, PoisonError};

use crate::vfs::VfsError;

/// The last error of one VFS.
#[derive(Default)]
pub(super) struct LastError(Mutex<Option<VfsError>>);

thread_local! {
    /// The last error of any VFS since it was last forgotten: the engine gives its words to the SQL call that failed.
    static LATEST: RefCell<Option<VfsError>> = const { RefCell::new(None) };
}

impl LastError {
    pub(super) fn set(&self, error: VfsError) {
        LATEST.with(|latest| {
            // A later error of the same call that says nothing does not hide an earlier one that does.
            let mut latest = latest.borrow_mut();
            if !error.message().is_empty() || latest.is_none() {
                *latest = Some(error.clone());
            }
        });
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
    }

    pub(super) fn get(&self) -> Option<VfsError> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Before a call into SQLite: whatever failed until now is not this call's.
#[cfg(feature = "engine")]
pub(crate) fn forget_latest_error() {
    LATEST.with(|latest| {
        if let Ok(mut latest) = latest.try_borrow_mut() {
            *latest = None;
        }
    });
}

/// After a call into SQLite that failed: what a VFS said during it.
#[cfg(feature = "engine")]
pub(crate) fn take_latest_error() -> Option<VfsError> {
    LATEST.with(|latest| latest.try_borrow_mut().ok().and_then(|mut latest| latest.take()))
}

/// After a call out of the module, in which others may have used SQLite: what was said before it.
#[cfg(all(feature = "engine", target_family = "wasm"))]
pub(crate) fn put_back_latest_error(error: Option<VfsError>) {
    LATEST.with(|latest| {
        if let Ok(mut latest) = latest.try_borrow_mut() {
            *latest = error;
        }
    });
}
