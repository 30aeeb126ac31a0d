//! The package's version, in a custom section of the wasm file: `js/src/version.ts` reads it before the module is
//! instantiated, since with another version's glue it might not get further.

#[used]
#[unsafe(link_section = "sqlite-vfs-kit")]
static VERSION: [u8; env!("CARGO_PKG_VERSION").len()] = {
    let mut bytes = [0; env!("CARGO_PKG_VERSION").len()];
    bytes.copy_from_slice(env!("CARGO_PKG_VERSION").as_bytes());
    bytes
};
