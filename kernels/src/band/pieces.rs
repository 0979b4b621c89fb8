//! Neighbouring rows with the same taps.

use std::cmp::Ordering;
use std::ops::Range;

use num_complex::Complex64;

use super::Tap;

/// Rows with the same taps, of which those that fall outside the axis are dropped.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Piece {
    /// The first row. The last is the one before the next piece.
    pub(super) start: usize,
    /// By offset, ascending. Each falls on the axis in at least one of the rows.
    pub(super) taps: Vec<Tap>,
}

/// Rows and their taps, while pieces are put together.
type Rows = (Range<usize>, Vec<Tap>);

/// The same rows in as few pieces as this finds, given the first row of each, ascending from 0. `len` rows in all.
pub(super) fn joined<R>(len: usize, pieces: impl IntoIterator<Item = (usize, R)>) -> Vec<Piece>
where
    R: IntoIterator<Item = Tap>,
{
    let mut pieces = pieces.into_iter().filter(|(start, _)| *start < len).peekable();
    let mut before: Vec<Rows> = Vec::new();
    while let Some((start, taps)) = pieces.next() {
        let rows = start..pieces.peek().map_or(len, |(next, _)| *next);
        let mut taps = tidy(taps);
        taps.retain(|tap| meets(len, &rows, tap.offset));
        before.push((rows, taps));
    }
    // The longest first, so that as few rows as possible are special.
    let longest = (0..before.len()).max_by_key(|&at| before[at].0.len()).unwrap_or(0);
    let mut after = before.split_off(longest);
    after.reverse();
    let Some(mut common) = after.pop() else { return Vec::new() };
    while let Some(both) = before.last().and_then(|before| join(len, before, &common)) {
        before.pop();
        common = both;
    }
    while let Some(both) = after.last().and_then(|after| join(len, &common, after)) {
        after.pop();
        common = both;
    }
    after.reverse();
    let each = neighbours(len, before).into_iter().chain([common]).chain(neighbours(len, after));
    each.map(|(rows, taps)| Piece { start: rows.start, taps }).collect()
}

/// Joins neighbours from the first on.
fn neighbours(len: usize, pieces: Vec<Rows>) -> Vec<Rows> {
    let mut joined: Vec<Rows> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        match joined.last_mut().and_then(|last| Some((join(len, last, &piece)?, last))) {
            Some((both, last)) => *last = both,
            None => joined.push(piece),
        }
    }
    joined
}

/// Neighbours as one, if there are taps that make the rows of both: a tap of one alone must fall outside the axis in
/// all rows of the other.
fn join(len: usize, (before, first): &Rows, (after, second): &Rows) -> Option<Rows> {
    let (mut first, mut second) = (first.iter().peekable(), second.iter().peekable());
    let mut taps = Vec::with_capacity(first.len().max(second.len()));
    loop {
        let order = match (first.peek(), second.peek()) {
            (None, None) => return Some((before.start..after.end, taps)),
            (Some(a), Some(b)) => a.offset.cmp(&b.offset),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
        };
        let (a, b) = (first.next_if(|_| order.is_le()), second.next_if(|_| order.is_ge()));
        let tap = match (a, b) {
            (Some(a), Some(b)) => (a.weight == b.weight).then_some(a),
            (Some(a), None) => (!meets(len, after, a.offset)).then_some(a),
            (None, b) => b.filter(|b| !meets(len, before, b.offset)),
        };
        taps.push(*tap?);
    }
}

/// Whether a tap of row `i` falls on the axis.
pub(super) fn hits(len: usize, i: usize, tap: &Tap) -> bool {
    i.checked_add_signed(tap.offset).is_some_and(|column| column < len)
}

/// Whether a tap of that offset falls on the axis in any of these rows.
fn meets(len: usize, rows: &Range<usize>, offset: isize) -> bool {
    let far = offset.unsigned_abs();
    // No array is so long that an offset without a negative leads to an element of it.
    let negatable = offset != isize::MIN;
    negatable && if offset < 0 { rows.end > far } else { len.saturating_sub(far) > rows.start }
}

/// Sorted, one tap per offset, no zeros.
pub(super) fn tidy(taps: impl IntoIterator<Item = Tap>) -> Vec<Tap> {
    let mut sorted: Vec<Tap> = taps.into_iter().collect();
    sorted.sort_by_key(|tap| tap.offset);
    let mut tidied: Vec<Tap> = Vec::with_capacity(sorted.len());
    for tap in sorted {
        match tidied.last_mut() {
            Some(last) if last.offset == tap.offset => last.weight += tap.weight,
            _ => tidied.push(tap),
        }
    }
    tidied.retain(|tap| tap.weight != Complex64::new(0.0, 0.0));
    tidied
}
