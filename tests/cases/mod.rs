//! One file per idea.

mod attach;
mod holes;
mod journals;
mod locks;
mod names;
mod opening;
mod out_of_space;
mod temp_files;
mod wal;
mod wal_checkpoints;
mod wal_recovery;
