//! Maps of two boxes that read the same elements, such as mirror images: both are done in one pass.

use arrayspan_bridge::{Relayout, View, ViewMut};
use arrayspan_kernels::{Executor, Update, input};

use super::{BoxSource, IndexBox, IndexMap};
use crate::Result;

/// Two boxes of one extent that read the same elements, and what one of them read beside these.
#[derive(Debug)]
pub(super) struct Pair {
    pub(super) rest: Option<IndexBox>,
    pub(super) one: IndexBox,
    other: IndexBox,
    /// The output axes along which the two read in opposite directions.
    turned: Vec<usize>,
    /// An output axis along which one lies before the other, and where the later begins.
    apart: (usize, usize),
}

impl IndexMap {
    /// The two boxes, if there are no more, one reads all of the input, and the other all of it but some indices at one end of
    /// one axis.
    pub(super) fn pair(&self) -> Option<Pair> {
        let mut boxes = self.boxes();
        let both = [boxes.next()?, boxes.next()?];
        if boxes.next().is_some() {
            return None;
        }
        let all = both.iter().position(|found| self.is_covered(found))?;
        let [one, other] = [both[all].clone(), both[1 - all].clone()];
        let (source, of_other) = (one.source.as_ref()?, other.source.as_ref()?);
        if source.repeats(&one.extent) || of_other.repeats(&other.extent) {
            return None;
        }
        let mut turned = Vec::new();
        // The output axis along which the other has less, and what it reads there.
        let mut less = None;
        for (output, (along, along_other)) in source.along.iter().zip(&of_other.along).enumerate() {
            let Some((axis, step)) = *along else { continue };
            let (of, step_other) = along_other.unwrap_or((axis, step));
            if of != axis || step.abs() != 1 || step_other.abs() != 1 {
                return None;
            }
            let len = other.extent[output];
            let shorter = len < one.extent[output];
            if shorter && less.replace((output, of_other.low(axis, step_other, len), len)).is_some()
            {
                return None;
            }
            if step != step_other {
                turned.push(output);
            }
        }
        let (mut one, mut rest) = (one, None);
        if let Some((output, low, len)) = less {
            let all = one.extent[output];
            let end = match (low, low + len == all) {
                (0, _) => (len, all - len),
                (_, true) => (0, low),
                _ => return None,
            };
            rest = Some(one.cut(output, end));
            one = one.cut(output, (low, len));
        }
        let before = |a: &IndexBox, b: &IndexBox, axis: usize| {
            a.start[axis] + a.extent[axis] <= b.start[axis]
        };
        let later = |axis: usize| match (before(&one, &other, axis), before(&other, &one, axis)) {
            (true, _) => Some((axis, other.start[axis])),
            (_, true) => Some((axis, one.start[axis])),
            _ => None,
        };
        let apart = (0..one.start.len()).find_map(later)?;
        (one.extent == other.extent).then_some(Pair { rest, one, other, turned, apart })
    }
}

impl BoxSource {
    /// The lowest of `len` indices that are read along an input axis with this step.
    fn low(&self, axis: usize, step: isize, len: usize) -> usize {
        if step < 0 { self.first[axis] - (len - 1) } else { self.first[axis] }
    }
}

impl IndexBox {
    /// The part of it that reads `len` indices from `low` on along the input axis that it reads, step by step, along an output
    /// axis.
    fn cut(&self, output: usize, (low, len): (usize, usize)) -> Self {
        let mut part = self.clone();
        let Some(source) = &mut part.source else { return part };
        let Some((axis, step)) = source.along[output] else { return part };
        let first = if step < 0 { low + len - 1 } else { low };
        part.start[output] += first.abs_diff(source.first[axis]);
        part.extent[output] = len;
        source.first[axis] = first;
        part
    }
}

impl Pair {
    /// `y ← x` for both boxes, of which the input is read once. Enqueued; does not wait.
    pub(super) fn set(&self, on: &dyn Executor, x: View<'_>, y: ViewMut<'_>) -> Result<()> {
        let Self { one, other, apart: (axis, at), .. } = self;
        let Some(source) = &one.source else { return Ok(()) };
        let read = source.of_input(x, &one.extent)?;
        let (before, after) = y.split_at(*axis, *at)?;
        let place = |found: &IndexBox| {
            let mut start = found.start.clone();
            start[*axis] -= if start[*axis] < *at { 0 } else { *at };
            IndexBox { start, ..found.clone() }
        };
        let (first, second) =
            if one.start[*axis] < *at { (before, after) } else { (after, before) };
        let first = place(one).of_output(first)?.reshaped(read.shape())?;
        let second = self.turn(place(other).of_output(second)?)?.reshaped(read.shape())?;
        Ok(on.map_many(&[read], [(input(0), first), (input(0), second)])?)
    }

    /// `x ← alpha · y + beta · x` for the elements that both boxes read, each of which gets the sum of two of `y`. Enqueued;
    /// does not wait.
    pub(super) fn add(
        &self,
        on: &dyn Executor,
        y: &View<'_>,
        x: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        let Some(source) = &self.one.source else { return Ok(()) };
        let target = source.of_input(x, &self.one.extent)?;
        let first = self.one.of_output(y.clone())?.reshaped(target.shape())?;
        let second = self.turn(self.other.of_output(y.clone())?)?.reshaped(target.shape())?;
        Ok(on.map_updated(&(input(0) + input(1)), &[first, second], target, update)?)
    }

    /// What lies in the other box, in the order in which the one reads.
    fn turn<V: Relayout>(&self, view: V) -> Result<V> {
        let reversed = |view: V, axis: &usize| view.reversed(*axis);
        Ok(self.turned.iter().try_fold(view, reversed)?)
    }
}
