//! The axes of a sparse matrix and of its arrays, as kernels go along them.

use arrayspan_bridge::iteration::{Inner, IterationSpace, Runs, Start, collapse};
use arrayspan_bridge::{DType, Layout};

use crate::verb::Split;
use crate::{Gather, Result};

/// The axes as kernels go along them.
pub(in crate::gpu) struct Spaces {
    /// The other axes: `y`, then `x`.
    pub(super) others: IterationSpace,
    /// Extents and strides of the rows' axes in `y` and the columns' in `x`, innermost first.
    pub(super) rows: [Vec<isize>; 2],
    pub(super) columns: [Vec<isize>; 2],
    pub(super) wide: bool,
    /// Whether neighbours in `y` are rows.
    pub(super) along: bool,
    /// The elements of the widest access to `x`, which begins at a multiple of these, and its alignment in bytes.
    pub(super) wide_access: [usize; 2],
    /// Whether rows with many entries are shared.
    pub(super) shares: bool,
    pub(super) runs: Runs,
}

impl Spaces {
    /// For `y` and `x` in blocks at these addresses.
    pub(in crate::gpu) fn new(
        gather: &Gather,
        layouts: [&Layout; 2],
        addresses: [usize; 2],
        dtype: DType,
    ) -> Result<Self> {
        let of_y = Split::of_rows(gather, layouts[0].rank());
        let of_x = Split::of_columns(gather, layouts[1].rank());
        let shares = gather.shares_rows(layouts[1].shape());
        let along =
            [Split::along(layouts[0], &of_y.others)?, Split::along(layouts[1], &of_x.others)?];
        let others = IterationSpace::new(&[&along[0], &along[1]]);
        let own = |layout: &Layout, axes: &[usize]| -> Result<[Vec<isize>; 2]> {
            let merged = collapse(&[&Split::along(layout, axes)?]);
            let extents = merged.shape.iter().rev().map(|extent| *extent as isize);
            let strides = merged.strides[0].iter().rev().copied();
            let (mut extents, mut strides): (Vec<_>, Vec<_>) =
                (extents.collect(), strides.collect());
            if extents.is_empty() {
                (extents, strides) = (vec![1], vec![0]);
            }
            Ok([extents, strides])
        };
        let rows = own(layouts[0], &of_y.own)?;
        let columns = own(layouts[1], &of_x.own)?;
        let wide = layouts.iter().any(|layout| IterationSpace::new(&[layout]).is_wide());
        // Consecutive threads take rows where these have the smaller stride in `y`, or there is but one index of the other axes.
        let nearest = |strides: &[isize], extents: &[isize]| {
            let long = strides.iter().zip(extents).filter(|(_, extent)| **extent > 1);
            long.map(|(stride, _)| stride.unsigned_abs()).min().unwrap_or(usize::MAX)
        };
        let line =
            if others.extents[0] > 1 { others.strides[0][0].unsigned_abs() } else { usize::MAX };
        let along = nearest(&rows[1], &rows[0]) < line || others.extents[0] == 1;
        let bytes = dtype.bytes();
        let steps = [&rows, &columns].map(|[extents, strides]| {
            let long = strides.iter().zip(extents).filter(|(_, extent)| **extent > 1);
            long.fold(0, |bits, (stride, _)| bits | stride.unsigned_abs())
        });
        let start = |operand: usize| {
            let start = others.start(operand, addresses[operand], bytes);
            Start { steps: start.steps | steps[operand], ..start }
        };
        let runs = Runs::new(&[start(0), start(1)], bytes, others.extents[0]);
        let runs = runs.dividing(if along { 1 } else { others.extents[0] });
        let align = Start { stride: 1, steps: 0, ..start(1) }.aligned(bytes);
        let wide_access = [(align / bytes).max(1), align];
        Ok(Self { others, rows, columns, wide, along, wide_access, shares, runs })
    }

    /// Runs along the first of the other axes, and how often.
    pub(super) fn items(&self) -> [usize; 2] {
        let extents = &self.others.extents;
        [extents[0] / self.runs.len, extents[1..].iter().product()]
    }

    /// The other axes but the first, at least one: extents and strides.
    pub(super) fn outer(&self) -> [Vec<isize>; 3] {
        let IterationSpace { extents, strides, .. } = &self.others;
        let mut outer = [
            extents[1..].iter().map(|extent| *extent as isize).collect::<Vec<_>>(),
            strides[0][1..].to_vec(),
            strides[1][1..].to_vec(),
        ];
        if extents.len() == 1 {
            outer.iter_mut().zip([1, 0, 0]).for_each(|(list, value)| list.push(value));
        }
        outer
    }

    /// The numbers that kernels take as arguments: extents, and strides that are not known by their runs.
    pub(super) fn numbers(&self) -> impl Iterator<Item = isize> {
        let strides = self.others.strides.iter().zip(self.runs.inner());
        let strides = strides.filter(|(_, inner)| **inner == Inner::Apart);
        let first = strides.map(|(strides, _)| strides[0]);
        let lists = self.outer().into_iter().chain(self.rows.clone()).chain(self.columns.clone());
        std::iter::once(self.others.extents[0] as isize).chain(first).chain(lists.flatten())
    }
}

/// Whether axes are one whose elements lie side by side.
pub(super) fn is_line([extents, strides]: &[Vec<isize>; 2]) -> bool {
    extents.len() == 1 && strides[0] == 1
}
