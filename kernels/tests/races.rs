//! Threads that use the same block at once: what one has queued is waited for, whatever the others do meanwhile.

#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

mod devices;

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use arrayspan_kernels::bridge::devices::fault::{self, Fault, FaultKind, Injection};
use arrayspan_kernels::bridge::devices::reclaim::{self, Holdings, Reclaim};
use arrayspan_kernels::bridge::devices::{Access, Device, Memory, Result};
use arrayspan_kernels::bridge::{Array, DType};
use arrayspan_kernels::{Executor, Gpu, constant, input, previous};
use parking_lot::Mutex;

const LEN: usize = 1 << 21;

/// A library that lets another thread work while this one looks for memory, and waits for it.
#[derive(Debug)]
struct Pause(Mutex<Option<Waiting>>);

/// Refusals that end when the library is asked, and how it lets the other thread begin and hears of its end.
type Waiting = (Injection, Sender<()>, Receiver<()>);

static PAUSE: Pause = Pause(Mutex::new(None));
/// Whose turn the pause is.
static ONE: Mutex<()> = Mutex::new(());

impl Reclaim for Pause {
    fn name(&self) -> &'static str {
        "pause"
    }

    fn holdings(&self, _: Device) -> Option<Holdings> {
        None
    }

    fn release(&self, _: Device) -> Result<Option<usize>> {
        if let Some((refusals, go, done)) = self.0.lock().take() {
            // From here on there is memory.
            drop(refusals);
            go.send(()).unwrap();
            done.recv().unwrap();
        }
        Ok(None)
    }
}

fn devices() -> Vec<Device> {
    reclaim::register(&PAUSE);
    devices::devices()
}

fn gpu(device: Device) -> Arc<Gpu> {
    Arc::new(Gpu::new(device.new_stream().unwrap()).unwrap())
}

/// Runs `first`, whose launch is refused for lack of memory at first, and `second` on another thread meanwhile.
fn interleave(first: impl FnOnce(), second: impl FnOnce() + Send) {
    let (go, gone) = channel();
    let (end, ended) = channel();
    thread::scope(|scope| {
        scope.spawn(move || {
            gone.recv().unwrap();
            second();
            end.send(()).unwrap();
        });
        // Refused until the library is asked.
        let refused = fault::inject(Fault { count: usize::MAX, ..Fault::new(FaultKind::Launch) });
        *PAUSE.0.lock() = Some((refused, go, ended));
        first();
    });
    assert!(PAUSE.0.lock().is_none(), "memory was looked for");
}

/// Keeps the executor's stream from what is queued on it after this, for a while. What does so is to be kept until then.
fn hold(executor: &dyn Executor) -> (Arc<Gpu>, Array) {
    let gpu = gpu(executor.device());
    let busy: &dyn Executor = &*gpu;
    let mut numbers = busy.empty(&[4 * LEN], DType::Float32).unwrap();
    let roots = (0..60).fold(previous(), |root, _| root.sqrt());
    (0..2).for_each(|_| busy.map(&roots, &[], numbers.view_mut()).unwrap());
    executor.stream().wait_for(busy.stream()).unwrap();
    (gpu, numbers)
}

#[test]
fn halves_of_an_array_written_on_two_streams_are_both_there_for_a_reader() {
    let _one = ONE.lock();
    for device in devices() {
        let (a, b) = (gpu(device), gpu(device));
        let (one, other): (&dyn Executor, &dyn Executor) = (&*a, &*b);
        let mut held = Vec::new();
        for _ in 0..3 {
            let mut whole = one.empty(&[2 * LEN], DType::Float32).unwrap();
            one.map(&constant(1.0), &[], whole.view_mut()).unwrap();
            one.stream().synchronize().unwrap();
            let (low, high) = whole.view_mut().split_at(0, LEN).unwrap();
            interleave(
                || one.map(&constant(2.0), &[], low).unwrap(),
                || {
                    other.map(&constant(2.0), &[], high).unwrap();
                    held.push(hold(one));
                },
            );
            let mut copy = other.empty(&[2 * LEN], DType::Float32).unwrap();
            other.map(&input(0), &[whole.view()], copy.view_mut()).unwrap();
            let found = copy.view().to_vec::<f32>().unwrap();
            assert!(
                found.iter().all(|v| v.to_bits() == 2.0_f32.to_bits()),
                "{device}: a half is read before it is written"
            );
        }
    }
}

#[test]
fn a_block_is_not_reused_while_a_kernel_reads_it_though_the_host_has_waited_meanwhile() {
    let _one = ONE.lock();
    for device in devices() {
        let (a, b) = (gpu(device), Arc::new(Gpu::new(device.process_stream().unwrap()).unwrap()));
        let (one, other): (&dyn Executor, &dyn Executor) = (&*a, &*b);
        let mut held = Vec::new();
        for _ in 0..3 {
            let mut x = one.empty(&[LEN], DType::Float32).unwrap();
            one.map(&constant(1.0), &[], x.view_mut()).unwrap();
            let mut y = one.empty(&[LEN], DType::Float32).unwrap();
            let memory: &Memory = x.memory();
            interleave(
                || one.map(&input(0), &[x.view()], y.view_mut()).unwrap(),
                || {
                    memory.wait(Access::Write).unwrap();
                    held.push(hold(one));
                },
            );
            drop(x);
            let mut next: Vec<Array> = Vec::new();
            for _ in 0..3 {
                let mut z = other.empty(&[LEN], DType::Float32).unwrap();
                other.map(&constant(7.0), &[], z.view_mut()).unwrap();
                next.push(z);
            }
            let found = y.view().to_vec::<f32>().unwrap();
            assert!(
                found.iter().all(|v| v.to_bits() == 1.0_f32.to_bits()),
                "{device}: memory is freed under a kernel"
            );
        }
    }
}
