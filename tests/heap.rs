//! The cases that count SQLite's memory natively: the process is theirs alone. In browsers they are among the others.
#![cfg(not(target_family = "wasm"))]

#[path = "cases/heap.rs"]
mod heap;
mod support;
