//! Lanes that lie beside each other: one after the other along a second axis.

use std::marker::PhantomData;

use super::{Lane, LaneMut, Lanes, LanesMut};

/// Lanes of one array, each an index further along a second axis than the one before.
#[derive(Clone, Copy, Debug)]
pub struct Beside<'a, T> {
    first: Lane<'a, T>,
    /// Elements from one lane to the next.
    step: isize,
    count: usize,
}

impl<'a, T: Copy> Beside<'a, T> {
    /// Lane `at`.
    ///
    /// # Panics
    /// When there are not so many.
    #[must_use]
    #[inline]
    pub fn lane(&self, at: usize) -> Lane<'a, T> {
        assert!(at < self.count, "lane {at} of {}", self.count);
        // Within the array: `Lanes::beside` checked that the last lane is.
        Lane { start: self.first.start.wrapping_offset(at as isize * self.step), ..self.first }
    }
}

/// Lanes without gaps between their elements, each an index further along a second axis than the one before.
#[derive(Clone, Copy, Debug)]
pub struct RowSlices<'a, T> {
    beside: Beside<'a, T>,
}

impl<'a, T: Copy> Beside<'a, T> {
    /// The lanes as slices, if their elements are neighbours.
    #[must_use]
    #[inline]
    pub fn slices(self) -> Option<RowSlices<'a, T>> {
        self.first.as_slice()?;
        Some(RowSlices { beside: self })
    }
}

impl<'a, T: Copy> RowSlices<'a, T> {
    /// The rows of `len` elements that follow each other in a slice, as many as are whole.
    #[must_use]
    pub fn rows(elements: &'a [T], len: usize) -> Self {
        let count = elements.len().checked_div(len).unwrap_or(0);
        let first = Lane { start: elements.as_ptr(), stride: 1, len, borrow: PhantomData };
        Self { beside: Beside { first, step: len as isize, count } }
    }

    /// Lane `at`.
    ///
    /// # Panics
    /// When there are not so many.
    #[must_use]
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it is called where vector instructions are enabled")]
    pub fn get(&self, at: usize) -> &'a [T] {
        let Beside { first, step, count } = self.beside;
        // Without a message, for which numbers would be laid down each time.
        assert!(at < count);
        // SAFETY: this lane lies within the array or slice, which is borrowed for `'a` (`Lanes::beside` checked it, and
        // `rows` counted those that do), and elements of lanes are neighbours.
        unsafe {
            std::slice::from_raw_parts(first.start.wrapping_offset(at as isize * step), first.len)
        }
    }
}

impl<'a, T: Copy> Lanes<'a, T> {
    /// `count` lanes of `len` elements along `axis`: the one from `index`, and those beside it along the axis `other`.
    ///
    /// # Panics
    /// When they leave the array, when there are none, or when the axes are one and the lanes several.
    #[must_use]
    #[inline]
    pub fn beside(
        &self,
        index: &[usize],
        (other, count): (usize, usize),
        axis: usize,
        len: usize,
    ) -> Beside<'a, T> {
        let first = self.lane(index, axis, len);
        expect_beside(&self.shape, index, other, count, axis);
        Beside { first, step: self.strides[other], count }
    }
}

impl<T> LanesMut<'_, T> {
    /// `R` lanes of `len` elements along `axis`: the one from `index`, and those beside it along the axis `other`.
    ///
    /// # Panics
    /// When they leave the array, or when the axes are one and the lanes several.
    #[must_use]
    #[inline]
    pub fn beside<const R: usize>(
        &mut self,
        index: &[usize],
        other: usize,
        axis: usize,
        len: usize,
    ) -> [LaneMut<'_, T>; R] {
        let step = self.strides[other];
        expect_beside(&self.shape, index, other, R, axis);
        let LaneMut { start, stride, len, .. } = self.lane(index, axis, len);
        // They share no element, since they differ in their index along `other` and the array does not overlap itself;
        // together they borrow all of it.
        std::array::from_fn(|r| LaneMut {
            start: start.wrapping_offset(r as isize * step),
            stride,
            len,
            borrow: PhantomData,
        })
    }
}

/// Panics unless `count` lanes along `axis` lie beside each other from `index` on.
#[inline]
fn expect_beside(shape: &[usize], index: &[usize], other: usize, count: usize, axis: usize) {
    let fits = shape[other].checked_sub(index[other]).is_some_and(|left| count <= left);
    assert!(count > 0 && fits, "{count} lanes from {index:?} along axis {other} of {shape:?}");
    assert!(count == 1 || other != axis, "lanes beside each other differ along another axis");
}
