//! Two elementwise calls, or one and a sum of products, as one call.
//!
//! What the second reads of the first's outputs is computed on the way; what the first reads, and the second writes, is what that
//! output held. All of it happens element by element, so that nobody sees the other's elements.

use arrayspan_bridge::expression::{Expression, Node};
use arrayspan_bridge::{DType, Operand, OperandMut};
use num_complex::Complex64;

use super::overlap::{is_same, overlap};
use super::parts::Parts;
use crate::input;
use crate::program::{Kind, Program};
use crate::verb::{Call, DotCall, DotOf, Epilogue, MapManyCall, Terms};

/// The most arrays of a call: more would neither fit the registers of a thread nor the streams that memory follows.
const MOST_ARRAYS: usize = 10;
/// The most operations of all its expressions.
const MOST_OPERATIONS: usize = 96;
/// The most arguments of a launch that are not arrays.
const MOST_NUMBERS: usize = 20;

/// Where an array of the joined call comes from: whether from the second, and its number there.
type Source = (bool, usize);

/// What an input of either call is in the joined one.
#[derive(Clone, Copy)]
enum Found {
    /// An input.
    Input(usize),
    /// What this output held.
    Held(usize),
    /// What the first call writes to its output of this number.
    Written(usize),
}

/// How two calls become one.
pub(super) struct Join {
    expressions: Vec<Expression>,
    program: Program,
    constants: Vec<Complex64>,
    arrays: Arrays,
    dots: Vec<([DotOf; 2], Terms, Source)>,
    element: DType,
    numbers: Option<DType>,
}

/// The arrays of the joined call.
#[derive(Default)]
struct Arrays {
    inputs: Vec<Source>,
    kinds: Vec<Kind>,
    outs: Vec<Source>,
    /// What the inputs of both calls are.
    of_a: Vec<Found>,
    of_b: Vec<Found>,
    /// Which output each of the second is. Those of the first come first.
    outs_of_b: Vec<usize>,
}

impl Join {
    /// Of a call and one that runs after it; `None` where one call would not do the same, or not faster.
    pub(super) fn new(first: &Call<'static>, second: &Call<'static>) -> Option<Self> {
        let (a, b) = (Parts::of(first)?, Parts::of(second)?);
        let (element, numbers) = (a.element, a.numbers.or(b.numbers));
        let fit = element == b.element
            && a.shape() == b.shape()
            && b.numbers.is_none_or(|of| numbers == Some(of))
            && a.is_lines()
            && b.is_lines();
        if !fit || a.outs.len() + b.outs.len() == 0 || !dots_stand_apart(&a, &b) {
            return None;
        }
        let arrays = Arrays::of(&a, &b)?;
        let expressions = arrays.expressions(&a, &b)?;
        let dots = arrays.dots(&a, &b)?;
        let outputs: Vec<_> = expressions.iter().map(|of| (of, Kind::Element)).collect();
        let program = Program::new(&outputs, &arrays.kinds, element.is_complex());
        let (program, constants) = program.ok()?;
        let singles = arrays.kinds.iter().filter(|kind| **kind == Kind::Number).count();
        let operations: usize = expressions.iter().map(Expression::operations).sum();
        let parts = if element.is_complex() { 2 } else { 1 };
        let few = arrays.inputs.len() + arrays.outs.len() - singles <= MOST_ARRAYS
            && operations <= MOST_OPERATIONS
            && parts * constants.len() + 2 * (singles + dots.len()) <= MOST_NUMBERS;
        few.then_some(Self { expressions, program, constants, arrays, dots, element, numbers })
    }

    /// The one call.
    pub(super) fn of(self, first: Call<'static>, second: Call<'static>) -> Call<'static> {
        let mut pools = [Pool::of(first), Pool::of(second)];
        let inputs = self.arrays.inputs.iter();
        let inputs =
            inputs.filter_map(|(second, at)| pools[usize::from(*second)].inputs[*at].take());
        let inputs = inputs.collect();
        let outs = self.arrays.outs.iter();
        let outs = outs.filter_map(|(second, at)| pools[usize::from(*second)].outs[*at].take());
        let outs = outs.collect();
        let dots = self.dots.into_iter().filter_map(|(of, terms, (second, at))| {
            let out = pools[usize::from(second)].dots[at].take()?;
            Some(DotCall { of, terms, out })
        });
        Call::MapMany(MapManyCall {
            expressions: self.expressions,
            program: self.program,
            constants: self.constants,
            inputs,
            kinds: self.arrays.kinds,
            outs,
            dots: dots.collect(),
            epilogue: Epilogue::default(),
            element: self.element,
            numbers: self.numbers,
        })
    }
}

impl Arrays {
    fn of(a: &Parts<'_>, b: &Parts<'_>) -> Option<Self> {
        let mut arrays = Self::default();
        arrays.outs.extend((0..a.outs.len()).map(|at| (false, at)));
        for (number, out) in b.outs.iter().enumerate() {
            let at = match a.outs.iter().position(|other| overlap(out, other)) {
                Some(at) if is_same(out, a.outs[at]) => at,
                Some(_) => return None,
                None => {
                    arrays.outs.push((true, number));
                    arrays.outs.len() - 1
                }
            };
            arrays.outs_of_b.push(at);
        }
        let mut listed = Vec::new();
        for (at, (of, kind)) in a.inputs.iter().enumerate() {
            let found = match b.outs.iter().position(|out| overlap(of, out)) {
                Some(out) if is_same(of, b.outs[out]) && *kind == Kind::Element => {
                    Found::Held(arrays.outs_of_b[out])
                }
                Some(_) => return None,
                None => arrays.find(&mut listed, (*of, *kind), (false, at)),
            };
            arrays.of_a.push(found);
        }
        for (at, (of, kind)) in b.inputs.iter().enumerate() {
            let found = match a.outs.iter().position(|out| overlap(of, out)) {
                Some(out) if is_same(of, a.outs[out]) && *kind == Kind::Element => {
                    Found::Written(out)
                }
                Some(_) => return None,
                None => arrays.find(&mut listed, (*of, *kind), (true, at)),
            };
            arrays.of_b.push(found);
        }
        Some(arrays)
    }

    /// An input of the joined call, which has one for each array that is read.
    fn find<'c>(
        &mut self,
        listed: &mut Vec<(&'c Operand<'c>, Kind)>,
        (of, kind): (&'c Operand<'c>, Kind),
        source: Source,
    ) -> Found {
        let known = listed.iter().position(|(other, same)| *same == kind && is_same(other, of));
        Found::Input(known.unwrap_or_else(|| {
            listed.push((of, kind));
            self.inputs.push(source);
            self.kinds.push(kind);
            listed.len() - 1
        }))
    }

    /// Those of the joined call's outputs.
    fn expressions(&self, a: &Parts<'_>, b: &Parts<'_>) -> Option<Vec<Expression>> {
        let held = |out: usize| input(self.inputs.len() + out);
        let before = |(own, of): (usize, &&Expression)| {
            of.substituted(|node| match node {
                Node::Input(at) => Some(match self.of_a.get(*at) {
                    Some(Found::Input(at)) => input(*at),
                    Some(Found::Held(out) | Found::Written(out)) => held(*out),
                    None => held(*at - self.of_a.len()),
                }),
                Node::Previous => Some(held(own)),
                _ => None,
            })
        };
        let mut all: Vec<Expression> = a.expressions.iter().enumerate().map(before).collect();
        // What the second call finds in an output: what the first has written there, or what was there.
        let finds = |out: usize| all.get(out).cloned().unwrap_or_else(|| held(out));
        let after = |(own, of): (usize, &&Expression)| {
            of.substituted(|node| match node {
                Node::Input(at) => Some(match self.of_b.get(*at) {
                    Some(Found::Input(at)) => input(*at),
                    Some(Found::Held(out) | Found::Written(out)) => finds(*out),
                    None => finds(self.outs_of_b[*at - self.of_b.len()]),
                }),
                Node::Previous => Some(finds(self.outs_of_b[own])),
                _ => None,
            })
        };
        let after: Vec<Expression> = b.expressions.iter().enumerate().map(after).collect();
        // Values of numbers alone are rounded where they are written, and would not be on the way; and where elements are complex,
        // values on the way may be real.
        let found = |out: usize| {
            let is_out = |found: &Found| matches!(found, Found::Written(at) if *at == out);
            self.of_b.iter().any(is_out) || self.outs_of_b.contains(&out)
        };
        let exact = |(out, of): (usize, &&Expression)| {
            !found(out) || (!a.element.is_complex() && a.reads_elements(of))
        };
        if !a.expressions.iter().enumerate().all(exact) {
            return None;
        }
        for (expression, out) in after.into_iter().zip(&self.outs_of_b) {
            match all.get_mut(*out) {
                Some(overwritten) => *overwritten = expression,
                None => all.push(expression),
            }
        }
        Some(all)
    }

    /// The dots of both calls.
    fn dots(&self, a: &Parts<'_>, b: &Parts<'_>) -> Option<Vec<([DotOf; 2], Terms, Source)>> {
        let of_first = |of: DotOf| match of {
            // What the second writes, too, the dot would be of.
            DotOf::Output(out) => (!self.outs_of_b.contains(&out)).then_some(of),
            DotOf::Input(at) => match self.of_a[at] {
                Found::Input(at) => Some(DotOf::Input(at)),
                _ => None,
            },
        };
        let of_second = |of: DotOf| match of {
            DotOf::Output(out) => DotOf::Output(self.outs_of_b[out]),
            DotOf::Input(at) => match self.of_b[at] {
                Found::Input(at) => DotOf::Input(at),
                Found::Held(out) | Found::Written(out) => DotOf::Output(out),
            },
        };
        let mut dots = Vec::with_capacity(a.dots.len() + b.dots.len());
        for (number, ([x, y], terms, _)) in a.dots.iter().enumerate() {
            dots.push(([of_first(*x)?, of_first(*y)?], *terms, (false, number)));
        }
        let second = b.dots.iter().enumerate();
        let second =
            second.map(|(number, (of, terms, _))| (of.map(of_second), *terms, (true, number)));
        dots.extend(second);
        Some(dots)
    }
}

/// Whether nothing of one call is the result of a dot of the other.
fn dots_stand_apart(a: &Parts<'_>, b: &Parts<'_>) -> bool {
    let apart = |one: &Parts<'_>, other: &Parts<'_>| {
        let inputs = other.inputs.iter().map(|(of, _)| *of);
        let mut arrays = inputs.chain(other.outs.iter().copied());
        !arrays.any(|array| one.dots.iter().any(|(.., out)| overlap(array, out)))
    };
    let results = || a.dots.iter().flat_map(|(.., a)| b.dots.iter().map(move |(.., b)| (a, b)));
    apart(a, b) && apart(b, a) && !results().any(|(a, b)| overlap(a, b))
}

/// The operands of a call, to be taken one by one.
#[derive(Default)]
struct Pool {
    inputs: Vec<Option<Operand<'static>>>,
    outs: Vec<Option<OperandMut<'static>>>,
    dots: Vec<Option<OperandMut<'static>>>,
}

impl Pool {
    fn of(call: Call<'static>) -> Self {
        let (inputs, outs, dots) = match call {
            Call::Map(call) => (call.inputs, vec![call.out], Vec::new()),
            Call::MapMany(call) => {
                (call.inputs, call.outs, call.dots.into_iter().map(|dot| dot.out).collect())
            }
            Call::Reduce(call) => (call.inputs, Vec::new(), vec![call.out]),
            _ => Default::default(),
        };
        let some = |outs: Vec<OperandMut<'static>>| outs.into_iter().map(Some).collect();
        Self { inputs: inputs.into_iter().map(Some).collect(), outs: some(outs), dots: some(dots) }
    }
}
