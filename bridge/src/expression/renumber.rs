//! Expressions of other inputs.

use std::collections::HashMap;
use std::sync::Arc;

use smallvec::{SmallVec, smallvec};

use super::{Expression, Node, input};

/// Of more operations than these, what was made of a node is remembered: with parts that are shared, the number of
/// paths to a node can grow exponentially.
const FEW: usize = 64;

impl Expression {
    /// The same with input `number(i)` for each input `i`. Parts that are shared stay shared, where there are many.
    #[must_use]
    pub fn renumbered(&self, number: impl Fn(usize) -> usize) -> Self {
        self.substituted(|node| match node {
            Node::Input(before) => Some(input(number(*before))),
            _ => None,
        })
    }

    /// The same with what `leaf` gives in place of an input, of `previous()` or of a constant; these stay where it gives nothing.
    /// Parts that are shared stay shared, where there are many.
    #[must_use]
    pub fn substituted(&self, leaf: impl Fn(&Node) -> Option<Self>) -> Self {
        let remember = self.operations() > FEW;
        let mut made: HashMap<_, Self> = HashMap::new();
        let mut results: SmallVec<[Self; 8]> = SmallVec::new();
        let mut rest: SmallVec<[(&Self, bool); 12]> = smallvec![(self, false)];
        while let Some((expression, ready)) = rest.pop() {
            let place = Arc::as_ptr(&expression.0);
            if let Some(known) = made.get(&place) {
                results.push(known.clone());
                continue;
            }
            let [a, b] = expression.node().operands();
            if let (Some(a), false) = (a, ready) {
                rest.push((expression, true));
                rest.extend(b.map(|b| (b, false)));
                rest.push((a, false));
                continue;
            }
            let mut operand = || results.pop().unwrap_or_else(|| expression.clone());
            let result: Self = match expression.node() {
                node @ (Node::Input(_) | Node::Previous | Node::Constant(_)) => {
                    leaf(node).unwrap_or_else(|| expression.clone())
                }
                Node::Unary(function, _) => Node::Unary(*function, operand()).into(),
                Node::Binary(function, ..) => {
                    let b = operand();
                    Node::Binary(*function, operand(), b).into()
                }
            };
            if remember {
                made.insert(place, result.clone());
            }
            results.push(result);
        }
        results.pop().unwrap_or_else(|| self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Node, constant, input, previous};

    #[test]
    fn inputs_get_other_numbers_and_nothing_else_changes() {
        let of = |[a, b]: [usize; 2]| {
            (input(a) - constant(2.0) * input(b).conj()) / previous().max(input(a))
        };
        assert_eq!(of([0, 1]).renumbered(|i| [5, 3][i]), of([5, 3]));
        assert_eq!(of([1, 0]).renumbered(|i| i), of([1, 0]));
        assert_eq!(constant(1.0).renumbered(|i| i + 1), constant(1.0));
    }

    #[test]
    fn expressions_take_the_place_of_leaves() {
        let of = |previous| input(0) * input(1) + previous;
        let leaf = |node: &Node| match node {
            Node::Previous => Some(input(1) - constant(2.0)),
            Node::Input(0) => Some(previous()),
            _ => None,
        };
        let expected = previous() * input(1) + (input(1) - constant(2.0));
        assert_eq!(of(previous()).substituted(leaf), expected);
    }

    #[test]
    fn what_is_shared_is_renumbered_once() {
        let doubled = |first| (0..200).fold(input(first), |sum, _| sum.clone() + sum);
        assert_eq!(doubled(0).renumbered(|i| i + 7), doubled(7));
    }

    #[test]
    fn depth_is_no_matter() {
        let long = |first| (0..100_000).fold(input(first), |sum, _| input(first) + sum);
        assert_eq!(long(0).renumbered(|_| 2), long(2));
    }
}
