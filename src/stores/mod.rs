//! Where bytes live.

#[cfg(feature = "memory")]
mod chunks;
#[cfg(feature = "js")]
mod js;
#[cfg(feature = "memory")]
mod memory;

#[cfg(feature = "js")]
pub use js::{Host, JsFeatures, JsFile, JsOpened, JsVfs};
#[cfg(feature = "memory")]
pub use memory::{MemoryFile, MemoryOptions, MemoryVfs};
