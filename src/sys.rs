//! SQLite's C API, from one place: `sqlite-wasm-rs` on wasm, `libsqlite3-sys` natively. Both are SQLite 3.54.

#[cfg(not(target_family = "wasm"))]
pub use libsqlite3_sys::*;
#[cfg(target_family = "wasm")]
pub use sqlite_wasm_rs::*;
