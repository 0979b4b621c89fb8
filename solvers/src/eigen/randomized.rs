//! Singular values by random projections.

use std::f64::consts::PI;

use arrayspan_bridge::{Array, Relayout};
use arrayspan_kernels::{Executor, Update};
use arrayspan_operators::{LinearMap, Operator};

use super::applied::{Applied, home};
use super::basis::Basis;
use super::block::{Block, products, workspace};
use super::random::Random;
use crate::dense::singular;
use crate::engine::scale::{epsilon, power};
use crate::parameters::{positive, wrong};
use crate::{Result, Stopped, bytes};

/// What errors call it.
const NAME: &str = "RandomizedSvd";

/// Vectors by which the error is estimated: it is above the estimate but once in `10¹⁰`.
const PROBES: usize = 10;

/// `A ≈ U Σ Vᴴ` of low rank, from what `A` makes of random vectors, many at once: a few passes whatever the accuracy, where [`Svds`](crate::Svds) takes as
/// many as it needs.
///
/// `A` is of any shape. `count + oversampling` random vectors are mapped to its range, and forth and back `powers` times more, each time made
/// orthonormal; what the range holds of `A` is decomposed exactly. Values are lower bounds of the singular values. With a `tolerance` the number of
/// vectors is doubled until the error is below it.
///
/// The **error** is a bound of `‖A - U Σ Vᴴ‖`, which is at least the next singular value: `10 √(2/π)` times the largest of what the range lacks of the images
/// of ten more random vectors, which fails once in `10¹⁰`, and the largest value left out.
///
/// Breakdowns: ranks below `count` give values of zero; NaN and infinity end with [`Stopped::NotFinite`].
///
/// Storage: `k (3n + 2m) + 10 (n + m)` elements with `k = count + oversampling`, those returned, and what `A` takes for `k` vectors at once. Applications: `k (2 powers + 2) + 10`,
/// in `2 powers + 3` passes. The host looks at small matrices only, three times in all.
///
/// Reference: Halko, Martinsson and Tropp, SIAM Review 53 (2011) 217, algorithms 4.4 and 5.1, equation 4.3.
///
/// ```
/// use arrayspan_bridge::DType;
/// use arrayspan_operators::prelude::*;
/// use arrayspan_solvers::RandomizedSvd;
///
/// let sum = SumAlong::new(Space::new([4, 50], DType::Float64)?, 0)?; // 50 values of 2
/// let found = RandomizedSvd { count: 3, ..RandomizedSvd::default() }.of(&sum)?;
/// assert!(found.values.iter().all(|value| (value - 2.0).abs() < 1e-12));
/// assert!(found.error >= 2.0 && found.right.shape() == [3, 4, 50]);
/// # Ok::<(), arrayspan_solvers::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RandomizedSvd {
    /// How many singular values. At least 1, and at most as many as the smaller one of model and data has elements.
    pub count: usize,
    /// How many vectors more.
    pub oversampling: usize,
    /// How often the range is mapped back and forth: more where singular values hardly fall.
    pub powers: usize,
    /// The error that is small enough, relative to the largest value: all values above it are returned then, at least `count` of them.
    /// Above 0. `None`: the error is what it is.
    pub tolerance: Option<f64>,
    /// What random vectors are drawn from.
    pub seed: u64,
}

impl Default for RandomizedSvd {
    /// 6 values, 10 vectors more, two powers, no tolerance.
    fn default() -> Self {
        Self { count: 6, oversampling: 10, powers: 2, tolerance: None, seed: 1 }
    }
}

/// A decomposition of low rank.
#[derive(Debug)]
pub struct LowRank {
    /// `[rank, range…]`: `u`, orthonormal, where it was computed.
    pub left: Array,
    /// `σ`, in descending order.
    pub values: Vec<f64>,
    /// `[rank, domain…]`: `v`, orthonormal.
    pub right: Array,
    /// `‖A - U Σ Vᴴ‖` is at most this, but for one seed in `10¹⁰`.
    pub error: f64,
    /// How often the operator, or its adjoint, was applied to a vector.
    pub applications: usize,
    /// [`Stopped::Residual`] if the tolerance was reached, [`Stopped::Iterations`] without one.
    pub stopped: Stopped,
}

impl RandomizedSvd {
    /// The decomposition, computed where the operator's arrays are, or on the CPU if it has none. Waits for the device.
    ///
    /// # Errors
    /// When a parameter is out of its range; models and data are on different devices; the operator is complex and linear over the real
    /// numbers only; the device fails or is out of memory.
    pub fn of(&self, a: &Operator) -> Result<LowRank> {
        self.of_on(a, &*arrayspan_kernels::on(home(a))?)
    }

    /// As [`of`](Self::of), where `on` computes.
    ///
    /// # Errors
    /// As [`of`](Self::of); when `on` computes elsewhere than the operator.
    pub fn of_on(&self, a: &Operator, on: &dyn Executor) -> Result<LowRank> {
        let least = a.domain().len().min(a.range().len());
        self.check(least)?;
        let mut measured = Applied::new(NAME, a, on)?;
        measured.expect_matrix(NAME)?;
        let mut random = Random::new(self.seed);
        let (mut x, mut y) = (measured.models(1)?, measured.data(1)?);
        random.fill(on, x.view_mut())?;
        measured.normalise(x.view_mut())?;
        measured.forward(x.view(), y.view_mut(), Update::set())?;
        let finite = measured.measure(&y.view())?.is_some();
        drop((x, y));
        let mut rank = self.count.saturating_add(self.oversampling).min(least);
        let mut applications = 1;
        loop {
            let mut found = self.project(&measured, a, rank, &mut random)?;
            applications += found.applications;
            found.applications = applications;
            if !finite || !found.error.is_finite() || !found.values.iter().all(|v| v.is_finite()) {
                found.stopped = Stopped::NotFinite;
                return Ok(found);
            }
            match self.tolerance {
                Some(tolerance) if found.error > tolerance * found.values[0] && rank < least => {
                    rank = rank.saturating_mul(2).min(least);
                }
                Some(_) => {
                    found.stopped = Stopped::Residual;
                    return Ok(found);
                }
                None => return Ok(found),
            }
        }
    }

    /// The bytes that it takes on the device of `on`, vectors returned included. Nothing is allocated for it. With a tolerance it may take twice as many vectors,
    /// and twice as many again: these are the bytes without.
    ///
    /// # Errors
    /// A parameter that is out of its range; an operator that is not for many vectors at once.
    pub fn memory(&self, a: &Operator, on: &dyn Executor) -> Result<usize> {
        let (domain, range) = (a.domain(), a.range());
        let least = domain.len().min(range.len());
        self.check(least)?;
        let rank = self.count.saturating_add(self.oversampling).min(least);
        let vectors = |models: usize, data: usize| {
            let models = bytes::of(domain).saturating_mul(models);
            models.saturating_add(bytes::of(range).saturating_mul(data))
        };
        let dtype = domain.dtype().bytes();
        let bases = vectors(2 * rank, 2 * rank).saturating_add(2 * rank * dtype);
        let small = rank.saturating_mul(rank).saturating_mul(dtype);
        // While the range is made, while its products are, while the error is found, and in the end.
        let images = vectors(rank, 0).saturating_add(small);
        let parts = rank.saturating_mul(PROBES * dtype).max(workspace(a, PROBES)?);
        let probes = vectors(PROBES, PROBES).saturating_add(parts.max(Random::bytes(on, domain)));
        let found = vectors(self.count, self.count);
        let most = [workspace(a, rank)?, images, probes, found].into_iter().fold(0, usize::max);
        let scalars = arrayspan_kernels::widest_real(on.device()).bytes();
        let scalars = rank.saturating_add(PROBES + 4).saturating_mul(scalars);
        Ok(bytes::total([bases, most, scalars, LinearMap::workspace(a)]))
    }

    /// By so many vectors.
    fn project(
        &self,
        measured: &Applied<'_>,
        a: &Operator,
        rank: usize,
        random: &mut Random,
    ) -> Result<LowRank> {
        let on = measured.on;
        let (domain, range) = (a.domain(), a.range());
        let mut block = Block::new(measured, a)?;
        let lost = 32.0 * epsilon(domain.dtype());
        let mut going = measured.scalars(&[rank])?;
        let mut models = Basis::new(on, domain.dtype(), domain.len(), [rank, rank])?;
        let mut data = Basis::new(on, range.dtype(), range.len(), [rank, rank])?;
        for at in 0..rank {
            random.fill(on, models.row_mut(at)?)?;
        }
        block.apply(false, models.rows.view(), data.rows.view_mut())?;
        block.orthonormalise(&mut data, (0, rank), lost, &mut going)?;
        for _ in 0..self.powers {
            block.apply(true, data.rows.view(), models.rows.view_mut())?;
            block.orthonormalise(&mut models, (0, rank), lost, &mut going)?;
            block.apply(false, models.rows.view(), data.rows.view_mut())?;
            block.orthonormalise(&mut data, (0, rank), lost, &mut going)?;
        }
        // Qᴴ A = (P C)ᴴ with P orthonormal.
        block.apply(true, data.rows.view(), models.rows.view_mut())?;
        let images = models.take(on, rank, &[domain.len()])?;
        block.orthonormalise(&mut models, (0, rank), lost, &mut going)?;
        let small = products(on, models.rows.view(), images.view())?;
        drop(images);
        let outside = outside(measured, &block, &data, random)?;
        let applications = rank * (2 * self.powers + 2) + PROBES;
        let Some(small) = singular(&small.adjoint()) else {
            let nan = vec![f64::NAN; self.count];
            let left = data.take(on, self.count, range.shape())?;
            let right = models.take(on, self.count, domain.shape())?;
            let (error, stopped) = (f64::NAN, Stopped::NotFinite);
            return Ok(LowRank { left, values: nan, right, error, applications, stopped });
        };
        data.combine(on, &small.left)?;
        models.combine(on, &small.right)?;
        let unscaled = |value: f64| power(-measured.scale(), value);
        let most = small.values.first().copied().unwrap_or(0.0);
        let kept = match self.tolerance {
            None => self.count,
            Some(tolerance) => {
                let above =
                    small.values.iter().filter(|value| **value > 0.5 * tolerance * most).count();
                above.max(self.count).min(rank)
            }
        };
        let next = small.values.get(kept).copied().unwrap_or(0.0);
        Ok(LowRank {
            left: data.take(on, kept, range.shape())?,
            values: small.values[..kept].iter().map(|value| unscaled(*value)).collect(),
            right: models.take(on, kept, domain.shape())?,
            error: unscaled(outside + next),
            applications,
            stopped: Stopped::Iterations,
        })
    }

    fn check(&self, most: usize) -> Result<()> {
        let count = self.count;
        if count == 0 || count > most {
            return wrong(
                NAME,
                format!("count = {count} values are wanted, of which there are {most}"),
            );
        }
        if let Some(tolerance) = self.tolerance {
            positive(NAME, "the tolerance", tolerance)?;
        }
        Ok(())
    }
}

/// The largest of some lengths; NaN if one is.
fn largest(lengths: &[f64]) -> f64 {
    lengths.iter().fold(0.0, |most: f64, v| if v.is_nan() { f64::NAN } else { most.max(*v) })
}

/// A bound of `‖A - Q Qᴴ A‖`, scaled: by what `Q` lacks of images of random vectors.
fn outside(
    measured: &Applied<'_>,
    block: &Block<'_>,
    q: &Basis,
    random: &mut Random,
) -> Result<f64> {
    let on = measured.on;
    let (mut probes, mut images) = (measured.models(PROBES)?, measured.data(PROBES)?);
    for at in 0..PROBES {
        random.fill(on, probes.view_mut().selected(0, at)?)?;
    }
    block.apply(false, probes.view(), images.view_mut())?;
    let mut parts = on.empty(&[q.rows.shape()[0], PROBES], images.dtype())?;
    for _ in 0..2 {
        let columns = images.view().permuted(&[1, 0])?;
        on.gemm(q.rows.view(), true, columns, parts.view_mut(), Update::set())?;
        let along = q.rows.view().permuted(&[1, 0])?;
        let columns = images.view_mut().permuted(&[1, 0])?;
        on.gemm(along, false, parts.view(), columns, Update::new(-1.0, 1.0))?;
    }
    let mut squares = measured.scalars(&[PROBES])?;
    let lengths = block.lengths(&images.view(), &mut squares)?;
    // A complex vector is longer than a real one by √2, and so is what it shows.
    Ok(10.0 * (2.0 / PI).sqrt() * largest(&lengths))
}
