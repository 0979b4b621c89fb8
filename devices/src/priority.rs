//! Which of a device's streams go first.

use crate::{Device, Result, Stream};

/// How urgent the work of a stream is beside that of other streams of the device. A hint: kernels of more urgent streams
/// get free processors first, nothing that runs is stopped, and copies do not overtake each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Priority {
    /// Before all others.
    High,
    /// As every stream made without one.
    #[default]
    Normal,
    /// After all others, where the device knows less than normal; as `Normal` where it does not, as in CUDA.
    Low,
}

impl Device {
    /// A new stream of that priority. Where the driver knows no priorities (on the CPU, on `OpenCL` platforms without
    /// `cl_khr_priority_hints`) it is as every other.
    ///
    /// # Errors
    /// When the driver cannot make it.
    pub fn new_stream_with_priority(self, priority: Priority) -> Result<Stream> {
        Stream::with_priority(self, priority)
    }
}
