//! Errors as exceptions.

use arrayspan::bridge::Error as Bridge;
use arrayspan::devices::Error as Device;
use arrayspan::devices::retry::{OutOfMemory, Shortage};
use arrayspan::kernels::Error as Kernel;
use arrayspan::operators::Error as Operator;
use arrayspan::solvers::Error as Solver;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

use crate::shortage::shortage;

/// An error on its way to Python: one of the library's, or an exception that stays what it is.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Of the library.
    Ours(Box<arrayspan::Error>),
    /// Of Python.
    Raised(PyErr),
}

pub(crate) type Result<T, E = Failure> = std::result::Result<T, E>;

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Self {
        Self::Raised(error)
    }
}

macro_rules! ours {
    ($($error:ty),*) => {$(
        impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Self::Ours(Box::new(error.into()))
            }
        }
    )*};
}

ours!(arrayspan::Error, Device, Bridge, Kernel, Operator, Solver);

impl OutOfMemory for Failure {
    fn shortage(&self) -> Option<Shortage> {
        match self {
            Self::Ours(error) => error.shortage(),
            Self::Raised(error) => Python::try_attach(|py| shortage(py, error)).flatten(),
        }
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Raised(error) => error,
            Failure::Ours(error) => Python::attach(|py| raise(py, &error)),
        }
    }
}

/// Makes an error of the library an exception. One that a function of the caller's raised is that very exception.
fn raise(py: Python<'_>, error: &arrayspan::Error) -> PyErr {
    if let Some(raised) = raised(error).and_then(|raised| raised.downcast_ref::<PyErr>()) {
        return raised.clone_ref(py);
    }
    let Some(Shortage { device, bytes }) = error.shortage() else {
        return class(error).raise(py, error.to_string());
    };
    let raised = Class::OutOfMemory.raise(py, error.to_string());
    // What `with_retry` reads again; an exception that takes no attributes is one all the same.
    let value = raised.value(py);
    let told = value.setattr("device", device.map(|device| device.to_string()));
    if let Err(error) = told.and_then(|()| value.setattr("bytes", bytes)) {
        error.write_unraisable(py, Some(value));
    }
    raised
}

/// What was found, or nothing where looking for it has failed; but what is meant to end a program (Ctrl-C, `SystemExit`) ends it.
pub(crate) fn found<T>(py: Python<'_>, looked: PyResult<T>) -> PyResult<Option<T>> {
    match looked {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.is_instance_of::<PyException>(py) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The classes of `arrayspan.errors`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Class {
    Error,
    Shape,
    DType,
    Parameter,
    WrongDevice,
    CopyRefused,
    Foreign,
    Unavailable,
    OutOfMemory,
    NoAdjoint,
}

impl Class {
    const NAMES: [&str; 10] = [
        "Error",
        "ShapeError",
        "DTypeError",
        "ParameterError",
        "WrongDevice",
        "CopyRefused",
        "ForeignArrayError",
        "DeviceUnavailable",
        "OutOfMemory",
        "NoAdjoint",
    ];

    pub(crate) fn raise(self, py: Python<'_>, text: impl Into<String>) -> PyErr {
        static KNOWN: [PyOnceLock<Py<PyType>>; 10] = [const { PyOnceLock::new() }; 10];
        let at = self as usize;
        match KNOWN[at].import(py, "arrayspan.errors", Self::NAMES[at]) {
            Ok(class) => PyErr::from_type(class.clone(), text.into()),
            Err(error) => error,
        }
    }
}

/// An exception of a class, for what only this package checks.
pub(crate) fn refuse<T>(class: Class, text: impl Into<String>) -> PyResult<T> {
    Err(Python::attach(|py| class.raise(py, text)))
}

type Inner = dyn std::error::Error + Send + Sync;

/// What a function of the caller's failed with, if it did.
fn raised(error: &arrayspan::Error) -> Option<&Inner> {
    match error {
        arrayspan::Error::Operator(Operator::Function(inner))
        | arrayspan::Error::Solver(Solver::Operator(Operator::Function(inner))) => Some(&**inner),
        arrayspan::Error::Unrecovered(unrecovered) => raised(&unrecovered.error),
        _ => None,
    }
}

fn class(error: &arrayspan::Error) -> Class {
    match error {
        arrayspan::Error::Device(error) => device(error),
        arrayspan::Error::Bridge(error) => bridge(error),
        arrayspan::Error::Kernel(error) => kernel(error),
        arrayspan::Error::Operator(error) => operator(error),
        arrayspan::Error::Solver(error) => solver(error),
        arrayspan::Error::Unrecovered(unrecovered) => class(&unrecovered.error),
        _ => Class::Error,
    }
}

fn device(error: &Device) -> Class {
    match error {
        Device::Unavailable { .. } | Device::NoSuchDevice { .. } => Class::Unavailable,
        Device::DeviceName { .. }
        | Device::LimitText { .. }
        | Device::Limit { .. }
        | Device::ZeroLimit { .. }
        | Device::Setting { .. } => Class::Parameter,
        Device::WrongDevice { .. } => Class::WrongDevice,
        _ => Class::Error,
    }
}

fn bridge(error: &Bridge) -> Class {
    match error {
        Bridge::Device(error) => device(error),
        Bridge::Unrecovered(unrecovered) => bridge(&unrecovered.error),
        Bridge::Shape { .. } => Class::Shape,
        Bridge::DType { .. } | Bridge::Conversion { .. } | Bridge::Inexact { .. } => Class::DType,
        Bridge::WrongDevice { .. } => Class::WrongDevice,
        Bridge::CopyRefused { .. } => Class::CopyRefused,
        Bridge::Foreign { .. } | Bridge::Inexpressible { .. } => Class::Foreign,
        Bridge::Slice { error, .. } => bridge(error),
        Bridge::Library { .. } => Class::Error,
        _ => Class::Parameter,
    }
}

fn kernel(error: &Kernel) -> Class {
    match error {
        Kernel::Bridge(error) => bridge(error),
        Kernel::Shape { .. } => Class::Shape,
        Kernel::DType { .. } | Kernel::NotComputable { .. } => Class::DType,
        Kernel::WrongDevice { .. } | Kernel::Apart { .. } => Class::WrongDevice,
        Kernel::Argument { .. } | Kernel::Declaration { .. } => Class::Parameter,
        _ => Class::Error,
    }
}

fn operator(error: &Operator) -> Class {
    match error {
        Operator::Kernel(error) => kernel(error),
        Operator::Shape { .. } | Operator::Spaces { .. } => Class::Shape,
        Operator::DType { .. } => Class::DType,
        Operator::WrongDevice { .. }
        | Operator::FactorDevice { .. }
        | Operator::WrongExecutor { .. }
        | Operator::Devices { .. } => Class::WrongDevice,
        Operator::Parameter { .. } | Operator::TooLarge { .. } | Operator::NoInverse { .. } => {
            Class::Parameter
        }
        Operator::NoAdjoint { .. } => Class::NoAdjoint,
        _ => Class::Error,
    }
}

fn solver(error: &Solver) -> Class {
    match error {
        Solver::Operator(error) => operator(error),
        Solver::Shape { .. } => Class::Shape,
        Solver::DType { .. } => Class::DType,
        Solver::WrongDevice { .. } | Solver::OperatorDevices { .. } => Class::WrongDevice,
        _ => Class::Parameter,
    }
}
