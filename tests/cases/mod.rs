//! One file per idea.

mod attach;
mod holes;
mod journals;
mod locks;
mod names;
mod opening;
mod wal;
mod wal_checkpoints;
mod wal_recovery;
