//! Convolution along several axes.

use arrayspan_bridge::SharedArray;

use super::Convolution;
use super::filter::Filter;
use super::filter_method;
use super::filter_spectral::Kept;
use crate::{Operator, Result, Space};

/// `y[i] = Σₖ h[k] x[i - k + offset]` along several axes, `x` zero outside; domain and range are both `space`.
///
/// `offset` is the index of the filter's time zero along each axis. The filter may be real or complex, of another precision than `space`.
/// [`Convolution`] says how it is done:
///
/// | | |
/// |---|---|
/// | a filter that is a product of one along each axis, but for rounding | that is what is done: [`Convolve1D`](crate::Convolve1D) along one axis after the other; not with [`Convolution::Fourier`] and [`Convolution::Whole`] |
/// | [`Convolution::Direct`] | sums of products, in one pass; a sample that is not finite makes those results alone whose taps meet it not finite |
/// | [`Convolution::Fourier`], [`Convolution::Whole`] | a transform along each axis, with zeros to the next length of small prime factors; the filter's spectrum is kept where the filter lives, and there the operator is |
/// | [`Convolution::Blocks`] | of such a product only |
///
/// The adjoint correlates with the conjugate. Units: those of `h x`. Complex: linear. Cost: direct 1 launch; by transforms, twice a launch
/// for each axis and one over the spectrum (test `bytes::convolve_nd`).
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::kernels::bridge::{Array, DType};
/// use arrayspan_operators::prelude::*;
/// let space = Space::new([3, 3], DType::Float64)?;
/// let cross = Array::from_slice(&[0.0, 1.0, 0.0, 1.0, 2.0, 1.0, 0.0, 1.0, 0.0], [3, 3])?;
/// let blur = ConvolveND::new(space, &[0, 1], cross, &[1, 1], Convolution::Auto)?;
/// let mut corner = [0.0; 9];
/// corner[0] = 1.0;
/// let y = blur.forward(Array::from_slice(&corner, [3, 3])?)?;
/// assert_eq!(y.view().as_slice::<f64>()?, [2.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
/// # Ok(()) }
/// ```
///
/// Golden: PyLops 2.8.0 `ConvolveND`.
#[derive(Debug)]
pub struct ConvolveND(());

impl ConvolveND {
    const NAME: &str = "ConvolveND";

    /// Convolves with `filter`, whose axes are the `axes` of `space`, which count from the end if they are negative. Waits for the filter.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) when there are no axes, one is named twice or does not exist; the filter or the offsets have
    /// another number of axes; the filter has no taps or more than the axis along one, or is complex on a real space; a tap is not finite or
    /// does not fit the dtype, unless it is less than the rounding error of the largest; an offset is no index of the filter; or a
    /// dtype is not one to compute with. [`Error::TooLarge`](crate::Error::TooLarge) when what lies between zeros cannot be addressed; out of memory;
    /// the device's failure.
    pub fn new(
        space: Space,
        axes: &[isize],
        filter: impl Into<SharedArray>,
        offset: &[usize],
        method: Convolution,
    ) -> Result<Operator> {
        convolution(Self::NAME, space, axes, &filter.into(), offset, method)
    }
}

/// The convolution along some axes, by a name.
pub(super) fn convolution(
    name: &'static str,
    space: Space,
    axes: &[isize],
    filter: &SharedArray,
    offset: &[usize],
    method: Convolution,
) -> Result<Operator> {
    let device = filter.device();
    let filter = Filter::new(name, &space, axes, &filter.view(), offset)?;
    filter_method::operator(name, space, &filter, method, Kept::On(device))
}
