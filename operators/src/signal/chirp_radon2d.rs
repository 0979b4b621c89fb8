//! Linear Radon transforms of two axes, by chirps.

use super::radon_spectra::{ChirpAxis, Direction, chirp_radon};
use crate::{Operator, Result, Space};

/// `Y(pⱼ, f) = Σᵢ X(hᵢ, f) exp(2πi f pⱼ hᵢ)` of the spectra along time: sums along straight lines, the Radon transform from data to
/// slopes; domain and range are both `space`, `[offsets, time]`.
///
/// Offsets and slopes are counted from the middle of the first axis, `m = i - ⌈n / 2⌉`: with a largest slope `pmax`, in samples of time per sample
/// of offset, `f p h` is `2 pmax k m m' / (n nt)` for bin `k` of `nt` samples of time. Signals are taken for periodic. Chirps multiply the
/// spectra before and behind a convolution along the first axis, so that this takes `n log n` operations for each
/// frequency. Forward and adjoint are those of the transform to slopes, which is the adjoint of a Radon transform that makes
/// data of slopes. Units: those of `x`. Complex: linear. Cost: 7 launches where lines fit local memory (test `bytes::chirp_radon2d`).
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::kernels::bridge::{Array, DType, devices::Device};
/// use arrayspan_operators::prelude::*;
/// let space = Space::new([5, 8], DType::Float64)?;
/// let radon = ChirpRadon2D::new(space, 1.0)?;
/// let y = radon.forward(Array::ones([5, 8], DType::Float64, Device::cpu())?)?.to_vec::<f64>()?;
/// // What is constant is summed over all offsets, whatever the slope.
/// assert!(y.iter().all(|y| (y - 5.0).abs() < 1e-12));
/// # Ok(()) }
/// ```
///
/// Reference: Andersson and Robertsson, Geophysics 84 (2019), A13. Golden: PyLops 2.8.0 `ChirpRadon2D`, which takes the real part of complex data.
#[derive(Debug)]
pub struct ChirpRadon2D(());

impl ChirpRadon2D {
    const NAME: &str = "ChirpRadon2D";

    /// The transform to slopes up to `pmax`, in samples of time per sample of offset.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) when `space` has another number of axes than two or an axis without samples, `pmax` is not finite, or
    /// the dtype is not one to compute with; [`Error::TooLarge`](crate::Error::TooLarge) when spectra cannot be addressed.
    pub fn new(space: Space, pmax: f64) -> Result<Operator> {
        chirp_radon(Self::NAME, space, [ChirpAxis::new(0, pmax)], Direction::Slopes)
    }

    /// From slopes back to data: the adjoint of [`new`](Self::new) with frequencies multiplied by `|f| dp dh`, the inverse of the transform over all
    /// lines. Of slopes and offsets that end it is an approximation. Its adjoint is that of this.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn inverse(space: Space, pmax: f64) -> Result<Operator> {
        chirp_radon(Self::NAME, space, [ChirpAxis::new(0, pmax)], Direction::Inverse)
    }
}
