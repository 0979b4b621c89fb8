//! What an array is, and what is in it.

use arrayspan_bridge::View;
use arrayspan_devices::Device;

use crate::error::{Code, Failure, guarded, misuse};
use crate::held::{Content, Held};
use crate::places::device;

/// As many axes as Python's libraries have.
const MAX_RANK: usize = 64;

/// What an array is.
#[repr(C)]
#[derive(Debug)]
pub struct Description {
    device: [i32; 2],
    dtype: [u8; 2],
    exclusive: bool,
    rank: usize,
    shape: [usize; MAX_RANK],
    strides: [isize; MAX_RANK],
    /// Of the element at index zero, where that is an address.
    address: u64,
}

/// Says what an array is.
///
/// # Safety
/// The handle is live, and `to` is a place for the answer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn interop_describe(handle: *const Held, to: *mut Description) -> i32 {
    guarded(|| {
        // SAFETY: the caller's.
        let content = unsafe { Held::open(handle)? };
        let described = describe(&content.view()?, matches!(*content, Content::Exclusive(_)))?;
        // SAFETY: the caller's place.
        unsafe { to.write(described) };
        Ok(())
    })
}

fn describe(view: &View<'_>, exclusive: bool) -> Result<Description, Failure> {
    let (layout, dtype) = (view.layout(), view.dtype());
    let (mut shape, mut strides) = ([0; MAX_RANK], [0; MAX_RANK]);
    let rank = layout.rank();
    if rank > MAX_RANK {
        return misuse(format!("an array with {rank} axes"));
    }
    shape[..rank].copy_from_slice(layout.shape());
    strides[..rank].copy_from_slice(layout.strides());
    let (kind, id) = view.device().dlpack();
    let (code, bits) = dtype.dlpack();
    let address = (view.memory().address() + layout.offset() * dtype.bytes()) as u64;
    let (device, dtype) = ([kind, id], [code, bits]);
    Ok(Description { device, dtype, exclusive, rank, shape, strides, address })
}

/// Copies the elements row-major to the host. Waits for them.
///
/// # Safety
/// The handle is live, and `to` has room for `bytes` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn interop_read(handle: *const Held, to: *mut u8, bytes: usize) -> i32 {
    guarded(|| {
        // SAFETY: the caller's.
        let content = unsafe { Held::open(handle)? };
        let (packed, _) = content.view()?.to(Device::cpu())?;
        let packed = packed.bytes()?;
        let elements = packed.as_slice::<u8>()?;
        if elements.len() != bytes {
            let found = elements.len();
            return Err(Failure(Code::Misuse, format!("room for {bytes} bytes of {found}")));
        }
        // SAFETY: the caller's room, which is not in an array's block made a moment ago.
        unsafe { to.copy_from_nonoverlapping(elements.as_ptr(), bytes) };
        Ok(())
    })
}

/// Copies an array to another device, or the same one.
///
/// # Safety
/// The handle is live, and `to` is a place for another.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn interop_copy(
    handle: *const Held,
    kind: i32,
    id: i32,
    to: *mut *mut Held,
) -> i32 {
    guarded(|| {
        // SAFETY: the caller's.
        let content = unsafe { Held::open(handle)? };
        let (array, _) = content.view()?.to(device(kind, id)?)?;
        // SAFETY: passed on to the caller.
        unsafe { Held::put(Content::Exclusive(array), to) }
    })
}
