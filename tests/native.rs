//! All cases, natively.
#![cfg(not(target_family = "wasm"))]

mod cases;
mod support;
