//! Operators for arrays with any axes in front of their own.

use std::sync::{Mutex, PoisonError};

use arrayspan::operators::{Lift, Operator};

use crate::error::Result;

/// Batches of more sizes than these are lifted anew. Loops have two: a full batch and the last one.
const KEPT: usize = 8;

/// An operator, and those that do the same to batches of one size.
pub(crate) struct Batches {
    pub(crate) operator: Operator,
    /// The operators for batches, those used last in front.
    lifted: Mutex<Vec<(usize, Operator)>>,
}

impl Batches {
    pub(crate) fn new(operator: Operator) -> Self {
        Self { operator, lifted: Mutex::default() }
    }

    /// The operator that does the same for each index of a first axis.
    pub(crate) fn of(&self, count: usize) -> Result<Operator> {
        {
            let mut kept = self.lifted.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(at) = kept.iter().position(|(of, _)| *of == count) {
                kept[..=at].rotate_right(1);
                return Ok(kept[0].1.clone());
            }
        }
        let lifted = self.operator.lifted(Lift::Leading(count))?;
        let mut kept = self.lifted.lock().unwrap_or_else(PoisonError::into_inner);
        kept.truncate(KEPT - 1);
        kept.insert(0, (count, lifted.clone()));
        Ok(lifted)
    }
}
