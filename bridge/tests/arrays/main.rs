//! Arrays as newcomers use them: made, lent, sliced, joined and printed, on every device.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

#[path = "../common/mod.rs"]
mod common;
mod concatenation;
mod creation;
mod lending;
mod printing;
mod slicing;

use arrayspan_bridge::devices::Device;

/// The CPU and every accelerator.
fn devices() -> Vec<Device> {
    common::accelerators().into_iter().chain([Device::cpu()]).collect()
}
