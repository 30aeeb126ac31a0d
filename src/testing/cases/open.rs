//! Opening: what is made, and what is refused.

use rusqlite::OpenFlags;

use crate::sys;
use crate::testing::case::Capability::{Connections, Write};
use crate::testing::case::{Case, Checked, Stop, check, check_eq};
use crate::testing::db;
use crate::testing::lab::{Lab, Place};
use crate::vfs::{Access, FileKind, OpenOptions};

const CREATE: i32 = sys::SQLITE_OPEN_READWRITE | sys::SQLITE_OPEN_CREATE;

pub(super) fn cases() -> Vec<Case> {
    vec![
        Case::new("open/missing-without-create", &[], missing_without_create),
        Case::new("open/missing-for-reading", &[], missing_for_reading),
        Case::new("open/failed-leaves-name-free", &[Write], failed_leaves_name_free),
        Case::new("open/create", &[Write], create),
        Case::new("open/create-keeps-existing", &[Write], create_keeps_existing),
        Case::new("open/exclusive-create", &[Write], exclusive_create),
        Case::new("open/exclusive-refuses-existing", &[Write], exclusive_refuses_existing),
        Case::new("open/every-kind", &[Write], every_kind),
        Case::new("open/every-kind-is-its-own-file", &[Write], every_kind_is_its_own_file),
        Case::new("open/same-file-twice", &[Write, Connections], same_file_twice),
        Case::new("open/access", &[Write], access),
        Case::new("open/empty-wal-counts-as-absent", &[Write], empty_wal_counts_as_absent),
        Case::new("open/database-without-create", &[Write], database_without_create),
        Case::new("open/many-cycles", &[Write], many_cycles),
    ]
}

fn is_missing(place: &Place, flags: i32) -> Checked {
    match place.try_file(Some("missing.db"), OpenOptions::new(FileKind::MainDb, flags)) {
        Ok(_) => check!(false, "a file that is not there was opened"),
        Err(error) => check!(
            error.code().raw() & 0xFF == sys::SQLITE_CANTOPEN,
            "opening a file that is not there is SQLITE_CANTOPEN, and was {error}"
        ),
    }
    check!(!place.exists("missing.db")?, "a failed open has made the file");
    Ok(())
}

fn missing_without_create(lab: &Lab<'_>) -> Checked {
    is_missing(&lab.some_place()?, sys::SQLITE_OPEN_READWRITE)
}

fn missing_for_reading(lab: &Lab<'_>) -> Checked {
    is_missing(&lab.some_place()?, sys::SQLITE_OPEN_READONLY)
}

fn failed_leaves_name_free(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    is_missing(&place, sys::SQLITE_OPEN_READWRITE)?;
    place.file("missing.db")?.write(0, b"made")?;
    check_eq!(place.file("missing.db")?.read(0, 10)?, b"made", "bytes of a file made after a failed open");
    Ok(())
}

fn create(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let mut file = place.file("x.db")?;
    check!(!file.read_only, "a file made for writing says it is for reading only");
    check_eq!(file.len()?, 0, "length of a new file");
    file.write(0, b"bytes")?;
    file.close()?;
    check!(place.exists("x.db")?, "a file that was made and written does not exist");
    Ok(())
}

fn create_keeps_existing(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let mut file = place.file("x.db")?;
    file.write(0, b"bytes")?;
    file.close()?;
    check_eq!(place.file("x.db")?.read(0, 10)?, b"bytes", "bytes of a file that was opened again with CREATE");
    Ok(())
}

fn exclusive_create(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let options = OpenOptions::new(FileKind::SuperJournal, CREATE | sys::SQLITE_OPEN_EXCLUSIVE);
    let mut file = place.try_file(Some("x.db-mj01"), options)?;
    file.write(0, b"bytes")?;
    check_eq!(file.read(0, 10)?, b"bytes", "bytes of a file made exclusively");
    Ok(())
}

fn exclusive_refuses_existing(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let mut file = place.file("x.db")?;
    file.write(0, b"bytes")?;
    file.close()?;
    let options = OpenOptions::new(FileKind::MainDb, CREATE | sys::SQLITE_OPEN_EXCLUSIVE);
    match place.try_file(Some("x.db"), options) {
        Ok(_) => check!(false, "a file that exists was opened with CREATE and EXCLUSIVE"),
        Err(error) => {
            check_eq!(error.code().raw() & 0xFF, sys::SQLITE_CANTOPEN, "the code of an exclusive open that is refused");
        }
    }
    check_eq!(place.file("x.db")?.read(0, 10)?, b"bytes", "bytes of the file after that");
    Ok(())
}

const KINDS: [(FileKind, &str); 8] = [
    (FileKind::MainDb, "x.db"),
    (FileKind::MainJournal, "x.db-journal"),
    (FileKind::Wal, "x.db-wal"),
    (FileKind::SuperJournal, "x.db-mj0123ABC"),
    (FileKind::TempDb, "temp-db"),
    (FileKind::TempJournal, "temp-journal"),
    (FileKind::TransientDb, "transient-db"),
    (FileKind::SubJournal, "sub-journal"),
];

fn every_kind(lab: &Lab<'_>) -> Checked {
    for (kind, name) in KINDS {
        if kind.is_temporary() && lab.options.no_temporary_files {
            continue;
        }
        let place = lab.place()?;
        // As SQLite opens them: those that are temporary have no name.
        let (name, flags) = if kind.is_temporary() {
            (None, CREATE | sys::SQLITE_OPEN_EXCLUSIVE | sys::SQLITE_OPEN_DELETEONCLOSE)
        } else {
            (Some(name), CREATE)
        };
        let result = place.try_file(name, OpenOptions::new(kind, flags));
        let mut file = result.map_err(|error| Stop::from(error).within(format!("{kind:?}")))?;
        file.write(0, b"bytes")?;
        check_eq!(file.read(0, 10)?, b"bytes", "bytes of a {kind:?}");
        file.close()?;
    }
    Ok(())
}

fn every_kind_is_its_own_file(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let named = || KINDS.iter().filter(|(kind, _)| !kind.is_temporary());
    let mut files = Vec::new();
    for &(kind, name) in named() {
        let mut file = place.try_file(Some(name), OpenOptions::new(kind, CREATE))?;
        file.write(0, name.as_bytes())?;
        files.push(file);
    }
    for (file, (kind, name)) in files.iter_mut().zip(named()) {
        check_eq!(file.read(0, 100)?, name.as_bytes(), "bytes of the {kind:?}");
    }
    Ok(())
}

fn same_file_twice(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let (mut a, mut b) = (place.file("x.db")?, place.file("x.db")?);
    a.write(0, b"from a")?;
    check_eq!(b.len()?, 6, "length of the file as another handle sees it");
    b.write(6, b", from b")?;
    check_eq!(a.read(0, 20)?, b"from a, from b", "bytes that another handle wrote");
    a.set_len(6)?;
    check_eq!(b.read(0, 20)?, b"from a", "bytes after another handle has cut the file");
    Ok(())
}

fn access(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    for question in [Access::Exists, Access::ReadWrite, Access::Read] {
        check!(!place.access("x.db", question)?, "{question:?} is true of a file that is not there");
    }
    let mut file = place.file("x.db")?;
    file.write(0, b"bytes")?;
    for question in [Access::Exists, Access::ReadWrite, Access::Read] {
        check!(place.access("x.db", question)?, "{question:?} is not true of an open file");
    }
    file.close()?;
    for question in [Access::Exists, Access::ReadWrite, Access::Read] {
        check!(place.access("x.db", question)?, "{question:?} is not true of a closed file");
    }
    Ok(())
}

fn empty_wal_counts_as_absent(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let options = OpenOptions::new(FileKind::Wal, CREATE);
    for open in [true, false] {
        let file = place.try_file(Some("x.db-wal"), options)?;
        let file = if open { Some(file) } else { file.close().map(|()| None)? };
        check!(!place.exists("x.db-wal")?, "an empty WAL exists, and puts its database into WAL mode");
        drop(file);
    }
    Ok(())
}

fn database_without_create(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    for flags in [OpenFlags::SQLITE_OPEN_READ_WRITE, OpenFlags::SQLITE_OPEN_READ_ONLY] {
        match place.try_open("x.db", flags) {
            Ok(_) => check!(false, "a database that is not there was opened"),
            Err(error) => {
                let code = db::code(&error);
                check_eq!(code & 0xFF, sys::SQLITE_CANTOPEN, "the code of opening a database that is not there");
            }
        }
    }
    place.open("x.db")?.fill(1, 10, 10)?;
    let db = place.try_open("x.db", OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    db.has_rows(10)
}

fn many_cycles(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    place.open("x.db")?.run("CREATE TABLE t (k INTEGER PRIMARY KEY, v BLOB)")?;
    let cycles = lab.rounds(100, 5000);
    for cycle in 1..=cycles {
        let db = place.open("x.db")?;
        db.run(&format!("INSERT INTO t VALUES ({cycle}, randomblob(100))"))?;
        db.close()?;
    }
    let db = place.open("x.db")?;
    db.has_rows(cycles)?;
    db.is_whole()
}
