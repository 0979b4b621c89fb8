//! Elementwise work on arrays without gaps, and single numbers: as slices, without a look at axes and lanes, which for
//! small arrays would take longer than their elements do.

use arrayspan_bridge::iteration::Axes;
use arrayspan_bridge::{View, copy_past_caches, goes_past_caches};
use smallvec::SmallVec;

use super::elementwise::Operand;
use super::evaluate::{Given, Program, Registers, chunk};
use super::operands::number;
use super::parts::{Divide, Parts, for_each_part};
use super::scalar::Scalar;
use crate::Result;
use crate::verb::MapCall;

/// Chunks that are computed before they are written past the caches.
const BUFFERED: usize = 8;

/// Runs a call whose output has no gaps and whose inputs have none or are single numbers; whether it is one.
pub(super) fn run<T: Scalar>(call: &mut MapCall<'_>) -> Result<bool> {
    let (layout, dtype) = (call.out.layout(), call.out.dtype());
    if !layout.is_contiguous() {
        return Ok(false);
    }
    let len = layout.len();
    let mut known = SmallVec::<[Given<T>; 8]>::with_capacity(call.inputs.len());
    let mut inputs = SmallVec::<[&[T]; 4]>::new();
    for input in &call.inputs {
        let layout = input.layout();
        let single = layout.shape().iter().zip(layout.strides()).all(|(&n, &s)| n == 1 || s == 0);
        known.push(if input.dtype() != dtype {
            Given::Wide(number(&input.view())?)
        } else if single {
            Given::Number(first(&input.view())?)
        } else if layout.is_contiguous() {
            inputs.push(input.view().as_slice()?);
            Given::Elements(inputs.len() - 1)
        } else {
            return Ok(false);
        });
    }
    let reads = call.expression.reads_previous();
    let program = Program::new(&call.expression, &known);
    let arrays = 1 + usize::from(reads) + inputs.len();
    let cost = (arrays * size_of::<T>(), program.len());
    let past_caches = !reads && goes_past_caches(len * size_of::<T>());
    let map = Map { program, inputs, past_caches };
    let mut out = call.out.view_mut();
    let out = Line { elements: out.as_mut_slice()?, shape: [len] };
    for_each_part(out, Parts::Lanes, cost, &|origin, out| map.part(origin[0], out.elements));
    Ok(true)
}

/// The element that all are.
pub(super) fn first<T: Scalar>(view: &View<'_>) -> Result<T> {
    let rank = view.shape().len();
    if rank == 0 {
        return Ok(view.as_slice::<T>()?[0]);
    }
    let index: Axes<usize> = std::iter::repeat_n(0, rank).collect();
    let lane = view.lanes::<T>()?.lane(&index, rank - 1, 1);
    // There is one: the output has elements.
    Ok(lane.as_slice().map_or_else(T::default, |slice| slice[0]))
}

struct Map<'a, T> {
    program: Program<T>,
    inputs: SmallVec<[&'a [T]; 4]>,
    past_caches: bool,
}

impl<T: Scalar> Map<'_, T> {
    /// Computes the elements from `from` on.
    fn part(&self, from: usize, out: &mut [T]) {
        let mut registers = self.program.registers(chunk::<T>().min(out.len()));
        if !self.past_caches {
            return self.fill(from, out, &mut registers);
        }
        let mut buffer = vec![T::default(); (BUFFERED * chunk::<T>()).min(out.len())];
        let mut at = from;
        for out in out.chunks_mut(buffer.len()) {
            let buffer = &mut buffer[..out.len()];
            self.fill(at, buffer, &mut registers);
            copy_past_caches(buffer, out);
            at += out.len();
        }
    }

    fn fill(&self, from: usize, out: &mut [T], registers: &mut Registers<T>) {
        let mut at = from;
        for out in out.chunks_mut(chunk::<T>()) {
            let within = at..at + out.len();
            let input = |input: usize| Operand::Slice(&self.inputs[input][within.clone()]);
            self.program.run(input, registers, out);
            at = within.end;
        }
    }
}

/// A part of the output.
struct Line<'a, T> {
    elements: &'a mut [T],
    shape: [usize; 1],
}

impl<'a, T: Send> Divide for Line<'a, T> {
    fn shape(&self) -> &[usize] {
        &self.shape
    }

    fn split_at(self, _: usize, index: usize) -> (Self, Self) {
        let (first, rest) = self.elements.split_at_mut(index);
        let line = |elements: &'a mut [T]| Self { shape: [elements.len()], elements };
        (line(first), line(rest))
    }
}
