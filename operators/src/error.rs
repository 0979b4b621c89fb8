//! What can go wrong when operators are made, combined or applied.

use std::sync::Arc;

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::Device;
use arrayspan_bridge::devices::retry::{OutOfMemory, Shortage};

use crate::{Devices, Space};

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
        /// `model`, `data`, `alpha` or `beta`.
        argument: &'static str,
        /// The dtype of the space.
        expected: DType,
        /// The dtype given.
        found: DType,
    },
    /// An array lives on another device than the operator takes it from.
    #[error(
        "{operator}: {argument} is on {found}, expected on {expected}, {}: move it there (`to({expected})`), or {}",
        if *bound { "where the operator has it" } else { "where the executor computes" },
        if *bound { "put a `ToDevice` beside the operator" } else { "give an executor of its device (`kernels::on`)" },
    )]
    WrongDevice {
        /// The operator.
        operator: String,
        /// `model`, `data` or `the workspace`.
        argument: &'static str,
        /// Where it has to be.
        expected: Device,
        /// Where it is.
        found: Device,
        /// Whether it is the operator that is bound to a device; else it follows the executor.
        bound: bool,
    },
    /// A factor of an update lives on another device than the result.
    #[error(
        "{operator}: {argument}, a {dtype}, is on {found}, expected on {expected}, where the result is: move it there \
         (`to({expected})`)"
    )]
    FactorDevice {
        /// The operator.
        operator: String,
        /// `alpha` or `beta`.
        argument: &'static str,
        /// The type of the factor.
        dtype: DType,
        /// Where the result is.
        expected: Device,
        /// Where the factor is.
        found: Device,
    },
    /// The executor computes on none of the devices that the operator does.
    #[error(
        "{operator}: the executor computes on {found}, the operator on {devices}: give an executor of {} (`kernels::on`), \
         or have the operator made for {found}",
        devices.domain
    )]
    WrongExecutor {
        /// The operator.
        operator: String,
        /// Where its models and data live.
        devices: Devices,
        /// The executor's device.
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
    /// Operators cannot be combined, because they have on different devices what has to be on one.
    #[error(
        "{operation}: {which} are on different devices, {left} and {right}: a `ToDevice` between them moves arrays from one to \
         the other, and `Operator::on` has an operator computed elsewhere"
    )]
    Devices {
        /// How they were to be combined.
        operation: String,
        /// What has to be on one device, and of which operators it is.
        which: String,
        /// One device.
        left: Device,
        /// The other.
        right: Device,
    },
    /// The adjoint was asked of an operator that has none.
    #[error("{operator}: it has no adjoint, only the direction that was given")]
    NoAdjoint {
        /// The operator.
        operator: String,
    },
    /// The inverse was asked of an operator that has none, or none that is an operator of this library.
    #[error("{operator}: it has no inverse here, {why}")]
    NoInverse {
        /// The operator, or the part of it that has none.
        operator: String,
        /// Why.
        why: String,
    },
    /// A function that an operator was made of failed, in a way of its own.
    #[error("{0}")]
    Function(Arc<dyn std::error::Error + Send + Sync>),
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
    /// That a function of the caller's failed: what [`FunctionOperator`](crate::FunctionOperator)s return for errors of their own.
    pub fn function(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Function(error.into().into())
    }

    pub(crate) fn parameter<T>(operator: &str, why: impl Into<String>) -> Result<T> {
        Err(Self::Parameter { operator: operator.into(), why: why.into() })
    }

    pub(crate) fn no_inverse<T>(operator: &str, why: impl Into<String>) -> Result<T> {
        Err(Self::NoInverse { operator: operator.into(), why: why.into() })
    }

    /// The same about a parameter of another operator, which has it made.
    pub(crate) fn of(self, operator: &str) -> Self {
        match self {
            Self::Parameter { why, .. }
            | Self::Kernel(arrayspan_kernels::Error::Argument { why, .. }) => {
                Self::Parameter { operator: operator.into(), why }
            }
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

    pub(crate) fn devices(operation: &str, which: String, left: Device, right: Device) -> Self {
        Self::Devices { operation: operation.into(), which, left, right }
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
