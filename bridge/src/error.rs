//! What can go wrong when arrays are made, viewed, handed over or moved.

use std::borrow::Cow;

use arrayspan_devices::Device;
use arrayspan_devices::retry::{OutOfMemory, Shortage, Unrecovered};

use crate::{DType, Why};

/// The result of a bridge operation.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What can go wrong when arrays are made, viewed, handed over or moved.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The device or its driver failed.
    #[error(transparent)]
    Device(#[from] arrayspan_devices::Error),
    /// Memory ran out, and what was tried against it did not help.
    #[error(transparent)]
    Unrecovered(Box<Unrecovered<Error>>),
    /// An array has another shape than the operation needs.
    #[error(
        "{operation}: shape is {found:?}{}, expected {expected:?}{}",
        counted(found, expected),
        counted(expected, found)
    )]
    Shape {
        /// What was asked for.
        operation: &'static str,
        /// The shape that would fit.
        expected: Vec<usize>,
        /// The shape given.
        found: Vec<usize>,
    },
    /// An array has another element type than the operation needs.
    #[error("{operation}: dtype is {found}, expected {expected}")]
    DType {
        /// What was asked for.
        operation: &'static str,
        /// The dtype that would fit.
        expected: DType,
        /// The dtype given.
        found: DType,
    },
    /// An array or a stream is of another device than the operation needs.
    #[error("{operation}: {argument} is on {found}, expected {expected}")]
    WrongDevice {
        /// What was asked for.
        operation: &'static str,
        /// `array` or `stream`.
        argument: &'static str,
        /// Where it would fit.
        expected: Device,
        /// Where it is.
        found: Device,
    },
    /// The name is not that of a kind of array.
    #[error(
        "'{text}' is not a kind of array: expected arrayspan, ndarray, torch, cudarc, opencl or dlpack"
    )]
    KindName {
        /// The text given.
        text: String,
    },
    /// There is no such axis.
    #[error("{operation}: axis {axis} does not exist in an array of rank {rank}")]
    Axis {
        /// What was asked for.
        operation: &'static str,
        /// The axis given; one below zero counts from the last.
        axis: isize,
        /// How many axes there are.
        rank: usize,
    },
    /// Shape, strides and offset do not describe what the operation can use.
    #[error("{operation}: shape {shape:?}{}: {why}", strided(shape, strides))]
    Layout {
        /// What was asked for.
        operation: &'static str,
        /// The shape.
        shape: Vec<usize>,
        /// The strides in elements; none where only the shape is at fault.
        strides: Vec<isize>,
        /// What is wrong with them.
        why: Cow<'static, str>,
    },
    /// A copy would be needed and [`Transfer::ZeroCopyOnly`](crate::Transfer::ZeroCopyOnly) was asked for.
    #[error("{operation}: needs a copy of {bytes} bytes ({why}), but zero-copy was required")]
    CopyRefused {
        /// What was asked for.
        operation: &'static str,
        /// Why there is no way without one.
        why: Why,
        /// How many bytes would be copied.
        bytes: usize,
    },
    /// Batches cannot be run as asked for.
    #[error("batches: {option}: {why}")]
    Batches {
        /// What was asked for.
        option: &'static str,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The number given for a batch does not name one device among those the batches run on.
    #[error(
        "batches: gpu_id {gpu_id} does not name one of the devices {devices:?}{}",
        if several(*gpu_id, devices) { ": it names several, which Assignment::Devices tells apart" } else { "" }
    )]
    Assignment {
        /// The number given.
        gpu_id: usize,
        /// The devices there are.
        devices: Vec<Device>,
    },
    /// The device given for a batch is none of those the batches run on.
    #[error("batches: {device} is not one of the devices {devices:?}")]
    AssignedDevice {
        /// The device given.
        device: Device,
        /// The devices there are.
        devices: Vec<Device>,
    },
    /// One of several arrays is at fault.
    #[error("array {index}: {error}")]
    Slice {
        /// Its number among them, from 0.
        index: usize,
        /// What is wrong with it.
        error: Box<Error>,
    },
    /// Elements cannot take that dtype by the rules given.
    #[error("convert: {from} to {to}: {why}")]
    Conversion {
        /// The dtype there is.
        from: DType,
        /// The dtype asked for.
        to: DType,
        /// Why not.
        why: &'static str,
    },
    /// Elements are not held exactly by the dtype asked for, and
    /// [`Overflow::Exact`](crate::Overflow::Exact) was required.
    #[error("convert: {count} element(s) of {from} cannot be held exactly by {to}")]
    Inexact {
        /// The dtype there is.
        from: DType,
        /// The dtype asked for.
        to: DType,
        /// How many elements.
        count: usize,
    },
    /// The target has no way to say what the array is.
    #[error("{operation}: {what}")]
    Inexpressible {
        /// What was asked for.
        operation: &'static str,
        /// What cannot be said.
        what: Cow<'static, str>,
    },
    /// A function of another library failed.
    #[error("{library}: {call} failed: {message} ({code})")]
    Library {
        /// Whose function.
        library: &'static str,
        /// Which one.
        call: &'static str,
        /// The library's own code, zero where it has none.
        code: i32,
        /// What it says.
        message: String,
    },
    /// An array of another library is not one that can be trusted or used.
    #[error("foreign array: field {field}: {why}")]
    Foreign {
        /// The field of its `DLPack` struct, or the property that field would hold.
        field: &'static str,
        /// What is wrong with it.
        why: String,
    },
}

/// The strides, where there are some.
fn strided(shape: &[usize], strides: &[isize]) -> String {
    let only_shape = strides.is_empty() && !shape.is_empty();
    if only_shape { String::new() } else { format!(" with strides {strides:?}") }
}

/// How many elements a shape has, where another has another number.
fn counted(shape: &[usize], other: &[usize]) -> String {
    let len = |shape: &[usize]| shape.iter().try_fold(1_usize, |n, &extent| n.checked_mul(extent));
    match (len(shape), len(other)) {
        (Some(len), other) if Some(len) != other => format!(" ({len} elements)"),
        _ => String::new(),
    }
}

/// Whether devices of several kinds have the number.
fn several(gpu_id: usize, devices: &[Device]) -> bool {
    let mut named = devices.iter().filter(|device| device.gpu_id() == gpu_id);
    named.next().is_some_and(|first| named.any(|other| other != first))
}

arrayspan_devices::debug_as_display!(Error);

impl OutOfMemory for Error {
    fn shortage(&self) -> Option<Shortage> {
        match self {
            Self::Device(error) => error.shortage(),
            Self::Unrecovered(error) => error.shortage(),
            _ => None,
        }
    }

    fn lost_device(&self) -> Option<&str> {
        match self {
            Self::Device(error) => error.lost_device(),
            Self::Unrecovered(error) => error.lost_device(),
            _ => None,
        }
    }
}

impl From<Unrecovered<Error>> for Error {
    fn from(unrecovered: Unrecovered<Error>) -> Self {
        if unrecovered.tried.is_empty() {
            unrecovered.error
        } else {
            Self::Unrecovered(Box::new(unrecovered))
        }
    }
}

impl From<Unrecovered<arrayspan_devices::Error>> for Error {
    fn from(unrecovered: Unrecovered<arrayspan_devices::Error>) -> Self {
        unrecovered.map(Self::Device).into()
    }
}
