//! `ToDevice`: to the device itself, and to another and back with work there.

use arrayspan_bridge::DType;
use arrayspan_devices::Device;
use arrayspan_operators::{Edge, FirstDerivative, Operator, Result, Scheme, ToDevice, vstack};

use super::space;
use crate::suite::{Case, Cell, Moves, devices};

/// What is moved to where it is is copied. What is done on another device is not done by the executor that counts; what comes
/// back and is added is added by it.
#[must_use]
pub fn cases(dtype: DType) -> Vec<Case> {
    let itself = |shape: &[usize]| {
        let (len, shape) = (shape.iter().product(), shape.to_vec());
        let (name, moves) = (format!("{shape:?} to itself"), Moves::one(len, len));
        let make =
            move |cell: &Cell| ToDevice::new(space(cell, &shape)?, cell.device, cell.device);
        Case::new(name, make).moves(moves, moves)
    };
    let elsewhere = |cell: &Cell| slope(cell, 0)?.on(other(cell.device, cell.dtype), cell.device);
    let both = |cell: &Cell| {
        let there = |axis| slope(cell, axis)?.on(other(cell.device, cell.dtype), cell.device);
        vstack([there(0)?, slope(cell, 1)?, there(-1)?])
    };
    let (set, add, none) = (Moves::one(221, 221), Moves::one(442, 221), Moves::one(0, 0));
    // Without another device all is done here.
    let there = if other(Device::cpu(), dtype).is_cpu() { set } else { none };
    vec![
        itself(&[7]).golden("identity/square"),
        itself(&[13, 1, 17]),
        Case::new("a derivative elsewhere", elsewhere)
            .moves(there, there)
            .moves_adding(add, add),
        Case::new("derivatives on two devices", both)
            .moves(there.then(set).then(there), there.then(add).then(add))
            .moves_adding(add.then(add).then(add), add.then(add).then(add)),
    ]
}

fn slope(cell: &Cell, axis: isize) -> Result<Operator> {
    FirstDerivative::new(space(cell, &[13, 17])?, axis, 0.5, Scheme::Centered3, Edge::Reduced)
}

/// Another device that computes in the dtype, or the device itself.
fn other(device: Device, dtype: DType) -> Device {
    let computes = |device: &Device| {
        device.is_cpu() || device.info().float64 || dtype.real() == DType::Float32
    };
    devices::other_than(device).filter(computes).unwrap_or(device)
}
