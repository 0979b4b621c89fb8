//! Convolution along one axis.

use arrayspan_bridge::devices::vectors::filled;
use arrayspan_bridge::{Relayout, SharedArray};
use arrayspan_kernels::{Band, Stencil};
use num_complex::Complex64;

use super::fftnd::transform;
use super::filter::Filter;
use super::filter_blocks;
use super::filter_spectral::{self, Kept, placed, smooth};
use super::{Convolution, FourierAxis, FourierNorm, Spectrum};
use crate::laws::values;
use crate::number::{self, ZERO};
use crate::{Error, FilterTap, Form, Formula, LinearMap as _, Operator, Result, Space, adjoint};

/// `y[i] = Σₖ h[k] x[i - k + offset]` along one axis, `x` zero outside; domain and range are both `space`.
///
/// `offset` is the index of the filter's time zero. Filters of some hundreds of taps, and longer ones, are applied by discrete Fourier
/// transforms ([`Convolution`]), save to 16-bit floats. Units: those of `h x`. Complex: linear; the adjoint correlates with the
/// conjugate. Cost: 1 launch, 2 values moved and `h.len()` products per element; by transforms the same
/// in one launch, up to 4096 real taps of 32 bits (test `bytes::convolve1d`). A sample that is not finite makes results within the filter's
/// reach so; by transforms, those of the whole blocks that it is in and of those beside them. Rounding errors of these are those
/// of the largest sample there. Transforms are chosen for 512 taps and more; of 32-bit numbers for 192 and more along the last axis, for 256 along others.
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
/// Golden: PyLops 2.8.0 `Convolve1D`, whose adjoint does not conjugate a complex filter, and is none where signals have filters of their
/// own along another axis than the last; this one does, and is.
#[derive(Debug)]
pub struct Convolve1D(());

impl Convolve1D {
    const NAME: &str = "Convolve1D";

    /// The most taps that are applied directly.
    pub const MOST_TAPS: usize = 4096;

    /// The most taps of signals with filters of their own that are applied directly: each takes an array of coefficients.
    const MOST_EACH: usize = 8;

    /// Convolves with `filter`, whose taps are real or complex numbers of 32 or 64 bits ([`FilterTap`]), along `axis`, which counts from
    /// the end if it is negative.
    ///
    /// # Errors
    /// [`Error::Parameter`] when there is no such axis; the filter is empty, longer than the axis or complex on a real space; a tap is
    /// not finite or does not fit the dtype, unless it is less than the rounding error of the largest; `offset` is no index of the
    /// filter; or the dtype is not one to compute with.
    pub fn new<W>(space: Space, axis: isize, filter: &[W], offset: usize) -> Result<Operator>
    where
        W: FilterTap,
    {
        Self::by(space, axis, filter, offset, Convolution::Auto)
    }

    /// The same, computed as `method` says.
    ///
    /// # Errors
    /// As [`new`](Self::new); [`Error::Parameter`] for more than [`MOST_TAPS`](Self::MOST_TAPS) taps directly, more than [blocks](Convolution::Blocks)
    /// have room for, and transforms of 16-bit floats.
    pub fn by<W>(
        space: Space,
        axis: isize,
        filter: &[W],
        offset: usize,
        method: Convolution,
    ) -> Result<Operator>
    where
        W: FilterTap,
    {
        space.stored(Self::NAME)?;
        let axis = space.axis(Self::NAME, axis)?;
        let len = space.shape()[axis];
        let direct = method == Convolution::Direct || !space.dtype().is_computable();
        Self::expect(&space, axis, [filter.len(), len], offset)?;
        if direct && filter.len() > Self::MOST_TAPS {
            let (taps, most) = (filter.len(), Self::MOST_TAPS);
            let why = format!(
                "{taps} taps along axis {axis} of {space}; directly 1 to {most} can be used, more by transforms: Auto or Fourier"
            );
            return Error::parameter(Self::NAME, why);
        }
        let taps: Vec<Complex64> = filter.iter().map(|tap| tap.to_complex()).collect();
        let band = (0_isize..).zip(&taps).map(|(k, &weight)| (offset as isize - k, weight));
        let band = Band::uniform_complex(len, band);
        let what = format!("the filter along axis {axis}");
        number::taps(Self::NAME, &what, &band, space.dtype())?;
        if !space.dtype().is_complex() && !band.is_real() {
            return Error::parameter(Self::NAME, format!("complex taps for {space}"));
        }
        if method.transforms() {
            Self::expect_numbers(&space)?;
        }
        let (extents, offsets) = (vec![taps.len()], vec![offset]);
        let filter = Filter { axes: vec![axis], extents, offsets, taps };
        let in_blocks = filter_blocks::hold(&filter, &space);
        let cheaper = if in_blocks {
            filter_blocks::is_cheaper(&filter, &space)
        } else {
            filter_spectral::is_cheaper(&filter, &space, Kept::Everywhere)
        };
        if method == Convolution::Blocks && !in_blocks {
            let taps = filter.taps.len();
            let why = format!("blocks of {space} have no room for {taps} taps; use Whole");
            return Error::parameter(Self::NAME, why);
        }
        let long = filter.taps.len() > Self::MOST_TAPS || cheaper;
        if method.transforms() || (!direct && long) {
            if in_blocks && method != Convolution::Whole {
                return filter_blocks::operator(Self::NAME, space, &filter);
            }
            return filter_spectral::operator(Self::NAME, &space, &filter, Kept::Everywhere);
        }
        let form = Form::Stencil(Stencil::along(axis, band)?);
        Operator::of(Self::NAME, space.clone(), space, form)
    }

    /// Convolves each signal along `axis` with a filter of its own: `filters` has the shape of `space`, with taps along the axis. Filters of
    /// more than a few taps, that is their spectra, take as much memory as those of the signals, where the filters live. Waits for these.
    ///
    /// # Errors
    /// As [`new`](Self::new); [`Error::Parameter`] when the filters have another shape or another dtype; out of memory; the device's failure.
    pub fn each(
        space: Space,
        axis: isize,
        filters: impl Into<SharedArray>,
        offset: usize,
    ) -> Result<Operator> {
        let filters = filters.into();
        space.computable(Self::NAME)?;
        let axis = space.axis(Self::NAME, axis)?;
        let mut expected = space.shape().to_vec();
        let taps = filters.shape().get(axis).copied().unwrap_or(0);
        let extent = std::mem::replace(&mut expected[axis], taps);
        if filters.shape() != expected || filters.dtype() != space.dtype() {
            let (shape, dtype) = (filters.shape(), filters.dtype());
            let expected = shape_text(&expected, axis);
            let why = format!(
                "filters of {dtype} and shape {shape:?} along axis {axis}; expected {} of shape {expected}",
                space.dtype()
            );
            return Error::parameter(Self::NAME, why);
        }
        Self::expect(&space, axis, [taps, extent], offset)?;
        let numbers = values::numbers(&filters.view())?;
        number::filter(Self::NAME, "the filters", &numbers, space.dtype())?;
        if taps > Self::MOST_EACH {
            return Self::each_by_spectra(&space, axis, (&filters, &numbers), offset);
        }
        let mut sum: Option<Formula> = None;
        for k in 0..taps {
            let shift = Band::uniform(extent, [(offset as isize - k as isize, 1.0)]);
            let form = Form::Stencil(Stencil::along(axis, shift)?);
            let shift = Operator::of(Self::NAME, space.clone(), space.clone(), form)?;
            let weights = Form::Diagonal(filters.clone().sliced(axis, k, 1)?);
            let weights = Operator::of(Self::NAME, space.clone(), space.clone(), weights)?;
            let term = weights.after(shift);
            sum = Some(sum.map_or(term.clone(), |sum| sum + term));
        }
        match sum {
            Some(sum) => Ok(sum.build()?.named(Self::NAME)),
            None => Operator::of(Self::NAME, space.clone(), space, Form::Zero),
        }
    }

    fn each_by_spectra(
        space: &Space,
        axis: usize,
        (filters, numbers): (&SharedArray, &[Complex64]),
        offset: usize,
    ) -> Result<Operator> {
        let (taps, shape) = (filters.shape()[axis], filters.shape());
        let points = smooth(space.shape()[axis] + offset.max(taps - 1 - offset));
        let axes = [FourierAxis { points: Some(points), ..FourierAxis::new(axis as isize) }];
        let spectrum = if space.dtype().is_complex() { Spectrum::Full } else { Spectrum::Half };
        let fourier = transform(Self::NAME, space.clone(), &axes, spectrum, FourierNorm::Ortho)?;
        let bins = fourier.range().clone();
        let behind: usize = shape[axis + 1..].iter().product();
        let mut whole = shape.to_vec();
        whole[axis] = points;
        let len = Space::of(Self::NAME, whole.clone(), space.dtype())?.len();
        let mut turned = filled(len, ZERO)?;
        for (at, number) in numbers.iter().enumerate() {
            let (line, k, inner) = (at / (taps * behind), at / behind % taps, at % behind);
            turned[(line * points + (points + k - offset) % points) * behind + inner] = *number;
        }
        let (name, dtype) = (Self::NAME, space.dtype());
        let response =
            filter_spectral::transformed(name, &whole, &[axis], dtype, spectrum, &turned)?;
        let weights = placed(bins.shape(), bins.dtype(), &response, filters.device())?;
        let weights = Operator::of("Response", bins.clone(), bins, Form::Diagonal(weights))?;
        Ok(adjoint(&fourier).after(weights.after(&fourier)).build()?.named(Self::NAME))
    }

    /// Fails for dtypes that are no transform's.
    fn expect_numbers(space: &Space) -> Result<()> {
        if space.dtype().is_computable() {
            return Ok(());
        }
        let why =
            format!("transforms of {}; it is convolved with by products: Direct", space.dtype());
        Error::parameter(Self::NAME, why)
    }

    fn expect(space: &Space, axis: usize, [taps, most]: [usize; 2], offset: usize) -> Result<()> {
        if taps == 0 || taps > most {
            let why = format!("{taps} taps along axis {axis} of {space}; 1 to {most} can be used");
            return Error::parameter(Self::NAME, why);
        }
        if offset >= taps {
            let why = format!("offset {offset} is no index of the {taps} taps");
            return Error::parameter(Self::NAME, why);
        }
        Ok(())
    }
}

/// A shape with any extent along an axis.
fn shape_text(shape: &[usize], axis: usize) -> String {
    let extents = shape
        .iter()
        .enumerate()
        .map(|(at, extent)| if at == axis { "taps".to_owned() } else { extent.to_string() });
    format!("[{}]", extents.collect::<Vec<_>>().join(", "))
}
