//! Access to elements in host memory.

use std::ptr::{NonNull, with_exposed_provenance_mut};

use arrayspan_devices::{Access, Device, Memory};

use crate::layout::wrong;
use crate::{DType, Element, Error, Layout, Result, View};

/// The address of the start of a host block, once the host may access its elements as `T`: queued work
/// that conflicts is done, addresses fit the type, and truth values are 0 or 1. Of an empty array, an
/// address that must not be read.
pub(crate) fn base<T: Element>(
    operation: &'static str,
    view: &View<'_>,
    access: Access,
) -> Result<*mut T> {
    let (layout, dtype) = (view.layout(), view.dtype());
    if dtype != T::DTYPE {
        return Err(Error::DType { operation, expected: T::DTYPE, found: dtype });
    }
    let address = address(operation, view.memory(), access)?;
    if layout.is_empty() {
        return Ok(NonNull::dangling().as_ptr());
    }
    let base = with_exposed_provenance_mut::<T>(address);
    if !base.is_aligned() {
        let why = "the memory is not aligned for its elements";
        return Err(wrong(operation, layout.shape(), layout.strides(), why));
    }
    if dtype == DType::Bool {
        // SAFETY: `layout` lies within the block, which holds initialised bytes that nobody writes now.
        unsafe { expect_booleans(operation, base.cast(), layout)? };
    }
    Ok(base)
}

/// The address of the start of a host block, once the host may access it.
pub(crate) fn address(operation: &'static str, memory: &Memory, access: Access) -> Result<usize> {
    if !memory.device().is_cpu() {
        let (expected, found) = (Device::cpu(), memory.device());
        return Err(Error::WrongDevice { operation, argument: "array", expected, found });
    }
    memory.wait(access)?;
    Ok(memory.address())
}

/// The address of a contiguous array's first element, once the host may access it.
pub(crate) fn first<T: Element>(
    operation: &'static str,
    view: &View<'_>,
    access: Access,
) -> Result<*mut T> {
    let layout = view.layout();
    if !layout.is_contiguous() {
        return Err(wrong(operation, layout.shape(), layout.strides(), "not contiguous"));
    }
    let base = base::<T>(operation, view, access)?;
    Ok(if layout.is_empty() { base } else { base.wrapping_add(layout.offset()) })
}

/// Rust allows no `bool` but 0 and 1, but other libraries and devices may have written anything.
///
/// # Safety
/// `layout` lies within the block at `base`, whose bytes are initialised and not written meanwhile.
pub(crate) unsafe fn expect_booleans(
    operation: &'static str,
    base: *const u8,
    layout: &Layout,
) -> Result<()> {
    // An element that is repeated is looked at once, or a repetition without end would take forever.
    let repeated = |(&extent, &stride)| if stride == 0 && extent > 0 { 1 } else { extent };
    let shape: Vec<usize> = layout.shape().iter().zip(layout.strides()).map(repeated).collect();
    let rows = Layout::strided(shape, layout.strides(), layout.offset())?.rows();
    let (len, stride) = (rows.len, rows.stride);
    for start in rows {
        for i in 0..len {
            let place = start.wrapping_add_signed(i as isize * stride);
            // SAFETY: a place of the layout.
            if unsafe { base.add(place).read() } > 1 {
                let why = "a Bool element is neither 0 nor 1";
                return Err(wrong(operation, layout.shape(), layout.strides(), why));
            }
        }
    }
    Ok(())
}
