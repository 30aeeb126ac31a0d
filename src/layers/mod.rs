//! A VFS around a VFS.

mod trace;

pub use trace::{Counter, Operation, Trace, TraceFile};
