//! Operators as text.

use std::fmt;

use super::node::Kind;
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
        let (factor, node) = (operator.factor(), operator.node());
        if factor != 1.0.into() {
            write!(f, "{} ", number::text(factor))?;
        }
        let mark = operator.orientation().mark();
        let between = match node.kind() {
            Kind::Sum => " + ",
            Kind::Product => " ",
            _ => {
                written += 1;
                write!(f, "{}{mark}", node.name())?;
                continue;
            }
        };
        // A sum among terms and a product among factors need no brackets.
        let inside = |part: &Operator| {
            let plain = part.factor() == 1.0.into() && part.orientation().mark().is_empty();
            let same =
                std::mem::discriminant(part.node().kind()) == std::mem::discriminant(node.kind());
            matches!(part.node().kind(), Kind::Sum | Kind::Product) && !(same && plain)
        };
        if brackets || factor != 1.0.into() || !mark.is_empty() {
            f.write_str("(")?;
            left.push(Piece::Text(mark));
            left.push(Piece::Text(")"));
        }
        for (at, part) in node.parts().iter().enumerate().rev() {
            left.push(Piece::Operator(part, inside(part)));
            if at > 0 {
                left.push(Piece::Text(between));
            }
        }
    }
    write!(f, ": {} to {}", operator.domain(), operator.range())
}
