//! Radon transforms of three axes, along curved surfaces of time.

use super::radon_curves::radon;
use super::radon_spectra::RadonAxis;
use super::{Interpolation, RadonKind};
use crate::{Operator, Result, Space};

/// `y[g, h, t(p, q, g, h)] += x[p, q, t₀]` along `t = t₀ + p gⁿ + q hᵐ`, `n` and `m` 1 or 2, or `√(t₀² + g²/p² + h²/q²)`: each amplitude of a model of
/// slownesses and times is spread over a plane, a paraboloid or a hyperboloid of the data; domain `space`, `[slownesses y, slownesses x, time]`, range
/// `[offsets y, offsets x, time]`. The adjoint stacks over these surfaces.
///
/// What is between samples and beyond them is as with [`Radon2D`](crate::Radon2D). There is a table of two numbers for each pair of slownesses and
/// each pair of offsets. Units: those of `x`. Complex: linear. Cost: 1 launch in each direction; each value of `x` and `y` once, and the table (test
/// `bytes::radon3d`).
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::kernels::bridge::{Array, DType};
/// use arrayspan_operators::prelude::*;
/// let space = Space::new([1, 1, 4], DType::Float64)?;
/// let (p, h) = ([&[1.0][..], &[0.5]], [&[0.0, 1.0][..], &[2.0]]);
/// let radon = Radon3D::new(space, 1.0, p, h, [RadonKind::Linear; 2], Interpolation::Linear)?;
/// let y = radon.forward(Array::from_slice(&[7.0, 0.0, 0.0, 0.0], [1, 1, 4])?)?;
/// assert_eq!(y.to_vec::<f64>()?, [0.0, 7.0, 0.0, 0.0, 0.0, 0.0, 7.0, 0.0]);
/// # Ok(()) }
/// ```
///
/// Reference: as [`Radon2D`](crate::Radon2D). Golden: PyLops 2.8.0 `Radon3D`, which leaves out what is on the last sample, and takes the sample before a
/// position for the nearest one.
#[derive(Debug)]
pub struct Radon3D(());

impl Radon3D {
    const NAME: &str = "Radon3D";

    /// The transform of slownesses along the first two axes to offsets, `[y, x]`: see [`Radon2D::new`](crate::Radon2D::new). Hyperbolas
    /// are along both axes or none.
    ///
    /// # Errors
    /// As those of two axes; hyperbolas along one axis alone.
    pub fn new(
        space: Space,
        step: f64,
        slownesses: [&[f64]; 2],
        offsets: [&[f64]; 2],
        kinds: [RadonKind; 2],
        interpolation: Interpolation,
    ) -> Result<Operator> {
        let axis = |at: usize| RadonAxis {
            slownesses: slownesses[at],
            offsets: offsets[at],
            kind: kinds[at],
        };
        radon(Self::NAME, space, step, [axis(0), axis(1)], interpolation)
    }
}
