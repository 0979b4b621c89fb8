//! Lines that lie side by side, turned on their way to memory near the core and back: rows of samples of several lines are read and
//! written, a few rows at a time.

use arrayspan_bridge::{Lanes, LanesMut};

use super::scalar::Scalar;
use super::scan_sums::Store;
use super::stored::Stored;

/// Bytes of a cache line.
const CACHE_LINE: usize = 64;

/// Samples of lines side by side that are read or written before others are turned: many accesses of memory are on their way at once.
const AHEAD: usize = 128;

/// Samples of lines side by side that are turned together: a cache line of each, at least, is filled at once.
const fn rows<N>() -> usize {
    let rows = CACHE_LINE / size_of::<N>();
    if rows > 8 { rows } else { 8 }
}

/// Samples of an array along its last axis, and where they are in lines that are one behind the other.
#[derive(Clone, Copy)]
pub(super) struct Span {
    /// The first in the array, and in a line.
    pub(super) place: usize,
    pub(super) at: usize,
    pub(super) len: usize,
    /// From one line to the next.
    pub(super) pitch: usize,
}

/// Fills so many lines with the samples of an array from the index `at` on, along its last axis but one.
pub(super) fn gather<X: Scalar, N>(
    x: &Lanes<'_, X>,
    at: &mut [usize],
    (span, lines): (Span, usize),
    row: &mut Vec<X>,
    to: &mut [N],
    put: impl Fn(X) -> N,
) {
    let (line, axis) = (at.len() - 2, at.len() - 1);
    for from in (0..span.len).step_by(AHEAD) {
        let ahead = AHEAD.min(span.len - from);
        row.resize(ahead * lines, X::default());
        for (number, row) in row.chunks_mut(lines).enumerate() {
            at[axis] = span.place + from + number;
            x.lane(at, line, lines).gather(0, row);
        }
        for first in (0..ahead).step_by(rows::<N>()) {
            let count = rows::<N>().min(ahead - first);
            let row = &row[first * lines..];
            for (number, to) in to.chunks_mut(span.pitch).take(lines).enumerate() {
                let to = to[span.at + from + first..][..count].iter_mut();
                to.zip(row[number..].iter().step_by(lines)).for_each(|(to, x)| *to = put(*x));
            }
        }
    }
}

/// Writes the samples of so many lines to the results from `index` on, the other way round.
pub(super) fn scatter<Y: Stored<Number = Y> + Copy + Default, N: Copy, L: Scalar>(
    (y, index): (&mut LanesMut<'_, Y>, &mut [usize]),
    (span, lines): (Span, usize),
    row: &mut Vec<Y>,
    lines_of: &[N],
    (store, of): (&Store<L>, impl Fn(N) -> Y),
) {
    let (line, axis) = (index.len() - 2, index.len() - 1);
    for from in (0..span.len).step_by(AHEAD) {
        let ahead = AHEAD.min(span.len - from);
        row.resize(ahead * lines, Y::default());
        for first in (0..ahead).step_by(rows::<N>()) {
            let count = rows::<N>().min(ahead - first);
            let row = &mut row[first * lines..];
            for (number, line) in lines_of.chunks(span.pitch).take(lines).enumerate() {
                let line = &line[span.at + from + first..][..count];
                let row = row[number..].iter_mut().step_by(lines);
                row.zip(line).for_each(|(row, sample)| *row = of(*sample));
            }
        }
        for (number, row) in row.chunks(lines).enumerate() {
            index[axis] = span.place + from + number;
            store.put(&mut y.lane(index, line, lines), 0, row);
        }
    }
}
