//! Each method fails in turn: SQLite gets that method's code, nothing is lost, and the connection works on.

use super::ledger::{ADVANCE, begin, version};
use crate::layers::{Action, Fault, Operation, Rule, When};
use crate::sys;
use crate::testing::case::Capability::{Connections, SharedMemory, Write};
use crate::testing::case::{Case, Checked, Stop, check, check_eq};
use crate::testing::lab::Lab;
use crate::vfs::{DeviceCharacteristics, ErrorCode, VfsError};

/// What fails, and how.
const FAILURES: [(Operation, ErrorCode); 9] = [
    (Operation::Open, ErrorCode::CantOpen),
    (Operation::Delete, ErrorCode::IoErrDelete),
    (Operation::Access, ErrorCode::IoErrAccess),
    (Operation::Read, ErrorCode::IoErrRead),
    (Operation::Write, ErrorCode::IoErrWrite),
    (Operation::Truncate, ErrorCode::IoErrTruncate),
    (Operation::Sync, ErrorCode::IoErrFsync),
    (Operation::Size, ErrorCode::IoErrFstat),
    (Operation::Lock, ErrorCode::IoErrLock),
];

pub(super) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (operation, code) in FAILURES {
        for mode in ["delete", "truncate", "persist", "wal"] {
            let needs: &[_] = if mode == "wal" { &[Write, Connections, SharedMemory] } else { &[Write, Connections] };
            // What SQLite does not do in this mode cannot fail.
            let never = match operation {
                Operation::Open => mode == "truncate" || mode == "persist" || mode == "wal",
                Operation::Delete => mode != "delete",
                Operation::Truncate => mode != "truncate",
                Operation::Size | Operation::Access | Operation::Lock => mode == "wal",
                _ => false,
            };
            if !never {
                let run = move |lab: &Lab<'_>| in_turn(lab, operation, code, mode);
                cases.push(Case::new(format!("error/{}-{mode}", operation.name()), needs, run));
            }
        }
    }
    let wal = [Write, Connections, SharedMemory];
    cases.extend([
        Case::new("error/shm-wal", &wal, |lab| in_turn(lab, Operation::Shm, ErrorCode::IoErrShmLock, "wal")),
        Case::new("error/close", &[Write], close),
        Case::new("error/open-database", &[Write], open_database),
        Case::new("error/reason-is-kept", &[Write], reason_is_kept),
    ]);
    cases
}

/// The first operation of this kind fails in a transaction, then a later one, and so on.
fn in_turn(lab: &Lab<'_>, operation: Operation, code: ErrorCode, mode: &str) -> Checked {
    let place = lab.register(Fault::new(lab.fresh()?.promising(DeviceCharacteristics::NONE)))?;
    let db = place.open("x.db")?;
    db.set_mode(mode)?;
    begin(&db)?;
    // Someone else is there, so that what is shared stays shared.
    let other = place.open("x.db")?;
    let mut n = 1;
    loop {
        let at = |stop: Stop| stop.within(format!("{} {n} fails", operation.name()));
        let before = version(&other).map_err(at)?;
        place.vfs.reset_counts();
        place.vfs.add(Rule::new(operation, When::Nth(n), Action::Fail(code.into())));
        let answer = db.code(ADVANCE);
        let reached = place.vfs.count(operation) >= n;
        db.give_up().map_err(at)?;
        place.vfs.clear();

        let now = version(&db).map_err(at)?;
        if answer == sys::SQLITE_OK {
            check_eq!(now, before + 1, "{} {n} fails: the version after a success", operation.name());
        } else {
            check_eq!(answer, code.raw(), "{} {n} fails: the result code", operation.name());
            check!(now == before || now == before + 1, "{} {n} fails: version {now} after {before}", operation.name());
        }
        check_eq!(version(&other).map_err(at)?, now, "{} {n} fails: the version another finds", operation.name());
        if !reached {
            check!(n > 1, "{} never happens, so nothing was tried", operation.name());
            return Ok(());
        }
        db.run(ADVANCE).map_err(at)?;
        check_eq!(
            version(&other).map_err(at)?,
            now + 1,
            "{} {n} fails: the version after trying again",
            operation.name()
        );
        n += lab.rounds(1 + n / 3, 1);
    }
}

/// A failure to close has nobody to tell, and the file is closed all the same.
fn close(lab: &Lab<'_>) -> Checked {
    let place = lab.register(Fault::new(lab.fresh()?))?;
    let db = place.open("x.db")?;
    db.fill(1, 100, 300)?;
    place.vfs.add(Rule::new(Operation::Close, When::From(1), Action::Fail(ErrorCode::IoErrClose.into())));
    db.close()?;
    place.vfs.clear();
    let db = place.open("x.db")?;
    db.holds(100, 300)?;
    db.run("BEGIN EXCLUSIVE; DELETE FROM t WHERE k > 50; COMMIT")?;
    db.holds(50, 300)
}

fn open_database(lab: &Lab<'_>) -> Checked {
    let place = lab.register(Fault::new(lab.fresh()?))?;
    place.open("x.db")?.fill(1, 100, 300)?;
    for code in [ErrorCode::CantOpen, ErrorCode::IoErr, ErrorCode::Full, ErrorCode::NoMem] {
        place.vfs.add(Rule::new(Operation::Open, When::Nth(1), Action::Fail(code.into())));
        check!(place.open("x.db").is_err(), "a database was opened whose file could not be");
        place.vfs.clear();
        place.open("x.db")?.holds(100, 300)?;
    }
    Ok(())
}

fn reason_is_kept(lab: &Lab<'_>) -> Checked {
    let place = lab.register(Fault::new(lab.fresh()?))?;
    let db = place.open("x.db")?;
    db.fill(1, 100, 300)?;
    for reason in ["the first reason", "the second"] {
        let error = VfsError::new(ErrorCode::IoErrWrite, reason);
        place.vfs.add(Rule::new(Operation::Write, When::From(1), Action::Fail(error)));
        db.fails("DELETE FROM t", sys::SQLITE_IOERR)?;
        db.give_up()?;
        check_eq!(place.reason(), reason, "the words of the last error");
        place.vfs.clear();
    }
    db.holds(100, 300)
}
