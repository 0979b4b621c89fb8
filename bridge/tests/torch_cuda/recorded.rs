//! What is launched to a stream, told without timing it: a stream that is captured records instead of running.

use std::mem::MaybeUninit;
use std::ptr::{null_mut, with_exposed_provenance_mut};

use arrayspan_bridge::devices::Stream;
use cudarc::driver::result::stream::{begin_capture, end_capture};
use cudarc::driver::sys::{CUstreamCaptureMode, cuGraphDestroy, cuGraphGetNodes};

/// How many operations `work` puts into a stream of ours. They are not run.
pub(crate) fn recorded(stream: &Stream, work: impl FnOnce()) -> usize {
    let raw = with_exposed_provenance_mut(stream.raw());
    // Other threads may do meanwhile what they like.
    let mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;
    // SAFETY: the caller's stream lives during the call, and nobody else uses it.
    unsafe { begin_capture(raw, mode).unwrap() };
    work();
    let mut count = MaybeUninit::uninit();
    // SAFETY: the capture that began above ends here; the graph is used before it is destroyed; without a place for
    // nodes only their number is written.
    unsafe {
        let graph = end_capture(raw).unwrap();
        cuGraphGetNodes(graph, null_mut(), count.as_mut_ptr()).result().unwrap();
        cuGraphDestroy(graph).result().unwrap();
        count.assume_init()
    }
}
