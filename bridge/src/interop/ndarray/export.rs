//! Arrays as ndarrays.

use std::ptr::with_exposed_provenance;

use arrayspan_devices::Access;
use ndarray::{
    Array1, ArrayD, ArrayViewD, ArrayViewMutD, Axis, IxDyn, ShapeBuilder, ShapeError, StrideShape,
    s,
};

use super::layout_of;
use crate::layout::wrong;
use crate::{
    Array, Crossing, DType, Element, Error, Layout, Result, Transfer, View, ViewMut, Why, host,
};

impl<'a> View<'a> {
    /// The elements as an ndarray view, on the host, with the same strides. Waits for queued work that
    /// writes them.
    ///
    /// # Errors
    /// [`Error::WrongDevice`] off the CPU, [`Error::DType`]; memory not aligned for `T`, or holding a
    /// `bool` that is neither 0 nor 1.
    pub fn as_ndarray<T: Element>(&self) -> Result<ArrayViewD<'a, T>> {
        let base = host::base::<T>("as_ndarray", self, Access::Read)?;
        let (shape, low) = shaped(self.layout());
        // SAFETY: every element lies within the block and holds a `T`; the block outlives 'a and has no
        // writer meanwhile. Strides are not negative and the pointer is the lowest element's.
        let mut view = unsafe {
            let pointer = base.cast_const().wrapping_add(low);
            ArrayViewD::from_shape_ptr(shape, pointer)
        };
        reversed(self.layout()).for_each(|axis| view.invert_axis(axis));
        Ok(view)
    }

    /// The elements copied into an ndarray, from whatever device. Waits for them.
    ///
    /// # Errors
    /// [`Error::DType`]; the driver's refusal.
    pub fn to_ndarray<T: Element>(&self) -> Result<ArrayD<T>> {
        self.expect_dtype::<T>("to_ndarray")?;
        let values = self.to_vec()?;
        ArrayD::from_shape_vec(IxDyn(self.shape()), values).map_err(|_| refused(self.layout()))
    }
}

impl ViewMut<'_> {
    /// The elements as an ndarray view to write, on the host, with the same strides. Waits for queued
    /// work that uses them.
    ///
    /// # Errors
    /// As [`View::as_ndarray`].
    pub fn as_ndarray_mut<T: Element>(&mut self) -> Result<ArrayViewMutD<'_, T>> {
        let base = host::base::<T>("as_ndarray_mut", &self.view(), Access::Write)?;
        let (shape, low) = shaped(self.layout());
        // SAFETY: as in `View::as_ndarray`; besides, no two indices share a place, and `&mut self` is the
        // only way to these elements.
        let mut view = unsafe {
            let pointer = base.wrapping_add(low);
            ArrayViewMutD::from_shape_ptr(shape, pointer)
        };
        reversed(self.layout()).for_each(|axis| view.invert_axis(axis));
        Ok(view)
    }
}

impl Array {
    /// The array as an ndarray: its own memory if that came from an ndarray or a `Vec`, and the elements
    /// still lie as they did then or without gaps; else a copy. Waits for queued work that uses it.
    ///
    /// # Errors
    /// [`Error::DType`]; [`Error::CopyRefused`] under [`Transfer::ZeroCopyOnly`]; the driver's refusal.
    /// The array is dropped then.
    pub fn into_ndarray<T: Element>(self, transfer: Transfer) -> Result<(ArrayD<T>, Crossing)> {
        self.view().expect_dtype::<T>("into_ndarray")?;
        if let Some(values) = self.take_ndarray()? {
            return Ok((values, Crossing::ZeroCopy));
        }
        let why = match self.owner() {
            _ if !self.device().is_cpu() => Why::OtherDevice,
            Some(_) => Why::Strides,
            None => Why::Allocator,
        };
        let bytes = self.layout().bytes("into_ndarray", self.dtype())?;
        let crossing = transfer.copy("into_ndarray", why, bytes)?;
        Ok((self.view().to_ndarray()?, crossing))
    }

    /// The ndarray the memory came from, laid out as this array, where ndarray can express that without
    /// moving elements. Leaves memory behind that must not be used again.
    pub(crate) fn take_ndarray<T: Element>(&self) -> Result<Option<ArrayD<T>>> {
        let Some(owner) = self.owner().filter(|_| self.device().is_cpu()) else { return Ok(None) };
        self.memory().wait(Access::Write)?;
        // What goes back to its owner must not stay page-locked on our account.
        self.memory().unregister()?;
        if T::DTYPE == DType::Bool {
            let block = Layout::contiguous([self.memory().bytes()])?;
            // SAFETY: the block is host memory of that size, initialised by its owner, and the host has
            // waited for all who write it.
            unsafe {
                let first = with_exposed_provenance(self.memory().address());
                host::expect_booleans("into_ndarray", first, &block)?;
            };
        }
        let layout = self.layout();
        let same = |values: &ArrayD<T>| layout_of(values.shape(), values.strides()) == *layout;
        if let Some(values) = owner.take(same) {
            return Ok(Some(values));
        }
        let Some(order) = packed(layout) else { return Ok(None) };
        let Some(values) = owner.take::<ArrayD<T>>(|_| true) else { return Ok(None) };
        rebuilt(values, layout, &order).map(Some).map_err(|_| refused(layout))
    }
}

/// The axes from the longest stride to the shortest, if the elements lie without gaps in that order.
fn packed(layout: &Layout) -> Option<Vec<usize>> {
    let mut order: Vec<usize> = (0..layout.rank()).collect();
    order.sort_by_key(|&axis| std::cmp::Reverse(layout.strides()[axis].unsigned_abs()));
    let (shape, strides, low) = upright(layout);
    let along = |of: &[usize]| order.iter().map(|&axis| of[axis]).collect::<Vec<_>>();
    let strides: Vec<isize> = along(&strides).into_iter().map(|stride| stride as isize).collect();
    Layout::strided(along(&shape), strides, low).ok()?.is_contiguous().then_some(order)
}

/// The memory of `values` under another layout, whose axes in that order have no gaps.
fn rebuilt<T: Element>(
    values: ArrayD<T>,
    layout: &Layout,
    order: &[usize],
) -> Result<ArrayD<T>, ShapeError> {
    let before = layout_of(values.shape(), values.strides());
    let (values, first) = values.into_raw_vec_and_offset();
    let lowest = first.map_or(0, |first| first - before.offset());
    let start = lowest + layout.extent().map_or(0, |(low, _)| low);
    let shape: Vec<usize> = order.iter().map(|&axis| layout.shape()[axis]).collect();
    let values = Array1::from_vec(values).slice_move(s![start..start + layout.len()]);
    let mut inverse = vec![0; order.len()];
    order.iter().enumerate().for_each(|(at, &axis)| inverse[axis] = at);
    let mut values = values.into_shape_with_order(IxDyn(&shape))?.permuted_axes(IxDyn(&inverse));
    reversed(layout).for_each(|axis| values.invert_axis(axis));
    Ok(values)
}

/// Shape, strides and first place of the same elements with every axis running up.
fn upright(layout: &Layout) -> (Vec<usize>, Vec<usize>, usize) {
    let counts = |extent| extent > 1 && !layout.is_empty();
    let stride = |(&extent, stride): (&usize, &isize)| {
        if counts(extent) { stride.unsigned_abs() } else { 0 }
    };
    let strides = layout.shape().iter().zip(layout.strides()).map(stride).collect();
    (layout.shape().to_vec(), strides, layout.extent().map_or(0, |(low, _)| low))
}

/// The same in ndarray's terms. Without elements strides mean nothing, and ndarray takes some for
/// elements that share a place: it chooses its own then.
fn shaped(layout: &Layout) -> (StrideShape<IxDyn>, usize) {
    let (shape, strides, low) = upright(layout);
    let shape = IxDyn(&shape);
    (if layout.is_empty() { shape.into() } else { shape.strides(IxDyn(&strides)) }, low)
}

/// The axes that run down.
fn reversed(layout: &Layout) -> impl Iterator<Item = Axis> {
    let runs_down = |axis: &usize| layout.strides()[*axis] < 0 && layout.shape()[*axis] > 1;
    (0..layout.rank()).filter(runs_down).map(Axis)
}

fn refused(layout: &Layout) -> Error {
    wrong("to_ndarray", layout.shape(), layout.strides(), "ndarray cannot express the shape")
}
