//! Which parts of a normal form one pass can add up.
//!
//! This looks at what is left after rewriting, when it is decided which verbs are run: the normal form itself stays as it is,
//! so that products of stacks still become sums of products.

use arrayspan_bridge::DType;
use arrayspan_kernels::Expression;
use arrayspan_kernels::expression::{Binary, Node, Unary};

use super::normal::{Blocks, Factor, Normal, Part, Term};
use super::partition::Slice;
use super::pass::Pass;
use super::pointwise::Pointwise;
use super::program::Leaf;
use super::summand::{Summand, Weights};
use crate::number::{self, ONE, fits};

/// Sums within sums that are looked into: what is deeper is looked at by itself, so this may recurse.
const MOST_LEVELS: usize = 8;

/// Summands that are collected at once. Of longer sums each term is looked at by itself.
const MOST_COLLECTED: usize = 64;

/// A term as summands, if all of it can be.
pub(super) fn of_term(term: &Term, dtype: DType) -> Option<Vec<Summand>> {
    at_level(MOST_LEVELS).term(term, dtype)
}

/// A part of a stack as summands, which read the slice of the whole input, if all of it can be.
pub(super) fn of_part(part: &Normal, slice: Option<&Slice>) -> Option<Vec<Summand>> {
    at_level(MOST_LEVELS).part(part, slice)
}

/// The longest product of factors, from the one that is applied first on, that is a sum of few summands: these, and how
/// many factors it has. `None` if it has less than two.
pub(super) fn of_factors<'f>(
    factors: impl Iterator<Item = &'f Factor>,
    dtype: DType,
) -> Option<(Vec<Summand>, usize)> {
    let mut found: Option<(Vec<Summand>, usize)> = None;
    for factor in factors {
        let outer = at_level(MOST_LEVELS).factor(factor);
        let next = match (&found, outer) {
            (None, outer) => outer,
            (Some((inner, _)), Some(outer)) => product(&outer, inner, dtype),
            (Some(_), None) => None,
        };
        let few = next.filter(|summands| summands.len() <= Pass::MOST);
        let Some(summands) = few else { break };
        let count = found.map_or(0, |(_, count)| count);
        found = Some((summands, count + 1));
    }
    found.filter(|(_, count)| *count > 1)
}

/// Whether a pass is better than what there is without it: one summand is a form, unless it has both bands and weights.
pub(super) fn is_worthwhile(summands: &[Summand]) -> bool {
    match summands {
        [] => false,
        [one] => one.stencil.is_some() && one.weights().next().is_some(),
        _ => true,
    }
}

struct Level(usize);

fn at_level(level: usize) -> Level {
    Level(level)
}

impl Level {
    fn term(&self, term: &Term, dtype: DType) -> Option<Vec<Summand>> {
        let mut summands = vec![Summand::identity()];
        for factor in term.factors.iter().rev() {
            summands = product(&self.factor(factor)?, &summands, dtype)?;
        }
        for summand in &mut summands {
            summand.scale = number::product(summand.scale, term.scale, dtype)?;
        }
        Some(summands)
    }

    fn factor(&self, factor: &Factor) -> Option<Vec<Summand>> {
        match &factor.part {
            Part::Leaf(Leaf::Stencil(stencil)) => Some(vec![Summand::identity().banded(stencil)?]),
            // A pass is of one dtype; real and imaginary parts are not.
            Part::Leaf(Leaf::Pointwise(weights)) if factor.domain == factor.range => {
                pointwise(weights, factor.range.dtype())
            }
            Part::Leaf(_) => None,
            Part::Sum(sum) => at_level(self.0.checked_sub(1)?).normal(sum),
            Part::Blocks(blocks) => at_level(self.0.checked_sub(1)?).blocks(blocks),
        }
    }

    fn normal(&self, normal: &Normal) -> Option<Vec<Summand>> {
        let mut all = Vec::new();
        for term in &normal.terms {
            all.append(&mut self.term(term, normal.range.dtype())?);
            if all.len() > MOST_COLLECTED {
                return None;
            }
        }
        Some(all)
    }

    fn part(&self, part: &Normal, slice: Option<&Slice>) -> Option<Vec<Summand>> {
        let mut summands = self.normal(part)?;
        // A slice that is all of its array need not be named.
        let slice = slice.filter(|slice| !slice.is_whole());
        if let Some(slice) = slice {
            for summand in &mut summands {
                summand.path.insert(0, slice.clone());
            }
        }
        Some(summands)
    }

    /// Parts that add up.
    fn blocks(&self, blocks: &Blocks) -> Option<Vec<Summand>> {
        if blocks.ranges.is_some() {
            return None;
        }
        let mut all = Vec::new();
        for (at, part) in blocks.parts.iter().enumerate() {
            let slice = blocks.domains.as_ref().map(|domains| &domains.slices()[at]);
            all.append(&mut self.part(part, slice)?);
            if all.len() > MOST_COLLECTED {
                return None;
            }
        }
        Some(all)
    }
}

/// First the one sum, then the other. One of both is a single summand.
fn product(outer: &[Summand], inner: &[Summand], dtype: DType) -> Option<Vec<Summand>> {
    if outer.len() > 1 && inner.len() > 1 {
        return None;
    }
    let pairs = outer.iter().flat_map(|outer| inner.iter().map(move |inner| (outer, inner)));
    pairs.map(|(outer, inner)| outer.clone().after(inner, dtype)).collect()
}

/// A sum of weights as summands, one for each; `None` if it has products of weights.
fn pointwise(factor: &Pointwise, dtype: DType) -> Option<Vec<Summand>> {
    let (expression, arrays) = factor.parts();
    let weights = |factor: &Expression| {
        let (number, conjugated) = match factor.node() {
            Node::Input(number) => (*number, false),
            Node::Unary(Unary::Conjugate, inner) => match inner.node() {
                Node::Input(number) => (*number, true),
                _ => return None,
            },
            _ => return None,
        };
        Some(Weights { array: arrays.get(number)?.clone(), conjugated })
    };
    let is_x = |factor: &Expression| matches!(factor.node(), Node::Input(x) if *x == arrays.len());
    let mut summands = Vec::new();
    // Expressions here have few operations.
    let mut left = vec![(expression, ONE)];
    while let Some((expression, scale)) = left.pop() {
        let identity = Summand { scale, ..Summand::identity() };
        match expression.node() {
            Node::Input(_) if is_x(expression) => summands.push(identity),
            Node::Binary(Binary::Add, a, b) => left.extend([(b, scale), (a, scale)]),
            Node::Binary(Binary::Multiply, a, b) => {
                if let Node::Constant(value) = a.node() {
                    left.push((b, scale * *value));
                } else {
                    let weights = weights(a).filter(|_| is_x(b))?;
                    summands.push(Summand { after: Some(weights), ..identity });
                }
            }
            _ => return None,
        }
    }
    summands.iter().all(|summand| fits(summand.scale, dtype)).then_some(summands)
}
