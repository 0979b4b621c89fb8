//! Operators made of operators: products, sums, multiples, adjoints and stacks.
//!
//! Scalars and orientations cost nothing: they live in the [`Operator`] handle and go into the [`Update`] of the
//! operator itself. Sums and products are trees that nothing walks by recursion, so they may be of any depth. What is
//! run is not the tree but its [rewritten form](Operator#).
//!
//! [`Update`]: arrayspan_kernels::Update

mod adjoint;
mod apply;
mod block_diagonal;
mod blocks;
mod columns;
mod compiled;
mod counter;
mod formula;
mod hstack;
mod inverse;
mod join;
mod kronecker;
mod lift;
mod node;
mod on;
mod operator;
mod parts;
mod places;
mod product;
mod rebuild;
mod scaled;
mod slices;
mod stack;
mod stacked;
mod sum;
mod text;
mod vstack;

pub use adjoint::adjoint;
pub use block_diagonal::block_diagonal;
pub use counter::Counter;
pub use formula::Formula;
pub use hstack::hstack;
pub use kronecker::Kronecker;
pub use node::Operator;
pub use stack::stack;
pub use stacked::Lift;
pub use vstack::vstack;

pub(crate) use node::{Kind, Node};
