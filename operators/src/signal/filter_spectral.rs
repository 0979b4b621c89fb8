//! Convolutions by Fourier transforms.

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::devices::vectors::{collected, filled};
use arrayspan_bridge::{Array, DType, SharedArray, Transfer};
use num_complex::Complex64;

use super::fftnd::transform;
use super::filter::Filter;
use super::line_weights::line_weights;
use super::{FourierAxis, FourierNorm, Spectrum};
use crate::laws::values;
use crate::number::ZERO;
use crate::{Form, LinearMap as _, LinearOperator as _, Operator, Result, Space, adjoint};

/// What each bit of the points' number costs in a transform and back, in products of a tap and a sample: on processors, and on GPUs,
/// where products are made in registers, and transforms wait for memory.
const TAPS_PER_BIT: f64 = 20.0;
const TAPS_PER_BIT_ON_GPU: f64 = 80.0;

/// Where the spectrum of a filter lies.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kept {
    /// In a table, on each device that the operator is applied on: of one axis.
    Everywhere,
    /// In an array there.
    On(Device),
}

impl Kept {
    fn is_on_gpu(self) -> bool {
        match self {
            Self::Everywhere => false,
            Self::On(device) => !device.is_cpu() && device.info().accelerator,
        }
    }
}

/// The points of the transforms: so many that what leaves an axis at one end does not come in at the other, and none but small factors.
pub(super) fn points(filter: &Filter, space: &Space) -> Vec<usize> {
    let each = filter.axes.iter().zip(filter.extents.iter().zip(&filter.offsets));
    each.map(|(&axis, (&extent, &offset))| {
        smooth(space.shape()[axis] + offset.max(extent - 1 - offset))
    })
    .collect()
}

/// Whether transforms take less time than products, on devices like that.
pub(super) fn is_cheaper(filter: &Filter, space: &Space, kept: Kept) -> bool {
    let points = points(filter, space);
    let axes = filter.axes.iter().zip(&points);
    let growth = axes.map(|(&axis, &points)| points as f64 / space.shape()[axis] as f64);
    let bits: f64 = points.iter().map(|&points| (points as f64).log2()).sum();
    let each = if kept.is_on_gpu() { TAPS_PER_BIT_ON_GPU } else { TAPS_PER_BIT };
    filter.taps.len() as f64 > each * growth.product::<f64>() * bits.max(1.0)
}

/// The least number from `least` on without prime factors above 7.
///
/// Where no `usize` is one, the number itself, which no array has as an extent.
pub(super) fn smooth(least: usize) -> usize {
    // Up to the first one from there on.
    let powers = |of: usize| {
        let next = move |power: &usize| (*power < least).then(|| power.checked_mul(of)).flatten();
        std::iter::successors(Some(1_usize), next)
    };
    let odd = powers(7).flat_map(|sevens| {
        powers(5).flat_map(move |fives| powers(3).map(move |threes| (sevens, fives, threes)))
    });
    let all = odd.filter_map(|(sevens, fives, threes)| {
        let odd = sevens.checked_mul(fives)?.checked_mul(threes)?;
        odd.checked_mul(least.max(1).div_ceil(odd).checked_next_power_of_two()?)
    });
    all.min().unwrap_or(least)
}

/// `Fᴴ diag(F h) F` between zeros behind the samples.
pub(super) fn operator(
    name: &'static str,
    space: &Space,
    filter: &Filter,
    kept: Kept,
) -> Result<Operator> {
    let points = points(filter, space);
    let spectrum = if space.dtype().is_complex() { Spectrum::Full } else { Spectrum::Half };
    let axes = of_points(&filter.axes, &points);
    let fourier = transform(name, space.clone(), &axes, spectrum, FourierNorm::Ortho)?;
    let response = response(name, filter, &points, space, spectrum)?;
    let form = weights(name, fourier.range(), &filter.axes, response, kept)?;
    let bins = fourier.range().clone();
    let response = Operator::of("Response", bins.clone(), bins, form)?;
    Ok(adjoint(&fourier).after(response.after(&fourier)).build()?.named(name))
}

/// Those axes with so many points.
pub(super) fn of_points(axes: &[usize], points: &[usize]) -> Vec<FourierAxis> {
    let each = axes.iter().zip(points);
    let axis = |(&axis, &points): (&usize, &usize)| FourierAxis {
        points: Some(points),
        ..FourierAxis::new(axis as isize)
    };
    each.map(axis).collect()
}

/// Weights that are one for each bin along `axes`, as what multiplies `bins`.
fn weights(
    name: &'static str,
    bins: &Space,
    axes: &[usize],
    response: Vec<Complex64>,
    kept: Kept,
) -> Result<Form> {
    match kept {
        Kept::Everywhere => {
            let count = response.len();
            line_weights(name, axes[0], &[count], response)
        }
        Kept::On(device) => {
            let mut shape = vec![1; bins.shape().len()];
            for &axis in axes {
                shape[axis] = bins.shape()[axis];
            }
            Ok(Form::Diagonal(placed(&shape, bins.dtype(), &response, device)?))
        }
    }
}

/// Numbers as an array on a device.
pub(super) fn placed(
    shape: &[usize],
    dtype: DType,
    numbers: &[Complex64],
    device: Device,
) -> Result<SharedArray> {
    let stream = device.stream()?;
    let array = values::array(shape, dtype, numbers)?;
    let (array, _): (Array, _) = array.into_device_with(device, Transfer::CopyIfNeeded, &stream)?;
    Ok(array.into_shared())
}

/// The spectrum of a filter whose time zero is where it belongs, computed on the host in double precision.
fn response(
    name: &'static str,
    filter: &Filter,
    points: &[usize],
    space: &Space,
    spectrum: Spectrum,
) -> Result<Vec<Complex64>> {
    let mut turned = filled(Space::of(name, points, DType::Complex128)?.len(), ZERO)?;
    for (at, tap) in filter.taps.iter().enumerate() {
        let index = values::index_of(&filter.extents, at);
        let places = index.iter().zip(filter.offsets.iter().zip(points));
        let place = places.fold(0, |place, (&k, (&offset, &points))| {
            place * points + (points + k - offset) % points
        });
        turned[place] = *tap;
    }
    let all: Vec<usize> = (0..points.len()).collect();
    transformed(name, points, &all, space.dtype(), spectrum, &turned)
}

/// The spectra of numbers of that shape along some of its axes, of which the last is halved for [`Spectrum::Half`].
pub(super) fn transformed(
    name: &'static str,
    shape: &[usize],
    axes: &[usize],
    dtype: DType,
    spectrum: Spectrum,
    numbers: &[Complex64],
) -> Result<Vec<Complex64>> {
    let wide = if dtype.is_complex() { DType::Complex128 } else { DType::Float64 };
    let points: Vec<usize> = axes.iter().map(|&axis| shape[axis]).collect();
    let whole = Space::of(name, shape, wide)?;
    // Half a spectrum without the weights of its bins: all of them, cut.
    let axes_of = of_points(axes, &points);
    let fourier = transform(name, whole, &axes_of, Spectrum::Full, FourierNorm::Unscaled)?;
    let bins = fourier.forward(values::array(shape, wide, numbers)?)?;
    let bins = values::numbers(&bins.view())?;
    let &[.., last] = axes else { return Ok(bins) };
    let (extent, behind) = (shape[last], shape[last + 1..].iter().product::<usize>());
    let kept = if spectrum == Spectrum::Half { extent / 2 + 1 } else { extent };
    let lines = bins.chunks((extent * behind).max(1));
    let len = bins.len() / extent.max(1) * kept;
    Ok(collected(len, lines.flat_map(|line| &line[..kept * behind]).copied())?)
}

#[cfg(test)]
mod tests {
    use super::smooth;

    #[test]
    fn points_have_small_factors() {
        assert_eq!([0, 1, 11, 121, 8041].map(smooth), [1, 1, 12, 125, 8064]);
        let is_smooth = |number: usize| {
            let rest = [2, 3, 5, 7].into_iter().fold(number, |mut rest, factor| {
                while rest.is_multiple_of(factor) {
                    rest /= factor;
                }
                rest
            });
            rest == 1
        };
        for least in 1..3000 {
            assert_eq!(Some(smooth(least)), (least..=2 * least).find(|number| is_smooth(*number)));
        }
        let large = smooth((1 << 60) + 1);
        assert!(is_smooth(large) && large > 1 << 60 && large < (1 << 60) + (1 << 56));
        assert_eq!(smooth(usize::MAX), usize::MAX);
    }
}
