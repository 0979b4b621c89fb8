//! Sums.

use super::common_device;
use super::node::{Facts, Kind, Node};
use crate::{Error, LinearMap, Operator, Result};

/// `y = A x + B x`
pub(super) fn sum(operation: &str, left: &Operator, right: &Operator) -> Result<Operator> {
    let spaces = [(left.domain(), right.domain()), (left.range(), right.range())];
    if let Some((left, right)) = spaces.into_iter().find(|(left, right)| left != right) {
        return Err(Error::spaces(operation, left, right));
    }
    let parts = vec![left.clone(), right.clone()];
    let device = common_device(operation, &parts)?;
    let facts = Facts {
        gains: [false, true].map(|adjoint| left.gain(adjoint).union(right.gain(adjoint))),
        levels: left.levels().max(right.levels()),
    };
    let spaces = (left.domain().clone(), left.range().clone());
    Ok(Operator::with(Node::new(Kind::Sum, parts, spaces, device, facts)))
}
