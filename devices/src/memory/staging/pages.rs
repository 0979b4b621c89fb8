//! Advice to the system about memory that is about to be written.

/// Bytes of a large page.
pub(super) const LARGE: usize = 2 << 20;

/// Asks for large pages under a range of host memory; the system may ignore it. Untouched pages are allocated when they are
/// first written, and most of that time is proportional to the number of pages.
///
/// # Safety
/// The range is valid. (Its content does not change.)
#[cfg(target_os = "linux")]
pub(super) unsafe fn prefer_large(address: usize, bytes: usize) {
    let start = address.next_multiple_of(LARGE);
    let end = (address + bytes) / LARGE * LARGE;
    if start < end {
        let pointer = std::ptr::with_exposed_provenance_mut(start);
        // SAFETY: whole pages within the caller's range. The advice changes how pages are provided, not what they hold;
        // a refusal (the system knows no large pages, the memory is a file's) changes nothing.
        unsafe { libc::madvise(pointer, end - start, libc::MADV_HUGEPAGE) };
    }
}

/// Other systems decide by themselves.
#[cfg(not(target_os = "linux"))]
pub(super) unsafe fn prefer_large(_address: usize, _bytes: usize) {}
