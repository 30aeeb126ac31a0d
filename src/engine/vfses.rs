//! Registers the VFSes that are written in JavaScript.

use std::cell::RefCell;
use std::ffi::{c_char, c_int};

use super::files;
use super::imports::JsHost;
use super::outbox;
use super::store::Store;
use crate::Registration;
use crate::stores::JsVfs;
use crate::vfs::{ErrorCode, Result, VfsError};

thread_local! {
    static REGISTRATIONS: RefCell<Vec<Registration>> = const { RefCell::new(Vec::new()) };
}

/// Registers JavaScript's VFS number `vfs`. Answers 0, or a code with the words as the text.
///
/// # Safety
/// `name` is NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_vfs_register(
    name: *const c_char,
    vfs: u32,
    max_pathname: usize,
    suspends: c_int,
    make_default: c_int,
) -> c_int {
    // SAFETY: as the caller promises.
    let name = unsafe { files::text(name) };
    let host = JsHost { vfs, suspends: suspends != 0 };
    answer(name.and_then(|name| {
        let registration = files::register_store(name, Store::Js(JsVfs::new(host, max_pathname)), make_default != 0)?;
        REGISTRATIONS.with(|all| all.borrow_mut().push(registration));
        Ok(())
    }))
}

/// Unregisters a VFS that [`kit_vfs_register`] registered. Files that are open stay usable.
///
/// # Safety
/// `name` is NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_vfs_unregister(name: *const c_char) -> c_int {
    // SAFETY: as the caller promises.
    let name = unsafe { files::text(name) };
    answer(name.and_then(|name| {
        let registration = REGISTRATIONS.with(|all| {
            let mut all = all.borrow_mut();
            let at = all.iter().position(|registration| registration.name() == name)?;
            Some(all.swap_remove(at))
        });
        let missing = || VfsError::new(ErrorCode::NotFound, format!("no VFS named '{name}' was registered"));
        registration.ok_or_else(missing)?.unregister()?;
        files::forget_store(name);
        Ok(())
    }))
}

fn answer(result: Result<()>) -> c_int {
    result.map_or_else(|error| outbox::refuse(&error), |()| 0)
}
