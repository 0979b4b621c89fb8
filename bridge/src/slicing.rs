//! Ranges and indices along several axes at once.

use std::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

use crate::layout::wrong;
use crate::{Layout, Result};

/// What is taken along one axis. Made of a `usize` and of every range of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AxisSlice {
    /// One index, with which the axis is gone.
    Index(usize),
    /// The indices from `start` to before `end`; to the end of the axis where that is `None`.
    Range {
        /// The first one.
        start: usize,
        /// The one after the last.
        end: Option<usize>,
    },
}

/// What is taken along the first axes of an array: an [`AxisSlice`], or a tuple of up to six of what becomes one. Axes after
/// those are whole.
pub trait Slices {
    /// One for each axis, in order.
    fn into_slices(self) -> Vec<AxisSlice>;
}

impl AxisSlice {
    /// What is taken of a layout along `axis`.
    pub(crate) fn of(self, layout: &Layout, axis: usize) -> Result<Layout> {
        let (start, end) = match self {
            Self::Index(index) => return layout.selected(axis, index),
            Self::Range { start, end } => (start, end),
        };
        // An axis that does not exist is refused below.
        let end = end.unwrap_or_else(|| layout.shape().get(axis).copied().unwrap_or(start));
        let Some(len) = end.checked_sub(start) else {
            let why = format!("the range {start}..{end} along axis {axis} ends before it begins");
            return Err(wrong("slice", layout.shape(), layout.strides(), why));
        };
        layout.sliced(axis, start, len)
    }
}

impl From<usize> for AxisSlice {
    fn from(index: usize) -> Self {
        Self::Index(index)
    }
}

impl Slices for AxisSlice {
    fn into_slices(self) -> Vec<AxisSlice> {
        vec![self]
    }
}

impl Slices for usize {
    fn into_slices(self) -> Vec<AxisSlice> {
        vec![self.into()]
    }
}

macro_rules! ranges {
    ($($range:ty: $take:expr;)*) => {$(
        impl From<$range> for AxisSlice {
            fn from(range: $range) -> Self {
                let take: fn($range) -> (usize, Option<usize>) = $take;
                let (start, end) = take(range);
                Self::Range { start, end }
            }
        }

        impl Slices for $range {
            fn into_slices(self) -> Vec<AxisSlice> {
                vec![self.into()]
            }
        }
    )*};
}

ranges! {
    RangeFull: |_| (0, None);
    RangeFrom<usize>: |range| (range.start, None);
    RangeTo<usize>: |range| (0, Some(range.end));
    Range<usize>: |range| (range.start, Some(range.end));
    // No axis reaches so far that adding one matters.
    RangeInclusive<usize>: |range| (*range.start(), Some(range.end().saturating_add(1)));
    RangeToInclusive<usize>: |range| (0, Some(range.end.saturating_add(1)));
}

macro_rules! tuples {
    ($(($($name:ident),+);)*) => {$(
        #[allow(non_snake_case, reason = "types and their values share names")]
        impl<$($name: Into<AxisSlice>),+> Slices for ($($name,)+) {
            fn into_slices(self) -> Vec<AxisSlice> {
                let ($($name,)+) = self;
                vec![$($name.into()),+]
            }
        }
    )*};
}

tuples! {
    (A);
    (A, B);
    (A, B, C);
    (A, B, C, D);
    (A, B, C, D, E);
    (A, B, C, D, E, F);
}
