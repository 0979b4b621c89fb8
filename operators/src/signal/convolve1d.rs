//! Convolution along one axis with a short filter.

use arrayspan_kernels::{Band, Stencil};

use crate::{Error, FilterTap, Form, Operator, Result, Space, number};

/// `y[i] = Σₖ h[k] x[i - k + offset]` along one axis, `x` zero outside; domain and range are both `space`.
///
/// `offset` is the index of the filter's time zero. Units: those of `h x`. Complex: linear; the adjoint
/// correlates with the conjugate. Cost: 1 launch, 2 values moved and `h.len()` products per element (test
/// `bytes::convolve1d`).
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::kernels::bridge::DType;
/// use arrayspan_operators::prelude::*;
/// let space = Space::new([100], DType::Float64)?;
/// let smooth = Convolve1D::new(space, 0, &[0.25, 0.5, 0.25], 1)?;
/// # Ok(()) }
/// ```
///
/// Golden: PyLops 2.8.0 `Convolve1D`, whose adjoint does not conjugate a complex filter; this one does.
#[derive(Debug)]
pub struct Convolve1D(());

impl Convolve1D {
    const NAME: &str = "Convolve1D";

    /// More than this many taps take longer directly than by a fast Fourier transform.
    pub const MOST_TAPS: usize = 4096;

    /// Convolves with `filter`, whose taps are real or complex numbers of 32 or 64 bits ([`FilterTap`]), along `axis`, which counts from
    /// the end if it is negative.
    ///
    /// # Errors
    /// [`Error::Parameter`] when there is no such axis; the filter is empty, longer than the axis or
    /// than [`MOST_TAPS`](Self::MOST_TAPS), or complex on a real space; a tap is not finite or does not fit the dtype,
    /// unless it is less than the rounding error of the largest; `offset` is no index of the filter; or the dtype is
    /// not one to compute with.
    pub fn new<W>(space: Space, axis: isize, filter: &[W], offset: usize) -> Result<Operator>
    where
        W: FilterTap,
    {
        space.stored(Self::NAME)?;
        let axis = space.axis(Self::NAME, axis)?;
        let len = space.shape()[axis];
        let most = Self::MOST_TAPS.min(len);
        if filter.is_empty() || filter.len() > most {
            let taps = filter.len();
            let why = format!("{taps} taps along axis {axis} of {space}; 1 to {most} can be used");
            return Error::parameter(Self::NAME, why);
        }
        if offset >= filter.len() {
            let why = format!("offset {offset} is no index of the {} taps", filter.len());
            return Error::parameter(Self::NAME, why);
        }
        let taps =
            (0_isize..).zip(filter).map(|(k, &weight)| (offset as isize - k, weight.to_complex()));
        let band = Band::uniform_complex(len, taps);
        let what = format!("the filter along axis {axis}");
        number::taps(Self::NAME, &what, &band, space.dtype())?;
        if !space.dtype().is_complex() && !band.is_real() {
            return Error::parameter(Self::NAME, format!("complex taps for {space}"));
        }
        let form = Form::Stencil(Stencil::along(axis, band)?);
        Operator::of(Self::NAME, space.clone(), space, form)
    }
}
