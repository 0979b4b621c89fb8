//! What is left when memory could not be got back.

use std::fmt;
use std::time::Duration;

use super::recovered::Recovered;
use super::shortage::{OutOfMemory, Shortage};

/// The error that [`with_retry`](super::retry::with_retry) ends with, and what was tried against it.
#[derive(Clone, Debug)]
pub struct Unrecovered<E> {
    /// The last error.
    pub error: E,
    /// What was tried after each earlier attempt, in order; nothing if there was none.
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
}

impl<E: fmt::Display> fmt::Display for Unrecovered<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)?;
        for (number, attempt) in self.tried.iter().enumerate() {
            write!(f, "; after attempt {}:", number + 1)?;
            for (at, recovered) in attempt.recovered.iter().enumerate() {
                write!(f, "{} {recovered}", if at > 0 { "," } else { "" })?;
            }
        }
        Ok(())
    }
}

impl<E: std::error::Error + 'static> std::error::Error for Unrecovered<E> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}
