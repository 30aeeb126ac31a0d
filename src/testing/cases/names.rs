//! Any legal name is its own file.

use rusqlite::OpenFlags;

use crate::sys;
use crate::testing::case::Capability::{Connections, Write};
use crate::testing::case::{Case, Checked, Stop, check, check_eq};
use crate::testing::db;
use crate::testing::lab::{Lab, short};
use crate::vfs::Vfs;

/// What is odd about a name, and the name.
const NAMES: &[(&str, &str)] = &[
    ("plain", "plain.db"),
    ("no-suffix", "plain"),
    ("hash", "a#b.db"),
    ("question-mark", "a?b.db?c"),
    ("percent", "a%20b%.db"),
    ("space", "a b .db"),
    ("ampersand", "a&b=c.db"),
    ("punctuation", "a;b,c:d|e*.db"),
    ("single-quote", "it's.db"),
    ("double-quote", "\"quoted\".db"),
    ("backslash", "back\\slash.db"),
    ("absolute", "/absolute.db"),
    ("folder", "folder/file.db"),
    ("url", "http://example.org/a.db"),
    ("newline", "line\nbreak.db"),
    ("accents", "größe.db"),
    ("decomposed", "gro\u{308}ße.db"),
    ("cjk", "日本語.db"),
    ("emoji", "🦀👩‍🔬.db"),
    ("upper-case", "PLAIN.DB"),
    ("looks-like-a-journal", "plain.db-journal.db"),
];

pub(super) fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = NAMES
        .iter()
        .map(|&(what, name)| Case::new(format!("names/{what}"), &[Write], move |lab| works(lab, name)))
        .collect();
    cases.extend([
        Case::new("names/are-distinct", &[Write, Connections], are_distinct),
        Case::new("names/longest", &[Write], |lab| longest(lab, "x")),
        Case::new("names/longest-of-multibyte-letters", &[Write], |lab| longest(lab, "🦀")),
        Case::new("names/over-the-longest", &[Write], over_the_longest),
    ]);
    cases
}

/// A database of this name lives, with a journal beside it.
fn works(lab: &Lab<'_>, name: &str) -> Checked {
    lab.allows(name)?;
    let place = lab.plain()?;
    let db = place.open(name)?;
    db.fill(1, 100, 300)?;
    db.spill_early()?;
    let before = db.contents()?;
    db.run("BEGIN; UPDATE t SET v = zeroblob(300)")?;
    let journal = format!("{name}-journal");
    check!(place.exists(&journal)?, "a transaction larger than its cache has no journal named {}", short(&journal));
    db.run("ROLLBACK")?;
    db.is_as(&before)?;
    db.run("BEGIN; UPDATE t SET v = zeroblob(300); COMMIT")?;
    let after = db.contents()?;
    check!(after != before, "an update changed nothing");
    db.close()?;
    check!(!place.exists(&journal)?, "the journal is still there after the commit");
    check!(place.exists(name)?, "the database does not exist under its name");
    place.open(name)?.is_as(&after)
}

fn are_distinct(lab: &Lab<'_>) -> Checked {
    let place = lab.plain()?;
    let names: Vec<&str> = NAMES.iter().map(|&(_, name)| name).filter(|name| lab.allows(name).is_ok()).collect();
    let mut open = Vec::new();
    for (i, name) in names.iter().enumerate() {
        let db = place.open(name)?;
        db.fill(1, 50, 300)?;
        db.spill_early()?;
        db.run(&format!("CREATE TABLE own AS SELECT {i} AS v; BEGIN; UPDATE t SET v = zeroblob(300)"))?;
        open.push(db);
    }
    // Each has a transaction with its journal; half of them commit.
    for (i, db) in open.into_iter().enumerate() {
        db.run(if i % 2 == 0 { "COMMIT" } else { "ROLLBACK" })?;
        db.close()?;
    }
    for (i, name) in names.iter().enumerate() {
        let db = place.open(name)?;
        check_eq!(db.get::<i64>("SELECT v FROM own")?, i64::try_from(i).unwrap_or(-1), "what was written to {name:?}");
        let zeros: i64 = db.get("SELECT count(*) FROM t WHERE v = zeroblob(300)")?;
        check_eq!(zeros, if i % 2 == 0 { 50 } else { 0 }, "rows of the transaction in {name:?}");
        db.is_whole()?;
    }
    Ok(())
}

/// A name as long as the VFS allows, of this letter.
fn longest_name(lab: &Lab<'_>, letter: &str) -> Checked<String> {
    let place = lab.place()?;
    let limit = place.vfs.max_pathname();
    // What the VFS puts before a name counts as well.
    let before = place.vfs.full_pathname("x").map_or(0, |full| full.len().saturating_sub(1));
    let room = limit.saturating_sub(before);
    check!(room > 0, "the longest name has {limit} bytes");
    let name = letter.repeat(room / letter.len()) + &"x".repeat(room % letter.len());
    lab.allows(&name)?;
    Ok(name)
}

fn longest(lab: &Lab<'_>, letter: &str) -> Checked {
    works(lab, &longest_name(lab, letter)?)
}

fn over_the_longest(lab: &Lab<'_>) -> Checked {
    let name = longest_name(lab, "x")? + "x";
    let place = lab.place()?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    match place.try_open(&name, flags) {
        Ok(_) => Err(Stop::failed("a database was opened whose name is longer than the longest")),
        Err(error) => {
            check_eq!(db::code(&error) & 0xFF, sys::SQLITE_CANTOPEN, "the code of opening it");
            check!(!place.reason().is_empty(), "nothing says why the name was refused");
            Ok(())
        }
    }
}
