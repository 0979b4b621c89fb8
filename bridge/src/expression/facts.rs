//! What is known of an expression since it was made.

use super::node::Node;

/// What is known of an expression, from what is known of its operands.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "facts that do not depend on each other")]
pub(super) struct Facts {
    pub(super) inputs: usize,
    pub(super) operations: usize,
    pub(super) reads_previous: bool,
    pub(super) is_real: bool,
    pub(super) has_real_constants: bool,
    pub(super) has_order: bool,
}

impl Facts {
    /// Of an expression with this node.
    pub(super) fn of(node: &Node) -> Self {
        let leaf = Self {
            inputs: 0,
            operations: 0,
            reads_previous: false,
            is_real: false,
            has_real_constants: true,
            has_order: false,
        };
        match node {
            // The highest number of all names no input that there could be.
            Node::Input(number) => Self { inputs: number.saturating_add(1), ..leaf },
            Node::Previous => Self { reads_previous: true, ..leaf },
            Node::Constant(value) => {
                let real = value.im == 0.0;
                Self { is_real: real, has_real_constants: real, ..leaf }
            }
            Node::Unary(function, a) => {
                let a = a.0.facts;
                let operations = a.operations.saturating_add(1);
                Self { operations, is_real: function.is_real(a.is_real), ..a }
            }
            Node::Binary(function, a, b) => {
                let (a, b) = (a.0.facts, b.0.facts);
                Self {
                    inputs: a.inputs.max(b.inputs),
                    operations: a.operations.saturating_add(b.operations).saturating_add(1),
                    reads_previous: a.reads_previous || b.reads_previous,
                    is_real: a.is_real && b.is_real,
                    has_real_constants: a.has_real_constants && b.has_real_constants,
                    has_order: a.has_order || b.has_order || function.is_ordered(),
                }
            }
        }
    }
}
