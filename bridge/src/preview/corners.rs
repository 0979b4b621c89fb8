//! Which elements of an array are shown, and how they come to the host: in one copy.

use arrayspan_devices::Device;

use crate::relayout::WithLayout;
use crate::{Array, Layout, Result, View};

/// Arrays of more elements are shown in parts, of at most so many elements.
const MOST: usize = 256;

/// Elements at each end of a long axis, where there is room for them.
const EDGE: usize = 3;

/// What is shown of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    /// Every index.
    All(usize),
    /// So many at each end, and not all.
    Ends(usize),
    /// The first index, of several.
    First,
}

impl Shown {
    /// How many indices that is.
    pub(super) fn len(self) -> usize {
        match self {
            Self::All(extent) => extent,
            Self::Ends(edge) => 2 * edge,
            Self::First => 1,
        }
    }

    /// After how many of them some are left out.
    pub(super) fn gap(self) -> Option<usize> {
        match self {
            Self::All(_) => None,
            Self::Ends(edge) => Some(edge),
            Self::First => Some(1),
        }
    }

    /// Fewer, if that is possible.
    fn fewer(self) -> Option<Self> {
        match self {
            Self::All(0 | 1) | Self::First => None,
            Self::All(extent) => match EDGE.min((extent - 1) / 2) {
                0 => Some(Self::First),
                edge => Some(Self::Ends(edge)),
            },
            Self::Ends(1) => Some(Self::First),
            Self::Ends(edge) => Some(Self::Ends(edge - 1)),
        }
    }
}

/// The elements of an array that are shown: what is shown of each axis.
#[derive(Debug)]
pub(super) struct Corners {
    pub(super) axes: Vec<Shown>,
    /// Whether there are elements at all.
    pub(super) empty: bool,
}

impl Corners {
    pub(super) fn of(shape: &[usize]) -> Self {
        let mut axes: Vec<Shown> = shape.iter().map(|&extent| Shown::All(extent)).collect();
        let empty = shape.contains(&0);
        let len =
            |axes: &[Shown]| axes.iter().fold(1_usize, |len, axis| len.saturating_mul(axis.len()));
        while !empty && len(&axes) > MOST {
            // The longest one; of equally long ones the first, along which rows are the farthest apart.
            let candidates = (0..axes.len()).rev().filter(|&axis| axes[axis].fewer().is_some());
            let Some(longest) = candidates.max_by_key(|&axis| axes[axis].len()) else { break };
            if let Some(fewer) = axes[longest].fewer() {
                axes[longest] = fewer;
            }
        }
        Self { axes, empty }
    }

    /// The elements shown, in order, on the host, where they are done.
    pub(super) fn read(&self, array: &View<'_>) -> Result<Array> {
        let layout = array.layout();
        let (mut shape, mut strides) = (Vec::new(), Vec::new());
        for ((axis, &extent), &stride) in self.axes.iter().zip(layout.shape()).zip(layout.strides())
        {
            if let Shown::Ends(edge) = *axis {
                // Both ends are two rows of an axis in between.
                shape.push(2);
                strides.push(stride * (extent - edge) as isize);
                shape.push(edge);
            } else {
                shape.push(axis.len());
            }
            strides.push(stride);
        }
        let corners = Layout::strided(shape, strides, layout.offset())?;
        // SAFETY: some of the places of the array, each once: the ends of an axis do not meet.
        let shown = unsafe { array.clone().with_layout(corners) };
        Ok(shown.to(Device::cpu())?.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn small_arrays_are_shown_whole() {
        use Shown::All;
        assert_eq!(Corners::of(&[]).axes, []);
        assert_eq!(Corners::of(&[256]).axes, [All(256)]);
        assert_eq!(Corners::of(&[2, 7, 18]).axes, [All(2), All(7), All(18)]);
        assert_eq!(Corners::of(&[1000, 0, 9]).axes, [All(1000), All(0), All(9)]);
    }

    #[test]
    fn of_large_arrays_the_ends_of_long_axes_are_shown() {
        use Shown::{All, Ends};
        assert_eq!(Corners::of(&[257]).axes, [Ends(3)]);
        assert_eq!(Corners::of(&[1000, 5]).axes, [Ends(3), All(5)]);
        assert_eq!(Corners::of(&[257, 389, 641]).axes, [Ends(3), Ends(3), Ends(3)]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 8 } else { 512 }))]

        #[test]
        fn never_more_than_a_page_is_shown_of_any_rank_and_no_index_twice(
            shape in proptest::collection::vec(1..9_usize, 0..64),
            factor in 1..1_000_000_usize,
        ) {
            let mut shape = shape;
            if let Some(first) = shape.first_mut() {
                *first *= factor;
            }
            let corners = Corners::of(&shape);
            let shown = corners.axes.iter().fold(1, |len, axis| len * axis.len());
            prop_assert!((1..=MOST).contains(&shown));
            for (axis, extent) in corners.axes.iter().zip(shape) {
                match axis {
                    Shown::All(all) => prop_assert_eq!(*all, extent),
                    Shown::Ends(edge) => prop_assert!(2 * edge < extent),
                    Shown::First => prop_assert!(extent > 1),
                }
            }
        }
    }
}
