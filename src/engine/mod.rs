//! What the npm package's JavaScript calls.
//!
//! Everything crosses as numbers. Text, parameters and rows lie in shared buffers: JavaScript writes into the inbox, the
//! engine answers through the outbox and the batch it points to. The other side of each is in `js/src/engine.ts`,
//! `js/src/params.ts` and `js/src/rows.ts`; [`PROTOCOL`] tells whether both sides are of one make.
//!
//! Pointers to connections and statements are checked in JavaScript, which forgets them when they are closed.

use std::ffi::c_int;

#[cfg(target_family = "wasm")]
mod authorizer;
mod backup;
mod blobs;
mod callbacks;
mod connection;
mod context;
mod files;
#[cfg(target_family = "wasm")]
mod functions;
#[cfg(target_family = "wasm")]
mod hooks;
#[cfg(target_family = "wasm")]
mod imports;
mod inbox;
#[cfg(target_family = "wasm")]
mod math;
mod outbox;
pub mod params;
pub mod rows;
#[cfg(target_family = "wasm")]
mod sessions;
mod statement;
mod store;
mod trace;
#[cfg(target_family = "wasm")]
mod vfses;
mod wal_index;

pub(crate) use files::{LentStore, store_to_lend};

/// Raised with every change of what crosses. JavaScript refuses a module that answers another number.
pub const PROTOCOL: u32 = 4;

/// Makes the engine ready: registers the stores. Answers [`PROTOCOL`], or 0 when it failed.
#[unsafe(no_mangle)]
pub extern "C" fn kit_start() -> u32 {
    // SAFETY: it may be called at any time. It calls for the stores itself where SQLite was built to ask for them.
    unsafe { crate::sys::sqlite3_initialize() };
    #[cfg(all(target_family = "wasm", feature = "jspi"))]
    crate::host::set_sleep(imports::sleep);
    match files::register_stores() {
        Ok(()) => PROTOCOL,
        Err(_) => 0,
    }
}

/// What SQLite calls for its first VFS, in the build for the npm package (scripts/build/sqlite-source.mjs). It wants one by
/// the time this returns.
#[unsafe(no_mangle)]
pub extern "C" fn sqlite_vfs_kit_os_init() -> c_int {
    match files::register_stores() {
        Ok(()) => crate::sys::SQLITE_OK,
        Err(error) => error.code().raw(),
    }
}

/// Its counterpart, when SQLite shuts down.
#[unsafe(no_mangle)]
pub extern "C" fn sqlite_vfs_kit_os_end() -> c_int {
    crate::sys::SQLITE_OK
}
