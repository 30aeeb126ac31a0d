//! The stores that JavaScript finds registered, and their files as bytes.

use std::cell::RefCell;
use std::ffi::{CStr, c_char, c_int};
use std::slice;

use super::outbox;
use super::store::Store;
use crate::layers::Trace;
use crate::stores::MemoryVfs;
use crate::vfs::{ErrorCode, FileInfo, Files, Result, VfsError};
use crate::{RegisterOptions, register};

thread_local! {
    static STORES: RefCell<Vec<(String, Trace<Store>)>> = const { RefCell::new(Vec::new()) };
}

/// MemoryVFS becomes SQLite's default, under the name `memory`. Doing it again changes nothing.
pub(super) fn register_stores() -> Result<()> {
    if STORES.with(|stores| stores.try_borrow().is_ok_and(|stores| !stores.is_empty())) {
        return Ok(());
    }
    register_store("memory", Store::Memory(MemoryVfs::new()), true).map(drop)
}

/// Makes SQLite and JavaScript know a store.
pub(super) fn register_store(name: &str, store: Store, make_default: bool) -> Result<crate::Registration> {
    let store = Trace::new(store);
    #[cfg(target_family = "wasm")]
    store.set_clock(super::imports::now);
    let registration = register(name, store.clone(), RegisterOptions { make_default })?;
    STORES.with(|stores| {
        let mut stores = stores.try_borrow_mut().map_err(|_| VfsError::from(ErrorCode::Misuse))?;
        stores.push((name.to_owned(), store));
        Ok(registration)
    })
}

/// What builds of SQLite in other modules can be lent.
pub(crate) type LentStore = Trace<Store>;

/// The store of a name, for another build.
pub(crate) fn store_to_lend(name: &str) -> Result<LentStore> {
    let store = named(name)?;
    #[cfg(target_family = "wasm")]
    if matches!(store.inner(), Store::Js(_)) {
        let message = format!("the VFS '{name}' is written in JavaScript: lend the object that was registered");
        return Err(VfsError::new(ErrorCode::Misuse, message));
    }
    Ok(store)
}

/// Held for a question alone: what it asks may take a while, and stores may come and go meanwhile.
fn named(name: &str) -> Result<Trace<Store>> {
    let found = STORES.with(|stores| {
        stores.try_borrow().ok()?.iter().find(|(known, _)| known == name).map(|(_, store)| store.clone())
    });
    found.ok_or_else(|| VfsError::new(ErrorCode::NotFound, format!("no VFS named '{name}' keeps files here")))
}

/// Its counterpart for JavaScript.
#[cfg(target_family = "wasm")]
pub(super) fn forget_store(name: &str) {
    STORES.with(|stores| {
        if let Ok(mut stores) = stores.try_borrow_mut() {
            stores.retain(|(known, _)| known != name);
        }
    });
}

/// # Safety
/// `name` is NUL-terminated.
pub(super) unsafe fn text<'a>(name: *const c_char) -> Result<&'a str> {
    // SAFETY: as the caller promises.
    unsafe { CStr::from_ptr(name) }.to_str().map_err(|_| VfsError::new(ErrorCode::Misuse, "a name is not UTF-8"))
}

/// Finds a store and asks it something; answers 0, or a code with the words as the text.
///
/// # Safety
/// `store` is NUL-terminated.
///
/// The question is behind a pointer: made for each anew, this would be much of the engine's code.
pub(super) unsafe fn ask(store: *const c_char, question: &dyn Fn(&Trace<Store>) -> Result<()>) -> c_int {
    // SAFETY: as the caller promises.
    let found = unsafe { text(store) }.and_then(named);
    match found.and_then(|store| question(&store)) {
        Ok(()) => 0,
        Err(error) => outbox::refuse(&error),
    }
}

/// The files of a store, as the text: for each its size, a space, its name, and a NUL.
///
/// # Safety
/// `store` is NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_files_list(store: *const c_char) -> c_int {
    // SAFETY: as the caller promises.
    unsafe {
        ask(store, &|store| {
            let mut text = Vec::new();
            for FileInfo { name, size } in store.list()? {
                text.extend_from_slice(format!("{size} {name}\0").as_bytes());
            }
            outbox::give_bytes(text);
            Ok(())
        })
    }
}

/// Bytes of a file, as the text: `len` of them from `offset` on, fewer at its end.
///
/// # Safety
/// Both texts are NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_files_read(store: *const c_char, name: *const c_char, offset: f64, len: usize) -> c_int {
    // SAFETY: as the caller promises.
    unsafe {
        ask(store, &|store| {
            let mut bytes = Vec::new();
            bytes.try_reserve_exact(len).map_err(|_| VfsError::from(ErrorCode::NoMem))?;
            bytes.resize(len, 0);
            let read = store.read_at(text(name)?, &mut bytes, file_offset(offset))?;
            bytes.truncate(read);
            outbox::give_bytes(bytes);
            Ok(())
        })
    }
}

/// Writes into a file, which is made if there is none.
///
/// # Safety
/// Both texts are NUL-terminated, and `bytes` has `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_files_write(
    store: *const c_char,
    name: *const c_char,
    bytes: *const u8,
    len: usize,
    offset: f64,
) -> c_int {
    // SAFETY: as the caller promises.
    unsafe { ask(store, &|store| store.write_at(text(name)?, slice::from_raw_parts(bytes, len), file_offset(offset))) }
}

/// Gives a file another name, in the place of one that has it.
///
/// # Safety
/// All texts are NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_files_rename(store: *const c_char, from: *const c_char, to: *const c_char) -> c_int {
    // SAFETY: as the caller promises.
    unsafe { ask(store, &|store| store.rename(text(from)?, text(to)?)) }
}

/// Offsets cross as JavaScript's numbers, exact up to 2^53.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn file_offset(offset: f64) -> u64 {
    offset as u64
}

/// Deletes a file. The outbox's code says whether there was one.
///
/// # Safety
/// Both texts are NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_files_delete(store: *const c_char, name: *const c_char) -> c_int {
    // SAFETY: as the caller promises.
    unsafe {
        ask(store, &|store| {
            let existed = store.remove(text(name)?)?;
            outbox::update(|words| words.code = c_int::from(existed));
            Ok(())
        })
    }
}
