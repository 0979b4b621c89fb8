//! How each library's arrays come in and go out.

pub(super) mod arrays;
#[cfg(feature = "cuda")]
pub(super) mod cudarc;
pub(super) mod dlpack;
pub(super) mod ndarray;
#[cfg(feature = "opencl")]
pub(super) mod opencl;
#[cfg(feature = "torch")]
pub(super) mod torch;

use crate::{DType, Element, Error, Result};

/// Refuses elements that are no `T`.
fn expect<T: Element>(found: DType) -> Result<()> {
    let expected = T::DTYPE;
    if found == expected {
        return Ok(());
    }
    Err(Error::DType { operation: "convert", expected, found })
}
