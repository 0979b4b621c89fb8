//! The normal form of an operator: a sum of products of leaves, sums and blocks.

use std::collections::VecDeque;
use std::sync::Arc;

use arrayspan_bridge::devices::Device;
use num_complex::Complex64;

use super::partition::Partition;
use super::program::Leaf;
use crate::Space;

/// A sum of products. Without terms it is zero.
#[derive(Debug)]
pub(crate) struct Normal {
    pub(crate) domain: Space,
    pub(crate) range: Space,
    pub(crate) terms: Vec<Term>,
}

/// A multiple of a product. Without factors it is a multiple of the identity.
#[derive(Clone, Debug)]
pub(crate) struct Term {
    pub(crate) scale: Complex64,
    /// The first one is applied last.
    pub(crate) factors: VecDeque<Factor>,
}

/// One factor of a product.
#[derive(Clone, Debug)]
pub(crate) struct Factor {
    pub(crate) part: Part,
    pub(crate) domain: Space,
    pub(crate) range: Space,
    /// Intermediate results that live at once while it runs.
    pub(crate) need: usize,
    /// Where it writes, if that may be another device than where it reads.
    pub(crate) to: Option<Device>,
    /// Whether complex factors commute with it.
    pub(crate) linear: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum Part {
    Leaf(Leaf),
    Sum(Normal),
    Blocks(Blocks),
}

/// Operators that share a model or add up to data, or neither.
#[derive(Clone, Debug)]
pub(crate) struct Blocks {
    pub(crate) parts: Vec<Normal>,
    /// How the domain is divided among the parts; all have the whole of it if it is not.
    pub(crate) domains: Option<Arc<Partition>>,
    /// How the range is divided among the parts; they are added up if it is not.
    pub(crate) ranges: Option<Arc<Partition>>,
}

/// An end of a product.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum End {
    Outer,
    Inner,
}

impl Normal {
    pub(crate) fn zero(domain: Space, range: Space) -> Self {
        Self { domain, range, terms: Vec::new() }
    }

    pub(crate) fn of(domain: Space, range: Space, term: Term) -> Self {
        Self { domain, range, terms: vec![term] }
    }

    /// A sum of nothing but this part.
    pub(crate) fn of_part(domain: Space, range: Space, part: Part) -> Self {
        let factor = Factor::new(part, domain.clone(), range.clone());
        Self::of(domain, range, Term { scale: 1.0.into(), factors: [factor].into() })
    }

    /// Leaves, and terms without any, on all levels.
    pub(crate) fn size(&self) -> usize {
        size(vec![self])
    }

    /// Whether it is on several devices.
    pub(crate) fn moves(&self) -> bool {
        self.terms.iter().any(|term| term.to().is_some())
    }

    /// Where it writes, if that may be another device than where it reads.
    fn to(&self) -> Option<Device> {
        self.terms.iter().find_map(Term::to)
    }

    /// Whether complex factors commute with it.
    pub(crate) fn is_complex_linear(&self) -> bool {
        self.terms.iter().all(Term::is_complex_linear)
    }

    /// Intermediate results that live at once while it runs.
    pub(crate) fn need(&self) -> usize {
        self.terms.iter().map(Term::need).max().unwrap_or(0)
    }
}

impl Term {
    /// Whether complex factors commute with all of its factors.
    pub(crate) fn is_complex_linear(&self) -> bool {
        self.factors.iter().all(|factor| factor.linear)
    }

    /// Where it writes, if that may be another device than where it reads.
    fn to(&self) -> Option<Device> {
        self.factors.iter().find_map(|factor| factor.to)
    }

    /// What its factors need, and the results before and behind each of them.
    pub(crate) fn need(&self) -> usize {
        let last = self.factors.len().saturating_sub(1);
        let needs = self.factors.iter().enumerate();
        let needs =
            needs.map(|(at, factor)| factor.need + usize::from(at > 0) + usize::from(at < last));
        needs.max().unwrap_or(0)
    }
}

impl Factor {
    pub(crate) fn new(part: Part, domain: Space, range: Space) -> Self {
        let need = match &part {
            Part::Leaf(leaf) => leaf.need(),
            Part::Sum(sum) => sum.need(),
            Part::Blocks(blocks) => blocks.parts.iter().map(Normal::need).max().unwrap_or(0),
        };
        let to = match &part {
            Part::Leaf(leaf) => leaf.devices().map(|devices| devices.range),
            Part::Sum(sum) => sum.to(),
            Part::Blocks(blocks) => blocks.parts.iter().find_map(Normal::to),
        };
        let linear = match &part {
            Part::Leaf(leaf) => leaf.is_complex_linear(),
            Part::Sum(sum) => sum.is_complex_linear(),
            Part::Blocks(blocks) => blocks.parts.iter().all(Normal::is_complex_linear),
        };
        Self { part, domain, range, need, to, linear }
    }

    /// Its leaves, on all levels.
    pub(crate) fn size(&self) -> usize {
        match &self.part {
            Part::Leaf(_) => 1,
            Part::Sum(sum) => size(vec![sum]),
            Part::Blocks(blocks) => size(blocks.parts.iter().collect()),
        }
    }
}

/// Leaves of all, and terms without any, on all levels.
fn size(mut left: Vec<&Normal>) -> usize {
    let mut count = 0;
    while let Some(normal) = left.pop() {
        for term in &normal.terms {
            count += usize::from(term.factors.is_empty());
            for factor in &term.factors {
                match &factor.part {
                    Part::Leaf(_) => count += 1,
                    Part::Sum(sum) => left.push(sum),
                    Part::Blocks(blocks) => left.extend(&blocks.parts),
                }
            }
        }
    }
    count
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

/// Only small ones are copied, so this may recurse.
impl Clone for Normal {
    fn clone(&self) -> Self {
        Self { domain: self.domain.clone(), range: self.range.clone(), terms: self.terms.clone() }
    }
}

/// Takes it apart from the top: dropping a part within the drop of another would take a stack as deep as it is.
impl Drop for Normal {
    fn drop(&mut self) {
        let mut left = std::mem::take(&mut self.terms);
        while let Some(term) = left.pop() {
            for factor in term.factors {
                match factor.part {
                    Part::Leaf(_) => {}
                    Part::Sum(mut sum) => left.append(&mut sum.terms),
                    Part::Blocks(blocks) => {
                        for mut part in blocks.parts {
                            left.append(&mut part.terms);
                        }
                    }
                }
            }
        }
    }
}
