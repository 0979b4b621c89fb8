//! How one thread copies host memory: by way of the caches, or past them.

use std::ptr::copy_nonoverlapping;

/// What a copy of host memory does with the processor's caches. A choice of speed; the bytes are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HostCopy {
    /// What is written stays in the cache, where a device finds it.
    Cached,
    /// What is written goes to memory at once, by stores that do not read the line first: one pass over memory in three
    /// is saved where nobody reads it soon. As [`Cached`](Self::Cached) on processors other than `x86_64` with AVX.
    PastCaches,
}

impl HostCopy {
    /// Copies. What other threads do after they have learned of its end comes after all of its stores.
    ///
    /// # Safety
    /// Both ranges are valid and apart; meanwhile nobody writes the one or touches the other.
    pub(super) unsafe fn perform(self, from: *const u8, to: *mut u8, bytes: usize) {
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        if self == Self::PastCaches && is_x86_feature_detected!("avx") {
            // SAFETY: the processor has AVX; the ranges are the caller's.
            return unsafe { x86::streaming_stores(from, to, bytes) };
        }
        // SAFETY: by the caller's contract.
        unsafe { copy_nonoverlapping(from, to, bytes) }
    }
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
mod x86 {
    use std::arch::x86_64::{__m256i, _mm_sfence, _mm256_loadu_si256, _mm256_stream_si256};
    use std::ptr::copy_nonoverlapping;

    /// Bytes that a step moves: two cache lines.
    const STEP: usize = 128;

    #[allow(
        clippy::cast_ptr_alignment,
        reason = "what needs no alignment loads and stores there, or it is there"
    )]
    fn vectors(at: *const u8) -> *const __m256i {
        at.cast()
    }

    /// # Safety
    /// As [`HostCopy::perform`](super::HostCopy::perform), on a processor with AVX.
    #[target_feature(enable = "avx")]
    pub(super) unsafe fn streaming_stores(from: *const u8, to: *mut u8, bytes: usize) {
        // Whole lines are written at once only from where the target has one's alignment.
        let head = to.align_offset(64).min(bytes);
        let body = (bytes - head) / STEP * STEP;
        // SAFETY: all offsets are below `bytes`, within the caller's ranges; stores past the cache go to multiples of 32.
        unsafe {
            copy_nonoverlapping(from, to, head);
            for at in (head..head + body).step_by(STEP) {
                let (from, to) =
                    (vectors(from.add(at)), vectors(to.add(at).cast_const()).cast_mut());
                let values = [0, 1, 2, 3].map(|i| _mm256_loadu_si256(from.add(i)));
                for (i, value) in values.into_iter().enumerate() {
                    _mm256_stream_si256(to.add(i), value);
                }
            }
            let done = head + body;
            copy_nonoverlapping(from.add(done), to.add(done), bytes - done);
        }
        // Such stores are ordered before later ones by this only.
        _mm_sfence();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_copies_every_byte_and_no_other_whatever_the_alignment() {
        let from: Vec<u8> = (0..5000_usize).map(|i| (i * 7 + i / 256 + 1) as u8).collect();
        for how in [HostCopy::Cached, HostCopy::PastCaches] {
            for bytes in [0, 1, 31, 63, 64, 127, 128, 129, 255, 1000, 4097] {
                for (start, target) in [(0, 0), (1, 0), (0, 1), (3, 33), (64, 63), (31, 65)] {
                    let mut to = vec![0_u8; bytes + target + 3];
                    // SAFETY: both have the room, and nobody else knows them.
                    unsafe {
                        let (from, to) = (from.as_ptr().add(start), to.as_mut_ptr().add(target));
                        how.perform(from, to, bytes);
                    }
                    let copied = &to[target..target + bytes];
                    assert!(copied == &from[start..start + bytes], "{how:?} {bytes} {start}");
                    let around = to[..target].iter().chain(&to[target + bytes..]);
                    assert!(around.into_iter().all(|byte| *byte == 0), "{how:?} {bytes} {target}");
                }
            }
        }
    }
}
