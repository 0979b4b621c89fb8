//! Fewer axes for the same elements: what makes one loop, or one kernel, serve every shape.

use smallvec::{SmallVec, smallvec};

use crate::Layout;
use crate::layout::Axes;

/// One of something for each array, without a block on the heap for the few that most calls have.
pub type Each<T> = SmallVec<[T; 3]>;

/// Several arrays of one shape, seen with as few axes as they allow together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collapsed {
    /// Extents; none of them 1, save those of fixed axes.
    pub shape: Axes<usize>,
    /// For each array its strides, in elements.
    pub strides: Each<Axes<isize>>,
    /// For each axis there was, the axis it is now part of; `None` if its extent was 1.
    pub axes: Axes<Option<usize>>,
}

/// Drops extents of 1 and merges adjacent axes whose elements follow each other in every layout. Elements keep their
/// order. All layouts have the same shape; there is at least one.
#[must_use]
pub fn collapse(layouts: &[&Layout]) -> Collapsed {
    collapse_around(layouts, &[])
}

/// As [`collapse`], but each axis in `fixed` stays an axis of its own, even with extent 1.
#[must_use]
pub fn collapse_around(layouts: &[&Layout], fixed: &[usize]) -> Collapsed {
    let shape = layouts.first().map_or(&[][..], |layout| layout.shape());
    let mut collapsed = Collapsed {
        shape: Axes::new(),
        strides: smallvec![Axes::new(); layouts.len()],
        axes: Axes::new(),
    };
    let mut open = false;
    for (axis, &extent) in shape.iter().enumerate() {
        let fix = fixed.contains(&axis);
        if extent == 1 && !fix {
            collapsed.axes.push(None);
            continue;
        }
        if open && !fix && collapsed.follows(layouts, axis) {
            collapsed.merge(layouts, axis);
        } else {
            collapsed.push(layouts, axis);
        }
        collapsed.axes.push(Some(collapsed.shape.len() - 1));
        open = !fix;
    }
    collapsed
}

impl Collapsed {
    /// Whether, in every layout, one step of the last axis so far is a whole run along `axis`.
    fn follows(&self, layouts: &[&Layout], axis: usize) -> bool {
        self.strides.iter().zip(layouts).all(|(strides, layout)| {
            let run = layout.shape()[axis] as isize * layout.strides()[axis];
            strides.last() == Some(&run)
        })
    }

    fn merge(&mut self, layouts: &[&Layout], axis: usize) {
        if let (Some(last), Some(layout)) = (self.shape.last_mut(), layouts.first()) {
            *last *= layout.shape()[axis];
        }
        for (strides, layout) in self.strides.iter_mut().zip(layouts) {
            strides.pop();
            strides.push(layout.strides()[axis]);
        }
    }

    fn push(&mut self, layouts: &[&Layout], axis: usize) {
        self.shape.extend(layouts.first().map(|layout| layout.shape()[axis]));
        for (strides, layout) in self.strides.iter_mut().zip(layouts) {
            strides.push(layout.strides()[axis]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row_major(shape: &[usize]) -> Layout {
        Layout::contiguous(shape).unwrap()
    }

    #[test]
    fn contiguous_arrays_become_one_line() {
        let layout = row_major(&[3, 1, 4, 5]);
        let collapsed = collapse(&[&layout, &layout]);
        assert_eq!(collapsed.shape[..], [60]);
        assert_eq!(collapsed.strides.concat(), [1, 1]);
        assert_eq!(collapsed.axes[..], [Some(0), None, Some(0), Some(0)]);
    }

    #[test]
    fn axes_stay_apart_where_one_array_needs_it() {
        let whole = row_major(&[3, 4, 5]);
        let part = row_major(&[3, 7, 5]).sliced(1, 2, 4).unwrap();
        let collapsed = collapse(&[&whole, &part]);
        assert_eq!(collapsed.shape[..], [3, 20]);
        assert_eq!(collapsed.strides.concat(), [20, 1, 35, 1]);
    }

    #[test]
    fn a_repeated_row_keeps_its_axis_and_a_repeated_number_does_not() {
        let whole = row_major(&[3, 4]);
        let row = row_major(&[4]).broadcast(&[3, 4]).unwrap();
        assert_eq!(collapse(&[&whole, &row]).shape[..], [3, 4]);
        let number = row_major(&[]).broadcast(&[3, 4]).unwrap();
        let collapsed = collapse(&[&whole, &number]);
        assert_eq!((&collapsed.shape[..], collapsed.strides.concat()), (&[12][..], vec![1, 0]));
    }

    #[test]
    fn permuted_and_reversed_axes_merge_only_with_those_that_follow() {
        let layout = row_major(&[3, 4, 5]).permuted(&[2, 0, 1]).unwrap();
        let collapsed = collapse(&[&layout]);
        assert_eq!((&collapsed.shape[..], collapsed.strides.concat()), (&[5, 12][..], vec![1, 5]));
        let layout = row_major(&[3, 4]).reversed(0).unwrap();
        assert_eq!(collapse(&[&layout]).shape[..], [3, 4]);
        let layout = layout.reversed(1).unwrap();
        assert_eq!(collapse(&[&layout]).strides.concat(), [-1]);
    }

    #[test]
    fn fixed_axes_stay_alone() {
        let layout = row_major(&[2, 3, 1, 4, 5]);
        let collapsed = collapse_around(&[&layout], &[1, 2]);
        assert_eq!(collapsed.shape[..], [2, 3, 1, 20]);
        assert_eq!(collapsed.strides.concat(), [60, 20, 20, 1]);
        assert_eq!(collapsed.axes[..], [Some(0), Some(1), Some(2), Some(3), Some(3)]);
    }

    #[test]
    fn a_single_number_has_no_axes() {
        let collapsed = collapse(&[&row_major(&[])]);
        assert!(collapsed.shape.is_empty() && collapsed.strides.concat().is_empty());
        assert_eq!(collapsed.strides.len(), 1);
        assert!(collapse(&[&row_major(&[1, 1])]).shape.is_empty());
    }
}
