//! Several axes by their numbers.

use smallvec::SmallVec;

use crate::Axis;

/// Axes by their numbers ([`Axis`]): one (`-1`), several (`[0, -1]`, `&[0, -1]`) or none (`[]`, `&[]`), which is what reductions
/// along axes take.
///
/// Lists are of `isize`, which is what literals become, so that an empty one needs no type; a list of anything else that
/// names an axis is collected.
///
/// ```
/// use arrayspan_bridge::{Axes, Axis};
///
/// fn numbers(axes: impl Into<Axes>) -> Vec<isize> {
///     axes.into().iter().map(|axis| axis.number()).collect()
/// }
///
/// assert_eq!(numbers(-1), [-1]);
/// assert_eq!(numbers(&[0, -1]), [0, -1]);
/// assert!(numbers(&[]).is_empty());
/// let others: Vec<usize> = (0..3).filter(|axis| *axis != 1).collect();
/// assert_eq!(numbers(others.into_iter().collect::<Axes>()), [0, 2]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Axes(SmallVec<[Axis; 8]>);

impl std::ops::Deref for Axes {
    type Target = [Axis];

    fn deref(&self) -> &[Axis] {
        &self.0
    }
}

impl<A: Into<Axis>> FromIterator<A> for Axes {
    fn from_iter<I: IntoIterator<Item = A>>(axes: I) -> Self {
        Self(axes.into_iter().map(Into::into).collect())
    }
}

impl From<Axis> for Axes {
    fn from(axis: Axis) -> Self {
        Self::from_iter([axis])
    }
}

impl From<isize> for Axes {
    fn from(axis: isize) -> Self {
        Axis::from(axis).into()
    }
}

impl From<i32> for Axes {
    fn from(axis: i32) -> Self {
        Axis::from(axis).into()
    }
}

impl From<usize> for Axes {
    fn from(axis: usize) -> Self {
        Axis::from(axis).into()
    }
}

// Of each form of a list there is one implementation: a second one would leave open what `[]` is a list of.

impl From<&[isize]> for Axes {
    fn from(axes: &[isize]) -> Self {
        axes.iter().copied().collect()
    }
}

impl<const N: usize> From<&[isize; N]> for Axes {
    fn from(axes: &[isize; N]) -> Self {
        axes.iter().copied().collect()
    }
}

impl<const N: usize> From<[isize; N]> for Axes {
    fn from(axes: [isize; N]) -> Self {
        axes.into_iter().collect()
    }
}
