//! Which two leaves of an operator become one.

use arrayspan_bridge::DType;
use arrayspan_kernels::{Band, Stencil};
use num_complex::Complex64;

use super::gathered;
use super::normal::{Factor, Normal, Part, Term};
use super::pointwise::Pointwise;
use super::program::Leaf;
use crate::number::{ONE, ZERO, fits};
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

/// `outer · inner` as one factor, if both are leaves and that is better than two.
pub(super) fn fused(outer: &Factor, inner: &Factor) -> Option<Fused> {
    let leaf = |leaf| Some(Fused::One(Part::Leaf(leaf)));
    match (&outer.part, &inner.part) {
        (Part::Leaf(Leaf::Pointwise(a)), Part::Leaf(Leaf::Pointwise(b)))
            if a.is_conjugation() && b.is_conjugation() =>
        {
            Some(Fused::Identity)
        }
        (Part::Leaf(Leaf::Pointwise(a)), Part::Leaf(Leaf::Pointwise(b)))
            if !inner.domain.dtype().is_complex() && a.part_of(b).is_some() =>
        {
            Some(if a.part_of(b)? { Fused::Identity } else { Fused::Zero })
        }
        (Part::Leaf(Leaf::Pointwise(a)), Part::Leaf(Leaf::Pointwise(b))) => {
            let real = !outer.range.dtype().is_complex() && !inner.domain.dtype().is_complex();
            let whole = a.after(b).filter(|whole| !real || whole.is_of_real_arrays())?;
            leaf(Leaf::Pointwise(whole))
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
        (Part::Leaf(Leaf::Fourier(a)), Part::Leaf(Leaf::Fourier(b))) => {
            let scale = b.cancels(a).filter(|scale| fits((*scale).into(), outer.range.dtype()))?;
            let term = Term { scale: scale.into(), factors: [].into() };
            let (domain, range) = (inner.domain.clone(), outer.range.clone());
            Some(match scale {
                1.0 => Fused::Identity,
                _ => Fused::One(Part::Sum(Normal::of(domain, range, term))),
            })
        }
        _ => match gathered::product(outer, inner)? {
            gather if gather.is_zero() => Some(Fused::Zero),
            gather if gather.is_identity() => Some(Fused::Identity),
            gather => leaf(Leaf::Gather(gather)),
        },
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

/// `a + b` as one term, if both are the same product of leaves or one pass can do both. Both are of the same spaces, of
/// which `space` is the domain.
pub(super) fn added(a: &Term, b: &Term, space: &Space) -> Option<Term> {
    let dtype = space.dtype();
    if same(a, b) {
        let scale = a.scale + b.scale;
        return fits(scale, dtype).then(|| Term { scale, factors: a.factors.clone() });
    }
    if let Some(gather) = gathered::sum(a, b) {
        // Nothing is left of two that cancel.
        let scale = if gather.is_zero() { ZERO } else { ONE };
        let (domain, range) = (&a.factors.back()?.domain, &a.factors.front()?.range);
        let factor = Part::Leaf(Leaf::Gather(gather));
        let factor = Factor::new(factor, domain.clone(), range.clone());
        return Some(Term { scale, factors: [factor].into() });
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
    let sum = pointwise(a)?.plus(&pointwise(b)?)?;
    // Real and imaginary parts are in another space.
    let range = a.factors.front().map_or(space, |factor| &factor.range);
    let factor = Factor::new(Part::Leaf(Leaf::Pointwise(sum)), space.clone(), range.clone());
    Some(Term { scale: ONE, factors: [factor].into() })
}

/// Whether two terms are multiples of the same product of leaves.
pub(super) fn same(a: &Term, b: &Term) -> bool {
    let pairs = a.factors.iter().zip(&b.factors);
    a.factors.len() == b.factors.len()
        && pairs.into_iter().all(|(a, b)| match (&a.part, &b.part) {
            (Part::Leaf(a), Part::Leaf(b)) => a.same(b),
            _ => false,
        })
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
