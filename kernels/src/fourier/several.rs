//! Transforms along several axes, which a library takes as one.

use arrayspan_bridge::{DType, Layout};

use super::{Fourier, Signals};
use crate::{Fit, fit};

/// Transforms along several axes as one of the lines along the last axis, and the extents of the axes before it, the outermost first (1
/// for none), along which complex numbers are transformed to as many.
///
/// `None` unless the axes are the last ones of arrays without gaps, of which all but the last are transformed as they are, with one sign.
/// The scales of all are that of the lines: a number that complex numbers of `dtype` have.
pub(crate) fn joined(
    transforms: &[Fourier],
    layouts: [&Layout; 2],
    dtype: DType,
) -> Option<(Fourier, [usize; 2])> {
    let (lines, outer) = last_axes(transforms, layouts[0].rank())?;
    let held = |number: f64| fit(number, dtype) == Fit::Held;
    let whole = layouts.iter().all(|layout| layout.is_contiguous());
    let numbers = held(lines.scale()) && held(lines.scale() * lines.inner());
    (whole && numbers).then_some((lines, outer))
}

impl Fourier {
    /// The most axes that are transformed in one call.
    pub const MOST_JOINT: usize = 3;

    /// Whether transforms, one after the other, of arrays of that rank are such as a library may take as one
    /// ([`FftAxesCall`](crate::verb::FftAxesCall)).
    #[must_use]
    pub fn are_joint(transforms: &[Self], rank: usize) -> bool {
        (2..=Self::MOST_JOINT).contains(&transforms.len()) && last_axes(transforms, rank).is_some()
    }
}

/// That of the last axis with the scales of all, and the extents of the axes before it.
fn last_axes(transforms: &[Fourier], rank: usize) -> Option<(Fourier, [usize; 2])> {
    let first = rank.checked_sub(transforms.len())?;
    let mut axes = transforms.iter().map(Fourier::axis).enumerate();
    if axes.any(|(at, axis)| transforms[..at].iter().any(|other| other.axis() == axis)) {
        return None;
    }
    let mut outer = [1; 2];
    let mut lines = *transforms.iter().find(|fourier| fourier.axis() + 1 == rank)?;
    for fourier in transforms.iter().filter(|fourier| fourier.axis() + 1 != rank) {
        let plain = fourier.signals() == Signals::Complex
            && fourier.turns() == [0; 2]
            && fourier.extent() == fourier.points()
            && fourier.is_positive() == lines.is_positive();
        if !plain || fourier.axis() < first {
            return None;
        }
        *outer.get_mut(2 + fourier.axis() - (rank - 1))? = fourier.points();
        lines = lines.scaled(fourier.scale()).ok()?;
    }
    // Of a whole spectrum of real numbers, what the library leaves out is on the other side along all axes.
    let whole = matches!(lines.signals(), Signals::Complex | Signals::Half);
    whole.then_some((lines, outer))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SINGLE: DType = DType::Complex64;

    fn layouts(from: &[usize], to: &[usize]) -> [Layout; 2] {
        [to, from].map(|shape| Layout::contiguous(shape).unwrap())
    }

    #[test]
    fn the_last_axes_are_one_transform_of_lines() {
        let [y, x] = layouts(&[2, 4, 6, 10], &[2, 4, 6, 6]);
        let half = Fourier::new(3, 10).unwrap().half().scaled(0.5).unwrap();
        let [inner, outer] = [(2, 6), (1, 4)]
            .map(|(axis, points)| Fourier::new(axis, points).unwrap().scaled(0.5).unwrap());
        let scaled = |by: f64| half.scaled(by).unwrap();
        assert_eq!(joined(&[half, inner], [&y, &x], SINGLE), Some((scaled(0.5), [1, 6])));
        assert_eq!(joined(&[half, inner, outer], [&y, &x], SINGLE), Some((scaled(0.25), [4, 6])));
        // In any order that there is.
        let back = [inner.adjoint(), half.adjoint()];
        assert_eq!(joined(&back, [&x, &y], SINGLE), Some((scaled(0.5).adjoint(), [1, 6])));
        // An axis between them stays, one sign is another, zeros, turns, or gaps.
        assert_eq!(joined(&[half, outer], [&y, &x], SINGLE), None);
        assert_eq!(joined(&[half, inner.conj()], [&y, &x], SINGLE), None);
        assert_eq!(joined(&[half, inner.of_extent(5)], [&y, &x], SINGLE), None);
        assert_eq!(joined(&[half, inner.turned([1, 0])], [&y, &x], SINGLE), None);
        assert_eq!(joined(&[inner, outer], [&y, &x], SINGLE), None);
        // One axis twice.
        let [line, again] = [Fourier::new(3, 6).unwrap(); 2];
        assert_eq!(joined(&[line, again], [&x, &x], SINGLE), None);
        assert_eq!(joined(&[line, inner, inner], [&x, &x], SINGLE), None);
        assert!(!Fourier::are_joint(&[line, again], 4) && Fourier::are_joint(&[line, inner], 4));
        let gaps = x.reversed(0).unwrap();
        assert_eq!(joined(&[half, inner], [&y, &gaps], SINGLE), None);
        // Of lines themselves the kernels around the library take these along.
        let turned = half.of_extent(9).turned([1, 1]);
        let [y, x] = layouts(&[6, 9], &[6, 6]);
        let [turned, inner] = [turned.at_axis(1), inner.at_axis(0)];
        let expected = turned.scaled(0.5).unwrap();
        assert_eq!(joined(&[turned, inner], [&y, &x], SINGLE), Some((expected, [1, 6])));
        assert_eq!(joined(&[turned.real(), inner], [&y, &x], SINGLE), None);
        // Scales whose product is no number of the dtype.
        for scale in [1e25, 1e-25] {
            let scaled = [turned, inner].map(|fourier| fourier.scaled(scale).unwrap());
            assert_eq!(joined(&scaled, [&y, &x], SINGLE), None);
            assert!(joined(&scaled, [&y, &x], DType::Complex128).is_some());
        }
        let heavy = turned.weighted(1e30).unwrap().scaled(1e10).unwrap();
        assert_eq!(joined(&[heavy, inner], [&y, &x], SINGLE), None);
    }
}
