//! Filters along some axes of arrays.

use arrayspan_bridge::{DType, Relayout, View};
use num_complex::Complex64;

use crate::laws::values;
use crate::number::{self, ONE};
use crate::{Error, Result, Space};

/// A filter along axes, checked: `y[i] = Σₖ h[k] x[i - k + offset]`.
#[derive(Clone, Debug)]
pub(super) struct Filter {
    /// Ascending.
    pub(super) axes: Vec<usize>,
    pub(super) extents: Vec<usize>,
    pub(super) offsets: Vec<usize>,
    /// Row-major.
    pub(super) taps: Vec<Complex64>,
}

impl Filter {
    /// The taps of an array, whose axes are those `axes` of `space`. Waits for it.
    pub(super) fn new(
        operator: &str,
        space: &Space,
        axes: &[isize],
        taps: &View<'_>,
        offsets: &[usize],
    ) -> Result<Self> {
        space.computable(operator)?;
        let rank = axes.len();
        if rank == 0 || taps.shape().len() != rank || offsets.len() != rank {
            let (shape, given) = (taps.shape(), offsets.len());
            let why = format!("a filter of shape {shape:?} with {given} offsets along {rank} axes");
            return Error::parameter(operator, why);
        }
        let axes = axes.iter().map(|&axis| space.axis(operator, axis));
        let axes = axes.collect::<Result<Vec<usize>>>()?;
        let mut order: Vec<usize> = (0..rank).collect();
        order.sort_unstable_by_key(|&at| axes[at]);
        for pair in order.windows(2) {
            if axes[pair[0]] == axes[pair[1]] {
                return Error::parameter(operator, format!("axis {} twice", axes[pair[0]]));
            }
        }
        for (at, &axis) in axes.iter().enumerate() {
            let (extent, most, offset) = (taps.shape()[at], space.shape()[axis], offsets[at]);
            if extent == 0 || extent > most {
                let why =
                    format!("{extent} taps along axis {axis} of {space}; 1 to {most} can be used");
                return Error::parameter(operator, why);
            }
            if offset >= extent {
                let why = format!("offset {offset} is no index of the {extent} taps");
                return Error::parameter(operator, why);
            }
        }
        if !taps.dtype().is_computable() {
            return Error::parameter(operator, format!("a filter of dtype {}", taps.dtype()));
        }
        let sorted = taps.clone().permuted(&order)?;
        let of = |all: &[usize]| order.iter().map(|&at| all[at]).collect::<Vec<usize>>();
        let (axes, extents, offsets) = (of(&axes), of(taps.shape()), of(offsets));
        let filter = Self { axes, extents, offsets, taps: values::numbers(&sorted)? };
        filter.fits(operator, space)?;
        Ok(filter)
    }

    fn fits(&self, operator: &str, space: &Space) -> Result<()> {
        let real = self.taps.iter().all(|tap| tap.im == 0.0);
        if !space.dtype().is_complex() && !real {
            return Error::parameter(operator, format!("complex taps for {space}"));
        }
        number::filter(operator, "the filter", &self.taps, space.dtype())
    }

    /// The filters along each axis of which this is the product, but for rounding, if there are such.
    pub(super) fn factors(&self, dtype: DType) -> Option<Vec<Vec<Complex64>>> {
        let epsilon =
            if dtype.real() == DType::Float32 { f32::EPSILON.into() } else { f64::EPSILON };
        let sizes = self.taps.iter().map(|tap| tap.norm()).enumerate();
        let (at, _) = sizes.max_by(|a, b| a.1.total_cmp(&b.1))?;
        let (peak, place) = (self.taps[at], values::index_of(&self.extents, at));
        let strides: Vec<usize> = (1..=self.extents.len())
            .map(|behind| self.extents[behind..].iter().product())
            .collect();
        // The longest one has the peak's size, the others one.
        let long = (0..self.extents.len()).max_by_key(|&axis| self.extents[axis])?;
        let fibre = |axis: usize| {
            let (stride, extent) = (strides[axis], self.extents[axis]);
            let first = at - place[axis] * stride;
            let unit = if axis == long { ONE } else { peak };
            (0..extent).map(|k| self.taps[first + k * stride] / unit).collect::<Vec<_>>()
        };
        let factors: Vec<Vec<Complex64>> = (0..self.extents.len()).map(fibre).collect();
        let near = |(at, tap): (usize, &Complex64)| {
            let index = values::index_of(&self.extents, at);
            let parts = index.iter().zip(&factors).map(|(&k, factor)| factor[k]);
            // Each tap for itself: many small ones add up to as much as a large one.
            let parts = parts.product::<Complex64>();
            (parts - tap).norm() <= 4.0 * epsilon * tap.norm()
        };
        self.taps.iter().enumerate().all(near).then_some(factors)
    }
}
