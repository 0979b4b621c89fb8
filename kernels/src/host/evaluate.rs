//! Expressions, evaluated a chunk of elements at a time: one pass over memory, whatever their size.

use super::elementwise::{Operand, binary, unary};
use super::scalar::Scalar;
use crate::expression::{Binary, Expression, Unary};

/// Elements evaluated at a time, so that what lies between two steps stays in the nearest cache.
pub(super) const fn chunk<T>() -> usize {
    4096 / size_of::<T>()
}

/// Where an operand's elements are found.
#[derive(Clone, Copy, Debug)]
enum Source<T> {
    Number(T),
    Input(usize),
    Previous,
    Register(usize),
}

#[derive(Clone, Copy, Debug)]
enum Function<T> {
    Unary(Unary, Source<T>),
    Binary(Binary, Source<T>, Source<T>),
}

/// An expression as steps on registers of a chunk each.
#[derive(Debug)]
pub(super) struct Program<T> {
    /// Each step and the register it fills, which holds none of its operands.
    steps: Vec<(Function<T>, usize)>,
    result: Source<T>,
    registers: usize,
}

/// What evaluating a [`Program`] on one thread needs.
#[derive(Debug)]
pub(super) struct Registers<T>(Vec<Vec<T>>);

impl<T: Scalar> Program<T> {
    /// `numbers` holds the value of each input that repeats a single number; arithmetic on numbers alone
    /// is done here, once.
    pub(super) fn new(expression: &Expression, numbers: &[Option<T>]) -> Self {
        let mut program =
            Self { steps: Vec::new(), result: Source::Number(T::default()), registers: 0 };
        program.result = program.compile(expression, numbers, &mut Vec::new());
        program
    }

    /// Registers for chunks of up to `len` elements.
    pub(super) fn registers(&self, len: usize) -> Registers<T> {
        Registers(vec![vec![T::default(); len]; self.registers])
    }

    /// Fills `out` with the expression's values. `input` gives the elements of each input that is not a
    /// number; `out` holds the previous ones, if the expression reads them.
    pub(super) fn run<'c>(
        &self,
        input: impl Fn(usize) -> Operand<'c, T>,
        registers: &mut Registers<T>,
        out: &mut [T],
    ) {
        let Some(((last, _), steps)) = self.steps.split_last() else {
            let input = match self.result {
                Source::Number(number) => Operand::Number(number),
                Source::Input(at) => input(at),
                _ => Operand::Out,
            };
            match input {
                Operand::Number(number) => out.fill(number),
                Operand::Slice(slice) => out.copy_from_slice(slice),
                Operand::Out => {}
            }
            return;
        };
        for (function, to) in steps {
            let mut target = std::mem::take(&mut registers.0[*to]);
            let previous = Operand::Slice(&*out);
            step(*function, &input, previous, registers, &mut target[..out.len()]);
            registers.0[*to] = target;
        }
        step(*last, &input, Operand::Out, registers, out);
    }

    /// The input that the expression is, if it is nothing else.
    pub(super) fn as_input(&self) -> Option<usize> {
        match self.result {
            Source::Input(at) => Some(at),
            _ => None,
        }
    }

    fn compile(
        &mut self,
        expression: &Expression,
        numbers: &[Option<T>],
        free: &mut Vec<usize>,
    ) -> Source<T> {
        let (function, operands) = match expression {
            Expression::Input(at) => {
                return numbers[*at].map_or(Source::Input(*at), Source::Number);
            }
            Expression::Previous => return Source::Previous,
            Expression::Constant(value) => return Source::Number(T::rounded(*value)),
            Expression::Unary(function, a) => match self.compile(a, numbers, free) {
                Source::Number(a) => {
                    return single(|out| unary(*function, Operand::Number(a), out));
                }
                a => (Function::Unary(*function, a), [a, a]),
            },
            Expression::Binary(function, a, b) => {
                let (a, b) = (self.compile(a, numbers, free), self.compile(b, numbers, free));
                if let (Source::Number(a), Source::Number(b)) = (a, b) {
                    let (a, b) = (Operand::Number(a), Operand::Number(b));
                    return single(|out| binary(*function, a, b, out));
                }
                (Function::Binary(*function, a, b), [a, b])
            }
        };
        let to = free.pop().unwrap_or_else(|| {
            self.registers += 1;
            self.registers - 1
        });
        self.steps.push((function, to));
        let used = |source| if let Source::Register(at) = source { Some(at) } else { None };
        let [a, b] = operands.map(used);
        free.extend(a);
        free.extend(b.filter(|_| a != b));
        Source::Register(to)
    }
}

fn step<'c, T: Scalar>(
    function: Function<T>,
    input: &impl Fn(usize) -> Operand<'c, T>,
    previous: Operand<'_, T>,
    registers: &Registers<T>,
    out: &mut [T],
) {
    let len = out.len();
    let operand = |source| match source {
        Source::Number(number) => Operand::Number(number),
        Source::Input(at) => input(at),
        Source::Previous => previous,
        Source::Register(at) => Operand::Slice(&registers.0[at][..len]),
    };
    match function {
        Function::Unary(function, a) => unary(function, operand(a), out),
        Function::Binary(function, a, b) => binary(function, operand(a), operand(b), out),
    }
}

/// The number that `compute` finds.
fn single<T: Scalar>(compute: impl FnOnce(&mut [T])) -> Source<T> {
    let mut out = [T::default()];
    compute(&mut out);
    Source::Number(out[0])
}
