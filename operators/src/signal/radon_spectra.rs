//! Radon transforms of spectra along time.

use std::ops::Range;

use arrayspan_bridge::devices::vectors::collected;
use num_complex::Complex64;

use super::chirp::{Line, chirp, phase};
use super::fftnd::transform;
use super::line_weights::line_weights;
use super::positions::Rows;
use super::{FourierAxis, FourierNorm, RadonKind, Spectrum};
use crate::{
    Error, Formula, Identity, LinearMap as _, Operator, Restriction, Result, Space, Transpose,
    adjoint,
};

/// An axis of offsets, which becomes one of slopes.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChirpAxis {
    axis: usize,
    /// The largest slope, in samples of time per sample.
    pmax: f64,
}

impl ChirpAxis {
    pub(super) fn new(axis: usize, pmax: f64) -> Self {
        Self { axis, pmax }
    }
}

/// From data to slopes, or back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Slopes,
    Inverse,
}

/// The transform along time of arrays, whose last axis that is, and its frequencies in cycles per sample.
fn of_time(name: &'static str, space: Space, time: FourierAxis) -> Result<(Operator, Vec<f64>)> {
    space.computable(name)?;
    let spectrum = if space.dtype().is_complex() { Spectrum::Full } else { Spectrum::Half };
    let extent = space.extent(name, time.axis)?;
    let fourier = transform(name, space, &[time], spectrum, FourierNorm::Ortho)?;
    Ok((fourier, time.frequencies(extent, spectrum)?))
}

/// `Fᴴ C F` with chirps `C` along the axes, or `Fᴴ Cᴴ |f|ⁿ F`.
pub(super) fn chirp_radon<const N: usize>(
    name: &'static str,
    space: Space,
    axes: [ChirpAxis; N],
    direction: Direction,
) -> Result<Operator> {
    if space.shape().len() != N + 1 || space.shape().contains(&0) {
        let why = format!("{space}; expected {N} of offsets and one of time, none of them empty");
        return Error::parameter(name, why);
    }
    if let Some(axis) = axes.iter().find(|axis| !axis.pmax.is_finite()) {
        return Error::parameter(name, format!("slopes up to {}", axis.pmax));
    }
    let counts = space.shape().to_vec();
    let (fourier, frequencies) = of_time(name, space, FourierAxis::new(-1))?;
    let bins = fourier.range().clone();
    let mut chirps = Formula::from(Identity::new(bins.clone())?);
    let mut steps = 1.0;
    for ChirpAxis { axis, pmax } in axes {
        let count = counts[axis];
        // From the middle, so that slopes of both signs are there.
        let line = Line { first: -(count.div_ceil(2) as f64), step: 1.0, count };
        let step = 2.0 * pmax / count as f64;
        steps *= step;
        let turned = collected(frequencies.len(), frequencies.iter().map(|of| of * step))?;
        chirps = beside(name, &bins, axis, [line; 2], &turned)?.after(chirps);
    }
    let chirps = chirps.build()?;
    let inner = match direction {
        Direction::Slopes => chirps,
        Direction::Inverse => {
            let weights =
                frequencies.iter().map(|frequency| frequency.abs().powi(N as i32) * steps);
            let weights = along_last(name, &bins, weights.map(Complex64::from).collect())?;
            adjoint(&chirps).after(weights).build()?
        }
    };
    Ok(adjoint(&fourier).after(inner.after(&fourier)).build()?.named(name))
}

/// A chirp along an axis of spectra.
fn beside(
    name: &'static str,
    bins: &Space,
    axis: usize,
    lines: [Line; 2],
    frequencies: &[f64],
) -> Result<Operator> {
    let one = |space: &Space, axis| chirp(name, space, axis, lines, frequencies);
    turned(name, bins, axis, lines[1].count, one)
}

/// What an operator does along an axis, which gets so many places, and the last one, frequencies: the axis is brought beside these, and
/// back.
fn turned(
    name: &'static str,
    bins: &Space,
    axis: usize,
    places: usize,
    operator: impl FnOnce(&Space, usize) -> Result<Operator>,
) -> Result<Operator> {
    let rank = bins.shape().len();
    if axis + 2 == rank {
        return operator(bins, axis);
    }
    let mut order: Vec<isize> = (0..rank as isize).collect();
    let moved = order.remove(axis);
    order.insert(rank - 2, moved);
    let turn = Transpose::new(bins.clone(), &order)?;
    let inner = operator(turn.range(), rank - 2)?;
    let mut shape = bins.shape().to_vec();
    shape[axis] = places;
    let back = adjoint(&Transpose::new(Space::of(name, shape, bins.dtype())?, &order)?);
    back.after(inner.after(turn)).build()
}

/// Weights of the last axis.
fn along_last(name: &'static str, space: &Space, weights: Vec<Complex64>) -> Result<Operator> {
    let (axis, count) = (space.shape().len() - 1, weights.len());
    let form = line_weights(name, axis, &[count], weights)?;
    Operator::of(name, space.clone(), space.clone(), form)
}

/// Slownesses along an axis of models, and offsets along that axis of data.
#[derive(Clone, Copy, Debug)]
pub(super) struct RadonAxis<'a> {
    pub(super) slownesses: &'a [f64],
    pub(super) offsets: &'a [f64],
    pub(super) kind: RadonKind,
}

/// `Fᴴ Φ F` with phases `Φ` along all axes but time, of the bins of a band.
pub(super) fn fourier_radon<const N: usize>(
    name: &'static str,
    space: Space,
    time: FourierAxis,
    band: Option<Range<usize>>,
    axes: [RadonAxis<'_>; N],
) -> Result<Operator> {
    if space.shape().len() != N + 1 || space.axis(name, time.axis)? != N {
        let why =
            format!("{space}, which has not {N} axes of slownesses and one of time, the last");
        return Error::parameter(name, why);
    }
    if time.ifftshift_before || time.fftshift_after {
        let why = "the order of samples and bins is that of the transform";
        return Error::parameter(name, why);
    }
    let mut shape = space.shape().to_vec();
    for (axis, along) in axes.iter().enumerate() {
        if along.kind == RadonKind::Hyperbolic {
            return Error::parameter(name, "phases of spectra are those of lines and parabolas");
        }
        shape[axis] = along.check(name, &space, axis)?;
    }
    let range = Space::of(name, shape, space.dtype())?;
    let half = time.points.unwrap_or(space.shape()[N]) / 2;
    let (fourier, frequencies) = of_time(name, space, time)?;
    let (back, _) = of_time(name, range, time)?;
    let points = fourier.range().shape()[N];
    let whole = 0..half + 1;
    let band = band.unwrap_or(whole.clone());
    if band.start >= band.end || band.end > whole.end {
        let why = format!("bins {band:?}, which are not some of {whole:?}");
        return Error::parameter(name, why);
    }
    // Of all bins, those of negative frequencies follow, the last one first.
    let full = back.domain().dtype().is_complex();
    let both = |bin: &usize| band.contains(bin) || (full && band.contains(&(points - bin)));
    let bins: Vec<usize> = (0..points).filter(both).collect();
    let kept: Vec<f64> = bins.iter().map(|&bin| -frequencies[bin]).collect();
    let taken = Restriction::new(fourier.range().clone(), -1, &bins)?;
    let mut space = taken.range().clone();
    let mut phases = Formula::from(taken);
    for (axis, along) in axes.iter().enumerate() {
        let one = along.phases(name, &space, axis, &kept)?;
        space = one.range().clone();
        phases = one.after(phases);
    }
    let given = Restriction::new(back.range().clone(), -1, &bins)?;
    let product = adjoint(&back).after(adjoint(&given)).after(phases).after(&fourier);
    Ok(product.build()?.named(name))
}

impl RadonAxis<'_> {
    /// The offsets along an axis of data, whose models are of `space`.
    pub(super) fn check(&self, name: &'static str, space: &Space, axis: usize) -> Result<usize> {
        let places = self.slownesses.iter().chain(self.offsets);
        let wrong = places.into_iter().find(|place| !place.is_finite());
        let (count, extent) = (self.slownesses.len(), space.shape()[axis]);
        if let Some(wrong) = wrong {
            return Error::parameter(name, format!("a slowness or an offset of {wrong}"));
        } else if count != extent || extent == 0 || self.offsets.is_empty() {
            let offsets = self.offsets.len();
            let why =
                format!("{count} slownesses and {offsets} offsets along axis {axis} of {space}");
            return Error::parameter(name, why);
        }
        Ok(self.offsets.len())
    }

    /// The phases of the frequencies along an axis: by a chirp where that can be, else by a table.
    fn phases(
        &self,
        name: &'static str,
        space: &Space,
        axis: usize,
        frequencies: &[f64],
    ) -> Result<Operator> {
        let offsets: Vec<f64> = match self.kind {
            RadonKind::Linear | RadonKind::Hyperbolic => self.offsets.to_vec(),
            RadonKind::Parabolic => self.offsets.iter().map(|offset| offset * offset).collect(),
        };
        if let (Some(from), Some(to)) = (Line::of(self.slownesses), Line::of(&offsets)) {
            return beside(name, space, axis, [from, to], frequencies);
        }
        let table = |space: &Space, axis| {
            table(name, space, axis, [self.slownesses, &offsets], frequencies)
        };
        turned(name, space, axis, offsets.len(), table)
    }
}

/// Phases of all pairs of places, in a table on each device that they are used on.
fn table(
    name: &'static str,
    space: &Space,
    axis: usize,
    [from, to]: [&[f64]; 2],
    frequencies: &[f64],
) -> Result<Operator> {
    let count = frequencies.len();
    let rows = to.len() * count;
    let mut table = Rows::new(name, space.shape(), space.dtype(), rows, from.len())?;
    for row in 0..rows {
        let (offset, frequency) = (to[row / count], row % count);
        for (at, slowness) in from.iter().enumerate() {
            let turns = frequencies[frequency] * offset * slowness;
            table.add(at * count + frequency, phase(turns));
        }
        table.end();
    }
    let mut shape = space.shape().to_vec();
    shape[axis] = to.len();
    let range = Space::of(name, shape, space.dtype())?;
    table.between(name, [space.clone(), range], axis, [&[to.len(), count], &[from.len(), count]])
}
