//! Expressions as keys and as source.

use arrayspan_bridge::index::Text;
use num_complex::Complex64;

use super::element::Element;
use crate::Update;
use crate::expression::{Binary, Expression, Unary};

/// An expression without the values of its constants, operands before their operation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Formula(Vec<Step>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Step {
    Input(usize),
    Previous,
    Constant,
    Unary(Unary),
    Binary(Binary),
}

impl Formula {
    pub(super) fn of(expression: &Expression) -> Self {
        Self(expression.fold(Vec::with_capacity(16), &mut |mut steps, node| {
            steps.push(match node {
                Expression::Input(number) => Step::Input(*number),
                Expression::Previous => Step::Previous,
                Expression::Constant(_) => Step::Constant,
                Expression::Unary(function, _) => Step::Unary(*function),
                Expression::Binary(function, ..) => Step::Binary(*function),
            });
            steps
        }))
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

    fn constants(&self) -> usize {
        self.0.iter().filter(|step| matches!(step, Step::Constant)).count()
    }

    /// The parameters for the constants, each after a comma.
    pub(super) fn declare(&self, element: Element) -> String {
        let parts = if element.is_complex() { &["re", "im"][..] } else { &["re"] };
        let names = (0..self.constants()).flat_map(|c| parts.iter().map(move |p| (c, p)));
        names.fold(String::new(), |text, (c, part)| format!("{text}, real c{c}_{part}"))
    }

    /// The statements that make `c0`, `c1`, … of the parameters.
    pub(super) fn prologue(&self, element: Element) -> String {
        let imaginary = |c| if element.is_complex() { format!("c{c}_im") } else { "R(0.0)".into() };
        (0..self.constants()).fold(String::new(), |text, c| {
            format!("{text} const elem c{c} = e_make(c{c}_re, {});", imaginary(c))
        })
    }

    /// `EXPRESSION(OF)` in terms of `OF(x0)`, `OF(y)` and `c0`, and whether it `READS_Y`.
    pub(super) fn define(&self, text: &mut Text) {
        text.define("EXPRESSION(OF)", self.expression());
        text.flag("READS_Y", self.0.contains(&Step::Previous));
    }

    fn expression(&self) -> String {
        let mut operands: Vec<String> = Vec::new();
        let mut constants = 0;
        for step in &self.0 {
            let term = match step {
                Step::Input(number) => format!("OF(x{number})"),
                Step::Previous => "OF(y)".into(),
                Step::Constant => {
                    constants += 1;
                    format!("c{}", constants - 1)
                }
                Step::Unary(function) => {
                    format!("{}({})", unary(*function), operands.pop().unwrap_or_default())
                }
                Step::Binary(function) => {
                    let right = operands.pop().unwrap_or_default();
                    let left = operands.pop().unwrap_or_default();
                    format!("{}({left}, {right})", binary(*function))
                }
            };
            operands.push(term);
        }
        operands.pop().unwrap_or_default()
    }
}

fn unary(function: Unary) -> &'static str {
    match function {
        Unary::Negate => "e_neg",
        Unary::Conjugate => "e_conj",
        Unary::Real => "e_re",
        Unary::Imaginary => "e_im",
        Unary::Absolute => "e_abs",
        Unary::AbsoluteSquare => "e_abs2",
        Unary::SquareRoot => "e_sqrt",
    }
}

fn binary(function: Binary) -> &'static str {
    match function {
        Binary::Add => "e_add",
        Binary::Subtract => "e_sub",
        Binary::Multiply => "e_mul",
        Binary::Divide => "e_div",
        Binary::DivideOrZero => "e_div_or_zero",
        Binary::Minimum => "e_min",
        Binary::Maximum => "e_max",
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
}
