//! What executors share. In a process of its own: the kernels of a whole device are counted, and what its memory holds.

#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

mod devices;

use std::sync::{Arc, Mutex, PoisonError};

use arrayspan_kernels::bridge::devices::{Device, caches, drain};
use arrayspan_kernels::bridge::{Array, DType};
use arrayspan_kernels::{
    Band, Executor, Gpu, Stencil, Update, constant, input, on, on_stream, warm_up,
};

use devices::devices;

/// One test counts at a time.
static TURN: Mutex<()> = Mutex::new(());

/// Runs on every device that runs kernels.
fn on_each(test: impl Fn(Device)) {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    devices().into_iter().for_each(test);
}

fn array(executor: &dyn Executor, shape: &[usize]) -> Array {
    executor.empty(shape, DType::Float32).unwrap()
}

#[test]
fn new_factors_and_constants_need_no_new_kernel() {
    on_each(|device| {
        let gpu = Gpu::new(device.stream().unwrap()).unwrap();
        let executor: &dyn Executor = &gpu;
        let x = array(executor, &[64]);
        let mut y = array(executor, &[64]);
        let call = |executor: &dyn Executor, y: &mut Array, factor: f64| {
            executor.map(&(constant(factor) * input(0)), &[x.view()], y.view_mut())?;
            executor.copy(x.view(), y.view_mut(), Update::new(factor, factor + 1.0))
        };
        call(executor, &mut y, 2.0).unwrap();
        let kernels = caches::kernels(device);
        call(executor, &mut y, 3.0).unwrap();
        assert_eq!(caches::kernels(device), kernels);
        // Nor does another executor, on another stream.
        let other = Gpu::new(device.new_stream().unwrap()).unwrap();
        let on_other: &dyn Executor = &other;
        let z = array(on_other, &[64]);
        on_other.copy(z.view(), y.view_mut(), Update::new(2.0, 3.0)).unwrap();
        assert_eq!(caches::kernels(device), kernels);
        // Not even one with the same text under another key.
        let missing = warm_up(gpu.stream(), |planner| call(planner, &mut y, 5.0));
        assert_eq!(missing.unwrap(), 0);
        other.stream().synchronize().unwrap();
    });
}

#[test]
fn the_executor_of_the_process_is_made_once_and_threads_have_their_own() {
    on_each(|device| {
        let first = on(device).unwrap();
        assert!(Arc::ptr_eq(&first, &on(device).unwrap()));
        let process = device.process_stream().unwrap();
        assert!(Arc::ptr_eq(&first, &on_stream(&process).unwrap()));
        let stream = device.new_stream().unwrap();
        let default = stream.as_default();
        let own = on(device).unwrap();
        assert_eq!(own.stream(), &stream);
        drop(default);
        assert!(Arc::ptr_eq(&first, &on(device).unwrap()));
    });
    let host = on(Device::cpu()).unwrap();
    assert!(Arc::ptr_eq(&host, &on(Device::cpu()).unwrap()));
}

const LEN: usize = 8009;

/// More taps than a kernel can have as constants, so that they go to tables in the device's memory.
fn long() -> Stencil {
    Stencil::along(0, Band::uniform(LEN, (-3500..=3500).map(|tap| (tap, 1.0 + tap as f64))))
        .unwrap()
}

#[test]
fn tables_are_sent_once_for_all_executors_and_given_back_when_memory_is_asked_for() {
    on_each(|device| {
        let live = || {
            device.synchronize().unwrap();
            drain();
            device.statistics().live_bytes
        };
        let stencil = long();
        let apply = |executor: &dyn Executor| {
            let x = array(executor, &[LEN]);
            let mut y = array(executor, &[LEN]);
            executor.stencil(&stencil, x.view(), y.view_mut(), Update::set()).unwrap();
            executor.sum(&input(0), &[y.view()], array(executor, &[]).view_mut()).unwrap();
            executor.stream().synchronize().unwrap();
        };
        let before = live();
        apply(&*on(device).unwrap());
        let sent = live();
        assert!(sent > before, "{device}: no table was sent");
        apply(&Gpu::new(device.new_stream().unwrap()).unwrap());
        assert_eq!(live(), sent, "{device}");
        let cleared = caches::clear(device);
        assert!(cleared.failures().next().is_none(), "{cleared}");
        assert_eq!(live(), before, "{device}: {cleared}");
        apply(&*on(device).unwrap());
        assert_eq!(live(), sent, "{device}");
        let _ = caches::clear(device);
    });
}

/// A call like the one before is launched as that was, unless its kernel is no longer there.
#[test]
fn a_stencil_is_applied_again_after_its_kernel_was_given_back() {
    on_each(|device| {
        let executor = on(device).unwrap();
        let band = Band::uniform(37, [(-1, -0.5), (1, 0.5)]);
        let stencil = Stencil::along(0, band).unwrap();
        let host: Vec<f32> = (0..37).map(|i| (i * i % 11) as f32).collect();
        let x = Array::from_slice(&host, [37]).unwrap().into_device(device).unwrap().0;
        let apply = || {
            let mut y = array(&*executor, &[37]);
            executor.stencil(&stencil, x.view(), y.view_mut(), Update::set()).unwrap();
            y.into_device(Device::cpu()).unwrap().0.to_vec::<f32>().unwrap()
        };
        let first = apply();
        assert_eq!(first[1..3], [(host[2] - host[0]) / 2.0, (host[3] - host[1]) / 2.0], "{device}");
        assert_eq!(apply(), first, "{device}");
        let _ = caches::clear(device);
        let kernels = caches::kernels(device);
        assert_eq!(apply(), first, "{device}");
        assert!(
            caches::kernels(device) > kernels,
            "{device}: nobody but the cache keeps a kernel loaded"
        );
        assert_eq!(apply(), first, "{device}");
    });
}
