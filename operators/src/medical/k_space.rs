//! Where magnetic resonance is measured.

use std::f64::consts::PI;

use arrayspan_bridge::SharedArray;
use arrayspan_bridge::devices::vectors::collected;

use crate::random::Sequence;
use crate::{Error, Result};

/// What is measured of the spectrum of an image, `k-space`, whose zero frequency is in the middle, at index `extent / 2` of each axis: see
/// [`MRI2D`](crate::MRI2D).
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::prelude::*;
/// let KSpace::Lines(lines) = KSpace::regular_lines(13, 4)? else { unreachable!() };
/// assert_eq!(lines, [0, 3, 6, 9]);
/// let KSpace::Points(points) = KSpace::radial([8, 5], 2, 3)? else { unreachable!() };
/// assert_eq!(points[..3], [[0.0, 2.0], [3.5, 2.0], [7.0, 2.0]]);
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub enum KSpace {
    /// A weight for each frequency, of the shape of the image and the dtype of spectra: 1 where there is a measurement, 0 elsewhere.
    Mask(SharedArray),
    /// Lines of all frequencies of the first axis, at these of the second one.
    Lines(Vec<usize>),
    /// Points between frequencies, each `[along axis 0, along axis 1]` in samples, interpolated bilinearly.
    Points(Vec<[f64; 2]>),
}

impl KSpace {
    const NAME: &str = "KSpace";

    /// So many lines of an axis of `extent` frequencies, every `extent / lines`-th. PyLops: `"vertical-reg"`.
    ///
    /// # Errors
    /// [`Error::Parameter`] when there are no lines, or more than the axis has; out of memory.
    pub fn regular_lines(extent: usize, lines: usize) -> Result<Self> {
        Self::fits(extent, lines, 0)?;
        if lines == 0 {
            return Error::parameter(Self::NAME, "no lines".to_owned());
        }
        let step = extent / lines;
        Ok(Self::Lines(collected(lines, (0..lines).map(|line| line * step))?))
    }

    /// So many lines of an axis of `extent` frequencies drawn by lot, beside all of the `center` lines around its middle, in order. The same
    /// seed draws the same lines. PyLops: `"vertical-uni"`, with `perc_center` for `center / extent`.
    ///
    /// # Errors
    /// [`Error::Parameter`] when there are more lines than the axis has; out of memory.
    pub fn random_lines(extent: usize, lines: usize, center: usize, seed: u64) -> Result<Self> {
        Self::fits(extent, lines, center)?;
        let first = extent / 2 - center / 2;
        let drawn = Sequence::new(seed, 0);
        let (mut left, mut others) = (lines as u64, (extent - center) as u64);
        // Selection in order: each has the chance that those still wanted have among those that are left.
        let taken = (0..extent).filter(|&line| {
            if (first..first + center).contains(&line) {
                return true;
            }
            let chosen = drawn.bits(line as u64) % others < left;
            others -= 1;
            left -= u64::from(chosen);
            chosen
        });
        Ok(Self::Lines(collected(lines + center, taken)?))
    }

    /// So many straight lines through the zero frequency of an image of this shape, each with `points` evenly from one end of the spectrum to
    /// the other, in directions that are `π / spokes` apart, the first one along axis 0. PyLops: `"radial-reg"`.
    ///
    /// # Errors
    /// [`Error::Parameter`] when there are no spokes, no points, or an axis without samples.
    pub fn radial(shape: [usize; 2], spokes: usize, points: usize) -> Result<Self> {
        Self::along(shape, spokes, points, |spoke| PI * spoke as f64 / spokes as f64)
    }

    /// As [`radial`](Self::radial), in directions drawn by lot. The same seed draws the same ones. PyLops: `"radial-uni"`.
    ///
    /// # Errors
    /// As those of [`radial`](Self::radial).
    pub fn random_radial(
        shape: [usize; 2],
        spokes: usize,
        points: usize,
        seed: u64,
    ) -> Result<Self> {
        let drawn = Sequence::new(seed, 0);
        let unit = |place: usize| (drawn.bits(place as u64) >> 11) as f64 / (1_u64 << 53) as f64;
        Self::along(shape, spokes, points, |spoke| PI * unit(spoke))
    }

    fn fits(extent: usize, lines: usize, center: usize) -> Result<()> {
        if lines.checked_add(center).is_some_and(|all| all <= extent) {
            return Ok(());
        }
        let why = format!(
            "{lines} lines and {center} around the middle of {extent} frequencies; together they are to be at most as many"
        );
        Error::parameter(Self::NAME, why)
    }

    fn along(
        shape: [usize; 2],
        spokes: usize,
        points: usize,
        angle: impl Fn(usize) -> f64,
    ) -> Result<Self> {
        let mut all = Vec::new();
        let count = spokes.checked_mul(points).filter(|count| *count > 0);
        if shape.contains(&0) || count.is_none_or(|count| all.try_reserve_exact(count).is_err()) {
            let why = format!("{spokes} spokes of {points} points in a spectrum of {shape:?}");
            return Error::parameter(Self::NAME, why);
        }
        let middle = shape.map(|extent| (extent / 2) as f64);
        let last = shape.map(|extent| (extent - 1) as f64);
        for spoke in 0..spokes {
            let (along_columns, along_rows) = angle(spoke).sin_cos();
            let direction = [along_rows, along_columns];
            // How far it is to the end of the spectrum, forwards and backwards.
            let reach = |sign: f64| {
                let axis = |axis: usize| {
                    let part = sign * direction[axis];
                    let room = if part > 0.0 { last[axis] - middle[axis] } else { middle[axis] };
                    // The cosine of a right angle is not quite zero.
                    if part.abs() < 1e-12 { f64::INFINITY } else { room / part.abs() }
                };
                axis(0).min(axis(1))
            };
            let (from, to) = (-reach(-1.0), reach(1.0));
            for point in 0..points {
                let part = if points == 1 { 0.5 } else { point as f64 / (points - 1) as f64 };
                let radius = from + (to - from) * part;
                let position =
                    |axis: usize| (middle[axis] + radius * direction[axis]).clamp(0.0, last[axis]);
                all.push([position(0), position(1)]);
            }
        }
        Ok(Self::Points(all))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_drawn_are_as_many_as_wanted_and_the_middle_is_among_them() {
        for seed in 0..50 {
            let Ok(KSpace::Lines(lines)) = KSpace::random_lines(65, 16, 7, seed) else { panic!() };
            assert_eq!(lines.len(), 23);
            assert!(lines.is_sorted() && lines.windows(2).all(|pair| pair[0] < pair[1]));
            assert!((29..36).all(|line| lines.contains(&line)) && lines[22] < 65);
        }
        assert!(KSpace::random_lines(64, 60, 32, 0).is_err());
        assert!(KSpace::regular_lines(4, 5).is_err() && KSpace::regular_lines(4, 0).is_err());
    }

    #[test]
    fn spokes_pass_the_middle_and_reach_both_ends() {
        for shape in [[32, 64], [33, 65], [7, 5], [1, 9], [1, 1], [5, 1]] {
            let found = [KSpace::radial(shape, 8, 9), KSpace::random_radial(shape, 8, 9, 3)];
            for found in found {
                let Ok(KSpace::Points(points)) = found else { panic!() };
                assert_eq!(points.len(), 72);
                for point in &points {
                    for axis in 0..2 {
                        assert!((0.0..=shape[axis] as f64 - 1.0).contains(&point[axis]));
                    }
                }
            }
        }
        assert!(KSpace::radial([0, 3], 1, 1).is_err() && KSpace::radial([3, 3], 0, 1).is_err());
        assert!(KSpace::radial([3, 3], usize::MAX, 2).is_err());
    }
}
