//! A VFS around a VFS.

mod fault;
mod operation;
mod trace;

pub use fault::{Action, Change, Event, Fault, FaultFile, Recording, Rule, Then, Unsynced, When};
pub use operation::Operation;
pub use trace::{Counter, LogEntry, OTHERS, Trace, TraceFile, UNNAMED};
