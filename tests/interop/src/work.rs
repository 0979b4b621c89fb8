//! Work on arrays, by the verbs.

use arrayspan_bridge::{Array, DType};
use arrayspan_kernels::{constant, input, on, previous};

use crate::error::{Code, Failure, guarded};
use crate::held::{Content, Held, gone};

/// `x ← x + value`, `times` times over. Enqueued on the device's default stream; does not wait.
///
/// # Safety
/// The handle is live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn interop_add(handle: *const Held, value: f64, times: usize) -> i32 {
    guarded(|| {
        // SAFETY: the caller's.
        match &mut *unsafe { Held::open(handle)? } {
            Content::Exclusive(array) => add(array, value, times),
            Content::Shared(_) => Err(Failure(Code::Refused, "the array is read-only".into())),
            Content::Gone => Err(gone()),
        }
    })
}

fn add(array: &mut Array, value: f64, times: usize) -> Result<(), Failure> {
    let on = on(array.device())?;
    let more = previous() + constant(value);
    for _ in 0..times {
        on.map(&more, &[], array.view_mut())?;
    }
    Ok(())
}

/// The real part of the sum of all elements. Waits for it.
///
/// # Safety
/// The handle is live, and `to` is a place for the answer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn interop_sum(handle: *const Held, to: *mut f64) -> i32 {
    guarded(|| {
        // SAFETY: the caller's.
        let content = unsafe { Held::open(handle)? };
        let view = content.view()?;
        let (on, dtype) = (on(view.device())?, view.dtype());
        let mut sum = on.empty(&[], dtype)?;
        on.sum(&input(0), &[view], sum.view_mut())?;
        let sum = sum.view();
        let sum = match dtype {
            DType::Float32 => f64::from(sum.item::<f32>()?),
            _ => sum.item::<f64>()?,
        };
        // SAFETY: the caller's place.
        unsafe { to.write(sum) };
        Ok(())
    })
}
