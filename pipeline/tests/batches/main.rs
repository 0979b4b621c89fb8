//! Batches over devices: whatever the devices, the order and what goes wrong, the same as a loop.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

#[path = "../common/mod.rs"]
mod common;
mod failures;
mod four;
mod inputs;
mod memory;
mod options;
mod results;
mod waiting;

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::Duration;

use arrayspan_bridge::devices::{Device, drain};
use arrayspan_bridge::{Array, Error, Relayout, Result};
use arrayspan_pipeline::batch::BatchPlace;

/// What batches are run on: the CPU, alone and several times, each accelerator, and all together.
fn sets() -> Vec<Vec<Device>> {
    let cpu = Device::cpu();
    let accelerators = common::accelerators();
    let mut sets = vec![vec![cpu], vec![cpu; 3]];
    for accelerator in &accelerators {
        sets.push(vec![*accelerator]);
        sets.push(vec![*accelerator, *accelerator, cpu]);
    }
    sets.push([vec![cpu], accelerators].concat());
    sets
}

/// A batch of `rows` × 3 numbers that tell which batch it is.
fn batch(index: usize, rows: usize) -> ndarray::Array2<f32> {
    ndarray::Array2::from_shape_fn((rows, 3), |(i, j)| (100 * index + 10 * i + j) as f32)
}

/// Turns the columns around, on any device, by its own copy: row by row, so that halves give the same.
fn turned(x: &Array, on: &BatchPlace) -> Result<Array> {
    let mut y = Array::empty(x.shape(), x.dtype(), &on.stream)?;
    y.view_mut().copy_from(&x.view().reversed(1)?, &on.stream)?;
    Ok(y)
}

/// What [`turned`] makes of [`batch`].
fn expected(index: usize, rows: usize) -> Vec<f32> {
    let mut turned = batch(index, rows);
    turned.invert_axis(ndarray::Axis(1));
    turned.iter().copied().collect()
}

/// As [`turned`], in times that differ from batch to batch so that later ones are done first.
fn uneven(x: &Array, on: &BatchPlace) -> Result<Array> {
    let milliseconds = (x.shape()[0] * 7 + on.position) % 4;
    sleep(Duration::from_millis(milliseconds as u64));
    turned(x, on)
}

fn values(array: &Array) -> Vec<f32> {
    array.view().to_vec().unwrap()
}

/// An error as a device without room gives it.
fn out_of_memory(device: Device) -> Error {
    arrayspan_bridge::devices::Error::out_of_memory(device, 1 << 40, 2).into()
}

/// Held by every test: those that count bytes must be alone.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Bytes and blocks held on every device, once nothing is on its way any more.
fn held() -> Vec<(usize, usize)> {
    drain();
    let statistics = Device::all().into_iter().map(Device::statistics);
    statistics.map(|statistics| (statistics.live_bytes, statistics.live_blocks)).collect()
}
