//! Discrete wavelet transforms along an axis.

use super::Wavelet;
use super::wavelet_levels::analysis;
use crate::{Operator, Result, Space, adjoint};

/// `y = W x`, a discrete wavelet transform along an axis; domain `space`, range with a power of two along the axis.
///
/// Coefficients are `[low L, high L, …, high 2, high 1]` of `L` levels. A level takes the first `n` numbers, the low frequencies of the one
/// before it, to `y[k] = Σⱼ g[j] x[(F/2 + 2k - j) mod n]` with the low-pass filter `g`, of `F` taps, and the same with the high-pass
/// filter behind. Signals are taken for periodic, with zeros behind their samples up to the next power of two, and to `2^L` at
/// least. The inverse is the adjoint if the wavelet is [orthogonal](Wavelet::is_orthogonal); of all it is
/// [`inverse`](Self::inverse). Units: those of `x`. Complex: linear. Cost: 1 launch for a level, 2 values moved per element and the table; levels
/// become one where that moves less (test `bytes::dwt`).
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::kernels::bridge::{Array, DType};
/// use arrayspan_operators::prelude::*;
/// let space = Space::new([4], DType::Float64)?;
/// let haar = DWT::new(space, 0, &Wavelet::named("haar")?, 1)?;
/// let y = haar.forward(Array::from_slice(&[1.0, 3.0, 2.0, 6.0], [4])?)?.to_vec::<f64>()?;
/// let expected = [4.0, 8.0, -2.0, -4.0].map(|sum: f64| sum / 2.0_f64.sqrt());
/// assert!(y.iter().zip(expected).all(|(y, expected)| (y - expected).abs() < 1e-12));
/// # Ok(()) }
/// ```
///
/// Reference: S. Mallat, IEEE Transactions on Pattern Analysis and Machine Intelligence 11 (1989), 674-693. Golden: PyLops 2.8.0 `DWT`.
#[derive(Debug)]
pub struct DWT(());

impl DWT {
    const NAME: &str = "DWT";

    /// `levels` of the transform of `space`.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) when there is no such axis, no axis has room for so many levels, or the dtype is not
    /// one to compute with; [`Error::TooLarge`](crate::Error::TooLarge) when the range cannot be addressed, or there is no memory
    /// for a table.
    pub fn new(space: Space, axis: isize, wavelet: &Wavelet, levels: usize) -> Result<Operator> {
        analysis(Self::NAME, space, &[axis], wavelet, levels)
    }

    /// From coefficients back to signals of `space`: `W⁺ W = 1`.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn inverse(
        space: Space,
        axis: isize,
        wavelet: &Wavelet,
        levels: usize,
    ) -> Result<Operator> {
        let inverse = adjoint(&Self::new(space, axis, &wavelet.dual(), levels)?);
        Ok(inverse.named("inverse of DWT"))
    }
}
