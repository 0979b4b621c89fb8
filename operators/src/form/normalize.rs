//! From operators as they were written to their normal form, from the leaves up and without recursion.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::Orientation;
use super::leaf::Form;
use super::normal::{Blocks, Normal, Part, Term};
use super::program::Leaf;
use super::rewrite::{MOST_COPIED, product, scaled, sum};
use crate::algebra::{Kind, Node};
use crate::number::ONE;

/// An operator that is part of the one in question, in an orientation.
struct Visit<'a> {
    node: &'a Node,
    orientation: Orientation,
    /// Its parts, as places in the list of all.
    parts: Vec<usize>,
    /// How many others it is a part of.
    uses: usize,
    normal: Option<Normal>,
}

/// The normal form of an operator in an orientation.
///
/// What is part of several others is copied where it is small. Where it is large it is compiled by itself, and called:
/// `a` times `a`, times that times itself, and so on, takes as much memory as there are steps, not factors.
pub(crate) fn normalize(node: &Node, orientation: Orientation) -> Normal {
    let (mut visits, order) = discover(node, orientation);
    for at in order {
        let Visit { node, orientation, ref parts, uses, .. } = visits[at];
        let parts: Vec<Normal> =
            parts.clone().into_iter().map(|part| take(&mut visits[part])).collect();
        let mut normal = combined(node, orientation, parts);
        if uses > 1 && normal.size() > MOST_COPIED {
            let program = node.program_of(orientation, &normal);
            let (domain, range) = (normal.domain.clone(), normal.range.clone());
            normal = Normal::of_part(domain, range, Part::Leaf(Leaf::Call(program)));
        }
        visits[at].normal = Some(normal);
    }
    take(&mut visits[0])
}

/// The normal form of a part, which is given away with its last use.
fn take(visit: &mut Visit<'_>) -> Normal {
    visit.uses = visit.uses.saturating_sub(1);
    let normal = if visit.uses == 0 { visit.normal.take() } else { visit.normal.clone() };
    normal.unwrap_or_else(|| unreachable!("parts come before the whole"))
}

/// All parts of parts, each once, and an order in which parts come before the whole. The operator itself is the first.
fn discover(node: &Node, orientation: Orientation) -> (Vec<Visit<'_>>, Vec<usize>) {
    let visit =
        |node, orientation| Visit { node, orientation, parts: Vec::new(), uses: 1, normal: None };
    let mut visits = vec![visit(node, orientation)];
    let key = |node: &Node, orientation| (std::ptr::from_ref(node), orientation);
    let mut places = HashMap::from([(key(node, orientation), 0)]);
    let mut order = Vec::new();
    // A place, and which of its parts is next.
    let mut path = vec![(0, 0)];
    while let Some((at, next)) = path.pop() {
        let Visit { node, orientation, .. } = visits[at];
        let Some(part) = node.parts().get(next) else {
            order.push(at);
            continue;
        };
        path.push((at, next + 1));
        let inner = orientation.of(part.orientation());
        let place = match places.entry(key(part.node(), inner)) {
            Entry::Occupied(there) => {
                let place = *there.get();
                visits[place].uses += 1;
                place
            }
            Entry::Vacant(free) => {
                let place = *free.insert(visits.len());
                visits.push(visit(part.node(), inner));
                path.push((place, 0));
                place
            }
        };
        visits[at].parts.push(place);
    }
    (visits, order)
}

/// An operator, given the normal forms of its parts in the orientation that they are needed in.
fn combined(node: &Node, orientation: Orientation, parts: Vec<Normal>) -> Normal {
    let factors = node.parts().iter().map(|part| orientation.factor(part.factor()));
    let mut parts = parts.into_iter().zip(factors).map(|(part, factor)| scaled(part, factor));
    let (domain, range) = node.spaces(orientation.adjoint);
    match node.kind() {
        Kind::Form(form) => of_form(form, orientation, node),
        // It has one part.
        Kind::Named => parts.next().unwrap_or_else(|| Normal::zero(domain.clone(), range.clone())),
        Kind::Sum => {
            let zero = Normal::zero(domain.clone(), range.clone());
            parts.fold(zero, sum)
        }
        Kind::Product => {
            let one = |space: &crate::Space| {
                let term = Term { scale: ONE, factors: [].into() };
                Normal::of(space.clone(), space.clone(), term)
            };
            if orientation.adjoint {
                parts.fold(one(domain), |inner, outer| product(outer, inner))
            } else {
                parts.fold(one(range), product)
            }
        }
        Kind::Blocks { domains, ranges } => {
            let (mut domains, mut ranges) = (domains.clone(), ranges.clone());
            if orientation.adjoint {
                std::mem::swap(&mut domains, &mut ranges);
            }
            let parts: Vec<Normal> = parts.collect();
            if parts.iter().all(|part| part.terms.is_empty()) {
                return Normal::zero(domain.clone(), range.clone());
            }
            let blocks = Blocks { parts, domains, ranges };
            Normal::of_part(domain.clone(), range.clone(), Part::Blocks(blocks))
        }
    }
}

fn of_form(form: &Form, orientation: Orientation, node: &Node) -> Normal {
    let (domain, range) = node.spaces(orientation.adjoint);
    let zero = || Normal::zero(domain.clone(), range.clone());
    let identity = || {
        let term = Term { scale: ONE, factors: [].into() };
        Normal::of(domain.clone(), range.clone(), term)
    };
    if matches!(form, Form::Zero) {
        return zero();
    }
    // An opaque operator may have one real and one complex space.
    let complex = domain.dtype().is_complex() || range.dtype().is_complex();
    match Leaf::of(form, orientation, complex) {
        None => identity(),
        Some(Leaf::Index { map, .. }) if map.is_zero() => zero(),
        Some(Leaf::Index { map, .. }) if map.is_identity() => identity(),
        Some(Leaf::Gather(gather)) if gather.is_zero() => zero(),
        Some(Leaf::Gather(gather)) if gather.is_identity() => identity(),
        Some(leaf) => Normal::of_part(domain.clone(), range.clone(), Part::Leaf(leaf)),
    }
}
