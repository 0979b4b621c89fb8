//! Linear Radon transforms of three axes, by chirps.

use super::radon_spectra::{ChirpAxis, Direction, chirp_radon};
use crate::{Operator, Result, Space};

/// `Y(p, q, f) = Σ X(h, g, f) exp(2πi f (p h + q g))` of the spectra along time: sums over planes, the Radon transform from data to slopes;
/// domain and range are both `space`, `[offsets y, offsets x, time]`.
///
/// Along each of the first two axes it is that of [`ChirpRadon2D`](crate::ChirpRadon2D). Units: those of `x`. Complex: linear.
/// Cost: 2 launches for time, 5 for each of both axes and 2 that bring these beside the frequencies and back, where lines fit local memory
/// (test `bytes::chirp_radon3d`).
///
/// Reference: Andersson and Robertsson, Geophysics 84 (2019), A13. Golden: PyLops 2.8.0 `ChirpRadon3D`, engine `numpy`, which takes the largest slope of
/// the first axis for that of the second one and the other way round, and the real part of complex data.
#[derive(Debug)]
pub struct ChirpRadon3D(());

impl ChirpRadon3D {
    const NAME: &str = "ChirpRadon3D";

    /// The transform to slopes up to `pmax` along each of the first two axes, in samples of time per sample of offset.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) when `space` has another number of axes than three or an axis without samples, a slope is not finite, or
    /// the dtype is not one to compute with; [`Error::TooLarge`](crate::Error::TooLarge) when spectra cannot be addressed.
    pub fn new(space: Space, [y, x]: [f64; 2]) -> Result<Operator> {
        let axes = [ChirpAxis::new(0, y), ChirpAxis::new(1, x)];
        chirp_radon(Self::NAME, space, axes, Direction::Slopes)
    }

    /// From slopes back to data: the adjoint of [`new`](Self::new) with frequencies multiplied by `|f|²` and both steps of slopes and
    /// offsets, the inverse of the transform over all planes. Of slopes and offsets that end it is an approximation.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn inverse(space: Space, [y, x]: [f64; 2]) -> Result<Operator> {
        let axes = [ChirpAxis::new(0, y), ChirpAxis::new(1, x)];
        chirp_radon(Self::NAME, space, axes, Direction::Inverse)
    }
}
