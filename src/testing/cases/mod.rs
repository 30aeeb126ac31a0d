//! The cases, a group in a file.

mod attach;
mod batch;
mod bytes;
mod connections;
mod crash;
mod delete;
mod errors;
mod full;
mod journals;
mod ledger;
mod locks;
mod names;
mod open;
mod page_sizes;
mod reading;
mod reopen;
mod savepoints;
mod temporary;
mod vacuum;
mod wal;

use super::case::Case;

pub(super) fn all() -> Vec<Case> {
    let groups = [
        open::cases(),
        names::cases(),
        reading::cases(),
        bytes::cases(),
        delete::cases(),
        temporary::cases(),
        locks::cases(),
        connections::cases(),
        journals::cases(),
        savepoints::cases(),
        wal::cases(),
        page_sizes::cases(),
        vacuum::cases(),
        attach::cases(),
        batch::cases(),
        reopen::cases(),
        full::cases(),
        errors::cases(),
        crash::cases(),
    ];
    groups.into_iter().flatten().collect()
}
