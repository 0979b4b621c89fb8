//! A lane: the elements of an array in host memory along one axis.
//!
//! Only `Lanes::lane` and `LanesMut::lane` make one, after checking that its elements belong to the array.

use std::marker::PhantomData;

/// Elements along one axis of an array.
#[derive(Clone, Copy, Debug)]
pub struct Lane<'a, T> {
    pub(super) start: *const T,
    pub(super) stride: isize,
    pub(super) len: usize,
    pub(super) borrow: PhantomData<&'a [T]>,
}

/// Elements along one axis of an array, to be written.
#[derive(Debug)]
pub struct LaneMut<'a, T> {
    pub(super) start: *mut T,
    pub(super) stride: isize,
    pub(super) len: usize,
    pub(super) borrow: PhantomData<&'a mut [T]>,
}

impl<'a, T: Copy> Lane<'a, T> {
    /// The number of elements.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "a lane without elements is never made")]
    pub fn len(&self) -> usize {
        self.len
    }

    /// The elements, if they follow each other without gaps.
    #[must_use]
    #[inline]
    pub fn as_slice(&self) -> Option<&'a [T]> {
        match self.len {
            0 => Some(&[]),
            len if len == 1 || self.stride == 1 => {
                // SAFETY: `place` checked that all elements belong to the array, which is borrowed for 'a.
                Some(unsafe { std::slice::from_raw_parts(self.start, len) })
            }
            _ => None,
        }
    }

    /// The element that all are, if the lane repeats one.
    #[must_use]
    pub fn as_repeated(&self) -> Option<T> {
        // SAFETY: as in `as_slice`; there is a first element.
        (self.stride == 0 && self.len > 0).then(|| unsafe { *self.start })
    }

    /// Copies the elements from `from` on until `into` is full.
    ///
    /// # Panics
    /// When the lane is too short.
    #[inline]
    pub fn gather(&self, from: usize, into: &mut [T]) {
        expect_within(from, into.len(), self.len);
        if let Some(slice) = self.as_slice() {
            into.copy_from_slice(&slice[from..from + into.len()]);
            return;
        }
        if self.stride == -1 && !into.is_empty() {
            let last = self.start.wrapping_offset(-((from + into.len() - 1) as isize));
            // SAFETY: as in `as_slice`; from the last of these elements to the first they follow each other without gaps.
            let backwards = unsafe { std::slice::from_raw_parts(last, into.len()) };
            // Vector code turns it.
            into.iter_mut()
                .zip(backwards.iter().rev())
                .for_each(|(slot, element)| *slot = *element);
            return;
        }
        for (i, slot) in into.iter_mut().enumerate() {
            // SAFETY: as in `as_slice`, and `from + i < len`.
            *slot = unsafe { *self.start.wrapping_offset((from + i) as isize * self.stride) };
        }
    }
}

impl<T: Copy> LaneMut<'_, T> {
    /// The elements, if they follow each other without gaps.
    #[must_use]
    #[inline]
    pub fn as_mut_slice(&mut self) -> Option<&mut [T]> {
        match self.len {
            0 => Some(&mut []),
            len if len == 1 || self.stride == 1 => {
                // SAFETY: `place` checked that all elements belong to the array, borrowed exclusively.
                Some(unsafe { std::slice::from_raw_parts_mut(self.start, len) })
            }
            _ => None,
        }
    }

    /// The lane to read.
    #[must_use]
    #[inline]
    pub fn read(&self) -> Lane<'_, T> {
        Lane { start: self.start, stride: self.stride, len: self.len, borrow: PhantomData }
    }

    /// Copies `elements` over those of the lane from `from` on.
    ///
    /// # Panics
    /// When the lane is too short.
    #[inline]
    pub fn scatter(&mut self, from: usize, elements: &[T]) {
        expect_within(from, elements.len(), self.len);
        if let Some(slice) = self.as_mut_slice() {
            slice[from..from + elements.len()].copy_from_slice(elements);
            return;
        }
        for (i, element) in elements.iter().enumerate() {
            // SAFETY: as in `as_mut_slice`, and `from + i < len`.
            unsafe {
                *self.start.wrapping_offset((from + i) as isize * self.stride) = *element;
            }
        }
    }

    /// Copies all elements of `from`, which is as long.
    ///
    /// # Panics
    /// When it is not.
    #[inline]
    pub fn copy_from(&mut self, from: &Lane<'_, T>) {
        assert_eq!(self.len, from.len, "lanes of one length");
        if let Some(slice) = from.as_slice() {
            return self.scatter(0, slice);
        }
        let repeated = from.as_repeated();
        match (self.as_mut_slice(), repeated) {
            (Some(slice), Some(element)) => slice.fill(element),
            (Some(slice), None) => from.gather(0, slice),
            (None, _) => {
                for i in 0..self.len as isize {
                    // SAFETY: as in `as_slice` and `as_mut_slice`; `i` is below both lengths.
                    unsafe {
                        *self.start.wrapping_offset(i * self.stride) =
                            *from.start.wrapping_offset(i * from.stride);
                    }
                }
            }
        }
    }
}

/// Panics unless a lane of `len` elements has `count` from `from` on. Their sum may overflow.
#[inline]
fn expect_within(from: usize, count: usize, len: usize) {
    let fits = from.checked_add(count).is_some_and(|end| end <= len);
    assert!(fits, "the lane has {len} elements");
}
