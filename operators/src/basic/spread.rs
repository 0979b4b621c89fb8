//! Values spread along curves.

use arrayspan_kernels::Gather;
use num_complex::Complex64;

use crate::{Error, Form, Interpolation, Operator, Result, Space, adjoint};

/// `y[j, t(i, k, j)] += x[i, k]` for every `i`, `k` and row `j`: each value of a model `[n₀, m₀]` is spread along a curve of the
/// data `[n, m]`, one position `t` in each of its rows.
///
/// Where a position is between two samples, [`Interpolation::Linear`] gives part of the value to each, and
/// [`Interpolation::Nearest`] all of it to the nearest. The adjoint sums along the curves. Values that meet are added in an
/// order that is always the same on a device, and so are results; 16-bit floats as those of `Float32`, rounded
/// once. Units: those of `x`. Complex: linear. Cost: 1 launch in each
/// direction; each value of `x` that is used and each of `y` once, and the table: an index of 4 bytes and, with [`Interpolation::Linear`], a weight
/// for each sample of each curve; devices keep an index of a large one in 2 bytes (test `bytes::spread`).
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::kernels::bridge::DType;
/// use arrayspan_operators::prelude::*;
/// // A Radon transform: straight lines through the sample k of row 0, of slope i - 2.
/// let (model, data) = (Space::new([5, 40], DType::Float32)?, Space::new([9, 40], DType::Float32)?);
/// let line = |i: usize, k: usize, j: usize| Some(k as f64 + (i as f64 - 2.0) * j as f64);
/// let radon = Spread::new(model, data, line, Interpolation::Linear)?;
/// # Ok(()) }
/// ```
///
/// Golden: PyLops 2.8.0 `Spread`. There a table without `dtable` is truncated to whole samples, which is `position.trunc()` with
/// [`Interpolation::Nearest`] here, and with it a position on the last sample is an `IndexError`.
#[derive(Debug)]
pub struct Spread(());

impl Spread {
    const NAME: &str = "Spread";

    /// `curve(i, k, j)` is where the curve of the value at `[i, k]` of `domain` crosses row `j` of `range`, counted in samples from 0 on.
    /// Positions that are `None`, not a number, below 0 or beyond the last sample are left out.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless both spaces have two axes, and for a dtype that is not one to compute with;
    /// [`Error::Spaces`] when dtypes differ; [`Error::TooLarge`] when there is no memory for the table.
    pub fn new(
        domain: Space,
        range: Space,
        curve: impl Fn(usize, usize, usize) -> Option<f64>,
        interpolation: Interpolation,
    ) -> Result<Operator> {
        for space in [&domain, &range] {
            space.stored(Self::NAME)?;
        }
        if domain.dtype() != range.dtype() {
            return Err(Error::spaces(Self::NAME, "dtypes of domain and range", &domain, &range));
        }
        let (&[count, points], &[rows, samples]) = (domain.shape(), range.shape()) else {
            let why = format!("from {domain} to {range}, which have to have two axes each");
            return Error::parameter(Self::NAME, why);
        };
        let weighted = interpolation == Interpolation::Linear;
        let mut table = Table::new(&domain, rows, weighted)?;
        let last = samples as f64 - 1.0;
        for (i, k) in (0..count).flat_map(|i| (0..points).map(move |k| (i, k))) {
            for row in 0..rows {
                let position = curve(i, k, row).filter(|position| (0.0..=last).contains(position));
                let Some(position) = position else { continue };
                let first = row * samples;
                match interpolation {
                    Interpolation::Nearest => {
                        table.add(first + position.round_ties_even() as usize, 1.0)?;
                    }
                    Interpolation::Linear => {
                        let (place, weight) = (first + position.floor() as usize, position.fract());
                        table.add(place, 1.0 - weight)?;
                        if weight > 0.0 {
                            table.add(place + 1, weight)?;
                        }
                    }
                }
            }
            table.starts.push(table.indices.len());
        }
        let Table { starts, indices, weights, .. } = table;
        let weights = weighted.then_some(weights);
        let (model, data) = ([count, points], [rows, samples]);
        let sums = Gather::new(0, &model, &data, starts, indices, weights)?;
        let sums = Operator::of("sums along curves", range, domain, Form::Gather(sums))?;
        Ok(adjoint(&sums).named(Self::NAME))
    }

    /// As [`new`](Self::new), with the positions in a table `[n₀, m₀, n]`, the rows of the data fastest: PyLops's `table`, or the sum of
    /// its `table` and `dtable`. Those that are not a number are left out.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless there is a position for each value and row; as [`new`](Self::new).
    pub fn from_table(
        domain: Space,
        range: Space,
        table: &[f64],
        interpolation: Interpolation,
    ) -> Result<Operator> {
        let (&[count, points], &[rows, _]) = (domain.shape(), range.shape()) else {
            return Self::new(domain, range, |_, _, _| None, interpolation);
        };
        // Wide: the product of two extents fits.
        let expected = (count as u128 * points as u128).checked_mul(rows as u128);
        if expected != Some(table.len() as u128) {
            let len = table.len();
            let why = format!(
                "a table of {len} positions from {domain} to {range}, not [{count}, {points}, {rows}]"
            );
            return Error::parameter(Self::NAME, why);
        }
        let curve = |i, k, j| Some(table[(i * points + k) * rows + j]);
        Self::new(domain, range, curve, interpolation)
    }
}

/// For each value of the model what is read by the adjoint.
struct Table<'s> {
    domain: &'s Space,
    starts: Vec<usize>,
    indices: Vec<usize>,
    /// None, unless it is `weighted`.
    weights: Vec<Complex64>,
    weighted: bool,
}

impl<'s> Table<'s> {
    fn new(domain: &'s Space, rows: usize, weighted: bool) -> Result<Self> {
        let (starts, indices, weights) = (Vec::new(), Vec::new(), Vec::new());
        let mut table = Self { domain, starts, indices, weights, weighted };
        let points = domain.len();
        let room = table.starts.try_reserve_exact(points.saturating_add(1));
        // At least; two for each where samples are interpolated.
        let entries = table.indices.try_reserve(points.saturating_mul(rows));
        if room.is_err() || entries.is_err() {
            return Err(table.too_large());
        }
        table.starts.push(0);
        Ok(table)
    }

    fn add(&mut self, index: usize, weight: f64) -> Result<()> {
        let weight = self.weighted.then_some(Complex64::from(weight));
        let room = self.weights.try_reserve(usize::from(self.weighted));
        if self.indices.try_reserve(1).is_err() || room.is_err() {
            return Err(self.too_large());
        }
        self.indices.push(index);
        self.weights.extend(weight);
        Ok(())
    }

    fn too_large(&self) -> Error {
        let shape = self.domain.shape().iter().map(|&extent| extent as u128).collect();
        Error::TooLarge { operation: Spread::NAME.into(), shape, dtype: self.domain.dtype() }
    }
}
