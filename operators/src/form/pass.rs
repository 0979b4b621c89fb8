//! Sums that one pass over memory computes.

use arrayspan_bridge::{DType, SharedArray, View, ViewMut};
use arrayspan_kernels::{Cost, Expression, Stencil, StencilTerm, Update, constant, input};
use num_complex::Complex64;

use super::same::same_array;
use super::summand::Summand;
use crate::elementwise::operations;
use crate::number::{self, ONE};
use crate::{Context, Result, Space};

/// `y = Σ afterᵢ ⊙ stencilᵢ(beforeᵢ ⊙ xᵢ)` of parts of one input, as one verb.
#[derive(Clone, Debug)]
pub(crate) struct Pass {
    summands: Vec<Summand>,
    verb: Verb,
}

#[derive(Clone, Debug)]
enum Verb {
    /// No summand has bands: an expression of what they read, in the order in which they name it.
    Map(Expression),
    /// The stencil of each summand.
    StencilSum(Vec<Stencil>),
}

/// What summands read, each once.
struct Read<'p> {
    /// The summands whose parts of the input these are.
    parts: Vec<&'p Summand>,
    weights: Vec<&'p SharedArray>,
}

impl Pass {
    /// The most summands of one pass.
    pub(super) const MOST: usize = StencilTerm::MOST;

    /// So many summands as one pass, and a factor that is left; `None` if there are too many or their factors cannot be
    /// multiplied in.
    pub(super) fn of(summands: &[Summand], space: &Space) -> Option<(Self, Complex64)> {
        let (first, dtype) = (summands.first()?, space.dtype());
        if summands.len() > Self::MOST {
            return None;
        }
        // A factor that all have is an argument of the verb, not part of it.
        let common = summands.iter().all(|summand| summand.scale == first.scale);
        let scale = if common { first.scale } else { ONE };
        let rest = summands.iter().map(|summand| {
            let rest = if common { ONE } else { summand.scale };
            Summand { scale: rest, ..summand.clone() }.folded(dtype)
        });
        let summands = rest.collect::<Option<Vec<_>>>()?;
        let banded = summands.iter().find_map(|summand| summand.stencil.as_ref());
        let verb = match banded.and_then(|stencil| stencil.terms().first()) {
            None => Verb::Map(expression(&summands)),
            Some((axis, band)) => {
                let stencils = summands.iter().map(|one| one.as_stencil(*axis, band.len()));
                Verb::StencilSum(stencils.collect::<Option<_>>()?)
            }
        };
        Some((Self { summands, verb }, scale))
    }

    /// `y ← alpha · A x + beta · y`. Enqueued; does not wait.
    pub(super) fn run(
        &self,
        on: &Context<'_>,
        x: &View<'_>,
        y: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        match &self.verb {
            Verb::Map(expression) => {
                let read = read(&self.summands);
                let parts = read.parts.iter().map(|summand| summand.view(x));
                let mut inputs = parts.collect::<Result<Vec<_>>>()?;
                inputs.extend(read.weights.iter().map(|array| array.view()));
                Ok(on.map_updated(expression, &inputs, y, update)?)
            }
            Verb::StencilSum(stencils) => {
                let terms = self.summands.iter().zip(stencils).map(|(summand, stencil)| {
                    Ok(StencilTerm {
                        before: summand.before.as_ref().map(super::summand::Weights::coefficients),
                        after: summand.after.as_ref().map(super::summand::Weights::coefficients),
                        ..StencilTerm::new(stencil, summand.view(x)?)
                    })
                });
                Ok(on.stencil_sum(&terms.collect::<Result<Vec<_>>>()?, y, update)?)
            }
        }
    }

    /// What it costs for contiguous arrays.
    pub(super) fn cost(&self, to: &Space, update: Update) -> Cost {
        let len = to.len();
        let written = len * to.dtype().bytes();
        if len == 0 {
            return Cost::default();
        }
        let read = read(&self.summands);
        let bytes = |array: &&SharedArray| array.layout().len() * array.dtype().bytes();
        let weights: usize = read.weights.iter().map(bytes).sum();
        let previous = if update.reads() { written } else { 0 };
        let flops = match &self.verb {
            Verb::Map(expression) => operations(expression, update).saturating_mul(len),
            Verb::StencilSum(stencils) => {
                let factors = self.summands.iter().map(|one| one.weights().count()).sum();
                let bands = stencils.iter().flat_map(Stencil::terms).map(|(_, band)| {
                    let lanes = len / band.len().max(1);
                    lanes.saturating_mul(band.entries()).saturating_mul(2)
                });
                bands.fold(len.saturating_mul(factors), usize::saturating_add)
            }
        };
        Cost {
            launches: 1,
            bytes_read: read.parts.len() * written + weights + previous,
            bytes_written: written,
            flops,
        }
    }

    /// Whether all of its numbers are real.
    pub(super) fn is_real(&self) -> bool {
        self.summands.iter().all(|summand| {
            summand.scale.im == 0.0
                && summand.stencil.as_ref().is_none_or(Stencil::is_real)
                && summand.weights().all(|weights| !weights.array.dtype().is_complex())
        })
    }

    pub(super) fn same(&self, other: &Self) -> bool {
        let pairs = self.summands.iter().zip(&other.summands);
        self.summands.len() == other.summands.len() && pairs.into_iter().all(|(a, b)| a.same(b))
    }

    pub(super) fn summands(&self) -> &[Summand] {
        &self.summands
    }
}

fn read(summands: &[Summand]) -> Read<'_> {
    let mut read = Read { parts: Vec::new(), weights: Vec::new() };
    for summand in summands {
        if !read.parts.iter().any(|other| other.path == summand.path) {
            read.parts.push(summand);
        }
        for weights in summand.weights() {
            if !read.weights.iter().any(|other| same_array(other, &weights.array)) {
                read.weights.push(&weights.array);
            }
        }
    }
    read
}

/// Summands without bands, in terms of what they read.
fn expression(summands: &[Summand]) -> Expression {
    let read = read(summands);
    let term = |summand: &Summand| {
        let part = read.parts.iter().position(|other| other.path == summand.path);
        let x = input(part.unwrap_or(0));
        let weighted = match &summand.after {
            None => x,
            Some(weights) => {
                let array = |other: &&SharedArray| same_array(other, &weights.array);
                let at = read.weights.iter().position(array).unwrap_or(0);
                weights.input(read.parts.len() + at) * x
            }
        };
        if summand.scale == ONE { weighted } else { constant(summand.scale) * weighted }
    };
    let terms = summands.iter().map(term);
    terms.reduce(|a, b| a + b).unwrap_or_else(|| constant(0.0))
}

/// Summands in as few passes as they take, each with a factor that is left and that fits beside `scale`; `None` if some
/// cannot be in a pass.
pub(super) fn passes(
    summands: &[Summand],
    space: &Space,
    scale: Complex64,
) -> Option<Vec<(Pass, Complex64)>> {
    let fit = |(pass, left): (Pass, Complex64), dtype: DType| {
        Some((pass, number::product(scale, left, dtype)?))
    };
    let chunks = summands.chunks(Pass::MOST);
    chunks.map(|chunk| fit(Pass::of(chunk, space)?, space.dtype())).collect()
}
