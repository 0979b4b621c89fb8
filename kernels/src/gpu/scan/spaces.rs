//! The axes of running sums as kernels go along them, and how they are cut into tiles.

use arrayspan_bridge::devices::Grid;
use arrayspan_bridge::iteration::{IterationSpace, Runs, Start, WIDEST};
use arrayspan_bridge::{DType, Layout};

use super::super::walk::Walk;
use crate::verb::Split;
use crate::{Result, Scan};

/// The axes: that of the sums, and the others.
pub(in crate::gpu) struct Spaces {
    /// The other axes: `y`, then `x`.
    pub(super) others: IterationSpace,
    /// Elements from one index of the axis to the next, in `y` and `x`.
    pub(super) strides: [isize; 2],
    /// The places of their first elements.
    pub(super) starts: [usize; 2],
    /// The extent of the square matrix.
    extent: usize,
    /// Elements from the begin of a line's first run to the end of its last, at most.
    reach: usize,
    pub(super) wide: bool,
    /// Whether neighbours in `y` are on one line.
    pub(super) along: bool,
    pub(super) runs: Runs,
    /// Whether lines begin or end within runs, which then begin at even places all the same.
    pub(super) edges: bool,
    bytes: usize,
}

/// How a kernel goes along lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::gpu) struct Tiling {
    /// Threads of a group.
    pub(super) threads: usize,
    /// Those that share a line.
    pub(super) ways: usize,
    /// Elements of a thread in a tile.
    pub(super) each: usize,
    /// Groups that a multiprocessor is to hold at once.
    pub(super) resident: usize,
    /// Whether threads load their elements of the next tile before they need them.
    pub(super) ahead: bool,
    /// Whether groups take one tile each and look back at those before.
    pub(super) shared: bool,
}

/// Tiles whose sums are added up together when a group looks back; also in the source.
const BUNCH: usize = 16;
/// Lines shorter than this that begin at odd places are taken by single elements.
const LONG: usize = 64;
/// Threads of a group that goes across lines.
const THREADS: usize = 512;
/// What memory moves at once.
const SECTOR: usize = 32;

impl Spaces {
    /// For `y` and `x` in blocks at these addresses.
    pub(in crate::gpu) fn new(
        scan: &Scan,
        layouts: [&Layout; 2],
        addresses: [usize; 2],
        dtype: DType,
    ) -> Result<Self> {
        let (axis, bytes) = (scan.axis(), dtype.bytes());
        let axes: Vec<usize> = (0..layouts[0].rank()).filter(|other| *other != axis).collect();
        let along = [Split::along(layouts[0], &axes)?, Split::along(layouts[1], &axes)?];
        let others = IterationSpace::new(&[&along[0], &along[1]]);
        let strides = layouts.map(|layout| layout.strides()[axis]);
        let starts = [others.offsets[0], others.offsets[1]];
        let near = others.strides[0][0].unsigned_abs();
        let single = others.extents[0] == 1;
        let along = scan.rows() > 1 && (single || strides[0].unsigned_abs() < near);
        let start = |operand: usize| Start {
            stride: strides[operand],
            first: addresses[operand] | (starts[operand] * bytes),
            steps: others.steps(operand, 0),
        };
        let (extent, left_out) = (scan.extent(), scan.left_out());
        let near = Runs::new(&[start(0), start(1)], bytes, extent);
        let units = along && strides == [1, 1];
        let whole = units && left_out == [0, 0];
        let even = if whole { near.dividing(extent) } else { near.single() };
        let longest = [Start { stride: 1, first: 0, steps: 0 }; 2];
        let longest = Runs::new(&longest, bytes, extent);
        let edges = units
            && even.len < longest.len
            && extent >= LONG
            && addresses.iter().all(|address| address % WIDEST == 0)
            && meet(
                &others,
                [starts[0].wrapping_sub(left_out[0]), starts[1].wrapping_sub(left_out[1])],
                longest.len,
            );
        let runs = if edges { longest } else { even };
        let reach = if edges { extent + runs.len - 1 } else { extent };
        let wide = layouts.iter().any(|layout| IterationSpace::new(&[layout]).is_wide());
        Ok(Self { others, strides, starts, extent, reach, wide, along, runs, edges, bytes })
    }

    /// All indices of the other axes.
    fn lines(&self) -> usize {
        self.others.extents.iter().product()
    }

    /// Groups that go along lines, if each goes to their ends.
    fn bands(&self, tiling: &Tiling) -> usize {
        self.lines().div_ceil(tiling.columns())
    }

    /// How the lines are best cut on a device with so many multiprocessors.
    pub(in crate::gpu) fn tiling(&self, units: usize, device_fence: bool) -> Tiling {
        let own = if self.along { self.tiled_along(64) } else { self.tiled_across(units) };
        let few = self.bands(&own) < units && own.tiles(self) > 2;
        if !few || !device_fence {
            return own;
        }
        // Fewer tiles to look back at, which are as many bytes.
        let longer = if self.along { self.tiled_along(128) } else { own };
        let counted = self.bands(&longer).saturating_mul(longer.tiles(self)) < 1 << 24;
        Tiling { shared: counted, ahead: own.ahead && !counted, ..longer }
    }

    /// A group of 128 threads for a line, or for several short ones. Threads of long lines take so many bytes of a tile.
    fn tiled_along(&self, bytes: usize) -> Tiling {
        let (threads, run) = (128, self.runs.len);
        let [few, many] = [bytes, bytes.max(96)].map(|bytes| (bytes / self.bytes).max(run));
        let ways = self.reach.div_ceil(many).next_power_of_two().min(threads);
        let most = if ways < threads { many } else { few };
        let tiles = self.reach.div_ceil(ways * most);
        let each = self.reach.div_ceil(tiles * ways).next_multiple_of(run);
        // More elements of a thread need more of its registers.
        let resident = if each * self.bytes > 64 { 5 } else { 8 };
        Tiling { threads, ways, each, resident, ahead: false, shared: false }
    }

    /// Neighbours of 32 threads; of more where rows begin at odd places, because groups share what memory moves there, or where
    /// there are so many lines that threads need not share them. Measured on an H200.
    fn tiled_across(&self, units: usize) -> Tiling {
        let lines = self.lines();
        let many = |lanes: usize| lines / lanes >= 4 * units;
        let (lanes, bytes, ahead) = match () {
            () if many(THREADS) => (THREADS, 80, false),
            () if many(THREADS / 4) => (THREADS / 4, 80, false),
            () if self.is_odd() => (64, 64, true),
            () => (32, 64, false),
        };
        let lanes = lanes.min(lines.next_power_of_two());
        let most = bytes / self.bytes;
        let ways = self.extent.div_ceil(most).next_power_of_two().min(THREADS / lanes);
        let tiles = self.extent.div_ceil(ways * most);
        let each = self.extent.div_ceil(tiles * ways);
        let threads = ways * lanes;
        let resident = (1024 / threads).clamp(1, 8);
        Tiling { threads, ways, each, resident, ahead: ahead && tiles > 1, shared: false }
    }

    /// Whether rows of `y` begin at places that memory does not write whole, the first or others.
    fn is_odd(&self) -> bool {
        let IterationSpace { extents, strides, .. } = &self.others;
        let [first, rest @ ..] = &*strides[0] else { return false };
        let sector = SECTOR / self.bytes;
        let odd = |(stride, extent): (&isize, &usize)| {
            *extent > 1 && !stride.unsigned_abs().is_multiple_of(sector)
        };
        let steps =
            rest.iter().zip(&extents[1..]).any(odd) || odd((&self.strides[0], &self.extent));
        *first == 1 && (steps || !self.starts[0].is_multiple_of(sector))
    }

    /// The numbers that [`Variant`](super::kernel::Variant) names.
    pub(super) fn numbers(&self) -> impl Iterator<Item = isize> {
        self.strides.into_iter().chain(Walk::numbers(&self.others))
    }
}

/// Whether two arrays begin their lines at places that differ by whole runs.
fn meet(others: &IterationSpace, starts: [usize; 2], run: usize) -> bool {
    let [y, x] = [&others.strides[0], &others.strides[1]];
    let mut steps = y.iter().zip(x).zip(&others.extents);
    let even = |apart: usize| apart.is_multiple_of(run);
    even(starts[0].wrapping_sub(starts[1]))
        && steps.all(|((y, x), extent)| *extent == 1 || even(y.wrapping_sub(*x).unsigned_abs()))
}

impl Tiling {
    /// Lines whose tiles a group takes together, if these are looked back at.
    pub(super) fn columns(&self) -> usize {
        self.threads / self.ways
    }

    fn tiles(&self, spaces: &Spaces) -> usize {
        spaces.reach.div_ceil(self.ways * self.each)
    }

    pub(super) fn grid(&self, spaces: &Spaces) -> Grid {
        let bands = spaces.bands(self);
        let groups = if self.shared { bands * self.tiles(spaces) } else { bands };
        Grid { groups: [groups.min(i32::MAX as usize), 1, 1], threads: [self.threads, 1, 1] }
    }

    /// The words that groups leave for each other, if they do.
    pub(super) fn states(&self, spaces: &Spaces, dtype: DType) -> Option<usize> {
        let tiles = self.tiles(spaces);
        let parts = if dtype.is_complex() { 2 } else { 1 };
        let heads = tiles.div_ceil(BUNCH) + 1;
        let all = spaces.bands(self) * (tiles + heads) * self.columns() * parts;
        self.shared.then_some(all)
    }
}
