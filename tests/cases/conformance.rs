//! The conformance kit, on VFSes that are as they should be, and on some that say what they do not offer.

use sqlite_vfs_kit::layers::{Fault, Trace};
use sqlite_vfs_kit::stores::MemoryVfs;
use sqlite_vfs_kit::testing::{self, Capability, Options, Report, Subject, Verdict};
use sqlite_vfs_kit::vfs::{Files, Result};

use crate::support::flawed::{Flaw, Flawed};
use crate::support::shelf::Shelf;
use crate::support::{full, test};

/// Nothing fails, and what is not promised is not so for one of these reasons.
#[track_caller]
fn assert_passed(report: &Report, lacks: &[&str]) {
    println!("{report}");
    report.assert_passed();
    for outcome in &report.outcomes {
        if let Verdict::NotPromised(why) = &outcome.verdict {
            assert!(lacks.iter().any(|reason| why.contains(reason)), "{outcome:?}");
        }
    }
}

const NO_REOPENING: &str = "files do not outlive the VFS";

/// Holes take no space in the heap.
fn sparse() -> Options<'static> {
    Options { sparse: true, full: full(), ..Options::default() }
}

#[test]
fn memory_vfs_is_what_sqlite_expects() {
    assert_passed(&testing::run(&MemoryVfs::new, &sparse()), &[NO_REOPENING]);
}

#[test]
fn a_layer_that_counts_changes_nothing() {
    assert_passed(&testing::run(&|| Trace::new(MemoryVfs::new()), &sparse()), &[NO_REOPENING]);
}

#[test]
fn a_layer_that_makes_nothing_fail_changes_nothing() {
    assert_passed(&testing::run(&|| Fault::new(MemoryVfs::new()), &sparse()), &[NO_REOPENING]);
}

#[test]
fn the_smallest_vfs_is_what_sqlite_expects_but_for_what_it_does_not_offer() {
    let report = testing::run(&Shelf::new, &Options { full: full(), ..Options::default() });
    assert_passed(&report, &["shared memory", "batches of writes", "files beyond 4 GiB", NO_REOPENING]);
    let (passed, _, not_promised) = report.counts();
    assert!(passed > 250 && not_promised > 50, "{passed} passed, {not_promised} are not promised");
}

/// A store that only its author can fill.
struct ReadOnly;

impl Subject for ReadOnly {
    type Vfs = Flawed;

    fn fresh(&self) -> Result<Flawed> {
        Ok(Flawed::new(Flaw::ReadOnly))
    }

    fn holding(&self, files: &[(&str, &[u8])]) -> Result<Flawed> {
        let vfs = self.fresh()?;
        files.iter().try_for_each(|(name, bytes)| vfs.files().write(name, bytes))?;
        Ok(vfs)
    }
}

#[test]
fn a_vfs_that_only_reads_is_asked_to_read() {
    let report = testing::run(&ReadOnly, &Options { read_only: true, ..Options::default() });
    assert_passed(&report, &["writing"]);
    let reading = report.outcomes.iter().filter(|outcome| outcome.case.starts_with("reading/"));
    assert!(reading.clone().count() > 4 && reading.clone().all(|outcome| outcome.verdict == Verdict::Passed));
    // One that does not say so fails.
    assert!(testing::run(&|| Flawed::new(Flaw::ReadOnly), &Options::default()).failed().count() > 200);
}

/// A store that outlives its VFS.
struct Lasting;

impl Subject for Lasting {
    type Vfs = Flawed;

    fn fresh(&self) -> Result<Flawed> {
        Ok(Flawed::new(Flaw::None))
    }

    fn reopen(&self, vfs: Flawed) -> Result<Option<Flawed>> {
        let again = self.fresh()?;
        for file in vfs.files().list()? {
            again.files().write(&file.name, &vfs.files().read(&file.name)?)?;
        }
        Ok(Some(again))
    }
}

#[test]
fn a_store_that_outlives_its_vfs_has_everything_when_opened_again() {
    let report = testing::run(&Lasting, &Options { only: &["reopen/"], ..Options::default() });
    assert_passed(&report, &[]);
    assert_eq!(report.counts(), (5, 0, 0));
}

#[test]
fn what_a_vfs_says_it_does_not_offer_is_no_failure() {
    let fresh = |flaw| move || Flawed::new(flaw);
    let one = Options { one_connection: true, ..Options::default() };
    let lacks = ["several connections", "shared memory", "files beyond 4 GiB", NO_REOPENING];
    assert_passed(&testing::run(&fresh(Flaw::OneHandle), &one), &lacks);

    let named = Options { no_temporary_files: true, ..Options::default() };
    let lacks = ["files without a name", "files beyond 4 GiB", NO_REOPENING];
    assert_passed(&testing::run(&fresh(Flaw::NoUnnamedFiles), &named), &lacks);

    let only = ["names/", "bytes/", "page-size/"];
    let small = Options { max_file_size: Some(1 << 20), only: &only, ..Options::default() };
    let report = testing::run(&fresh(Flaw::None), &small);
    assert_passed(&report, &["files of", "files beyond 4 GiB"]);
    assert!(report.counts().2 > 8, "{report}");

    let plain = |name: &str| !name.contains(['#', '?']);
    let names = Options { allows_name: Some(plain), only: &["names/"], ..Options::default() };
    let report = testing::run(&fresh(Flaw::ParsesNamesAsUrls), &names);
    assert_passed(&report, &["no file is named"]);
    assert_eq!(report.counts().2, 2, "{report}");
}

#[test]
fn each_case_has_a_name_of_its_own_and_runs_alone() {
    let mut names: Vec<String> = Vec::new();
    for case in testing::cases() {
        let (group, what) = case.name().split_once('/').unwrap();
        assert!(group == case.group() && !what.is_empty() && !names.iter().any(|name| name == case.name()), "{case:?}");
        names.push(case.name().to_owned());
        if case.group() == "open" {
            let outcome = case.run(&MemoryVfs::new, &Options::default());
            assert_eq!((outcome.case.as_str(), outcome.verdict), (case.name(), Verdict::Passed));
        }
    }
    assert!(names.len() > 300);
    assert!(testing::cases().iter().any(|case| case.needs().contains(&Capability::SharedMemory)));
}
