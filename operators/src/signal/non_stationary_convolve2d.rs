//! Convolution along two axes with filters that change from place to place.

use arrayspan_bridge::SharedArray;

use super::{Convolution, bank_method};
use crate::{Error, Operator, Result, Space};

/// `y[i] = Σⱼ hⱼ[i - j + c] x[j]` along two axes, `c` the middle of filters `hⱼ`, which are given on a grid of places and are
/// interpolated linearly along each axis between them; domain and range are both `space`.
///
/// Before the first place of an axis and behind the last one filters are those there. Each belongs to a sample of `x`, which it
/// spreads; what leaves the axes is lost. Places rise along each axis and need not be evenly spaced. Short filters are sums of
/// products, in one pass: those of all places around a sample, weighted. Long ones, and those of places close together, are transformed: windows
/// of `x` between places are convolved by discrete Fourier transforms, all at once, and added up; the filters' spectra are kept where the
/// filters live, and there the operator is. [`by`](Self::by) takes the choice. A sample that is not finite reaches those results alone whose taps
/// meet it, or by transforms all of its windows. Adjoints add up in an order that is always the same. Units: those of `h x`. Complex:
/// linear. Cost: 1 launch, `x` and `y` once; with transforms 2 for each axis to take windows and to add them up, 2 to transform them, and 1 (test
/// `bytes::non_stationary_convolve2d`); windows together have about 4 times as many elements as `x`, where filters are short beside the
/// distance of places.
///
/// Filters may have another precision than `space`, and complex dtypes if their numbers are real.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::kernels::bridge::{Array, DType};
/// use arrayspan_operators::prelude::*;
/// // One filter of 1 x 3 taps at each of 1 x 2 places: rows 0, columns 0 and 4.
/// let filters = Array::from_slice(&[0.0, 1.0, 0.0, 1.0, 1.0, 1.0], [1, 2, 1, 3])?;
/// let space = Space::new([1, 5], DType::Float64)?;
/// let filter = NonStationaryConvolve2D::new(space, filters, [&[0], &[0, 4]])?;
/// let y = filter.forward(Array::from_slice(&[0.0, 0.0, 1.0, 0.0, 0.0], [1, 5])?)?;
/// // In the middle between both, half of each.
/// assert_eq!(y.to_vec::<f64>()?, [0.0, 0.5, 1.0, 0.5, 0.0]);
/// # Ok(()) }
/// ```
///
/// Golden: PyLops 2.8.0 `NonStationaryConvolve2D`, whose adjoint does not conjugate complex filters; this one does.
#[derive(Debug)]
pub struct NonStationaryConvolve2D(());

impl NonStationaryConvolve2D {
    const NAME: &str = "NonStationaryConvolve2D";

    /// Convolves arrays of two axes with `filters`, `[places, places, taps, taps]`. Waits for these.
    ///
    /// # Errors
    /// [`Error::Parameter`] when `space` has another number of axes; the filters are not one for each place, of odd numbers of taps, or complex on
    /// a real space; there are no places along an axis, they do not rise or one is no sample of it; a tap is not finite or does not fit
    /// the dtype; or a dtype is not one to compute with. [`Error::TooLarge`] when windows cannot be addressed; out of memory; the
    /// device's failure.
    pub fn new(
        space: Space,
        filters: impl Into<SharedArray>,
        places: [&[usize]; 2],
    ) -> Result<Operator> {
        Self::by(space, filters, places, Convolution::Auto)
    }

    /// The same, computed as `method` says.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn by(
        space: Space,
        filters: impl Into<SharedArray>,
        places: [&[usize]; 2],
        method: Convolution,
    ) -> Result<Operator> {
        let filters = filters.into();
        if filters.shape().len() != 4 {
            let why = format!("filters of shape {:?}, not [places…, taps…]", filters.shape());
            return Error::parameter(Self::NAME, why);
        }
        bank_method::operator(Self::NAME, space, &filters, &places, method)
    }
}
