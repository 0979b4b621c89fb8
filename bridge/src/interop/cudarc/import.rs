//! Arrays from cudarc's slices.

use arrayspan_devices::{Access, Device, Memory};
use cudarc::driver::{CudaSlice, DevicePtrMut, DriverError};

use super::{context, default_stream, failure, keep_context};
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
        shape: impl Into<Vec<usize>>,
    ) -> Result<Self> {
        let layout = Layout::contiguous(shape)?;
        if layout.len() != slice.len() {
            let (expected, found) = (layout.shape().to_vec(), vec![slice.len()]);
            return Err(Error::Shape { operation: "from_cuda_slice", expected, found });
        }
        let device = Device::cuda(slice.ordinal())?;
        let context = context(device)?;
        if slice.context() != &context {
            let why = "is not the primary context of its device".into();
            return Err(Error::Foreign { field: "context", why });
        }
        let own = default_stream(&context, device)?;
        let address = keep_context(|| {
            let queued = slice.stream().record_event(None)?;
            own.wait(&queued)?;
            // Waits for what cudarc knows of other streams.
            let (address, _recorded) = slice.device_ptr_mut(&own);
            Ok(address as usize)
        })
        .map_err(|error: DriverError| failure(device, "wait for a slice", error))?;

        let (bytes, owner) = (slice.num_bytes(), Owner::new(slice));
        let free = owner.release();
        let release = move || {
            keep_context(move || {
                // cudarc frees in the current context without looking which that is.
                if let Err(error) = context.bind_to_thread() {
                    tracing::error!(?error, "cannot make a slice's context current to free it");
                }
                free();
                // The last handle makes its context current too.
                drop(context);
            });
        };
        // SAFETY: the slice owns this memory alone and lives until the release function; the default
        // stream comes after all earlier work on it, which is made known at once.
        let memory = unsafe { Memory::from_foreign(device, address, bytes, Box::new(release)) };
        memory.acquire(&device.process_stream()?, Access::Write)?;
        Ok(Self::from_unique(SharedArray {
            memory: memory.into(),
            owner: Some(owner),
            layout,
            dtype: T::DTYPE,
            writable: true,
        }))
    }
}
