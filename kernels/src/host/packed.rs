//! Input rows of a part, copied together: rows that lie a multiple of some power of two apart share few places of a
//! cache, which then does not hold what a group takes until the next one takes it again.

use std::ops::RangeInclusive;

use arrayspan_bridge::RowSlices;

use super::banded::Banded;
use super::group::Column;
use super::scalar::Scalar;
use super::window::Window;

/// Input rows of a group for which a copy of each pays: enough that it is taken often, and no more than a core's caches hold.
const MANY: RangeInclusive<usize> = 16..=4096;

/// Bytes of the copies that a group takes: they stay in a core's second-level cache. Narrower ones would stay in the first
/// one, but what a group costs besides is the less the wider it is.
const CACHE: usize = 256 << 10;

/// Bytes that lie this far apart share a place of the first-level cache.
const PERIOD: usize = 4096;
/// Bytes of a cache line.
const LINE: usize = 64;
/// Bytes of a row in a tile.
const TILE: usize = 256;
/// Lines for which there is room in one place, about.
const WAYS: usize = 8;

/// How many elements of each row are copied at a time, if input rows so far apart, of which groups take so many, are better
/// copied together.
pub(super) fn width<T>(rows: usize, stride: isize, extent: usize) -> Option<usize> {
    let most = (CACHE / (rows.max(1) * size_of::<T>())).max(1);
    let whole = TILE / size_of::<T>();
    let width = (most / whole).max(1) * whole;
    // Rows that are not longer lie together as they are.
    let collides =
        MANY.contains(&rows) && extent > width && shares_places(rows, stride, size_of::<T>());
    collides.then_some(width)
}

/// Whether tiles of so many rows have more lines in one place of the cache than it has room for.
fn shares_places(rows: usize, stride: isize, bytes: usize) -> bool {
    let mut lines = [0_usize; PERIOD / LINE];
    let step = stride.unsigned_abs().wrapping_mul(bytes);
    for row in 0..rows {
        let first = step.wrapping_mul(row) % PERIOD / LINE;
        (first..first + TILE / LINE).for_each(|line| lines[line % lines.len()] += 1);
    }
    lines.into_iter().max().is_some_and(|most| most > WAYS)
}

/// Copies of input rows, for one width of a part.
pub(super) struct Packed<T> {
    elements: Vec<T>,
    /// Where in these they begin.
    start: usize,
    /// The first row.
    first: usize,
    /// Elements of each.
    len: usize,
}

impl<T: Scalar> Packed<T> {
    pub(super) fn new() -> Self {
        Self { elements: Vec::new(), start: 0, first: 0, len: 0 }
    }

    /// Copies what groups take whose first rows are `count` from `at` on along the axis `beside`: `len` elements along the
    /// last axis.
    pub(super) fn fill<L: Scalar, const R: usize>(
        &mut self,
        term: &Banded<'_, T, L>,
        window: &Window<L, R>,
        at: &mut [usize],
        (beside, count): (usize, usize),
        len: usize,
    ) {
        let from = at[beside];
        let rows = window.reached(from..from + count);
        (self.first, self.len) = (rows.start, len);
        self.elements.clear();
        self.start = 0;
        if rows.is_empty() {
            return;
        }
        at[beside] = rows.start;
        let lanes = term.x.beside(at, (beside, rows.len()), at.len() - 1, len);
        at[beside] = from;
        // Whole cache lines are loaded in one step.
        self.elements.reserve(rows.len() * len + LINE);
        self.start = self.elements.as_ptr().align_offset(LINE).min(LINE);
        self.elements.resize(self.start, T::default());
        for row in
            lanes.slices().into_iter().flat_map(|all| (0..rows.len()).map(move |at| all.get(at)))
        {
            self.elements.extend_from_slice(row);
        }
    }

    /// What the group takes whose first row is `first`, if all of it is here.
    pub(super) fn column<'p, L: Scalar, const R: usize>(
        &'p self,
        window: &'p Window<L, R>,
        first: usize,
    ) -> Option<Column<'p, 'p, T, L, R>> {
        let taken = window.of(first)?;
        let ((from, ..), (to, ..)) = (taken.first()?, taken.last()?);
        let elements = &self.elements[self.start..];
        let rows = elements.len().checked_div(self.len)?;
        let here = |row: &isize| {
            first.checked_add_signed(*row).and_then(|row| row.checked_sub(self.first))
        };
        if here(from)? >= rows || here(to)? >= rows {
            return None;
        }
        let from = self.first as isize - first as isize;
        Some(Column { taken, from, rows: RowSlices::rows(elements, self.len) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_copied_where_they_share_places_of_the_cache() {
        for (stride, shared) in
            [(8191, true), (1024, true), (4096, true), (512, true), (1000, false), (100, false)]
        {
            assert_eq!(shares_places(46, stride, 4), shared, "{stride}");
            assert_eq!(shares_places(46, -stride, 4), shared, "-{stride}");
        }
        assert_eq!(width::<f32>(46, 8191, 8191), Some(1408));
        assert_eq!(width::<f32>(3, 8192, 8192), None, "few rows");
        assert_eq!(width::<f32>(46, 1024, 1024), None, "short rows");
        assert_eq!(width::<f64>(1024, 8192, 8192), Some(32), "one tile");
        assert_eq!(width::<f64>(10_000, 8192, 8192), None, "more than caches hold");
    }
}
