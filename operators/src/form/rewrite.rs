//! Sums, products and multiples of normal forms. Each result is rewritten until no two neighbours can become one.
//!
//! Every rule makes two into one, so rewriting ends after as many steps as there are leaves at most; which two are
//! tried first does not depend on anything but the operator, so the result does not either.

use std::collections::VecDeque;

use arrayspan_bridge::DType;
use arrayspan_kernels::{Fit, fit};
use num_complex::Complex64;

use super::fuse::{Fused, added, fused};
use super::leaf::Leaf;
use super::normal::{Factor, Normal, Part, Term};
use super::pointwise::Pointwise;
use crate::Space;

/// How many of the last terms of a sum a new one is tried with. A limit, so that long sums take no quadratic time.
const TRIED: usize = 8;

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
    if a.terms.iter().all(|term| fits(term.scale * factor, dtype)) {
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
        // It may go with one that neither of both went with.
        term = both;
    }
    sum.terms.push(term);
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
    // A complex factor stays where it is unless it commutes with what is applied after it.
    let commutes = inner.scale.im == 0.0 || outer.is_complex_linear();
    if !fits(scale, range.dtype()) || !commutes {
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

/// A product that grows at one of its ends.
struct Chain {
    scale: Complex64,
    factors: VecDeque<Factor>,
}

/// An end of a product.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum End {
    Outer,
    Inner,
}

impl End {
    /// The factor there.
    pub(super) fn of(self, factors: &VecDeque<Factor>) -> Option<&Factor> {
        match self {
            Self::Inner => factors.back(),
            Self::Outer => factors.front(),
        }
    }

    /// Takes the factor there.
    pub(super) fn take(self, factors: &mut VecDeque<Factor>) -> Option<Factor> {
        match self {
            Self::Inner => factors.pop_back(),
            Self::Outer => factors.pop_front(),
        }
    }
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
                    && fits(self.scale * sum.terms[0].scale, dtype)
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

/// Whether a factor is zero or a normal number of the dtype.
pub(super) fn fits(factor: Complex64, dtype: DType) -> bool {
    fit(factor, dtype) == Fit::Held
}

pub(super) const ONE: Complex64 = Complex64::new(1.0, 0.0);
pub(super) const ZERO: Complex64 = Complex64::new(0.0, 0.0);
