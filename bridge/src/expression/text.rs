//! Expressions in messages.

use std::fmt;

use super::{Expression, Node};

/// Longer ones say how long they are, and no more.
const LONGEST: usize = 64;

impl fmt::Debug for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let operations = self.operations();
        if operations > LONGEST {
            return write!(f, "Expression({operations} operations of {} inputs)", self.inputs());
        }
        // An expression of so few operations is not deep, so recursion is safe.
        match self.node() {
            Node::Input(number) => write!(f, "x{number}"),
            Node::Previous => f.write_str("y"),
            Node::Constant(value) if value.im == 0.0 => write!(f, "{}", value.re),
            Node::Constant(value) => write!(f, "({value})"),
            Node::Unary(function, a) => write!(f, "{function:?}({a:?})"),
            Node::Binary(function, a, b) => write!(f, "{function:?}({a:?}, {b:?})"),
        }
    }
}
