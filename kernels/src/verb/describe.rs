//! What every call tells of itself.

use std::fmt;

use arrayspan_bridge::Operand;
use arrayspan_bridge::devices::Access;

use crate::Cost;

/// What the call of any verb tells of itself. One verb, one implementation.
pub trait Verb: fmt::Debug {
    /// The verb's name in errors and traces.
    fn name(&self) -> &'static str;

    /// Calls `visit` for each array, inputs first, with what the verb does with it. A written one may be read, too.
    fn for_each_operand(&self, visit: &mut dyn FnMut(OperandName, Access, &Operand<'_>));

    /// What it costs.
    fn cost(&self) -> Cost;
}

/// Which argument of a verb an array is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OperandName {
    /// One of the inputs of an expression.
    Input(usize),
    /// The only output.
    Output,
    /// One of several outputs.
    OutputOf(usize),
    /// The result of one of several dots.
    Dot(usize),
    /// One that the verb's formula names.
    Named(&'static str),
    /// One of a term of the verb's sum.
    OfTerm(&'static str, usize),
}

impl fmt::Display for OperandName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(number) => write!(f, "input {number}"),
            Self::OutputOf(number) => write!(f, "output {number}"),
            Self::Dot(number) => write!(f, "dot {number}"),
            Self::Output => f.write_str("the output"),
            Self::Named(name) => f.write_str(name),
            Self::OfTerm(name, term) => write!(f, "{name} of term {term}"),
        }
    }
}
