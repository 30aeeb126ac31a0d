//! The example runs, natively and in a page.

#[cfg(target_family = "wasm")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[cfg(target_family = "wasm")]
wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);

#[path = "../examples/rusqlite.rs"]
mod rusqlite_example;

#[test]
fn rusqlite_works_as_the_example_says() {
    rusqlite_example::main().unwrap();
}
