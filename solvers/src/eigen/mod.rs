//! Norms, eigenvalues and singular values of operators that are applied, not looked into.
//!
//! | what | method |
//! |---|---|
//! | bounds of `‖A‖` that hold, for lengths of steps | [`norm_estimate`], [`NormEstimator`] |
//!
//! All run where the operator's arrays are, or on the CPU if it has none; methods that end in `_on` take the executor. Random vectors
//! are drawn on the host from a seed, the same on every device.

#[allow(dead_code, reason = "what other methods of this folder take")]
mod applied;
mod norm;
mod polynomial;
mod random;

pub use norm::{NormEstimate, NormEstimator, norm_estimate};

use arrayspan_bridge::DType;

/// The distance of 1 to the next number.
fn epsilon(dtype: DType) -> f64 {
    if dtype.real() == DType::Float32 { f64::from(f32::EPSILON) } else { f64::EPSILON }
}
