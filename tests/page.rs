//! All cases, in a browser's page.
#![cfg(target_family = "wasm")]

mod cases;
mod support;

wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);
