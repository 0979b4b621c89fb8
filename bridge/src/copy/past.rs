//! Copies that go past the caches: for arrays larger than these, what is written would push out what is still needed,
//! and each cache line would be read before it is overwritten.

use crate::Element;

/// Bytes written by one call from which on they are written past the caches: more than a few cores' share of the last
/// one.
const LARGE: usize = 64 << 20;

/// Whether a call that writes so many bytes writes them past the caches.
#[must_use]
pub fn goes_past_caches(bytes: usize) -> bool {
    cfg!(target_arch = "x86_64") && bytes >= LARGE
}

/// `to ← from`, past the caches where the processor can.
///
/// # Panics
/// When lengths differ.
pub fn copy_past_caches<T: Element>(from: &[T], to: &mut [T]) {
    assert_eq!(from.len(), to.len(), "slices of one length");
    // SAFETY: both slices have so many bytes, and a slice that is written overlaps no other.
    unsafe { copy(from.as_ptr().cast(), to.as_mut_ptr().cast(), size_of_val(from)) };
}

/// Orders what was stored past the caches before all later stores, as other threads expect it: at the end, or at a panic.
pub(crate) struct Fence;

impl Drop for Fence {
    fn drop(&mut self) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: SSE is part of x86-64.
        unsafe {
            std::arch::x86_64::_mm_sfence();
        }
    }
}

/// As [`copy_past_caches`].
///
/// # Safety
/// Both have `bytes` bytes, which do not overlap; those of `to` are borrowed exclusively.
pub(crate) unsafe fn copy(from: *const u8, to: *mut u8, bytes: usize) {
    // SAFETY: the caller's, and the fence follows.
    unsafe { stream(from, to, bytes) };
    drop(Fence);
}

/// As [`copy`], without the fence.
///
/// # Safety
/// Both have `bytes` bytes, which do not overlap; those of `to` are borrowed exclusively, until a [`Fence`].
#[cfg(target_arch = "x86_64")]
#[allow(clippy::cast_ptr_alignment, reason = "loads need no alignment, and lines have it")]
pub(crate) unsafe fn stream(from: *const u8, to: *mut u8, bytes: usize) {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_stream_si128};

    const LINE: usize = 64;
    let head = to.align_offset(LINE).min(bytes);
    let lines = (bytes - head) / LINE;
    let tail = head + lines * LINE;
    // SAFETY: all ranges lie within the caller's; lines of `to` are aligned. SSE2 is part of x86-64.
    unsafe {
        to.copy_from_nonoverlapping(from, head);
        for line in 0..lines {
            let from = from.add(head + line * LINE).cast::<__m128i>();
            let to = to.add(head + line * LINE).cast::<__m128i>();
            let loaded: [__m128i; 4] = std::array::from_fn(|at| _mm_loadu_si128(from.add(at)));
            for (at, value) in loaded.into_iter().enumerate() {
                _mm_stream_si128(to.add(at), value);
            }
        }
        to.add(tail).copy_from_nonoverlapping(from.add(tail), bytes - tail);
    }
}

/// As [`copy`].
///
/// # Safety
/// Both have `bytes` bytes, which do not overlap; those of `to` are borrowed exclusively.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) unsafe fn stream(from: *const u8, to: *mut u8, bytes: usize) {
    // SAFETY: the caller's.
    unsafe { to.copy_from_nonoverlapping(from, bytes) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_bytes_and_no_others_are_copied_wherever_slices_begin() {
        let from: Vec<u8> = (0..400).map(|i| i as u8).collect();
        for (at, len) in (0..70).flat_map(|at| (0..200).map(move |len| (at, len))) {
            let mut to = vec![255; 300];
            copy_past_caches(&from[at..at + len], &mut to[69 - at..][..len]);
            assert!(to[..69 - at].iter().chain(&to[69 - at + len..]).all(|byte| *byte == 255));
            assert_eq!(to[69 - at..][..len], from[at..at + len]);
        }
    }
}
