//! The verbs on devices that run kernels: CUDA and `OpenCL` through one code path.

use arrayspan_bridge::devices::Stream;

use crate::verb::Call;
use crate::{Executor, Result};

/// Runs verbs as kernels on one stream.
#[derive(Debug)]
pub struct Gpu {
    stream: Stream,
}

impl Gpu {
    /// An executor whose work goes to `stream`.
    ///
    /// # Errors
    /// When the device runs no kernels.
    pub fn new(stream: Stream) -> Result<Self> {
        Ok(Self { stream })
    }
}

impl Executor for Gpu {
    fn stream(&self) -> &Stream {
        &self.stream
    }

    fn execute(&self, _call: Call<'_>) -> Result<()> {
        todo!()
    }
}
