//! The lines of a transform in memory.

use arrayspan_bridge::Layout;
use arrayspan_bridge::iteration::IterationSpace;

use super::Fourier;
use crate::Result;
use crate::verb::Split;

/// The lines of `y` and `x`, in this order.
#[derive(Debug)]
pub(crate) struct Lines {
    /// The other axes.
    pub(crate) others: IterationSpace,
    /// Elements from one index of the axis to the next.
    pub(crate) strides: [isize; 2],
    /// The places of the first elements.
    pub(crate) starts: [usize; 2],
    /// Whether neighbours are of several lines.
    pub(crate) across: [bool; 2],
    /// Whether places do not fit 32 bits.
    pub(crate) wide: bool,
}

impl Lines {
    pub(crate) fn new(fourier: &Fourier, layouts: [&Layout; 2]) -> Result<Self> {
        Self::along(fourier.axis(), layouts)
    }

    /// Those along an axis.
    pub(crate) fn along(axis: usize, layouts: [&Layout; 2]) -> Result<Self> {
        let axes: Vec<usize> = (0..layouts[0].rank()).filter(|other| *other != axis).collect();
        let along = [Split::along(layouts[0], &axes)?, Split::along(layouts[1], &axes)?];
        let others = IterationSpace::new(&[&along[0], &along[1]]);
        let strides = layouts.map(|layout| layout.strides()[axis]);
        let starts = [others.offsets[0], others.offsets[1]];
        let side_by_side = |operand: usize| {
            let near = others.strides[operand][0].unsigned_abs();
            others.extents[0] > 1 && near < strides[operand].unsigned_abs()
        };
        let across = [side_by_side(0), side_by_side(1)];
        let wide = layouts.iter().any(|layout| IterationSpace::new(&[layout]).is_wide());
        Ok(Self { others, strides, starts, across, wide })
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.others.extents.iter().product()
    }

    /// Elements from one line of an operand to the next.
    pub(crate) fn line_step(&self, operand: usize) -> usize {
        self.others.strides[operand][0].unsigned_abs()
    }

    /// Whether elements 2 k and 2 k + 1 of every line of an operand are next to each other, at even places.
    pub(crate) fn are_in_pairs(&self, operand: usize) -> bool {
        let mut others = self.others.extents.iter().zip(&self.others.strides[operand]);
        let even = others.all(|(extent, stride)| *extent == 1 || stride % 2 == 0);
        even && self.strides[operand] == 1 && self.starts[operand].is_multiple_of(2)
    }

    /// The place of the first element of a line of an operand whose strides are positive.
    pub(crate) fn place(&self, operand: usize, line: usize) -> usize {
        let mut rest = line;
        let mut place = self.starts[operand];
        for (extent, stride) in self.others.extents.iter().zip(&self.others.strides[operand]) {
            place += rest % extent * stride.unsigned_abs();
            rest /= extent;
        }
        place
    }
}
