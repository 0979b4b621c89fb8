//! Weights times parts of one array that go to parts of another, in one pass.

use arrayspan_bridge::{SharedArray, View, ViewMut};
use arrayspan_kernels::{Expression, Update};

use super::partition::{Slice, divided};
use super::pointwise::Pointwise;
use super::same::same_array;
use crate::{Context, Result, Space, elementwise};

/// The most parts, arrays that the pass reads and writes, and operations of all parts: constants and arrays are arguments of one
/// launch, of which there can be 64.
const MOST: usize = 4;
const MOST_ARRAYS: usize = 10;
const MOST_OPERATIONS: usize = 10;

/// `yₖ = cₖ ⊙ xₖ` of parts of one shape, or of one `x` that all of them read.
#[derive(Clone, Debug)]
pub(crate) struct Maps {
    parts: Vec<Pointwise>,
    /// One for each part, of the weights of all and, behind these, the parts of `x`.
    expressions: Vec<Expression>,
    weights: Vec<SharedArray>,
    /// The parts of `x`; without any, each reads all of it.
    from: Vec<Slice>,
    to: Vec<Slice>,
}

impl Maps {
    /// Of parts that lie there, if one launch takes all of them.
    pub(super) fn new(parts: Vec<Pointwise>, from: Vec<Slice>, to: Vec<Slice>) -> Option<Self> {
        let mut weights: Vec<SharedArray> = Vec::new();
        for array in parts.iter().flat_map(|part| part.parts().1) {
            if !weights.iter().any(|there| same_array(there, array)) {
                weights.push(array.clone());
            }
        }
        let arrays = weights.len() + to.len() + from.len().max(1);
        let operations: usize = parts.iter().map(|part| part.parts().0.operations()).sum();
        if parts.len() > MOST || arrays > MOST_ARRAYS || operations > MOST_OPERATIONS {
            return None;
        }
        let x = |at: usize| weights.len() + if from.is_empty() { 0 } else { at };
        let all = parts.iter().enumerate();
        let expressions = all.map(|(at, part)| part.of_inputs(&weights, x(at))).collect();
        Some(Self { parts, expressions, weights, from, to })
    }

    /// Whether all of its numbers are real.
    pub(super) fn is_real(&self) -> bool {
        self.parts.iter().all(Pointwise::is_real)
    }

    pub(super) fn same(&self, other: &Self) -> bool {
        self.parts.len() == other.parts.len()
            && self.parts.iter().zip(&other.parts).all(|(a, b)| a.same(b))
            && (&self.from, &self.to) == (&other.from, &other.to)
    }

    /// The bytes of weights, and the operations for an element of each part.
    pub(super) fn cost(&self, update: Update<'_>) -> (usize, usize) {
        let bytes = |array: &SharedArray| array.layout().len() * array.dtype().bytes();
        let operations =
            self.expressions.iter().map(|result| elementwise::operations(result, update));
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
        let outputs = self.expressions.iter().cloned().zip(divided(&self.to, y)?);
        Ok(on.map_many_updated(&inputs, outputs, update)?)
    }
}
