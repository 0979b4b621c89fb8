//! Convolution along one axis with a short filter.

use arrayspan_bridge::{View, ViewMut};
use arrayspan_kernels::{Band, Stencil, Update};
use num_complex::Complex64;

use crate::{Context, Error, LinearMap, Result, Space, number};

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
#[derive(Clone, Debug)]
pub struct Convolve1D {
    space: Space,
    forward: Stencil,
    adjoint: Stencil,
}

impl Convolve1D {
    const NAME: &str = "Convolve1D";

    /// More than this many taps take longer directly than by a fast Fourier transform.
    pub const MOST_TAPS: usize = 4096;

    /// Convolves with `filter`, real or complex, along `axis`.
    ///
    /// # Errors
    /// [`Error::Parameter`] when there is no such axis; the filter is empty, longer than the axis or
    /// than [`MOST_TAPS`](Self::MOST_TAPS), or complex on a real space; a tap is not finite or does not fit the dtype,
    /// unless it is less than the rounding error of the largest; `offset` is no index of the filter; or the dtype is
    /// not one to compute with.
    pub fn new<W>(space: Space, axis: usize, filter: &[W], offset: usize) -> Result<Self>
    where
        W: Copy + Into<Complex64>,
    {
        let band = band(Self::NAME, &space, axis, filter, offset)?;
        // Every row has the same taps, so does every column: no need to look at the edges.
        let mirrored = band.interior().iter().map(|tap| (-tap.offset, tap.weight.conj()));
        let adjoint = Stencil::along(axis, Band::uniform_complex(band.len(), mirrored))?;
        Ok(Self { space, forward: Stencil::along(axis, band)?, adjoint })
    }
}

/// The matrix of the convolution, for the constructor of `operator`.
pub(crate) fn band<W>(
    operator: &'static str,
    space: &Space,
    axis: usize,
    filter: &[W],
    offset: usize,
) -> Result<Band>
where
    W: Copy + Into<Complex64>,
{
    space.computable(operator)?;
    let len = space.extent(operator, axis)?;
    let most = Convolve1D::MOST_TAPS.min(len);
    if filter.is_empty() || filter.len() > most {
        let taps = filter.len();
        let why = format!("{taps} taps along axis {axis} of {space}; 1 to {most} can be used");
        return Error::parameter(operator, why);
    }
    if offset >= filter.len() {
        let why = format!("offset {offset} is no index of the {} taps", filter.len());
        return Error::parameter(operator, why);
    }
    let taps = (0_isize..).zip(filter).map(|(k, &weight)| (offset as isize - k, weight.into()));
    let band = Band::uniform_complex(len, taps);
    number::taps(operator, &format!("the filter along axis {axis}"), &band, space.dtype())?;
    if !space.dtype().is_complex() && !band.is_real() {
        return Error::parameter(operator, format!("complex taps for {space}"));
    }
    Ok(band)
}

impl LinearMap for Convolve1D {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn domain(&self) -> &Space {
        &self.space
    }

    fn range(&self) -> &Space {
        &self.space
    }

    fn enqueue(&self, on: Context<'_>, x: View<'_>, y: ViewMut<'_>, update: Update) -> Result<()> {
        Ok(on.stencil(&self.forward, x, y, update)?)
    }

    fn enqueue_adjoint(
        &self,
        on: Context<'_>,
        y: View<'_>,
        x: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        Ok(on.stencil(&self.adjoint, y, x, update)?)
    }
}
