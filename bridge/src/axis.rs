//! Axes by number, from either end.

use std::fmt;

/// An axis by its number: 0, 1, … from the first, or -1, -2, … from the last one. Made of `usize`, `isize` and `i32`, which is
/// what functions that name axes take.
///
/// ```
/// use arrayspan_bridge::{Array, Relayout, concatenate};
///
/// let x = Array::from_vec(vec![1, 2, 3, 4, 5, 6], [2, 3])?;
/// assert_eq!(x.view().reversed(-1)?.to_vec::<i32>()?, [3, 2, 1, 6, 5, 4]);
/// assert_eq!(x.view().permuted(&[-1, 0])?.shape(), [3, 2]);
/// assert_eq!(concatenate(&[&x, &x], -1)?.shape(), [2, 6]);
/// # Ok::<(), arrayspan_bridge::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Axis(isize);

impl Axis {
    /// The number from the first, of an array with so many axes, if it has this one.
    #[must_use]
    pub fn of(self, rank: usize) -> Option<usize> {
        let number = if self.0 < 0 { rank.checked_add_signed(self.0)? } else { self.0 as usize };
        (number < rank).then_some(number)
    }

    /// The number that it was made of.
    #[must_use]
    pub fn number(self) -> isize {
        self.0
    }
}

impl From<isize> for Axis {
    fn from(number: isize) -> Self {
        Self(number)
    }
}

impl From<i32> for Axis {
    fn from(number: i32) -> Self {
        Self(number as isize)
    }
}

impl From<usize> for Axis {
    fn from(number: usize) -> Self {
        // No array has so many axes that it matters.
        Self(isize::try_from(number).unwrap_or(isize::MAX))
    }
}

impl fmt::Display for Axis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_are_counted_from_either_end() {
        let number = |axis: isize, rank| Axis::from(axis).of(rank);
        assert_eq!([-3, -2, -1, 0, 1, 2, 3].map(|axis| number(axis, 3)), {
            [Some(0), Some(1), Some(2), Some(0), Some(1), Some(2), None]
        });
        for axis in [isize::MIN, -4, 3, isize::MAX] {
            assert_eq!(number(axis, 3), None);
        }
        assert_eq!([-1, 0].map(|axis| number(axis, 0)), [None, None]);
        assert_eq!(Axis::from(usize::MAX).of(3), None);
        assert_eq!((Axis::from(-1_i32).of(2), Axis::from(1_usize).of(2)), (Some(1), Some(1)));
        assert_eq!(Axis::from(-2).to_string(), "-2");
    }
}
