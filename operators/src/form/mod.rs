//! Operators as data: what they are made of, how that is rewritten, and how the result is run.
//!
//! ```text
//! Operator (as written)  --normalize-->  Normal (a sum of products of leaves)  --emit-->  Program (steps)  --run-->  verbs
//! ```
//!
//! An operator is compiled when it is first applied, once for each of its four orientations (itself, adjoint, conjugate,
//! transpose), and the program is kept with it. Nothing here walks an operator by recursion, so sums, products and
//! stacks may be of any depth.

mod addends;
mod check;
mod collect;
mod collect_maps;
mod cost;
mod dense;
mod describe;
mod draft;
mod emit;
mod emitter;
mod fuse;
mod gathered;
pub mod index;
mod leaf;
mod maps;
mod matrix;
mod moving;
mod normal;
mod normalize;
mod order;
mod orientation;
mod partition;
mod pass;
mod placed;
mod pointwise;
mod positive;
mod program;
mod properties;
mod registers;
mod rewrite;
mod run;
mod same;
mod summand;
mod together;
mod transforms;
mod units;

pub(crate) use check::weights_dtype;
pub use index::IndexMap;
pub use leaf::Form;

pub(crate) use matrix::Matrix;
pub(crate) use normal::Normal;
pub(crate) use normalize::normalize;
pub(crate) use orientation::Orientation;
pub(crate) use partition::Partition;
pub(crate) use pointwise::Pointwise;
pub(crate) use program::Program;
pub(crate) use units::Units;
