//! LOBPCG: a block of eigenvectors at one end of a spectrum, with a preconditioner.

use arrayspan_bridge::{Array, Relayout};
use arrayspan_kernels::{Executor, Update, constant, input};
use arrayspan_operators::{LinearMap, Operator};
use num_complex::Complex64;

use super::applied::{Applied, home};
use super::basis::Basis;
use super::block::{Block, applied, numbers, products};
use super::eigs::{Eigenpairs, reshaped};
use super::epsilon;
use super::random::Random;
use super::which::Which;
use crate::dense::{Small, self_adjoint};
use crate::engine::scale::power;
use crate::{Error, Result, Stopped};

/// What errors call it.
const NAME: &str = "Lobpcg";

/// After so many iterations the block is made orthonormal and applied anew, so that roundings do not add up.
const AFRESH: usize = 32;

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

    /// The bytes that it takes on the device of `on`, vectors returned included, and without what operator and preconditioner need between
    /// their parts. Nothing is allocated for it.
    #[must_use]
    pub fn memory(&self, a: &Operator, on: &dyn Executor) -> usize {
        let (domain, k) = (a.domain(), self.count);
        let bases = Basis::elements(domain.len(), [k.saturating_mul(3), k.saturating_mul(2)])
            .saturating_mul(2);
        let blocks = domain.len().saturating_mul(k).saturating_mul(3);
        let scalars = arrayspan_kernels::widest_real(on.device()).bytes();
        let scalars = k.saturating_mul(4).saturating_add(4).saturating_mul(scalars);
        bases.saturating_add(blocks).saturating_mul(domain.dtype().bytes()).saturating_add(scalars)
    }

    fn check(&self, a: &Applied<'_>) -> Result<()> {
        a.expect_square(NAME)?;
        a.expect_matrix(NAME)?;
        let wrong = |why: String| Err(Error::Parameter { solver: NAME, why });
        let n = a.a.domain().len();
        if self.count == 0 || self.count.saturating_mul(3) > n {
            return wrong(format!(
                "count = {} is not between 1 and a third of the {n} elements of a model (Eigs has no such bound)",
                self.count
            ));
        }
        if !matches!(self.which, Which::Largest | Which::Smallest) {
            return wrong(format!(
                "which = {:?}: it goes to one end, Largest or Smallest",
                self.which
            ));
        }
        if !(self.tolerance.is_finite() && self.tolerance >= 0.0) {
            return wrong(format!("the tolerance {} is not a finite number ≥ 0", self.tolerance));
        }
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

/// A run: the basis `[X, P, W]`, what `A` makes of it, and how many of each there are.
#[derive(Debug)]
struct Run {
    basis: Basis,
    images: Basis,
    /// Residuals `[count, n]`, and where they are preconditioned.
    residual: Array,
    going: Array,
    squares: Array,
    directions: usize,
    /// Of the block, scaled, in the order in which they are wanted.
    values: Vec<f64>,
    /// The largest absolute value met.
    size: f64,
    applications: usize,
}

impl Run {
    fn new(method: &Lobpcg, a: &Applied<'_>) -> Result<Self> {
        let (domain, k) = (a.a.domain(), method.count);
        let make = || Basis::new(a.on, domain.dtype(), domain.len(), [3 * k, 2 * k]);
        Ok(Self {
            basis: make()?,
            images: make()?,
            residual: a.models(k)?,
            going: a.scalars(&[3 * k])?,
            squares: a.scalars(&[k])?,
            directions: 0,
            values: Vec::new(),
            size: 0.0,
            applications: 0,
        })
    }

    fn iterate(
        &mut self,
        method: &Lobpcg,
        a: &Applied<'_>,
        block: &mut Block<'_>,
    ) -> Result<Stopped> {
        let (on, k) = (a.on, method.count);
        let epsilon = epsilon(a.a.domain().dtype());
        let tolerance = method.tolerance.max(8.0 * epsilon);
        let lost = 32.0 * epsilon;
        for iteration in 0..=method.iterations {
            if iteration % AFRESH == 0 {
                block.orthonormalise(&mut self.basis, (0, k), lost, &mut self.going)?;
                self.apply(block, 0, k)?;
                self.directions = 0;
                if !self.project(method, on, k)? {
                    return Ok(Stopped::NotFinite);
                }
            }
            let lengths = self.residuals(block, k)?;
            if !lengths.iter().all(|length| length.is_finite()) {
                return Ok(Stopped::NotFinite);
            }
            let active: Vec<usize> =
                (0..k).filter(|at| lengths[*at] > tolerance * self.size).collect();
            if active.is_empty() {
                return Ok(Stopped::Residual);
            }
            if iteration == method.iterations {
                break;
            }
            let first = k + self.directions;
            let added = self.add(method, block, &active, lost)?;
            if added == 0 && self.directions == 0 {
                // All residuals are in the space of the block: rounding errors.
                return Ok(Stopped::Precision);
            }
            self.apply(block, first, added)?;
            if !self.project(method, on, first + added)? {
                return Ok(Stopped::NotFinite);
            }
        }
        Ok(Stopped::Iterations)
    }

    /// Rows of images, of those of the basis.
    fn apply(&mut self, block: &Block<'_>, from: usize, count: usize) -> Result<()> {
        self.applications += count;
        let x = self.basis.rows.view().sliced(0, from, count)?;
        block.apply(false, x, self.images.rows.view_mut().sliced(0, from, count)?)
    }

    /// `A x - λ x` of the block: the lengths of all.
    fn residuals(&mut self, block: &Block<'_>, k: usize) -> Result<Vec<f64>> {
        for (at, value) in self.values.iter().enumerate() {
            let (x, image) = (self.basis.row(at)?, self.images.row(at)?);
            let rest = input(0) - constant(*value) * input(1);
            block.on.map(&rest, &[image, x], self.residual.view_mut().selected(0, at)?)?;
        }
        block.lengths(&self.residual.view().sliced(0, 0, k)?, &mut self.squares)
    }

    /// Puts the preconditioned residuals that are wanted behind the basis, orthonormal, without those that are rounding errors: how many there
    /// are.
    fn add(
        &mut self,
        method: &Lobpcg,
        block: &mut Block<'_>,
        active: &[usize],
        lost: f64,
    ) -> Result<usize> {
        let on = block.on;
        let first = method.count + self.directions;
        for (to, from) in active.iter().enumerate() {
            let from = self.residual.view().selected(0, *from)?;
            on.copy(from, self.images.row_mut(first + to)?, Update::set())?;
        }
        let gathered = self.images.rows.view().sliced(0, first, active.len())?;
        let new = self.basis.rows.view_mut().sliced(0, first, active.len())?;
        match &method.preconditioner {
            Some(inner) => applied(inner, on, false, gathered, new)?,
            None => on.copy(gathered, new, Update::set())?,
        }
        let until = first + active.len();
        block.orthonormalise(&mut self.basis, (first, until), lost, &mut self.going)?;
        let going = numbers(&self.going.view().sliced(0, first, active.len())?)?;
        let mut kept = first;
        for (at, going) in going.iter().enumerate() {
            if going.re > 0.5 {
                self.basis.bring(on, first + at, kept)?;
                kept += 1;
            }
        }
        Ok(kept - first)
    }

    /// The best block in the basis of so many vectors, and directions; whether numbers are finite.
    fn project(&mut self, method: &Lobpcg, on: &dyn Executor, count: usize) -> Result<bool> {
        let k = method.count;
        let own = self.basis.rows.view().sliced(0, 0, count)?;
        let small = products(on, own, self.images.rows.view().sliced(0, 0, count)?)?;
        let Some(found) = self_adjoint(&(&small + small.adjoint()).map(|v| v * 0.5)) else {
            return Ok(false);
        };
        let order = method.which.order(&found.values);
        self.values = order[..k].iter().map(|at| found.values[*at]).collect();
        self.size = found.values.iter().fold(self.size, |most: f64, v| most.max(v.abs()));
        let best = found.vectors.select_columns(&order[..k]);
        // What the step has added, orthonormal to the block.
        let directions = beside(&best, k);
        let both = Small::from_fn(count, k + directions.ncols(), |i, j| {
            if j < k { best[(i, j)] } else { directions[(i, j - k)] }
        });
        self.basis.combine(on, &both)?;
        self.images.combine(on, &both)?;
        self.directions = directions.ncols();
        Ok(true)
    }

    /// What is returned, with residuals computed anew.
    fn finish(
        mut self,
        method: &Lobpcg,
        a: &Applied<'_>,
        block: &Block<'_>,
        stopped: Stopped,
    ) -> Result<Eigenpairs> {
        let (on, k) = (a.on, method.count);
        let mut order: Vec<usize> = (0..k).collect();
        if stopped == Stopped::NotFinite {
            self.values = vec![f64::NAN; k];
        } else {
            self.apply(block, 0, k)?;
        }
        order.sort_by(|i, j| self.values[*j].total_cmp(&self.values[*i]));
        let lengths = if stopped == Stopped::NotFinite {
            vec![f64::NAN; k]
        } else {
            self.residuals(block, k)?
        };
        let unscaled = |values: &[f64]| -> Vec<f64> {
            order.iter().map(|at| power(-a.scale(), values[*at])).collect()
        };
        let turned =
            Small::from_fn(k, k, |i, j| Complex64::from(f64::from(u8::from(order[j] == i))));
        self.basis.combine(on, &turned)?;
        let flat = self.basis.take(on, k, &[a.a.domain().len()])?;
        let vectors = reshaped(on, flat, &[&[k], a.a.domain().shape()].concat())?;
        let (values, residuals) = (unscaled(&self.values), unscaled(&lengths));
        Ok(Eigenpairs { values, vectors, residuals, applications: self.applications, stopped })
    }
}

/// Of the rows behind the first `k` of orthonormal columns: an orthonormal basis of what they span beside these columns, without
/// what is rounding errors (Hetmaniuk and Lehoucq, in the small problem).
fn beside(best: &Small<Complex64>, k: usize) -> Small<Complex64> {
    let mut found: Vec<nalgebra::DVector<Complex64>> = Vec::new();
    for column in best.column_iter() {
        let mut own = column.into_owned();
        own.rows_mut(0, k.min(own.len())).fill(Complex64::ZERO);
        let start = own.norm();
        for _ in 0..2 {
            for known in best.column_iter() {
                let along = known.dotc(&own);
                own.axpy(-along, &known, Complex64::ONE);
            }
            for known in &found {
                let along = known.dotc(&own);
                own.axpy(-along, known, Complex64::ONE);
            }
        }
        let left = own.norm();
        if left > 1e-10 * start && left > 0.0 {
            own.unscale_mut(left);
            found.push(own);
        }
    }
    if found.is_empty() { Small::zeros(best.nrows(), 0) } else { Small::from_columns(&found) }
}
