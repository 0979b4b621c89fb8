//! Sums and differences.

use std::ops::{Add, Sub};

use super::pair::{Kind, Pair};
use crate::{Error, LinearMap, Operator, Result};

/// `y = A x + B x`: the second term is added where the first one was written.
fn sum(operation: &'static str, left: Operator, right: Operator) -> Result<Operator> {
    let spaces = [(left.domain(), right.domain()), (left.range(), right.range())];
    if let Some((left, right)) = spaces.into_iter().find(|(left, right)| left != right) {
        return Err(Error::Spaces { operation, left: left.clone(), right: right.clone() });
    }
    Pair::of(Kind::Sum, operation, [left, right])
}

/// `A + B`; [`Error::Spaces`] unless both have the same domain and range, [`Error::Devices`] when they
/// live on different devices.
impl<B: LinearMap + 'static> Add<B> for Operator {
    type Output = Result<Operator>;

    fn add(self, other: B) -> Result<Operator> {
        sum("+", self, Operator::new(other))
    }
}

/// `A - B`; errors as for `A + B`.
impl<B: LinearMap + 'static> Sub<B> for Operator {
    type Output = Result<Operator>;

    fn sub(self, other: B) -> Result<Operator> {
        sum("-", self, -Operator::new(other))
    }
}
