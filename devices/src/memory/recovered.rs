//! What a step of a recovery has brought.

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
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} ", self.stage, self.name)?;
        match (&self.failure, self.freed) {
            (Some(error), _) => write!(f, "failed ({error})"),
            (None, Some(bytes)) => write!(f, "freed {bytes} bytes in {:.1?}", self.took),
            (None, None) => write!(f, "freed an unknown amount in {:.1?}", self.took),
        }
    }
}

/// Steps as the end of a sentence; nothing if there were none.
pub(crate) struct Steps<'a>(pub(crate) &'a [Recovered]);

impl fmt::Display for Steps<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, recovered) in self.0.iter().enumerate() {
            write!(f, "{} {recovered}", if at > 0 { "," } else { "; tried" })?;
        }
        Ok(())
    }
}
