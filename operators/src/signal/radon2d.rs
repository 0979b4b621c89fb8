//! Radon transforms of two axes, along curves of time.

use super::radon_curves::{radon, range};
use super::radon_spectra::RadonAxis;
use super::{Interpolation, RadonKind};
use crate::{Operator, Result, Space, Spread};

/// `y[h, t(p, h)] += x[p, t₀]` along `t = t₀ + p h`, `t₀ + p h²` or `√(t₀² + h²/p²)`: each amplitude of a model of slownesses and times is spread
/// along a line, a parabola or a hyperbola of the data; domain `space`, `[slownesses, time]`, range `[offsets, time]`. The adjoint stacks along
/// these curves.
///
/// Where a curve is between two samples, [`Interpolation::Linear`] gives part of the amplitude to each and [`Interpolation::Nearest`] all of it to the
/// nearest, of two equally near ones the later one. Offsets at which a curve is not between the first and the last sample have nothing of it;
/// those of [`RadonKind::Hyperbolic`] with the velocity 0 neither. Positions are computed on the way, in integers and the same in both directions:
/// there is a table of two numbers for each slowness and offset, and none of samples, but for [curves of one's own](Self::along). Units: those of
/// `x`; `p` is in units of time per unit of offset (or of its square; the other way round for hyperbolas). Complex: linear. Cost: 1
/// launch in each direction; each value of `x` and `y` once, and the table (test `bytes::radon2d`).
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::kernels::bridge::{Array, DType};
/// use arrayspan_operators::prelude::*;
/// let space = Space::new([1, 4], DType::Float64)?;
/// let (linear, between) = (RadonKind::Linear, Interpolation::Linear);
/// let radon = Radon2D::new(space, 1.0, &[0.5], &[0.0, 1.0, 2.0], linear, between)?;
/// let y = radon.forward(Array::from_slice(&[0.0, 8.0, 0.0, 0.0], [1, 4])?)?;
/// assert_eq!(y.to_vec::<f64>()?, [0.0, 8.0, 0.0, 0.0, 0.0, 4.0, 4.0, 0.0, 0.0, 0.0, 8.0, 0.0]);
/// # Ok(()) }
/// ```
///
/// Reference: Thorson and Claerbout, Velocity-stack and slant-stack stochastic inversion, Geophysics 50 (1985). Golden: PyLops 2.8.0 `Radon2D`,
/// which leaves out what is on the last sample, and takes the sample before a position for the nearest one.
#[derive(Debug)]
pub struct Radon2D(());

impl Radon2D {
    const NAME: &str = "Radon2D";

    /// The transform of slownesses along axis 0 (velocities, for hyperbolas) to offsets; `step` is that of time, the last axis.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) when `space` has not two axes, the first with a sample for each slowness; there are no offsets; a
    /// number is not finite, or `step` not above 0; there are too many samples (2³⁰, of hyperbolas 2²⁰); or the dtype is not one to compute with.
    /// [`Error::TooLarge`](crate::Error::TooLarge) when data cannot be addressed; out of memory.
    pub fn new(
        space: Space,
        step: f64,
        slownesses: &[f64],
        offsets: &[f64],
        kind: RadonKind,
        interpolation: Interpolation,
    ) -> Result<Operator> {
        let axis = RadonAxis { slownesses, offsets, kind };
        radon(Self::NAME, space, step, [axis], interpolation)
    }

    /// As [`new`](Self::new), along curves of one's own: `curve(h, t, p)` is the time at which that of slowness `p` and time `t` is at offset `h`.
    /// They are kept in a table with a place for each sample of each curve, as those of a [`Spread`](crate::Spread) are.
    ///
    /// # Errors
    /// As [`new`](Self::new); [`Error::TooLarge`](crate::Error::TooLarge) when there is no memory for the table.
    pub fn along(
        space: Space,
        step: f64,
        slownesses: &[f64],
        offsets: &[f64],
        curve: impl Fn(f64, f64, f64) -> f64,
        interpolation: Interpolation,
    ) -> Result<Operator> {
        let axis = RadonAxis { slownesses, offsets, kind: RadonKind::Linear };
        let range = range(Self::NAME, &space, step, [axis])?;
        let position = |p: usize, t: usize, h: usize| {
            let position = curve(offsets[h], t as f64 * step, slownesses[p]) / step;
            Some(match interpolation {
                Interpolation::Linear => position,
                Interpolation::Nearest => (position + 0.5).floor(),
            })
        };
        Ok(Spread::new(space, range, position, interpolation)?.named(Self::NAME))
    }
}
