//! Axes of positions and of times.

use super::NAME;
use crate::{Error, Result};

/// Positions at equal distances: `origin + i · step`. PyLops: `makeaxis`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RegularAxis {
    /// The first one.
    pub origin: f64,
    /// From one to the next.
    pub step: f64,
    /// How many there are.
    pub len: usize,
}

impl RegularAxis {
    /// All of them.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless `origin` and `step` are finite; too many for the memory.
    pub fn positions(self) -> Result<Vec<f64>> {
        self.checked()?;
        let mut positions = room("positions", Some(self.len))?;
        positions.extend((0..self.len).map(|i| self.origin + i as f64 * self.step));
        Ok(positions)
    }

    /// The differences of positions, `-(len - 1) · step` to `(len - 1) · step`: the lags of a correlation, which PyLops calls `t2`.
    ///
    /// # Errors
    /// As [`positions`](Self::positions).
    pub fn lags(self) -> Result<Vec<f64>> {
        self.checked()?;
        let last = self.len.saturating_sub(1);
        let len = if self.len == 0 { Some(0) } else { last.checked_mul(2).map(|both| both + 1) };
        let mut lags = room("lags", len)?;
        if self.len > 0 {
            lags.extend((1..=last).rev().map(|i| -(i as f64) * self.step));
            lags.extend((0..=last).map(|i| i as f64 * self.step));
        }
        Ok(lags)
    }

    pub(super) fn checked(self) -> Result<()> {
        if self.origin.is_finite() && self.step.is_finite() {
            return Ok(());
        }
        let Self { origin, step, .. } = self;
        let why = format!("an axis from {origin} on in steps of {step}, which have to be finite");
        Error::parameter(NAME, why)
    }
}

/// An empty list with room for `len` elements.
pub(super) fn room<T>(what: &str, len: Option<usize>) -> Result<Vec<T>> {
    let mut list = Vec::new();
    if len.is_none_or(|len| list.try_reserve_exact(len).is_err()) {
        let many = len.map_or_else(String::new, |len| format!(" of {len} samples"));
        return Error::parameter(NAME, format!("{what}{many} do not fit the memory"));
    }
    Ok(list)
}
