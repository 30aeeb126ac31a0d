//! Bytes go in and come out, at every border and beyond every end.

use crate::sys;
use crate::testing::case::Capability::{Connections, FileSize, Sparse, Write};
use crate::testing::case::{Case, Checked, check, check_eq};
use crate::testing::lab::Lab;
use crate::testing::random::Random;
use crate::vfs::VfsFile;

const MIB: u64 = 1 << 20;

/// Where stores have borders: sectors, pages, chunks; and a byte to either side.
const BORDERS: [u64; 9] = [511, 512, 513, 4095, 4096, 4097, 65_535, 65_536, 65_537];

pub(super) fn cases() -> Vec<Case> {
    let at_border = |what: &str, run: fn(&Lab<'_>, u64) -> Checked| {
        BORDERS.map(|at| Case::new(format!("bytes/{what}-{at}"), &[Write, FileSize(MIB)], move |lab| run(lab, at)))
    };
    let mut cases = vec![
        Case::new("bytes/new-file-is-empty", &[Write], new_file_is_empty),
        Case::new("bytes/read-back", &[Write], read_back),
        Case::new("bytes/overwrite", &[Write], overwrite),
        Case::new("bytes/short-read", &[Write], short_read),
        Case::new("bytes/read-beyond-end", &[Write], read_beyond_end),
        Case::new("bytes/append-in-small-pieces", &[Write], append_in_small_pieces),
        Case::new("bytes/large-write", &[Write, FileSize(4 * MIB)], large_write),
    ];
    cases.extend(at_border("write-at", write_at));
    cases.extend(at_border("hole-to", hole_to));
    cases.extend(at_border("cut-to", cut_to));
    cases.extend(at_border("lengthen-to", lengthen_to));
    cases.extend([
        Case::new("bytes/emptied", &[Write], emptied),
        Case::new("bytes/set-len-to-same", &[Write], set_len_to_same),
        Case::new("bytes/sync-keeps-all", &[Write], sync_keeps_all),
        Case::new("bytes/kept-when-closed", &[Write], kept_when_closed),
        Case::new("bytes/two-handles", &[Write, Connections], two_handles),
        Case::new("bytes/as-a-vector-would", &[Write, FileSize(MIB)], as_a_vector_would),
        Case::new("bytes/many-files", &[Write], many_files),
        Case::new("bytes/beyond-4-gib", &[Write, Sparse, FileSize(6 << 30)], beyond_4_gib),
        Case::new("bytes/sector-size", &[Write], sector_size),
        Case::new("bytes/page-by-page", &[Write, FileSize(16 * MIB)], page_by_page),
    ]);
    cases
}

fn is_zero(bytes: &[u8]) -> bool {
    bytes.iter().all(|&byte| byte == 0)
}

fn index(at: u64) -> usize {
    usize::try_from(at).unwrap_or(usize::MAX)
}

fn new_file_is_empty(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let mut file = place.file("x.db")?;
    check_eq!(file.len()?, 0, "length of a new file");
    check_eq!(file.read(0, 100)?, b"", "bytes of a new file");
    Ok(())
}

fn read_back(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let mut file = place.file("x.db")?;
    file.write(0, b"0123456789")?;
    check_eq!(file.len()?, 10, "length after writing ten bytes");
    check_eq!(file.read(0, 10)?, b"0123456789", "all of them");
    check_eq!(file.read(3, 4)?, b"3456", "four of them");
    check_eq!(file.read(9, 1)?, b"9", "the last of them");
    Ok(())
}

fn overwrite(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let mut file = place.file("x.db")?;
    file.write(0, b"0123456789")?;
    file.write(2, b"ab")?;
    check_eq!(file.read(0, 20)?, b"01ab456789", "bytes after overwriting two in the middle");
    check_eq!(file.len()?, 10, "length after that");
    file.write(8, b"cdef")?;
    check_eq!(file.read(0, 20)?, b"01ab4567cdef", "bytes after overwriting beyond the end");
    check_eq!(file.len()?, 12, "length after that");
    Ok(())
}

fn short_read(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let mut file = place.file("x.db")?;
    file.write(0, b"abc")?;
    check_eq!(file.read(1, 6)?, b"bc", "a read across the end");
    check_eq!(file.read(0, 3)?, b"abc", "a read up to the end");
    Ok(())
}

fn read_beyond_end(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let mut file = place.file("x.db")?;
    file.write(0, b"abc")?;
    for offset in [3, 4, 4096, 65_536, 1 << 33, 1 << 40] {
        check_eq!(file.read(offset, 4)?, b"", "a read at {offset}");
    }
    check_eq!(file.len()?, 3, "length after reading beyond the end");
    Ok(())
}

fn append_in_small_pieces(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let mut file = place.file("x.db")?;
    let bytes = Random::new(1).bytes(70_000);
    let mut offset = 0;
    for (i, piece) in bytes.chunks(97).enumerate() {
        file.write(offset, piece)?;
        offset += piece.len() as u64;
        if i % 50 == 0 {
            check_eq!(file.len()?, offset, "length after appending");
        }
    }
    check!(file.read(0, 70_000)? == bytes, "what was appended piece by piece comes out otherwise");
    Ok(())
}

fn large_write(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let mut file = place.file("x.db")?;
    let bytes = Random::new(2).bytes(3 * (1 << 20) + 77);
    file.write(5, &bytes)?;
    check_eq!(file.len()?, bytes.len() as u64 + 5, "length after one write of 3 MiB");
    check!(file.read(5, bytes.len())? == bytes, "3 MiB come out otherwise than they went in");
    check!(is_zero(&file.read(0, 5)?), "the bytes before them are not zero");
    Ok(())
}

/// A write that lies across a border, and reads of all around it.
fn write_at(lab: &Lab<'_>, at: u64) -> Checked {
    let place = lab.place()?;
    let mut file = place.file("x.db")?;
    let mut model = Random::new(at).bytes(140_000);
    file.write(0, &model)?;
    for (offset, len) in [(at, 1), (at, 4096), (at - 1, 2), (at.saturating_sub(300), 600)] {
        let bytes = Random::new(at + offset + len).bytes(index(len));
        file.write(offset, &bytes)?;
        model.splice(index(offset)..index(offset + len), bytes);
    }
    check_eq!(file.len()?, model.len() as u64, "length after overwriting");
    check!(file.read(0, model.len())? == model, "bytes around a write at {at} are not as they should be");
    for offset in [at - 1, at, at + 1] {
        let expected = model.get(index(offset)..index(offset) + 5000).unwrap_or_default();
        check!(file.read(offset, 5000)? == expected, "a read at {offset} has other bytes");
    }
    Ok(())
}

/// A write beyond the end leaves a gap, which is zero.
fn hole_to(lab: &Lab<'_>, at: u64) -> Checked {
    let place = lab.place()?;
    for start in [0, 10] {
        let mut file = place.file(&format!("{start}.db"))?;
        let head = Random::new(at).bytes(start);
        if start > 0 {
            file.write(0, &head)?;
        }
        file.write(at, b"end")?;
        check_eq!(file.len()?, at + 3, "length after a write beyond the end");
        let bytes = file.read(0, index(at) + 10)?;
        check_eq!(bytes.len() as u64, at + 3, "bytes read");
        check!(bytes.starts_with(&head) && bytes.ends_with(b"end"), "what was written is not there");
        let gap = bytes.get(start..index(at)).unwrap_or_default();
        check!(is_zero(gap), "the gap between the end of the file and a write at {at} is not zero");
    }
    Ok(())
}

/// What was cut off is gone for good: neither a write past it nor a longer file brings it back.
fn cut_to(lab: &Lab<'_>, at: u64) -> Checked {
    let place = lab.place()?;
    let mut file = place.file("x.db")?;
    let bytes = Random::new(at).bytes(200_000);
    for write in [true, false] {
        file.write(0, &bytes)?;
        file.set_len(at)?;
        check_eq!(file.len()?, at, "length after cutting");
        let kept = file.read(0, bytes.len())?;
        check!(bytes.get(..index(at)) == Some(&kept), "after cutting to {at}, reading to the end has other bytes");
        if write {
            file.write(199_999, b"!")?;
        } else {
            file.set_len(200_000)?;
        }
        let now = file.read(0, bytes.len())?;
        let (kept, gap) = now.split_at_checked(index(at)).unwrap_or_default();
        check!(bytes.starts_with(kept) && kept.len() as u64 == at, "bytes before the cut at {at} have changed");
        check_eq!(gap.len() as u64, 200_000 - at, "bytes behind the cut");
        let gap = if write { gap.split_last().map_or(gap, |(_, gap)| gap) } else { gap };
        check!(is_zero(gap), "old bytes are back behind the cut at {at}");
    }
    Ok(())
}

fn lengthen_to(lab: &Lab<'_>, at: u64) -> Checked {
    let place = lab.place()?;
    let mut file = place.file("x.db")?;
    file.write(0, b"abc")?;
    file.set_len(at)?;
    check_eq!(file.len()?, at, "length after lengthening");
    let bytes = file.read(0, index(at) + 10)?;
    check_eq!(bytes.len() as u64, at, "bytes read after lengthening");
    check!(bytes.starts_with(b"abc"), "what was there is gone");
    check!(is_zero(bytes.get(3..).unwrap_or_default()), "what the file was lengthened by is not zero");
    file.write(at - 1, b"xy")?;
    check_eq!(file.read(at - 1, 5)?, b"xy", "bytes written across the new end");
    Ok(())
}

fn emptied(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let mut file = place.file("x.db")?;
    file.write(0, &[7; 10_000])?;
    file.set_len(0)?;
    check_eq!(file.len()?, 0, "length after cutting to nothing");
    check_eq!(file.read(0, 10)?, b"", "bytes after that");
    file.write(4, b"new")?;
    check_eq!(file.read(0, 10)?, b"\0\0\0\0new", "bytes after writing again");
    Ok(())
}

fn set_len_to_same(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let mut file = place.file("x.db")?;
    let bytes = Random::new(3).bytes(70_000);
    file.write(0, &bytes)?;
    file.set_len(70_000)?;
    check!(file.read(0, 80_000)? == bytes, "setting the length that a file has changes it");
    Ok(())
}

fn sync_keeps_all(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let mut file = place.file("x.db")?;
    let bytes = Random::new(4).bytes(70_000);
    file.write(0, &bytes)?;
    for flags in [sys::SQLITE_SYNC_NORMAL, sys::SQLITE_SYNC_FULL, sys::SQLITE_SYNC_NORMAL | sys::SQLITE_SYNC_DATAONLY] {
        file.sync(flags)?;
        check!(file.read(0, 80_000)? == bytes, "a sync changes the file");
    }
    file.close()?;
    place.file("x.db")?.sync(sys::SQLITE_SYNC_NORMAL)
}

fn kept_when_closed(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let bytes = Random::new(5).bytes(200_000);
    let mut file = place.file("x.db")?;
    file.write(0, &bytes)?;
    file.close()?;
    let mut file = place.file("x.db")?;
    check_eq!(file.len()?, 200_000, "length of the file when opened again");
    check!(file.read(0, 200_000)? == bytes, "a file opened again has other bytes");
    Ok(())
}

fn two_handles(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let (mut a, mut b) = (place.file("x.db")?, place.file("x.db")?);
    let mut random = Random::new(6);
    for round in 0..50 {
        let (offset, len) = (random.below(100_000), index(random.below(5000)) + 1);
        let bytes = random.bytes(len);
        let (writer, reader) = if round % 2 == 0 { (&mut a, &mut b) } else { (&mut b, &mut a) };
        writer.write(offset, &bytes)?;
        check!(reader.read(offset, len)? == bytes, "another handle does not see what was written at {offset}");
        check_eq!(reader.len()?, writer.len()?, "the length as two handles see it");
    }
    Ok(())
}

/// Random writes, cuts and reads, near the borders where mistakes are made.
fn as_a_vector_would(lab: &Lab<'_>) -> Checked {
    for seed in 0..lab.rounds(2, 100) {
        let place = lab.place()?;
        let mut file = place.file("x.db")?;
        let mut random = Random::new(seed);
        let mut model: Vec<u8> = Vec::new();
        for step in 0..150 {
            let border = [512, 4096, 65_536, 131_072, 262_144][index(random.below(5))];
            let offset = index((border + random.below(5)).saturating_sub(random.below(5)));
            match random.below(4) {
                0 => {
                    file.set_len(offset as u64)?;
                    model.resize(offset, 0);
                }
                1 | 2 => {
                    let len = [1, 3, 512, 4096, 65_536, 70_000][index(random.below(6))];
                    let bytes = random.bytes(len);
                    file.write(offset as u64, &bytes)?;
                    model.resize(model.len().max(offset + len), 0);
                    model.splice(offset..offset + len, bytes);
                }
                _ => {
                    let rest = model.get(offset..).unwrap_or_default();
                    let expected = rest.get(..50_000).unwrap_or(rest);
                    check!(
                        file.read(offset as u64, 50_000)? == expected,
                        "seed {seed}, step {step}: other bytes at {offset}"
                    );
                }
            }
            check_eq!(file.len()?, model.len() as u64, "seed {seed}, step {step}: the length");
        }
        check!(file.read(0, model.len() + 1)? == model, "seed {seed}: other bytes at the end");
    }
    Ok(())
}

fn many_files(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let mut files = Vec::new();
    for i in 0..lab.rounds(30u8, 200) {
        let mut file = place.file(&format!("{i}.db"))?;
        file.write(u64::from(i), &[i; 100])?;
        files.push(file);
    }
    for (i, file) in (0u8..).zip(&mut files) {
        check_eq!(file.len()?, u64::from(i) + 100, "length of file {i}");
        check_eq!(file.read(u64::from(i), 100)?, [i; 100], "bytes of file {i}");
    }
    Ok(())
}

fn beyond_4_gib(lab: &Lab<'_>) -> Checked {
    const GIB: u64 = 1 << 30;
    let place = lab.place()?;
    let mut file = place.file("x.db")?;
    file.write(0, b"start")?;
    for border in [2 * GIB, 4 * GIB, 5 * GIB] {
        file.write(border - 2, b"four")?;
        check_eq!(file.len()?, border + 2, "length after a write across {border}");
        check_eq!(file.read(border - 4, 10)?, b"\0\0four", "bytes at {border}");
    }
    check_eq!(file.read(0, 8)?, b"start\0\0\0", "bytes at the beginning");
    file.set_len(4 * GIB + 1)?;
    check_eq!(file.read(4 * GIB - 2, 10)?, b"fou", "bytes after cutting behind 4 GiB");
    file.set_len(100)?;
    check_eq!(file.read(0, 5)?, b"start", "bytes after cutting all of it");
    Ok(())
}

fn sector_size(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let file = place.file("x.db")?;
    let size = file.file.sector_size();
    check!(size == 0 || (size.is_power_of_two() && (32..=65_536).contains(&size)), "{size} is no size of a sector");
    check_eq!(file.file.device_characteristics(), lab.promises, "what a second file of the VFS promises");
    Ok(())
}

fn page_by_page(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let mut file = place.file("x.db")?;
    let pages = lab.rounds(512u32, 4096);
    for page in 0..pages {
        file.write(u64::from(page) * 4096, &page.to_be_bytes().repeat(1024))?;
    }
    for page in (0..pages).rev() {
        let expected = page.to_be_bytes().repeat(1024);
        check!(file.read(u64::from(page) * 4096, 4096)? == expected, "page {page} has other bytes");
    }
    Ok(())
}
