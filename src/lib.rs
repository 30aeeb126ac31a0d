//! Gives SQLite, compiled to WebAssembly or natively, any place to keep its bytes.
//!
//! A VFS is two traits: [`Vfs`](vfs::Vfs) and [`VfsFile`](vfs::VfsFile). [`register`] makes SQLite know it, under a name that
//! any binding can open databases with: rusqlite, diesel, or the C API. [`MemoryVfs`](stores::MemoryVfs) is one that is
//! ready: files in the heap, as fast as `:memory:`, with write-ahead logging between all connections.
//!
//! ```
//! use sqlite_vfs_kit::{RegisterOptions, register, stores::MemoryVfs};
//!
//! let memory = MemoryVfs::new();
//! register("memory", memory.clone(), RegisterOptions::default())?;
//! let db = rusqlite::Connection::open_with_flags_and_vfs("songs.db", rusqlite::OpenFlags::default(), "memory").unwrap();
//! db.execute_batch("CREATE TABLE song (title TEXT); INSERT INTO song VALUES ('Gymnopédie')").unwrap();
//! assert_eq!(memory.file_size("songs.db"), Some(8192));
//! # Ok::<(), sqlite_vfs_kit::vfs::VfsError>(())
//! ```

#[cfg(feature = "engine")]
pub mod engine;
#[cfg(feature = "foreign")]
pub mod foreign;
mod host;
pub mod layers;
pub mod lock;
#[cfg(feature = "sqlite")]
mod register;
pub mod shm;
pub mod stores;
pub mod sys;
#[cfg(feature = "testing")]
pub mod testing;
#[cfg(all(feature = "foreign", target_family = "wasm"))]
mod version;
pub mod vfs;

#[cfg(feature = "sqlite")]
pub use register::{RegisterOptions, Registration, register, register_sync};

/// The code of the guides, run by the tests.
#[cfg(all(doctest, feature = "testing"))]
#[doc = include_str!("../guides/write-your-own-vfs.md")]
mod guides {}
