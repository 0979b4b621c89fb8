//! Products.

use super::pair::{Kind, Pair};
use crate::{Error, LinearMap, Operator, Result};

/// `y = A (B x)`, with the result between them in the workspace; a chain of any number has at most two such results.
pub(crate) fn product(outer: Operator, inner: Operator) -> Result<Operator> {
    if outer.domain() != inner.range() {
        return Err(Error::Spaces {
            operation: "after",
            left: outer.domain().clone(),
            right: inner.range().clone(),
        });
    }
    Pair::of(Kind::Product, "after", [outer, inner])
}
