//! Batches of writes: together or not at all (`SQLITE_FCNTL_BEGIN_ATOMIC_WRITE`).

use crate::testing::case::Capability::{BatchAtomic, Connections, FileSize, Write};
use crate::testing::case::{Case, Checked, Stop, check, check_eq};
use crate::testing::lab::{Handle, Lab};
use crate::testing::random::Random;
use crate::vfs::{FileControl, VfsFile};

pub(super) fn cases() -> Vec<Case> {
    let needs = [Write, BatchAtomic, FileSize(4 << 20)];
    vec![
        Case::new("batch/commit", &needs, commit),
        Case::new("batch/rollback", &needs, rollback),
        Case::new("batch/rollback-of-growth", &needs, rollback_of_growth),
        Case::new("batch/rollback-of-cut", &needs, rollback_of_cut),
        Case::new("batch/one-after-another", &needs, one_after_another),
        Case::new("batch/left-open", &needs, left_open),
        Case::new("batch/at-random", &needs, at_random),
        Case::new("batch/sql", &[Write, BatchAtomic, Connections], sql),
    ]
}

fn control(file: &mut Handle, control: FileControl<'_>) -> Checked {
    let what = format!("{control:?}");
    match file.file.file_control(control) {
        Ok(true) => Ok(()),
        Ok(false) => Err(Stop::failed(format!("{what} is not answered, and BATCH_ATOMIC is promised"))),
        Err(error) => Err(Stop::failed(format!("{what}: {error}"))),
    }
}

fn commit(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let mut file = place.file("x.db")?;
    file.write(0, &[1; 10_000])?;
    control(&mut file, FileControl::BeginAtomicWrite)?;
    file.write(4096, &[2; 4096])?;
    file.write(12_288, &[3; 4096])?;
    control(&mut file, FileControl::CommitAtomicWrite)?;
    check_eq!(file.len()?, 16_384, "length after a batch");
    check!(
        file.read(4096, 4096)? == [2; 4096] && file.read(12_288, 4096)? == [3; 4096],
        "a batch's writes are not there"
    );
    check!(file.read(0, 4096)? == [1; 4096], "a batch has changed what it did not write");
    Ok(())
}

/// A file of 200,000 bytes, and what it has after `body` in a batch that is rolled back.
fn rolled_back(lab: &Lab<'_>, body: impl Fn(&mut Handle) -> Checked) -> Checked {
    let place = lab.place()?;
    let mut file = place.file("x.db")?;
    let before = Random::new(1).bytes(200_000);
    file.write(0, &before)?;
    control(&mut file, FileControl::BeginAtomicWrite)?;
    body(&mut file)?;
    control(&mut file, FileControl::RollbackAtomicWrite)?;
    check_eq!(file.len()?, 200_000, "length after a batch was rolled back");
    check!(file.read(0, 300_000)? == before, "a batch that was rolled back has changed the file");
    Ok(())
}

fn rollback(lab: &Lab<'_>) -> Checked {
    rolled_back(lab, |file| {
        for at in [0, 4096, 65_536, 100_000, 4096] {
            file.write(at, &[7; 4096])?;
        }
        Ok(())
    })
}

fn rollback_of_growth(lab: &Lab<'_>) -> Checked {
    rolled_back(lab, |file| {
        file.write(198_000, &[7; 100_000])?;
        file.write(500_000, &[7; 4096])
    })
}

fn rollback_of_cut(lab: &Lab<'_>) -> Checked {
    rolled_back(lab, |file| {
        file.set_len(50_000)?;
        file.write(49_000, &[7; 70_000])
    })
}

fn one_after_another(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let mut file = place.file("x.db")?;
    file.write(0, &[0; 4096])?;
    for round in 1..50 {
        control(&mut file, FileControl::BeginAtomicWrite)?;
        file.write(u64::from(round) * 100, &[round; 100])?;
        control(
            &mut file,
            if round % 2 == 0 { FileControl::CommitAtomicWrite } else { FileControl::RollbackAtomicWrite },
        )?;
    }
    for round in 1..50 {
        let expected = if round % 2 == 0 { round } else { 0 };
        let bytes = file.read(u64::from(round) * 100, 100)?;
        check!(bytes.iter().all(|&byte| byte == expected), "batch {round} of many has left {:?}", bytes.first());
    }
    Ok(())
}

fn left_open(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let mut file = place.file("x.db")?;
    file.write(0, b"before")?;
    control(&mut file, FileControl::BeginAtomicWrite)?;
    file.write(0, b"within the batch")?;
    file.close()?;
    check_eq!(place.file("x.db")?.read(0, 100)?, b"before", "bytes after the file was closed in the middle of a batch");
    Ok(())
}

fn at_random(lab: &Lab<'_>) -> Checked {
    for seed in 0..lab.rounds(4, 200) {
        let place = lab.place()?;
        let mut random = Random::new(seed);
        let mut file = place.file("x.db")?;
        let mut before = random.bytes(150_000);
        file.write(0, &before)?;
        for keep in [false, true, false] {
            control(&mut file, FileControl::BeginAtomicWrite)?;
            let mut model = before.clone();
            for _ in 0..15 {
                let offset = usize::try_from(random.below(200_000)).unwrap_or(0);
                if random.below(4) == 0 {
                    file.set_len(offset as u64)?;
                    model.resize(offset, 0);
                } else {
                    let len = usize::try_from(random.below(30_000)).unwrap_or(0) + 1;
                    let bytes = random.bytes(len);
                    file.write(offset as u64, &bytes)?;
                    model.resize(model.len().max(offset + len), 0);
                    model.splice(offset..offset + len, bytes);
                }
            }
            check!(file.read(0, 400_000)? == model, "seed {seed}: a batch does not read what it has written");
            control(&mut file, if keep { FileControl::CommitAtomicWrite } else { FileControl::RollbackAtomicWrite })?;
            if keep {
                before = model;
            }
            check!(file.read(0, 400_000)? == before, "seed {seed}: after the end of a batch the file has other bytes");
        }
    }
    Ok(())
}

fn sql(lab: &Lab<'_>) -> Checked {
    let place = lab.place()?;
    let (a, b) = (place.open("x.db")?, place.open("x.db")?);
    if !a.get::<bool>("SELECT sqlite_compileoption_used('ENABLE_BATCH_ATOMIC_WRITE')")? {
        return Err(Stop::not_promised("this SQLite is compiled without batches"));
    }
    a.fill(1, 100, 300)?;
    for _ in 0..20 {
        a.run("INSERT INTO t VALUES (1000, 1)")?;
        check!(!place.exists("x.db-journal")?, "a commit by a batch has left a journal");
        b.has_rows(101)?;
        b.run("DELETE FROM t WHERE k = 1000")?;
        a.has_rows(100)?;
    }
    a.holds(100, 300)
}
