//! Which steps become one: Fourier transforms that follow each other.

use arrayspan_bridge::devices::Device;

use super::draft::{Draft, OUTPUT};
use super::program::{Act, Leaf};
use super::transforms::{MOST, Transforms};
use crate::Space;
use crate::number::ONE;

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
