//! How many rows a thread takes of a band that it can hold, and which rows are left to others.

use arrayspan_bridge::Layout;
use arrayspan_bridge::devices::Grid;
use arrayspan_bridge::iteration::{Axes, IterationSpace, Runs, THREADS, Text};

use crate::band::{Edges, reach};

/// How kernels take items.
pub(super) const EACH: &str = include_str!("../source/each.cl.h");

/// What a thread can hold in a window and still leave registers for others.
const MOST_WINDOW_BYTES: usize = 576;
/// A window for fewer rows than these loads most elements more than a few times.
const WORTHWHILE: usize = 8;
/// A window wider than this leaves room for few threads in a processor.
pub(super) const WIDE_WINDOW: usize = 8;
/// Threads per multiprocessor that saturate memory bandwidth.
const BUSY_THREADS: usize = 192;
/// Where taps reach no further than this, the rows at both ends are left out of windows, which lie within the axis then. Of
/// more rows there would be too many that are alone.
const NEAR_REACH: usize = 4;

/// The rows of an axis that are not common to the bands along it: each is alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Ends {
    pub(super) first: usize,
    pub(super) last: usize,
    /// Whether no tap of any other row lies beyond the axis.
    within: bool,
}

impl Ends {
    /// Those of several bands.
    pub(super) fn of<'b>(bands: impl IntoIterator<Item = &'b Edges> + Clone) -> Self {
        let near = |band: &Edges| {
            let (left, right) = reach(&band.interior);
            left.max(right) <= NEAR_REACH
        };
        let within = bands.clone().into_iter().all(near);
        let one = |band: &Edges| {
            let (left, right) = if within { reach(&band.interior) } else { (0, 0) };
            (band.head.len().max(left), band.tail.len().max(right))
        };
        let (mut first, mut last) = (0, 0);
        for (head, tail) in bands.into_iter().map(one) {
            (first, last) = (first.max(head), last.max(tail));
        }
        Self { first, last, within }
    }

    /// The items along an axis of `len` rows, of which a thread takes `rows`, or one by one if these are 0.
    pub(super) fn items(self, len: usize, rows: usize) -> usize {
        if rows == 0 {
            return len;
        }
        let alone = self.first + self.last;
        alone + len.saturating_sub(alone).div_ceil(rows)
    }

    pub(super) fn define(self, text: &mut Text) {
        text.define("FIRST", self.first);
        text.define("LAST", self.last);
        text.flag("WITHIN", self.within);
    }
}

/// The space of operands with these layouts for bands along the axes `apart`, and these axes there. The nearest of them but axis 0
/// is axis 1, along which windows go.
pub(super) fn around(layouts: &[&Layout], apart: &[usize]) -> (IterationSpace, Axes<usize>) {
    let (mut space, mut axes) = IterationSpace::around(layouts, apart);
    if let Some(march) = axes.iter().copied().filter(|axis| *axis > 0).min() {
        space.swap(1, march);
        axes.iter_mut().filter(|axis| **axis == march).for_each(|axis| *axis = 1);
    }
    (space, axes)
}

/// Rows from the first to the last tap of a band's common row.
pub(super) fn span(band: &Edges) -> usize {
    let (left, right) = reach(&band.interior);
    left.saturating_add(right).saturating_add(1)
}

/// The longest runs, no longer than these, of which a thread can hold a window for `WORTHWHILE` rows of the
/// band; the same runs if not even single elements fit.
pub(super) fn holdable(band: &Edges, runs: Runs, bytes: usize) -> Runs {
    let span = span(band);
    let fits = |len: usize| span.saturating_add(WORTHWHILE - 1) <= window_room(len, bytes);
    let mut held = runs.clone();
    while held.len > 1 && !fits(held.len) {
        held = held.halved();
    }
    if fits(held.len) { held } else { runs }
}

/// Runs of `len` elements of `bytes` bytes that a thread can hold and still leave room for others.
pub(super) fn window_room(len: usize, bytes: usize) -> usize {
    MOST_WINDOW_BYTES / (len * bytes)
}

/// Whether the taps of a band's common row are so near to each other that a window holds little else.
pub(super) fn is_dense(band: &Edges) -> bool {
    let span = span(band);
    span <= WIDE_WINDOW || 2 * band.interior.len() >= span
}

/// The first of the `fitting` numbers of rows a thread, which descend, that leaves enough threads for all processors; else
/// the last; 0 of none.
pub(super) fn busy(
    fitting: impl DoubleEndedIterator<Item = usize> + Clone,
    common: usize,
    columns: usize,
    units: usize,
) -> usize {
    let is_busy = |rows: &usize| columns * common.div_ceil(*rows) >= units * BUSY_THREADS;
    let smallest = fitting.clone().next_back().unwrap_or(0);
    fitting.into_iter().find(is_busy).unwrap_or(smallest)
}

/// Threads of a group: fewer where that gives every processor some.
pub(super) fn threads(items: [usize; 3], units: usize) -> usize {
    let all: usize = items.iter().product();
    if all < 4 * THREADS * units { THREADS / 4 } else { THREADS }
}

/// Whether a grid has a thread for each item: then kernels need no loops.
pub(super) fn is_covered(grid: &Grid, items: [usize; 3]) -> bool {
    let threads = grid.groups.iter().zip(grid.threads).map(|(groups, threads)| groups * threads);
    threads.zip(items).all(|(threads, items)| threads >= items)
}
