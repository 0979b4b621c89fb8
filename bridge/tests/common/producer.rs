//! A `DLPack` producer whose every field can be set to anything.

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arrayspan_bridge::dlpack::{Capsule, Legacy, Versioned};
use dlpack_ffi::{
    DLDataType, DLDevice, DLDeviceType, DLManagedTensor, DLManagedTensorVersioned, DLPackVersion,
    DLTensor,
};

/// By default a row-major `Float32` array of shape 2 × 3 on the CPU, holding 0, 1, … 15 and more.
pub(crate) struct Producer {
    pub(crate) major: u32,
    pub(crate) minor: u32,
    pub(crate) flags: u64,
    pub(crate) device: (u32, i32),
    pub(crate) ndim: i32,
    pub(crate) dtype: (u8, u8, u16),
    pub(crate) shape: Option<Vec<i64>>,
    pub(crate) strides: Option<Vec<i64>>,
    pub(crate) byte_offset: u64,
    /// Bytes from the start of the data to where `data` points; none for null.
    pub(crate) data: Option<usize>,
    /// Instead of memory of our own.
    pub(crate) handle: Option<usize>,
    pub(crate) with_deleter: bool,
    /// Eight-byte words, so that the data are aligned.
    pub(crate) words: Vec<u64>,
    pub(crate) deleted: Arc<AtomicUsize>,
    /// What the deleter does before it frees anything.
    pub(crate) farewell: Option<Box<dyn Fn() + Send>>,
}

impl Default for Producer {
    fn default() -> Self {
        let pairs = (0..16).map(|i| [i as f32 * 2.0, i as f32 * 2.0 + 1.0]);
        let word = |[one, other]: [f32; 2]| {
            let (one, other) = (one.to_ne_bytes(), other.to_ne_bytes());
            let mut bytes = [0; 8];
            bytes[..4].copy_from_slice(&one);
            bytes[4..].copy_from_slice(&other);
            u64::from_ne_bytes(bytes)
        };
        Self {
            major: 1,
            minor: 3,
            flags: 0,
            device: (1, 0),
            ndim: 2,
            dtype: (2, 32, 1),
            shape: Some(vec![2, 3]),
            strides: Some(vec![3, 1]),
            byte_offset: 0,
            data: Some(0),
            handle: None,
            with_deleter: true,
            words: pairs.map(word).collect(),
            deleted: Arc::default(),
            farewell: None,
        }
    }
}

struct Kept<M> {
    managed: M,
    producer: Producer,
}

impl Producer {
    /// How often the deleter has run.
    pub(crate) fn counter(&self) -> Arc<AtomicUsize> {
        self.deleted.clone()
    }

    pub(crate) fn versioned(self) -> Capsule<Versioned> {
        let raw = self.build(|tensor, producer, context| DLManagedTensorVersioned {
            version: DLPackVersion { major: producer.major, minor: producer.minor },
            manager_ctx: context,
            deleter: producer.with_deleter.then_some(delete_versioned),
            flags: producer.flags,
            dl_tensor: tensor,
        });
        // SAFETY: built to be read as far as its fields say; where they say nonsense they must not be.
        unsafe { Capsule::from_raw(raw).unwrap() }
    }

    pub(crate) fn legacy(self) -> Capsule<Legacy> {
        let raw = self.build(|tensor, producer, context| DLManagedTensor {
            dl_tensor: tensor,
            manager_ctx: context,
            deleter: producer.with_deleter.then_some(delete_legacy),
        });
        // SAFETY: as above.
        unsafe { Capsule::from_raw(raw).unwrap() }
    }

    fn build<M>(self, make: impl FnOnce(DLTensor, &Producer, *mut c_void) -> M) -> *mut M {
        let raw = Box::into_raw(Box::<Kept<M>>::new_uninit()).cast::<Kept<M>>();
        let mut producer = self;
        let data = match (producer.handle, producer.data) {
            (Some(handle), _) => std::ptr::with_exposed_provenance_mut(handle),
            (None, Some(offset)) => {
                producer.words.as_mut_ptr().cast::<u8>().wrapping_add(offset).cast()
            }
            (None, None) => null_mut(),
        };
        let numbers = |of: &mut Option<Vec<i64>>| of.as_mut().map_or(null_mut(), Vec::as_mut_ptr);
        let (code, bits, lanes) = producer.dtype;
        let tensor = DLTensor {
            data,
            device: DLDevice {
                device_type: DLDeviceType(producer.device.0),
                device_id: producer.device.1,
            },
            ndim: producer.ndim,
            dtype: DLDataType { code, bits, lanes },
            shape: numbers(&mut producer.shape),
            strides: numbers(&mut producer.strides),
            byte_offset: producer.byte_offset,
        };
        let managed = make(tensor, &producer, raw.cast());
        // SAFETY: room for exactly this, made above.
        unsafe {
            raw.write(Kept { managed, producer });
            &raw mut (*raw).managed
        }
    }
}

unsafe extern "C" fn delete_versioned(raw: *mut DLManagedTensorVersioned) {
    // SAFETY: called with a struct of ours, once.
    unsafe { delete::<DLManagedTensorVersioned>((*raw).manager_ctx) };
}

unsafe extern "C" fn delete_legacy(raw: *mut DLManagedTensor) {
    // SAFETY: as above.
    unsafe { delete::<DLManagedTensor>((*raw).manager_ctx) };
}

unsafe fn delete<M>(context: *mut c_void) {
    // SAFETY: the context is the box that `build` has made.
    let kept = unsafe { Box::from_raw(context.cast::<Kept<M>>()) };
    if let Some(farewell) = &kept.producer.farewell {
        farewell();
    }
    kept.producer.deleted.fetch_add(1, Ordering::SeqCst);
}

/// What a producer does itself when its tensors carry no deleter.
///
/// # Safety
/// `context` is that of a versioned struct of ours, not deleted yet.
pub(crate) unsafe fn free_versioned(context: *mut c_void) {
    // SAFETY: passed on to the caller.
    unsafe { delete::<DLManagedTensorVersioned>(context) };
}
