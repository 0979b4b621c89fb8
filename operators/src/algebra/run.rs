//! Sums and products, carried out term by term and factor by factor, without recursion.

use arrayspan_bridge::{View, ViewMut};
use arrayspan_kernels::Update;
use num_complex::Complex64;

use super::operator::Made;
use super::pair::{Kind, Pair};
use crate::{Context, LinearMap, Operator, Result, Space};

/// Where a step reads or writes.
#[derive(Clone, Copy)]
enum Place<'a> {
    /// In the array that the caller gave.
    Given,
    /// In an array of `space` that begins at this byte of the workspace.
    Scratch { at: usize, space: &'a Space },
}

/// An operator, or its adjoint, still to be applied.
struct Step<'a> {
    operator: &'a Operator,
    adjoint: bool,
    update: Update,
    from: Place<'a>,
    to: Place<'a>,
    /// The first byte of the workspace that it may use itself.
    free: usize,
}

/// `y ← alpha · A x + beta · y`, or with the adjoint. Steps wait on a list, the next one last; what is made of others is
/// replaced by the steps of its parts.
pub(super) fn run(
    operator: &Operator,
    adjoint: bool,
    mut on: Context<'_>,
    x: View<'_>,
    mut y: ViewMut<'_>,
    update: Update,
) -> Result<()> {
    if let Made::Whole(map) = operator.node.made() {
        let update = update.scaled(factor(operator, adjoint));
        return apply(map, adjoint != operator.adjoint, on, x, y, update);
    }
    let (from, to) = (Place::Given, Place::Given);
    let mut steps = vec![Step { operator, adjoint, update, from, to, free: 0 }];
    while let Some(step) = steps.pop() {
        match step.operator.node.made() {
            Made::Whole(map) => step.apply(map, on.reborrow(), x.clone(), y.reborrow())?,
            Made::OfTwo(pair) => match pair.kind() {
                Kind::Sum => step.terms(pair, &mut steps),
                Kind::Product => step.factors(pair, &mut steps),
            },
        }
    }
    Ok(())
}

/// The factor that an operator multiplies an update by.
fn factor(operator: &Operator, adjoint: bool) -> Complex64 {
    if adjoint { operator.factor.conj() } else { operator.factor }
}

fn apply(
    map: &dyn LinearMap,
    adjoint: bool,
    on: Context<'_>,
    x: View<'_>,
    y: ViewMut<'_>,
    update: Update,
) -> Result<()> {
    if adjoint { map.enqueue_adjoint(on, x, y, update) } else { map.enqueue(on, x, y, update) }
}

impl<'a> Step<'a> {
    /// The update with the operator's own factor, and the direction in which what it is a multiple of is applied.
    fn inner(&self) -> (Update, bool) {
        let update = self.update.scaled(factor(self.operator, self.adjoint));
        (update, self.adjoint != self.operator.adjoint)
    }

    /// `A x + B x`: the second term is added where the first one was written.
    fn terms(&self, pair: &'a Pair, steps: &mut Vec<Self>) {
        let (update, adjoint) = self.inner();
        let Self { from, to, free, .. } = *self;
        let updates = [update, update.then_add()];
        let terms = pair.parts().iter().zip(updates);
        let terms =
            terms.map(|(operator, update)| Self { operator, adjoint, update, from, to, free });
        steps.extend(terms.rev());
    }

    /// `A (B x)`, or with more factors where these are products: from one to the next by way of two arrays in the
    /// workspace that take turns.
    fn factors(&self, pair: &'a Pair, steps: &mut Vec<Self>) {
        let factors = self.in_order();
        let (between, slots) = pair.slots();
        let free = self.free + slots * between;
        let mut from = self.from;
        let last = factors.len() - 1;
        let first = steps.len();
        for (k, (operator, adjoint, update)) in factors.into_iter().enumerate() {
            let space = if adjoint { operator.domain() } else { operator.range() };
            let at = self.free + k % 2 * between;
            let to = if k == last { self.to } else { Place::Scratch { at, space } };
            steps.push(Self { operator, adjoint, update, from, to, free });
            from = to;
        }
        steps[first..].reverse();
    }

    /// The factors of a product in the order in which they are applied, each with its direction and update. The factor
    /// of a product within goes to the one of its factors that is applied last.
    fn in_order(&self) -> Vec<(&'a Operator, bool, Update)> {
        let mut ordered = Vec::new();
        let mut left = vec![(self.operator, self.adjoint, self.update)];
        while let Some((operator, adjoint, update)) = left.pop() {
            match operator.node.made() {
                Made::OfTwo(pair) if pair.kind() == Kind::Product => {
                    let inner = adjoint != operator.adjoint;
                    let update = update.scaled(factor(operator, adjoint));
                    let [outer, inside] = pair.parts() else {
                        unreachable!("a pair has two parts")
                    };
                    let (before, after) = if inner { (outer, inside) } else { (inside, outer) };
                    left.push((after, inner, update));
                    left.push((before, inner, Update::set()));
                }
                _ => ordered.push((operator, adjoint, update)),
            }
        }
        ordered
    }

    /// Applies what is not made of others.
    fn apply(
        &self,
        map: &dyn LinearMap,
        on: Context<'_>,
        x: View<'_>,
        y: ViewMut<'_>,
    ) -> Result<()> {
        let (update, adjoint) = self.inner();
        let (mut x, mut y, mut on, mut taken) = (x, y, on, 0);
        let mut places = [(self.from, false), (self.to, true)];
        if let [(Place::Scratch { at: from, .. }, _), (Place::Scratch { at: to, .. }, _)] = places
            && from > to
        {
            places.reverse();
        }
        let mut source = None;
        for (place, written) in places {
            let Place::Scratch { at, space } = place else { continue };
            let (array, rest, bytes) = on.scratch_at(at - taken, space)?;
            taken = at + bytes;
            on = rest;
            if written {
                y = array;
            } else {
                source = Some(array);
            }
        }
        if let Some(source) = &source {
            x = source.view();
        }
        apply(map, adjoint, on.skipping(self.free - taken)?, x, y, update)
    }
}
