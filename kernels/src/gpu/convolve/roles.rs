//! What each axis of an array is to the threads.

use super::Task;
use crate::Convolution;
use crate::verb::lanes;

/// An axis as threads go along it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Along {
    pub(super) extent: usize,
    /// Of `y` and `x`.
    pub(super) strides: [isize; 2],
    pub(super) taps: usize,
    pub(super) offset: usize,
}

/// Which axes are walked how. Those that are named by none of these are gone through one by one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Roles {
    /// Threads march along it.
    pub(super) march: Option<usize>,
    /// Rows of a thread lie beside each other along it.
    pub(super) beside: Option<usize>,
    /// Neighbours among threads are neighbours along it.
    pub(super) lanes: usize,
    /// Others along which there are several taps.
    pub(super) extra: Vec<usize>,
}

impl Along {
    /// One of a single element.
    const NONE: Self = Self { extent: 1, strides: [0, 0], taps: 1, offset: 0 };

    fn of(task: &Task<'_>, axis: Option<usize>) -> Self {
        let Some(axis) = axis else { return Self::NONE };
        let (taps, offset) = task.convolution.along(axis);
        let strides = task.layouts.map(|layout| layout.strides()[axis]);
        let y = task.layouts[0];
        Self { extent: y.shape()[axis], strides, taps, offset }
    }
}

impl Roles {
    /// Those of the axes of a task.
    pub(super) fn new(task: &Task<'_>) -> Self {
        let (convolution, y) = (task.convolution, task.layouts[0]);
        let lanes = lanes(y);
        let step = |axis: &usize| y.strides()[*axis].unsigned_abs();
        let own = convolution.axes().iter().copied();
        let several = own.filter(|axis| *axis != lanes && convolution.along(*axis).0 > 1);
        let mut axes: Vec<usize> = several.collect();
        axes.sort_by_key(|axis| std::cmp::Reverse(step(axis)));
        let beside = if axes.len() > 1 { axes.pop() } else { None };
        let march = if axes.is_empty() {
            let others = (0..y.rank()).filter(|&axis| axis != lanes && y.shape()[axis] > 1);
            others.max_by_key(|&axis| y.shape()[axis])
        } else {
            Some(axes.remove(0))
        };
        Self { march, beside, lanes, extra: axes }
    }

    /// The axes along which nothing is shared.
    pub(super) fn others(&self, rank: usize) -> Vec<usize> {
        let shared = [self.march, self.beside, Some(self.lanes)];
        (0..rank).filter(|axis| !shared.contains(&Some(*axis))).collect()
    }

    /// The axes of threads: that of the march, that of rows, that of lanes.
    pub(super) fn along(&self, task: &Task<'_>) -> [Along; 3] {
        [self.march, self.beside, Some(self.lanes)].map(|axis| Along::of(task, axis))
    }

    /// The taps along each axis beyond those.
    pub(super) fn extras(&self, convolution: &Convolution) -> Vec<usize> {
        self.extra.iter().map(|axis| convolution.along(*axis).0).collect()
    }
}
