//! What threads of the kernels of sparse matrices do, and how many of them there are.

use arrayspan_bridge::devices::Grid;
use arrayspan_bridge::iteration::{MOST_GROUPS, THREADS, WIDEST, grid, grid_of};

use super::super::stencil_window;
use super::segments::{self, Place};
use super::spaces::{Spaces, is_line};
use crate::gather::{Facts, Marks, Tiling, WORD};

/// What threads do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::gpu) enum Work {
    /// One takes so many rows at once.
    Rows {
        /// The places of a row in a table whose rows are equally long, or 0.
        places: usize,
        at_once: usize,
        /// The runs of each that it takes at once.
        runs: usize,
        /// Whether neighbouring threads take neighbouring rows, rather than runs.
        along: bool,
        /// The threads of a group along runs, or 0 where any number may be.
        apart: usize,
        /// Whether rows with many entries are left out.
        skips: bool,
    },
    /// So many neighbours share each row; or, if it `skips`, each of at most [`LONG`](crate::gather::LONG) entries.
    Shared { ways: usize, skips: bool },
    /// Groups take all columns, so many, of some indices of the other axes into local memory, and rows with so many places from
    /// there.
    Line {
        threads: usize,
        columns: usize,
        /// The indices of the other axes.
        lines: usize,
        places: usize,
        /// Accesses of a thread to columns, and rows, that are on their way at once.
        taken: usize,
        at_once: usize,
        /// Columns that one access loads, and its alignment in bytes.
        wide: [usize; 2],
    },
    /// As many neighbours as a word has bits take one index each of so many words.
    Marked { marks: Marks, at_once: usize },
    /// So many share a row with many entries.
    Long { ways: usize },
    /// Groups take columns a segment at a time into local memory, and a block of rows through all of them.
    Segments {
        tiling: Tiling,
        /// Columns that one access loads, and its alignment in bytes.
        wide: [usize; 2],
    },
}

/// Runs that a thread holds at once, of all places of its rows.
const MOST_HELD: usize = 48;
/// Accesses of a thread to columns that are on their way to local memory at once, and places of rows.
const LINE_AT_ONCE: usize = 8;
/// Bytes that a group takes into local memory, if it takes more than one line, and how many lines at most.
const LINES_BYTES: usize = 16 << 10;
/// Bytes beside a single line.
const LINE_BYTES: usize = 64;
const MOST_LINES: usize = 16;
/// Groups per multiprocessor that are left where groups take several lines.
const LINES_GROUPS: usize = 16;
/// Rows of a line that are worth more threads than the least.
const LONG_LINE: usize = 1024;
/// The threads of a group that takes runs side by side: rows near each other often name the same columns.
const SHARING: [usize; 3] = [64, 4, 1];
/// Mean entries of rows that are worth several threads where these are neighbours: the table is read as it lies then.
const WORTH_SHARING: usize = 4;
/// Runs of such rows that a thread takes at once, where these leave threads enough: what a row names is loaded once for all of them,
/// which is better still.
const TOGETHER: [usize; 4] = [16, 8, 4, 2];
/// The most threads of such a row.
const MOST_SHARING: usize = 32;
/// Groups per multiprocessor that take such rows.
const BUSY_GROUPS: usize = 32;
/// Words of a thread at once, where these leave threads enough.
const WORDS: [usize; 4] = [8, 4, 2, 1];
/// Threads per multiprocessor that saturate memory bandwidth.
const BUSY_THREADS: usize = 1024;

impl Spaces {
    /// What threads do for rows with few entries.
    pub(super) fn rows_work(&self, facts: &Facts, bytes: usize, place: Place) -> Work {
        let alone = self.others.extents.iter().all(|extent| *extent == 1);
        if let Some(marks) = facts.marks(1).filter(|_| alone) {
            let threads = facts.words(marks) * WORD;
            let busy = |taken: &usize| threads / taken >= place.units * BUSY_THREADS;
            let at_once = WORDS.into_iter().find(busy).unwrap_or(1);
            return Work::Marked { marks, at_once };
        }
        // Segments hold what is computed with.
        let whole = bytes >= size_of::<f32>();
        if alone && whole && segments::pays(facts, bytes, place) {
            let wide = if is_line(&self.columns) { self.wide_access } else { [1, bytes] };
            return Work::Segments { tiling: segments::tiling(facts, bytes, place), wide };
        }
        let Place { units, room, .. } = place;
        let places = facts.places().unwrap_or(0);
        let mean = facts.entries / facts.rows.max(1);
        if places == 0 && self.along && mean >= WORTH_SHARING {
            let rows = self.others.extents.iter().product::<usize>().saturating_mul(facts.rows);
            let runs = TOGETHER.into_iter().find(|runs| {
                self.others.extents[0] >= *runs && rows / runs >= units * BUSY_THREADS
            });
            if let Some(runs) = runs {
                let skips = self.shares;
                return Work::Rows { places, at_once: 1, runs, along: true, apart: 0, skips };
            }
            let ways = 1 << mean.min(MOST_SHARING).ilog2();
            return Work::Shared { ways, skips: self.shares };
        }
        if places > 0
            && let Some(work) = self.line_work(facts, places, bytes, [units, room])
        {
            return work;
        }
        let [lines, outer] = self.items();
        let all = lines.saturating_mul(outer).saturating_mul(facts.rows);
        let (along, skips) = (self.along, self.shares);
        // The narrower accesses are, the more of them are on their way: runs side by side, for each of which its columns need not
        // be loaded again. Where places are empty, fewer of them are.
        let access = self.runs.len * bytes;
        let (at_once, most) = match along {
            true if self.others.extents[0] < 4 => ((4 / places.max(1)).max(1), 1),
            true if places > 1 && !facts.is_full() => (1, (4 * WIDEST / bytes).max(4)),
            true => (1, (WIDEST / bytes).clamp(2, 4)),
            false => {
                let several = places > 1 && !facts.is_full();
                (1 + usize::from(access < WIDEST && several), (4 * WIDEST / access).clamp(4, 8))
            }
        };
        let most = most.min(lines.next_power_of_two());
        let fits = |runs: &usize| at_once * runs * places <= MOST_HELD;
        let runs = [most, most / 2, most / 4, 1].into_iter().find(|runs| *runs > 0 && fits(runs));
        let runs = runs.unwrap_or(1);
        let busy = places > 0 && all / (at_once * runs) >= units * BUSY_THREADS;
        let (at_once, runs) = if busy { (at_once, runs) } else { (1, 1) };
        let items = [lines.div_ceil(runs), facts.rows.div_ceil(at_once), outer];
        let threads = stencil_window::threads(items, units);
        let shared = !along && threads == THREADS && items[0] >= SHARING[0];
        let apart = if shared { SHARING[0] } else { 0 };
        Work::Rows { places, at_once, runs, along, apart, skips }
    }

    /// Whole lines by way of local memory, where rows, which lie side by side in `y`, name columns that lie side by side in `x` but
    /// far apart in the table.
    fn line_work(
        &self,
        facts: &Facts,
        places: usize,
        bytes: usize,
        [units, room]: [usize; 2],
    ) -> Option<Work> {
        let worthwhile = self.along
            && !self.shares
            && facts.scattered
            && is_line(&self.columns)
            && is_line(&self.rows);
        let [elements, align] = self.wide_access;
        // A line may begin between two accesses.
        let line = (facts.columns + 2 * elements) * bytes;
        let all: usize = self.items().iter().product();
        if !worthwhile || facts.columns < elements || line + LINE_BYTES > room || all < units {
            return None;
        }
        let fits =
            |lines: &usize| lines * line <= LINES_BYTES && all / lines >= units * LINES_GROUPS;
        let lines = (2..=MOST_LINES).rev().find(fits).unwrap_or(1);
        let threads = if facts.rows <= LONG_LINE { THREADS / 2 } else { THREADS };
        let each = |items: usize| items.div_ceil(threads).max(1);
        Some(Work::Line {
            threads,
            columns: facts.columns,
            lines,
            places,
            taken: each(lines * facts.columns / elements).min(LINE_AT_ONCE),
            at_once: each(facts.rows).min((LINE_AT_ONCE / places).max(1)),
            wide: [elements, align],
        })
    }

    pub(super) fn long_work(&self) -> Work {
        let neighbours = if self.along { 1 } else { self.items()[0].next_power_of_two().min(32) };
        Work::Long { ways: THREADS / neighbours }
    }

    pub(super) fn grid(&self, facts: &Facts, work: Work, units: usize, bytes: usize) -> Grid {
        let [runs, outer] = self.items();
        match work {
            Work::Segments { tiling, .. } => segments::grid(facts, tiling, bytes),
            Work::Rows { at_once, runs: taken, along, apart, .. } => {
                let (rows, runs) = (facts.rows.div_ceil(at_once), runs.div_ceil(taken));
                let items = if along { [rows, runs, outer] } else { [runs, rows, outer] };
                if apart > 0 {
                    return grid_of(items, SHARING);
                }
                grid(items, stencil_window::threads(items, units))
            }
            Work::Line { lines, threads, .. } => {
                let all = self.items().iter().product::<usize>().div_ceil(lines);
                Grid { groups: [all.min(i32::MAX as usize), 1, 1], threads: [threads, 1, 1] }
            }
            Work::Marked { marks, at_once } => {
                let threads = facts.words(marks).div_ceil(at_once) * WORD;
                Grid { groups: [threads.div_ceil(THREADS), 1, 1], threads: [THREADS, 1, 1] }
            }
            Work::Shared { ways, .. } => {
                let blocks = facts.rows.div_ceil(THREADS / ways).min(units * BUSY_GROUPS);
                let groups = [blocks, runs.min(MOST_GROUPS), outer.min(MOST_GROUPS)];
                Grid { groups, threads: [THREADS, 1, 1] }
            }
            Work::Long { ways } => {
                let blocks = runs.div_ceil(THREADS / ways);
                let limited = [blocks.min(i32::MAX as usize), facts.long.min(MOST_GROUPS)];
                let groups = [limited[0], limited[1], outer.min(MOST_GROUPS)];
                Grid { groups, threads: [THREADS, 1, 1] }
            }
        }
    }
}
