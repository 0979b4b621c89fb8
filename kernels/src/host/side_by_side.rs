//! Lines that lie side by side, turned on their way to memory near the core and back: rows of samples of several lines are read and
//! written, a few rows at a time.

use arrayspan_bridge::{Lanes, LanesMut};

use super::scalar::Scalar;
use super::scan_sums::Store;
use super::stored::Stored;

/// Bytes of a cache line.
const CACHE_LINE: usize = 64;

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
    let most = rows::<N>();
    for from in (0..span.len).step_by(most) {
        let rows = most.min(span.len - from);
        row.resize(rows * lines, X::default());
        for (number, row) in row.chunks_mut(lines).enumerate() {
            at[axis] = span.place + from + number;
            x.lane(at, line, lines).gather(0, row);
        }
        for (number, to) in to.chunks_mut(span.pitch).take(lines).enumerate() {
            let to = &mut to[span.at + from..][..rows];
            let row = row[number..].iter().step_by(lines);
            to.iter_mut().zip(row).for_each(|(to, x)| *to = put(*x));
        }
    }
}

/// Writes the samples of so many lines to the results from `index` on, the other way round.
pub(super) fn scatter<Y: Stored<Number = Y> + Copy + Default, N: Copy, L: Scalar>(
    (y, index): (&mut LanesMut<'_, Y>, &mut [usize]),
    (span, lines): (Span, usize),
    row: &mut Vec<Y>,
    from: &[N],
    (store, of): (&Store<L>, impl Fn(N) -> Y),
) {
    let (line, axis) = (index.len() - 2, index.len() - 1);
    let most = rows::<N>();
    for first in (0..span.len).step_by(most) {
        let rows = most.min(span.len - first);
        row.resize(rows * lines, Y::default());
        for (number, from) in from.chunks(span.pitch).take(lines).enumerate() {
            let from = &from[span.at + first..][..rows];
            let row = row[number..].iter_mut().step_by(lines);
            row.zip(from).for_each(|(row, from)| *row = of(*from));
        }
        for (number, row) in row.chunks(lines).enumerate() {
            index[axis] = span.place + first + number;
            store.put(&mut y.lane(index, line, lines), 0, row);
        }
    }
}
