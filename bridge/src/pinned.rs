//! Host arrays whose pages are locked, so that devices copy from and to them at the full rate of the bus.

use std::sync::Arc;

use arrayspan_devices::{Device, Memory, Registered};

use crate::{Array, DType, Layout, Result, SharedArray};

impl Array {
    /// A row-major array of the CPU in page-locked memory from a pool, for transfers with `device`: those run at full
    /// rate and are only queued. Its content is unspecified. In all else it is as every array of the CPU.
    ///
    /// ```
    /// use arrayspan_bridge::{Array, DType, devices::Device};
    ///
    /// let device = Device::best();
    /// let mut shots = Array::pinned([2, 3], DType::Float32, device)?;
    /// shots.view_mut().as_ndarray_mut::<f32>()?.fill(1.5);
    /// let (there, _) = shots.view().to(device)?;
    /// assert_eq!(there.view().to_vec::<f32>()?, [1.5; 6]);
    /// # Ok::<(), arrayspan_bridge::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Memory::pinned`]; more elements than can be addressed.
    pub fn pinned(shape: impl AsRef<[usize]>, dtype: DType, device: Device) -> Result<Self> {
        let layout = Layout::contiguous_for("pinned", shape.as_ref())?;
        let memory = Arc::new(Memory::pinned(layout.bytes("pinned", dtype)?, device)?);
        let inner = SharedArray { memory, owner: None, layout, dtype, writable: true };
        Ok(Self::from_unique(inner))
    }

    /// Locks the pages of an array of the CPU where it lies, for transfers with `device`, until [`unpin`](Self::unpin)
    /// or the array's end. Pays for an array that is copied more than once.
    ///
    /// # Errors
    /// Those of [`Memory::register`]; the array is as it was then.
    pub fn pin(&self, device: Device) -> Result<()> {
        self.memory().register(device).map(Registered::keep)?;
        Ok(())
    }

    /// Ends what [`pin`](Self::pin) began; waits for queued work that uses the array, and for copies of whatever else
    /// shares its elements: views that were borrowed, what was exported and imported again. Nothing happens to one that
    /// was not pinned.
    ///
    /// # Errors
    /// A failure of that work; the array stays pinned then.
    pub fn unpin(&self) -> Result<()> {
        Ok(self.memory().unregister()?)
    }

    /// Whether `device` copies from and to it at full rate, because it is in page-locked memory of the CPU.
    #[must_use]
    pub fn is_pinned(&self, device: Device) -> bool {
        self.memory().is_pinned(device)
    }
}
