//! Expressions, evaluated a chunk of elements at a time: one pass over memory, whatever their size.

use num_complex::Complex64;
use smallvec::SmallVec;

use super::combine::{Combination, combine};
use super::constants::{of_one, of_two};
use super::elementwise::{Operand, binary, unary};
use super::scalar::Scalar;
use crate::expression::{Binary, Expression, Node, Unary};

/// Elements evaluated at a time: intermediate results stay in the first-level cache.
pub(super) const fn chunk<T>() -> usize {
    4096 / size_of::<T>()
}

/// What is known of an input before the first element is computed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Given<T> {
    /// Its elements differ: the number it has among those that do.
    Elements(usize),
    /// It repeats a single number.
    Number(T),
    /// It is a number of a wider real dtype.
    Wide(f64),
    /// It is what the output held.
    Previous,
}

/// Where an operand's elements are found.
#[derive(Clone, Copy, Debug)]
enum Source<T> {
    /// A constant, which takes the dtype of the other operand.
    Constant(f64),
    /// A number in a wider dtype, not yet rounded to that of the elements.
    Wide(f64),
    Number(T),
    Input(usize),
    Previous,
    Register(usize),
}

#[derive(Clone, Copy, Debug)]
enum Function<T> {
    Unary(Unary, Source<T>),
    Binary(Binary, Source<T>, Source<T>),
    Combine(Combination<T, Source<T>>),
}

/// Registers whose values have been taken.
type Free = SmallVec<[usize; 8]>;

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
    /// Arithmetic on numbers alone is done here, once, and in 64 bits where they are wider than elements.
    pub(super) fn new(expression: &Expression, inputs: &[Given<T>]) -> Self {
        let mut program = Self {
            steps: Vec::with_capacity(16),
            result: Source::Number(T::default()),
            registers: 0,
        };
        program.result = program.compile(expression, inputs).rounded();
        // The last step fills the output.
        let before = program.steps.split_last().map_or(&[][..], |(_, before)| before);
        program.registers = before.iter().map(|(_, to)| to + 1).max().unwrap_or(0);
        program
    }

    /// How many steps it has.
    pub(super) fn len(&self) -> usize {
        self.steps.len()
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

    /// Whether it takes the input of this number among those whose elements differ.
    pub(super) fn reads(&self, input: usize) -> bool {
        let is = |source: &Source<T>| matches!(source, Source::Input(at) if *at == input);
        let of_step = |(function, _): &(Function<T>, usize)| match function {
            Function::Unary(_, a) => is(a),
            Function::Binary(_, a, b) => is(a) || is(b),
            Function::Combine(sum) => is(&sum.a) || is(&sum.b),
        };
        is(&self.result) || self.steps.iter().any(of_step)
    }

    /// Adds the steps of an expression; where its values are found then.
    fn compile(&mut self, expression: &Expression, inputs: &[Given<T>]) -> Source<T> {
        let (mut sources, mut free) = (SmallVec::<[_; 8]>::new(), Free::new());
        for node in expression.nodes() {
            let mut operand = || sources.pop().unwrap_or(Source::Previous);
            let source = match node.node() {
                Node::Input(at) => match inputs[*at] {
                    Given::Elements(number) => Source::Input(number),
                    Given::Number(number) => Source::Number(number),
                    Given::Wide(number) => Source::Wide(number),
                    Given::Previous => Source::Previous,
                },
                Node::Previous => Source::Previous,
                Node::Constant(value) if value.im == 0.0 => Source::Constant(value.re),
                Node::Constant(value) => Source::Number(T::rounded(*value)),
                Node::Unary(function, _) => self.unary(*function, operand(), &mut free),
                Node::Binary(function, ..) => {
                    let (b, a) = (operand(), operand());
                    self.binary(*function, a, b, &mut free)
                }
            };
            sources.push(source);
        }
        sources.pop().unwrap_or(Source::Previous)
    }

    fn unary(&mut self, function: Unary, a: Source<T>, free: &mut Free) -> Source<T> {
        if let Source::Wide(a) = a {
            return Source::Wide(of_one(function, a));
        }
        match a.rounded() {
            Source::Number(a) => Source::Number(of_one(function, a)),
            a => self.step(Function::Unary(function, a), [a, a], free),
        }
    }

    fn binary(
        &mut self,
        function: Binary,
        a: Source<T>,
        b: Source<T>,
        free: &mut Free,
    ) -> Source<T> {
        if let (Source::Wide(a), Source::Wide(b) | Source::Constant(b))
        | (Source::Constant(a), Source::Wide(b)) = (a, b)
        {
            return Source::Wide(of_two(function, a, b));
        }
        let (a, b) = (a.rounded(), b.rounded());
        if let (Source::Number(a), Source::Number(b)) = (a, b) {
            return Source::Number(of_two(function, a, b));
        }
        match self.sum(function, a, b, free) {
            Some(sum) => self.step(Function::Combine(sum), [sum.a, sum.b], free),
            None => self.step(Function::Binary(function, a, b), [a, b], free),
        }
    }

    /// A sum or difference of which a part is a multiple, as one step.
    fn sum(
        &mut self,
        function: Binary,
        a: Source<T>,
        b: Source<T>,
        free: &mut Free,
    ) -> Option<Combination<T, Source<T>>> {
        let negative = match function {
            Binary::Add => false,
            Binary::Subtract => true,
            _ => return None,
        };
        if let Some((factor, b)) = self.multiple(b, free) {
            let of_b = if negative { -factor } else { factor };
            return Some(match self.multiple(a, free) {
                Some((of_a, a)) => Combination { of_a: Some(of_a), a, of_b, b },
                None => Combination { of_a: None, a, of_b, b },
            });
        }
        // A sum of two is the same in either order.
        let (factor, multiplied) = if negative { None } else { self.multiple(a, free) }?;
        Some(Combination { of_a: None, a: b, of_b: factor, b: multiplied })
    }

    /// What a source is a multiple of, if the step that makes it multiplies elements by a number: the step is taken back.
    /// Registers are left, since steps between may have filled them anew.
    fn multiple(&mut self, source: Source<T>, free: &mut Free) -> Option<(T, Source<T>)> {
        let Source::Register(register) = source else { return None };
        let made = self.steps.iter().rposition(|(_, to)| *to == register)?;
        let Function::Binary(Binary::Multiply, a, b) = self.steps[made].0 else { return None };
        let ((Source::Number(factor), of) | (of, Source::Number(factor))) = (a, b) else {
            return None;
        };
        if !matches!(of, Source::Input(_) | Source::Previous) {
            return None;
        }
        self.steps.remove(made);
        free.push(register);
        Some((factor, of))
    }

    /// Adds a step; its result's register is none of its operands'.
    fn step(
        &mut self,
        function: Function<T>,
        operands: [Source<T>; 2],
        free: &mut Free,
    ) -> Source<T> {
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

impl<T: Scalar> Source<T> {
    /// The same in the dtype of the elements.
    fn rounded(self) -> Self {
        match self {
            Self::Constant(number) | Self::Wide(number) => {
                Self::Number(T::rounded(Complex64::new(number, 0.0)))
            }
            other => other,
        }
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
        Source::Constant(number) | Source::Wide(number) => {
            Operand::Number(T::rounded(Complex64::new(number, 0.0)))
        }
        Source::Register(at) => Operand::Slice(&registers.0[at][..len]),
    };
    match function {
        Function::Unary(function, a) => unary(function, operand(a), out),
        Function::Binary(function, a, b) => binary(function, operand(a), operand(b), out),
        Function::Combine(Combination { of_a, a, of_b, b }) => {
            combine(Combination { of_a, a: operand(a), of_b, b: operand(b) }, out);
        }
    }
}
