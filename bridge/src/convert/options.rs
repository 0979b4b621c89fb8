//! How an array is to be converted.

use arrayspan_devices::{Device, Stream};

use crate::{Conversion, DType, Transfer};

/// How an array is to be converted. All is optional: by default it stays on its device unless the target
/// is for devices of another kind, keeps its dtype, and is copied where it must be.
#[derive(Clone, Debug, Default)]
pub struct ConvertOptions {
    /// The number of the device among those of the target's kind (of the array's own, where the target
    /// takes any). Without it: the device the array is on if it is of that kind, else number 0. The CPU
    /// is number 0 and there is no other.
    pub gpu_id: Option<usize>,
    /// Where the work is queued: a stream of the device the array is on, or of the one it goes to. It is
    /// also the stream on which a source without an order of its own (a `DLPack` capsule, an `OpenCL`
    /// buffer) is ready, and on which the output is. Without it default streams are used, such a source
    /// must be ready for everybody, and a capsule that goes out is ready for everybody.
    pub stream: Option<Stream>,
    /// Whether a copy is made where one is needed, or is an error before anything is copied.
    pub transfer: Transfer,
    /// The dtype of the output, and the rules by which elements take it. A copy, unless it is the dtype there
    /// is. Without it the dtype stays, and a target of another one refuses the array.
    pub dtype: Option<(DType, Conversion)>,
}

impl ConvertOptions {
    /// For the device with this number.
    #[must_use]
    pub fn gpu(gpu_id: usize) -> Self {
        Self { gpu_id: Some(gpu_id), ..Self::default() }
    }

    /// Without any copy.
    #[must_use]
    pub fn zero_copy() -> Self {
        Self { transfer: Transfer::ZeroCopyOnly, ..Self::default() }
    }

    /// The same with the elements as `dtype`, by those rules.
    #[must_use]
    pub fn as_dtype(self, dtype: DType, conversion: Conversion) -> Self {
        Self { dtype: Some((dtype, conversion)), ..self }
    }

    /// The stream named, if it is one of `device`.
    #[must_use]
    pub fn stream_of(&self, device: Device) -> Option<&Stream> {
        self.stream.as_ref().filter(|stream| stream.device() == device)
    }

    /// The same with the work queued on `stream`.
    #[must_use]
    pub fn on_stream(self, stream: &Stream) -> Self {
        Self { stream: Some(stream.clone()), ..self }
    }
}
