//! LOBPCG: a block of eigenvectors at one end of a spectrum, with a preconditioner.

mod run;

use arrayspan_kernels::{Executor, Update};
use arrayspan_operators::{LinearMap, Operator};

use self::run::Run;
use super::applied::{Applied, home};
use super::basis::Basis;
use super::block::{Block, workspace};
use super::eigs::Eigenpairs;
use super::random::Random;
use super::which::Which;
use crate::parameters::{not_negative, square, wrong};
use crate::{Result, Stopped, bytes};

/// What errors call it.
const NAME: &str = "Lobpcg";

/// `A x = λ x` for a self-adjoint `A`: a block of eigenvectors at one end, by locally optimal block preconditioned conjugate gradients.
///
/// Each iteration looks for the best vectors in the space of the block, its preconditioned residuals and its last directions. `A` is applied
/// to all of them at once, in as many launches as to one. With a preconditioner near the inverse of `A` it finds the smallest eigenvalues in a few
/// iterations, where [`Eigs`](crate::Eigs) takes thousands; a block finds a multiple eigenvalue as many times as its multiplicity.
///
/// The basis is robust: residuals are made orthonormal against all else, twice, and those that are rounding errors then are left out;
/// directions are orthonormal combinations of the same basis, made so in the small problem. Vectors whose residual is below the tolerance are
/// locked softly: they stay in the basis, and their residuals do not enter it.
///
/// `A` has one space for models and data; one that does not know itself to be self-adjoint is tried with two random vectors, and refused if it is not. The
/// preconditioner is self-adjoint and positive; one that is not makes it slow. The **residuals** are those of the vectors returned, computed
/// anew: no value is farther than its residual from an eigenvalue. NaN and infinity end with [`Stopped::NotFinite`], and values that are NaN.
///
/// Storage: `13 count n` elements ([`memory`](Self::memory)), and what `A` and the preconditioner take for `count` vectors at once. The host looks at a matrix of at most `3 count` rows in
/// each iteration.
///
/// Reference: Knyazev, SIAM J. Sci. Comput. 23 (2001) 517; Hetmaniuk and Lehoucq, J. Comput. Phys. 218 (2006) 324; Duersch, Shao, Yang and Gu, SIAM J. Sci.
/// Comput. 40 (2018) C655. Golden: `SciPy` 1.17 `lobpcg`.
///
/// ```
/// use arrayspan_bridge::DType;
/// use arrayspan_operators::prelude::*;
/// use arrayspan_solvers::{Lobpcg, Which};
///
/// let slope = FirstDerivative::new(Space::new([60], DType::Float64)?, 0, 1.0, Scheme::Forward, Edge::Zero)?;
/// let a = adjoint(&slope).after(&slope).build()?; // 2 - 2 cos(π k / 60)
/// let found = Lobpcg { count: 3, which: Which::Largest, ..Lobpcg::default() }.of(&a)?;
/// for (k, value) in found.values.iter().enumerate() {
///     let exact = 2.0 - 2.0 * (std::f64::consts::PI * (59 - k) as f64 / 60.0).cos();
///     assert!((value - exact).abs() < 1e-6);
/// }
/// # Ok::<(), arrayspan_solvers::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Lobpcg {
    /// How many. At least 1, and at most a third of the elements of a model; of small models, [`Eigs`](crate::Eigs).
    pub count: usize,
    /// Which: [`Which::Largest`] or [`Which::Smallest`].
    pub which: Which,
    /// What is applied to residuals: an operator that is nearly the inverse of `A`, self-adjoint and positive.
    pub preconditioner: Option<Operator>,
    /// Of residuals, relative to the largest absolute value met. Finite and at least 0; less than eight roundings is eight.
    pub tolerance: f64,
    /// At most this many iterations.
    pub iterations: usize,
    /// What the first block is drawn from.
    pub seed: u64,
}

impl Default for Lobpcg {
    /// The 4 smallest, without a preconditioner, to `1e-8`, at most 500 iterations.
    fn default() -> Self {
        Self {
            count: 4,
            which: Which::Smallest,
            preconditioner: None,
            tolerance: 1e-8,
            iterations: 500,
            seed: 1,
        }
    }
}

impl Lobpcg {
    /// The eigenvalues, computed where the operator's arrays are, or on the CPU if it has none. Waits for the device in each iteration.
    ///
    /// # Errors
    /// When a parameter is out of its range; models and data differ in space or device; the preconditioner does not fit; the operator is not self-adjoint,
    /// or, being complex, linear over the real numbers only; the device fails or is out of memory.
    pub fn of(&self, a: &Operator) -> Result<Eigenpairs> {
        self.of_on(a, &*arrayspan_kernels::on(home(a))?)
    }

    /// As [`of`](Self::of), where `on` computes.
    ///
    /// # Errors
    /// As [`of`](Self::of); when `on` computes elsewhere than the operator.
    pub fn of_on(&self, a: &Operator, on: &dyn Executor) -> Result<Eigenpairs> {
        let mut measured = Applied::new(NAME, a, on)?;
        self.check(&measured)?;
        let mut random = Random::new(self.seed);
        measured.expect_self_adjoint(NAME, &mut random)?;
        let mut run = Run::new(self, &measured)?;
        for at in 0..self.count {
            run.basis.draw(&mut measured, &mut random, at)?;
        }
        let (own, image) = (run.basis.row(0)?, run.images.row_mut(0)?);
        measured.forward(own, image, Update::set())?;
        let finite = measured.measure(&run.images.row(0)?)?.is_some();
        let mut block = Block::new(&measured, a)?;
        let stopped =
            if finite { run.iterate(self, &measured, &mut block)? } else { Stopped::NotFinite };
        run.finish(self, &measured, &block, stopped)
    }

    /// The bytes that it takes on the device of `on`, vectors returned and what operator and preconditioner need between their parts included. Nothing is
    /// allocated for it.
    ///
    /// # Errors
    /// A parameter that is out of its range; an operator that is not for many vectors at once.
    pub fn memory(&self, a: &Operator, on: &dyn Executor) -> Result<usize> {
        self.check_count(a.domain().len())?;
        let (domain, k) = (a.domain(), self.count);
        let bases = Basis::elements(domain.len(), [k.saturating_mul(3), k.saturating_mul(2)])
            .saturating_mul(2);
        let blocks = domain.len().saturating_mul(k).saturating_mul(3);
        let scalars = arrayspan_kernels::widest_real(on.device()).bytes();
        let scalars = k.saturating_mul(4).saturating_add(4).saturating_mul(scalars);
        let vectors = bases.saturating_add(blocks).saturating_mul(domain.dtype().bytes());
        let inner = self.preconditioner.as_ref().map_or(Ok(0), |inner| workspace(inner, k))?;
        let between = workspace(a, k)?.max(inner);
        Ok(bytes::total([vectors, scalars, LinearMap::workspace(a), between]))
    }

    /// Fails unless there is room for as many vectors as are wanted, three times.
    fn check_count(&self, n: usize) -> Result<()> {
        let count = self.count;
        if count > 0 && count.saturating_mul(3) <= n {
            return Ok(());
        }
        wrong(
            NAME,
            format!(
                "count = {count} is not between 1 and a third of the {n} elements of a model (Eigs has no such bound)"
            ),
        )
    }

    fn check(&self, a: &Applied<'_>) -> Result<()> {
        square(NAME, a.a)?;
        a.expect_matrix(NAME)?;
        let wrong = |why: String| wrong(NAME, why);
        let n = a.a.domain().len();
        self.check_count(n)?;
        if !matches!(self.which, Which::Largest | Which::Smallest) {
            return wrong(format!(
                "which = {:?}: it goes to one end, Largest or Smallest",
                self.which
            ));
        }
        not_negative(NAME, "the tolerance", self.tolerance)?;
        if let Some(inner) = &self.preconditioner {
            if inner.domain() != a.a.domain() || inner.range() != a.a.domain() {
                return wrong(format!(
                    "the preconditioner {} goes from {} to {}, and models are {}",
                    inner.name(),
                    inner.domain(),
                    inner.range(),
                    a.a.domain()
                ));
            }
            let _ = Applied::new(NAME, inner, a.on)?;
        }
        Ok(())
    }
}
