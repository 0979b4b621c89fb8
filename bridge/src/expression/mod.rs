//! Elementwise expressions as data: what a pass over memory computes of the elements at one index.

mod arithmetic;
mod equality;
mod facts;
mod node;
mod order;
mod renumber;
mod text;

use std::sync::{Arc, OnceLock};

use num_complex::Complex64;

use facts::Facts;
pub use node::{Binary, Node, Unary};
pub use order::Nodes;

/// An elementwise expression over numbered inputs. A handle of an immutable node: clones are cheap and share it.
///
/// Inputs of a wider real dtype are single numbers. What is computed of them and of constants alone is computed
/// in their dtype, once, and rounded where it is combined with an element: `input(1) / input(2) * input(0)` with two
/// Float64 numbers and Float32 elements divides in Float64 and multiplies in Float32.
///
/// What can be asked of an expression is known since it was made. A part that several others share counts for each of
/// them.
///
/// ```
/// use arrayspan_bridge::expression::{constant, input, previous};
/// // y ← 2 x₀ conj(x₁) + y
/// let expression = constant(2.0) * input(0) * input(1).conj() + previous();
/// assert_eq!(expression.inputs(), 2);
/// assert_eq!(expression.operations(), 4);
/// // Numbers beside expressions are constants.
/// assert_eq!(2.0 * input(0) - 1.0, constant(2.0) * input(0) - constant(1.0));
/// ```
#[derive(Clone)]
pub struct Expression(Arc<Inner>);

struct Inner {
    node: Node,
    facts: Facts,
    /// Listed when first asked for: lists in every part of a long sum would take the square of its length.
    constants: OnceLock<Vec<Complex64>>,
}

/// The element of the input with this number.
#[must_use]
pub fn input(number: usize) -> Expression {
    thread_local! {
        /// Those that nearly every expression has, made once: solvers write theirs anew in each iteration. Of each thread,
        /// so that threads do not wait for each other to count handles.
        static FIRST: [Expression; 4] = std::array::from_fn(|number| Node::Input(number).into());
    }
    let first = FIRST.try_with(|first| first.get(number).cloned());
    first.ok().flatten().unwrap_or_else(|| Node::Input(number).into())
}

/// What the output holds before the pass.
#[must_use]
pub fn previous() -> Expression {
    Node::Previous.into()
}

/// The same number for all elements.
pub fn constant(value: impl Into<Complex64>) -> Expression {
    Node::Constant(value.into()).into()
}

impl From<Node> for Expression {
    fn from(node: Node) -> Self {
        let facts = Facts::of(&node);
        Self(Arc::new(Inner { node, facts, constants: OnceLock::new() }))
    }
}

impl Expression {
    /// What it is made of, to be matched on.
    #[must_use]
    pub fn node(&self) -> &Node {
        &self.0.node
    }

    /// Every node, operands before their operation, from left to right; without recursion, so that depth is no
    /// matter. One that several operations share comes once for each of them.
    #[must_use]
    pub fn nodes(&self) -> Nodes<'_> {
        Nodes::of(self)
    }

    /// The number of inputs it takes: one more than the highest it names.
    #[must_use]
    pub fn inputs(&self) -> usize {
        self.0.facts.inputs
    }

    /// Whether it reads what the output held.
    #[must_use]
    pub fn reads_previous(&self) -> bool {
        self.0.facts.reads_previous
    }

    /// Arithmetic operations per element, a complex one counted as one. [`usize::MAX`] if they cannot be counted.
    #[must_use]
    pub fn operations(&self) -> usize {
        self.0.facts.operations
    }

    /// Whether its values have no imaginary part, whatever complex numbers its inputs are.
    #[must_use]
    pub fn is_real(&self) -> bool {
        self.0.facts.is_real
    }

    /// Whether none of its constants has an imaginary part.
    #[must_use]
    pub fn has_real_constants(&self) -> bool {
        self.0.facts.has_real_constants
    }

    /// Whether it takes a minimum or a maximum of something, which complex numbers have not.
    #[must_use]
    pub fn has_order(&self) -> bool {
        self.0.facts.has_order
    }

    /// Its constants, in the order they are met from left to right.
    #[must_use]
    pub fn constants(&self) -> &[Complex64] {
        self.0.constants.get_or_init(|| {
            let constant = |node: &Self| match node.node() {
                Node::Constant(value) => Some(*value),
                _ => None,
            };
            self.nodes().filter_map(constant).collect()
        })
    }
}
