//! Power iteration.

use arrayspan_bridge::{Array, Relayout};
use arrayspan_kernels::{Executor, Update, constant, input, previous};
use arrayspan_operators::LinearMap;
use num_complex::Complex64;

use super::applied::{Applied, home};
use super::eigs::reshaped;
use super::random::Random;
use crate::engine::read::reals;
use crate::engine::scale::epsilon;
use crate::parameters::{self, not_negative, square, wrong};
use crate::{Result, Stopped};

/// What errors call it.
const NAME: &str = "PowerIteration";

/// `A v = λ v` for the eigenvalue of the largest absolute value, by applying `A` over and over to a random vector.
///
/// `A` has one space for models and data. Of a self-adjoint one there is an eigenvalue within the **residual** `‖A v - λ v‖` of `λ = <v, A v>`, which
/// says how much is known: an iteration ends when it is at most `tolerance · |λ|`, and not when `λ` hardly changes any more, as PyLops' does,
/// whose result is below the largest eigenvalue by percents. Even so the value is a *lower* bound of `‖A‖`: an upper bound, which
/// lengths of steps need, is given by [`NormEstimator`](crate::NormEstimator). [`Eigs`](crate::Eigs) takes fewer applications.
///
/// Where two different eigenvalues have the largest absolute value (`λ` and `-λ`, say), the iteration does not converge, and ends with [`Stopped::Iterations`]
/// and a residual that tells. An operator that is not self-adjoint may have complex values; residuals of it bound no distance.
/// A vector that is mapped to zero stays as it is, with the value zero. Rounding ends it with [`Stopped::Precision`] when the residual is at
/// `4 ε |λ|`; iterations after that change nothing but roundings. NaN and infinity end with [`Stopped::NotFinite`].
///
/// Storage: `3n` elements, the vector included, and `3 check_every + 4` scalars. Values moved an iteration: `8n` (`10n` of complex numbers), and an application. Launches beside: 7.
///
/// Reference: Parlett, The Symmetric Eigenvalue Problem, SIAM 1998, theorem 4.5.1 and section 4.2.
///
/// ```
/// use arrayspan_bridge::{Array, DType};
/// use arrayspan_operators::prelude::*;
/// use arrayspan_solvers::PowerIteration;
///
/// let weights = Array::from_slice(&[1.0, -5.0, 2.0], [3])?.into_shared();
/// let a = Diagonal::new(Space::new([3], DType::Float64)?, weights)?;
/// let found = PowerIteration::default().of(&a)?;
/// assert!((found.value.re + 5.0).abs() <= found.residual + 1e-14 && found.residual <= 5e-6);
/// # Ok::<(), arrayspan_solvers::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PowerIteration {
    /// The residual that is small enough, relative to the value. Finite and at least 0.
    pub tolerance: f64,
    /// At most this many iterations. At least 1.
    pub iterations: usize,
    /// What the random vector is drawn from.
    pub seed: u64,
    /// How many iterations are enqueued before the host looks. At least 1.
    pub check_every: usize,
}

impl Default for PowerIteration {
    /// A millionth, at most 1000 iterations, a check every 10.
    fn default() -> Self {
        Self { tolerance: 1e-6, iterations: 1000, seed: 1, check_every: 10 }
    }
}

/// An eigenvalue and its vector.
#[derive(Debug)]
pub struct Eigenpair {
    /// `<v, A v>`; real of a self-adjoint operator.
    pub value: Complex64,
    /// `v`, of length 1, where it was computed.
    pub vector: Array,
    /// `‖A v - λ v‖`: how far an eigenvalue of a self-adjoint operator is from the value, at most.
    pub residual: f64,
    /// How often the operator was applied.
    pub iterations: usize,
    /// How it ended.
    pub stopped: Stopped,
}

impl PowerIteration {
    /// The eigenvalue, computed where the operator's arrays are, or on the CPU if it has none. Waits for the device at each check.
    ///
    /// # Errors
    /// When a parameter is out of its range; models and data differ in space or device; the operator, being complex, is linear over the real numbers only;
    /// the device fails or is out of memory.
    pub fn of(&self, a: &dyn LinearMap) -> Result<Eigenpair> {
        self.of_on(a, &*arrayspan_kernels::on(home(a))?)
    }

    /// As [`of`](Self::of), where `on` computes.
    ///
    /// # Errors
    /// As [`of`](Self::of); when `on` computes elsewhere than the operator.
    pub fn of_on(&self, a: &dyn LinearMap, on: &dyn Executor) -> Result<Eigenpair> {
        self.check()?;
        let mut a = Applied::new(NAME, a, on)?;
        square(NAME, a.a)?;
        a.expect_matrix(NAME)?;
        let n = a.a.domain().len();
        if n == 0 {
            let name = a.a.name();
            return wrong(NAME, format!("{name} has models without elements, and no eigenvalues"));
        }
        let mut run = Run::new(&mut a, self.check_every.min(self.iterations))?;
        Random::new(self.seed).fill(on, run.v.view_mut())?;
        a.normalise(run.v.view_mut())?;
        a.forward(run.v.view(), run.image.view_mut(), Update::set())?;
        let finite = a.measure(&run.image.view())?.is_some();
        let level = 4.0 * epsilon(a.a.domain().dtype());
        let (mut done, mut last) = (0_usize, [f64::NAN; 3]);
        let stopped = loop {
            if !finite || done > 0 && last.iter().any(|number| !number.is_finite()) {
                break Stopped::NotFinite;
            }
            let size = last[0].hypot(last[1]);
            if done > 0 && last[2] <= self.tolerance * size {
                break Stopped::Residual;
            }
            if done > 0 && last[2] <= level * size {
                break Stopped::Precision;
            }
            if done >= self.iterations {
                break Stopped::Iterations;
            }
            let count = self.check_every.min(self.iterations - done);
            for at in 0..count {
                if done + at > 0 {
                    run.advance(&mut a)?;
                }
                run.look(&a, at)?;
            }
            done += count;
            let numbers = reals(&run.rows.view().selected(0, count - 1)?)?;
            last = [numbers[0], numbers[1], numbers[2].sqrt()].map(|number| a.unscaled(number));
        };
        let vector = reshaped(on, run.v, a.a.domain().shape())?;
        let value = Complex64::new(last[0], last[1]);
        Ok(Eigenpair { value, vector, residual: last[2], iterations: done, stopped })
    }

    /// The bytes that it takes on the device of `on`, the vector included. Nothing is allocated for it.
    ///
    /// # Errors
    /// A parameter that is out of its range.
    pub fn memory(&self, a: &dyn LinearMap, on: &dyn Executor) -> Result<usize> {
        self.check()?;
        let domain = a.domain();
        let vectors = domain.len().saturating_mul(domain.dtype().bytes()).saturating_mul(3);
        let rows = self.check_every.min(self.iterations).saturating_mul(3).saturating_add(4);
        let scalars = rows.saturating_mul(arrayspan_kernels::widest_real(on.device()).bytes());
        Ok(vectors.saturating_add(scalars).saturating_add(a.workspace()))
    }

    fn check(&self) -> Result<()> {
        let Self { tolerance, iterations, check_every, .. } = *self;
        not_negative(NAME, "the tolerance", tolerance)?;
        parameters::iterations(NAME, iterations, check_every)
    }
}

/// The vectors of a run.
struct Run {
    v: Array,
    /// `A v`
    image: Array,
    /// `[check_every, 3]`: `<v, A v>` in two parts, and the square of the residual.
    rows: Array,
    /// `<v, A v>`, in the dtype of vectors.
    value: Array,
    /// `‖A v‖`, and its reciprocal.
    length: [Array; 2],
    /// `‖A v‖²`
    square: Array,
}

impl Run {
    fn new(a: &mut Applied<'_>, room: usize) -> Result<Self> {
        Ok(Self {
            v: a.models(1)?,
            image: a.models(1)?,
            rows: a.scalars(&[room, 3])?,
            value: a.on.empty(&[], a.a.domain().dtype())?,
            length: [a.scalars(&[])?, a.scalars(&[])?],
            square: a.scalars(&[])?,
        })
    }

    /// The next vector and its image. What is mapped to zero stays as it is. Enqueued.
    fn advance(&mut self, a: &mut Applied<'_>) -> Result<()> {
        let [length, inverse] = &mut self.length;
        a.norm_squared(&self.image.view(), self.square.view_mut())?;
        a.length(self.square.view(), length.view_mut(), inverse.view_mut())?;
        let moves = || input(2).div_or_zero(input(2));
        let next = moves() * input(0) * input(1) + (constant(1.0) - moves()) * previous();
        a.on.map(&next, &[self.image.view(), inverse.view(), length.view()], self.v.view_mut())?;
        a.forward(self.v.view(), self.image.view_mut(), Update::set())
    }

    /// The value and the square of its residual, for the host to look at. Enqueued.
    fn look(&mut self, a: &Applied<'_>, at: usize) -> Result<()> {
        let Self { v, image, rows, value, .. } = self;
        let (parts, rest) = rows.view_mut().selected(0, at)?.split_at(0, 2)?;
        let (mut re, mut im) = parts.split_at(0, 1)?;
        a.dot(
            &v.view(),
            &image.view(),
            [re.reborrow().selected(0, 0)?, im.reborrow().selected(0, 0)?],
        )?;
        let (re, im) = (re.view().selected(0, 0)?, im.view().selected(0, 0)?);
        // In the dtype of the vector, which reductions take alone.
        let (number, parts) = if v.dtype().is_complex() {
            (input(0) + constant(Complex64::I) * input(1), vec![re, im])
        } else {
            (input(0), vec![re])
        };
        a.on.map(&number, &parts, value.view_mut())?;
        let own = constant(2.0_f64.powi(a.scale())) * input(0);
        let left = (own - input(2) * input(1)).abs2();
        let known = [image.view(), v.view(), value.view()];
        Ok(a.on.sum(&left, &known, rest.selected(0, 0)?)?)
    }
}
