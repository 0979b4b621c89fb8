//! Sums of real and imaginary parts along an axis: what transforms of real numbers do before and behind a complex one.

use std::sync::Arc;

use arrayspan_bridge::devices::vectors::{filled, reserve};
use arrayspan_bridge::{Relayout, View, ViewMut};
use arrayspan_kernels::{Gather, Update};
use num_complex::Complex64;

use crate::{Context, LinearMap, Operator, Result, Space, adjoint};

/// Rows with as few entries are filled up to the same number, so that none is looked for.
const FEW: usize = 2;

/// A sparse complex matrix `W`, entry by entry.
pub(super) struct Entries {
    rows: usize,
    columns: usize,
    /// Row, column and weight.
    all: Vec<(usize, usize, Complex64)>,
}

/// `y = Re W z` along an axis, and `z = Wᴴ y` of real `y`: sums of the real numbers that complex ones are made of, so that neither
/// direction passes over complex numbers that are half zero.
#[derive(Debug)]
struct RealParts {
    name: &'static str,
    complex: Space,
    real: Space,
    /// Between the axes `[complex, 2]` and `[real]`.
    forward: Gather,
    adjoint: Gather,
}

impl Entries {
    /// None yet, with room for as many.
    pub(super) fn new(rows: usize, columns: usize, count: usize) -> Result<Self> {
        let mut all = Vec::new();
        reserve(&mut all, count)?;
        Ok(Self { rows, columns, all })
    }

    pub(super) fn add(&mut self, row: usize, column: usize, weight: Complex64) {
        self.all.push((row, column, weight));
    }

    /// `y = Re W z` from a complex space to a real one.
    pub(super) fn to_real(
        &self,
        name: &'static str,
        [complex, real]: [Space; 2],
        axis: usize,
    ) -> Result<Operator> {
        let each = |(row, column, weight): (usize, usize, Complex64)| {
            [(row, 2 * column, weight.re), (row, 2 * column + 1, -weight.im)]
        };
        let parts = self.parts(each)?;
        let turned = turned(&parts)?;
        let [rows, columns] = [&[self.rows][..], &[self.columns, 2]];
        let forward = matrix(axis, [rows, columns], &parts)?;
        let adjoint = matrix(axis, [columns, rows], &turned)?;
        Ok(Operator::new(RealParts { name, complex, real, forward, adjoint }))
    }

    /// `z = W x` from a real space to a complex one.
    pub(super) fn of_real(
        &self,
        name: &'static str,
        [real, complex]: [Space; 2],
        axis: usize,
    ) -> Result<Operator> {
        let each = |(row, column, weight): (usize, usize, Complex64)| {
            [(2 * row, column, weight.re), (2 * row + 1, column, weight.im)]
        };
        let parts = self.parts(each)?;
        let turned = turned(&parts)?;
        let [rows, columns] = [&[self.rows, 2][..], &[self.columns]];
        let [of_real, to_real] =
            [matrix(axis, [rows, columns], &parts)?, matrix(axis, [columns, rows], &turned)?];
        let parts = RealParts { name, complex, real, forward: to_real, adjoint: of_real };
        Ok(adjoint(Operator::new(parts)))
    }

    /// The entries of both parts. If all weights are real, only those of one.
    fn parts(
        &self,
        each: impl Fn((usize, usize, Complex64)) -> [(usize, usize, f64); 2],
    ) -> Result<Vec<(usize, usize, f64)>> {
        let real = self.all.iter().all(|(.., weight)| weight.im == 0.0);
        let count = if real { 1 } else { 2 };
        let mut parts = Vec::new();
        reserve(&mut parts, self.all.len().saturating_mul(count))?;
        parts.extend(self.all.iter().flat_map(|&entry| each(entry).into_iter().take(count)));
        Ok(parts)
    }
}

/// The entries of the transpose.
fn turned(entries: &[(usize, usize, f64)]) -> Result<Vec<(usize, usize, f64)>> {
    let mut all = Vec::new();
    reserve(&mut all, entries.len())?;
    all.extend(entries.iter().map(|&(row, column, weight)| (column, row, weight)));
    Ok(all)
}

/// A matrix of some entries, each row's in their order.
fn matrix(
    axis: usize,
    [rows, columns]: [&[usize]; 2],
    entries: &[(usize, usize, f64)],
) -> Result<Gather> {
    let count = rows.iter().product();
    let mut lengths = filled(count, 0_usize)?;
    for (row, ..) in entries {
        lengths[*row] += 1;
    }
    let longest = lengths.iter().copied().max().unwrap_or(0);
    // What a row is filled up with is an entry of its own, of weight 0.
    let even = longest <= FEW && !lengths.contains(&0);
    let mut starts = filled(count.saturating_add(1), 0_usize)?;
    for row in 0..count {
        starts[row + 1] = starts[row] + if even { longest } else { lengths[row] };
    }
    let mut indices = filled(starts[count], 0_usize)?;
    let mut weights = filled(starts[count], Complex64::ZERO)?;
    let mut next = starts.clone();
    for &(row, column, weight) in entries {
        let at = next[row];
        (indices[at], weights[at]) = (column, weight.into());
        next[row] += 1;
        if even && next[row] < starts[row + 1] {
            indices[next[row]] = column;
        }
    }
    Ok(Gather::new(axis, rows, columns, starts, indices, Some(weights))?)
}

impl RealParts {
    fn axis(&self) -> usize {
        self.forward.axis()
    }

    /// Both parts of each number behind the axis.
    fn beside<V: Relayout>(&self, parts: V) -> Result<V> {
        let (axis, last) = (self.axis(), self.complex.shape().len());
        let order: Vec<usize> = (0..=axis).chain([last]).chain(axis + 1..last).collect();
        Ok(parts.permuted(&order)?)
    }
}

impl LinearMap for RealParts {
    fn name(&self) -> &str {
        self.name
    }

    fn domain(&self) -> &Space {
        &self.complex
    }

    fn range(&self) -> &Space {
        &self.real
    }

    fn enqueue(&self, on: Context<'_>, x: View<'_>, y: ViewMut<'_>, update: Update) -> Result<()> {
        Ok(on.gather(&self.forward, self.beside(x.view_as_real()?)?, y, update)?)
    }

    /// By a complex factor, which an inner part of a product does not have, through an array of its own.
    fn enqueue_adjoint(
        &self,
        on: Context<'_>,
        y: View<'_>,
        x: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        if update.is_real() {
            return Ok(on.gather(&self.adjoint, y, self.beside(x.view_as_real()?)?, update)?);
        }
        let mut sums = on.empty(self.complex.shape(), self.complex.dtype())?;
        let parts = self.beside(sums.view_mut().view_as_real()?)?;
        on.gather(&self.adjoint, y, parts, Update::set())?;
        Ok(on.copy(sums.view(), x, update)?)
    }

    fn only_enqueues(&self) -> bool {
        true
    }

    fn batched(&self, before: &[usize], behind: &[usize]) -> Option<Result<Arc<dyn LinearMap>>> {
        let lifted = || {
            let space = |own: &Space| {
                Space::of(self.name, [before, own.shape(), behind].concat(), own.dtype())
            };
            let [forward, adjoint] = [&self.forward, &self.adjoint]
                .map(|gather| gather.at_axis(gather.axis() + before.len()));
            let (name, complex, real) = (self.name, space(&self.complex)?, space(&self.real)?);
            let lifted = Self { name, complex, real, forward, adjoint };
            Ok(Arc::new(lifted) as Arc<dyn LinearMap>)
        };
        Some(lifted())
    }
}
