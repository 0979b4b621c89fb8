//! Nothing leaks. The count is that of a whole device, so these tests have a process of their own and take turns.

use std::sync::Mutex;

use arrayspan_bridge::{DType, View, ViewMut};
use arrayspan_conformance::suite::{Case, Cell};
use arrayspan_conformance::{cases, suite};
use arrayspan_devices::{Device, DeviceKind};
use arrayspan_kernels::Update;
use arrayspan_operators::{Context, LinearMap, Result, Space};

static TURN: Mutex<()> = Mutex::new(());

fn live_bytes_return_to_the_baseline(kind: DeviceKind) {
    let turn = TURN.lock();
    for dtype in [DType::Float32, DType::Float64, DType::Complex64, DType::Complex128] {
        for operator in cases::ALL {
            suite::hold(kind, dtype, operator, suite::leaks::law);
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

/// Copies, and forgets an array each time.
#[derive(Debug)]
struct Leaky(Space);

impl LinearMap for Leaky {
    fn name(&self) -> &'static str {
        "Leaky"
    }

    fn domain(&self) -> &Space {
        &self.0
    }

    fn range(&self) -> &Space {
        &self.0
    }

    fn enqueue(&self, on: Context<'_>, x: View<'_>, y: ViewMut<'_>, update: Update) -> Result<()> {
        std::mem::forget(on.empty(&[3], DType::Float32)?);
        Ok(on.copy(x, y, update)?)
    }

    fn enqueue_adjoint(
        &self,
        on: Context<'_>,
        y: View<'_>,
        x: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        Ok(on.copy(y, x, update)?)
    }
}

#[test]
fn an_operator_that_leaks_is_found() {
    let turn = TURN.lock();
    let case = Case::new("leaky", |cell: &Cell| Ok(Leaky(Space::new([5], cell.dtype)?)));
    let cell = Cell { device: Device::cpu(), dtype: DType::Float32 };
    let verdict = suite::leaks::law(&cell, &case);
    drop(turn);
    assert!(verdict.is_err());
}
