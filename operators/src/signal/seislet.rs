//! Seislet transforms: wavelets across traces, along slopes.

use super::positions::Rows;
use super::trace_prediction::{Predictions, entries};
use crate::{Error, Formula, Operator, Pad, Result, Space, adjoint};

/// What a trace is predicted from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SeisletBasis {
    /// The trace on one side.
    Haar,
    /// The mean of those on both sides; at the ends, where there is one, that.
    Linear,
}

/// `y = S x`, a seislet transform: wavelets across traces that follow local slopes; domain `space`, `[traces, time]`, range with a power of
/// two of traces.
///
/// A level takes the traces `x` to residuals `r[k] = x[2k + 1] - P x[2k]` and to coarse traces `c[k] = x[2k] + ½ U r[k]`, which the next one
/// takes. `P` predicts a trace from the one before it, or from both sides ([`SeisletBasis`]), `U` from the one behind; both go from trace
/// to trace, by `new(t) = old(t - Δx p(t))` with the slopes `p` of each, interpolated by `sinc`. Range: `[r, r of coarse traces, …,
/// coarse traces of the last level]`. Traces of zeros, of slope zero, follow those that there are up to a power of two.
/// The inverse is [`inverse`](Self::inverse); the transform keeps no lengths, so that it is not the adjoint.
///
/// Units: those of `x`; slopes are those of the second step per that of the first, positive where events are later on the next trace: one for
/// each element of `space`, in its order (those of sections `[time, traces]` are turned before). Complex: linear. Cost: 1 or 2 launches for a level, each
/// value once, and a table of up to `nt²` weights for each trace, both ways (none for slopes that move whole samples), which is made
/// of products of matrices of `nt` samples (test `bytes::seislet`).
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::kernels::bridge::{Array, DType};
/// use arrayspan_operators::prelude::*;
/// // An event that is a sample later in each trace: all of it is predicted.
/// let section: Vec<f64> = (0..32).map(|at| f64::from(u8::from(at % 8 == at / 8 + 2))).collect();
/// let space = Space::new([4, 8], DType::Float64)?;
/// let seislet = Seislet::new(space.clone(), [1.0; 32], [1.0, 1.0], 2, SeisletBasis::Haar)?;
/// let y = seislet.forward(Array::from_vec(section.clone(), [4, 8])?)?;
/// assert!(y.to_vec::<f64>()?[..24].iter().all(|r| *r == 0.0));
/// let back = Seislet::inverse(space, [1.0; 32], [1.0, 1.0], 2, SeisletBasis::Haar)?;
/// assert_eq!(back.forward(&y)?.to_vec::<f64>()?, section);
/// # Ok(()) }
/// ```
///
/// Reference: S. Fomel and Y. Liu, Geophysics 75 (2010), V25-V38. Golden: PyLops 2.8.0 `Seislet`, whose linear basis predicts the first and
/// the last trace of a level by half and by three halves on the way back.
#[derive(Debug)]
pub struct Seislet(());

impl Seislet {
    const NAME: &str = "Seislet";

    /// `levels` of the transform of `space` along `slopes`, one for each element in its order; `steps` are from trace to trace and from
    /// sample to sample. At most as many levels as halve the power of two.
    ///
    /// # Errors
    /// [`Error::Parameter`] when `space` has not two axes; there is not one finite slope for each element; a step is zero or not finite;
    /// there are too many levels; or the dtype is not one to compute with. [`Error::TooLarge`] when the range cannot be addressed, or there
    /// is no memory for a table.
    pub fn new(
        space: Space,
        slopes: impl AsRef<[f64]>,
        steps: [f64; 2],
        levels: usize,
        basis: SeisletBasis,
    ) -> Result<Operator> {
        let section = Section::new(Self::NAME, space, levels, basis)?;
        let mut whole: Option<Formula> = None;
        section.levels(slopes.as_ref(), steps, |level| {
            let residuals = level.residuals(false)?;
            let both = level.coarse(false)?.after(&residuals);
            whole = Some(match whole.take() {
                None => both,
                Some(before) => both.after(before),
            });
            Ok(())
        })?;
        match whole {
            Some(whole) => Ok(whole.build()?.named(Self::NAME)),
            None => section.zeros(),
        }
    }

    /// From residuals and coarse traces back to sections of `space`: `S⁺ S = 1`.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn inverse(
        space: Space,
        slopes: impl AsRef<[f64]>,
        steps: [f64; 2],
        levels: usize,
        basis: SeisletBasis,
    ) -> Result<Operator> {
        let name = "inverse of Seislet";
        let section = Section::new(Self::NAME, space, levels, basis)?;
        let mut whole: Option<Formula> = None;
        section.levels(slopes.as_ref(), steps, |level| {
            let even = level.coarse(true)?;
            let both = level.residuals(true)?.after(&even);
            whole = Some(match whole.take() {
                None => both,
                Some(behind) => behind.after(both),
            });
            Ok(())
        })?;
        let whole = match whole {
            Some(whole) => whole.build()?,
            None => adjoint(&section.zeros()?),
        };
        Ok(whole.named(name))
    }
}

/// Traces, and how many there are with zeros.
struct Section {
    name: &'static str,
    space: Space,
    padded: Space,
    levels: usize,
    basis: SeisletBasis,
}

impl Section {
    fn new(name: &'static str, space: Space, levels: usize, basis: SeisletBasis) -> Result<Self> {
        space.stored(name)?;
        let &[traces, samples] = space.shape() else {
            return Error::parameter(name, format!("{space}, which has not two axes"));
        };
        let wide = (traces.max(1) as u128).next_power_of_two();
        if levels > wide.trailing_zeros() as usize {
            let why = format!("{levels} levels of {traces} traces");
            return Error::parameter(name, why);
        }
        let padded = Space::of_wide(name, vec![wide, samples as u128], space.dtype())?;
        Ok(Self { name, space, padded, levels, basis })
    }

    /// No level that predicts anything: zeros behind the traces.
    fn zeros(&self) -> Result<Operator> {
        let more = self.padded.shape()[0] - self.space.shape()[0];
        Ok(Pad::new(self.space.clone(), &[(0, more), (0, 0)])?.named(self.name))
    }

    /// Gives each level, the finest first.
    fn levels(
        &self,
        slopes: &[f64],
        steps: [f64; 2],
        mut take: impl FnMut(&Level<'_>) -> Result<()>,
    ) -> Result<()> {
        let &[traces, samples] = self.padded.shape() else { return Ok(()) };
        if self.levels == 0 {
            return Ok(());
        }
        if slopes.len() != self.space.len() {
            let why = format!("{} slopes for {}", slopes.len(), self.space);
            return Error::parameter(self.name, why);
        }
        let unit = steps[0] / steps[1];
        if !unit.is_finite() || steps.contains(&0.0) {
            return Error::parameter(self.name, format!("steps of {steps:?}"));
        }
        let delays: Vec<f64> = slopes.iter().map(|slope| slope * unit).collect();
        // Beyond these no sample is left.
        if let Some(at) = delays.iter().position(|delay| delay.is_nan() || delay.abs() >= 1e9) {
            let why = format!("slope {}, number {at}, with steps of {steps:?}", slopes[at]);
            return Error::parameter(self.name, why);
        }
        // However many traces there are, nothing of them is predicted.
        if samples == 0 {
            return Ok(());
        }
        let mut predictions = Predictions::new(self.name, [traces, samples], &delays)?;
        for number in 0..self.levels {
            let pairs = traces >> (number + 1);
            // Residuals of the levels before it come first.
            let done = traces - 2 * pairs;
            take(&Level { section: self, predictions: &predictions, pairs, done, samples })?;
            if number + 1 < self.levels {
                predictions = predictions.next(self.name)?;
            }
        }
        Ok(())
    }
}

/// One level: pairs of traces behind all residuals that there are before it.
struct Level<'a> {
    section: &'a Section,
    predictions: &'a Predictions,
    pairs: usize,
    done: usize,
    samples: usize,
}

impl Level<'_> {
    /// `[…, x] → […, r, e]`, `e` the even traces, or its inverse.
    fn residuals(&self, inverse: bool) -> Result<Operator> {
        let (done, pairs) = (self.done, self.pairs);
        // Where traces with even and odd numbers are: between each other and apart.
        let joined = |pair: usize| [done + 2 * pair, done + 2 * pair + 1];
        let apart = |pair: usize| [done + pairs + pair, done + pair];
        let sign = if inverse { 1.0 } else { -1.0 };
        let finest = done == 0;
        let own = if finest { &self.section.space } else { &self.section.padded };
        let [from, to] =
            if inverse { [&self.section.padded, own] } else { [own, &self.section.padded] };
        let mut table = Table::new(self, from, to)?;
        for trace in 0..to.shape()[0] {
            let pair = match trace.checked_sub(done) {
                None => {
                    table.copies(trace);
                    continue;
                }
                Some(behind) if inverse => (behind / 2, behind % 2 == 1),
                Some(behind) => (behind % pairs, behind < pairs),
            };
            let (pair, odd) = pair;
            let source = |pair: usize| if inverse { apart(pair) } else { joined(pair) };
            if !odd {
                table.copies(source(pair)[0]);
                continue;
            }
            for time in 0..self.samples {
                table.add(source(pair)[1], time, 1.0);
                let [near, far] = self.parts(pair + 1 < pairs);
                for (at, weight) in entries(self.predictions.forward(2 * pair, time)) {
                    table.add(source(pair)[0], at, sign * near * weight);
                }
                if far > 0.0 {
                    for (at, weight) in entries(self.predictions.backward(2 * pair + 1, time)) {
                        table.add(source(pair + 1)[0], at, sign * far * weight);
                    }
                }
                table.rows.end();
            }
        }
        table.operator(from, to)
    }

    /// `[…, r, e] → […, r, e + ½ U r]`, or its inverse.
    fn coarse(&self, inverse: bool) -> Result<Operator> {
        let (done, pairs) = (self.done, self.pairs);
        let half = if inverse { -0.5 } else { 0.5 };
        let space = &self.section.padded;
        let mut table = Table::new(self, space, space)?;
        for trace in 0..space.shape()[0] {
            let Some(pair) = trace.checked_sub(done + pairs) else {
                table.copies(trace);
                continue;
            };
            for time in 0..self.samples {
                table.add(trace, time, 1.0);
                let [near, far] = self.parts(pair > 0);
                for (at, weight) in entries(self.predictions.backward(2 * pair, time)) {
                    table.add(done + pair, at, half * near * weight);
                }
                if far > 0.0 {
                    for (at, weight) in entries(self.predictions.forward(2 * pair - 1, time)) {
                        table.add(done + pair - 1, at, half * far * weight);
                    }
                }
                table.rows.end();
            }
        }
        table.operator(space, space)
    }

    /// How much of a prediction is of the trace on one side, and of that on the other, if there is one.
    fn parts(&self, both: bool) -> [f64; 2] {
        match self.section.basis {
            SeisletBasis::Linear if both => [0.5, 0.5],
            _ => [1.0, 0.0],
        }
    }
}

/// A sparse matrix from traces to traces.
struct Table {
    rows: Rows,
    name: &'static str,
    traces: usize,
    samples: usize,
}

impl Table {
    fn new(level: &Level<'_>, from: &Space, to: &Space) -> Result<Self> {
        let (name, samples, rows) = (level.section.name, level.samples, to.len());
        let sides = if level.section.basis == SeisletBasis::Linear { 2 } else { 1 };
        let predicted = level.pairs.saturating_mul(samples).saturating_mul(sides * samples);
        let rows = Rows::of(name, to.shape(), to.dtype(), rows, predicted.saturating_add(rows))?;
        Ok(Self { rows, name, traces: from.shape()[0], samples })
    }

    /// A sample of a trace; traces that are not there are zero.
    fn add(&mut self, trace: usize, time: usize, weight: f64) {
        if trace < self.traces {
            self.rows.add(trace * self.samples + time, weight);
        }
    }

    fn copies(&mut self, trace: usize) {
        for time in 0..self.samples {
            self.add(trace, time, 1.0);
            self.rows.end();
        }
    }

    fn operator(self, from: &Space, to: &Space) -> Result<Operator> {
        let Self { rows, name, .. } = self;
        let spaces = [from.clone(), to.clone()];
        rows.between("Lifting", spaces, 0, [to.shape(), from.shape()])
            .map_err(|error| error.of(name))
    }
}
