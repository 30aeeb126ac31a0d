//! One file per idea.

mod attach;
mod growth;
#[cfg(target_family = "wasm")]
mod heap;
mod holes;
mod journals;
mod locks;
mod names;
mod opening;
mod out_of_space;
mod paths;
mod registering;
mod temp_files;
mod wal;
mod wal_checkpoints;
mod wal_recovery;
