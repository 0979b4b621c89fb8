//! A run of LOBPCG.

use arrayspan_bridge::{Array, Relayout};
use arrayspan_kernels::{Executor, Update, constant, input};
use num_complex::Complex64;

use crate::dense::{Small, self_adjoint};
use crate::eigen::applied::Applied;
use crate::eigen::basis::Basis;
use crate::eigen::block::{Block, applied, products};
use crate::eigen::eigs::{Eigenpairs, reshaped};
use crate::engine::read::reals;
use crate::engine::scale::{epsilon, power};
use crate::{Lobpcg, Result, Stopped};

/// After so many iterations the block is made orthonormal and applied anew, so that roundings do not add up.
const AFRESH: usize = 32;

/// A run: the basis `[X, P, W]`, what `A` makes of it, and how many of each there are.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) basis: Basis,
    pub(super) images: Basis,
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
    pub(super) fn new(method: &Lobpcg, a: &Applied<'_>) -> Result<Self> {
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

    pub(super) fn iterate(
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
        let going = reals(&self.going.view().sliced(0, first, active.len())?)?;
        let mut kept = first;
        for (at, going) in going.iter().enumerate() {
            if *going > 0.5 {
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
    pub(super) fn finish(
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
