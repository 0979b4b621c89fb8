//! Ranges and indices along several axes at once.

use std::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

use crate::layout::wrong;
use crate::relayout::WithLayout;
use crate::{Array, Layout, Result, SharedArray, View, ViewMut};

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

fn sliced(layout: &Layout, slices: impl Slices) -> Result<Layout> {
    let (mut layout, mut axis) = (layout.clone(), 0_usize);
    for slice in slices.into_slices() {
        layout = slice.of(&layout, axis)?;
        axis += usize::from(matches!(slice, AxisSlice::Range { .. }));
    }
    Ok(layout)
}

impl<'a> View<'a> {
    /// Ranges and indices along the first axes at once, without moving anything: `x.slice((1..3, 0))`, `x.slice((.., 5..))`,
    /// `x.slice(7)`. An axis of which one index is taken is gone after; axes that nothing is said of are whole.
    ///
    /// # Errors
    /// [`Error::Axis`](crate::Error::Axis) for more than there are axes; [`Error::Layout`](crate::Error::Layout) for what
    /// lies outside.
    pub fn slice(&self, slices: impl Slices) -> Result<View<'a>> {
        let layout = sliced(self.layout(), slices)?;
        // SAFETY: some of the places, each once: the layout comes of slicing and selecting.
        Ok(unsafe { self.clone().with_layout(layout) })
    }
}

impl ViewMut<'_> {
    /// A part of it to be read, as [`View::slice`].
    ///
    /// # Errors
    /// As there.
    pub fn slice(&self, slices: impl Slices) -> Result<View<'_>> {
        self.view().slice(slices)
    }

    /// A part of it to be written, as [`View::slice`].
    ///
    /// # Errors
    /// As there.
    pub fn slice_mut(&mut self, slices: impl Slices) -> Result<ViewMut<'_>> {
        let layout = sliced(self.layout(), slices)?;
        // SAFETY: some of the places, each once: the layout comes of slicing and selecting.
        Ok(unsafe { self.reborrow().with_layout(layout) })
    }
}

impl Array {
    /// A part of it to be read, as [`View::slice`].
    ///
    /// ```
    /// use arrayspan_bridge::Array;
    ///
    /// let mut x = Array::from_vec(vec![1, 2, 3, 4, 5, 6], [2, 3])?;
    /// assert_eq!(x.slice((.., 1..))?.to_vec::<i32>()?, [2, 3, 5, 6]);
    /// x.slice_mut((1, ..2))?.as_mut_slice::<i32>()?.fill(0);
    /// assert_eq!(x.slice(1)?.to_vec::<i32>()?, [0, 0, 6]);
    /// # Ok::<(), arrayspan_bridge::Error>(())
    /// ```
    ///
    /// # Errors
    /// As there.
    pub fn slice(&self, slices: impl Slices) -> Result<View<'_>> {
        self.view().slice(slices)
    }

    /// A part of it to be written, as [`View::slice`].
    ///
    /// # Errors
    /// As there.
    pub fn slice_mut(&mut self, slices: impl Slices) -> Result<ViewMut<'_>> {
        let layout = sliced(self.layout(), slices)?;
        // SAFETY: some of the places, each once: the layout comes of slicing and selecting.
        Ok(unsafe { self.view_mut().with_layout(layout) })
    }
}

impl SharedArray {
    /// A part of it, as [`View::slice`], that shares the memory.
    ///
    /// # Errors
    /// As there.
    pub fn slice(&self, slices: impl Slices) -> Result<Self> {
        let layout = sliced(self.layout(), slices)?;
        // SAFETY: some of the places, each once: the layout comes of slicing and selecting.
        Ok(unsafe { self.clone().with_layout(layout) })
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
