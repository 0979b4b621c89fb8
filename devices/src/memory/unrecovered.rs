//! The error of an operation for which no memory could be found.

use std::fmt;
use std::time::Duration;

use super::recovered::{Recovered, Total};
use super::shortage::{OutOfMemory, Shortage};
use crate::reclaim::Stage;

/// The error that [`with_retry`](super::retry::with_retry) ends with, and what was tried against it.
#[derive(Clone)]
pub struct Unrecovered<E> {
    /// The last error.
    pub error: E,
    /// What was tried after each earlier attempt, in order; nothing if there was none. Attempts after each of which
    /// others were only waited for are one.
    pub tried: Vec<Attempt>,
}

/// An attempt that ran out of memory, and what was done about it before the next.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// What was missing.
    pub shortage: Shortage,
    /// The steps taken, in order.
    pub recovered: Vec<Recovered>,
}

impl Attempt {
    /// How long memory was looked for after it.
    #[must_use]
    pub fn took(&self) -> Duration {
        self.recovered.iter().map(|step| step.took).sum()
    }

    /// Enters it into a list, in which attempts after each of which others were only waited for are one.
    pub(super) fn enter(self, tried: &mut Vec<Self>) {
        let waited = |attempt: &Self| {
            let mut steps = attempt.recovered.iter();
            steps.all(|step| step.stage == Stage::Wait && step.freed.is_none())
        };
        match tried.last_mut().filter(|last| waited(last) && waited(&self)) {
            Some(last) => {
                self.recovered.into_iter().for_each(|step| step.enter(&mut last.recovered));
            }
            None => tried.push(self),
        }
    }
}

impl<E> Unrecovered<E> {
    /// An error against which nothing was tried.
    pub fn at_once(error: E) -> Self {
        Self { error, tried: Vec::new() }
    }

    /// The same attempts with another error.
    pub fn map<F>(self, change: impl FnOnce(E) -> F) -> Unrecovered<F> {
        Unrecovered { error: change(self.error), tried: self.tried }
    }
}

impl<E: OutOfMemory> OutOfMemory for Unrecovered<E> {
    fn shortage(&self) -> Option<Shortage> {
        self.error.shortage()
    }

    fn lost_device(&self) -> Option<&str> {
        self.error.lost_device()
    }
}

/// In short one line: the error, how often memory was looked for, and what that has brought in all. In long (`{:#}`) each
/// step on a line of its own.
impl<E: fmt::Display> fmt::Display for Unrecovered<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)?;
        if self.tried.is_empty() {
            return Ok(());
        }
        if f.alternate() {
            let numbered = self.tried.iter().zip(1..);
            return numbered.into_iter().try_for_each(|(attempt, number)| {
                let mut steps = attempt.recovered.iter();
                steps.try_for_each(|step| write!(f, "\n  after attempt {number}: {step}"))
            });
        }
        let total: Total = self.tried.iter().flat_map(|attempt| &attempt.recovered).collect();
        write!(f, "; {} attempt(s) before the last: {total}", self.tried.len())
    }
}

crate::debug_as_display!(Unrecovered<E>);

impl<E: std::error::Error + 'static> std::error::Error for Unrecovered<E> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}
