//! What can go wrong when operators are made, combined or applied.

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::Device;
use arrayspan_bridge::devices::retry::{OutOfMemory, Shortage};

use crate::Space;

/// The result of an operator.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What can go wrong when operators are made, combined or applied. Nothing has been written then, unless
/// a device failed.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A verb failed.
    #[error(transparent)]
    Kernel(#[from] arrayspan_kernels::Error),
    /// An array does not have the shape of the operator's space.
    #[error("{operator}: {argument} has shape {found:?}, expected {expected:?}")]
    Shape {
        /// The operator.
        operator: String,
        /// `model` or `data`.
        argument: &'static str,
        /// The shape of the space.
        expected: Vec<usize>,
        /// The shape given.
        found: Vec<usize>,
    },
    /// An array does not have the dtype of the operator's space.
    #[error("{operator}: {argument} is {found}, expected {expected}")]
    DType {
        /// The operator.
        operator: String,
        /// `model` or `data`.
        argument: &'static str,
        /// The dtype of the space.
        expected: DType,
        /// The dtype given.
        found: DType,
    },
    /// An array, or what the operator holds, lives on another device than the executor.
    #[error("{operator}: {argument} is on {found}, the executor on {expected}")]
    WrongDevice {
        /// The operator.
        operator: String,
        /// `model`, `data` or `the operator itself`.
        argument: &'static str,
        /// The executor's device.
        expected: Device,
        /// The device found.
        found: Device,
    },
    /// Two spaces that have to be the same, or alike, are not: mostly those of operators that do not fit together.
    #[error("{operation}: {which} differ: {left} and {right}")]
    Spaces {
        /// How operators were to be combined, or what was to be made.
        operation: String,
        /// Which spaces of which operators they are.
        which: String,
        /// One space.
        left: Space,
        /// The other.
        right: Space,
    },
    /// An array of a space, as it is or as operators are to be combined, would take more bytes than can be addressed.
    #[error("{operation}: {dtype} {shape:?} takes more bytes than can be addressed")]
    TooLarge {
        /// What makes the space.
        operation: String,
        /// Its extents.
        shape: Vec<u128>,
        /// The type of its elements.
        dtype: DType,
    },
    /// Two operators that live on different devices cannot be one.
    #[error("{operation}: one operator is on {left}, another on {right}")]
    Devices {
        /// How they were to be combined.
        operation: String,
        /// Where one lives.
        left: Device,
        /// Where the other lives.
        right: Device,
    },
    /// A parameter of an operator makes no sense.
    #[error("{operator}: {why}")]
    Parameter {
        /// The operator.
        operator: String,
        /// What is wrong with it.
        why: String,
    },
}

impl Error {
    pub(crate) fn parameter<T>(operator: &str, why: impl Into<String>) -> Result<T> {
        Err(Self::Parameter { operator: operator.into(), why: why.into() })
    }

    /// The same about a parameter of another operator, which has it made.
    pub(crate) fn of(self, operator: &str) -> Self {
        match self {
            Self::Parameter { why, .. } => Self::Parameter { operator: operator.into(), why },
            other => other,
        }
    }

    pub(crate) fn spaces(
        operation: &str,
        which: impl Into<String>,
        left: &Space,
        right: &Space,
    ) -> Self {
        let (left, right) = (left.clone(), right.clone());
        Self::Spaces { operation: operation.into(), which: which.into(), left, right }
    }
}

impl From<arrayspan_bridge::Error> for Error {
    fn from(error: arrayspan_bridge::Error) -> Self {
        Self::Kernel(error.into())
    }
}

impl From<arrayspan_bridge::devices::Error> for Error {
    fn from(error: arrayspan_bridge::devices::Error) -> Self {
        Self::Kernel(error.into())
    }
}

arrayspan_bridge::devices::debug_as_display!(Error);

impl OutOfMemory for Error {
    fn shortage(&self) -> Option<Shortage> {
        match self {
            Self::Kernel(error) => error.shortage(),
            _ => None,
        }
    }

    fn lost_device(&self) -> Option<&str> {
        if let Self::Kernel(error) = self { error.lost_device() } else { None }
    }
}
