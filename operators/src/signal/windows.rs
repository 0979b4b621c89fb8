//! Windows along axes, and what is added up where they overlap.

use super::positions::Rows;
use crate::taper::{self, Ramp};
use crate::{Error, Formula, Lift, LinearMap as _, Operator, Result, Space};

/// How an axis is cut into windows: each begins `len - overlap` samples behind the one before it, as long as a whole one fits.
///
/// Samples behind the last window belong to none: the windows of an axis reach up to the [last start](Self::starts) and [`len`](Self::len)
/// samples more. To cut into windows and to add up again, both with a taper, is to keep each sample where the squares of tapers add up to one,
/// with [`Ramp::SquareRootCosine`]; tapers themselves add up to one with [`Ramp::Cosine`]. Ramps of one sample are 1, as if there were none:
/// windows that share one sample count it twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Windows {
    /// The samples of a window.
    pub len: usize,
    /// Those that it shares with the one before it.
    pub overlap: usize,
    /// How it rises and falls over them. The first window does not rise, the last one does not fall; `None` leaves all as they are.
    pub taper: Option<Ramp>,
}

impl Windows {
    /// Windows that rise and fall as a cosine.
    #[must_use]
    pub fn new(len: usize, overlap: usize) -> Self {
        Self { len, overlap, taper: Some(Ramp::Cosine) }
    }

    /// The first sample of each window of an axis with `extent` samples. PyLops: `sliding1d_design` and its like.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use arrayspan_operators::prelude::*;
    /// assert_eq!(Windows::new(4, 1).starts(12)?, [0, 3, 6]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::Parameter`] when a window has no samples, or more than the axis; when windows share all their samples or, with a taper,
    /// more than half; or when there is no memory for so many.
    pub fn starts(self, extent: usize) -> Result<Vec<usize>> {
        let count = self.count("Windows", extent)?;
        let mut starts = Vec::new();
        if starts.try_reserve_exact(count).is_err() {
            return Error::parameter("Windows", format!("{count} windows do not fit the memory"));
        }
        starts.extend((0..count).map(|window| window * (self.len - self.overlap)));
        Ok(starts)
    }

    /// How many there are.
    fn count(self, operator: &str, extent: usize) -> Result<usize> {
        let Self { len, overlap, taper } = self;
        let why = if len == 0 {
            "a window without samples".to_owned()
        } else if len > extent {
            format!("windows of {len} samples along an axis of {extent}")
        } else if overlap >= len {
            format!("windows of {len} samples that share {overlap}")
        } else if taper.is_some() && overlap > len / 2 {
            let most = len / 2;
            format!("tapers of {overlap} samples at both ends of windows of {len}; at most {most}")
        } else {
            return Ok((extent - len) / (len - overlap) + 1);
        };
        Error::parameter(operator, why)
    }

    /// The windows of an axis.
    fn along(self, operator: &str, extent: usize) -> Result<Along> {
        let count = self.count(operator, extent)?;
        let taper =
            self.taper.map(|ramp| taper::taper(self.len, self.overlap, ramp)).transpose()?;
        Ok(Along { extent, count, len: self.len, overlap: self.overlap, taper })
    }
}

/// An axis, of whose samples each is in some windows.
struct Along {
    extent: usize,
    count: usize,
    len: usize,
    overlap: usize,
    taper: Option<Vec<f64>>,
}

impl Along {
    /// One window.
    fn whole(extent: usize) -> Self {
        Self { extent, count: 1, len: extent, overlap: 0, taper: None }
    }

    /// Most windows that a sample is in.
    fn most(&self) -> usize {
        self.len.div_ceil((self.len - self.overlap).max(1)).min(self.count)
    }

    /// The windows that a sample is in, in order, each with its place and its weight there.
    fn parts(&self, sample: usize) -> impl Iterator<Item = (usize, usize, f64)> {
        let step = self.len - self.overlap;
        let first = (sample + 1).saturating_sub(self.len).div_ceil(step);
        (first..self.count.min(sample / step + 1)).map(move |window| {
            let at = sample - window * step;
            let outer = window == 0 && at < self.overlap
                || window + 1 == self.count && at >= self.len - self.overlap;
            let taper = self.taper.as_ref().filter(|_| !outer);
            (window, at, taper.map_or(1.0, |taper| taper[at]))
        })
    }
}

/// `y = Σ_w T_w A x_w`: `inner` for each window along the first axes of data of `shape`, all at once, weighted and added up where windows
/// are; domain `[windows…, inner's…]`.
pub(super) fn overlap_add(
    name: &'static str,
    inner: impl Into<Formula>,
    shape: &[usize],
    windows: &[Windows],
) -> Result<Operator> {
    let inner = inner.into().build()?;
    inner.range().stored(name)?;
    let range = Space::of(name, shape, inner.range().dtype())?;
    let (first, others) = shape.split_at(windows.len());
    let mut axes = Vec::with_capacity(shape.len());
    for (windows, &extent) in windows.iter().zip(first) {
        axes.push(windows.along(name, extent)?);
    }
    let one: Vec<usize> = axes.iter().map(|axis| axis.len).chain(others.iter().copied()).collect();
    let own = inner.range().shape();
    let flat = own != one;
    if flat && own != [one.iter().product::<usize>()] {
        let (inner, range) = (inner.name(), inner.range());
        let why = format!("windows have shape {one:?}, and {inner} gives {range}");
        return Error::parameter(name, why);
    }
    let lifted = axes.iter().rev().try_fold(inner.clone(), |inner, axis| {
        inner.lifted(Lift::Leading(axis.count)).map_err(|error| error.of(name))
    })?;
    if flat {
        // Its elements have no axes: the table names them all.
        axes.extend(others.iter().map(|&extent| Along::whole(extent)));
    }
    let counts: Vec<usize> = axes.iter().map(|axis| axis.count).take(windows.len()).collect();
    let lens: Vec<usize> = axes.iter().map(|axis| axis.len).collect();
    let lens = if flat { vec![lens.iter().product()] } else { lens };
    let columns = [counts, lens].concat();
    let rows = table(name, &axes, &range)?;
    let extents = &shape[..axes.len()];
    let added = rows.between("Overlap", [lifted.range().clone(), range], 0, [extents, &columns])?;
    Ok(added.after(&lifted).build()?.named(name))
}

/// For each sample its places in all windows, in the order of these, with the weights that it has there.
fn table(name: &'static str, axes: &[Along], range: &Space) -> Result<Rows> {
    let most = axes.iter().map(Along::most).fold(1, usize::saturating_mul);
    let count = axes.iter().map(|axis| axis.extent).product();
    let mut rows = Rows::new(name, range.shape(), range.dtype(), count, most)?;
    // The places of a row, as `(window, place within it, weight)`.
    let (mut parts, mut next) = (Vec::with_capacity(most), Vec::with_capacity(most));
    let inside: usize = axes.iter().map(|axis| axis.len).product();
    for row in 0..count {
        parts.clear();
        parts.push((0, 0, 1.0));
        let (mut rest, mut behind) = (row, count);
        for axis in axes {
            behind /= axis.extent;
            let sample = rest / behind;
            rest %= behind;
            next.clear();
            for (outer, place, factor) in parts.drain(..) {
                next.extend(axis.parts(sample).map(|(window, at, weight)| {
                    (outer * axis.count + window, place * axis.len + at, factor * weight)
                }));
            }
            std::mem::swap(&mut parts, &mut next);
        }
        for &(window, at, weight) in &parts {
            rows.add(window * inside + at, weight);
        }
        rows.end();
    }
    Ok(rows)
}
