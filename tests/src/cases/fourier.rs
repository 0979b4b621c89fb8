//! What the cases of Fourier transforms share.

use arrayspan_bridge::DType;
use arrayspan_operators::{FourierAxis, FourierNorm, Spectrum};

use crate::suite::Moves;

/// The norms by the names of PyLops, as golden data have them.
pub(super) const NORMS: [(&str, FourierNorm); 3] =
    [("ortho", FourierNorm::Ortho), ("none", FourierNorm::Unscaled), ("1n", FourierNorm::OverN)];

/// The spectra of numbers of a dtype.
pub(super) fn spectra(dtype: DType) -> Vec<(&'static str, Spectrum)> {
    let full = ("full", Spectrum::Full);
    if dtype.is_complex() { vec![full] } else { vec![full, ("half", Spectrum::Half)] }
}

/// An axis with that many points.
pub(super) fn of_points(axis: isize, points: usize) -> FourierAxis {
    FourierAxis { points: Some(points), ..FourierAxis::new(axis) }
}

/// The same with shifts before and after.
pub(super) fn turned(
    axis: FourierAxis,
    ifftshift_before: bool,
    fftshift_after: bool,
) -> FourierAxis {
    FourierAxis { ifftshift_before, fftshift_after, ..axis }
}

/// What a transform and its adjoint move, axis after axis: `lens` are the elements of models, of what is between two axes, of data.
/// All of it but models is complex.
pub(super) fn moves(dtype: DType, lens: &[usize]) -> [Moves; 2] {
    let (first, last) = (lens[0], lens[lens.len() - 1]);
    let between: usize = lens[1..lens.len() - 1].iter().sum();
    // Values of the input and of the output are counted, each in its dtype.
    let wide = if dtype.is_complex() { 1 } else { 2 };
    let launches = lens.len() - 1;
    let moves = |read, written| Moves { launches, ..Moves::one(read, written) };
    [moves(first + wide * between, between + last), moves(last + between, wide * between + first)]
}
