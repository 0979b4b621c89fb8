//! Several outputs, and dots, of arrays without gaps: as slices, block by block, so that what dots take is still in a core's cache.

use arrayspan_bridge::parallel;
use smallvec::{SmallVec, smallvec};

use super::elementwise::Operand;
use super::evaluate::{Given, Program, Registers, chunk};
use super::fold::{differences, products, squares};
use super::halves::{cut, middle, together};
use super::line::first;
use super::norms::put;
use super::operands::number;
use super::parts::{Divide, Parts, for_each_part};
use super::reduce_parts::{GRAIN, MOST_PARTS, SQUARES};
use super::scalar::Scalar;
use crate::program::{Kind, Op};
use crate::verb::{DotOf, MapManyCall, Terms};
use crate::{Expression, Result};

/// Fewer elements, without dots, are computed as any others: expressions are translated for each output here.
const FEW: usize = 256;

/// A list of as many as most calls have outputs, without a block on the heap.
type Few<T> = SmallVec<[T; 4]>;

/// Runs a call that is [fused](MapManyCall::is_fused), or one without dots whose arrays have no gaps and whose expressions share
/// nothing that would be computed more than once here; whether it is one.
pub(super) fn run<T: Scalar>(call: &mut MapManyCall<'_>) -> Result<bool> {
    let len = call.outs.first().map_or(0, |out| out.layout().len());
    let apart = call.dots.is_empty() && (len < FEW || !call.is_lines() || shares(call));
    if apart || !(call.dots.is_empty() || call.is_fused()) {
        return Ok(false);
    }
    let count = call.outs.len();
    let mut known = Few::<Given<T>>::new();
    let mut inputs = Few::<&[T]>::new();
    // The slice of each input, if it is one.
    let mut slices = Few::<Option<usize>>::new();
    for (input, kind) in call.inputs.iter().zip(&call.kinds) {
        let layout = input.layout();
        let is_slice = *kind != Kind::Number && layout.is_contiguous() && layout.len() == len;
        slices.push(is_slice.then_some(inputs.len()));
        known.push(if *kind == Kind::Number {
            Given::Wide(number(&input.view())?)
        } else if is_slice {
            inputs.push(input.view().as_slice()?);
            Given::Elements(inputs.len() - 1)
        } else {
            Given::Number(first(&input.view())?)
        });
    }
    // Behind the inputs stands what the outputs held.
    let program = |(own, expression)| {
        let held =
            |out| if out == own { Given::Previous } else { Given::Elements(inputs.len() + out) };
        let given: Few<Given<T>> = known.iter().copied().chain((0..count).map(held)).collect();
        Program::new(expression, &given)
    };
    let programs: Few<Program<T>> = call.expressions.iter().enumerate().map(program).collect();
    let later = |out: usize| {
        let place = inputs.len() + out;
        programs[out + 1..].iter().any(|program| program.reads(place))
    };
    let kept = (0..count).map(later).collect();
    let slice_of = |of: &DotOf| match *of {
        DotOf::Input(at) => slices[at].unwrap_or_default(),
        DotOf::Output(out) => inputs.len() + out,
    };
    let dots = call.dots.iter().map(|dot| (dot.of.each_ref().map(slice_of), dot.terms)).collect();
    let lines = Lines { programs, kept, inputs, dots };
    let read = (0..count).filter(|out| call.reads(*out)).count();
    let cost = ((count + read + lines.inputs.len()) * size_of::<T>(), call.program.steps.len());
    let mut views: Few<_> = call.outs.iter_mut().map(|out| out.view_mut()).collect();
    let outs = views.iter_mut().map(|out| Ok(out.as_mut_slice::<T>()?));
    let outs = Outs { shape: [len], outs: outs.collect::<Result<_>>()? };
    if lines.dots.is_empty() {
        for_each_part(outs, Parts::Lanes, cost, &|origin, outs| lines.part(origin[0], outs));
        return Ok(true);
    }
    let sums = lines.sums(outs);
    drop(views);
    call.dots.iter_mut().zip(sums).try_for_each(|(dot, sum)| put(dot, sum))?;
    Ok(true)
}

/// Whether expressions have parts in common.
fn shares(call: &MapManyCall<'_>) -> bool {
    let computed =
        call.program.steps.iter().filter(|step| matches!(step.op, Op::Unary(..) | Op::Binary(..)));
    let apart: usize = call.expressions.iter().map(Expression::operations).sum();
    apart > computed.count()
}

/// What is computed of slices.
struct Lines<'a, T> {
    /// Of each output. Inputs come first among their slices, then what outputs held.
    programs: Few<Program<T>>,
    /// Of each output whether a later one reads what it held.
    kept: Few<bool>,
    inputs: Few<&'a [T]>,
    /// The slices of each dot.
    dots: Few<([usize; 2], Terms)>,
}

/// What evaluating takes on one thread.
struct Room<T> {
    registers: Few<Registers<T>>,
    /// Of outputs whose old content others read.
    results: Few<Vec<T>>,
}

impl<T: Scalar> Lines<'_, T> {
    fn room(&self) -> Room<T> {
        let registers = self.programs.iter().map(|program| program.registers(chunk::<T>()));
        let result =
            |kept: &bool| if *kept { vec![T::default(); chunk::<T>()] } else { Vec::new() };
        Room { registers: registers.collect(), results: self.kept.iter().map(result).collect() }
    }

    /// Computes the elements from `from` on.
    fn part(&self, from: usize, mut part: Outs<'_, T>) {
        let mut room = self.room();
        self.fill(from, &mut part.outs, &mut room);
    }

    /// The same, a chunk of all outputs after the other.
    fn fill(&self, from: usize, outs: &mut [&mut [T]], room: &mut Room<T>) {
        let len = outs.first().map_or(0, |out| out.len());
        for start in (0..len).step_by(chunk::<T>()) {
            let end = (start + chunk::<T>()).min(len);
            for (own, program) in self.programs.iter().enumerate() {
                let all = std::mem::take(&mut outs[own]);
                let registers = &mut room.registers[own];
                let input = |at: usize| {
                    Operand::Slice(match self.inputs.get(at) {
                        Some(input) => &input[from + start..from + end],
                        None => &outs[at - self.inputs.len()][start..end],
                    })
                };
                if self.kept[own] {
                    let result = &mut room.results[own][..end - start];
                    result.copy_from_slice(&all[start..end]);
                    program.run(input, registers, result);
                } else {
                    program.run(input, registers, &mut all[start..end]);
                }
                outs[own] = all;
            }
            for (own, out) in outs.iter_mut().enumerate().filter(|(own, _)| self.kept[*own]) {
                out[start..end].copy_from_slice(&room.results[own][..end - start]);
            }
        }
    }

    /// Computes all elements, and the dots in the order in which reductions add up: it depends on the number of elements only.
    fn sums(&self, outs: Outs<'_, T>) -> Few<f64> {
        let len = outs.shape[0];
        let grain = GRAIN.max(len / MOST_PARTS);
        let halve = |part: &[usize; 2]| {
            let [from, to] = *part;
            let middle = from + middle(to - from);
            (to - from > grain).then_some([[from, middle], [middle, to]])
        };
        let mut parts = Vec::new();
        cut([0, len], &halve, &mut parts);
        let mut left = Some(outs);
        let leaves = parts.into_iter().map_while(|[from, to]| {
            let (part, rest) = left.take()?.split_at(0, to - from);
            left = Some(rest);
            Some((from, part))
        });
        let sums = parallel::collect(leaves.collect(), &|(from, part)| self.leaf(from, part));
        let join = |mut first: Few<f64>, second: Few<f64>| {
            first.iter_mut().zip(second).for_each(|(first, second)| *first += second);
            first
        };
        together(&[0, len], &halve, &join, &mut sums.into_iter())
    }

    /// The elements from `from` on, and their part of the dots.
    fn leaf(&self, from: usize, mut part: Outs<'_, T>) -> Few<f64> {
        let mut room = self.room();
        let mut sums: Few<f64> = smallvec![0.0; self.dots.len()];
        for start in (0..part.shape[0]).step_by(SQUARES) {
            let end = (start + SQUARES).min(part.shape[0]);
            let mut outs: Few<&mut [T]> =
                part.outs.iter_mut().map(|out| &mut out[start..end]).collect();
            self.fill(from + start, &mut outs, &mut room);
            let slice = |at: usize| match self.inputs.get(at) {
                Some(input) => &input[from + start..from + end],
                None => &*outs[at - self.inputs.len()],
            };
            for (sum, &([a, b], terms)) in sums.iter_mut().zip(&self.dots) {
                *sum += match terms {
                    Terms::Differences(factor) => differences(slice(a), slice(b), factor),
                    Terms::Products if a == b => squares(slice(a)),
                    Terms::Products => products(slice(a), slice(b)),
                };
            }
        }
        sums
    }
}

/// A part of the outputs.
struct Outs<'a, T> {
    shape: [usize; 1],
    outs: Few<&'a mut [T]>,
}

impl<T: Send> Divide for Outs<'_, T> {
    fn shape(&self) -> &[usize] {
        &self.shape
    }

    fn split_at(self, _: usize, index: usize) -> (Self, Self) {
        let (first, rest) = self.outs.into_iter().map(|out| out.split_at_mut(index)).unzip();
        let of = |len, outs| Self { shape: [len], outs };
        (of(index, first), of(self.shape[0] - index, rest))
    }
}
