//! Expressions, evaluated a chunk of elements at a time: one pass over memory, whatever their size.

use pulp::Arch;

use super::scalar::Scalar;
use crate::expression::{Binary, Expression, Unary};

/// The elements of one operand for one chunk.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operand<'c, T> {
    /// All the same.
    Number(T),
    /// As many as the chunk has.
    Slice(&'c [T]),
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
    /// number, `previous` those of the output, if the expression reads it.
    pub(super) fn run<'c>(
        &self,
        input: impl Fn(usize) -> Operand<'c, T>,
        previous: &[T],
        registers: &mut Registers<T>,
        out: &mut [T],
    ) {
        let Some(((last, _), steps)) = self.steps.split_last() else {
            match self.result {
                Source::Number(number) => out.fill(number),
                Source::Input(at) => match input(at) {
                    Operand::Number(number) => out.fill(number),
                    Operand::Slice(slice) => out.copy_from_slice(slice),
                },
                _ => out.copy_from_slice(previous),
            }
            return;
        };
        for (function, to) in steps {
            let mut target = std::mem::take(&mut registers.0[*to]);
            step(*function, &input, previous, registers, &mut target[..out.len()]);
            registers.0[*to] = target;
        }
        step(*last, &input, previous, registers, out);
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
                Source::Number(a) => return Source::Number(unary_of(*function, a)),
                a => (Function::Unary(*function, a), [a, a]),
            },
            Expression::Binary(function, a, b) => {
                let (a, b) = (self.compile(a, numbers, free), self.compile(b, numbers, free));
                if let (Source::Number(a), Source::Number(b)) = (a, b) {
                    return Source::Number(binary_of(*function, a, b));
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
    previous: &[T],
    registers: &Registers<T>,
    out: &mut [T],
) {
    let len = out.len();
    let operand = |source| match source {
        Source::Number(number) => Operand::Number(number),
        Source::Input(at) => input(at),
        Source::Previous => Operand::Slice(previous),
        Source::Register(at) => Operand::Slice(&registers.0[at][..len]),
    };
    match function {
        Function::Unary(function, a) => unary(function, operand(a), out),
        Function::Binary(function, a, b) => binary(function, operand(a), operand(b), out),
    }
}

fn unary<T: Scalar>(function: Unary, a: Operand<'_, T>, out: &mut [T]) {
    let a = match a {
        Operand::Number(number) => return out.fill(unary_of(function, number)),
        Operand::Slice(slice) => slice,
    };
    Arch::new().dispatch(
        #[inline(always)]
        || match function {
            Unary::Negate => each(a, out, |a| -a),
            Unary::Conjugate => each(a, out, T::conj),
            Unary::Real => each(a, out, |a| T::from_part(a.re())),
            Unary::Imaginary => each(a, out, |a| T::from_part(a.im())),
            Unary::Absolute => each(a, out, |a| T::from_part(a.abs())),
            Unary::AbsoluteSquare => each(a, out, square),
            Unary::SquareRoot => each(a, out, T::sqrt),
        },
    );
}

fn binary<T: Scalar>(function: Binary, a: Operand<'_, T>, b: Operand<'_, T>, out: &mut [T]) {
    Arch::new().dispatch(
        #[inline(always)]
        || match function {
            Binary::Add => zip(a, b, out, |a, b| a + b),
            Binary::Subtract => zip(a, b, out, |a, b| a - b),
            Binary::Multiply => zip(a, b, out, |a, b| a * b),
            Binary::Divide => zip(a, b, out, |a, b| a / b),
            Binary::DivideOrZero => zip(a, b, out, divide_or_zero),
            Binary::Minimum => zip(a, b, out, T::minimum),
            Binary::Maximum => zip(a, b, out, T::maximum),
        },
    );
}

/// Inlined into a function compiled for the processor at hand, which makes it vector code.
#[inline(always)]
fn each<T: Copy>(a: &[T], out: &mut [T], function: impl Fn(T) -> T) {
    for (out, &a) in out.iter_mut().zip(a) {
        *out = function(a);
    }
}

/// As [`each`].
#[inline(always)]
fn zip<T: Copy>(a: Operand<'_, T>, b: Operand<'_, T>, out: &mut [T], function: impl Fn(T, T) -> T) {
    match (a, b) {
        (Operand::Slice(a), Operand::Slice(b)) => {
            for ((out, &a), &b) in out.iter_mut().zip(a).zip(b) {
                *out = function(a, b);
            }
        }
        (Operand::Slice(a), Operand::Number(b)) => each(a, out, |a| function(a, b)),
        (Operand::Number(a), Operand::Slice(b)) => each(b, out, |b| function(a, b)),
        (Operand::Number(a), Operand::Number(b)) => out.fill(function(a, b)),
    }
}

fn unary_of<T: Scalar>(function: Unary, a: T) -> T {
    let mut out = [a];
    unary(function, Operand::Slice(&[a]), &mut out);
    out[0]
}

fn binary_of<T: Scalar>(function: Binary, a: T, b: T) -> T {
    let mut out = [a];
    binary(function, Operand::Slice(&[a]), Operand::Slice(&[b]), &mut out);
    out[0]
}

#[inline(always)]
fn square<T: Scalar>(a: T) -> T {
    T::from_part(a.re() * a.re() + a.im() * a.im())
}

#[inline(always)]
fn divide_or_zero<T: Scalar>(a: T, b: T) -> T {
    if b == T::zero() { T::zero() } else { a / b }
}
