//! The structs of the standard, and what the two managed ones have in common.

use std::ffi::c_void;
use std::mem::offset_of;
use std::ptr::NonNull;

use dlpack_ffi::{
    DLManagedTensor, DLManagedTensorVersioned, DLPACK_FLAG_BITMASK_IS_COPIED,
    DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED, DLPACK_FLAG_BITMASK_READ_ONLY,
    DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION, DLPackVersion, DLTensor,
};

use super::refuse::foreign;
use crate::Result;

/// The managed tensor of `DLPack` 1, with a version and flags.
pub type Versioned = DLManagedTensorVersioned;

/// The managed tensor from before `DLPack` 1, which cannot say that it is read-only.
pub type Legacy = DLManagedTensor;

pub(super) const READ_ONLY: u64 = DLPACK_FLAG_BITMASK_READ_ONLY as u64;
pub(super) const IS_COPIED: u64 = DLPACK_FLAG_BITMASK_IS_COPIED as u64;
pub(super) const SUBBYTE_PADDED: u64 = DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED as u64;

const _: () = {
    assert!(size_of::<DLTensor>() == 48);
    assert!(size_of::<DLManagedTensor>() == 64);
    assert!(size_of::<DLManagedTensorVersioned>() == 80);
    assert!(offset_of!(DLManagedTensorVersioned, version) == 0);
    assert!(offset_of!(DLManagedTensorVersioned, manager_ctx) == 8);
    assert!(offset_of!(DLManagedTensorVersioned, deleter) == 16);
    assert!(offset_of!(DLManagedTensorVersioned, flags) == 24);
    assert!(offset_of!(DLManagedTensorVersioned, dl_tensor) == 32);
    assert!(offset_of!(DLManagedTensor, dl_tensor) == 0);
    assert!(offset_of!(DLManagedTensor, manager_ctx) == 48);
    assert!(offset_of!(DLManagedTensor, deleter) == 56);
    assert!(offset_of!(DLTensor, data) == 0);
    assert!(offset_of!(DLTensor, device) == 8);
    assert!(offset_of!(DLTensor, ndim) == 16);
    assert!(offset_of!(DLTensor, dtype) == 20);
    assert!(offset_of!(DLTensor, shape) == 24);
    assert!(offset_of!(DLTensor, strides) == 32);
    assert!(offset_of!(DLTensor, byte_offset) == 40);
};

/// What both managed structs can do. Only they implement it.
pub trait Managed: sealed::Struct {}

impl Managed for Versioned {}
impl Managed for Legacy {}

/// The function with which a struct is given back.
type Deleter<M> = unsafe extern "C" fn(*mut M);

pub(super) mod sealed {
    use super::{DLTensor, Deleter, NonNull, Result, c_void};

    /// The fields of a managed struct, wherever they lie in it.
    pub trait Struct: Sized + 'static {
        /// Whether it has flags.
        const HAS_FLAGS: bool;

        fn new(tensor: DLTensor, flags: u64, context: *mut c_void, deleter: Deleter<Self>) -> Self;

        /// # Safety
        /// `raw` is a live struct of some major version.
        unsafe fn deleter(raw: NonNull<Self>) -> Option<Deleter<Self>>;

        /// # Safety
        /// `raw` is a live struct.
        unsafe fn context(raw: NonNull<Self>) -> *mut c_void;

        /// The tensor and the flags, once the version is known to be ours.
        ///
        /// # Safety
        /// `raw` is a live struct of some major version.
        unsafe fn open(raw: NonNull<Self>) -> Result<(DLTensor, u64)>;
    }
}

impl sealed::Struct for Versioned {
    const HAS_FLAGS: bool = true;

    fn new(
        dl_tensor: DLTensor,
        flags: u64,
        manager_ctx: *mut c_void,
        deleter: Deleter<Self>,
    ) -> Self {
        let version = DLPackVersion { major: DLPACK_MAJOR_VERSION, minor: DLPACK_MINOR_VERSION };
        Self { version, manager_ctx, deleter: Some(deleter), flags, dl_tensor }
    }

    unsafe fn deleter(raw: NonNull<Self>) -> Option<Deleter<Self>> {
        // SAFETY: by the standard this field is where it is in every major version.
        unsafe { (*raw.as_ptr()).deleter }
    }

    unsafe fn context(raw: NonNull<Self>) -> *mut c_void {
        // SAFETY: the caller's.
        unsafe { (*raw.as_ptr()).manager_ctx }
    }

    unsafe fn open(raw: NonNull<Self>) -> Result<(DLTensor, u64)> {
        // SAFETY: the version comes first in every major version; the rest is read only in ours. Fields
        // are copied out one by one: no reference claims that the whole struct is what we think. A
        // newer minor version may use values we do not know, which are refused where they are read.
        unsafe {
            let major = (*raw.as_ptr()).version.major;
            if major != DLPACK_MAJOR_VERSION {
                return foreign("version.major", format!("is {major}, known is 1"));
            }
            Ok(((*raw.as_ptr()).dl_tensor, (*raw.as_ptr()).flags))
        }
    }
}

impl sealed::Struct for Legacy {
    const HAS_FLAGS: bool = false;

    fn new(dl_tensor: DLTensor, _: u64, manager_ctx: *mut c_void, deleter: Deleter<Self>) -> Self {
        Self { dl_tensor, manager_ctx, deleter: Some(deleter) }
    }

    unsafe fn deleter(raw: NonNull<Self>) -> Option<Deleter<Self>> {
        // SAFETY: the caller's.
        unsafe { (*raw.as_ptr()).deleter }
    }

    unsafe fn context(raw: NonNull<Self>) -> *mut c_void {
        // SAFETY: the caller's.
        unsafe { (*raw.as_ptr()).manager_ctx }
    }

    unsafe fn open(raw: NonNull<Self>) -> Result<(DLTensor, u64)> {
        // SAFETY: the caller's; there is one version only, and nothing to say about writing.
        unsafe { Ok(((*raw.as_ptr()).dl_tensor, 0)) }
    }
}
