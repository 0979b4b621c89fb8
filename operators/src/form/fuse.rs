//! Which two parts of an operator become one.

use std::sync::Arc;

use arrayspan_bridge::DType;
use arrayspan_kernels::{Band, Stencil};
use num_complex::Complex64;

use super::leaf::Leaf;
use super::normal::{Blocks, Factor, Normal, Part, Term};
use super::partition::Partition;
use super::pointwise::Pointwise;
use super::rewrite::{End, ONE, ZERO, fits, product, sum};
use crate::{Devices, Space, number};

/// Two factors as one.
pub(super) enum Fused {
    Zero,
    Identity,
    One(Part),
}

/// Up to this many taps from the first to the last, the product of two bands in one pass is better than two passes: a
/// second pass costs more than the arithmetic it saves.
const MOST_FUSED_TAPS: usize = 64;

/// `outer · inner` as one factor, if that is better than two.
pub(super) fn fused(outer: &Factor, inner: &Factor) -> Option<Fused> {
    let leaf = |leaf| Some(Fused::One(Part::Leaf(leaf)));
    match (&outer.part, &inner.part) {
        (Part::Leaf(Leaf::Pointwise(a)), Part::Leaf(Leaf::Pointwise(b)))
            if a.is_conjugation() && b.is_conjugation() =>
        {
            Some(Fused::Identity)
        }
        (Part::Leaf(Leaf::Pointwise(a)), Part::Leaf(Leaf::Pointwise(b))) => {
            leaf(Leaf::Pointwise(a.after(b)?))
        }
        (Part::Leaf(Leaf::Stencil(a)), Part::Leaf(Leaf::Stencil(b))) => {
            bands(a, b, inner.domain.dtype())
        }
        (
            Part::Leaf(Leaf::Index { map: a, adjoint }),
            Part::Leaf(Leaf::Index { map: b, adjoint: other }),
        ) if adjoint == other => match if *adjoint { b.after(a)? } else { a.after(b)? } {
            map if map.is_zero() => Some(Fused::Zero),
            map if map.is_identity() => Some(Fused::Identity),
            map => leaf(Leaf::Index { map, adjoint: *adjoint }),
        },
        (Part::Leaf(Leaf::Move(a)), Part::Leaf(Leaf::Move(b))) if a.range == b.domain => {
            Some(Fused::Identity)
        }
        (Part::Leaf(Leaf::Move(a)), Part::Leaf(Leaf::Move(b))) => {
            leaf(Leaf::Move(Devices { domain: b.domain, range: a.range }))
        }
        (Part::Blocks(a), Part::Blocks(b)) => blocks(a, b),
        _ => None,
    }
}

/// The product of bands along one axis.
fn bands(a: &Stencil, b: &Stencil, dtype: DType) -> Option<Fused> {
    let ([(axis, a)], [(other, b)]) = (a.terms(), b.terms()) else { return None };
    if axis != other || width(a).saturating_add(width(b)) >= MOST_FUSED_TAPS {
        return None;
    }
    let band = a.after(b).filter(|band| can_hold(band, dtype))?;
    if band.entries() == 0 {
        return Some(Fused::Zero);
    }
    Some(Fused::One(Part::Leaf(Leaf::Stencil(Stencil::along(*axis, band).ok()?))))
}

/// Samples from the first to the last tap, without the first.
fn width(band: &Band) -> usize {
    let (left, right) = band.reach();
    left.saturating_add(right)
}

/// Whether the entries of a band are numbers of the dtype.
fn can_hold(band: &Band, dtype: DType) -> bool {
    number::taps("product", "", band, dtype).is_ok()
}

/// `Σ Aᵢ Bᵢ` for `[A₀ A₁ …] [B₀; B₁; …]`, and the like where one of both is, or both are, a block diagonal.
fn blocks(a: &Blocks, b: &Blocks) -> Option<Fused> {
    let (outer, inner) = (a.domains.as_ref()?, b.ranges.as_ref()?);
    // Copies are made, so not of much.
    let size: usize = a.parts.iter().chain(&b.parts).map(Normal::size).sum();
    if !Partition::same(outer, inner) || size > MOST_COPIED {
        return None;
    }
    let pairs = a.parts.iter().zip(&b.parts);
    let mut parts: Vec<Normal> = pairs.map(|(a, b)| product(a.clone(), b.clone())).collect();
    let (domains, ranges) = (b.domains.clone(), a.ranges.clone());
    if domains.is_some() || ranges.is_some() {
        return Some(Fused::One(Part::Blocks(Blocks { parts, domains, ranges })));
    }
    let first = parts.remove(0);
    Some(Fused::One(Part::Sum(parts.into_iter().fold(first, sum))))
}

/// Leaves that a rewriting copies at most.
pub(super) const MOST_COPIED: usize = 64;

/// `a + b` as one term, if one pass can do both. Both are of the same spaces.
pub(super) fn added(a: &Term, b: &Term, space: &Space) -> Option<Term> {
    let dtype = space.dtype();
    if same(a, b) {
        let scale = a.scale + b.scale;
        return fits(scale, dtype).then(|| Term { scale, factors: a.factors.clone() });
    }
    if let Some(end) = [End::Outer, End::Inner].into_iter().find(|end| moved_alike(a, b, *end)) {
        return moved(a, b, end);
    }
    let leaf = |leaf| {
        let factor = Factor::new(Part::Leaf(leaf), space.clone(), space.clone());
        Some(Term { scale: ONE, factors: [factor].into() })
    };
    match (stencil(a, dtype), stencil(b, dtype)) {
        (Some(a), Some(b)) => return leaf(Leaf::Stencil(stencils(&a, &b, dtype)?)),
        (Some(a), None) => {
            if let Some(scale) = identity(b) {
                return leaf(Leaf::Stencil(shifted(&a, scale, dtype)?));
            }
        }
        (None, Some(b)) => {
            if let Some(scale) = identity(a) {
                return leaf(Leaf::Stencil(shifted(&b, scale, dtype)?));
            }
        }
        (None, None) => {}
    }
    leaf(Leaf::Pointwise(pointwise(a)?.plus(&pointwise(b)?)?))
}

/// Whether two terms are multiples of the same product of leaves.
fn same(a: &Term, b: &Term) -> bool {
    let pairs = a.factors.iter().zip(&b.factors);
    a.factors.len() == b.factors.len()
        && pairs.into_iter().all(|(a, b)| match (&a.part, &b.part) {
            (Part::Leaf(a), Part::Leaf(b)) => a.same(b),
            _ => false,
        })
}

/// Whether both are moved in the same way, at the one end or the other.
fn moved_alike(a: &Term, b: &Term, end: End) -> bool {
    let of = |term: &Term| match &end.of(&term.factors)?.part {
        Part::Leaf(Leaf::Move(devices)) => Some(*devices),
        _ => None,
    };
    of(a).is_some() && of(a) == of(b)
}

/// The sum of two that are moved in the same way at one end: what is moved is the sum, or what is moved is so for both.
fn moved(a: &Term, b: &Term, end: End) -> Option<Term> {
    let size = |term: &Term| term.factors.iter().map(Factor::size).sum::<usize>();
    if size(a) + size(b) > MOST_COPIED {
        return None;
    }
    let ends = |term: &Term| Some((term.factors.front()?.clone(), term.factors.back()?.clone()));
    let (outermost, innermost) = ends(a)?;
    let (domain, range) = (innermost.domain.clone(), outermost.range.clone());
    let (domain, range, common) = match end {
        End::Outer => (domain, outermost.domain.clone(), outermost),
        End::Inner => (innermost.range.clone(), range, innermost),
    };
    let rest = |term: &Term| {
        let mut rest = term.clone();
        end.take(&mut rest.factors);
        let rest = Normal::of(domain.clone(), range.clone(), rest);
        // A sum that was made so before is added to.
        let one = Term { scale: ONE, factors: [].into() };
        product(Normal::of(range.clone(), range.clone(), one), rest)
    };
    let whole = sum(rest(a), rest(b));
    if whole.terms.is_empty() {
        return Some(Term { scale: ZERO, factors: [].into() });
    }
    let common = Normal::of_part(common.domain, common.range, common.part);
    let mut both = match end {
        End::Outer => product(common, whole),
        End::Inner => product(whole, common),
    };
    if both.terms.len() == 1 { both.terms.pop() } else { None }
}

/// The factor of a multiple of the identity.
fn identity(term: &Term) -> Option<Complex64> {
    term.factors.is_empty().then_some(term.scale)
}

/// A term as an elementwise expression.
fn pointwise(term: &Term) -> Option<Pointwise> {
    if term.factors.is_empty() {
        return Some(Pointwise::identity().scaled(term.scale));
    }
    match leaf(term)? {
        Leaf::Pointwise(factor) => Some(factor.clone().scaled(term.scale)),
        _ => None,
    }
}

/// A term as bands, its scale multiplied in.
fn stencil(term: &Term, dtype: DType) -> Option<Stencil> {
    let Leaf::Stencil(stencil) = leaf(term)? else { return None };
    if term.scale == ONE {
        return Some(stencil.clone());
    }
    let scaled = stencil.terms().iter().map(|(axis, band)| (*axis, band.scaled(term.scale)));
    let scaled: Vec<_> = scaled.collect();
    if !scaled.iter().all(|(_, band)| can_hold(band, dtype)) {
        return None;
    }
    Stencil::new(scaled).ok()
}

fn leaf(term: &Term) -> Option<&Leaf> {
    match term.factors.front()? {
        Factor { part: Part::Leaf(leaf), .. } if term.factors.len() == 1 => Some(leaf),
        _ => None,
    }
}

fn stencils(a: &Stencil, b: &Stencil, dtype: DType) -> Option<Stencil> {
    let sum = Stencil::new(a.terms().iter().chain(b.terms()).cloned()).ok()?;
    sum.terms().iter().all(|(_, band)| can_hold(band, dtype)).then_some(sum)
}

/// Bands and a multiple of the identity: a tap more in every row.
fn shifted(stencil: &Stencil, scale: Complex64, dtype: DType) -> Option<Stencil> {
    let (axis, band) = stencil.terms().first()?;
    let diagonal = Band::uniform_complex(band.len(), [(0, scale)]);
    let diagonal = Stencil::along(*axis, diagonal).ok()?;
    stencils(stencil, &diagonal, dtype)
}

/// A stack of parts.
pub(super) fn stack(
    domain: Space,
    range: Space,
    parts: Vec<Normal>,
    domains: Option<Arc<Partition>>,
    ranges: Option<Arc<Partition>>,
) -> Normal {
    if parts.iter().all(|part| part.terms.is_empty()) {
        return Normal::zero(domain, range);
    }
    Normal::of_part(domain, range, Part::Blocks(Blocks { parts, domains, ranges }))
}
