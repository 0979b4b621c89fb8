//! A program's steps, evaluated a chunk of elements at a time.

use bytemuck::{cast_slice, cast_slice_mut};
use num_complex::Complex64;

use super::constants::{of_one, of_two};
use super::elementwise::{Operand, binary, unary};
use super::operands::Operands;
use super::scalar::Scalar;
use crate::program::{Kind, Op, Program};

/// Where the values of a step are found.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place<R, C> {
    /// All the same, known before the first element.
    Wide(f64),
    Real(R),
    Element(C),
    /// In the input with this number among those of its type.
    Input(usize),
    /// In what this output held.
    Previous(usize),
    /// In this register of its type.
    Register(usize),
}

/// A program whose elements are `C`, and whose real numbers beside complex elements are `R`.
#[derive(Debug)]
pub(super) struct Steps<'p, R, C> {
    program: &'p Program,
    places: Vec<Place<R, C>>,
    /// How many registers there are of `R` and of `C`.
    registers: [usize; 2],
}

/// What steps are given for a chunk, and where they leave their results.
pub(super) struct Values<'a, R, C> {
    pub(super) reals: Operands<'a, R, R>,
    pub(super) elements: Operands<'a, C, C>,
    /// What each output held, if that is read and the output is of that type.
    pub(super) previous_reals: Vec<Vec<R>>,
    pub(super) previous_elements: Vec<Vec<C>>,
    real_registers: Vec<Vec<R>>,
    element_registers: Vec<Vec<C>>,
    /// A complex result of which a part is taken.
    whole: Vec<C>,
}

impl<'p, R: Scalar, C: Scalar> Steps<'p, R, C> {
    /// `inputs` tells of each input its value, if it is a number, and its place among those of its type.
    pub(super) fn new(
        program: &'p Program,
        constants: &[Complex64],
        inputs: &[(f64, usize)],
    ) -> Self {
        let mut last = vec![0; program.steps.len()];
        for (at, step) in program.steps.iter().enumerate() {
            operands(step.op).into_iter().flatten().for_each(|operand| last[operand] = at);
        }
        program.results.iter().for_each(|result| last[*result] = usize::MAX);
        let mut steps = Self { program, places: Vec::with_capacity(last.len()), registers: [0; 2] };
        let mut free = [Vec::new(), Vec::new()];
        for (at, step) in program.steps.iter().enumerate() {
            let place = steps.known(step.op, step.kind, constants, inputs);
            let place = place.unwrap_or_else(|| {
                let of_type = usize::from(step.kind == Kind::Element);
                let register = free[of_type].pop().unwrap_or_else(|| {
                    steps.registers[of_type] += 1;
                    steps.registers[of_type] - 1
                });
                // None of its operands', which are free for the next step only.
                let [a, b] = operands(step.op);
                for operand in a.into_iter().chain(b.filter(|_| a != b)) {
                    if let (Place::Register(read), true) =
                        (steps.places[operand], last[operand] == at)
                    {
                        let of_type = program.steps[operand].kind == Kind::Element;
                        free[usize::from(of_type)].push(read);
                    }
                }
                Place::Register(register)
            });
            steps.places.push(place);
        }
        steps
    }

    /// Where a step's values are, if it needs no register.
    fn known(
        &self,
        op: Op,
        kind: Kind,
        constants: &[Complex64],
        inputs: &[(f64, usize)],
    ) -> Option<Place<R, C>> {
        let real = |value: f64| Complex64::new(value, 0.0);
        let of_kind = |value: Complex64| match kind {
            Kind::Number => Place::Wide(value.re),
            Kind::Real => Place::Real(R::rounded(value)),
            Kind::Element => Place::Element(C::rounded(value)),
        };
        Some(match op {
            Op::Input(input) if kind == Kind::Number => Place::Wide(inputs[input].0),
            Op::Input(input) => Place::Input(inputs[input].1),
            Op::Previous(out) => Place::Previous(out),
            Op::Constant(place) => of_kind(constants[place]),
            Op::Convert(a) => match self.places[a] {
                Place::Wide(a) => of_kind(real(a)),
                Place::Real(a) => Place::Element(a.converted()),
                _ => return None,
            },
            Op::Unary(function, a) => match self.places[a] {
                Place::Wide(a) => Place::Wide(of_one(function, a)),
                Place::Real(a) => Place::Real(of_one(function, a)),
                Place::Element(a) if kind == Kind::Real => {
                    Place::Real(of_one(function, a).converted())
                }
                Place::Element(a) => Place::Element(of_one(function, a)),
                _ => return None,
            },
            Op::Binary(function, a, b) => match (self.places[a], self.places[b]) {
                (Place::Wide(a), Place::Wide(b)) => Place::Wide(of_two(function, a, b)),
                (Place::Real(a), Place::Real(b)) => Place::Real(of_two(function, a, b)),
                (Place::Element(a), Place::Element(b)) => Place::Element(of_two(function, a, b)),
                _ => return None,
            },
        })
    }

    /// Room for chunks of up to `len` elements.
    pub(super) fn values<'a>(
        &self,
        len: usize,
        inputs: [usize; 2],
        outs: usize,
    ) -> Values<'a, R, C> {
        let [reals, elements] = self.registers;
        Values {
            reals: Operands::new(len, inputs[0]),
            elements: Operands::new(len, inputs[1]),
            previous_reals: vec![Vec::new(); outs],
            previous_elements: vec![Vec::new(); outs],
            real_registers: vec![vec![R::default(); len]; reals],
            element_registers: vec![vec![C::default(); len]; elements],
            whole: vec![C::default(); len],
        }
    }

    /// Computes all steps for the `n` elements from `from` on, which have been loaded.
    pub(super) fn run(&self, values: &mut Values<'_, R, C>, from: usize, n: usize) {
        for (step, place) in self.program.steps.iter().zip(&self.places) {
            let Place::Register(to) = *place else { continue };
            if step.kind == Kind::Element {
                let mut target = std::mem::take(&mut values.element_registers[to]);
                let out = &mut target[..n];
                match step.op {
                    Op::Unary(function, a) => {
                        unary(function, self.element(values, a, from, n), out);
                    }
                    Op::Binary(function, a, b) => {
                        let a = self.element(values, a, from, n);
                        binary(function, a, self.element(values, b, from, n), out);
                    }
                    Op::Convert(a) => widen(self.real(values, a, from, n), out),
                    Op::Input(_) | Op::Previous(_) | Op::Constant(_) => {}
                }
                values.element_registers[to] = target;
                continue;
            }
            let mut target = std::mem::take(&mut values.real_registers[to]);
            let out = &mut target[..n];
            match step.op {
                Op::Unary(function, a) if self.program.steps[a].kind == Kind::Element => {
                    let mut whole = std::mem::take(&mut values.whole);
                    unary(function, self.element(values, a, from, n), &mut whole[..n]);
                    let parts = cast_slice::<C, R>(&whole[..n]).iter().step_by(parts::<R, C>());
                    out.iter_mut().zip(parts).for_each(|(out, part)| *out = *part);
                    values.whole = whole;
                }
                Op::Unary(function, a) => unary(function, self.real(values, a, from, n), out),
                Op::Binary(function, a, b) => {
                    let a = self.real(values, a, from, n);
                    binary(function, a, self.real(values, b, from, n), out);
                }
                Op::Convert(_) | Op::Input(_) | Op::Previous(_) | Op::Constant(_) => {}
            }
            values.real_registers[to] = target;
        }
    }

    /// The values that a real output takes.
    pub(super) fn real_result<'v>(
        &self,
        values: &'v Values<'_, R, C>,
        out: usize,
        from: usize,
        n: usize,
    ) -> Operand<'v, R> {
        self.real(values, self.program.results[out], from, n)
    }

    /// The values that an output of elements takes.
    pub(super) fn element_result<'v>(
        &self,
        values: &'v Values<'_, R, C>,
        out: usize,
        from: usize,
        n: usize,
    ) -> Operand<'v, C> {
        self.element(values, self.program.results[out], from, n)
    }

    fn real<'v>(
        &self,
        values: &'v Values<'_, R, C>,
        step: usize,
        from: usize,
        n: usize,
    ) -> Operand<'v, R> {
        match self.places[step] {
            Place::Real(value) => Operand::Number(value),
            Place::Input(at) => values.reals.get(at, from, n),
            Place::Previous(out) => Operand::Slice(&values.previous_reals[out][..n]),
            Place::Register(at) => Operand::Slice(&values.real_registers[at][..n]),
            Place::Wide(_) | Place::Element(_) => unreachable!("converted before it is used"),
        }
    }

    fn element<'v>(
        &self,
        values: &'v Values<'_, R, C>,
        step: usize,
        from: usize,
        n: usize,
    ) -> Operand<'v, C> {
        match self.places[step] {
            Place::Element(value) => Operand::Number(value),
            Place::Input(at) => values.elements.get(at, from, n),
            Place::Previous(out) => Operand::Slice(&values.previous_elements[out][..n]),
            Place::Register(at) => Operand::Slice(&values.element_registers[at][..n]),
            Place::Wide(_) | Place::Real(_) => unreachable!("converted before it is used"),
        }
    }
}

fn operands(op: Op) -> [Option<usize>; 2] {
    match op {
        Op::Input(_) | Op::Previous(_) | Op::Constant(_) => [None, None],
        Op::Convert(a) | Op::Unary(_, a) => [Some(a), None],
        Op::Binary(_, a, b) => [Some(a), Some(b)],
    }
}

/// How many `R` make a `C`.
fn parts<R, C>() -> usize {
    size_of::<C>() / size_of::<R>()
}

/// Elements without an imaginary part.
fn widen<R: Scalar, C: Scalar>(from: Operand<'_, R>, to: &mut [C]) {
    match from {
        Operand::Number(number) => to.fill(number.converted()),
        Operand::Slice(slice) => {
            to.fill(C::default());
            let parts = cast_slice_mut::<C, R>(to).iter_mut().step_by(parts::<R, C>());
            parts.zip(slice).for_each(|(part, real)| *part = *real);
        }
        Operand::Out => {}
    }
}
