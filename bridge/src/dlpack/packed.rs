//! Elements below a byte that share bytes.

use arrayspan_devices::Stream;

use super::import::take_over;
use super::validate::validate_packed;
use super::{Capsule, ImportOptions, Managed};
use crate::{Result, SharedArray};

/// Elements below a byte that share bytes, as the bytes they lie in.
///
/// No dtype of ours is packed: what computes with such elements, or unpacks them, takes the bytes.
#[derive(Clone, Debug)]
pub struct Packed {
    /// The bytes, `UInt8` along one axis. Element `i` begins at bit `i * bits`, counted from the lowest
    /// bit of the first byte; the bits after the last element mean nothing.
    pub bytes: SharedArray,
    /// The `DLDataTypeCode` of the elements.
    pub code: u8,
    /// Bits of one element: 1, 2 or 4 for integers, 4 or 6 for floats.
    pub bits: u8,
    /// Extents in elements, row-major; lanes are the last axis.
    pub shape: Vec<usize>,
}

impl Packed {
    /// Takes over a managed tensor of packed elements without a copy. The stream and the deleter: as
    /// [`SharedArray::from_dlpack`], which takes padded elements.
    ///
    /// # Errors
    /// Those of [`SharedArray::from_dlpack`]; [`Error::Foreign`](crate::Error::Foreign) for `dtype` unless
    /// it is below a byte, for `flags` that say its elements are padded, and for `strides` that leave gaps or
    /// are not row-major: a stride cannot point into a byte.
    pub fn from_dlpack<M: Managed>(
        capsule: Capsule<M>,
        stream: Option<&Stream>,
        options: &ImportOptions,
    ) -> Result<Self> {
        let (tensor, flags) = capsule.open()?;
        options.check(flags)?;
        let (code, bits) = (tensor.dtype.code, tensor.dtype.bits);
        // SAFETY: whoever made the capsule has vouched for its pointers.
        let (tensor, shape) = unsafe { validate_packed(&tensor, flags, options.alignment)? };
        let bytes = take_over(capsule, tensor, flags, stream)?;
        Ok(Self { bytes, code, bits, shape })
    }
}
