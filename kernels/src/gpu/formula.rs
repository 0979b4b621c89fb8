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

    /// `EXPRESSION(OF)` in terms of `OF(x0)`, `OF(y)`, `c0` and `w0`, and whether it `READS_Y`.
    pub(super) fn define(&self, text: &mut Text) {
        text.define("EXPRESSION(OF)", self.expression());
        text.flag("READS_Y", self.0.contains(&Step::Previous));
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
mod tests {
    use arrayspan_bridge::{Array, DType};

    use super::*;
    use crate::{Factor, Update, constant, input, previous};

    #[test]
    fn an_update_names_what_it_needs() {
        let text = |alpha: f64, beta: f64| {
            let factors = Factors::new("a test", Update::new(alpha, beta), DType::Float64).unwrap();
            Formula::update(&factors, Element(DType::Float64)).0.expression()
        };
        assert_eq!(text(1.0, 0.0), "OF(x0)");
        assert_eq!(text(1.0, 1.0), "e_add(OF(x0), OF(y))");
        let both = "e_add(e_mul(OF(x0), c0), e_mul(OF(y), c1))";
        assert_eq!(text(2.0, 3.0), both);
    }

    #[test]
    fn factors_on_the_device_are_read_once_and_a_beta_of_zero_there_makes_nothing_of_y() {
        let scalar = Array::from_slice(&[0.5], []).unwrap();
        let text = |update: Update<'_>, dtype| {
            let factors = Factors::new("a test", update, dtype).unwrap();
            let element = Element(dtype);
            let (formula, constants) = Formula::update(&factors, element);
            let [declared, prologue] = [formula.declare(element), formula.prologue(element)];
            (formula.expression(), declared, prologue, constants.len())
        };
        let place = |c: usize| format!(", const GLOBAL wide* RESTRICT c{c}_p, i64 c{c}_at");
        let (found, declared, prologue, count) =
            text(Update::new(&scalar, -Factor::from(&scalar)), DType::Complex64);
        assert_eq!(found, "e_add(e_mul(OF(x0), c0), e_mul_or_zero(OF(y), c1))");
        assert_eq!(declared, place(0) + &place(1) + ", wide c1_re, wide c1_im");
        let value = |name: &str| format!("(real)(c1_{name} * c1_p[c1_at])");
        let expected = format!(
            " const elem c0 = e_make((real)c0_p[c0_at], R(0.0)); const elem c1 = e_make({}, {});",
            value("re"),
            value("im")
        );
        assert_eq!((prologue, count), (expected, 2));
        // Known to be zero, whatever it is times.
        let none = text(Update::new(1.0, Factor::from(&scalar) * 0.0), DType::Float32);
        assert_eq!((none.0.as_str(), none.1.as_str(), none.3), ("OF(x0)", "", 0));
        // The number before a constant of the host keeps its place.
        let (found, declared, ..) = text(Update::new(2.0, &scalar), DType::Float32);
        assert_eq!(found, "e_add(e_mul(OF(x0), c0), e_mul_or_zero(OF(y), c1))");
        assert_eq!(declared, ", real c0_re".to_owned() + &place(1));
    }

    #[test]
    fn nested_products_are_written_once_each() {
        let nested = (0..40).fold(input(0), |all, _| input(0).mul_or_zero(all));
        let text = Formula::of(&nested).expression();
        assert_eq!(text.matches("OF(x0)").count(), 41);
        // Functions, not macros, which would write what stands in them again at every level.
        assert!(super::super::element::PRELUDE.contains("FN elem e_mul_or_zero("));
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
