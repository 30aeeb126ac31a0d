//! Files larger than 32 bits can count, and stores as large as memory goes.

use sqlite_vfs_kit::sys;

use crate::support::raw::{MAIN_DB, RawFile};
use crate::support::{CHUNK, memory, test};

const OK: i32 = sys::SQLITE_OK;

/// A hole costs nothing, so this works wherever the table of chunks fits, wasm included.
#[test]
fn a_file_with_holes_goes_beyond_four_gigabytes() {
    let place = memory();
    let mut file = RawFile::open(place.name(), Some("x"), MAIN_DB).unwrap();
    let places = [0, (1 << 31) - 3, (1 << 32) - 3, (1 << 32) + 5, 5 << 30, (8_i64 << 30) + 1];
    for (i, &offset) in places.iter().enumerate() {
        assert_eq!(file.write(&[i as u8 + 1; 6], offset), OK);
    }
    assert_eq!(file.size(), Ok((8 << 30) + 7));
    for (i, &offset) in places.iter().enumerate() {
        let mut buffer = [0; 6];
        assert_eq!(file.read(&mut buffer, offset), OK);
        assert_eq!(buffer, [i as u8 + 1; 6], "at {offset}");
    }
    let mut between = [9; 100];
    assert_eq!(file.read(&mut between, 6 << 30), OK);
    assert_eq!(between, [0; 100]);
    assert!(place.vfs.allocated_bytes() <= 9 * CHUNK);

    assert_eq!(file.truncate((1 << 32) + 1), OK);
    assert_eq!(file.size(), Ok((1 << 32) + 1));
    assert_eq!(file.truncate(6 << 30), OK);
    assert_eq!(file.read(&mut between, (1 << 32) + 1), OK);
    assert_eq!(between, [0; 100], "what was cut is gone");
}
