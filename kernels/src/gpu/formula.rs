//! Expressions as keys of the kernel cache, and their kernel source.

use arrayspan_bridge::iteration::Text;
use num_complex::Complex64;

use super::element::Element;
use crate::Update;
use crate::expression::{Binary, Expression, Node, Unary};
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

    /// `alpha · x0 + beta · y` and its constants. With `beta = 0` it does not name `y`.
    pub(super) fn update(update: Update) -> (Self, Vec<Complex64>) {
        let mut steps = Vec::with_capacity(7);
        let mut constants = Vec::with_capacity(2);
        let mut term = |step: Step, factor: Complex64| {
            steps.push(step);
            if factor != Complex64::ONE {
                steps.extend([Step::Constant, Step::Binary(Binary::Multiply)]);
                constants.push(factor);
            }
        };
        term(Step::Input(0), update.alpha);
        if update.reads() {
            term(Step::Previous, update.beta);
            steps.push(Step::Binary(Binary::Add));
        }
        (Self(steps), constants)
    }

    /// For each constant whether it has the dtype of the numbers.
    pub(super) fn constants(&self) -> impl Iterator<Item = bool> {
        self.0.iter().filter_map(|step| match step {
            Step::Constant => Some(false),
            Step::WideConstant => Some(true),
            _ => None,
        })
    }

    /// The parameters for the constants, each after a comma.
    pub(super) fn declare(&self, element: Element) -> String {
        let declare = |(c, wide)| match (wide, element.is_complex()) {
            (true, _) => format!(", wide c{c}"),
            (false, false) => format!(", real c{c}_re"),
            (false, true) => format!(", real c{c}_re, real c{c}_im"),
        };
        self.constants().enumerate().map(declare).collect()
    }

    /// The statements that make `c0`, `c1`, … of the parameters, and `w0`, `w1`, … of the numbers.
    pub(super) fn prologue(&self, element: Element) -> String {
        let imaginary = |c| if element.is_complex() { format!("c{c}_im") } else { "R(0.0)".into() };
        let narrow = self.constants().enumerate().filter(|(_, wide)| !wide);
        let text = narrow.fold(String::new(), |text, (c, _)| {
            format!("{text} const elem c{c} = e_make(c{c}_re, {});", imaginary(c))
        });
        self.written().1.iter().enumerate().fold(text, |text, (w, value)| {
            format!("{text} const elem w{w} = e_make((real)({value}), R(0.0));")
        })
    }

    /// `EXPRESSION(OF)` in terms of `OF(x0)`, `OF(y)`, `c0` and `w0`, and whether it `READS_Y`.
    pub(super) fn define(&self, text: &mut Text) {
        text.define("EXPRESSION(OF)", self.expression());
        text.flag("READS_Y", self.0.contains(&Step::Previous));
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
                Step::Constant | Step::WideConstant => {
                    constants += 1;
                    let level = if *step == Step::Constant { 'e' } else { 'w' };
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
        Binary::Minimum => "min",
        Binary::Maximum => "max",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{constant, input, previous};

    #[test]
    fn an_update_names_what_it_needs() {
        let text = |alpha: f64, beta: f64| Formula::update(Update::new(alpha, beta)).0.expression();
        assert_eq!(text(1.0, 0.0), "OF(x0)");
        assert_eq!(text(1.0, 1.0), "e_add(OF(x0), OF(y))");
        let both = "e_add(e_mul(OF(x0), c0), e_mul(OF(y), c1))";
        assert_eq!(text(2.0, 3.0), both);
    }

    #[test]
    fn a_formula_knows_its_structure_and_not_its_constants() {
        let a = constant(2.0) * input(0) + previous();
        let b = constant(3.0) * input(0) + previous();
        assert_eq!(Formula::of(&a), Formula::of(&b));
        assert_ne!(Formula::of(&a), Formula::of(&(previous() + constant(2.0) * input(0))));
        let text = Formula::of(&(a - constant(1.0) / input(1).conj())).expression();
        let inner = "e_sub(e_add(e_mul(c0, OF(x0)), OF(y)), e_div(c1, e_conj(OF(x1))))";
        assert_eq!(text, inner);
    }

    #[test]
    fn numbers_of_a_wider_dtype_are_rounded_where_they_meet_elements() {
        let wide = |number: usize| number == 0 || number == 2;
        let ratio = constant(2.0) * input(0) / input(2);
        let formula = Formula::mixed(&(input(3) + ratio * input(1) * constant(3.0)), &wide);
        let (text, rounded) = formula.written();
        assert_eq!(text, "e_add(OF(x1), e_mul(e_mul(w0, OF(x0)), c1))");
        assert_eq!(rounded, ["w_div(w_mul(c0, s0[s0_at]), s1[s1_at])"]);
        assert_eq!(formula.constants().collect::<Vec<_>>(), [true, false]);
        let (text, rounded) = Formula::mixed(&-input(0), &wide).written();
        assert_eq!((text.as_str(), rounded), ("w0", vec!["w_neg(s0[s0_at])".to_owned()]));
    }
}
