//! Arrays from cudarc's slices.

use std::sync::Arc;

use arrayspan_devices::{Device, Memory, Stream};
use cudarc::driver::{CudaContext, CudaSlice, CudaStream, DevicePtrMut, DriverError, result};

use super::{failure, keep_context};
use crate::owner::Owner;
use crate::{Array, Element, Error, Layout, Result, SharedArray};

impl Array {
    /// The memory of a slice as a row-major array. Nothing is copied; all our work on it comes after the
    /// work queued on the slice. The slice is freed after the last work that uses the array, or handed
    /// back by [`try_into_cuda_slice`](Self::try_into_cuda_slice).
    ///
    /// # Errors
    /// [`Error::Shape`] when `shape` has another number of elements; [`Error::Foreign`] for a slice of a
    /// context other than its device's primary one; the driver's refusal. The slice is dropped then.
    pub fn from_cuda_slice<T: Element>(
        mut slice: CudaSlice<T>,
        shape: impl AsRef<[usize]>,
    ) -> Result<Self> {
        let layout = Layout::contiguous_for("from_cuda_slice", shape.as_ref())?;
        if layout.len() != slice.len() {
            let (expected, found) = (layout.shape().to_vec(), vec![slice.len()]);
            return Err(Error::Shape { operation: "from_cuda_slice", expected, found });
        }
        let device = Device::cuda(slice.ordinal())?;
        let context = slice.context().clone();
        if !context.is_primary() {
            let why = "is not the primary context of its device".into();
            return Err(Error::Foreign { field: "context", why });
        }
        let queue = slice.stream().clone();
        // Makes the slice's own stream wait for what cudarc knows of others.
        let waited = past_pending(&context, || slice.device_ptr_mut(&queue).0 as usize);
        let address = waited.map_err(|error| failure(device, "wait for a slice", error))?;
        let theirs = stream(device, &queue)?;

        let per_thread = queue.cu_stream().expose_provenance() == PER_THREAD;
        let (bytes, owner) = (slice.num_bytes(), Owner::new(slice));
        let free = owner.release();
        let release = move || {
            keep_context(move || {
                // cudarc frees in the current context without looking which that is.
                // SAFETY: `context` retains it.
                if let Err(error) = unsafe { result::ctx::set_current(context.cu_ctx()) } {
                    tracing::error!(?error, "cannot make a slice's context current to free it");
                }
                free();
                // The last handle makes its context current too.
                drop((context, queue));
            });
        };
        // SAFETY: the slice owns this memory alone and lives until the release function; its own stream
        // comes after all earlier work on it.
        let memory = unsafe { Memory::from_foreign_on(&theirs, address, bytes, Box::new(release)) };
        if per_thread {
            // Freed on another thread, the slice goes in the order of that thread's stream.
            memory.remember(&theirs);
        }
        Ok(Self::from_unique(SharedArray {
            memory: memory.into(),
            owner: Some(owner),
            layout,
            dtype: T::DTYPE,
            writable: true,
        }))
    }
}

/// A thread's own default stream, by a handle that means another queue on each thread.
const PER_THREAD: usize = 2;

/// The stream that comes after all that default streams, and others that are not non-blocking, were given before, and
/// before what they are given later (CUDA driver API, "stream synchronization behavior").
const LEGACY: usize = 0;

/// A stream of cudarc as one of ours: for a thread's own default stream, which other threads cannot name, the legacy
/// one.
pub(super) fn stream(device: Device, queue: &Arc<CudaStream>) -> Result<Stream> {
    /// Gives its stream up with the thread's context as it was.
    struct Kept(Option<Arc<CudaStream>>);
    impl Drop for Kept {
        fn drop(&mut self) {
            keep_context(|| drop(self.0.take()));
        }
    }
    let raw = match queue.cu_stream().expose_provenance() {
        PER_THREAD => LEGACY,
        raw => raw,
    };
    let keep = Box::new(Kept(Some(queue.clone())));
    // SAFETY: a stream of the device's primary context, which `keep` keeps alive.
    Ok(unsafe { Stream::from_foreign(device, raw, keep)? })
}

/// Runs a function of cudarc's that records what fails. An error that was pending in the context, of which the
/// function must not know (it would not do its work), is pending again afterwards.
pub(super) fn past_pending<T>(
    context: &CudaContext,
    function: impl FnOnce() -> T,
) -> Result<T, DriverError> {
    let pending = context.check_err();
    let done = keep_context(function);
    let failed = context.check_err();
    context.record_err(pending);
    failed.map(|()| done)
}
