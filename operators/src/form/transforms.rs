//! Fourier transforms along several axes, one after the other, as one step.

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{View, ViewMut};
use arrayspan_kernels::{Cost, Fourier, Update};

use super::draft::{Draft, OUTPUT};
use super::program::{Act, Leaf};
use crate::number::ONE;
use crate::{Context, Result, Space, scratch_bytes};

/// The most axes that the verb takes.
const MOST: usize = 3;

/// Two or three transforms along axes of their own, and the spaces between them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Transforms {
    all: Vec<Fourier>,
    between: Vec<Space>,
}

impl Transforms {
    /// One after the other.
    pub(super) fn all(&self) -> &[Fourier] {
        &self.all
    }

    /// The bytes of the arrays between them.
    pub(super) fn bytes(&self) -> usize {
        self.between.iter().map(scratch_bytes).fold(0, usize::saturating_add)
    }

    /// What they cost, of an array of that space.
    pub(super) fn cost(&self, from: &Space, to: &Space) -> Option<Cost> {
        let spaces = std::iter::once(from).chain(&self.between);
        let mut cost = Cost::default();
        for (fourier, space) in self.all.iter().zip(spaces) {
            cost += fourier.cost(space.shape(), to.dtype()).ok()?;
        }
        Some(cost)
    }

    /// Enqueues them.
    pub(super) fn run(
        &self,
        on: Context<'_>,
        x: View<'_>,
        y: ViewMut<'_>,
        update: Update<'_>,
    ) -> Result<()> {
        let mut on = on;
        let mut arrays = [const { None }; MOST - 1];
        for (array, space) in arrays.iter_mut().zip(&self.between) {
            let (between, rest) = on.scratch(space)?;
            (*array, on) = (Some(between), rest);
        }
        Ok(on.fft_axes(&self.all, x, arrays.into_iter().flatten(), y, update)?)
    }
}

/// The same steps, where transforms that follow each other are one step: `spaces` are those of intermediate results.
pub(super) fn together(drafts: Vec<Draft>, spaces: &[(Space, Option<Device>)]) -> Vec<Draft> {
    let is_one = |draft: &Draft| matches!(draft.act, Act::Leaf(Leaf::Fourier(_)));
    if drafts.iter().filter(|draft| is_one(draft)).count() < 2 {
        return drafts;
    }
    let mut uses = vec![0_usize; spaces.len()];
    for register in drafts.iter().flat_map(|draft| [&draft.from, &draft.to]) {
        if let Some(number) = register.number.checked_sub(OUTPUT + 1) {
            uses[number] += 1;
        }
    }
    let mut all: Vec<Draft> = Vec::with_capacity(drafts.len());
    for draft in drafts {
        let joined = all.last().and_then(|before| joined(before, &draft, spaces, &uses));
        match (joined, all.last_mut()) {
            (Some(act), Some(before)) => {
                let from = before.from.clone();
                *before = Draft { act, from, ..draft };
            }
            _ => all.push(draft),
        }
    }
    all
}

/// Both as one, if nothing else reads or writes what is between them.
fn joined(
    before: &Draft,
    draft: &Draft,
    spaces: &[(Space, Option<Device>)],
    uses: &[usize],
) -> Option<Act> {
    let Act::Leaf(Leaf::Fourier(last)) = &draft.act else { return None };
    let Transforms { mut all, mut between } = match &before.act {
        Act::Leaf(Leaf::Fourier(first)) => Transforms { all: vec![*first], between: Vec::new() },
        Act::Transforms(transforms) => transforms.clone(),
        _ => return None,
    };
    let number = before.to.number.checked_sub(OUTPUT + 1)?;
    let alone = before.to == draft.from && before.to.path.is_empty() && uses[number] == 2;
    let whole = before.scale == ONE && before.first && before.to.device == draft.to.device;
    let other = all.iter().all(|fourier| fourier.axis() != last.axis());
    if !alone || !whole || !other || all.len() == MOST {
        return None;
    }
    all.push(*last);
    between.push(spaces[number].0.clone());
    Some(Act::Transforms(Transforms { all, between }))
}
