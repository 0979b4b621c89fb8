//! Filters, and what is between samples.

pub(crate) mod convolve1d;
mod interp;
mod interpolation;
mod smoothing;

pub use convolve1d::Convolve1D;
pub use interp::Interp;
pub use interpolation::Interpolation;
pub use smoothing::Smoothing;
