//! Filters at places along axes, and what is between them.
//!
//! The filter of a sample is that of the places around it, weighted as a straight line between them; before the first place and behind the
//! last it is theirs. So a sum over all filters is what they give of the model times hats: a window of the model around
//! each place, convolved with one filter. Windows of all places are taken at once, as an array with two axes for each of the
//! model's, places and samples; along these they are transformed, multiplied by the filters' spectra and added up again.

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::devices::vectors::{filled, reserve};
use arrayspan_bridge::{SharedArray, View};
use arrayspan_kernels::Gather;
use num_complex::Complex64;

use super::fftnd::transform;
use super::filter_spectral::{of_points, placed, smooth, transformed};
use super::{FourierNorm, Spectrum};
use crate::laws::values;
use crate::number::ZERO;
use crate::{
    Error, Form, Formula, Identity, LinearMap as _, LinearOperator as _, Operator, Result, Space,
    Transpose, adjoint, number,
};

/// The places of filters along an axis, and what they reach.
#[derive(Clone, Debug)]
pub(super) struct Places {
    extent: usize,
    /// Rising.
    at: Vec<usize>,
    /// Of the filters.
    taps: usize,
}

impl Places {
    /// Places along an axis of so many samples, of filters with so many taps.
    pub(super) fn new(
        operator: &str,
        space: &Space,
        axis: usize,
        at: &[usize],
        taps: usize,
    ) -> Result<Self> {
        let extent = space.shape()[axis];
        let outside = at.iter().find(|at| **at >= extent);
        let why = if taps.is_multiple_of(2) {
            format!("filters of {taps} taps along axis {axis}, which is no odd number")
        } else if at.is_empty() {
            format!("no places of filters along axis {axis}")
        } else if let Some(outside) = outside {
            format!(
                "place {outside} is not among the {extent} samples along axis {axis} of {space}"
            )
        } else if at.windows(2).any(|pair| pair[0] >= pair[1]) {
            format!("places {at:?} along axis {axis}, which do not rise")
        } else {
            return Ok(Self { extent, at: at.to_vec(), taps });
        };
        Error::parameter(operator, why)
    }

    /// Places along each axis of `space`, of filters with so many taps.
    pub(super) fn of(
        operator: &str,
        space: &Space,
        places: &[&[usize]],
        taps: &[usize],
    ) -> Result<Vec<Self>> {
        space.computable(operator)?;
        let rank = places.len();
        if space.shape().len() != rank {
            return Error::parameter(operator, format!("{space}, which has not {rank} axes"));
        }
        let along = places.iter().zip(taps).enumerate();
        along.map(|(axis, (at, &taps))| Self::new(operator, space, axis, at, taps)).collect()
    }

    /// The shape of filters at places along axes.
    pub(super) fn filters(along: &[Self]) -> Vec<usize> {
        let counts = along.iter().map(Self::count);
        counts.chain(along.iter().map(Self::taps)).collect()
    }

    pub(super) fn at(&self) -> &[usize] {
        &self.at
    }

    pub(super) fn taps(&self) -> usize {
        self.taps
    }

    /// From one place to the next, on average.
    pub(super) fn distance(&self) -> f64 {
        self.extent as f64 / self.count() as f64
    }

    /// The filters of a sample, by number, and their weights, of which none is zero.
    pub(super) fn around(&self, sample: usize) -> impl Iterator<Item = (usize, f64)> {
        let behind = self.at.partition_point(|at| *at <= sample);
        let last = self.at.len() - 1;
        let pair = if behind == 0 {
            [(0, 1.0), (0, 0.0)]
        } else if behind > last {
            [(last, 1.0), (last, 0.0)]
        } else {
            let (before, next) = (self.at[behind - 1], self.at[behind]);
            let part = (sample - before) as f64 / (next - before) as f64;
            [(behind - 1, 1.0 - part), (behind, part)]
        };
        pair.into_iter().filter(|(_, weight)| *weight > 0.0)
    }

    /// The samples of which a filter has a part.
    fn window(&self, filter: usize) -> (usize, usize) {
        let start = if filter == 0 { 0 } else { self.at[filter - 1] + 1 };
        (start, self.at.get(filter + 1).copied().unwrap_or(self.extent))
    }

    pub(super) fn count(&self) -> usize {
        self.at.len()
    }

    /// The points of the transforms of windows, between zeros.
    fn points(&self) -> usize {
        let lens = (0..self.count()).map(|filter| {
            let (start, end) = self.window(filter);
            end - start
        });
        smooth(lens.max().unwrap_or(0).saturating_add(self.taps - 1))
    }

    /// From samples to windows of them, times the weights that they have there.
    fn windows(&self, axis: usize) -> Result<Gather> {
        let (count, points) = (self.count(), self.points());
        let (mut starts, mut indices, mut weights) = (Vec::new(), Vec::new(), Vec::new());
        reserve(&mut starts, count.saturating_mul(points).saturating_add(1))?;
        starts.push(0);
        for filter in 0..count {
            let (start, end) = self.window(filter);
            for point in 0..points {
                let sample = start + point;
                let mut own = self.around(sample).filter(|(own, _)| *own == filter);
                if let Some((_, weight)) = own.next().filter(|_| sample < end) {
                    indices.push(sample);
                    weights.push(Complex64::from(weight));
                }
                starts.push(indices.len());
            }
        }
        Ok(Gather::new(axis, &[count, points], &[self.extent], starts, indices, Some(weights))?)
    }

    /// From convolved windows, whose first point is as much before their first sample as filters reach, to samples.
    fn folded(&self, axis: usize) -> Result<Gather> {
        let (count, points, reach) = (self.count(), self.points(), self.taps / 2);
        let (mut starts, mut indices) = (Vec::new(), Vec::new());
        reserve(&mut starts, self.extent.saturating_add(1))?;
        starts.push(0);
        for sample in 0..self.extent {
            for filter in 0..count {
                let (start, end) = self.window(filter);
                let place = (sample + reach).checked_sub(start);
                let reached = (end - start).saturating_add(self.taps - 1);
                if let Some(point) = place.filter(|point| *point < reached) {
                    indices.push(filter * points + point);
                }
            }
            starts.push(indices.len());
        }
        Ok(Gather::new(axis, &[self.extent], &[count, points], starts, indices, None)?)
    }
}

/// Windows along all axes of a space, and their spectra.
pub(super) struct Bank {
    name: &'static str,
    places: Vec<Places>,
    /// From models to windows.
    windows: Operator,
    /// From convolved windows to data.
    folded: Operator,
    /// From windows to their spectra.
    fourier: Operator,
    spectrum: Spectrum,
}

impl Bank {
    /// With the places along each axis of `space`.
    pub(super) fn new(name: &'static str, space: Space, places: Vec<Places>) -> Result<Self> {
        let rank = places.len();
        let dtype = space.dtype();
        let mut shape = space.shape().to_vec();
        let mut windows = Formula::from(Identity::new(space)?);
        let mut folds = Vec::with_capacity(rank);
        for (number, along) in places.iter().enumerate() {
            let axis = 2 * number;
            let before = Space::of(name, shape.clone(), dtype)?;
            shape.splice(axis..=axis, [along.count(), along.points()]);
            let whole = Space::of(name, shape.clone(), dtype)?;
            let taken = Form::Gather(along.windows(axis)?);
            windows = Operator::of(name, before.clone(), whole.clone(), taken)?.after(windows);
            folds.push(Operator::of(name, whole, before, Form::Gather(along.folded(axis)?))?);
        }
        let whole = Space::of(name, shape, dtype)?;
        let mut folded = Formula::from(Identity::new(whole.clone())?);
        while let Some(fold) = folds.pop() {
            folded = fold.after(folded);
        }
        let spectrum = if dtype.is_complex() { Spectrum::Full } else { Spectrum::Half };
        let fourier = Self::fourier(name, whole, &places, spectrum)?;
        let (windows, folded) = (windows.build()?, folded.build()?);
        Ok(Self { name, places, windows, folded, fourier, spectrum })
    }

    /// Along the axes of samples, or of taps, between zeros.
    fn fourier(
        name: &'static str,
        space: Space,
        places: &[Places],
        spectrum: Spectrum,
    ) -> Result<Operator> {
        let points: Vec<usize> = places.iter().map(Places::points).collect();
        let axes = of_points(&sample_axes(places.len()), &points);
        transform(name, space, &axes, spectrum, FourierNorm::Ortho)
    }

    /// The convolution of models with filters of such numbers, `[places…, taps…]` along the axes, on a device.
    pub(super) fn convolution(&self, numbers: &[Complex64], device: Device) -> Result<Operator> {
        let (counts, taps): (Vec<usize>, Vec<usize>) =
            self.places.iter().map(|along| (along.count(), along.taps)).unzip();
        let shape = self.windows.range().shape();
        let mut padded = filled(self.windows.range().len(), ZERO)?;
        let each: usize = taps.iter().product();
        for (at, tap) in numbers.iter().enumerate() {
            let filter = values::index_of(&counts, at / each);
            let tap_at = values::index_of(&taps, at % each);
            let index = filter.iter().zip(&tap_at).flat_map(|(&filter, &tap)| [filter, tap]);
            let place = index.zip(shape).fold(0, |place, (at, extent)| place * extent + at);
            padded[place] = *tap;
        }
        let response = self.response(&padded, device)?;
        let back = self.folded.after(adjoint(&self.fourier)).after(response);
        Ok(back.after(&self.fourier).after(&self.windows).build()?.named(self.name))
    }

    /// What filters, `[places…, taps…]` along the axes, give of an input. Waits for that.
    pub(super) fn filters(&self, input: &SharedArray) -> Result<Operator> {
        let space = self.windows.domain();
        let numbers = expected(self.name, "the input", &input.view(), space.shape(), space)?;
        number::filter(self.name, "the input", &numbers, space.dtype())?;
        let windows = values::array(space.shape(), space.dtype(), &numbers)?;
        let windows = values::numbers(&self.windows.forward(windows)?.view())?;
        let response = self.response(&windows, input.device())?;
        let rank = self.places.len();
        let filters = Space::of(self.name, Places::filters(&self.places), space.dtype())?;
        let order: Vec<isize> =
            (0..rank).flat_map(|axis| [axis as isize, (rank + axis) as isize]).collect();
        let turned = Transpose::new(filters, &order)?;
        let fourier =
            Self::fourier(self.name, turned.range().clone(), &self.places, self.spectrum)?;
        let back = self.folded.after(adjoint(&self.fourier)).after(response);
        Ok(back.after(fourier).after(turned).build()?.named(self.name))
    }

    /// The product of spectra with those of windows, which lie on a device.
    fn response(&self, windows: &[Complex64], device: Device) -> Result<Operator> {
        let (space, bins) = (self.windows.range(), self.fourier.range().clone());
        let axes = sample_axes(self.places.len());
        let (shape, dtype) = (space.shape(), space.dtype());
        let response = transformed(self.name, shape, &axes, dtype, self.spectrum, windows)?;
        let weights = placed(bins.shape(), bins.dtype(), &response, device)?;
        Operator::of("Response", bins.clone(), bins, Form::Diagonal(weights))
    }
}

/// The axes of samples within windows.
fn sample_axes(rank: usize) -> Vec<usize> {
    (0..rank).map(|axis| 2 * axis + 1).collect()
}

/// The numbers of an array of that shape, which a space holds. Waits for it.
pub(super) fn expected(
    operator: &str,
    what: &str,
    array: &View<'_>,
    shape: &[usize],
    space: &Space,
) -> Result<Vec<Complex64>> {
    let dtype = array.dtype();
    if array.shape() != shape || !dtype.is_computable() {
        let found = array.shape();
        let why = format!("{what} of {dtype} and shape {found:?}, expected {shape:?}");
        return Error::parameter(operator, why);
    }
    let numbers = values::numbers(array)?;
    if !space.dtype().is_complex() && numbers.iter().any(|number| number.im != 0.0) {
        return Error::parameter(operator, format!("{what}, which are complex, for {space}"));
    }
    Ok(numbers)
}
