//! The constants of a formula that come from an update: numbers of the host, as arguments, or numbers on the device, which
//! each thread reads.

use arrayspan_bridge::DType;
use arrayspan_bridge::iteration::Arguments;
use num_complex::Complex64;

use super::element::Element;
use crate::factors::FactorOf;

/// A constant that is read from memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Loaded {
    kind: Kind,
    /// Whether it is multiplied by a number that is an argument.
    scaled: bool,
}

/// The type of a constant in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    /// That of elements, which are complex.
    Complex,
    /// That of their parts.
    Real,
    /// A real one that is wider, and so of 64 bits.
    Wide,
}

impl Loaded {
    /// A factor of elements, if it is on the device.
    pub(super) fn of(factor: FactorOf<'_>, element: Element) -> Option<Self> {
        let kind = match factor.loaded?.dtype() {
            dtype if dtype.is_complex() => Kind::Complex,
            dtype if dtype == element.computed().real() => Kind::Real,
            _ => Kind::Wide,
        };
        Some(Self { kind, scaled: factor.number != Complex64::ONE })
    }

    /// Whether it is of the type `wide`.
    pub(super) fn is_wide(self) -> bool {
        self.kind == Kind::Wide
    }

    /// The parameters of constant `c`, each after a comma.
    pub(super) fn declare(self, c: usize, element: Element) -> String {
        let of = if self.kind == Kind::Complex { "elem" } else { self.real() };
        let place = format!(", const GLOBAL {of}* RESTRICT c{c}_p, i64 c{c}_at");
        match (self.scaled, element.is_complex()) {
            (false, _) => place,
            (true, false) => format!("{place}, {} c{c}_re", self.real()),
            (true, true) => format!("{place}, {0} c{c}_re, {0} c{c}_im", self.real()),
        }
    }

    /// The value of constant `c`. Real numbers are multiplied as wide as they are, and rounded then.
    pub(super) fn value(self, c: usize, element: Element) -> String {
        let found = format!("c{c}_p[c{c}_at]");
        let part = |name: &str| format!("(real)(c{c}_{name} * {found})");
        match (self.kind, self.scaled) {
            (Kind::Complex, false) => found,
            (Kind::Complex, true) => format!("e_mul(e_make(c{c}_re, c{c}_im), {found})"),
            (_, false) => format!("e_make((real){found}, R(0.0))"),
            (_, true) if element.is_complex() => format!("e_make({}, {})", part("re"), part("im")),
            (_, true) => format!("e_make({}, R(0.0))", part("re")),
        }
    }

    /// The type of its parts.
    fn real(self) -> &'static str {
        if self.is_wide() { "wide" } else { "real" }
    }
}

/// How many arguments constants are at most.
pub(super) fn count(constants: &[FactorOf<'_>]) -> usize {
    let each = constants.iter().map(|constant| if constant.loaded.is_some() { 4 } else { 2 });
    each.sum()
}

/// The arguments for what constants of kernels for these elements declare.
pub(super) fn push<'m>(
    arguments: &mut Arguments<'m>,
    constants: &[FactorOf<'m>],
    element: Element,
) {
    for constant in constants {
        let Some(operand) = constant.loaded else {
            arguments.numbers(&[constant.number], element.computed());
            continue;
        };
        arguments.read(operand.memory(), operand.layout().offset());
        if constant.number != Complex64::ONE {
            arguments.numbers(&[constant.number], beside(operand.dtype(), element));
        }
    }
}

/// The dtype of what multiplies a number of `dtype`: as wide, and complex if elements are.
fn beside(dtype: DType, element: Element) -> DType {
    match (dtype.real(), element.is_complex()) {
        (DType::Float64, true) => DType::Complex128,
        (_, true) => DType::Complex64,
        (real, false) => real,
    }
}
