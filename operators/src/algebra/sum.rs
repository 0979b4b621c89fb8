//! Sums.

use super::node::{Facts, Kind, Node};
use super::places::together;
use crate::{Error, LinearMap, Operator, Result};

/// `y = A x + B x`
pub(super) fn sum(operation: &str, left: &Operator, right: &Operator) -> Result<Operator> {
    let spaces =
        [("domain", left.domain(), right.domain()), ("range", left.range(), right.range())];
    if let Some((side, one, other)) = spaces.into_iter().find(|(_, one, other)| one != other) {
        let which = format!("{side} of {} and {side} of {}", left.name(), right.name());
        return Err(Error::spaces(operation, which, one, other));
    }
    left.range().stored(operation)?;
    let parts = vec![left.clone(), right.clone()];
    let devices = together(operation, &parts)?;
    let facts = Facts {
        gains: [false, true].map(|adjoint| left.gain(adjoint).union(right.gain(adjoint))),
        levels: left.levels().max(right.levels()),
        linear: left.is_linear() && right.is_linear(),
    };
    let spaces = (left.domain().clone(), left.range().clone());
    Ok(Operator::with(Node::new(Kind::Sum, parts, spaces, devices, facts)))
}
