//! One file per idea.

mod attach;
#[cfg(feature = "testing")]
mod conformance;
#[cfg(feature = "testing")]
mod conformance_flaws;
mod controls;
mod error_codes;
mod fault;
mod features;
mod growth;
#[cfg(target_family = "wasm")]
mod heap;
mod holes;
mod journals;
mod large_files;
mod layers;
mod locks;
mod model;
mod names;
mod opening;
mod out_of_space;
mod paths;
mod power_loss;
mod recording;
mod reentry;
mod registering;
mod temp_files;
#[cfg(not(target_family = "wasm"))]
mod threads;
mod trace;
mod wal;
mod wal_checkpoints;
mod wal_recovery;
