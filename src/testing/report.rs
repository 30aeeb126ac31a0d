//! What came out.

use std::fmt;

/// How a case ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// As SQLite expects it.
    Passed,
    /// Otherwise; the reason in words.
    Failed(String),
    /// The VFS says, by itself or through [`Options`](super::Options), that it does not offer this; what it lacks, in words.
    NotPromised(String),
}

/// A case and how it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The name of the case.
    pub case: String,
    /// How it ended.
    pub verdict: Verdict,
}

impl Outcome {
    /// Did it fail?
    #[must_use]
    pub fn is_failed(&self) -> bool {
        matches!(self.verdict, Verdict::Failed(_))
    }

    fn group(&self) -> &str {
        self.case.split('/').next().unwrap_or_default()
    }
}

/// How all cases ended. Displayed, it is a table of the groups, and below it what failed and what is not promised.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// In the order in which they ran.
    pub outcomes: Vec<Outcome>,
}

impl Report {
    /// Those that failed.
    pub fn failed(&self) -> impl Iterator<Item = &Outcome> {
        self.outcomes.iter().filter(|outcome| outcome.is_failed())
    }

    /// How many passed, failed, and are not promised.
    #[must_use]
    pub fn counts(&self) -> (usize, usize, usize) {
        count(&self.outcomes)
    }

    /// Ends a test: panics with the report unless something passed and nothing failed.
    ///
    /// # Panics
    /// If a case failed, or none passed.
    #[track_caller]
    pub fn assert_passed(&self) {
        let (passed, failed, _) = self.counts();
        assert!(failed == 0 && passed > 0, "\n{self}");
    }
}

fn count<'a>(outcomes: impl IntoIterator<Item = &'a Outcome>) -> (usize, usize, usize) {
    outcomes.into_iter().fold((0, 0, 0), |(passed, failed, not_promised), outcome| match outcome.verdict {
        Verdict::Passed => (passed + 1, failed, not_promised),
        Verdict::Failed(_) => (passed, failed + 1, not_promised),
        Verdict::NotPromised(_) => (passed, failed, not_promised + 1),
    })
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<14} {:>7} {:>7} {:>13}", "", "passed", "failed", "not promised")?;
        for group in self.outcomes.chunk_by(|a, b| a.group() == b.group()) {
            let (passed, failed, not_promised) = count(group);
            let name = group.first().map(Outcome::group).unwrap_or_default();
            writeln!(f, "{name:<14} {passed:>7} {failed:>7} {not_promised:>13}")?;
        }
        let (passed, failed, not_promised) = self.counts();
        writeln!(f, "{:<14} {passed:>7} {failed:>7} {not_promised:>13}", "all")?;
        for Outcome { case, verdict } in &self.outcomes {
            if let Verdict::Failed(why) = verdict {
                write!(f, "\nfailed: {case}\n  {}\n", why.replace('\n', "\n  "))?;
            }
        }
        // Many cases need the same.
        let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
        for Outcome { case, verdict } in &self.outcomes {
            if let Verdict::NotPromised(why) = verdict {
                match reasons.iter_mut().find(|(reason, _)| reason == why) {
                    Some((_, cases)) => cases.push(case),
                    None => reasons.push((why, vec![case])),
                }
            }
        }
        for (reason, cases) in reasons {
            write!(f, "\nnot promised: {reason}\n  {}\n", cases.join(", "))?;
        }
        Ok(())
    }
}
