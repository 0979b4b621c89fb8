//! Several expressions over real and complex arrays of one precision, as one list of steps: each part that they share
//! is computed once, and in complex numbers only what has an imaginary part.

use std::collections::HashMap;

use arrayspan_bridge::expression::{Binary, Expression, Node, Unary};
use num_complex::Complex64;

use crate::host::constants;

/// What a step is computed in, from what is known first to what is known last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Kind {
    /// A real dtype at least as wide as elements, once for all of them.
    Number,
    /// The real dtype of complex elements.
    Real,
    /// The elements' dtype.
    Element,
}

/// What a step does with the results of earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Op {
    /// The element of this input.
    Input(usize),
    /// What this output held.
    Previous(usize),
    /// The constant in this place.
    Constant(usize),
    /// The result of a step, in this step's kind.
    Convert(usize),
    /// A function of one result.
    Unary(Unary, usize),
    /// A function of two results of this step's kind.
    Binary(Binary, usize, usize),
}

/// One step and what it is computed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Step {
    pub(crate) op: Op,
    pub(crate) kind: Kind,
}

/// Steps, and those whose results the outputs are. The values of constants are no part of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Program {
    pub(crate) steps: Vec<Step>,
    pub(crate) results: Vec<usize>,
}

/// Why an expression cannot be computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It takes the smaller or larger one of complex numbers.
    Unordered,
    /// Its output is real and it has an imaginary part.
    Complex,
}

/// What the parts of an expression are while it is read.
#[derive(Clone, Copy, Debug)]
enum Part {
    Constant(Complex64),
    Step(usize),
}

/// Reads expressions one after the other.
struct Builder<'k> {
    inputs: &'k [Kind],
    /// Of the outputs: what they held follows the inputs.
    outs: Vec<Kind>,
    /// Whether elements are complex.
    complex: bool,
    steps: Vec<Step>,
    constants: Vec<Complex64>,
    /// Where steps are, but for the first [`FEW`].
    known: HashMap<Step, usize>,
}

/// Steps that are looked through one by one: most calls have no more, and hashing would take longer.
const FEW: usize = 32;

impl Program {
    /// Of expressions with the kind of each one's output, and inputs of these kinds; `complex` if elements are. Also its
    /// constants.
    ///
    /// # Errors
    /// The number of an expression that cannot be computed, and why.
    pub(crate) fn new(
        outputs: &[(&Expression, Kind)],
        inputs: &[Kind],
        complex: bool,
    ) -> Result<(Self, Vec<Complex64>), (usize, Refusal)> {
        let (steps, constants, known) = (Vec::with_capacity(16), Vec::new(), HashMap::new());
        let outs = outputs.iter().map(|(_, kind)| *kind).collect();
        let mut builder = Builder { inputs, outs, complex, steps, constants, known };
        let mut results = Vec::with_capacity(outputs.len());
        for (number, (expression, kind)) in outputs.iter().enumerate() {
            let part = builder.read(expression, number, *kind);
            let fits = |part: Part| match part {
                Part::Constant(value) => *kind == Kind::Element || value.im == 0.0,
                Part::Step(at) => builder.steps[at].kind <= *kind,
            };
            match part {
                Ok(part) if fits(part) => results.push(builder.as_kind(part, *kind)),
                Ok(_) => return Err((number, Refusal::Complex)),
                Err(refusal) => return Err((number, refusal)),
            }
        }
        Ok((Self { steps: builder.steps, results }, builder.constants))
    }
}

impl Program {
    /// What is computed for each element, of numbers that are not the same for all of them.
    pub(crate) fn operations(&self) -> usize {
        let computed = |step: &&Step| {
            matches!(step.op, Op::Unary(..) | Op::Binary(..)) && step.kind != Kind::Number
        };
        self.steps.iter().filter(computed).count()
    }
}

impl Builder<'_> {
    /// Adds the steps of an expression for the output with this number and kind.
    fn read(&mut self, expression: &Expression, out: usize, kind: Kind) -> Result<Part, Refusal> {
        let mut parts: Vec<Part> = Vec::with_capacity(8);
        for node in expression.nodes() {
            let mut operand = || parts.pop().unwrap_or(Part::Constant(Complex64::ZERO));
            let part = match node.node() {
                Node::Input(number) if *number < self.inputs.len() => {
                    self.step(Op::Input(*number), self.inputs[*number])
                }
                Node::Input(number) => {
                    let held = *number - self.inputs.len();
                    let kind = self.outs.get(held).copied().unwrap_or(Kind::Element);
                    self.step(Op::Previous(held), kind)
                }
                Node::Previous => self.step(Op::Previous(out), kind),
                Node::Constant(value) => Part::Constant(*value),
                Node::Unary(function, _) => self.unary(*function, operand()),
                Node::Binary(function, ..) => {
                    let (b, a) = (operand(), operand());
                    self.binary(*function, a, b)?
                }
            };
            parts.push(part);
        }
        Ok(parts.pop().unwrap_or(Part::Constant(Complex64::ZERO)))
    }

    fn unary(&mut self, function: Unary, a: Part) -> Part {
        use Unary::{Absolute, AbsoluteSquare, Conjugate, Imaginary, Real};
        let at = match a {
            Part::Constant(a) => {
                return Part::Constant(constants::unary(self.complex, function, a));
            }
            Part::Step(at) => at,
        };
        let kind = self.steps[at].kind;
        let complex = self.complex && kind == Kind::Element;
        match function {
            Real | Conjugate if !complex => a,
            Real | Imaginary | Absolute | AbsoluteSquare if complex => {
                self.step(Op::Unary(function, at), Kind::Real)
            }
            _ => self.step(Op::Unary(function, at), kind),
        }
    }

    fn binary(&mut self, function: Binary, a: Part, b: Part) -> Result<Part, Refusal> {
        let ordered = matches!(function, Binary::Minimum | Binary::Maximum);
        if let (Part::Constant(a), Part::Constant(b)) = (a, b) {
            if ordered && (a.im != 0.0 || b.im != 0.0) {
                return Err(Refusal::Unordered);
            }
            return Ok(Part::Constant(constants::binary(self.complex, function, a, b)));
        }
        let kind = self.kind(a).max(self.kind(b));
        if ordered && self.complex && kind == Kind::Element {
            return Err(Refusal::Unordered);
        }
        let (a, b) = (self.as_kind(a, kind), self.as_kind(b, kind));
        Ok(self.step(Op::Binary(function, a, b), kind))
    }

    /// The least kind a part can be computed in.
    fn kind(&self, part: Part) -> Kind {
        match part {
            Part::Constant(value) if value.im == 0.0 => Kind::Number,
            Part::Constant(_) => Kind::Element,
            Part::Step(at) => self.steps[at].kind,
        }
    }

    /// The step whose result is that part in this kind, which is none before its own.
    fn as_kind(&mut self, part: Part, kind: Kind) -> usize {
        let op = match part {
            Part::Step(at) if self.steps[at].kind == kind => return at,
            Part::Step(at) => Op::Convert(at),
            Part::Constant(value) => {
                let bits = |value: &Complex64| [value.re.to_bits(), value.im.to_bits()];
                let there = self.constants.iter().position(|known| bits(known) == bits(&value));
                Op::Constant(there.unwrap_or_else(|| {
                    self.constants.push(value);
                    self.constants.len() - 1
                }))
            }
        };
        self.add(Step { op, kind })
    }

    fn step(&mut self, op: Op, kind: Kind) -> Part {
        Part::Step(self.add(Step { op, kind }))
    }

    /// The number of a step, added if there is none like it.
    fn add(&mut self, step: Step) -> usize {
        let first = &self.steps[..self.steps.len().min(FEW)];
        if let Some(at) = first.iter().position(|known| *known == step) {
            return at;
        }
        if self.steps.len() < FEW {
            self.steps.push(step);
            return self.steps.len() - 1;
        }
        *self.known.entry(step).or_insert_with(|| {
            self.steps.push(step);
            self.steps.len() - 1
        })
    }
}
