//! Where steps become passes: sums, and products of weights and bands.

use arrayspan_bridge::DType;
use num_complex::Complex64;

use super::collect;
use super::emitter::{Emitter, Task, What};
use super::normal::{Blocks, Factor};
use super::pass::passes;
use super::summand::Summand;
use crate::Space;
use crate::number::ONE;

/// What is added to a sum.
pub(super) enum Addend<T> {
    /// By steps of its own.
    Own(T),
    /// A pass, by its number, and its factor.
    Pass(usize, Complex64),
}

impl<T> Addend<T> {
    /// Intermediate results that live at once while it runs.
    pub(super) fn need(&self, of: impl Fn(&T) -> usize) -> usize {
        match self {
            Self::Own(own) => of(own),
            Self::Pass(..) => 0,
        }
    }
}

impl<'a> Emitter<'a> {
    /// What is added to a sum in `space`, times `scale`: those that are summands in as few passes as they take, the others by
    /// themselves.
    pub(super) fn addends<T>(
        &mut self,
        given: Vec<(Option<Vec<Summand>>, T)>,
        space: &Space,
        scale: Complex64,
    ) -> Vec<Addend<T>> {
        let summands: Vec<Summand> = given
            .iter()
            .filter_map(|(summands, _)| summands.as_deref())
            .flatten()
            .cloned()
            .collect();
        let worth = collect::is_worthwhile(&summands);
        let passes = if worth { passes(&summands, space, scale) } else { None };
        let fused = passes.is_some();
        let own = given.into_iter().filter(|(summands, _)| !fused || summands.is_none());
        let mut addends: Vec<Addend<T>> = own.map(|(_, own)| Addend::Own(own)).collect();
        for (pass, scale) in passes.into_iter().flatten() {
            addends.push(Addend::Pass(self.passes.len(), scale));
            self.passes.push(pass);
        }
        addends
    }

    /// Parts that add up.
    pub(super) fn added(&mut self, blocks: &'a Blocks, task: &Task<'a>) {
        let Some(space) = blocks.parts.first().map(|part| &part.range) else { return };
        let parts = blocks.parts.iter().enumerate().map(|(at, part)| {
            let slice = blocks.domains.as_ref().map(|domains| &domains.slices()[at]);
            (collect::of_part(part, slice), (part, slice))
        });
        let mut order = self.addends(parts.collect(), space, task.scale);
        order.sort_by_key(|addend| std::cmp::Reverse(addend.need(|(part, _)| part.need())));
        let tasks = order.into_iter().enumerate().map(|(turn, addend)| {
            let (what, scale, slice) = match addend {
                Addend::Own((part, slice)) => (What::Normal(part), task.scale, slice),
                Addend::Pass(number, scale) => (What::Pass(number), scale, None),
            };
            let (from, to) = (task.from.part(slice), task.to.clone());
            Task { what, scale, from, to, first: task.first && turn == 0 }
        });
        let tasks: Vec<_> = tasks.collect();
        self.tasks.extend(tasks.into_iter().rev());
    }

    /// The first of these factors of a product (the one that is applied first comes first) that one pass does, how many
    /// they are, and the factor of the pass: `scale` is that of the whole product, for the last of them.
    pub(super) fn fused<'f, F>(
        &mut self,
        factors: impl Fn() -> F,
        scale: Complex64,
        dtype: DType,
    ) -> Option<(What<'a>, usize, Complex64)>
    where
        F: ExactSizeIterator<Item = &'f Factor>,
    {
        let (summands, count) = collect::of_factors(factors(), dtype)?;
        if !collect::is_worthwhile(&summands) {
            return None;
        }
        let space = &factors().nth(count - 1)?.range;
        let outer = if count == factors().len() { scale } else { ONE };
        let mut all = passes(&summands, space, outer)?;
        let (pass, left) = all.pop().filter(|_| all.is_empty())?;
        self.passes.push(pass);
        Some((What::Pass(self.passes.len() - 1), count, left))
    }
}
