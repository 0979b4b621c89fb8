//! Convolution along an axis with filters that change from place to place.

use arrayspan_bridge::SharedArray;
use num_complex::Complex64;

use super::bank::{Places, expected};
use super::positions::Rows;
use crate::{Error, Operator, Result, Space};

/// `y[i] = Σⱼ hⱼ[i - j + c] x[j]` along one axis, `c` the middle of filters `hⱼ`, which are given at some places and lie on straight lines
/// between them; domain and range are both `space`.
///
/// Before the first place and behind the last one filters are those there. Each belongs to a sample of `x`, which it spreads; what leaves
/// the axis is lost. Places rise and need not be evenly spaced. Sums of 16-bit floats are those of `Float32`,
/// rounded once; their filters are `Float32` or wider.
/// Units: those of `h x`. Complex: linear. Cost: 1 launch in each direction, `x` and `y` once, and a table of a weight for
/// each tap of each sample of the axis (test `bytes::non_stationary_convolve1d`).
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::kernels::bridge::{Array, DType};
/// use arrayspan_operators::prelude::*;
/// let space = Space::new([3], DType::Float64)?;
/// let filters = Array::from_slice(&[0.0, 1.0, 0.0, 1.0, 2.0, 1.0], [2, 3])?;
/// let blur = NonStationaryConvolve1D::new(space, 0, filters, [0, 2])?;
/// let y = blur.forward(Array::from_slice(&[0.0, 2.0, 0.0], [3])?)?;
/// assert_eq!(y.view().as_slice::<f64>()?, [1.0, 3.0, 1.0]);
/// # Ok(()) }
/// ```
///
/// Golden: PyLops 2.8.0 `NonStationaryConvolve1D`, whose adjoint does not conjugate complex filters; this one does.
#[derive(Debug)]
pub struct NonStationaryConvolve1D(());

impl NonStationaryConvolve1D {
    const NAME: &str = "NonStationaryConvolve1D";

    /// Convolves along `axis`, which counts from the end if it is negative, with `filters`, `[places, taps]`. Waits for these.
    ///
    /// # Errors
    /// [`Error::Parameter`] when there is no such axis; the filters are not one for each place, of an odd number of taps, or complex on a real
    /// space; there are no places, they do not rise or one is no sample of the axis; a tap is not finite or does not fit the dtype;
    /// or a dtype is not one to compute with. [`Error::TooLarge`] when there is no memory for the table.
    pub fn new(
        space: Space,
        axis: isize,
        filters: impl Into<SharedArray>,
        places: impl AsRef<[usize]>,
    ) -> Result<Operator> {
        let (filters, at) = (filters.into(), places.as_ref());
        space.stored(Self::NAME)?;
        let axis = space.axis(Self::NAME, axis)?;
        let &[_, taps] = filters.shape() else {
            let why = format!("filters of shape {:?}, not [places, taps]", filters.shape());
            return Error::parameter(Self::NAME, why);
        };
        let places = Places::new(Self::NAME, &space, axis, at, taps)?;
        let shape = [at.len(), taps];
        let numbers = expected(Self::NAME, "filters", &filters.view(), &shape, &space)?;
        let (extent, reach) = (space.shape()[axis], taps / 2);
        let mut rows = Rows::new(Self::NAME, space.shape(), space.dtype(), extent, taps)?;
        for row in 0..extent {
            let samples = row.saturating_sub(reach)..(row + reach + 1).min(extent);
            for sample in samples {
                let tap = row + reach - sample;
                let around = places.around(sample);
                let tap = around.map(|(own, part)| numbers[own * taps + tap] * part);
                rows.add(sample, tap.sum::<Complex64>());
            }
            rows.end();
        }
        rows.operator(Self::NAME, [space.clone(), space], axis, &[extent])
    }
}
