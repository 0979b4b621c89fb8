//! Weights times parts of one array that go to parts of another, in one pass.

use arrayspan_bridge::{SharedArray, View, ViewMut};
use arrayspan_kernels::{Expression, Update};
use num_complex::Complex64;

use super::partition::{Slice, divided};
use super::pointwise::Pointwise;
use super::same::same_array;
use crate::number::Gain;
use crate::{Context, Result, Space, elementwise};

/// The most parts, arrays that the pass reads and writes, and operations of all parts. A launch takes 64 arguments: two for each
/// array, and two for each complex constant, of which each operation has one, and each part two of the update.
const MOST: usize = 4;
const MOST_ARRAYS: usize = 10;
const MOST_OPERATIONS: usize = 10;

/// `yₖ = sₖ cₖ ⊙ xₖ` of parts of one shape, or of one `x` that all of them read.
#[derive(Clone, Debug)]
pub(crate) struct Maps {
    parts: Vec<(Complex64, Pointwise)>,
    /// One for each part, of the weights of all and, behind these, the parts of `x`.
    expressions: Vec<Expression>,
    weights: Vec<SharedArray>,
    /// The parts of `x`; without any, each reads all of it.
    from: Vec<Slice>,
    to: Vec<Slice>,
}

impl Maps {
    /// Of parts that lie there, if one launch takes all of them.
    pub(super) fn new(
        parts: Vec<(Complex64, Pointwise)>,
        from: Vec<Slice>,
        to: Vec<Slice>,
    ) -> Option<Self> {
        let mut weights: Vec<SharedArray> = Vec::new();
        for array in parts.iter().flat_map(|(_, part)| part.parts().1) {
            if !weights.iter().any(|there| same_array(there, array)) {
                weights.push(array.clone());
            }
        }
        let arrays = weights.len() + to.len() + from.len().max(1);
        let operations: usize = parts.iter().map(|(_, part)| part.parts().0.operations()).sum();
        if parts.len() > MOST || arrays > MOST_ARRAYS || operations > MOST_OPERATIONS {
            return None;
        }
        let x = |at: usize| weights.len() + if from.is_empty() { 0 } else { at };
        let all = parts.iter().enumerate();
        let expressions = all.map(|(at, (_, part))| part.of_inputs(&weights, x(at))).collect();
        Some(Self { parts, expressions, weights, from, to })
    }

    /// Whether all of its numbers are real.
    pub(super) fn is_real(&self) -> bool {
        self.parts.iter().all(|(scale, part)| scale.im == 0.0 && part.is_real())
    }

    /// The factors of all parts, which that of the caller is multiplied by.
    pub(super) fn gain(&self, scale: Complex64) -> Gain {
        let gains = self.parts.iter().map(|(own, _)| Gain::ONE.times(scale).times(*own));
        gains.reduce(Gain::union).unwrap_or(Gain::ONE)
    }

    pub(super) fn same(&self, other: &Self) -> bool {
        self.parts.len() == other.parts.len()
            && self.parts.iter().zip(&other.parts).all(|(a, b)| a.0 == b.0 && a.1.same(&b.1))
            && (&self.from, &self.to) == (&other.from, &other.to)
    }

    /// The bytes of weights, and the operations for an element of each part.
    pub(super) fn cost(&self, update: Update<'_>) -> (usize, usize) {
        let bytes = |array: &SharedArray| array.layout().len() * array.dtype().bytes();
        let all = self.parts.iter().zip(&self.expressions);
        let operations =
            all.map(|((scale, _), result)| elementwise::operations(result, update.scaled(*scale)));
        (self.weights.iter().map(bytes).sum(), operations.sum())
    }

    /// How many parts there are.
    pub(super) fn count(&self) -> usize {
        self.parts.len()
    }

    /// The elements of a part of `to`.
    pub(super) fn len(&self, to: &Space) -> usize {
        to.len() / self.to.len()
    }

    pub(super) fn run(
        &self,
        on: &Context<'_>,
        x: View<'_>,
        y: ViewMut<'_>,
        update: Update<'_>,
    ) -> Result<()> {
        let mut inputs: Vec<View<'_>> = self.weights.iter().map(SharedArray::view).collect();
        for slice in &self.from {
            inputs.push(slice.view(x.clone())?);
        }
        if self.from.is_empty() {
            inputs.push(x);
        }
        let all = self.parts.iter().zip(&self.expressions).zip(divided(&self.to, y)?);
        let outputs = all.map(|(((scale, _), expression), y)| (*scale, expression.clone(), y));
        Ok(on.map_many_updated(&inputs, outputs, update)?)
    }
}
