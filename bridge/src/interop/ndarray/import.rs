//! Arrays from ndarrays.

use std::sync::Arc;

use arrayspan_devices::{Device, Memory, Release};
use ndarray::{ArcArray, Dimension};

use super::layout_of;
use crate::{Array, Element, Layout, SharedArray};

/// Takes over the memory without a copy, whatever the strides.
///
/// ```
/// use arrayspan_bridge::{Array, Crossing, Transfer};
///
/// let section = ndarray::array![[1.0_f32, 2.0], [3.0, 4.0]];
/// let array = Array::from(section);
/// assert_eq!(array.view().as_ndarray::<f32>()?[[1, 0]], 3.0);
/// let (section, crossing) = array.into_ndarray::<f32>(Transfer::ZeroCopyOnly)?;
/// assert_eq!(crossing, Crossing::ZeroCopy);
/// assert_eq!(section[[0, 1]], 2.0);
/// # Ok::<(), arrayspan_bridge::Error>(())
/// ```
impl<T: Element, D: Dimension> From<ndarray::Array<T, D>> for Array {
    fn from(values: ndarray::Array<T, D>) -> Self {
        let values = values.into_dyn();
        let layout = layout_of(values.shape(), values.strides());
        Self::adopt(values, layout)
    }
}

/// Takes over the memory without a copy, whatever the strides.
impl<T: Element, D: Dimension> From<ndarray::Array<T, D>> for SharedArray {
    fn from(values: ndarray::Array<T, D>) -> Self {
        Array::from(values).into_shared()
    }
}

/// Takes over the memory as an array of one axis, without a copy and whatever the limits are: as `Array::from` an ndarray.
impl<T: Element> From<Vec<T>> for Array {
    fn from(values: Vec<T>) -> Self {
        ndarray::Array1::from_vec(values).into()
    }
}

/// Takes over the memory as an array of one axis, without a copy and whatever the limits are.
impl<T: Element> From<Vec<T>> for SharedArray {
    fn from(values: Vec<T>) -> Self {
        Array::from(values).into_shared()
    }
}

/// Shares the memory without a copy.
impl<T: Element, D: Dimension + 'static> From<ArcArray<T, D>> for SharedArray {
    fn from(values: ArcArray<T, D>) -> Self {
        let layout = layout_of(values.shape(), values.strides());
        // SAFETY: the reference count kept by the release function keeps the elements where they are, and
        // ndarray writes none that another count shares.
        unsafe { share(values.as_ptr(), layout, Box::new(move || drop(values))) }
    }
}

/// Shares the memory without a copy.
impl<T: Element, D: Dimension + 'static> From<Arc<ndarray::Array<T, D>>> for SharedArray {
    fn from(values: Arc<ndarray::Array<T, D>>) -> Self {
        let layout = layout_of(values.shape(), values.strides());
        // SAFETY: the reference count kept by the release function keeps the elements where they are, and
        // nothing writes them while it is shared.
        unsafe { share(values.as_ptr(), layout, Box::new(move || drop(values))) }
    }
}

/// # Safety
/// `first` is the first of elements that lie as `layout` says, that nobody writes and that live until
/// `release` runs.
unsafe fn share<T: Element>(first: *const T, layout: Layout, release: Release) -> SharedArray {
    let bytes = layout.extent().map_or(0, |(_, high)| (high + 1) * size_of::<T>());
    let address = first.wrapping_sub(layout.offset()).expose_provenance();
    // SAFETY: passed on to the caller.
    let memory = unsafe { Memory::from_foreign(Device::cpu(), address, bytes, release) };
    let memory = Arc::new(memory);
    SharedArray { memory, owner: None, layout, dtype: T::DTYPE, writable: false }
}
