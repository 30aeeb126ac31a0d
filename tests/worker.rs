//! All cases, in a browser's dedicated worker.
#![cfg(target_family = "wasm")]

mod cases;
mod support;

wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_dedicated_worker);
