//! Filters.

pub(crate) mod convolve1d;

pub use convolve1d::Convolve1D;
