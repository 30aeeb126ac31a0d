//! The conformance kit, on VFSes that are as they should be.

use sqlite_vfs_kit::stores::MemoryVfs;
use sqlite_vfs_kit::testing::{self, Options, Report};

use crate::support::{full, test};

fn assert_passed(report: &Report) {
    println!("{report}");
    report.assert_passed();
}

#[test]
fn memory_vfs_is_what_sqlite_expects() {
    assert_passed(&testing::run(&MemoryVfs::new, &Options { sparse: true, full: full(), ..Options::default() }));
}
