//! How many bytes each step of a recovery has freed.

use std::fmt;
use std::time::Duration;

use crate::Error;
use crate::reclaim::Stage;

/// What one step of a recovery gave back.
#[derive(Clone, Debug)]
pub struct Recovered {
    /// The step.
    pub stage: Stage,
    /// Who or what was asked.
    pub name: &'static str,
    /// Bytes that became free; `None` where nobody can tell.
    pub freed: Option<usize>,
    /// How long it took.
    pub took: Duration,
    /// Why it failed, if it did.
    pub failure: Option<Error>,
}

impl Recovered {
    pub(super) fn failed(stage: Stage, error: Error) -> Self {
        let name = "our pool";
        Self { stage, name, freed: None, took: Duration::ZERO, failure: Some(error) }
    }
}

impl Recovered {
    /// Enters the step into a list in which each step is once, however often it was taken.
    pub(super) fn enter(self, tried: &mut Vec<Self>) {
        let same = |known: &&mut Self| (known.stage, known.name) == (self.stage, self.name);
        match tried.iter_mut().find(same) {
            Some(known) => {
                let sum = known.freed.zip(self.freed).map(|(before, now)| before + now);
                known.freed = sum.filter(|_| self.failure.is_none());
                known.took += self.took;
                known.failure = self.failure;
            }
            None => tried.push(self),
        }
    }
}

pub(super) fn growth(before: Option<usize>, after: Option<usize>) -> Option<usize> {
    Some(after?.saturating_sub(before?))
}

impl fmt::Display for Recovered {
    /// In one line, however long its failure is.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} ", self.stage, self.name)?;
        match (&self.failure, self.freed) {
            (Some(error), _) => write!(f, "failed ({error})"),
            (None, Some(bytes)) => write!(f, "freed {bytes} bytes in {:.1?}", self.took),
            (None, None) => write!(f, "freed an unknown amount in {:.1?}", self.took),
        }
    }
}

/// What several steps have given back in all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Total {
    /// How many steps were taken.
    pub steps: usize,
    /// Bytes that became free, as far as known.
    pub freed: usize,
    /// How many steps could not tell.
    pub unknown: usize,
    /// How many failed.
    pub failed: usize,
    /// How long they took.
    pub took: Duration,
}

impl<'a> FromIterator<&'a Recovered> for Total {
    fn from_iter<I: IntoIterator<Item = &'a Recovered>>(steps: I) -> Self {
        let mut total = Self::default();
        for step in steps {
            total.steps += 1;
            total.took += step.took;
            match (&step.failure, step.freed) {
                (Some(_), _) => total.failed += 1,
                (None, Some(bytes)) => total.freed = total.freed.saturating_add(bytes),
                // Waiting frees nothing itself.
                (None, None) if step.stage == Stage::Wait => {}
                (None, None) => total.unknown += 1,
            }
        }
        total
    }
}

impl fmt::Display for Total {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { steps, freed, unknown, failed, took } = self;
        let least = if *unknown > 0 { "at least " } else { "" };
        write!(f, "looking for memory freed {least}{freed} bytes in {took:.1?} ({steps} step(s)")?;
        if *failed > 0 {
            write!(f, ", of which {failed} failed")?;
        }
        f.write_str(")")
    }
}

/// Steps after the message of an error: all together in short, one on each line in long (`{:#}`); nothing if there were
/// none.
pub(crate) struct Steps<'a>(pub(crate) &'a [Recovered]);

impl fmt::Display for Steps<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return Ok(());
        }
        if f.alternate() {
            return self.0.iter().try_for_each(|step| write!(f, "\n  tried: {step}"));
        }
        write!(f, "; {}", self.0.iter().collect::<Total>())
    }
}
