//! Where bytes live.

#[cfg(feature = "memory")]
mod chunks;
#[cfg(feature = "memory")]
mod memory;

#[cfg(feature = "memory")]
pub use memory::{MemoryFile, MemoryOptions, MemoryVfs};
