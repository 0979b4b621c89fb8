//! The process of Lanczos with all vectors kept orthogonal, restarted from the best of what it has found.

use arrayspan_bridge::{Array, Relayout};
use arrayspan_kernels::{Update, constant, input, previous};

use super::applied::Applied;
use super::basis::{Basis, complex};
use super::quadrature::Rule;
use super::random::Random;
use super::search::{Ended, Next, Search, Sweeps};
use crate::Result;
use crate::dense::{Small, self_adjoint};
use crate::engine::read::reals;

/// `A V = V T + v tᵀ` with orthonormal `V` and symmetric `T`.
#[derive(Debug)]
pub(super) struct Lanczos {
    pub(super) basis: Basis,
    search: Search,
    /// `T`; what is not yet made is zero.
    projected: Small<f64>,
    /// How many vectors a restart has kept.
    filled: usize,
    /// `[3, basis]`: diagonals, couplings, and whether they are more than rounding errors. In units of `2^-scale`, as the two below.
    scalars: Array,
    /// The largest `‖A v‖²` so far.
    largest: Array,
    square: Array,
    inverse: Array,
    pub(super) applications: usize,
}

/// Values and residuals by the projected matrix, ascending, and their combinations of the basis.
pub(super) struct Ritz {
    pub(super) values: Vec<f64>,
    pub(super) residuals: Vec<f64>,
    vectors: Small<f64>,
}

impl Lanczos {
    pub(super) fn new(a: &Applied<'_>, search: Search) -> Result<Self> {
        let domain = a.a.domain();
        let Search { basis: m, .. } = search;
        Ok(Self {
            basis: Basis::new(a.on, domain.dtype(), domain.len(), [m + 1, m])?,
            search,
            projected: Small::zeros(m, m),
            filled: 0,
            scalars: a.scalars(&[3, m])?,
            largest: a.scalars(&[])?,
            square: a.scalars(&[])?,
            inverse: a.scalars(&[])?,
            applications: 0,
        })
    }

    /// Searches from what row 0 of the basis holds. The wanted vectors are the first rows then, their values in the order in which they
    /// are wanted.
    pub(super) fn search(
        &mut self,
        a: &mut Applied<'_>,
        random: &mut Random,
    ) -> Result<(Vec<f64>, Ended)> {
        let complete = self.search.basis == self.basis.rows.shape()[1];
        let mut sweeps = Sweeps::new(self.search, complete);
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
                self.basis.draw(a, random, kept.len())?;
            }
        }
    }

    /// Begins anew with the vector that row 0 will hold.
    pub(super) fn forget(&mut self) {
        self.filled = 0;
        self.projected.fill(0.0);
    }

    /// Chooses the scale by what becomes of row 0: whether that is finite. Waits for it.
    pub(super) fn measure(&mut self, a: &mut Applied<'_>) -> Result<bool> {
        a.on.map(&constant(0.0), &[], self.largest.view_mut())?;
        self.applications += 1;
        let (own, mut image) = self.basis.pair(0)?;
        a.forward(own, image.reborrow(), Update::set())?;
        Ok(a.measure(&image.view())?.is_some())
    }

    /// The rule of quadrature from row 0, which is of length 1; nothing if a number is not finite.
    pub(super) fn rule(
        &mut self,
        a: &mut Applied<'_>,
        random: &mut Random,
    ) -> Result<Option<Rule>> {
        let coupling = self.sweep(a, random)?;
        Ok(coupling.and_then(|_| Rule::of(&self.projected)))
    }

    /// Fills the basis from where it is kept: the coupling to the vector behind it, or nothing if a number is not finite.
    fn sweep(&mut self, a: &mut Applied<'_>, random: &mut Random) -> Result<Option<f64>> {
        let m = self.search.basis;
        let n = self.basis.rows.shape()[1];
        let mut from = self.filled;
        loop {
            for at in from..m {
                self.step(a, at)?;
            }
            self.applications += m - from;
            let rows = reals(&self.scalars.view().reshaped(&[3 * m])?)?;
            let (diagonal, rest) = rows.split_at(m);
            let (coupling, going) = rest.split_at(m);
            let lost = (from..m).find(|at| going[*at] == 0.0);
            let until = lost.map_or(m, |at| at + 1);
            for at in from..until {
                let (own, next) = (a.unscaled(diagonal[at]), a.unscaled(coupling[at].sqrt()));
                if !(own.is_finite() && next.is_finite()) {
                    return Ok(None);
                }
                self.projected[(at, at)] = own;
                if lost != Some(at) && at + 1 < m {
                    self.projected[(at, at + 1)] = next;
                    self.projected[(at + 1, at)] = next;
                }
            }
            if until == m {
                let last = if lost.is_some() || m == n { 0.0 } else { coupling[m - 1].sqrt() };
                return Ok(Some(a.unscaled(last)));
            }
            // A space that A does not leave: on with a vector that is orthogonal to it.
            self.basis.draw(a, random, until)?;
            from = until;
        }
    }

    /// `v ← A v`, made orthogonal to all vectors before it, and divided by its length. Enqueued.
    fn step(&mut self, a: &mut Applied<'_>, at: usize) -> Result<()> {
        let on = a.on;
        let slots = self.scalars.view_mut().selected(1, at)?;
        let (diagonal, rest) = slots.split_at(0, 1)?;
        let (mut square, going) = rest.split_at(0, 1)?;
        let (own, mut next) = self.basis.pair(at)?;
        a.forward(own.clone(), next.reborrow(), Update::set())?;
        a.real_dot(&own, &next.view(), diagonal.selected(0, 0)?)?;
        a.norm_squared(&next.view(), self.square.view_mut())?;
        on.map(&previous().max(input(0)), &[self.square.view()], self.largest.view_mut())?;
        self.basis.orthogonalise(on, at + 1)?;
        a.norm_squared(&self.basis.row(at + 1)?, square.reborrow().selected(0, 0)?)?;
        a.going(
            (square.view().selected(0, 0)?, self.largest.view()),
            self.search.lost,
            going.selected(0, 0)?,
            self.inverse.view_mut(),
        )?;
        let scale = previous() * input(0);
        Ok(on.map(&scale, &[self.inverse.view()], self.basis.row_mut(at + 1)?)?)
    }

    /// What the projected matrix says, if its numbers are finite.
    fn ritz(&self, coupling: f64) -> Option<Ritz> {
        let found = self_adjoint(&self.projected)?;
        let last = self.projected.nrows() - 1;
        let residuals = (0..=last).map(|at| coupling * found.vectors[(last, at)].abs()).collect();
        Some(Ritz { values: found.values, residuals, vectors: found.vectors })
    }

    /// Makes these combinations the first vectors, and the vector behind the basis, if it is coupled to them, the next one.
    fn keep(&mut self, a: &Applied<'_>, ritz: &Ritz, kept: &[usize], coupling: f64) -> Result<()> {
        let m = self.search.basis;
        self.basis.combine(a.on, &complex(&ritz.vectors.select_columns(kept)))?;
        self.projected = Small::zeros(m, m);
        for (to, from) in kept.iter().enumerate() {
            self.projected[(to, to)] = ritz.values[*from];
            if coupling > 0.0 {
                let along = coupling * ritz.vectors[(m - 1, *from)];
                self.projected[(to, kept.len())] = along;
                self.projected[(kept.len(), to)] = along;
            }
        }
        if coupling > 0.0 {
            self.basis.bring(a.on, m, kept.len())?;
        }
        self.filled = kept.len();
        Ok(())
    }
}
