//! Managed tensors from arrays.

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::{NonNull, null_mut, with_exposed_provenance_mut};

use arrayspan_devices::{Access, Stream};
use dlpack_ffi::{DLDataType, DLDevice, DLDeviceType, DLTensor};

use super::abi::{IS_COPIED, READ_ONLY, SUBBYTE_PADDED};
use super::fields::MAX_RANK;
use super::{Capsule, Managed};
use crate::layout::wrong;
use crate::{Array, Crossing, Error, Layout, Result, SharedArray, Transfer, View, Why};

impl Array {
    /// Hands the array over without a copy. The consumer may write it.
    ///
    /// `stream` is the one the consumer will use, which then waits for our work; without it the host
    /// waits here until all of that is done.
    ///
    /// # Errors
    /// [`Error::Inexpressible`] for elements below a byte in a [`Legacy`](super::Legacy) struct;
    /// [`Error::Layout`] for more than 64 axes, which hardly any library takes;
    /// [`Error::WrongDevice`] for a stream of another device; the driver's refusal.
    pub fn into_dlpack<M: Managed>(self, stream: Option<&Stream>) -> Result<Capsule<M>> {
        export(self.into_shared(), 0, Access::Write, stream)
    }
}

impl SharedArray {
    /// Hands the array over read-only, without a copy; this side can still read it. A
    /// [`Legacy`](super::Legacy) struct cannot say that it is read-only, so it gets a copy.
    ///
    /// `stream` is the one the consumer will use, which then waits for our work; without it the host
    /// waits here until all of that is done.
    ///
    /// # Errors
    /// [`Error::CopyRefused`]; those of [`Array::into_dlpack`].
    pub fn to_dlpack<M: Managed>(
        &self,
        transfer: Transfer,
        stream: Option<&Stream>,
    ) -> Result<(Capsule<M>, Crossing)> {
        if M::HAS_FLAGS {
            let capsule = export(self.clone(), READ_ONLY, Access::Read, stream)?;
            return Ok((capsule, Crossing::ZeroCopy));
        }
        let bytes = self.layout().bytes("to_dlpack", self.dtype())?;
        let crossing = transfer.copy("to_dlpack", Why::ReadOnly, bytes)?;
        let copy = self.view().to_array()?.into_shared();
        Ok((export(copy, IS_COPIED, Access::Write, stream)?, crossing))
    }
}

impl View<'_> {
    /// Hands a row-major copy over, which the consumer may write. `stream` as for
    /// [`Array::into_dlpack`].
    ///
    /// # Errors
    /// Out of memory; those of [`Array::into_dlpack`].
    pub fn to_dlpack<M: Managed>(&self, stream: Option<&Stream>) -> Result<(Capsule<M>, Crossing)> {
        let bytes = self.layout().bytes("to_dlpack", self.dtype())?;
        let copy = self.to_array()?.into_shared();
        let capsule = export(copy, IS_COPIED, Access::Write, stream)?;
        Ok((capsule, Crossing::Copied { why: Why::Borrowed, bytes }))
    }
}

/// A struct with what it points to, in one place on the heap until its deleter runs.
struct Exported<M> {
    managed: M,
    shape: Vec<i64>,
    strides: Vec<i64>,
    /// Keeps the elements alive; nobody reads it.
    _array: SharedArray,
}

fn export<M: Managed>(
    array: SharedArray,
    mut flags: u64,
    access: Access,
    stream: Option<&Stream>,
) -> Result<Capsule<M>> {
    let operation = "to_dlpack";
    if array.dtype().bits() < 8 {
        if !M::HAS_FLAGS {
            let what = "a legacy struct cannot say that elements below a byte take a whole one";
            return Err(Error::Inexpressible { operation, what: what.into() });
        }
        flags |= SUBBYTE_PADDED;
    }
    let shape: Vec<i64> = array.shape().iter().map(|&extent| extent as i64).collect();
    let strides = strides(array.layout());
    if shape.len() > MAX_RANK {
        return Err(wrong(operation, array.shape(), array.layout().strides(), "more than 64 axes"));
    }
    let rank = shape.len() as i32;
    match stream {
        Some(stream) if stream.device() != array.device() => {
            let (expected, found) = (array.device(), stream.device());
            return Err(Error::WrongDevice { operation, argument: "stream", expected, found });
        }
        Some(stream) => array.memory().lend_to(stream, access)?,
        None => array.memory().wait(access)?,
    }
    let tensor = describe(&array, rank);
    let managed = M::new(tensor, flags, null_mut(), delete::<M>);
    let exported = Box::into_raw(Box::new(Exported { managed, shape, strides, _array: array }));
    // SAFETY: just made, and nobody else knows it. The vectors stay where they are until the deleter
    // runs; scalars have no shape to point to.
    let raw = unsafe {
        let (mut shape, mut strides) = (null_mut(), null_mut());
        if rank > 0 {
            shape = (*exported).shape.as_mut_ptr();
            strides = (*exported).strides.as_mut_ptr();
        }
        let tensor = DLTensor { shape, strides, ..tensor };
        (*exported).managed = M::new(tensor, flags, exported.cast(), delete::<M>);
        &raw mut (*exported).managed
    };
    // SAFETY: a live struct that nobody else owns; its elements stay in place as long as it holds the
    // array, which nothing else writes: an `Array` was alone, a `SharedArray` nobody can write.
    unsafe { Capsule::from_raw(raw) }
}

/// Never null where there are axes, as `DLPack` 1.2 demands. The stride of an axis that nobody steps along
/// means nothing, but is never negative: some consumers end the process over that.
fn strides(layout: &Layout) -> Vec<i64> {
    let counts = |extent| extent > 1 && !layout.is_empty();
    let stride = |(&extent, &stride): (&usize, &isize)| {
        if counts(extent) { stride as i64 } else { stride.saturating_abs() as i64 }
    };
    layout.shape().iter().zip(layout.strides()).map(stride).collect()
}

/// The tensor without its shape and strides.
fn describe(array: &SharedArray, ndim: i32) -> DLTensor {
    let (code, bits) = array.dtype().dlpack();
    let (device_type, device_id) = array.device().dlpack();
    let start = array.layout().offset() * array.dtype().bytes();
    let address = array.memory().address();
    let (address, byte_offset) = match array.device().has_pointers() {
        _ if array.layout().is_empty() => (0, 0),
        // A buffer's handle is not an address: nothing can be added to it.
        false => (address, start),
        true => (address + start, 0),
    };
    let data: *mut c_void =
        if address == 0 { null_mut() } else { with_exposed_provenance_mut(address) };
    DLTensor {
        data,
        device: DLDevice { device_type: DLDeviceType(device_type as u32), device_id },
        ndim,
        dtype: DLDataType { code, bits, lanes: 1 },
        shape: null_mut(),
        strides: null_mut(),
        byte_offset: byte_offset as u64,
    }
}

/// The deleter of all exported structs: gives up our reference to the array, on any thread.
unsafe extern "C" fn delete<M: Managed>(raw: *mut M) {
    let Some(raw) = NonNull::new(raw) else { return };
    // SAFETY: by the standard called once, with a struct of ours, whose context is the box it is in. It
    // waits for no work: the memory gives itself back in stream order.
    let exported = unsafe { Box::from_raw(M::context(raw).cast::<Exported<M>>()) };
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| drop(exported))) {
        tracing::error!("a panic while an exported array was given back");
        // Dropping what a panic carries may panic again, which must not happen in C.
        if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(panic))) {
            std::mem::forget(again);
        }
    }
}
