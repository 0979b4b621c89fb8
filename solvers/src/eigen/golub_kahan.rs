//! The bidiagonalisation of Golub and Kahan with all vectors kept orthogonal, restarted from the best of what it has found.

use arrayspan_bridge::{Array, Relayout};
use arrayspan_kernels::{Update, constant, input, previous};

use super::applied::Applied;
use super::basis::{Basis, complex};
use super::random::Random;
use super::search::{Ended, Next, Search, Sweeps};
use crate::Result;
use crate::dense::{Small, singular};
use crate::engine::read::reals;

/// `A V = U B` and `Aᴴ U = V Bᵀ + v bᵀ` with orthonormal `V` and `U`. Or with `Aᴴ` for `A`, so that data have no more elements
/// than models: nothing of `V` is mapped to zero then but by singular values.
#[derive(Debug)]
pub(super) struct GolubKahan {
    pub(super) models: Basis,
    pub(super) data: Basis,
    /// Whether it is `Aᴴ` that is bidiagonalised.
    turned: bool,
    search: Search,
    /// `B`; what is not yet made is zero.
    projected: Small<f64>,
    /// How many vectors a restart has kept.
    filled: usize,
    /// `[4, basis]`: squares of `α` and `β`, and whether each is more than rounding errors.
    scalars: Array,
    /// The largest `‖A v‖²` so far.
    largest: Array,
    square: Array,
    inverse: Array,
    pub(super) applications: usize,
}

/// One half of an iteration: what is computed of what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Half {
    /// `u ← A v`
    Data,
    /// `v ← Aᴴ u`
    Model,
}

/// Values and residuals by the projected matrix, ascending, and their combinations of the bases.
struct Ritz {
    values: Vec<f64>,
    residuals: Vec<f64>,
    left: Small<f64>,
    right: Small<f64>,
}

impl GolubKahan {
    pub(super) fn new(a: &Applied<'_>, search: Search) -> Result<Self> {
        let (domain, range) = (a.a.domain(), a.a.range());
        let turned = range.len() < domain.len();
        let (models, data) = if turned { (range, domain) } else { (domain, range) };
        let m = search.basis;
        Ok(Self {
            models: Basis::new(a.on, models.dtype(), models.len(), [m + 1, m])?,
            data: Basis::new(a.on, data.dtype(), data.len(), [m, m])?,
            turned,
            search,
            projected: Small::zeros(m, m),
            filled: 0,
            scalars: a.scalars(&[4, m])?,
            largest: a.scalars(&[])?,
            square: a.scalars(&[])?,
            inverse: a.scalars(&[])?,
            applications: 0,
        })
    }

    /// Chooses the scale by what becomes of row 0 of `V`: whether that is finite.
    pub(super) fn measure(&mut self, a: &mut Applied<'_>) -> Result<bool> {
        self.apply(a, Half::Data, 0)?;
        Ok(a.measure(&self.data.row(0)?)?.is_some())
    }

    /// Searches from what row 0 of `V` holds. The wanted vectors are the first rows of `V` and of `U` then, their values in the order in
    /// which they are wanted.
    pub(super) fn search(
        &mut self,
        a: &mut Applied<'_>,
        random: &mut Random,
    ) -> Result<(Vec<f64>, Ended)> {
        let complete = self.search.basis == self.models.rows.shape()[1];
        let mut sweeps = Sweeps::new(self.search, complete);
        a.on.map(&constant(0.0), &[], self.largest.view_mut())?;
        loop {
            let coupling = self.sweep(a, random)?;
            let Some((coupling, ritz)) = coupling.and_then(|last| Some((last, self.ritz(last)?)))
            else {
                return Ok((vec![f64::NAN; self.search.count], Ended::NotFinite));
            };
            let Next { kept, wanted, coupled, ended } = sweeps.after(&ritz.values, &ritz.residuals);
            let coupling = if coupled { coupling } else { 0.0 };
            self.keep(a, &ritz, &kept, coupling)?;
            if let Some(ended) = ended {
                return Ok((wanted, ended));
            }
            if coupling == 0.0 {
                self.models.draw(a, random, kept.len())?;
            }
        }
    }

    /// Fills the bases from where they are kept: the coupling to the vector behind them, or nothing if a number is not finite.
    fn sweep(&mut self, a: &mut Applied<'_>, random: &mut Random) -> Result<Option<f64>> {
        let m = self.search.basis;
        let complete = m == self.models.rows.shape()[1];
        let mut from = (self.filled, Half::Data);
        loop {
            for at in from.0..m {
                if (at, Half::Data) >= from {
                    self.step(a, Half::Data, at)?;
                }
                self.step(a, Half::Model, at)?;
            }
            self.applications += 2 * (m - from.0);
            let rows = reals(&self.scalars.view().reshaped(&[4 * m])?)?;
            let row = |number: usize| &rows[number * m..(number + 1) * m];
            let [alpha, beta, data, model] = [0, 1, 2, 3].map(row);
            let mut lost = None;
            for at in from.0..m {
                if (at, Half::Data) >= from {
                    let own = a.unscaled(alpha[at].sqrt());
                    if !own.is_finite() {
                        return Ok(None);
                    }
                    if data[at] == 0.0 {
                        lost = Some((at, Half::Data));
                        break;
                    }
                    self.projected[(at, at)] = own;
                }
                let next = a.unscaled(beta[at].sqrt());
                if !next.is_finite() {
                    return Ok(None);
                }
                if model[at] == 0.0 {
                    lost = Some((at, Half::Model));
                    break;
                }
                if at + 1 < m {
                    self.projected[(at, at + 1)] = next;
                }
            }
            // Spaces that A, or its adjoint, does not leave: on with a vector that is orthogonal to them.
            match lost {
                Some((at, Half::Data)) => {
                    self.data.draw(a, random, at)?;
                    from = (at, Half::Model);
                }
                Some((at, Half::Model)) if at + 1 < m => {
                    self.models.draw(a, random, at + 1)?;
                    from = (at + 1, Half::Data);
                }
                _ => {
                    let last = if lost.is_some() || complete { 0.0 } else { beta[m - 1].sqrt() };
                    return Ok(Some(a.unscaled(last)));
                }
            }
        }
    }

    /// `u ← A v` or `v ← Aᴴ u`, as it is.
    fn apply(&mut self, a: &mut Applied<'_>, half: Half, at: usize) -> Result<()> {
        let (from, to) = match half {
            Half::Data => (self.models.row(at)?, self.data.rows.view_mut().selected(0, at)?),
            Half::Model => (self.data.row(at)?, self.models.rows.view_mut().selected(0, at + 1)?),
        };
        if (half == Half::Data) == self.turned {
            a.adjoint(from, to, Update::set())
        } else {
            a.forward(from, to, Update::set())
        }
    }

    /// The next vector, made orthogonal to all of its kind, and divided by its length. Enqueued.
    fn step(&mut self, a: &mut Applied<'_>, half: Half, at: usize) -> Result<()> {
        self.apply(a, half, at)?;
        let (basis, number, row) = match half {
            Half::Data => (&mut self.data, at, 0),
            Half::Model => (&mut self.models, at + 1, 1),
        };
        a.norm_squared(&basis.row(number)?, self.square.view_mut())?;
        a.on.map(&previous().max(input(0)), &[self.square.view()], self.largest.view_mut())?;
        basis.orthogonalise(a.on, number)?;
        a.norm_squared(&basis.row(number)?, self.square.view_mut())?;
        let slots = self.scalars.view_mut().selected(1, at)?;
        let (mut squares, mut going) = slots.split_at(0, 2)?;
        let going = going.reborrow().selected(0, row)?;
        a.going(
            (self.square.view(), self.largest.view()),
            self.search.lost,
            going,
            self.inverse.view_mut(),
        )?;
        let slot = squares.reborrow().selected(0, row)?;
        a.on.copy(self.square.view(), slot, Update::set())?;
        let scale = previous() * input(0);
        Ok(a.on.map(&scale, &[self.inverse.view()], basis.row_mut(number)?)?)
    }

    /// What the projected matrix says, if its numbers are finite.
    fn ritz(&self, coupling: f64) -> Option<Ritz> {
        let found = singular(&self.projected)?;
        let m = self.projected.nrows();
        let ascending: Vec<usize> = (0..m).rev().collect();
        let left = found.left.select_columns(&ascending);
        let right = found.right.select_columns(&ascending);
        let values = ascending.iter().map(|at| found.values[*at]).collect();
        let residuals = (0..m).map(|at| coupling * left[(m - 1, at)].abs()).collect();
        Some(Ritz { values, residuals, left, right })
    }

    /// Makes these combinations the first vectors, and the vector behind the basis, if it is coupled to them, the next one.
    fn keep(&mut self, a: &Applied<'_>, ritz: &Ritz, kept: &[usize], coupling: f64) -> Result<()> {
        let m = self.search.basis;
        self.models.combine(a.on, &complex(&ritz.right.select_columns(kept)))?;
        self.data.combine(a.on, &complex(&ritz.left.select_columns(kept)))?;
        self.projected = Small::zeros(m, m);
        for (to, from) in kept.iter().enumerate() {
            self.projected[(to, to)] = ritz.values[*from];
            if coupling > 0.0 {
                self.projected[(to, kept.len())] = coupling * ritz.left[(m - 1, *from)];
            }
        }
        if coupling > 0.0 {
            self.models.bring(a.on, m, kept.len())?;
        }
        self.filled = kept.len();
        Ok(())
    }
}
