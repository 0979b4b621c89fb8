//! Which stacks and block diagonals one pass computes that writes all parts.

use std::sync::Arc;

use num_complex::Complex64;

use super::maps::Maps;
use super::normal::{Blocks, Normal, Part};
use super::partition::Partition;
use super::pointwise::Pointwise;
use super::program::Leaf;
use crate::{Space, number};

/// Parts of one shape that are nothing but weights and multiples of the identity, if there are several, and the factor of each times
/// `scale` is a number of the dtype.
pub(super) fn maps(blocks: &Blocks, scale: Complex64) -> Option<Maps> {
    let slices = |side: &Option<Arc<Partition>>| {
        side.as_ref().map_or_else(Vec::new, |side| side.slices().to_vec())
    };
    let (from, to) = (slices(&blocks.domains), slices(&blocks.ranges));
    let space = &blocks.parts.first()?.range;
    if to.len() < 2 || !space.dtype().is_computable() {
        return None;
    }
    let parts = blocks.parts.iter().map(|part| {
        let (own, weights) = pointwise(part, space)?;
        Some((number::product(scale, own, space.dtype())?, weights))
    });
    Maps::new(parts.collect::<Option<_>>()?, from, to)
}

/// A part from one space to the same as a factor and weights.
fn pointwise(part: &Normal, space: &Space) -> Option<(Complex64, Pointwise)> {
    let [term] = &part.terms[..] else { return None };
    if part.domain != *space || part.range != *space || part.moves() {
        return None;
    }
    let factors: Vec<_> = term.factors.iter().map(|factor| &factor.part).collect();
    let weights = match factors[..] {
        [] => Pointwise::identity(),
        [Part::Leaf(Leaf::Pointwise(weights))] => weights.clone(),
        _ => return None,
    };
    Some((term.scale, weights))
}
