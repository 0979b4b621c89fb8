//! What the loops around solvers take: the most that is there at once, with what the solvers inside say of themselves.

use arrayspan_kernels::{Executor, widest_real};
use arrayspan_operators::{Identity, LinearMap, Operator, Space, Zero};

use super::{Irls, Mp, Omp, Pursuit, Reweighted, Spgl1, SplitBregman};
use crate::least_squares::stacked;
use crate::{Result, Solver, bytes};

/// So many arrays of a space.
fn some(count: usize, space: &Space) -> usize {
    bytes::of(space).saturating_mul(count)
}

/// Numbers that the host reads, on the way.
fn numbers(on: &dyn Executor) -> usize {
    32 * widest_real(on.device()).bytes()
}

/// What so many columns of an operator need between their parts: as much as one of them.
fn between(a: &Operator, columns: usize) -> Result<usize> {
    Ok(if columns == 0 { 0 } else { a.columns([0])?.workspace() })
}

impl Irls {
    /// The bytes that a run takes beside the data, on the device of `on`, at most: those of [`Irls::least_squares`], weights, models and what is left of
    /// the data. Nothing is allocated for it. Data or operators that have to be scaled take as much as a model and data more.
    ///
    /// # Errors
    /// A parameter that is out of its range; operators that do not fit.
    pub fn memory(&self, a: &Operator, on: &dyn Executor) -> Result<usize> {
        self.check()?;
        if self.kind == Reweighted::DataModel {
            let damped = Identity::new(a.domain().clone())?;
            let both = stacked(a, &[(self.damping, &damped, None)])?;
            let data = bytes::of(both.range());
            return Ok(data.saturating_add(self.loop_memory(&both, on)?));
        }
        self.loop_memory(a, on)
    }

    fn loop_memory(&self, a: &Operator, on: &dyn Executor) -> Result<usize> {
        let (model, data) = (a.domain(), a.range());
        let inner = self.least_squares.memory(a, on)?;
        let of_model = self.kind == Reweighted::Model;
        let weights = if of_model { model } else { data };
        // The weighted operator has one part more, and one vector between its parts.
        let weighted = some(2, weights).saturating_add(if of_model { 0 } else { bytes::of(data) });
        let solving = bytes::total([weighted, bytes::of(model), inner]);
        // A model of weights is applied to before it is the next one.
        let applying = bytes::total([some(3, model), bytes::of(weights), a.workspace()]);
        let judging = bytes::total([some(2, model), some(2, data), some(2, weights)]);
        let looking =
            bytes::total([some(2, model), some(1, data), a.workspace(), some(1, weights)]);
        let most = [solving, applying, judging, looking].into_iter().fold(0, usize::max);
        Ok(most.saturating_add(numbers(on)))
    }
}

impl SplitBregman {
    /// The bytes that a run takes beside data, targets and start, on the device of `on`, at most: those of [`SplitBregman::least_squares`] for the stack of all
    /// operators, its data, two or three models and three vectors for each term with a norm 1. Nothing is allocated for it. Data or operators that have to
    /// be scaled take as much as a model and data of the stack more.
    ///
    /// # Errors
    /// A parameter that is out of its range; operators that do not fit each other.
    pub fn memory(&self, a: &Operator, on: &dyn Executor) -> Result<usize> {
        self.check()?;
        let stack = stacked(a, &self.terms())?;
        let model = a.domain();
        let splits = self.l1.iter().map(|term| {
            let range = term.operator.range();
            let size = match range.shape() {
                [_, rest @ ..] if term.isotropic => {
                    rest.iter().fold(range.dtype().real().bytes(), |all, n| all.saturating_mul(*n))
                }
                _ => 0,
            };
            bytes::total([some(3, range), size, term.operator.workspace()])
        });
        let inner = self.least_squares.memory(&stack, on)?;
        let data = bytes::of(stack.range());
        let kept = bytes::total(splits.chain([data, inner, bytes::of(model), numbers(on)]));
        // A start beside the model, or the image of a model beside the data.
        let again = if self.restart { bytes::of(model) } else { 0 };
        let left = bytes::of(a.range()).saturating_add(a.workspace());
        Ok(kept.saturating_add(again.max(left)))
    }
}

impl Spgl1 {
    /// The bytes that a run takes beside the data, on the device of `on`, at most: `3n + 2m` elements, `n` sizes,
    /// and what the operator needs between its parts. Nothing is allocated for it.
    ///
    /// # Errors
    /// A parameter that is out of its range.
    pub fn memory(&self, a: &Operator, on: &dyn Executor) -> Result<usize> {
        self.check()?;
        let (model, data) = (a.domain(), a.range());
        let vectors = [some(3, model), some(2, data), bytes::of_real(model)];
        Ok(bytes::total(vectors.into_iter().chain([a.workspace(), numbers(on)])))
    }
}

impl<const ORTHOGONAL: bool> Pursuit<ORTHOGONAL> {
    /// What finds a column, while it does, beside the operator's own.
    fn choice(&self, a: &Operator) -> usize {
        let norms = if self.normalize { bytes::of_real(a.domain()) } else { 0 };
        let real = bytes::of_real(a.domain()).saturating_mul(2);
        bytes::total([bytes::of(a.domain()), real, norms])
    }

    /// What is there from one iteration to the next, and the most that choosing a column takes besides.
    fn choosing(&self, a: &Operator, on: &dyn Executor) -> [usize; 2] {
        let (model, data) = (a.domain(), a.range());
        if self.iterations == 0 {
            return [bytes::total([bytes::of(model), bytes::of(data), numbers(on)]), 0];
        }
        let kept = [bytes::of(model), bytes::of(data), self.choice(a), numbers(on)];
        // Products anew beside the old ones; and once the norms of all columns.
        let products = bytes::of(model).saturating_add(a.workspace());
        let norms = [bytes::of(model), bytes::of(data), a.workspace()];
        let norms = if self.normalize { bytes::total(norms) } else { 0 };
        [bytes::total(kept), products.max(norms)]
    }
}

impl Omp {
    /// The bytes that a run takes beside the data, on the device of `on`, at most: the model, what finds columns, and [`Lsqr`](crate::Lsqr) for as many columns as there
    /// are iterations. Nothing is allocated for it. Data or operators that have to be scaled take as much as a model and data more.
    ///
    /// # Errors
    /// A parameter that is out of its range.
    pub fn memory(&self, a: &Operator, on: &dyn Executor) -> Result<usize> {
        self.check()?;
        let [kept, choosing] = self.choosing(a, on);
        let most = self.iterations.min(a.domain().len());
        let work = between(a, most)?;
        let coefficients = Space::new([most], a.domain().dtype())?;
        let some_columns = Zero::new(coefficients.clone(), a.range().clone())?;
        let inner = self.least_squares.memory(&some_columns, on)?.saturating_add(work);
        // An image of the coefficients, and what it leaves of the data.
        let after = [bytes::of(&coefficients), some(2, a.range()), work];
        let most = [choosing, inner, bytes::total(after)].into_iter().fold(0, usize::max);
        Ok(kept.saturating_add(most))
    }
}

impl Mp {
    /// The bytes that a run takes beside the data, on the device of `on`, at most: the model, what finds columns, and a column. Nothing is allocated for it.
    ///
    /// # Errors
    /// A parameter that is out of its range.
    pub fn memory(&self, a: &Operator, on: &dyn Executor) -> Result<usize> {
        self.check()?;
        let [kept, choosing] = self.choosing(a, on);
        let atom = [bytes::of(a.range()), between(a, a.domain().len().min(1))?, numbers(on)];
        Ok(kept.saturating_add(choosing.max(bytes::total(atom))))
    }
}
