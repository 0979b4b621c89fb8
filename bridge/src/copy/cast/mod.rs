//! What becomes of elements whose dtype changes.
//!
//! [`Conversion`](crate::Conversion) is the policy. `format.rs` holds the table of dtypes, `number.rs` the exact way from any
//! code to any other; what is quicker (the processor's own conversions, tables) gives the same answer. Devices run the same
//! in `copy/source`, driven by the same table.

mod affine;
mod convert;
mod format;
mod host;
mod native;
mod number;
mod range;
mod rules;
pub(super) mod spec;

pub use rules::{Conversion, Overflow, Rounding, Scale};
