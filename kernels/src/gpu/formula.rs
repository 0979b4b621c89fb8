//! Expressions as keys of the kernel cache, and their kernel source.

use arrayspan_bridge::iteration::Text;

use super::constants::Loaded;
use super::element::Element;
use crate::expression::{Binary, Expression, Node, Unary};
use crate::factors::{FactorOf, Factors};
use crate::level::Level;

/// An expression without the values of its constants, operands before their operation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Formula(Vec<Step>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Step {
    /// An input of the elements' dtype, by its place among those.
    Input(usize),
    /// A number of a wider dtype, by its place among those.
    Number(usize),
    Previous,
    Constant,
    /// A constant in the dtype of the numbers.
    WideConstant,
    /// A constant that is read from memory.
    Loaded(Loaded),
    Unary(Unary),
    Binary(Binary),
    /// From the dtype of the numbers to that of the elements.
    Round,
}

impl Formula {
    /// Of inputs of one dtype.
    pub(super) fn of(expression: &Expression) -> Self {
        Self::mixed(expression, &|_| false)
    }

    /// Of inputs of which those that `wide` names are numbers of a wider dtype.
    pub(super) fn mixed(expression: &Expression, wide: &impl Fn(usize) -> bool) -> Self {
        let mut formula = Self(Vec::with_capacity(16));
        // Each operand's level, and where its steps end.
        let mut operands: Vec<(Level, usize)> = Vec::with_capacity(8);
        for node in expression.nodes() {
            let mut operand = || operands.pop().unwrap_or((Level::Element, 0));
            let level = match node.node() {
                Node::Input(number) => formula.input(*number, wide),
                Node::Previous => formula.push(Step::Previous, Level::Element),
                Node::Constant(value) if value.im == 0.0 => {
                    formula.push(Step::Constant, Level::Constant)
                }
                Node::Constant(_) => formula.push(Step::Constant, Level::Element),
                Node::Unary(function, _) => {
                    let (level, _) = operand();
                    formula.push(Step::Unary(*function), level.of_unary())
                }
                Node::Binary(function, ..) => {
                    let ((right, end), (left, after_left)) = (operand(), operand());
                    let level = left.of_binary(right);
                    // From the right, so that the place of the left operand's last step stays.
                    formula.meet(end, right, level);
                    formula.meet(after_left, left, level);
                    formula.push(Step::Binary(*function), level)
                }
            };
            operands.push((level, formula.0.len()));
        }
        if operands.last().is_some_and(|(level, _)| *level == Level::Number) {
            formula.0.push(Step::Round);
        }
        formula
    }

    fn input(&mut self, number: usize, wide: &impl Fn(usize) -> bool) -> Level {
        let before = (0..number).filter(|other| wide(*other)).count();
        if wide(number) {
            return self.push(Step::Number(before), Level::Number);
        }
        self.push(Step::Input(number - before), Level::Element)
    }

    fn push(&mut self, step: Step, level: Level) -> Level {
        self.0.push(step);
        level
    }

    /// Makes the operand whose last step is before `end` one of the level that its operation is computed with.
    fn meet(&mut self, end: usize, operand: Level, operation: Level) {
        match (operand, operation) {
            (Level::Number, Level::Element) => self.0.insert(end, Step::Round),
            // A constant is a single step.
            (Level::Constant, Level::Number) => self.0[end - 1] = Step::WideConstant,
            _ => {}
        }
    }

    /// `alpha · x0 + beta · y` and its constants. With `beta = 0` it does not name `y`; where the device finds a `beta` of 0, `y`
    /// may be anything.
    pub(super) fn update<'f>(
        factors: &'f Factors<'_>,
        element: Element,
    ) -> (Self, Vec<FactorOf<'f>>) {
        let mut steps = Vec::with_capacity(7);
        let mut constants = Vec::with_capacity(2);
        let mut term = |step: Step, factor: FactorOf<'f>, product: Binary| {
            steps.push(step);
            if !factor.is_one() {
                steps.extend([Step::of(factor, element), Step::Binary(product)]);
                constants.push(factor);
            }
        };
        let [alpha, beta] = factors.each();
        term(Step::Input(0), alpha, Binary::Multiply);
        if factors.reads() {
            let unknown = beta.loaded.is_some();
            let product = if unknown { Binary::MultiplyOrZero } else { Binary::Multiply };
            term(Step::Previous, beta, product);
            steps.push(Step::Binary(Binary::Add));
        }
        (Self(steps), constants)
    }

    /// Nothing but two constants.
    pub(super) fn of_factors(factors: [FactorOf<'_>; 2], element: Element) -> Self {
        Self(factors.map(|factor| Step::of(factor, element)).to_vec())
    }

    /// For each constant that is an argument whether it has the dtype of the numbers.
    pub(super) fn constants(&self) -> impl Iterator<Item = bool> {
        let arguments = self.numbered().filter(|step| !matches!(step, Step::Loaded(_)));
        arguments.map(|step| step == Step::WideConstant)
    }

    /// The constants, in the order of their numbers.
    fn numbered(&self) -> impl Iterator<Item = Step> {
        let all = self.0.iter().copied();
        all.filter(|step| matches!(step, Step::Constant | Step::WideConstant | Step::Loaded(_)))
    }

    /// The parameters for the constants, each after a comma.
    pub(super) fn declare(&self, element: Element) -> String {
        let declare = |(c, step)| match (step, element.is_complex()) {
            (Step::Loaded(loaded), _) => loaded.declare(c, element),
            (Step::WideConstant, _) => format!(", wide c{c}"),
            (_, false) => format!(", real c{c}_re"),
            (_, true) => format!(", real c{c}_re, real c{c}_im"),
        };
        self.numbered().enumerate().map(declare).collect()
    }

    /// The statements that make `c0`, `c1`, … of the parameters, and `w0`, `w1`, … of the numbers.
    pub(super) fn prologue(&self, element: Element) -> String {
        let imaginary = |c| if element.is_complex() { format!("c{c}_im") } else { "R(0.0)".into() };
        let narrow = self.numbered().enumerate().filter(|(_, step)| *step != Step::WideConstant);
        let text = narrow.fold(String::new(), |text, (c, step)| {
            let value = match step {
                Step::Loaded(loaded) => loaded.value(c, element),
                _ => format!("e_make(c{c}_re, {})", imaginary(c)),
            };
            format!("{text} const elem c{c} = {value};")
        });
        self.written().1.iter().enumerate().fold(text, |text, (w, value)| {
            format!("{text} const elem w{w} = e_make((real)({value}), R(0.0));")
        })
    }

    /// Whether it is of what the output held, too.
    pub(super) fn reads_output(&self) -> bool {
        self.0.contains(&Step::Previous)
    }

    /// `EXPRESSION(OF)` in terms of `OF(x0)`, `OF(y)`, `c0` and `w0`, and whether it `READS_Y`.
    pub(super) fn define(&self, text: &mut Text) {
        text.define("EXPRESSION(OF)", self.expression());
        text.flag("READS_Y", self.reads_output());
        if self.0.iter().any(|step| matches!(step, Step::Loaded(loaded) if loaded.is_wide())) {
            text.define("NUMBER_BITS", 64);
        }
    }

    fn expression(&self) -> String {
        self.written().0
    }

    /// The expression, and those of numbers whose rounded values it calls `w0`, `w1`, ….
    fn written(&self) -> (String, Vec<String>) {
        // Each operand, and the letter of the functions it is computed with.
        let mut operands: Vec<(String, char)> = Vec::new();
        let (mut constants, mut rounded) = (0, Vec::new());
        for step in &self.0 {
            let term = match step {
                Step::Input(number) => (format!("OF(x{number})"), 'e'),
                Step::Number(number) => (format!("s{number}[s{number}_at]"), 'w'),
                Step::Previous => ("OF(y)".into(), 'e'),
                Step::Constant | Step::WideConstant | Step::Loaded(_) => {
                    constants += 1;
                    let level = if *step == Step::WideConstant { 'w' } else { 'e' };
                    (format!("c{}", constants - 1), level)
                }
                Step::Unary(function) => {
                    let (a, level) = operands.pop().unwrap_or_default();
                    (format!("{level}_{}({a})", unary(*function)), level)
                }
                Step::Binary(function) => {
                    let (right, _) = operands.pop().unwrap_or_default();
                    let (left, level) = operands.pop().unwrap_or_default();
                    (format!("{level}_{}({left}, {right})", binary(*function)), level)
                }
                Step::Round => {
                    rounded.push(operands.pop().unwrap_or_default().0);
                    (format!("w{}", rounded.len() - 1), 'e')
                }
            };
            operands.push(term);
        }
        (operands.pop().unwrap_or_default().0, rounded)
    }
}

impl Step {
    /// A factor as a constant.
    fn of(factor: FactorOf<'_>, element: Element) -> Self {
        Loaded::of(factor, element).map_or(Self::Constant, Self::Loaded)
    }
}

pub(super) fn unary(function: Unary) -> &'static str {
    match function {
        Unary::Negate => "neg",
        Unary::Conjugate => "conj",
        Unary::Real => "re",
        Unary::Imaginary => "im",
        Unary::Absolute => "abs",
        Unary::AbsoluteSquare => "abs2",
        Unary::SquareRoot => "sqrt",
    }
}

pub(super) fn binary(function: Binary) -> &'static str {
    match function {
        Binary::Add => "add",
        Binary::Subtract => "sub",
        Binary::Multiply => "mul",
        Binary::Divide => "div",
        Binary::DivideOrZero => "div_or_zero",
        Binary::MultiplyOrZero => "mul_or_zero",
        Binary::Minimum => "min",
        Binary::Maximum => "max",
    }
}

#[cfg(test)]
mod tests;
