//! Bytes that were never written are zero, however the file got its length.

use sqlite_vfs_kit::sys;

use crate::support::raw::{MAIN_DB, RawFile};
use crate::support::{CHUNK, Place, Random, full, memory, place, shelf::Shelf, test};

const OK: i32 = sys::SQLITE_OK;
const SHORT: i32 = sys::SQLITE_IOERR_SHORT_READ;

fn open<V>(place: &Place<V>) -> RawFile {
    RawFile::open(place.name(), Some("file"), MAIN_DB).unwrap()
}

/// Reads into a buffer that holds something else before.
fn read(file: &mut RawFile, offset: i64, len: usize) -> (i32, Vec<u8>) {
    let mut buffer = vec![0xEE; len];
    (file.read(&mut buffer, offset), buffer)
}

#[test]
fn a_short_read_is_filled_with_zeros() {
    for mut file in [open(&memory()), open(&place(Shelf::new()))] {
        assert_eq!(file.write(b"abc", 0), OK);
        assert_eq!(read(&mut file, 1, 6), (SHORT, b"bc\0\0\0\0".to_vec()));
        assert_eq!(read(&mut file, 3, 4), (SHORT, vec![0; 4]), "at the end");
        assert_eq!(read(&mut file, 1 << 40, 4), (SHORT, vec![0; 4]), "far beyond the end");
        assert_eq!(read(&mut file, 0, 3), (OK, b"abc".to_vec()));
    }
}

#[test]
fn a_gap_before_a_write_reads_as_zero() {
    let place = memory();
    let mut file = open(&place);
    for end in [10, CHUNK as i64 - 1, CHUNK as i64, CHUNK as i64 + 1, 10 * CHUNK as i64 + 7] {
        assert_eq!(file.truncate(0), OK);
        assert_eq!(file.write(b"end", end), OK);
        let (code, bytes) = read(&mut file, 0, end as usize + 3);
        assert_eq!(code, OK);
        assert!(bytes.iter().take(end as usize).all(|&byte| byte == 0), "{end}");
        assert_eq!(bytes.get(end as usize..), Some(&b"end"[..]));
    }
}

#[test]
fn truncating_to_more_makes_the_file_longer_with_zeros() {
    let place = memory();
    let mut file = open(&place);
    file.write(b"abc", 0);
    for size in [4, 1000, CHUNK as i64, 3 * CHUNK as i64 + 5] {
        assert_eq!(file.truncate(size), OK);
        assert_eq!(file.size(), Ok(size));
        let (code, bytes) = read(&mut file, 0, size as usize);
        assert_eq!(code, OK);
        assert!(bytes.starts_with(b"abc") && bytes.iter().skip(3).all(|&byte| byte == 0), "{size}");
    }
    assert_eq!(place.vfs.allocated_bytes(), CHUNK, "what was never written takes no space");
}

#[test]
fn after_truncating_old_bytes_are_gone_for_good() {
    let place = memory();
    let mut file = open(&place);
    let sizes = [0, 1, CHUNK as i64 - 1, CHUNK as i64, CHUNK as i64 + 1, 2 * CHUNK as i64];
    for size in sizes {
        file.write(&vec![7; 3 * CHUNK as usize], 0);
        assert_eq!(file.truncate(size), OK);
        assert_eq!(file.size(), Ok(size));
        // Past the gap: what lies between must not be what was there.
        file.write(b"!", 3 * CHUNK as i64 - 1);
        let (_, bytes) = read(&mut file, 0, 3 * CHUNK as usize);
        let (kept, gap) = bytes.split_at(size as usize);
        assert!(kept.iter().all(|&byte| byte == 7), "{size}");
        assert!(gap.iter().rev().skip(1).all(|&byte| byte == 0), "{size}");
    }
}

#[test]
fn a_negative_offset_or_length_is_refused() {
    let place = memory();
    let mut file = open(&place);
    file.write(b"abc", 0);
    assert_eq!(read(&mut file, -1, 2).0, sys::SQLITE_MISUSE);
    assert_eq!(file.write(b"x", -1), sys::SQLITE_MISUSE);
    assert_eq!(file.truncate(-1), sys::SQLITE_MISUSE);
    assert_eq!(place.reason(), "a negative offset or length");
    assert_eq!(read(&mut file, 0, 3), (OK, b"abc".to_vec()));
}

#[test]
fn an_offset_that_no_memory_has_is_full_and_not_a_crash() {
    let place = memory();
    let mut file = open(&place);
    assert_eq!(file.write(b"x", i64::MAX), sys::SQLITE_FULL);
    assert_eq!(file.size(), Ok(0));
    assert_eq!(place.vfs.allocated_bytes(), 0);
}

/// Random writes, cuts and reads, against a vector of bytes.
#[test]
fn a_file_holds_what_a_vector_would() {
    let place = memory();
    for seed in 0..if full() { 100 } else { 4 } {
        let mut random = Random::new(seed);
        let mut file = open(&place);
        file.truncate(0);
        let mut model: Vec<u8> = Vec::new();
        for _ in 0..300 {
            // Near the borders of chunks is where mistakes are made.
            let near = random.below(6) * CHUNK + random.below(5);
            let offset = near.saturating_sub(random.below(5)) as usize;
            match random.below(4) {
                0 => {
                    assert_eq!(file.truncate(offset as i64), OK);
                    model.resize(offset, 0);
                }
                1 | 2 => {
                    let size = *random.pick(&[1, 3, 4096, 65536, 70_000, 140_000]);
                    let data = vec![random.below(255) as u8 + 1; size];
                    assert_eq!(file.write(&data, offset as i64), OK);
                    model.resize(model.len().max(offset + size), 0);
                    model[offset..offset + size].copy_from_slice(&data);
                }
                _ => {
                    let (_, bytes) = read(&mut file, offset as i64, 150_000);
                    let there = model.get(offset..).unwrap_or_default();
                    let (expected, beyond) = bytes.split_at(there.len().min(bytes.len()));
                    assert!(there.starts_with(expected) && beyond.iter().all(|&byte| byte == 0), "seed {seed}");
                }
            }
            assert_eq!(file.size(), Ok(model.len() as i64));
        }
        assert!(read(&mut file, 0, model.len()).1 == model, "seed {seed}");
        assert!(
            place.vfs.allocated_bytes() <= (model.len() as u64).next_multiple_of(CHUNK),
            "cut chunks are given back"
        );
    }
}
