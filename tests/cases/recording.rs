//! What a power loss leaves, by the rules for what is durable.

use std::collections::{BTreeMap, BTreeSet};

use sqlite_vfs_kit::layers::{Action, Change, Fault, FaultFile, Operation, Recording, Rule, Unsynced, When};
use sqlite_vfs_kit::stores::MemoryVfs;
use sqlite_vfs_kit::sys;
use sqlite_vfs_kit::vfs::{
    DeviceCharacteristics, ErrorCode, FileControl, FileKind, Files, OpenOptions, SyncOptions, Vfs, VfsFile, VfsPath,
};

use crate::support::test;

const CREATE: i32 = sys::SQLITE_OPEN_CREATE | sys::SQLITE_OPEN_READWRITE;

type Memory = Fault<MemoryVfs>;

/// Recording, of a medium that promises this.
fn recording(promise: DeviceCharacteristics) -> Memory {
    let vfs = Fault::new(MemoryVfs::new()).with_characteristics(promise).with_sector_size(512);
    vfs.record();
    vfs
}

fn unsafe_medium() -> Memory {
    recording(DeviceCharacteristics::NONE)
}

fn open(vfs: &Memory, name: &str) -> FaultFile<MemoryVfs> {
    vfs.open(Some(&VfsPath::new(name)), OpenOptions::new(FileKind::MainDb, CREATE)).unwrap().file
}

fn sync(file: &mut FaultFile<MemoryVfs>) {
    file.sync(SyncOptions::from_flags(sys::SQLITE_SYNC_NORMAL)).unwrap();
}

fn write(file: &mut FaultFile<MemoryVfs>, text: &str, offset: u64) {
    file.write_at(text.as_bytes(), offset).unwrap();
}

/// What is left of a file, as text; `None` if there is none.
fn left(recording: &Recording, name: &str, point: usize, unsynced: Unsynced) -> Option<String> {
    let bytes = recording.crash_at(point, unsynced).unwrap().remove(name)?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// What is left at the end: lost, kept.
fn both(recording: &Recording, name: &str) -> [Option<String>; 2] {
    [Unsynced::Lost, Unsynced::Kept].map(|unsynced| left(recording, name, usize::MAX, unsynced))
}

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

/// All that can be left of a file at the end, with many seeds.
fn all(recording: &Recording, name: &str, way: impl Fn(u64) -> Unsynced) -> BTreeSet<Option<String>> {
    (0..300).map(|seed| left(recording, name, usize::MAX, way(seed))).collect()
}

fn reordered(seed: u64) -> Unsynced {
    Unsynced::Reordered { seed }
}

fn torn(seed: u64) -> Unsynced {
    Unsynced::Torn { seed }
}

fn set(texts: &[&str]) -> BTreeSet<Option<String>> {
    texts.iter().map(|text| some(text)).collect()
}

#[test]
fn what_was_synced_is_durable() {
    let vfs = unsafe_medium();
    let mut file = open(&vfs, "x");
    write(&mut file, "abcdef", 0);
    sync(&mut file);
    write(&mut file, "XY", 1);
    file.set_len(4).unwrap();
    let recording = vfs.recording();
    assert_eq!(both(&recording, "x"), [some("abcdef"), some("aXYd")]);
    assert_eq!(all(&recording, "x", reordered), set(&["abcdef", "aXYdef", "abcd", "aXYd"]));
    // At each moment.
    let at = |point, unsynced| left(&recording, "x", point, unsynced);
    assert_eq!([0, 1, 2, 3, 4, 5].map(|point| at(point, Unsynced::Lost)), {
        let synced = some("abcdef");
        [None, None, None, synced.clone(), synced.clone(), synced]
    });
    let kept = ["", "abcdef", "abcdef", "aXYdef", "aXYd"].map(some);
    assert_eq!([1, 2, 3, 4, 5].map(|point| at(point, Unsynced::Kept)), kept);
    assert_eq!(recording.events().len(), 5);
}

#[test]
fn a_new_file_is_there_once_it_was_synced() {
    let vfs = unsafe_medium();
    write(&mut open(&vfs, "x"), "abc", 0);
    let possible = all(&vfs.recording(), "x", reordered);
    assert_eq!(both(&vfs.recording(), "x"), [None, some("abc")]);
    assert!(possible.contains(&None) && possible.contains(&some("abc")) && possible.contains(&some("")));
    sync(&mut open(&vfs, "x"));
    assert_eq!(all(&vfs.recording(), "x", reordered), set(&["abc"]));
}

#[test]
fn a_deleted_file_may_come_back_unless_its_folder_was_synced() {
    for sync_dir in [false, true] {
        let vfs = unsafe_medium();
        let mut file = open(&vfs, "x");
        write(&mut file, "old", 0);
        sync(&mut file);
        vfs.delete(&VfsPath::new("x"), sync_dir).unwrap();
        let back = if sync_dir { None } else { some("old") };
        assert_eq!(both(&vfs.recording(), "x"), [back.clone(), None]);
        // What another file of the name becomes does not touch it.
        let mut next = open(&vfs, "x");
        write(&mut next, "new", 0);
        write(&mut file, "OLD", 0);
        assert_eq!(both(&vfs.recording(), "x"), [back, some("new")]);
        sync(&mut next);
        assert_eq!(both(&vfs.recording(), "x"), [some("new"), some("new")]);
        assert_eq!(all(&vfs.recording(), "x", reordered), set(&["new"]));
    }
}

#[test]
fn a_file_is_not_cut_before_an_earlier_deletion() {
    let vfs = unsafe_medium();
    let mut file = open(&vfs, "x");
    write(&mut file, "abcdef", 0);
    sync(&mut file);
    sync(&mut open(&vfs, "journal"));
    vfs.delete(&VfsPath::new("journal"), false).unwrap();
    file.set_len(3).unwrap();
    let outcomes: BTreeSet<_> = (0..300)
        .map(|seed| {
            let files = vfs.recording().crash_at(usize::MAX, reordered(seed)).unwrap();
            (files.contains_key("journal"), files["x"].len())
        })
        .collect();
    assert_eq!(outcomes, [(true, 6), (false, 6), (false, 3)].into());
    sync(&mut file);
    assert_eq!(both(&vfs.recording(), "journal"), [None, None]);
}

#[test]
fn a_write_may_arrive_without_those_before_it() {
    let vfs = unsafe_medium();
    let mut file = open(&vfs, "x");
    write(&mut file, "......", 0);
    sync(&mut file);
    write(&mut file, "a", 0);
    write(&mut file, "b", 2);
    write(&mut file, "c", 2);
    let expected = set(&["......", "a.....", "..b...", "..c...", "a.b...", "a.c..."]);
    assert_eq!(all(&vfs.recording(), "x", reordered), expected);
    // The same seed has the same outcome.
    for seed in 0..20 {
        let leave = || vfs.recording().crash_at(usize::MAX, torn(seed)).unwrap();
        assert_eq!(leave(), leave());
    }
}

#[test]
fn a_file_may_be_longer_by_bytes_that_were_lost_unless_appending_is_safe() {
    let left_by = |promise| {
        let vfs = recording(promise);
        let mut file = open(&vfs, "x");
        sync(&mut file);
        for (n, text) in ["aaaa", "bbbb", "cccc"].into_iter().enumerate() {
            write(&mut file, text, 4 * n as u64);
        }
        write(&mut file, "A", 0);
        all(&vfs.recording(), "x", reordered)
    };
    let safe = left_by(DeviceCharacteristics::SAFE_APPEND);
    let whole = ["", "aaaa", "aaaabbbb", "aaaabbbbcccc", "Aaaa", "Aaaabbbb", "Aaaabbbbcccc"];
    assert!(safe.is_superset(&set(&whole)), "{safe:?}");
    // The overwrite was an append if nothing was there.
    assert!(safe.iter().flatten().all(|text| whole.contains(&&**text) || text.starts_with('A')), "{safe:?}");
    let other = left_by(DeviceCharacteristics::NONE);
    assert!(other.contains(&some("\0\0\0\0bbbb")), "zeros");
    assert!(other.iter().flatten().any(|text| text.contains('\u{FFFD}')), "garbage");
}

#[test]
fn a_batch_arrives_as_a_whole() {
    let vfs = Fault::new(MemoryVfs::new()).with_characteristics(DeviceCharacteristics::BATCH_ATOMIC);
    vfs.record();
    let mut file = open(&vfs, "x");
    write(&mut file, "......", 0);
    sync(&mut file);
    file.file_control(FileControl::BeginAtomicWrite).unwrap();
    write(&mut file, "a", 0);
    write(&mut file, "b", 4);
    // Not before it is committed.
    assert_eq!(both(&vfs.recording(), "x"), [some("......"), some("......")]);
    assert_eq!(all(&vfs.recording(), "x", torn), set(&["......"]));
    file.file_control(FileControl::CommitAtomicWrite).unwrap();
    assert_eq!(both(&vfs.recording(), "x"), [some("......"), some("a...b.")]);
    assert_eq!(all(&vfs.recording(), "x", torn), set(&["......", "a...b."]));
    sync(&mut file);
    file.file_control(FileControl::BeginAtomicWrite).unwrap();
    write(&mut file, "c", 0);
    file.file_control(FileControl::RollbackAtomicWrite).unwrap();
    write(&mut file, "d", 1);
    sync(&mut file);
    assert_eq!(both(&vfs.recording(), "x"), [some("ad..b."), some("ad..b.")]);
    assert_eq!(vfs.read("x").unwrap(), b"ad..b.");
}

#[test]
fn a_sequential_medium_keeps_the_order() {
    let vfs = recording(DeviceCharacteristics::SEQUENTIAL);
    let [mut x, mut y] = [open(&vfs, "x"), open(&vfs, "y")];
    write(&mut x, "....", 0);
    write(&mut y, "....", 0);
    // One sync is enough for all that came before.
    sync(&mut y);
    write(&mut x, "a", 0);
    write(&mut y, "b", 1);
    write(&mut x, "c", 2);
    vfs.delete(&VfsPath::new("y"), false).unwrap();
    write(&mut x, "d", 3);
    let steps = [
        ("....", Some("....")),
        ("a...", Some("....")),
        ("a...", Some(".b..")),
        ("a.c.", Some(".b..")),
        ("a.c.", None),
        ("a.cd", None),
    ];
    let image = |(x, y): (&str, Option<&str>)| {
        let y = y.map(|y| ("y".to_owned(), y.as_bytes().to_vec()));
        BTreeMap::from_iter([("x".to_owned(), x.as_bytes().to_vec())].into_iter().chain(y))
    };
    let expected: BTreeSet<_> = steps.into_iter().map(image).collect();
    let leave = |unsynced| vfs.recording().crash_at(usize::MAX, unsynced).unwrap();
    assert_eq!((0..300).map(|seed| leave(reordered(seed))).collect::<BTreeSet<_>>(), expected);
    assert_eq!(leave(Unsynced::Lost), image(steps[0]));
    assert_eq!(leave(Unsynced::Kept), image(steps[5]));
}

#[test]
fn a_torn_write_is_cut_at_a_sector() {
    let left_by = |promise| -> Vec<Vec<u8>> {
        let vfs = recording(promise);
        let mut file = open(&vfs, "x");
        file.write_at(&[1; 2048], 0).unwrap();
        sync(&mut file);
        file.write_at(&[2; 1024], 700).unwrap();
        let recording = vfs.recording();
        (0..300).map(|seed| recording.crash_at(usize::MAX, torn(seed)).unwrap().remove("x").unwrap()).collect()
    };
    let is = |file: &[u8], range: std::ops::Range<usize>, byte| file[range].iter().all(|&other| other == byte);
    let spared = left_by(DeviceCharacteristics::POWERSAFE_OVERWRITE);
    for file in &spared {
        let cut = file.iter().rposition(|&byte| byte == 2).map_or(700, |last| last + 1);
        assert!(is(file, 0..700, 1) && is(file, 700..cut, 2) && is(file, cut..2048, 1));
    }
    let lengths: BTreeSet<_> = spared.iter().map(|file| file.iter().filter(|&&byte| byte == 2).count()).collect();
    assert!(lengths.len() > 50, "it is cut anywhere: {lengths:?}");

    let mut garbled = BTreeSet::new();
    for file in left_by(DeviceCharacteristics::NONE) {
        let sectors = file.chunks(512).enumerate();
        let garbage: Vec<_> =
            sectors.filter(|(_, sector)| sector.iter().any(|&byte| byte != 1 && byte != 2)).map(|(n, _)| n).collect();
        assert_eq!(garbage.len(), 1);
        let sector = garbage[0];
        assert!(is(&file, 0..512, 1), "before the write");
        let (start, end) = (512 * sector, 512 * sector + 512);
        assert!(sector == 1 || (is(&file, 512..700, 1) && is(&file, 700..start, 2)), "what came before has arrived");
        assert!(is(&file, end..2048, 1), "what came after has not");
        garbled.insert(sector);
    }
    assert_eq!(garbled, [1, 2, 3].into());

    for file in left_by(DeviceCharacteristics::ATOMIC) {
        assert!(is(&file, 700..1724, 2) || is(&file, 0..2048, 1), "as a whole");
    }
    // Atomic are blocks of 1 KiB at multiples of that: this one is not at one.
    let blocks = left_by(DeviceCharacteristics::from_raw(sys::SQLITE_IOCAP_ATOMIC1K));
    assert!(blocks.iter().any(|file| file.iter().any(|&byte| byte > 2)));
}

#[test]
fn only_the_last_write_is_torn() {
    let vfs = recording(DeviceCharacteristics::POWERSAFE_OVERWRITE);
    let [mut x, mut y] = [open(&vfs, "x"), open(&vfs, "y")];
    for file in [&mut x, &mut y] {
        write(file, "........", 0);
        sync(file);
    }
    write(&mut y, "bbbbbbbb", 0);
    write(&mut x, "aaaaaaaa", 0);
    assert_eq!(all(&vfs.recording(), "y", torn), set(&["........", "bbbbbbbb"]));
    let cut = all(&vfs.recording(), "x", torn);
    assert!(cut.len() == 9 && cut.contains(&some("aaa.....")), "{cut:?}");
    // In order: what comes after a torn write has not arrived, so one that something came after was not torn.
    let vfs = recording(DeviceCharacteristics::SEQUENTIAL.and(DeviceCharacteristics::POWERSAFE_OVERWRITE));
    let mut x = open(&vfs, "x");
    write(&mut x, "........", 0);
    sync(&mut x);
    write(&mut x, "aaaaaaaa", 0);
    x.set_len(4).unwrap();
    let cut = all(&vfs.recording(), "x", torn);
    assert!(cut.contains(&some("aaa.....")) && cut.contains(&some("aaaa")) && !cut.contains(&some("aa..")), "{cut:?}");
}

#[test]
fn what_was_there_before_is_known() {
    let vfs = Fault::new(MemoryVfs::new());
    vfs.write("closed", b"closed").unwrap();
    vfs.write("opened", b"opened").unwrap();
    let mut file = open(&vfs, "open");
    write(&mut file, "open", 0);
    vfs.record();
    write(&mut file, "O", 0);
    drop(open(&vfs, "opened"));
    let recording = vfs.recording();
    assert_eq!(both(&recording, "open"), [some("open"), some("Open")]);
    assert_eq!(both(&recording, "opened"), [some("opened"), some("opened")]);
    assert_eq!(both(&recording, "closed"), [None, None]);
    vfs.record_with_files().unwrap();
    assert_eq!(vfs.recorded(), 0);
    vfs.delete(&VfsPath::new("closed"), false).unwrap();
    write(&mut file, "!", 4);
    let recording = vfs.stop();
    assert_eq!(both(&recording, "closed"), [some("closed"), None]);
    assert_eq!(both(&recording, "open"), [some("Open"), some("Open!")]);
    assert_eq!(both(&recording, "opened"), [some("opened"), some("opened")]);
    // It is over.
    write(&mut file, "?", 5);
    assert_eq!(vfs.recorded(), 0);
}

#[test]
fn what_is_done_behind_sqlites_back_is_durable() {
    let vfs = unsafe_medium();
    vfs.write("a", b"one").unwrap();
    vfs.write_at("a", b"two", 3).unwrap();
    vfs.write("b", b"gone").unwrap();
    vfs.write("c", b"in the place of").unwrap();
    vfs.write("c", b"another").unwrap();
    vfs.remove("b").unwrap();
    let files = vfs.recording().crash_at(usize::MAX, Unsynced::Lost).unwrap();
    let expected = [("a", "onetwo"), ("c", "another")];
    assert_eq!(files, expected.map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec())).into());
}

#[test]
fn temporary_files_are_left_out() {
    let vfs = unsafe_medium();
    let options = OpenOptions::new(FileKind::TempDb, CREATE | sys::SQLITE_OPEN_DELETEONCLOSE);
    for name in [None, Some(VfsPath::new("tmp"))] {
        let mut file = vfs.open(name.as_ref(), options).unwrap().file;
        write(&mut file, "abc", 0);
        sync(&mut file);
    }
    assert_eq!(vfs.recorded(), 0);
    // Of others the deletion when they are closed is known.
    let options = OpenOptions::new(FileKind::MainJournal, CREATE | sys::SQLITE_OPEN_DELETEONCLOSE);
    let mut file = vfs.open(Some(&VfsPath::new("journal")), options).unwrap().file;
    sync(&mut file);
    file.close().unwrap();
    let changes: Vec<_> = vfs.recording().events().iter().map(|event| event.change.clone()).collect();
    assert_eq!(changes, [Change::Create, Change::Sync, Change::Delete { sync_dir: false }]);
    // Unless the name is another's by then.
    let file = vfs.open(Some(&VfsPath::new("journal")), options).unwrap().file;
    vfs.delete(&VfsPath::new("journal"), false).unwrap();
    let _other = open(&vfs, "journal");
    let recorded = vfs.recorded();
    file.close().unwrap();
    assert_eq!(vfs.recorded(), recorded);
    assert_eq!(vfs.size("journal").unwrap(), Some(0));
}

#[test]
fn what_failed_is_not_recorded_and_what_was_cut_short_is_as_it_was_written() {
    let vfs = unsafe_medium();
    let mut file = open(&vfs, "x");
    let broken = || Action::Fail(ErrorCode::IoErr.into());
    for operation in [Operation::Sync, Operation::Truncate, Operation::Delete] {
        vfs.add(Rule::new(operation, When::Nth(1), broken()));
    }
    let short = Action::Shorten { bytes: 2, error: ErrorCode::Full.into() };
    vfs.add(Rule::new(Operation::Write, When::Nth(1), short));
    assert!(file.write_at(b"abc", 0).is_err());
    assert!(file.sync(SyncOptions::from_flags(0)).is_err());
    assert!(file.set_len(0).is_err());
    assert!(vfs.delete(&VfsPath::new("x"), true).is_err());
    let changes: Vec<_> = vfs.recording().events().iter().map(|event| event.change.clone()).collect();
    assert_eq!(changes, [Change::Create, Change::Write { offset: 0, bytes: b"ab"[..].into() }]);
}

#[test]
fn a_file_that_would_not_fit_into_memory_is_an_error() {
    let vfs = unsafe_medium();
    let mut file = open(&vfs, "x");
    // More than a Vec can hold, but a file can.
    file.set_len(if cfg!(target_family = "wasm") { 1 << 40 } else { 1 << 63 }).unwrap();
    let image = vfs.recording().crash_at(usize::MAX, Unsynced::Kept);
    assert_eq!(image.err().map(|error| error.code()), Some(ErrorCode::NoMem));
}
