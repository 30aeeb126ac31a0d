//! Deleting files, closed and open.

use crate::sys;
use crate::testing::case::Capability::{Connections, Write};
use crate::testing::case::{Case, Checked, Stop, check, check_eq};
use crate::testing::lab::Lab;
use crate::vfs::{DeviceCharacteristics, ErrorCode, FileKind, OpenOptions};

const TEMPORARY: i32 =
    sys::SQLITE_OPEN_READWRITE | sys::SQLITE_OPEN_CREATE | sys::SQLITE_OPEN_EXCLUSIVE | sys::SQLITE_OPEN_DELETEONCLOSE;

pub(super) fn cases() -> Vec<Case> {
    vec![
        Case::new("delete/removes", &[Write], removes),
        Case::new("delete/missing-says-so", &[], missing_says_so),
        Case::new("delete/leaves-others", &[Write], leaves_others),
        Case::new("delete/made-again-is-empty", &[Write], made_again_is_empty),
        Case::new("delete/open-file", &[Write, Connections], open_file),
        Case::new("delete/on-close", &[Write], on_close),
        Case::new("delete/database", &[Write], database),
    ]
}

fn removes(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let mut file = place.file("x.db")?;
    file.write(0, b"bytes")?;
    file.close()?;
    place.delete("x.db")?;
    check!(!place.exists("x.db")?, "a deleted file exists");
    match place.try_file(Some("x.db"), OpenOptions::new(FileKind::MainDb, sys::SQLITE_OPEN_READWRITE)) {
        Ok(_) => Err(Stop::failed("a deleted file was opened without CREATE")),
        Err(_) => Ok(()),
    }
}

fn missing_says_so(lab: &Lab<'_>) -> Checked {
    let place = lab.some_place()?;
    match place.try_delete("missing.db") {
        Ok(()) => Err(Stop::failed("deleting a file that is not there succeeded")),
        Err(error) => {
            check_eq!(error.code(), ErrorCode::IoErrDeleteNoEnt, "the code of deleting a file that is not there");
            Ok(())
        }
    }
}

fn leaves_others(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let names = ["x.db", "x.db-journal.db", "x", "y.db"];
    for name in names {
        place.file(name)?.write(0, name.as_bytes())?;
    }
    place.delete("x.db")?;
    for name in names.into_iter().skip(1) {
        check_eq!(place.file(name)?.read(0, 100)?, name.as_bytes(), "bytes of {name} after deleting x.db");
    }
    Ok(())
}

fn made_again_is_empty(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    place.file("x.db")?.write(0, &[7; 100_000])?;
    place.delete("x.db")?;
    let mut file = place.file("x.db")?;
    check_eq!(file.len()?, 0, "length of a file made again");
    file.write(99_999, b"!")?;
    check!(file.read(0, 99_999)?.iter().all(|&byte| byte == 0), "a file made again has bytes of the deleted one");
    Ok(())
}

fn open_file(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let mut old = place.file("x.db")?;
    old.write(0, b"old")?;
    if let Err(error) = place.try_delete("x.db") {
        check!(
            lab.promises.contains(DeviceCharacteristics::UNDELETABLE_WHEN_OPEN),
            "an open file is not deleted ({error}), and does not say that it cannot be"
        );
        check_eq!(old.read(0, 10)?, b"old", "bytes of a file that was not deleted");
        return Ok(());
    }
    check_eq!(old.read(0, 10)?, b"old", "bytes of a file that was deleted while open");
    let mut new = place.file("x.db")?;
    check_eq!(new.len()?, 0, "length of a new file of that name");
    new.write(0, b"new")?;
    old.write(3, b", still")?;
    check_eq!(new.read(0, 20)?, b"new", "bytes of the new file");
    check_eq!(old.read(0, 20)?, b"old, still", "bytes of the old file");
    old.close()?;
    check_eq!(place.file("x.db")?.read(0, 20)?, b"new", "bytes of the new file when the old one is closed");
    Ok(())
}

fn on_close(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let options = OpenOptions::new(FileKind::TempDb, TEMPORARY);
    let mut file = place.try_file(Some("temporary"), options)?;
    file.write(0, b"bytes")?;
    check_eq!(file.read(0, 10)?, b"bytes", "bytes of a file that is to go when closed");
    file.close()?;
    check!(!place.exists("temporary")?, "a file that was to be deleted when closed exists");
    // Dropping closes, too.
    place.try_file(Some("temporary"), options)?.write(0, b"bytes")?;
    check!(!place.exists("temporary")?, "a file that was to be deleted when dropped exists");
    Ok(())
}

fn database(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    for round in 0..3 {
        let db = place.open("x.db")?;
        check_eq!(db.get::<i64>("SELECT count(*) FROM sqlite_schema")?, 0, "tables of a new database, round {round}");
        db.fill(1, 100, 300)?;
        db.close()?;
        place.delete("x.db")?;
    }
    Ok(())
}
