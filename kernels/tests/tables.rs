//! Tables of taps in a device's memory: sent by an executor while nobody is kept from it.

#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

mod devices;

use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use arrayspan_kernels::bridge::devices::fault::{self, Fault, FaultKind, Injection};
use arrayspan_kernels::bridge::devices::reclaim::{self, Holdings, Reclaim};
use arrayspan_kernels::bridge::devices::{Device, Result, caches};
use arrayspan_kernels::bridge::{Array, DType};
use arrayspan_kernels::{Band, Executor, Gpu, Stencil, Update};
use parking_lot::Mutex;

use devices::devices;

const LEN: usize = 12_000;

/// One whose tables are too large to be constants of a kernel.
fn stencil(first: f64) -> Stencil {
    let taps = (0..9000).map(|k| (k - 4500, first + k as f64));
    Stencil::along(0, Band::uniform(LEN, taps)).unwrap()
}

fn apply(gpu: &Arc<Gpu>, first: f64) -> Array {
    let executor: &dyn Executor = &**gpu;
    let mut x = executor.empty(&[LEN], DType::Float32).unwrap();
    executor.map(&arrayspan_kernels::constant(1.0), &[], x.view_mut()).unwrap();
    let mut y = executor.empty(&[LEN], DType::Float32).unwrap();
    executor.stencil(&stencil(first), x.view(), y.view_mut(), Update::set()).unwrap();
    y
}

/// A library that multiplies with an executor when it is asked for memory, as one may that moves its arrays elsewhere.
#[derive(Debug)]
struct Busy(Mutex<Option<(Arc<Gpu>, Injection)>>);

static BUSY: Busy = Busy(Mutex::new(None));

impl Reclaim for Busy {
    fn name(&self) -> &'static str {
        "busy"
    }

    fn holdings(&self, _: Device) -> Option<Holdings> {
        None
    }

    fn release(&self, _: Device) -> Result<Option<usize>> {
        let asked = self.0.lock().take();
        if let Some((gpu, injected)) = asked {
            // From here on there is memory.
            drop(injected);
            apply(&gpu, 2.0);
        }
        Ok(None)
    }
}

#[test]
fn who_is_asked_for_memory_while_tables_are_sent_may_use_the_executor() {
    reclaim::register(&BUSY);
    for device in devices() {
        let gpu = Arc::new(Gpu::new(device.new_stream().unwrap()).unwrap());
        // Kernels and arrays are there before.
        let expected = apply(&gpu, 1.0).view().to_vec::<f32>().unwrap();
        // Tables are not: executors share them.
        let cleared = caches::clear(device);
        assert!(cleared.failures().next().is_none(), "{cleared}");
        let other = Arc::new(Gpu::new(device.new_stream().unwrap()).unwrap());
        let (done, waiting) = mpsc::channel();
        thread::spawn(move || {
            // Of this thread's allocations on the device the third is that of tables. From then on there is no memory until
            // the library is asked for some.
            let fault = Fault {
                skip: 2,
                count: usize::MAX,
                device: Some(device),
                ..Fault::new(FaultKind::Allocation)
            };
            *BUSY.0.lock() = Some((other.clone(), fault::inject(fault)));
            let _ = done.send(apply(&other, 1.0).view().to_vec::<f32>().unwrap());
        });
        let found = waiting.recv_timeout(Duration::from_secs(60)).expect("no deadlock");
        assert!(found == expected, "{device}: other results");
        assert!(BUSY.0.lock().is_none(), "it was asked for memory");
    }
}

#[test]
fn threads_at_once_get_the_same_tables() {
    for device in Device::all().into_iter().filter(|d| !d.is_cpu()) {
        let gpu = Arc::new(Gpu::new(device.new_stream().unwrap()).unwrap());
        let results: Vec<Vec<f32>> = thread::scope(|scope| {
            let threads: Vec<_> = (0..4)
                .map(|_| scope.spawn(|| apply(&gpu, 3.0).view().to_vec::<f32>().unwrap()))
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(results.iter().all(|result| *result == results[0]), "{device}");
        // Ones times the weights of all taps.
        let middle: f64 = (0..9000).map(|k| 3.0 + f64::from(k)).sum();
        assert!((f64::from(results[0][6000]) - middle).abs() < 1e-4 * middle, "{device}");
    }
}
