//! Radon transforms of three axes, by phases of spectra.

use std::ops::Range;

use super::radon_spectra::{RadonAxis, fourier_radon};
use super::{FourierAxis, RadonKind};
use crate::{Operator, Result, Space};

/// `Y(h, g, f) = Σ X(p, q, f) exp(-2πi f (p hⁿ + q gᵐ))` of the spectra along time, `n` and `m` 1 or 2: planes or paraboloids of the model's
/// amplitudes, the Radon transform from slownesses to data; domain `space`, `[slownesses y, slownesses x, time]`, range `[offsets y, offsets x,
/// time]`.
///
/// One axis after the other, each as [`FourierRadon2D`](crate::FourierRadon2D) does it: phases of all pairs of slownesses and offsets are
/// never there together. Units: those of `x`. Complex: linear. Cost: 2 launches for time, 2 of a band, 5 of a chirp or 1 of
/// a table for each of both axes, and 2 that bring one beside the frequencies and back, where lines fit local memory
/// (test `bytes::fourier_radon3d`).
///
/// Golden: PyLops 2.8.0 `FourierRadon3D`, engine `numpy`.
#[derive(Debug)]
pub struct FourierRadon3D(());

impl FourierRadon3D {
    const NAME: &str = "FourierRadon3D";

    /// The transform of slownesses along the first two axes to offsets: see [`FourierRadon2D::new`](crate::FourierRadon2D::new).
    ///
    /// # Errors
    /// As those of two axes.
    pub fn new(
        space: Space,
        time: FourierAxis,
        band: Option<Range<usize>>,
        slownesses: [&[f64]; 2],
        offsets: [&[f64]; 2],
        kinds: [RadonKind; 2],
    ) -> Result<Operator> {
        let axis = |at: usize| RadonAxis {
            slownesses: slownesses[at],
            offsets: offsets[at],
            kind: kinds[at],
        };
        fourier_radon(Self::NAME, space, time, band, [axis(0), axis(1)])
    }
}
