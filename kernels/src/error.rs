//! What can go wrong when a verb is asked for.

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::Device;
use arrayspan_bridge::devices::retry::{OutOfMemory, Shortage};

/// The result of a verb.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What can go wrong when a verb is asked for. All but the first two are found before anything is enqueued; of the first, the
/// same call may be made again.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An array could not be made, viewed or moved, or its device failed.
    #[error(transparent)]
    Bridge(#[from] arrayspan_bridge::Error),
    /// Of two kernels of an update that reads its result, the second was refused after the first was queued: a part of the
    /// result is updated, and the call must not be made again.
    #[error("{verb}: {written} have been updated, and no others: {cause}")]
    Partial {
        /// The verb.
        verb: &'static str,
        /// What has been updated.
        written: &'static str,
        /// Why the second kernel was refused.
        cause: Box<Error>,
    },
    /// An argument has another shape than the verb needs.
    #[error("{verb}: {argument} has shape {found:?}, expected {expected:?}")]
    Shape {
        /// The verb.
        verb: &'static str,
        /// The argument.
        argument: String,
        /// The shape that would fit.
        expected: Vec<usize>,
        /// The shape given.
        found: Vec<usize>,
    },
    /// An argument has another element type than the verb needs.
    #[error("{verb}: {argument} is {found}, expected {expected}")]
    DType {
        /// The verb.
        verb: &'static str,
        /// The argument.
        argument: String,
        /// The dtype that would fit.
        expected: DType,
        /// The dtype given.
        found: DType,
    },
    /// The verbs do not compute with this dtype.
    #[error("{verb}: cannot compute with {dtype}")]
    NotComputable {
        /// The verb.
        verb: &'static str,
        /// The dtype given.
        dtype: DType,
    },
    /// The device has no 64-bit floating point.
    #[error(
        "{verb}: {device} has no 64-bit floating point and cannot compute with {dtype}: convert the array to {narrow}, or move \
         it to another device", narrow = narrow(*dtype)
    )]
    NoFloat64 {
        /// The verb.
        verb: &'static str,
        /// The dtype given.
        dtype: DType,
        /// The device.
        device: Device,
    },
    /// An argument lives on another device than the executor.
    #[error("{verb}: {argument} is on {found}, the executor on {expected}")]
    WrongDevice {
        /// The verb.
        verb: &'static str,
        /// The argument.
        argument: String,
        /// The executor's device.
        expected: Device,
        /// The argument's device.
        found: Device,
    },
    /// Arrays that are computed with each other live on different devices, and no executor was asked for.
    #[error(
        "{verb}: {argument} is on {found}, and what it is computed with on {expected}: move it there (`to({expected})`)"
    )]
    Apart {
        /// The verb.
        verb: &'static str,
        /// The argument.
        argument: String,
        /// Where the first argument is.
        expected: Device,
        /// Where this one is.
        found: Device,
    },
    /// A plan keeps no array with this argument's memory: recorded of an array that the plan was not given, or replayed
    /// after the array was taken from it. Only what a shared array lends, and is only read, need not be kept.
    #[error("{verb}: the plan keeps no array with the memory of {argument}")]
    NotKept {
        /// The verb.
        verb: &'static str,
        /// The argument.
        argument: String,
    },
    /// A kernel of the user's own is not well declared: its name, its parameters, or its source.
    #[error("kernel '{}': {why}", kernel.escape_debug())]
    Declaration {
        /// Its name.
        kernel: String,
        /// What is wrong.
        why: String,
    },
    /// The arguments do not make sense together.
    #[error("{verb}: {why}")]
    Argument {
        /// The verb.
        verb: &'static str,
        /// What is wrong.
        why: String,
    },
}

/// What a device computes with that has no 64-bit floating point.
fn narrow(dtype: DType) -> DType {
    if dtype.is_complex() { DType::Complex64 } else { DType::Float32 }
}

impl Error {
    /// The same, of the operation for which a verb was asked.
    pub(crate) fn in_operation(mut self, operation: &'static str) -> Self {
        match &mut self {
            Self::Bridge(_) | Self::Declaration { .. } => {}
            Self::Shape { verb, .. }
            | Self::DType { verb, .. }
            | Self::NotComputable { verb, .. }
            | Self::NoFloat64 { verb, .. }
            | Self::Partial { verb, .. }
            | Self::WrongDevice { verb, .. }
            | Self::Apart { verb, .. }
            | Self::NotKept { verb, .. }
            | Self::Argument { verb, .. } => *verb = operation,
        }
        self
    }
}

impl From<arrayspan_bridge::devices::Error> for Error {
    fn from(error: arrayspan_bridge::devices::Error) -> Self {
        Self::Bridge(error.into())
    }
}

arrayspan_bridge::devices::debug_as_display!(Error);

impl OutOfMemory for Error {
    fn shortage(&self) -> Option<Shortage> {
        match self {
            Self::Bridge(error) => error.shortage(),
            _ => None,
        }
    }

    fn lost_device(&self) -> Option<&str> {
        match self {
            Self::Bridge(error) => error.lost_device(),
            Self::Partial { cause, .. } => cause.lost_device(),
            _ => None,
        }
    }
}
