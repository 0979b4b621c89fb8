//! What the system is told about memory that is about to be written.

/// Asks for large pages under a range of host memory, of which the system may make something or not. Pages that nobody
/// has touched are provided as they are written, and by far the most of that time goes by the number of pages.
///
/// # Safety
/// The range is valid. (Its content does not change.)
#[cfg(target_os = "linux")]
pub(super) unsafe fn prefer_large(address: usize, bytes: usize) {
    const LARGE: usize = 2 << 20;
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
