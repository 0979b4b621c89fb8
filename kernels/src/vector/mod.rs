//! Vectors of any shape: arithmetic of arrays, computed in one pass, and reductions whose results stay on the device.
//!
//! What `+ - * /` and methods as `abs` make of arrays is an [`Elementwise`](arrayspan_bridge::Elementwise): nothing runs
//! yet. [`Vector`] computes it, or reduces it without ever writing it down; [`VectorMut`] writes it over an array that is
//! there, which it may read. Everything is enqueued and nothing comes to the host: numbers are 0-d arrays, and expressions
//! take these as they take numbers of the host. Arrays are borrowed by expressions or taken over: `&y - a.forward(&x)?`.
//!
//! Methods without an executor use that of the device's default stream ([`on`](crate::on)) and allocate what they return.
//! Those that end in `_on` or `_into` take the executor, and the latter the output, too: with them a loop allocates nothing.

mod arguments;
mod in_place;
mod mean;
mod read;
mod reduce;

pub use in_place::VectorMut;
pub use read::Vector;
