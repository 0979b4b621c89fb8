//! Sums, products and multiples of normal forms. Each result is rewritten until no two neighbours can become one.
//!
//! Every rule makes two into one, so rewriting ends after as many steps as there are leaves at most; which two are
//! tried first does not depend on anything but the operator, so the result does not either.

use std::collections::VecDeque;

use num_complex::Complex64;

use super::fuse::{self, Fused};
use super::normal::{Blocks, End, Factor, Normal, Part, Term};
use super::partition::Partition;
use super::pointwise::Pointwise;
use super::program::Leaf;
use crate::Space;
use crate::number::{self, ONE, ZERO, is_movable};

/// How many of the last terms of a sum a new one is tried with. A limit, so that long sums take no quadratic time.
const TRIED: usize = 8;

/// Leaves that a rewriting copies at most.
pub(super) const MOST_COPIED: usize = 64;

/// `factor · a`
pub(super) fn scaled(mut a: Normal, factor: Complex64) -> Normal {
    if factor == ONE {
        return a;
    }
    if factor == ZERO {
        a.terms.clear();
        return a;
    }
    let dtype = a.range.dtype();
    if a.terms.iter().all(|term| number::product(term.scale, factor, dtype).is_some()) {
        a.terms.iter_mut().for_each(|term| term.scale *= factor);
        return a;
    }
    // Two factors whose product is no number of the dtype are applied one after the other.
    let (domain, range) = (a.domain.clone(), a.range.clone());
    let within = Factor::new(Part::Sum(a), domain.clone(), range.clone());
    Normal::of(domain, range, Term { scale: factor, factors: [within].into() })
}

/// `a + b`
pub(super) fn sum(mut a: Normal, mut b: Normal) -> Normal {
    // The shorter one into the longer one.
    if b.terms.len() > a.terms.len() {
        std::mem::swap(&mut a, &mut b);
    }
    for term in std::mem::take(&mut b.terms) {
        add(&mut a, term);
    }
    a
}

/// Adds a term to a sum: to one of its last terms if they can be one, else behind them.
fn add(sum: &mut Normal, term: Term) {
    let mut term = term;
    loop {
        let from = sum.terms.len().saturating_sub(TRIED);
        let tried = sum.terms[from..].iter().enumerate().rev();
        let found = tried
            .into_iter()
            .find_map(|(at, other)| added(other, &term, &sum.domain).map(|both| (from + at, both)));
        let Some((at, both)) = found else { break };
        sum.terms.remove(at);
        if both.scale == ZERO {
            return;
        }
        // Their sum may be combined with a further term that neither of the two could be combined with.
        term = both;
    }
    sum.terms.push(term);
}

/// `a + b` as one term, if one pass can do both. Both are of the same spaces.
fn added(a: &Term, b: &Term, space: &Space) -> Option<Term> {
    let ends = [End::Outer, End::Inner];
    match ends.into_iter().find(|end| moved_alike(a, b, *end)) {
        Some(end) if !fuse::same(a, b) => moved(a, b, end),
        _ => fuse::added(a, b, space),
    }
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

/// `outer · inner`
pub(super) fn product(outer: Normal, inner: Normal) -> Normal {
    let (domain, range) = (inner.domain.clone(), outer.range.clone());
    if outer.terms.is_empty() || inner.terms.is_empty() {
        return Normal::zero(domain, range);
    }
    let chain = concatenated(as_term(outer), as_term(inner), &range);
    let Some(mut term) = chain else { return Normal::zero(domain, range) };
    // A multiple of a sum is the sum of the multiples.
    if term.factors.len() == 1
        && let Some(Factor { part: Part::Sum(sum), .. }) = term.factors.front_mut()
    {
        let within = Normal::zero(domain.clone(), range.clone());
        return scaled(std::mem::replace(sum, within), term.scale);
    }
    Normal::of(domain, range, term)
}

/// A sum as one term.
fn as_term(mut normal: Normal) -> Term {
    if normal.terms.len() == 1 {
        // Cannot fail: there is one.
        return normal.terms.remove(0);
    }
    let (domain, range) = (normal.domain.clone(), normal.range.clone());
    let factor = Factor::new(Part::Sum(normal), domain, range);
    Term { scale: ONE, factors: [factor].into() }
}

/// The factors of one term behind those of another; `None` if the product is zero.
fn concatenated(mut outer: Term, mut inner: Term, range: &Space) -> Option<Term> {
    let mut scale = outer.scale * inner.scale;
    let fits = number::product(outer.scale, inner.scale, range.dtype()).is_some();
    // A complex factor stays where it is unless it commutes with what is applied after it.
    let commutes = inner.scale.im == 0.0 || outer.is_complex_linear();
    // So does a factor far from 1 before weights, which may be far from 1 as well: without the factor, what they multiply
    // might overflow. It is multiplied into the weights.
    let weights = match outer.factors.back() {
        Some(Factor { part: Part::Leaf(Leaf::Pointwise(weights)), .. }) => weights.read().0 > 0,
        _ => false,
    };
    let stays = weights && !is_movable(inner.scale);
    if !fits || !commutes || stays {
        // Applied one after the other. Without factors the outer one is a multiple of the identity of the range.
        let space = outer.factors.back().map_or(range, |factor| &factor.domain).clone();
        scale = outer.scale;
        let constant = Leaf::Pointwise(Pointwise::constant(inner.scale));
        let constant = Factor::new(Part::Leaf(constant), space.clone(), space);
        inner.factors.push_front(constant);
    }
    let mut chain = Chain { scale, factors: VecDeque::new() };
    // The shorter one to the longer one.
    if outer.factors.len() >= inner.factors.len() {
        chain.factors = outer.factors;
        inner.factors.into_iter().try_for_each(|factor| chain.push(factor, End::Inner))?;
    } else {
        chain.factors = std::mem::take(&mut inner.factors);
        let outer = std::mem::take(&mut outer.factors);
        outer.into_iter().rev().try_for_each(|factor| chain.push(factor, End::Outer))?;
    }
    Some(Term { scale: chain.scale, factors: chain.factors })
}

/// `outer · inner` as one factor, if that is better than two.
fn fused(outer: &Factor, inner: &Factor) -> Option<Fused> {
    match (&outer.part, &inner.part) {
        (Part::Blocks(outer), Part::Blocks(inner)) => blocks(outer, inner),
        _ => fuse::fused(outer, inner),
    }
}

/// `Σ Aᵢ Bᵢ` for `[A₀ A₁ …] [B₀; B₁; …]`, and the like where one of both is, or both are, a block diagonal.
fn blocks(a: &Blocks, b: &Blocks) -> Option<Fused> {
    let (outer, inner) = (a.domains.as_ref()?, b.ranges.as_ref()?);
    // The parts are copied, so only small ones.
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

/// A product that grows at one of its ends.
struct Chain {
    scale: Complex64,
    factors: VecDeque<Factor>,
}

impl Chain {
    /// Adds a factor, which becomes one with its neighbour as often as it can; `None` if the product is zero.
    fn push(&mut self, factor: Factor, end: End) -> Option<()> {
        let mut factor = factor;
        loop {
            let both = end.of(&self.factors).and_then(|neighbour| match end {
                End::Inner => fused(neighbour, &factor),
                End::Outer => fused(&factor, neighbour),
            });
            match both {
                None => break,
                Some(Fused::Zero) => return None,
                Some(Fused::Identity) => {
                    end.take(&mut self.factors);
                    return Some(());
                }
                Some(Fused::One(part)) => {
                    let neighbour = end.take(&mut self.factors)?;
                    let (domain, range) = match end {
                        End::Inner => (factor.domain, neighbour.range),
                        End::Outer => (neighbour.domain, factor.range),
                    };
                    factor = match self.unwrapped(part, domain, range, end)? {
                        Some(factor) => factor,
                        None => return Some(()),
                    };
                }
            }
        }
        match end {
            End::Inner => self.factors.push_back(factor),
            End::Outer => self.factors.push_front(factor),
        }
        Some(())
    }

    /// A part as a factor. A sum of one term with one factor or none becomes that one, if its scale may go to that of
    /// the chain; `None` for zero, and `Some(None)` if no factor is left.
    #[allow(clippy::option_option, reason = "zero and the identity are two things")]
    fn unwrapped(
        &mut self,
        part: Part,
        domain: Space,
        range: Space,
        end: End,
    ) -> Option<Option<Factor>> {
        let dtype = range.dtype();
        let commutes = |scale: Complex64| {
            let outermost = end == End::Outer || self.factors.is_empty();
            outermost || scale.im == 0.0 || self.factors.iter().all(|factor| factor.linear)
        };
        let part = match part {
            Part::Sum(sum) if sum.terms.is_empty() => return None,
            Part::Sum(mut sum)
                if sum.terms.len() == 1
                    && sum.terms[0].factors.len() < 2
                    && number::product(self.scale, sum.terms[0].scale, dtype).is_some()
                    && commutes(sum.terms[0].scale) =>
            {
                let mut term = sum.terms.remove(0);
                self.scale *= term.scale;
                return Some(term.factors.pop_front());
            }
            part => part,
        };
        Some(Some(Factor::new(part, domain, range)))
    }
}
