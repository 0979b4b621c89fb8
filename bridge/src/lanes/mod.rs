//! Arrays in host memory, read and written by lanes: one-dimensional slices along an axis, whatever the strides.
//!
//! A slice over the whole extent of a strided array would also cover what lies between its elements, which
//! may belong to somebody who writes it. Lanes touch the array's own elements and nothing else.

mod beside;
mod lane;
mod past;
#[cfg(test)]
mod tests;

use std::marker::PhantomData;
use std::ptr::with_exposed_provenance_mut;

pub use beside::{Beside, RowSlices};
pub use lane::{Lane, LaneMut};
pub use past::PastCaches;

use crate::host;
use crate::layout::{Axes, copied};
use crate::{DType, Element, Error, Layout, Result, View, ViewMut};
use arrayspan_devices::Access;

/// The elements of an array in host memory, to be read by lanes. Cheap to share between threads.
#[derive(Clone, Debug)]
pub struct Lanes<'a, T> {
    start: *const T,
    shape: Axes<usize>,
    strides: Axes<isize>,
    borrow: PhantomData<&'a [T]>,
}

/// The elements of an array in host memory, to be written by lanes; splits into parts for threads.
#[derive(Debug)]
pub struct LanesMut<'a, T> {
    start: *mut T,
    shape: Axes<usize>,
    strides: Axes<isize>,
    borrow: PhantomData<&'a mut [T]>,
}

// SAFETY: `Lanes` only reads its elements, for as long as its borrow of the array, like `&[T]`.
unsafe impl<T: Sync> Send for Lanes<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Lanes<'_, T> {}
// SAFETY: `LanesMut` alone reaches its elements, like `&mut [T]`; they do not share places, since
// layouts of writable arrays do not overlap themselves.
unsafe impl<T: Send> Send for LanesMut<'_, T> {}

impl<'a> View<'a> {
    /// The elements by lanes (one-dimensional slices along an axis), on the host. Waits for queued work that writes them.
    ///
    /// # Errors
    /// [`Error::WrongDevice`] off the CPU, [`Error::DType`].
    pub fn lanes<T: Element>(&self) -> Result<Lanes<'a, T>> {
        let base = host::base::<T>("lanes", self, Access::Read)?;
        Ok(Lanes::new(base, self.layout()))
    }

    /// The elements as their bytes, whatever their dtype means; for moving them about.
    ///
    /// # Errors
    /// [`Error::WrongDevice`] off the CPU, [`Error::Inexpressible`] for `Bool` (not every byte is one) and when
    /// elements do not have `N` bytes.
    pub fn byte_lanes<const N: usize>(&self) -> Result<Lanes<'a, [u8; N]>> {
        let base = host_bytes::<N>("byte_lanes", self, Access::Read)?;
        Ok(Lanes::new(base, self.layout()))
    }
}

impl<'a> ViewMut<'a> {
    /// As [`lanes_mut`](Self::lanes_mut), for as long as the array is borrowed.
    ///
    /// # Errors
    /// As there.
    pub fn into_lanes_mut<T: Element>(self) -> Result<LanesMut<'a, T>> {
        let base = host::base::<T>("lanes_mut", &self.view(), Access::Write)?;
        Ok(LanesMut::new(base, self.layout()))
    }

    /// The elements by lanes (one-dimensional slices along an axis), on the host. Waits for queued work that uses them.
    ///
    /// # Errors
    /// [`Error::WrongDevice`] off the CPU, [`Error::DType`].
    pub fn lanes_mut<T: Element>(&mut self) -> Result<LanesMut<'_, T>> {
        let base = host::base::<T>("lanes_mut", &self.view(), Access::Write)?;
        Ok(LanesMut::new(base, self.layout()))
    }

    /// The elements as their bytes, whatever their dtype means; for moving them about.
    ///
    /// # Errors
    /// As [`View::byte_lanes`].
    pub fn byte_lanes_mut<const N: usize>(&mut self) -> Result<LanesMut<'_, [u8; N]>> {
        let base = host_bytes::<N>("byte_lanes_mut", &self.view(), Access::Write)?;
        Ok(LanesMut::new(base, self.layout()))
    }
}

fn host_bytes<const N: usize>(
    operation: &'static str,
    view: &View<'_>,
    access: Access,
) -> Result<*mut [u8; N]> {
    // Every pattern of bits is a number of every other type.
    let dtype = view.dtype();
    if dtype == DType::Bool || dtype.bytes() != N {
        let what = format!("{dtype} cannot be taken as any {N} byte(s)");
        return Err(Error::Inexpressible { operation, what: what.into() });
    }
    host::address(operation, view.memory(), access).map(with_exposed_provenance_mut)
}

impl<'a, T> Lanes<'a, T> {
    fn new(base: *mut T, layout: &Layout) -> Self {
        let start = base.wrapping_add(layout.offset()).cast_const();
        let (shape, strides) = (copied(layout.shape()), copied(layout.strides()));
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
    pub fn lane(&self, index: &[usize], axis: usize, len: usize) -> Lane<'a, T> {
        let place = place(&self.shape, &self.strides, index, axis, len);
        let start = self.start.wrapping_offset(place);
        Lane { start, stride: self.strides[axis], len, borrow: PhantomData }
    }
}

impl<T> LanesMut<'_, T> {
    fn new(base: *mut T, layout: &Layout) -> Self {
        let start = base.wrapping_add(layout.offset());
        let (shape, strides) = (copied(layout.shape()), copied(layout.strides()));
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

    /// The same elements, borrowed for a while.
    #[must_use]
    pub fn reborrow(&mut self) -> LanesMut<'_, T> {
        let (shape, strides) = (self.shape.clone(), self.strides.clone());
        LanesMut { start: self.start, shape, strides, borrow: PhantomData }
    }

    /// The `len` elements from `index` along `axis`.
    ///
    /// # Panics
    /// When they leave the array.
    #[must_use]
    #[inline]
    pub fn lane(&mut self, index: &[usize], axis: usize, len: usize) -> LaneMut<'_, T> {
        let place = place(&self.shape, &self.strides, index, axis, len);
        let start = self.start.wrapping_offset(place);
        LaneMut { start, stride: self.strides[axis], len, borrow: PhantomData }
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
