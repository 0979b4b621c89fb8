//! Singular values and vectors.

use arrayspan_bridge::{Array, Relayout};
use arrayspan_kernels::{Executor, Update, constant, input, previous};
use arrayspan_operators::LinearMap;

use super::applied::{Applied, home};
use super::basis::Basis;
use super::eigs::{basis_size, reshaped};
use super::golub_kahan::GolubKahan;
use super::random::Random;
use super::search::{Ended, Search, descending};
use super::which::Which;
use crate::engine::read::reals;
use crate::engine::scale::epsilon;
use crate::{Result, Stopped};

/// What errors call it.
const NAME: &str = "Svds";

/// The largest singular values, with the default [`Svds`], in descending order.
///
/// # Errors
/// As [`Svds::of`].
pub fn svds(a: &dyn LinearMap, count: usize) -> Result<SingularTriplets> {
    Svds { count, ..Svds::default() }.of(a)
}

/// `A v = σ u`, `Aᴴ u = σ v`: some singular values and their vectors, by the bidiagonalisation of Golub and Kahan with thick restarts.
///
/// `A` is of any shape and rank. Squares are never formed, so that small values are as accurate as large ones, to rounding of the
/// largest. All vectors are kept orthogonal, twice against all others (by `gemm`); it is the shorter side on which vectors are drawn,
/// so that only what `A` itself maps to zero counts as the value zero. Restarts, multiple values, breakdowns and how it ends are those of [`Eigs`](crate::Eigs).
/// The smallest values take many more restarts than the largest ones; where `basis` is as large as the shorter side, all values are found at once.
///
/// The **residuals** `√(‖A v - σ u‖² + ‖Aᴴ u - σ v‖²)` are those of the vectors returned, computed anew: within each residual of its value
/// there is a singular value.
///
/// Storage: `(2 basis + 1 + count) n + (2 basis + count) m` elements, `n` on the shorter side, vectors returned included ([`memory`](Self::memory)). Values moved
/// by an application of `A` and `Aᴴ`: `(4 j + 10) (n + m)` with `j` vectors in each basis, and the operator's. The host looks once in a restart.
///
/// Reference: Baglama and Reichel, SIAM J. Sci. Comput. 27 (2005) 19 (with Ritz vectors). Golden: `SciPy` 1.17 `svds`.
///
/// ```
/// use arrayspan_bridge::DType;
/// use arrayspan_operators::prelude::*;
/// use arrayspan_solvers::svds;
///
/// let slope = FirstDerivative::new(Space::new([64], DType::Float64)?, 0, 1.0, Scheme::Forward, Edge::Zero)?;
/// let found = svds(&slope, 2)?; // 2 sin(π k / 128)
/// let exact = 2.0 * (std::f64::consts::PI * 63.0 / 128.0).sin();
/// assert!((found.values[0] - exact).abs() < 1e-8);
/// # Ok::<(), arrayspan_solvers::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Svds {
    /// How many. At least 1, and at most as many as the smaller one of model and data has elements.
    pub count: usize,
    /// Which.
    pub which: Which,
    /// How many vectors there are at once on each side: more than `count`, unless that is all. `None`: twice as many as are wanted, and at least 20.
    pub basis: Option<usize>,
    /// Of residuals, relative to the largest value found. Finite and at least 0; less than four roundings is four.
    pub tolerance: f64,
    /// The restarts after which it gives up.
    pub restarts: usize,
    /// What random vectors are drawn from.
    pub seed: u64,
}

impl Default for Svds {
    /// The 6 largest, to `1e-10`, at most 300 restarts.
    fn default() -> Self {
        Self {
            count: 6,
            which: Which::Largest,
            basis: None,
            tolerance: 1e-10,
            restarts: 300,
            seed: 1,
        }
    }
}

/// Singular values and their vectors.
#[derive(Debug)]
pub struct SingularTriplets {
    /// `[count, range…]`: `u`, orthonormal, where it was computed.
    pub left: Array,
    /// `σ`, in descending order.
    pub values: Vec<f64>,
    /// `[count, domain…]`: `v`, orthonormal. (Rows of NumPy's `Vᴴ` are their conjugates.)
    pub right: Array,
    /// How far a singular value is from the value, at most.
    pub residuals: Vec<f64>,
    /// How often the operator, or its adjoint, was applied to a vector.
    pub applications: usize,
    /// How it ended.
    pub stopped: Stopped,
}

impl Svds {
    /// The singular values, computed where the operator's arrays are, or on the CPU if it has none. Waits for the device.
    ///
    /// # Errors
    /// When a parameter is out of its range; models and data are on different devices; the operator is complex and linear over the real
    /// numbers only; the device fails or is out of memory.
    pub fn of(&self, a: &dyn LinearMap) -> Result<SingularTriplets> {
        self.of_on(a, &*arrayspan_kernels::on(home(a))?)
    }

    /// As [`of`](Self::of), where `on` computes.
    ///
    /// # Errors
    /// As [`of`](Self::of); when `on` computes elsewhere than the operator.
    pub fn of_on(&self, a: &dyn LinearMap, on: &dyn Executor) -> Result<SingularTriplets> {
        let mut a = Applied::new(NAME, a, on)?;
        a.expect_matrix(NAME)?;
        let (domain, range) = (a.a.domain(), a.a.range());
        let least = domain.len().min(range.len());
        let basis = basis_size(NAME, (self.count, self.basis), least, self.tolerance)?;
        let epsilon = epsilon(domain.dtype());
        let search = Search {
            count: self.count,
            which: self.which,
            basis,
            tolerance: self.tolerance.max(4.0 * epsilon),
            restarts: self.restarts,
            lost: 32.0 * epsilon,
        };
        let mut random = Random::new(self.seed);
        let mut both = GolubKahan::new(&a, search)?;
        both.models.draw(&mut a, &mut random, 0)?;
        let (values, ended) = if both.measure(&mut a)? {
            both.search(&mut a, &mut random)?
        } else {
            (vec![f64::NAN; self.count], Ended::NotFinite)
        };
        let order = descending(&values);
        let values: Vec<f64> = order.iter().map(|at| values[*at]).collect();
        let turned = range.len() < domain.len();
        let (right, left) =
            if turned { (&both.data, &both.models) } else { (&both.models, &both.data) };
        let (right, left) = (right.ordered(on, &order)?, left.ordered(on, &order)?);
        let applications = both.applications + 1 + 2 * self.count;
        drop(both);
        let residuals = residuals(&mut a, (&left, &right), &values)?;
        let shape = |own: &[usize]| [&[self.count], own].concat();
        let left = reshaped(on, left, &shape(range.shape()))?;
        let right = reshaped(on, right, &shape(domain.shape()))?;
        let stopped = ended.stopped(&residuals);
        Ok(SingularTriplets { left, values, right, residuals, applications, stopped })
    }

    /// The bytes that it takes on the device of `on`, vectors returned included. Nothing is allocated for it.
    ///
    /// # Errors
    /// A parameter that is out of its range.
    pub fn memory(&self, a: &dyn LinearMap, on: &dyn Executor) -> Result<usize> {
        let (domain, range) = (a.domain(), a.range());
        let (short, long) = (domain.len().min(range.len()), domain.len().max(range.len()));
        let m = basis_size(NAME, (self.count, self.basis), short, self.tolerance)?;
        let bases =
            Basis::elements(short, [m + 1, m]).saturating_add(Basis::elements(long, [m, m]));
        let taken = self.count.saturating_mul(short.saturating_add(long));
        let taken = taken.max(Basis::combination(on, m));
        let scalars = arrayspan_kernels::widest_real(on.device()).bytes();
        let scalars = m.saturating_mul(4).saturating_add(4).saturating_mul(scalars);
        let bytes = bases.saturating_add(taken).saturating_mul(domain.dtype().bytes());
        Ok(bytes.saturating_add(scalars).saturating_add(a.workspace()))
    }
}

fn residuals(
    a: &mut Applied<'_>,
    (left, right): (&Array, &Array),
    values: &[f64],
) -> Result<Vec<f64>> {
    let (mut data, mut model) = (a.data(1)?, a.models(1)?);
    let mut squares = a.scalars(&[2 * values.len()])?;
    for (at, value) in values.iter().enumerate() {
        let (u, v) = (left.view().selected(0, at)?, right.view().selected(0, at)?);
        let mut image = data.view_mut().selected(0, 0)?;
        a.forward(v.clone(), image.reborrow(), Update::set())?;
        let less = previous() - constant(*value) * input(0);
        if value.is_finite() {
            a.on.map(&less, std::slice::from_ref(&u), image.reborrow())?;
        }
        a.norm_squared(&image.view(), squares.view_mut().selected(0, 2 * at)?)?;
        let mut image = model.view_mut().selected(0, 0)?;
        a.adjoint(u, image.reborrow(), Update::set())?;
        if value.is_finite() {
            a.on.map(&less, &[v], image.reborrow())?;
        }
        a.norm_squared(&image.view(), squares.view_mut().selected(0, 2 * at + 1)?)?;
    }
    let squares = reals(&squares.view())?;
    Ok(squares.chunks(2).map(|both| a.unscaled((both[0] + both[1]).sqrt())).collect())
}
