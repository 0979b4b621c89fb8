//! The uniform discrete curvelet transform.

use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};

use super::fftnd::transform;
use super::udct_windows::CurveletWindows;
use super::{CurveletBand, CurveletKind, Curvelets, FourierAxis, FourierNorm, Spectrum};
use crate::{
    Error, Formula, Identity, LinearMap as _, Operator, Result, Space, adjoint, block_diagonal,
};

/// `y = C x`, the uniform discrete curvelet transform along all axes, two or more; domain `space`, range all coefficients in one axis, complex:
/// those of each of the [bands](Curvelets::bands).
///
/// `Fᴴ D W F`: windows `W` divide the spectrum of all axes into scales and wedges, of which `D` keeps as many bins as there are coefficients.
/// [`Curvelets`] says what windows there are. Extents are multiples of `wedges / 3 · 2^(scales - 1)`. The frame is tight, and the inverse the
/// adjoint, as far as no window meets itself in `D`: to rounding with 3 wedges and the overlap that is chosen then, to 1e-7 with 6, to 1e-5 with 9.
/// With [wavelets](crate::FinestScale::Wavelets) at the finest scale that is not so, and the inverse is [`inverse`](Self::inverse). Many arrays at
/// once are transformed by [`lifted`](Operator::lifted). Units: those of `x`. Complex: linear; of a real space, over the real numbers only. Cost: a launch for each axis of the spectrum, one for all
/// windows, and one for each axis of each band, 2 values moved per element, and the table of windows (test `bytes::udct`).
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::kernels::bridge::{Array, DType};
/// use arrayspan_operators::prelude::*;
/// let space = Space::new([16, 8], DType::Float64)?;
/// let transform = UDCT::new(space, &Curvelets { scales: 2, ..Curvelets::default() })?;
/// let numbers: Vec<f64> = (0..128).map(|at| f64::from(at % 7)).collect();
/// let y = transform.forward(Array::from_slice(&numbers, [16, 8])?)?;
/// assert_eq!((y.shape(), y.dtype()), (&[128 + 6 * 32][..], DType::Complex128));
/// let back = transform.adjoint(&y)?.to_vec::<f64>()?;
/// assert!(back.iter().zip(&numbers).all(|(found, x)| (found - x).abs() < 1e-12));
/// # Ok(()) }
/// ```
///
/// Reference: T. T. Nguyen and H. Chauris, IEEE Transactions on Signal Processing 58 (2010), 3618-3634. Golden: PyLops 2.8.0 `UDCT`, whose
/// windows are up to half a bin off along axes of extents that are no multiples of 4, and whose adjoint is the inverse with wavelets at the finest
/// scale.
#[derive(Debug)]
pub struct UDCT(());

impl UDCT {
    const NAME: &str = "UDCT";

    /// The transform of `space`.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) when `space` has less than two axes, or an extent that is 0 or no multiple of
    /// `wedges / 3 · 2^(scales - 1)`; there are less than two scales, or wedges that are no multiple of three; the overlap is not between 0 and 0.5;
    /// radii do not rise from above 0 to at most `3π/2`; the threshold is negative; numbers are complex and the kind is
    /// [`Real`](CurveletKind::Real), or of a dtype not to compute with; or windows do not fit the memory.
    /// [`Error::TooLarge`](crate::Error::TooLarge) when the range cannot be addressed.
    pub fn new(space: Space, curvelets: &Curvelets) -> Result<Operator> {
        // Bands with both sides have each twice.
        let root = Self::root(curvelets);
        let product = Self::between(space, curvelets, root, |_| root)?;
        Ok(product.build()?.named(Self::NAME))
    }

    /// From coefficients back to arrays of `space`: `C⁺ C = 1` where windows do not meet themselves. It is the adjoint, unless the finest scale
    /// has wavelets. Of these, a complex kind has one band for each direction, and of those along each side the first one is taken.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn inverse(space: Space, curvelets: &Curvelets) -> Result<Operator> {
        let rank = space.shape().len();
        let wavelets = |direction: usize| match curvelets.kind {
            CurveletKind::Real => FRAC_1_SQRT_2,
            CurveletKind::Complex if direction.is_multiple_of(rank) => 0.5,
            CurveletKind::Complex => 0.0,
        };
        let product = Self::between(space, curvelets, Self::root(curvelets), wavelets)?;
        Ok(adjoint(&product.build()?).named("inverse of UDCT"))
    }

    fn root(curvelets: &Curvelets) -> f64 {
        match curvelets.kind {
            CurveletKind::Real => SQRT_2,
            CurveletKind::Complex => 1.0,
        }
    }

    fn between(
        space: Space,
        curvelets: &Curvelets,
        root: f64,
        wavelets: impl Fn(usize) -> f64,
    ) -> Result<Formula> {
        space.computable(Self::NAME)?;
        if space.dtype().is_complex() && curvelets.kind == CurveletKind::Real {
            let why =
                format!("{space}, whose numbers are not real: the kind is `Complex` for these");
            return Error::parameter(Self::NAME, why);
        }
        let shape = space.shape().to_vec();
        let bands = curvelets.bands_of(Self::NAME, &shape)?;
        let spectrum = fourier(space, 0)?;
        let bins = spectrum.range();
        let windows = CurveletWindows::new(Self::NAME, curvelets, &shape, &bands)?;
        let windows = windows.operator(bins, root, wavelets)?;
        let parts = bands.iter().map(|band| coefficients(band, bins));
        let back = block_diagonal(parts.collect::<Result<Vec<Operator>>>()?)?;
        Ok(back.after(windows).after(spectrum))
    }
}

/// From the spectra of coefficients of a band to these.
fn coefficients(band: &CurveletBand, bins: &Space) -> Result<Operator> {
    // Without an axis of wedges what is coarsest is of another rank than all others, so that the whole has one axis, always.
    let wedges = (band.scale > 0).then_some(band.wedges);
    let first = usize::from(wedges.is_some());
    let shape: Vec<usize> = wedges.into_iter().chain(band.shape.iter().copied()).collect();
    let space = Space::of(UDCT::NAME, shape, bins.dtype())?;
    // A transform of one point is none.
    if band.shape.iter().all(|extent| *extent == 1) {
        return Identity::new(space);
    }
    Ok(adjoint(&fourier(space, first)?))
}

/// The orthonormal transform along all axes from that one on that have more than one element.
fn fourier(space: Space, first: usize) -> Result<Operator> {
    let longer = (first..space.shape().len()).filter(|axis| space.shape()[*axis] > 1);
    let axes: Vec<FourierAxis> = longer.map(|axis| FourierAxis::new(axis as isize)).collect();
    transform(UDCT::NAME, space, &axes, Spectrum::Full, FourierNorm::Ortho)
}

#[cfg(test)]
mod tests {
    use arrayspan_bridge::{Array, DType};
    use num_complex::Complex64;

    use super::*;
    use crate::{FinestScale, LinearOperator as _};

    /// How far back is from there.
    fn error(shape: &[usize], curvelets: &Curvelets) -> Result<f64> {
        let complex = curvelets.kind == CurveletKind::Complex;
        let dtype = if complex { DType::Complex128 } else { DType::Float64 };
        let space = Space::new(shape, dtype)?;
        let numbers: Vec<f64> =
            (0..2 * space.len()).map(|at| (at * at % 101) as f64 / 50.0 - 1.0).collect();
        let (there, back) =
            (UDCT::new(space.clone(), curvelets)?, UDCT::inverse(space, curvelets)?);
        let far = |pairs: Vec<(Complex64, Complex64)>| {
            pairs.iter().map(|(found, expected)| (found - expected).norm()).fold(0.0, f64::max)
        };
        if complex {
            let x: Vec<Complex64> =
                numbers.chunks(2).map(|pair| Complex64::new(pair[0], pair[1])).collect();
            let found = back
                .forward(there.forward(Array::from_slice(&x, shape)?)?)?
                .to_vec::<Complex64>()?;
            return Ok(far(found.into_iter().zip(x).collect()));
        }
        let x = &numbers[..numbers.len() / 2];
        let found = back.forward(there.forward(Array::from_slice(x, shape)?)?)?.to_vec::<f64>()?;
        let pairs = found.into_iter().zip(x).map(|(found, x)| (found.into(), (*x).into()));
        Ok(far(pairs.collect()))
    }

    #[test]
    fn inverses_are_inverses_as_far_as_windows_do_not_meet_themselves() -> Result<()> {
        for kind in [CurveletKind::Real, CurveletKind::Complex] {
            for finest in [FinestScale::Curvelets, FinestScale::Wavelets] {
                let three = Curvelets { finest, kind, ..Curvelets::default() };
                let two = Curvelets { scales: 2, ..three };
                let near = |shape: &[usize], curvelets: &Curvelets, bound: f64| -> Result<()> {
                    let error = error(shape, curvelets)?;
                    assert!(error < bound, "{error} of {shape:?}, {curvelets:?}");
                    Ok(())
                };
                near(&[16, 12], &three, 1e-13)?;
                near(&[18, 22], &two, 1e-13)?;
                near(&[4, 8, 4], &two, 1e-13)?;
                near(&[4, 4, 2, 6], &two, 1e-13)?;
                near(&[64, 32], &Curvelets { scales: 4, ..three }, 1e-13)?;
                near(&[64, 32], &Curvelets { wedges: 6, ..three }, 1e-6)?;
                near(&[36, 48], &Curvelets { wedges: 9, ..three }, 1e-4)?;
            }
        }
        Ok(())
    }

    #[test]
    fn complex_numbers_need_a_band_for_each_side() -> Result<()> {
        let space = Space::new([8, 8], DType::Complex64)?;
        let told = UDCT::new(space, &Curvelets::default()).err().map(|error| error.to_string());
        assert!(told.is_some_and(|told| told.starts_with("UDCT: ") && told.contains("not real")));
        Ok(())
    }
}
