//! Who has to wait for whom (<https://sqlite.org/lockingv3.html>).

use std::time::Duration;

use crate::testing::case::Capability::{Connections, Write};
use crate::testing::case::{Case, Checked, Stop, check, check_eq};
use crate::testing::db::{Db, FILE_MODES, ROLLBACK_MODES};
use crate::testing::lab::{Handle, Lab, Place};
use crate::vfs::LockLevel::{self, Exclusive, None, Reserved, Shared};

pub(super) fn cases() -> Vec<Case> {
    let needs = [Write, Connections];
    // With one connection at `held`, may another one have `wanted`?
    let table = [
        ("none", None, "shared", Shared, true),
        ("none", None, "reserved", Reserved, true),
        ("none", None, "exclusive", Exclusive, true),
        ("shared", Shared, "shared", Shared, true),
        ("shared", Shared, "reserved", Reserved, true),
        ("shared", Shared, "exclusive", Exclusive, false),
        ("reserved", Reserved, "shared", Shared, true),
        ("reserved", Reserved, "reserved", Reserved, false),
        ("reserved", Reserved, "exclusive", Exclusive, false),
        ("exclusive", Exclusive, "shared", Shared, false),
        ("exclusive", Exclusive, "reserved", Reserved, false),
        ("exclusive", Exclusive, "exclusive", Exclusive, false),
    ];
    let pairs = table.map(|(held, at, wanted, to, expected)| {
        Case::new(format!("locks/{wanted}-beside-{held}"), &needs, move |lab| pair(lab, at, to, expected))
    });
    let mut cases = Vec::from(pairs);
    cases.extend([
        Case::new("locks/alone", &[Write], alone),
        Case::new("locks/repeated", &[Write], repeated),
        Case::new("locks/reserved-is-seen", &needs, reserved_is_seen),
        Case::new("locks/lowered-to-shared", &needs, lowered_to_shared),
        Case::new("locks/many-readers", &needs, many_readers),
        Case::new("locks/refused-leaves-what-was-held", &needs, refused_leaves_what_was_held),
        Case::new("locks/given-back-when-closed", &needs, given_back_when_closed),
        Case::new("locks/other-files-are-free", &[Write], other_files_are_free),
        Case::new("locks/second-writer-is-busy", &needs, second_writer_is_busy),
        Case::new("locks/readers-beside-a-writer", &needs, readers_beside_a_writer),
        Case::new("locks/exclusive-transaction", &needs, exclusive_transaction),
        Case::new("locks/readers-that-want-to-write", &needs, readers_that_want_to_write),
        Case::new("locks/busy-timeout-ends", &needs, busy_timeout_ends),
        Case::new("locks/closed-in-a-transaction", &needs, closed_in_a_transaction),
        Case::new("locks/exclusive-locking-mode", &needs, exclusive_locking_mode),
    ]);
    cases
}

/// Raises a lock as SQLite does, and answers whether it was had.
fn climb(file: &mut Handle, to: LockLevel) -> Checked<bool> {
    for level in [Shared, Reserved, Exclusive].into_iter().filter(|&level| level <= to) {
        if !file.lock(level)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn pair(lab: &Lab<'_>, held: LockLevel, wanted: LockLevel, expected: bool) -> Checked {
    let place = lab.place()?;
    let (mut a, mut b) = (place.file("x.db")?, place.file("x.db")?);
    check!(climb(&mut a, held)?, "the first of two handles cannot have {held:?}");
    check_eq!(climb(&mut b, wanted)?, expected, "with {held:?} held, another handle has {wanted:?}");
    // Whatever happened, all is free when both let go.
    a.unlock(None)?;
    b.unlock(None)?;
    check!(climb(&mut b, Exclusive)?, "a lock is left after both handles have let go");
    b.unlock(None)?;
    check!(climb(&mut a, Exclusive)?, "a lock is left after the second handle has let go");
    Ok(())
}

fn alone(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let mut file = place.file("x.db")?;
    for _ in 0..3 {
        check!(climb(&mut file, Exclusive)?, "a handle that is alone cannot have EXCLUSIVE");
        file.unlock(Shared)?;
        check!(!file.is_reserved()?, "a handle at SHARED, alone, is reserved");
        check!(climb(&mut file, Exclusive)?, "a handle that is alone cannot have EXCLUSIVE a second time");
        file.unlock(None)?;
    }
    Ok(())
}

fn repeated(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let mut file = place.file("x.db")?;
    for level in [Shared, Shared, Reserved, Reserved, Shared, Exclusive, Exclusive] {
        check!(file.lock(level)?, "{level:?} is refused to a handle that has it");
    }
    file.unlock(None)?;
    file.unlock(None)?;
    check!(climb(&mut file, Exclusive)?, "EXCLUSIVE is refused after letting go twice");
    Ok(())
}

fn reserved_is_seen(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let (mut a, mut b) = (place.file("x.db")?, place.file("x.db")?);
    for (level, expected) in [(None, false), (Shared, false), (Reserved, true), (Exclusive, true)] {
        check!(climb(&mut a, level)?, "a handle that is alone cannot have {level:?}");
        check_eq!(a.is_reserved()?, expected, "has_reserved_lock of the handle at {level:?}");
        check_eq!(b.is_reserved()?, expected, "has_reserved_lock beside a handle at {level:?}");
    }
    a.unlock(Shared)?;
    check!(!b.is_reserved()?, "has_reserved_lock is true after the lock was lowered to SHARED");
    Ok(())
}

fn lowered_to_shared(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let (mut a, mut b) = (place.file("x.db")?, place.file("x.db")?);
    check!(climb(&mut a, Exclusive)?, "a handle that is alone cannot have EXCLUSIVE");
    a.unlock(Shared)?;
    check!(climb(&mut b, Reserved)?, "RESERVED is refused beside a lock that was lowered to SHARED");
    check!(!b.lock(Exclusive)?, "a lock that was lowered to SHARED is gone");
    a.unlock(None)?;
    check!(b.lock(Exclusive)?, "EXCLUSIVE is refused to a writer when the last reader has gone");
    Ok(())
}

fn many_readers(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let mut readers = Vec::new();
    for i in 0..10 {
        let mut file = place.file("x.db")?;
        check!(file.lock(Shared)?, "reader number {i} is refused");
        readers.push(file);
    }
    let mut writer = place.file("x.db")?;
    check!(climb(&mut writer, Reserved)?, "RESERVED is refused beside readers");
    while let Some(mut reader) = readers.pop() {
        check!(!writer.lock(Exclusive)?, "EXCLUSIVE was had beside {} readers", readers.len() + 1);
        reader.unlock(None)?;
    }
    check!(writer.lock(Exclusive)?, "EXCLUSIVE is refused when all readers have gone");
    Ok(())
}

fn refused_leaves_what_was_held(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let (mut a, mut b) = (place.file("x.db")?, place.file("x.db")?);
    check!(climb(&mut a, Reserved)? && b.lock(Shared)?, "RESERVED and SHARED do not go together");
    check!(!b.lock(Reserved)?, "RESERVED was had twice");
    check!(!a.lock(Exclusive)?, "a refused RESERVED took SHARED away");
    check!(a.is_reserved()?, "a refused EXCLUSIVE took RESERVED away");
    b.unlock(None)?;
    check!(a.lock(Exclusive)?, "EXCLUSIVE is refused to a writer when the last reader has gone");
    Ok(())
}

fn given_back_when_closed(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let mut b = place.file("x.db")?;
    for level in [Shared, Reserved, Exclusive] {
        let mut a = place.file("x.db")?;
        check!(climb(&mut a, level)?, "a handle that is alone cannot have {level:?}");
        a.close()?;
        check!(climb(&mut b, Exclusive)?, "{level:?} is still held by a file that was closed");
        b.unlock(None)?;
    }
    Ok(())
}

fn other_files_are_free(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let (mut a, mut b) = (place.file("a.db")?, place.file("b.db")?);
    check!(climb(&mut a, Exclusive)? && climb(&mut b, Exclusive)?, "a lock on one file keeps another from being had");
    Ok(())
}

/// Two connections to a database with a table of one row, in this journal mode.
fn two(lab: &Lab<'_>, mode: &str) -> Checked<(Place, Db, Db)> {
    let place = lab.place()?;
    let (a, b) = (place.open("x.db")?, place.open("x.db")?);
    a.set_mode(mode)?;
    a.run("CREATE TABLE t (v); INSERT INTO t VALUES (1)")?;
    Ok((place, a, b))
}

/// For each of these journal modes; a failure says in which.
fn in_modes(modes: &[&str], case: impl Fn(&str) -> Checked) -> Checked {
    modes.iter().try_for_each(|mode| case(mode).map_err(|stop: Stop| stop.within(format!("journal_mode={mode}"))))
}

fn second_writer_is_busy(lab: &Lab<'_>) -> Checked {
    in_modes(&ROLLBACK_MODES, |mode| {
        let (_place, a, b) = two(lab, mode)?;
        a.run("BEGIN IMMEDIATE")?;
        b.is_busy("INSERT INTO t VALUES (0)")?;
        b.is_busy("BEGIN IMMEDIATE")?;
        a.run("INSERT INTO t VALUES (2); COMMIT")?;
        b.run("INSERT INTO t VALUES (3)")?;
        check_eq!(a.get::<String>("SELECT group_concat(v) FROM t")?, "1,2,3", "rows of two writers in turn");
        Ok(())
    })
}

fn readers_beside_a_writer(lab: &Lab<'_>) -> Checked {
    in_modes(&ROLLBACK_MODES, |mode| {
        let (_place, a, b) = two(lab, mode)?;
        a.run("BEGIN IMMEDIATE; INSERT INTO t VALUES (2)")?;
        b.run("BEGIN")?;
        b.has_rows(1)?;
        a.is_busy("COMMIT")?;
        b.has_rows(1)?;
        b.run("COMMIT")?;
        a.run("COMMIT")?;
        b.has_rows(2)
    })
}

fn exclusive_transaction(lab: &Lab<'_>) -> Checked {
    in_modes(&ROLLBACK_MODES, |mode| {
        let (_place, a, b) = two(lab, mode)?;
        a.run("BEGIN EXCLUSIVE")?;
        b.is_busy("SELECT * FROM t")?;
        a.run("ROLLBACK")?;
        b.has_rows(1)
    })
}

fn readers_that_want_to_write(lab: &Lab<'_>) -> Checked {
    in_modes(&ROLLBACK_MODES, |mode| {
        let (_place, a, b) = two(lab, mode)?;
        for db in [&a, &b] {
            db.run("BEGIN")?;
            db.has_rows(1)?;
        }
        a.run("INSERT INTO t VALUES (2)")?;
        b.is_busy("INSERT INTO t VALUES (3)")?;
        b.run("ROLLBACK")?;
        a.run("COMMIT")?;
        b.has_rows(2)
    })
}

fn busy_timeout_ends(lab: &Lab<'_>) -> Checked {
    let (_place, a, b) = two(lab, "delete")?;
    a.run("BEGIN IMMEDIATE")?;
    b.connection.busy_timeout(Duration::from_millis(10))?;
    b.is_busy("INSERT INTO t VALUES (2)")?;
    a.run("COMMIT")?;
    b.run("INSERT INTO t VALUES (2)")
}

fn closed_in_a_transaction(lab: &Lab<'_>) -> Checked {
    in_modes(&ROLLBACK_MODES, |mode| {
        let (_place, a, b) = two(lab, mode)?;
        a.run("BEGIN IMMEDIATE; INSERT INTO t VALUES (2)")?;
        a.close()?;
        b.has_rows(1)?;
        b.run("INSERT INTO t VALUES (3)")?;
        b.is_whole()
    })
}

fn exclusive_locking_mode(lab: &Lab<'_>) -> Checked {
    in_modes(&FILE_MODES, |mode| {
        let (_place, a, b) = two(lab, mode)?;
        a.run("PRAGMA locking_mode=exclusive; INSERT INTO t VALUES (2)")?;
        b.is_busy("SELECT * FROM t")?;
        a.run("PRAGMA locking_mode=normal; SELECT * FROM t")?;
        b.run("INSERT INTO t VALUES (3)")?;
        a.has_rows(3)
    })
}
