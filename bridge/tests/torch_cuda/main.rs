//! Tensors and arrays on a GPU. Without one, only that nothing panics.
//!
//! A program of its own: torch looks for CUDA once, and a test that needs none could make it look too early.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

#[path = "../common/mod.rs"]
mod common;
mod crossing;
mod kernel;
mod memory;
mod order;
mod recorded;
#[path = "../torch/support.rs"]
mod support;

use std::sync::{Mutex, MutexGuard, PoisonError};

use arrayspan_bridge::Error;
use arrayspan_bridge::devices::{self, Device, drain};
use arrayspan_bridge::torch::{self, current_stream, empty_cache, memory_statistics, with_stream};
use common::{delay, first};
use tch::{Kind, Tensor};

/// Enough that a pass over it takes a GPU some microseconds.
const LONG: usize = 1 << 24;

/// One test at a time: torch's cache belongs to the process, and what one library loads at its first use holds up others.
type Turn = MutexGuard<'static, ()>;

/// A turn, a device of CUDA and torch's name for it.
fn cuda() -> Option<(Turn, Device, tch::Device)> {
    static TURN: Mutex<()> = Mutex::new(());
    let device = first("cuda")?;
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    // What the test before has given up is given back.
    drain();
    let on = torch::device(device).expect("libtorch_cuda is there");
    // What takes long at first use is done, so that queued work is still running when tests look.
    device.stream().unwrap();
    current_stream(device).unwrap();
    Some((turn, device, on))
}

/// Zeros to which torch will have added one as often as asked some time after this returns.
fn slow_counting(times: usize, on: tch::Device) -> Tensor {
    let mut tensor = Tensor::zeros([LONG as i64], (Kind::Float, on));
    let tch::Device::Cuda(gpu_id) = on else { unreachable!("a test of CUDA") };
    delay(current_stream(Device::cuda(gpu_id).unwrap()).unwrap().raw());
    (0..times).for_each(|_| drop(tensor.g_add_scalar_(1)));
    tensor
}

#[test]
fn without_cuda_there_is_an_error_and_no_panic() {
    if Device::cuda(0).is_ok() {
        eprintln!("skipped: there is a CUDA device");
        return;
    }
    let refused = torch::load_cuda().unwrap_err();
    assert!(matches!(refused, Error::Device(devices::Error::Unavailable { .. })), "{refused}");
    for refused in [
        current_stream(Device::cpu()).map(drop),
        empty_cache(Device::cpu()),
        memory_statistics(Device::cpu()).map(drop),
        with_stream(&Device::cpu().stream().unwrap(), || ()),
    ] {
        let refused = refused.unwrap_err();
        assert!(matches!(refused, Error::Inexpressible { .. }), "{refused}");
    }
}
