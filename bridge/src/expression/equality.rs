//! Which expressions are equal.

use std::collections::HashSet;
use std::sync::Arc;

use super::{Expression, Node};

/// Of more operations than these, pairs that were compared are remembered: with parts that are shared, the number of
/// paths to a node can grow exponentially.
const FEW: usize = 256;

/// Equal by structure and by constants, in which both zeros are equal; the same node is equal to itself.
impl PartialEq for Expression {
    fn eq(&self, other: &Self) -> bool {
        let remember = self.operations() > FEW;
        let mut seen = HashSet::new();
        let mut pairs = vec![(self, other)];
        while let Some((a, b)) = pairs.pop() {
            let places = (Arc::as_ptr(&a.0), Arc::as_ptr(&b.0));
            if places.0 == places.1 || (remember && !seen.insert(places)) {
                continue;
            }
            if a.operations() != b.operations() || a.inputs() != b.inputs() {
                return false;
            }
            match (a.node(), b.node()) {
                (Node::Input(a), Node::Input(b)) if a == b => {}
                (Node::Previous, Node::Previous) => {}
                (Node::Constant(a), Node::Constant(b)) if a == b => {}
                (Node::Unary(f, a), Node::Unary(g, b)) if f == g => pairs.push((a, b)),
                (Node::Binary(f, a, b), Node::Binary(g, c, d)) if f == g => {
                    pairs.extend([(a, c), (b, d)]);
                }
                _ => return false,
            }
        }
        true
    }
}
