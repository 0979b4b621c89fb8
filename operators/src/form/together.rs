//! Which steps become one: Fourier transforms that follow each other.

use std::collections::VecDeque;

use arrayspan_bridge::devices::Device;
use arrayspan_kernels::Fourier;

use super::draft::{Draft, OUTPUT};
use super::program::{Act, Leaf};
use super::transforms::Transforms;
use crate::Space;
use crate::number::ONE;

/// The same steps, where transforms that follow each other are one step, if a library may take them as one: `spaces` are those of
/// intermediate results.
pub(super) fn together(drafts: Vec<Draft>, spaces: &[(Space, Option<Device>)]) -> Vec<Draft> {
    if drafts.iter().filter_map(transform).count() < 2 {
        return drafts;
    }
    let mut uses = vec![0_usize; spaces.len()];
    for register in drafts.iter().flat_map(|draft| [&draft.from, &draft.to]) {
        if let Some(number) = register.number.checked_sub(OUTPUT + 1) {
            uses[number] += 1;
        }
    }
    let mut all = Vec::with_capacity(drafts.len());
    let mut left: VecDeque<Draft> = drafts.into();
    while !left.is_empty() {
        let counts = (2..=Fourier::MOST_JOINT.min(left.len())).rev();
        let mut found =
            counts.filter_map(|count| Some((count, joint(&left, count, (spaces, &uses))?)));
        let Some((count, act)) = found.next() else {
            all.extend(left.pop_front());
            continue;
        };
        let mut some = left.drain(..count);
        if let (Some(first), Some(last)) = (some.next(), some.next_back()) {
            all.push(Draft { act, from: first.from, ..last });
        }
    }
    all
}

/// What a step transforms, if that is all it does.
fn transform(draft: &Draft) -> Option<&Fourier> {
    match &draft.act {
        Act::Leaf(Leaf::Fourier(fourier)) => Some(fourier),
        _ => None,
    }
}

/// The first steps, so many, as one, if nothing else reads or writes what is between them.
fn joint(
    drafts: &VecDeque<Draft>,
    count: usize,
    (spaces, uses): (&[(Space, Option<Device>)], &[usize]),
) -> Option<Act> {
    let drafts = drafts.range(..count);
    let all: Vec<Fourier> =
        drafts.clone().map(transform).map(Option::<&_>::copied).collect::<Option<_>>()?;
    let mut between = Vec::with_capacity(count - 1);
    for (before, draft) in drafts.clone().zip(drafts.skip(1)) {
        let number = before.to.number.checked_sub(OUTPUT + 1)?;
        let alone = before.to == draft.from && before.to.path.is_empty() && uses[number] == 2;
        let whole = before.scale == ONE && before.first && before.to.device == draft.to.device;
        if !alone || !whole {
            return None;
        }
        between.push(spaces[number].0.clone());
    }
    let rank = between.first()?.shape().len();
    Fourier::are_joint(&all, rank).then_some(Act::Transforms(Transforms { all, between }))
}
