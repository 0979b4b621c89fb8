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

/// What a step moves, there and back.
pub(super) type Both = [Moves; 2];

/// A step between so many values, in those of models.
pub(super) fn step(from: usize, to: usize) -> Both {
    [Moves::one(from, to), Moves::one(to, from)]
}

/// A product of so many complex numbers with a table of as many weights, or of a part of them, which repeat.
pub(super) fn weighted(dtype: DType, numbers: usize, weights: usize) -> Both {
    let complex = if dtype.real().bytes() == 4 { 8 } else { 16 };
    let moves = Moves::one(wide(dtype) * numbers, wide(dtype) * numbers);
    // A place, an index and a weight for each.
    [Moves { table: weights * (complex + 4), ..moves }; 2]
}

/// Steps one after the other.
pub(super) fn chain(steps: impl IntoIterator<Item = Both>) -> Both {
    let nothing = Moves { launches: 0, read: 0, written: 0, table: 0 };
    let all = |sum: Both, step: Both| [sum[0].then(step[0]), sum[1].then(step[1])];
    steps.into_iter().fold([nothing; 2], all)
}

/// The same where data are complex, and counted as such.
pub(super) fn to_spectra(dtype: DType, steps: impl IntoIterator<Item = Both>) -> Both {
    let [forward, adjoint] = chain(steps);
    let complex = |number: usize| number / wide(dtype);
    let forward = Moves { written: complex(forward.written), ..forward };
    [forward, Moves { read: complex(adjoint.read), ..adjoint }]
}

/// Of complex numbers, in those of models.
pub(super) fn numbers(dtype: DType, moves: Both) -> Both {
    let all = |number: usize| wide(dtype) * number;
    moves.map(|one| Moves { read: all(one.read), written: all(one.written), ..one })
}

/// The values of models that a complex number takes.
pub(super) fn wide(dtype: DType) -> usize {
    if dtype.is_complex() { 1 } else { 2 }
}

/// From models to spectra, axis after axis: `lens` as those of [`moves`].
pub(super) fn spectra_of(dtype: DType, lens: &[usize]) -> Both {
    let counted = |at: usize| if at == 0 { lens[0] } else { wide(dtype) * lens[at] };
    chain((1..lens.len()).map(|at| step(counted(at - 1), counted(at))))
}

/// To spectra, times an array of so many complex numbers, and back.
pub(super) fn filtered(dtype: DType, lens: &[usize], response: usize) -> Moves {
    let [there, back] = spectra_of(dtype, lens);
    let bins = wide(dtype) * lens[lens.len() - 1];
    there.then(Moves::one(bins + wide(dtype) * response, bins)).then(back)
}

/// Phases of a chirp from so many places to others for each of some frequencies, and of other indices.
pub(super) fn chirp(
    dtype: DType,
    [from, to]: [usize; 2],
    frequencies: usize,
    others: usize,
) -> Both {
    // There is a power of two up to twice as large.
    let least = from + to - 1;
    let points = (least..=2 * least).find(|&points| smooth(points)).unwrap_or(1);
    let lines = frequencies * others;
    let phases = |places: usize| weighted(dtype, places * lines, places * frequencies);
    let transform =
        |from: usize, to: usize| step(wide(dtype) * from * lines, wide(dtype) * to * lines);
    let mut steps = vec![phases(to)];
    // Phases of a single place are one, and so is the spectrum of a single point.
    if from > 1 {
        steps.push(phases(from));
    }
    if points > 1 {
        steps.extend([transform(from, points), phases(points), transform(points, to)]);
    }
    chain(steps)
}

fn smooth(number: usize) -> bool {
    let rest = [2, 3, 5, 7].into_iter().fold(number, |mut rest, factor| {
        while rest % factor == 0 {
            rest /= factor;
        }
        rest
    });
    rest == 1
}
