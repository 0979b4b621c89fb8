//! Nothing leaks. The count is that of a whole device, so these tests have a process of their own and take turns.

use std::sync::Mutex;

use arrayspan_bridge::DType;
use arrayspan_conformance::{cases, suite};
use arrayspan_devices::DeviceKind;

static TURN: Mutex<()> = Mutex::new(());

fn live_bytes_return_to_the_baseline(kind: DeviceKind) {
    let turn = TURN.lock();
    for dtype in [DType::Float32, DType::Complex128] {
        for (_, cases) in cases::ALL {
            suite::hold(kind, dtype, *cases, suite::leaks::law);
        }
    }
    drop(turn);
}

#[test]
fn on_the_host_live_bytes_return_to_the_baseline() {
    live_bytes_return_to_the_baseline(DeviceKind::Cpu);
}

#[test]
fn on_opencl_live_bytes_return_to_the_baseline() {
    live_bytes_return_to_the_baseline(DeviceKind::OpenCl);
}

#[test]
fn on_cuda_live_bytes_return_to_the_baseline() {
    live_bytes_return_to_the_baseline(DeviceKind::Cuda);
}
