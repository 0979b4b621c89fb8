//! Eigenvalues and eigenvectors of self-adjoint operators.

use arrayspan_bridge::{Array, Relayout};
use arrayspan_kernels::{Executor, Update, constant, input, previous};
use arrayspan_operators::LinearMap;

use super::applied::{Applied, home};
use super::basis::Basis;
use super::lanczos::Lanczos;
use super::random::Random;
use super::search::{Ended, Search, descending};
use super::which::Which;
use crate::engine::read::reals;
use crate::engine::scale::epsilon;
use crate::parameters::{not_negative, square, wrong};
use crate::{Result, Stopped};

/// What errors call it.
const NAME: &str = "Eigs";

/// The eigenvalues of largest absolute value of a self-adjoint operator, with the default [`Eigs`], in descending order. (Of what is
/// not self-adjoint, singular values: [`svds`](crate::svds).)
///
/// # Errors
/// As [`Eigs::of`].
pub fn eigs(a: &dyn LinearMap, count: usize) -> Result<Eigenpairs> {
    Eigs { count, ..Eigs::default() }.of(a)
}

/// `A x = λ x` for a self-adjoint `A`: some eigenvalues and their vectors, by the process of Lanczos with thick restarts.
///
/// `A` has one space for models and data, and `A = Aᴴ`; one that does not know itself to be so is tried with two random vectors, and
/// refused if it is not. All vectors are kept orthogonal, twice against all others (by `gemm`). When a basis is full it is restarted from the
/// best combinations of its vectors. A Krylov space that grows from one vector contains only one vector of each multiple
/// eigenvalue: so when all wanted values have converged, the search goes on from a random vector that is orthogonal to theirs, until it finds no
/// further ones. Values inside the spectrum, away from its ends, are not looked for.
///
/// The **residuals** `‖A x - λ x‖` are those of the vectors returned, computed anew: within each residual of its value there is an eigenvalue.
/// [`Stopped::Residual`] says that all were below the tolerance by the projection; [`Stopped::Iterations`] that `restarts` were too few:
/// values are the best found. A space that `A` maps to itself (breakdown) is extended by a random vector. NaN and
/// infinity end with [`Stopped::NotFinite`] and values that are NaN.
///
/// Storage: `(2 basis + 1 + count) n` elements, vectors returned included ([`memory`](Self::memory)). Values moved an application: `(4 j + 12) n` with
/// `j` vectors in the basis, and the operator's; launches beside: 6 and four of `gemm`. The host looks once in a restart.
///
/// Reference: Wu and Simon, SIAM J. Matrix Anal. Appl. 22 (2000) 602; Parlett, The Symmetric Eigenvalue Problem, SIAM 1998, chapter 13.
/// Golden: `SciPy` 1.17 `eigsh`.
///
/// ```
/// use arrayspan_bridge::DType;
/// use arrayspan_operators::prelude::*;
/// use arrayspan_solvers::{Eigs, Which};
///
/// let slope = FirstDerivative::new(Space::new([100], DType::Float64)?, 0, 1.0, Scheme::Forward, Edge::Zero)?;
/// let a = adjoint(&slope).after(&slope).build()?; // of free ends: 2 - 2 cos(π k / 100)
/// let found = Eigs { count: 2, which: Which::BothEnds, ..Eigs::default() }.of(&a)?;
/// let most = 2.0 - 2.0 * (std::f64::consts::PI * 99.0 / 100.0).cos();
/// assert!((found.values[0] - most).abs() < 1e-8 && found.values[1].abs() < 1e-8);
/// assert_eq!(found.vectors.shape(), [2, 100]);
/// # Ok::<(), arrayspan_solvers::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Eigs {
    /// How many. At least 1, and at most as many as a model has elements.
    pub count: usize,
    /// Which.
    pub which: Which,
    /// How many vectors there are at once: more than `count`, unless that is all. `None`: twice as many as are wanted, and at least 20.
    pub basis: Option<usize>,
    /// Of residuals, relative to the largest absolute value found. Finite and at least 0; less than four roundings is four.
    pub tolerance: f64,
    /// The restarts after which it gives up.
    pub restarts: usize,
    /// What random vectors are drawn from.
    pub seed: u64,
}

impl Default for Eigs {
    /// The 6 of largest absolute value, to `1e-10`, at most 300 restarts.
    fn default() -> Self {
        Self {
            count: 6,
            which: Which::default(),
            basis: None,
            tolerance: 1e-10,
            restarts: 300,
            seed: 1,
        }
    }
}

/// Eigenvalues and their vectors.
#[derive(Debug)]
pub struct Eigenpairs {
    /// In descending order.
    pub values: Vec<f64>,
    /// `[count, domain…]`: orthonormal, in the same order, where it was computed.
    pub vectors: Array,
    /// `‖A x - λ x‖` of each: how far an eigenvalue is from the value, at most.
    pub residuals: Vec<f64>,
    /// How often the operator was applied to a vector.
    pub applications: usize,
    /// How it ended.
    pub stopped: Stopped,
}

impl Eigs {
    /// The eigenvalues, computed where the operator's arrays are, or on the CPU if it has none. Waits for the device.
    ///
    /// # Errors
    /// When a parameter is out of its range; models and data differ in space or device; the operator is not self-adjoint, or, being complex, linear over
    /// the real numbers only; the device fails or is out of memory.
    pub fn of(&self, a: &dyn LinearMap) -> Result<Eigenpairs> {
        self.of_on(a, &*arrayspan_kernels::on(home(a))?)
    }

    /// As [`of`](Self::of), where `on` computes.
    ///
    /// # Errors
    /// As [`of`](Self::of); when `on` computes elsewhere than the operator.
    pub fn of_on(&self, a: &dyn LinearMap, on: &dyn Executor) -> Result<Eigenpairs> {
        let mut a = Applied::new(NAME, a, on)?;
        square(NAME, a.a)?;
        a.expect_matrix(NAME)?;
        let n = a.a.domain().len();
        let basis = basis_size(NAME, (self.count, self.basis), n, self.tolerance)?;
        let mut random = Random::new(self.seed);
        a.expect_self_adjoint(NAME, &mut random)?;
        let epsilon = epsilon(a.a.domain().dtype());
        let search = Search {
            count: self.count,
            which: self.which,
            basis,
            tolerance: self.tolerance.max(4.0 * epsilon),
            restarts: self.restarts,
            lost: 32.0 * epsilon,
        };
        let mut lanczos = Lanczos::new(&a, search)?;
        lanczos.basis.draw(&mut a, &mut random, 0)?;
        let (values, ended) = if lanczos.measure(&mut a)? {
            lanczos.search(&mut a, &mut random)?
        } else {
            (vec![f64::NAN; self.count], Ended::NotFinite)
        };
        let order = descending(&values);
        let applications = lanczos.applications + self.count;
        let sorted = lanczos.basis.ordered(on, &order)?;
        let values: Vec<f64> = order.iter().map(|at| values[*at]).collect();
        let residuals = residuals(&mut a, &sorted, &values, &mut lanczos.basis)?;
        drop(lanczos);
        let shape = [&[self.count], a.a.domain().shape()].concat();
        let vectors = reshaped(on, sorted, &shape)?;
        let stopped = ended.stopped(&residuals);
        Ok(Eigenpairs { values, vectors, residuals, applications, stopped })
    }

    /// The bytes that it takes on the device of `on`, vectors returned included. Nothing is allocated for it.
    ///
    /// # Errors
    /// A parameter that is out of its range.
    pub fn memory(&self, a: &dyn LinearMap, on: &dyn Executor) -> Result<usize> {
        let domain = a.domain();
        let n = domain.len();
        let m = basis_size(NAME, (self.count, self.basis), n, self.tolerance)?;
        let taken = n.saturating_mul(self.count).max(Basis::combination(on, m));
        let elements = Basis::elements(n, [m + 1, m]).saturating_add(taken);
        let scalars = arrayspan_kernels::widest_real(on.device()).bytes();
        let scalars = m.saturating_mul(3).saturating_add(4).saturating_mul(scalars);
        let bytes = elements.saturating_mul(domain.dtype().bytes());
        Ok(bytes.saturating_add(scalars).saturating_add(a.workspace()))
    }
}

/// How many vectors there are at once, of at most `most`; fails if a parameter is out of its range.
pub(super) fn basis_size(
    method: &'static str,
    (count, basis): (usize, Option<usize>),
    most: usize,
    tolerance: f64,
) -> Result<usize> {
    let wrong = |why: String| wrong(method, why);
    if count == 0 || count > most {
        return wrong(format!("count = {count} values are wanted, of which there are {most}"));
    }
    not_negative(method, "the tolerance", tolerance)?;
    match basis {
        None => Ok(count.saturating_mul(2).max(20).min(most)),
        Some(basis) if basis <= count && basis < most => wrong(format!(
            "a basis of {basis} vectors leaves no room beside the {count} that are wanted"
        )),
        Some(basis) => Ok(basis.min(most)),
    }
}

/// `‖A x - λ x‖` of each row, by the last row of a basis.
fn residuals(
    a: &mut Applied<'_>,
    vectors: &Array,
    values: &[f64],
    basis: &mut Basis,
) -> Result<Vec<f64>> {
    let last = basis.rows.shape()[0] - 1;
    let mut squares = a.scalars(&[values.len()])?;
    for (at, value) in values.iter().enumerate() {
        let x = vectors.view().selected(0, at)?;
        let mut image = basis.row_mut(last)?;
        a.forward(x.clone(), image.reborrow(), Update::set())?;
        if value.is_finite() {
            a.on.map(&(previous() - constant(*value) * input(0)), &[x], image.reborrow())?;
        }
        a.norm_squared(&image.view(), squares.view_mut().selected(0, at)?)?;
    }
    Ok(reals(&squares.view())?.into_iter().map(|square| a.unscaled(square.sqrt())).collect())
}

/// The same elements in another shape: a copy.
pub(super) fn reshaped(on: &dyn Executor, flat: Array, shape: &[usize]) -> Result<Array> {
    if flat.shape() == shape {
        return Ok(flat);
    }
    let mut all = on.empty(shape, flat.dtype())?;
    let to = all.view_mut().reshaped(flat.shape())?;
    on.copy(flat.view(), to, Update::set())?;
    Ok(all)
}
