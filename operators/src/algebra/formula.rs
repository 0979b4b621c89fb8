//! Operators as text.

use std::fmt;

use super::operator::{Made, Node};
use super::pair::Kind;
use crate::{LinearMap, Operator, number};

/// Terms and factors that are written; the rest is `…`.
const MOST: usize = 32;

enum Piece<'a> {
    Text(&'static str),
    /// An operator, and whether what is made of several goes in brackets.
    Operator(&'a Operator, bool),
}

/// Writes the formula of an operator, as `(2.0 FirstDerivative + Identity) vstackᴴ: Float64 [3] to Float64 [5]`.
pub(super) fn write(operator: &Operator, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut left = vec![Piece::Operator(operator, false)];
    let mut written = 0;
    while let Some(piece) = left.pop() {
        let (operator, brackets) = match piece {
            Piece::Text(text) => {
                f.write_str(text)?;
                continue;
            }
            Piece::Operator(operator, brackets) => (operator, brackets),
        };
        if written == MOST {
            f.write_str("…")?;
            break;
        }
        if operator.factor != 1.0.into() {
            write!(f, "{} ", number::text(operator.factor))?;
        }
        match operator.node.made() {
            Made::Whole(map) => {
                written += 1;
                write!(f, "{}{}", map.name(), if operator.adjoint { "ᴴ" } else { "" })?;
            }
            Made::OfTwo(pair) => {
                let plain = operator.factor == 1.0.into() && !operator.adjoint;
                let between = if pair.kind() == Kind::Sum { " + " } else { " " };
                let [a, b] = pair.parts() else { unreachable!("a pair has two parts") };
                // A sum among terms and a product among factors need none.
                let inside = |part: &Operator| match &part.node {
                    Node::Pair(inner) => {
                        inner.kind() != pair.kind() || part.adjoint || part.factor != 1.0.into()
                    }
                    _ => false,
                };
                let brackets = brackets || !plain;
                if brackets {
                    f.write_str("(")?;
                    left.push(Piece::Text(if operator.adjoint { ")ᴴ" } else { ")" }));
                }
                left.push(Piece::Operator(b, inside(b)));
                left.push(Piece::Text(between));
                left.push(Piece::Operator(a, inside(a)));
            }
        }
    }
    write!(f, ": {} to {}", operator.domain(), operator.range())
}
