//! The axes of running sums as kernels go along them, and how they are cut into tiles.

use arrayspan_bridge::iteration::{IterationSpace, Runs, Start, WIDEST};
use arrayspan_bridge::{DType, Layout};

use super::super::walk::Walk;
use crate::number::computed;
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
    pub(super) extent: usize,
    /// Elements from the begin of a line's first run to the end of its last, at most.
    pub(super) reach: usize,
    pub(super) wide: bool,
    /// Whether neighbours in `y` are on one line.
    pub(super) along: bool,
    pub(super) runs: Runs,
    /// Whether lines begin or end within runs, which then begin at even places all the same.
    pub(super) edges: bool,
    /// Of an element that is computed with.
    pub(super) bytes: usize,
}

/// Lines shorter than this that begin at odd places are taken by single elements.
const LONG: usize = 64;

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
        let bytes = computed(dtype).bytes();
        Ok(Self { others, strides, starts, extent, reach, wide, along, runs, edges, bytes })
    }

    /// All indices of the other axes.
    pub(super) fn lines(&self) -> usize {
        self.others.extents.iter().product()
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
