//! Arrays in host memory, reached line by line, whatever their strides.
//!
//! A slice over the whole extent of a strided array would also cover what lies between its elements, which
//! may belong to somebody who writes it. Lines touch the array's own elements and nothing else.

use std::marker::PhantomData;
use std::ptr::with_exposed_provenance_mut;

use crate::host;
use crate::{DType, Element, Error, Layout, Result, View, ViewMut};
use arrayspan_devices::Access;

/// The elements of an array in host memory, to be read by line. Cheap to share between threads.
#[derive(Clone, Debug)]
pub struct Lines<'a, T> {
    start: *const T,
    shape: Vec<usize>,
    strides: Vec<isize>,
    borrow: PhantomData<&'a [T]>,
}

/// The elements of an array in host memory, to be written by line; splits into parts for threads.
#[derive(Debug)]
pub struct LinesMut<'a, T> {
    start: *mut T,
    shape: Vec<usize>,
    strides: Vec<isize>,
    borrow: PhantomData<&'a mut [T]>,
}

/// Elements at equal distances.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a, T> {
    start: *const T,
    stride: isize,
    len: usize,
    borrow: PhantomData<&'a [T]>,
}

/// Elements at equal distances, to be written.
#[derive(Debug)]
pub struct LineMut<'a, T> {
    start: *mut T,
    stride: isize,
    len: usize,
    borrow: PhantomData<&'a mut [T]>,
}

// SAFETY: `Lines` only reads its elements, for as long as its borrow of the array, like `&[T]`.
unsafe impl<T: Sync> Send for Lines<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Lines<'_, T> {}
// SAFETY: `LinesMut` alone reaches its elements, like `&mut [T]`; they do not share places, since
// layouts of writable arrays do not overlap themselves.
unsafe impl<T: Send> Send for LinesMut<'_, T> {}

impl<'a> View<'a> {
    /// The elements by line, on the host. Waits for queued work that writes them.
    ///
    /// # Errors
    /// [`Error::WrongDevice`] off the CPU, [`Error::DType`].
    pub fn lines<T: Element>(&self) -> Result<Lines<'a, T>> {
        let base = host::base::<T>(self.memory(), self.layout(), self.dtype(), Access::Read)?;
        Ok(Lines::new(base, self.layout()))
    }

    /// The elements as their bytes, whatever their dtype means; for moving them about.
    ///
    /// # Errors
    /// [`Error::WrongDevice`] off the CPU, [`Error::DType`] for `Bool` (not every byte is one) and when
    /// elements do not have `N` bytes.
    pub fn byte_lines<const N: usize>(&self) -> Result<Lines<'a, [u8; N]>> {
        let base = host_bytes::<N>(self.memory(), self.dtype(), Access::Read)?;
        Ok(Lines::new(base, self.layout()))
    }
}

impl ViewMut<'_> {
    /// The elements by line, on the host. Waits for queued work that uses them.
    ///
    /// # Errors
    /// [`Error::WrongDevice`] off the CPU, [`Error::DType`].
    pub fn lines_mut<T: Element>(&mut self) -> Result<LinesMut<'_, T>> {
        let base = host::base::<T>(self.memory(), self.layout(), self.dtype(), Access::Write)?;
        Ok(LinesMut::new(base, self.layout()))
    }

    /// The elements as their bytes, whatever their dtype means; for moving them about.
    ///
    /// # Errors
    /// As [`View::byte_lines`].
    pub fn byte_lines_mut<const N: usize>(&mut self) -> Result<LinesMut<'_, [u8; N]>> {
        let base = host_bytes::<N>(self.memory(), self.dtype(), Access::Write)?;
        Ok(LinesMut::new(base, self.layout()))
    }
}

fn host_bytes<const N: usize>(
    memory: &arrayspan_devices::Memory,
    dtype: DType,
    access: Access,
) -> Result<*mut [u8; N]> {
    // Every pattern of bits is a number of every other type.
    if dtype == DType::Bool || dtype.bytes() != N {
        let expected = DType::UInt8;
        return Err(Error::DType { operation: "bytes", expected, found: dtype });
    }
    host::address(memory, access).map(with_exposed_provenance_mut)
}

impl<'a, T> Lines<'a, T> {
    fn new(base: *mut T, layout: &Layout) -> Self {
        let start = base.wrapping_add(layout.offset()).cast_const();
        let (shape, strides) = (layout.shape().to_vec(), layout.strides().to_vec());
        Self { start, shape, strides, borrow: PhantomData }
    }

    /// Extents along each axis.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Elements from one index to the next along each axis.
    #[must_use]
    pub fn strides(&self) -> &[isize] {
        &self.strides
    }

    /// The address of index zero, for libraries that take addresses and strides.
    #[must_use]
    pub fn as_ptr(&self) -> *const T {
        self.start
    }

    /// The `len` elements from `index` along `axis`.
    ///
    /// # Panics
    /// When they leave the array.
    #[must_use]
    #[inline]
    pub fn line(&self, index: &[usize], axis: usize, len: usize) -> Line<'a, T> {
        let place = place(&self.shape, &self.strides, index, axis, len);
        let start = self.start.wrapping_offset(place);
        Line { start, stride: self.strides[axis], len, borrow: PhantomData }
    }
}

impl<T> LinesMut<'_, T> {
    fn new(base: *mut T, layout: &Layout) -> Self {
        let start = base.wrapping_add(layout.offset());
        let (shape, strides) = (layout.shape().to_vec(), layout.strides().to_vec());
        Self { start, shape, strides, borrow: PhantomData }
    }

    /// Extents along each axis.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Elements from one index to the next along each axis.
    #[must_use]
    pub fn strides(&self) -> &[isize] {
        &self.strides
    }

    /// The address of index zero, for libraries that take addresses and strides.
    #[must_use]
    pub fn as_mut_ptr(&mut self) -> *mut T {
        self.start
    }

    /// The `len` elements from `index` along `axis`.
    ///
    /// # Panics
    /// When they leave the array.
    #[must_use]
    #[inline]
    pub fn line(&mut self, index: &[usize], axis: usize, len: usize) -> LineMut<'_, T> {
        let place = place(&self.shape, &self.strides, index, axis, len);
        let start = self.start.wrapping_offset(place);
        LineMut { start, stride: self.strides[axis], len, borrow: PhantomData }
    }

    /// The parts before and from `index` along `axis`; they share no element.
    ///
    /// # Panics
    /// When there is no such axis or index.
    #[must_use]
    pub fn split_at(self, axis: usize, index: usize) -> (Self, Self) {
        assert!(index <= self.shape[axis], "index {index} of axis {axis} of {:?}", self.shape);
        let (mut first, mut second) = (self.shape.clone(), self.shape.clone());
        first[axis] = index;
        second[axis] -= index;
        let start = self.start.wrapping_offset(index as isize * self.strides[axis]);
        let second = Self { start, shape: second, strides: self.strides.clone(), ..self };
        (Self { shape: first, ..self }, second)
    }
}

/// Elements from index zero to `index`, where `len` elements along `axis` begin.
#[inline]
fn place(shape: &[usize], strides: &[isize], index: &[usize], axis: usize, len: usize) -> isize {
    assert_eq!(index.len(), shape.len(), "an index for every axis");
    let mut place = 0;
    for (i, ((&at, &extent), &stride)) in index.iter().zip(shape).zip(strides).enumerate() {
        let last = extent.checked_sub(if i == axis { len } else { 1 });
        assert!(last.is_some_and(|last| at <= last), "{index:?} + {len} leaves {shape:?}");
        place += at as isize * stride;
    }
    place
}

impl<'a, T: Copy> Line<'a, T> {
    /// The number of elements.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "a line without elements is never made")]
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

    /// The element that all are, if the line repeats one.
    #[must_use]
    pub fn as_repeated(&self) -> Option<T> {
        // SAFETY: as in `as_slice`; there is a first element.
        (self.stride == 0 && self.len > 0).then(|| unsafe { *self.start })
    }

    /// Copies the elements from `from` on until `into` is full.
    ///
    /// # Panics
    /// When the line is too short.
    #[inline]
    pub fn gather(&self, from: usize, into: &mut [T]) {
        assert!(from + into.len() <= self.len, "the line has {} elements", self.len);
        if let Some(slice) = self.as_slice() {
            into.copy_from_slice(&slice[from..from + into.len()]);
            return;
        }
        for (i, slot) in into.iter_mut().enumerate() {
            // SAFETY: as in `as_slice`, and `from + i < len`.
            *slot = unsafe { *self.start.wrapping_offset((from + i) as isize * self.stride) };
        }
    }
}

impl<T: Copy> LineMut<'_, T> {
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

    /// The line to read.
    #[must_use]
    #[inline]
    pub fn read(&self) -> Line<'_, T> {
        Line { start: self.start, stride: self.stride, len: self.len, borrow: PhantomData }
    }

    /// Copies `elements` over those of the line from `from` on.
    ///
    /// # Panics
    /// When the line is too short.
    #[inline]
    pub fn scatter(&mut self, from: usize, elements: &[T]) {
        assert!(from + elements.len() <= self.len, "the line has {} elements", self.len);
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
    pub fn copy_from(&mut self, from: &Line<'_, T>) {
        assert_eq!(self.len, from.len, "lines of one length");
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

#[cfg(test)]
mod tests {
    use arrayspan_devices::Device;

    use super::*;
    use crate::{Array, Relayout};

    /// 0, 1, 2, … row-major.
    fn counted(shape: &[usize]) -> Array {
        let stream = Device::cpu().stream().unwrap();
        let mut array = Array::empty(shape, DType::Int32, &stream).unwrap();
        let mut view = array.view_mut();
        for (i, element) in view.as_mut_slice::<i32>().unwrap().iter_mut().enumerate() {
            *element = i as i32;
        }
        array
    }

    fn gathered(line: &Line<'_, i32>) -> Vec<i32> {
        let mut elements = vec![0; line.len()];
        line.gather(0, &mut elements);
        elements
    }

    #[test]
    fn lines_run_along_any_axis() {
        let array = counted(&[3, 4]);
        let lines = array.view().lines::<i32>().unwrap();
        assert_eq!(lines.line(&[1, 1], 1, 3).as_slice(), Some(&[5, 6, 7][..]));
        let column = lines.line(&[1, 2], 0, 2);
        assert_eq!((column.as_slice(), gathered(&column)), (None, vec![6, 10]));
        let reversed = array.view().reversed(1).unwrap();
        let line = reversed.lines::<i32>().unwrap().line(&[2, 0], 1, 4);
        assert_eq!((line.as_slice(), gathered(&line)), (None, vec![11, 10, 9, 8]));
        assert_eq!(lines.line(&[1, 4], 1, 0).as_slice(), Some(&[][..]));
    }

    #[test]
    fn a_repeated_element_is_told() {
        let array = counted(&[1]);
        let view = array.view().broadcast(&[2, 5]).unwrap();
        let line = view.lines::<i32>().unwrap().line(&[1, 0], 1, 5);
        assert_eq!((line.as_repeated(), gathered(&line)), (Some(0), vec![0; 5]));
    }

    #[test]
    fn parts_are_written_by_several_threads() {
        let mut array = counted(&[4, 6]);
        let mut view = array.view_mut().permuted(&[1, 0]).unwrap();
        let (mut first, mut second) = view.lines_mut::<i32>().unwrap().split_at(0, 2);
        assert_eq!((first.shape(), second.shape()), (&[2, 4][..], &[4, 4][..]));
        std::thread::scope(|scope| {
            scope.spawn(|| first.line(&[1, 0], 1, 4).scatter(0, &[-1; 4]));
            scope.spawn(|| second.line(&[3, 1], 1, 2).scatter(0, &[-2; 2]));
        });
        let expected = [
            [0, -1, 2, 3, 4, 5],
            [6, -1, 8, 9, 10, -2],
            [12, -1, 14, 15, 16, -2],
            [18, -1, 20, 21, 22, 23],
        ];
        assert_eq!(array.view().as_slice::<i32>().unwrap(), expected.as_flattened());
    }

    #[test]
    fn lines_copy_between_any_strides() {
        let source = counted(&[3, 4]);
        let lines = source.view().lines::<i32>().unwrap();
        let repeated = source.view().sliced(1, 0, 1).unwrap().broadcast(&[3, 3]).unwrap();
        let repeated = repeated.lines::<i32>().unwrap().line(&[2, 0], 1, 3);
        let mut target = counted(&[3, 3]);
        let mut view = target.view_mut();
        let mut to = view.lines_mut::<i32>().unwrap();
        to.line(&[0, 0], 1, 3).copy_from(&lines.line(&[0, 3], 0, 3));
        to.line(&[1, 1], 0, 2).copy_from(&lines.line(&[1, 1], 0, 2));
        to.line(&[1, 0], 0, 2).copy_from(&lines.line(&[2, 2], 1, 2));
        assert_eq!(target.view().as_slice::<i32>().unwrap(), [3, 7, 11, 10, 5, 5, 11, 9, 8]);
        let mut view = target.view_mut();
        let mut to = view.lines_mut::<i32>().unwrap();
        to.line(&[0, 1], 0, 3).copy_from(&repeated);
        to.line(&[0, 0], 1, 3).copy_from(&repeated);
        assert_eq!(target.view().as_slice::<i32>().unwrap(), [8, 8, 8, 10, 8, 5, 11, 8, 8]);
    }

    #[test]
    fn bytes_are_those_of_the_elements() {
        let array = counted(&[2, 2]);
        let lines = array.view().byte_lines::<4>().unwrap();
        let bytes = lines.line(&[1, 0], 1, 2).as_slice().map(<[_]>::to_vec);
        assert_eq!(bytes, Some(vec![2_i32.to_ne_bytes(), 3_i32.to_ne_bytes()]));
        assert!(matches!(array.view().byte_lines::<8>(), Err(Error::DType { .. })));
        let stream = Device::cpu().stream().unwrap();
        let mut flags = Array::empty([2], DType::Bool, &stream).unwrap();
        assert!(matches!(flags.view_mut().byte_lines_mut::<1>(), Err(Error::DType { .. })));
    }

    #[test]
    fn other_types_and_places_outside_are_refused() {
        let array = counted(&[3, 4]);
        assert!(matches!(array.view().lines::<f32>(), Err(Error::DType { .. })));
        let view = array.view();
        let lines = view.lines::<i32>().unwrap();
        for (index, axis, len) in [([0, 0], 1, 5), ([0, 2], 1, 3), ([3, 0], 1, 1), ([0, 4], 0, 1)] {
            let outside = std::panic::catch_unwind(|| lines.line(&index, axis, len).len());
            assert!(outside.is_err(), "{index:?} + {len} along {axis}");
        }
        let line = lines.line(&[0, 0], 1, 4);
        assert!(std::panic::catch_unwind(|| line.gather(2, &mut [0; 3])).is_err());
    }
}
