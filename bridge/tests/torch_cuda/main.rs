//! Tensors and arrays on a GPU. Without one, only that nothing panics.
//!
//! A program of its own: torch looks for CUDA once, and a test that needs none could make it look too early.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

#[path = "../common/mod.rs"]
mod common;
mod kernel;
mod recorded;
#[path = "../torch/support.rs"]
mod support;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};

use arrayspan_bridge::devices::reclaim::libraries;
use arrayspan_bridge::devices::{self, Device, Stream, drain};
use arrayspan_bridge::torch::{
    self, attempt, current_stream, empty_cache, export, import, memory_statistics, record_stream,
    with_stream,
};
use arrayspan_bridge::{Array, Crossing, Error, Relayout, Transfer, Why};
use cudarc::driver::result::ctx::get_current;
use num_complex::Complex;
use tch::{Kind, Tensor};

use common::{delay, first};
use kernel::Slow;
use recorded::recorded;
use support::{COPY, SHARE, copied, numbers};

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

fn last(array: &Array) -> Vec<f32> {
    let len = array.shape()[0];
    array.view().sliced(0, len - 1, 1).unwrap().to_vec::<f32>().unwrap()
}

/// What takes memory that was given up too early, and writes other content to it at once.
struct Thief {
    other: Array,
    stream: Stream,
}

impl Thief {
    fn new(device: Device) -> Self {
        let other =
            Array::from_vec(vec![-7.0_f32; LONG], [LONG]).unwrap().into_device(device).unwrap().0;
        let stream = device.new_stream().unwrap();
        stream.wait_for(&device.stream().unwrap()).unwrap();
        Self { other, stream }
    }

    fn steal(&self) -> Vec<Array> {
        let view = self.other.view();
        let copy = |_| view.to_with(self.other.device(), Transfer::CopyIfNeeded, &self.stream);
        (0..4).map(|number| copy(number).unwrap().0).collect()
    }
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

#[test]
fn a_tensor_becomes_an_array_and_that_tensor_again() {
    let Some((_turn, device, on)) = cuda() else { return };
    let mut tensor = Tensor::arange(6, (Kind::Float, on)).reshape([2, 3]);
    let (address, implementation) = (tensor.data_ptr().addr(), tensor.numel());
    let (array, crossing) = import(tensor, SHARE).unwrap();
    assert_eq!((crossing, array.device()), (Crossing::ZeroCopy, device));
    assert_eq!(array.memory().address(), address);
    let columns = array.view().permuted(&[1, 0]).unwrap();
    assert_eq!(columns.to_vec::<f32>().unwrap(), [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]);
    (tensor, _) = export(array, SHARE).unwrap();
    assert_eq!((tensor.data_ptr().addr(), tensor.numel()), (address, implementation));
    assert_eq!(numbers(&(tensor + 1.0)), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
}

#[test]
fn an_array_becomes_a_tensor_and_an_array_again() {
    let Some((_turn, device, on)) = cuda() else { return };
    let array =
        Array::from_vec(vec![0.0_f64, 1.0, 2.0, 3.0], [4]).unwrap().into_device(device).unwrap().0;
    let address = array.memory().address();
    let (tensor, crossing) = export(array.sliced(0, 1, 3).unwrap(), SHARE).unwrap();
    assert_eq!((crossing, tensor.device()), (Crossing::ZeroCopy, on));
    assert_eq!(tensor.data_ptr().addr(), address + 8);
    let (array, crossing) = import(tensor.g_mul_scalar(2) - 1.0, SHARE).unwrap();
    assert_eq!(crossing, Crossing::ZeroCopy);
    assert_eq!(array.view().to_vec::<f64>().unwrap(), [1.0, 3.0, 5.0]);
    let (array, _) = import(tensor, SHARE).unwrap();
    assert_eq!(array.view().to_vec::<f64>().unwrap(), [1.0, 2.0, 3.0]);
}

#[test]
fn odd_shapes_and_strides_cross_as_on_the_cpu() {
    let Some((_turn, device, on)) = cuda() else { return };
    for shape in [vec![], vec![0], vec![3, 0], vec![1, 2]] {
        let tensor = Tensor::ones(&shape, (Kind::Float, on));
        let (array, _) = import(tensor, SHARE).unwrap();
        let (tensor, _) = export(array, SHARE).unwrap();
        assert_eq!((tensor.size(), numbers(&tensor)), (shape, vec![1.0; tensor.numel()]));
    }
    let expanded = Tensor::arange(2, (Kind::Float, on)).reshape([2, 1]).expand([2, 2], false);
    let (array, crossing) = import(expanded, COPY).unwrap();
    assert_eq!(crossing, copied(Why::Strides, 16));
    assert_eq!(array.view().to_vec::<f32>().unwrap(), [0.0, 0.0, 1.0, 1.0]);
    let (tensor, crossing) = export(array.reversed(0).unwrap(), COPY).unwrap();
    assert_eq!(crossing, copied(Why::Strides, 16));
    assert_eq!(numbers(&tensor), [1.0, 1.0, 0.0, 0.0]);
    let parts = Tensor::arange(2, (Kind::Double, on));
    let (array, crossing) = import(Tensor::complex(&parts, &parts).conj(), COPY).unwrap();
    assert_eq!((crossing, array.device()), (copied(Why::Lazy, 32), device));
    let values = array.view().to_vec::<Complex<f64>>().unwrap();
    assert_eq!(values, [Complex::new(0.0, 0.0), Complex::new(1.0, -1.0)]);
}

#[test]
fn our_work_comes_after_torchs_and_the_host_does_not_wait() {
    let Some((_turn, device, on)) = cuda() else { return };
    // An import that waits does so each time. A busy host holds up one that does not.
    let mut waited = true;
    for _ in 0..10 {
        let tensor = slow_counting(500, on);
        let queued = current_stream(device).unwrap().record().unwrap();
        let (array, crossing) = import(tensor, SHARE).unwrap();
        waited &= queued.is_complete().unwrap();
        assert_eq!((last(&array), crossing), (vec![500.0], Crossing::ZeroCopy));
    }
    assert!(!waited, "the import has waited, or the work was too short");
}

#[test]
fn torchs_work_comes_after_ours_and_the_host_does_not_wait() {
    let Some((_turn, device, on)) = cuda() else { return };
    let (slow, stream) = (Slow::new(device), device.new_stream().unwrap());
    // An export that waits does so each time. A busy host holds up one that does not.
    let (mut waited, mut tensor) = (true, Tensor::new());
    for _ in 0..10 {
        let array = slow.count(&stream);
        let queued = stream.record().unwrap();
        tensor = export(array, SHARE).unwrap().0;
        waited &= queued.is_complete().unwrap();
    }
    assert!(!waited, "the export has waited, or the work was too short");
    assert_eq!(numbers(&(tensor + Tensor::ones([1], (Kind::Int, on))))[..3], [2.0, 3.0, 4.0]);
}

#[test]
fn a_tensor_given_up_while_we_use_it_is_not_given_out_by_torch() {
    let Some((_turn, device, on)) = cuda() else { return };
    let slow = Slow::new(device);
    for _ in 0..5 {
        let tensor = Tensor::arange(Slow::N as i64, (Kind::Int, on));
        let (array, _) = import(tensor, SHARE).unwrap();
        let stream = device.new_stream().unwrap();
        let result = slow.increment(&array, &stream);
        drop(array);
        // Torch's allocator gives the last block of a size out first.
        let stolen = Tensor::full([Slow::N as i64], -7, (Kind::Int, on));
        assert_eq!(result.view().to_vec::<i32>().unwrap()[..3], [1, 2, 3]);
        drop(stolen);
    }
    drain();
    device.check().unwrap();
}

#[test]
fn an_array_given_up_by_torch_stays_until_torchs_work_is_done() {
    let Some((_turn, device, on)) = cuda() else { return };
    let thief = Thief::new(device);
    for _ in 0..5 {
        let array =
            Array::from_vec(vec![1.0_f32; LONG], [LONG]).unwrap().into_device(device).unwrap().0;
        let (tensor, _) = export(array, SHARE).unwrap();
        let busy = slow_counting(300, on);
        let sum = &busy + &tensor;
        drop(tensor);
        let stolen = thief.steal();
        assert_eq!(numbers(&sum.narrow(0, LONG as i64 - 2, 2)), [301.0, 301.0]);
        drop(stolen);
    }
}

#[test]
fn an_array_that_torch_used_on_another_stream_stays_until_that_is_done() {
    let Some((_turn, device, on)) = cuda() else { return };
    let (thief, theirs) = (Thief::new(device), device.new_stream().unwrap());
    let array =
        Array::from_vec(vec![1.0_f32; LONG], [LONG]).unwrap().into_device(device).unwrap().0;
    let (tensor, _) = export(array, SHARE).unwrap();
    theirs.wait_for(&current_stream(device).unwrap()).unwrap();
    let sum = with_stream(&theirs, || &slow_counting(300, on) + &tensor).unwrap();
    // The default stream is current again and knows nothing of the other one.
    drop(tensor);
    let stolen = thief.steal();
    theirs.synchronize().unwrap();
    assert_eq!(numbers(&sum.narrow(0, LONG as i64 - 2, 2)), [301.0, 301.0]);
    drop(stolen);
}

#[test]
fn a_stream_of_ours_is_torchs_for_a_while_also_if_it_panics() {
    let Some((_turn, device, on)) = cuda() else { return };
    let (before, ours) = (current_stream(device).unwrap(), device.new_stream().unwrap());
    assert_ne!(before, ours);
    let mut tensor = Tensor::zeros([LONG as i64], (Kind::Float, on));
    // The kernel is loaded, which is not possible while it is recorded.
    drop(tensor.g_add_scalar_(0));
    let add = |tensor: &mut Tensor| recorded(&ours, || drop(tensor.g_add_scalar_(1)));
    assert_eq!(add(&mut tensor), 0, "torch's current stream is another one");
    assert_eq!(with_stream(&ours, || add(&mut tensor)).unwrap(), 1, "torch works elsewhere");
    let (inside, tensor) = with_stream(&ours, || {
        let tensor = slow_counting(300, on);
        (current_stream(device).unwrap(), import(tensor, SHARE).unwrap().0)
    })
    .unwrap();
    assert_eq!(inside, ours);
    assert_eq!(current_stream(device).unwrap(), before);
    assert_eq!(last(&tensor), [300.0]);
    let panicked = catch_unwind(AssertUnwindSafe(|| with_stream(&ours, || panic!("on purpose"))));
    assert!(panicked.is_err());
    assert_eq!(current_stream(device).unwrap(), before);
    let nested = with_stream(&ours, || with_stream(&before, || current_stream(device)).unwrap());
    assert_eq!(nested.unwrap().unwrap(), before);
    let elsewhere = std::thread::spawn(move || current_stream(device).unwrap()).join().unwrap();
    assert_eq!(elsewhere, before);
}

#[test]
fn streams_can_be_recorded_for_either_sides_memory() {
    let Some((_turn, device, on)) = cuda() else { return };
    let stream = device.new_stream().unwrap();
    let theirs = Tensor::ones([4], (Kind::Float, on));
    record_stream(&theirs, &stream).unwrap();
    let array = Array::from_vec(vec![1.0_f32; 4], [4]).unwrap().into_device(device).unwrap().0;
    let (ours, _) = export(array, SHARE).unwrap();
    record_stream(&ours, &stream).unwrap();
    let host = Tensor::ones([4], (Kind::Float, tch::Device::Cpu));
    let refused = record_stream(&host, &stream).unwrap_err();
    assert!(matches!(refused, Error::WrongDevice { .. }), "{refused}");
    drop((theirs, ours));
    stream.synchronize().unwrap();
    device.check().unwrap();
}

#[test]
fn the_current_context_and_device_stay_as_they_were() {
    let Some((_turn, device, on)) = cuda() else { return };
    // A thread of its own, which torch has not touched.
    std::thread::spawn(move || {
        let array =
            Array::from_vec(vec![1.0_f32; 64], [64]).unwrap().into_device(device).unwrap().0;
        let before = get_current().unwrap();
        let (tensor, _) = export(array, SHARE).unwrap();
        let (array, _) = import(tensor, SHARE).unwrap();
        drop(array);
        memory_statistics(device).unwrap();
        assert_eq!(get_current().unwrap(), before, "without torch's own work");
        let tensor = Tensor::ones([64], (Kind::Float, on));
        let before = get_current().unwrap();
        let (array, _) = import(tensor, SHARE).unwrap();
        let (tensor, _) = export(array, SHARE).unwrap();
        drop(tensor);
        empty_cache(device).unwrap();
        assert_eq!(get_current().unwrap(), before, "after torch's own work");
    })
    .join()
    .unwrap();
}

#[test]
fn running_out_of_memory_is_told_by_type() {
    let Some((_turn, device, on)) = cuda() else { return };
    let huge = || Tensor::f_zeros([1 << 42], (Kind::Double, on));
    let refused = attempt(device, huge).unwrap_err();
    assert!(matches!(refused, Error::Device(devices::Error::OutOfMemory { .. })), "{refused}");
    let wrong = || Tensor::f_zeros([-1], (Kind::Double, on));
    let refused = attempt(device, wrong).unwrap_err();
    assert!(matches!(refused, Error::Library { library: "libtorch", .. }), "{refused}");
    assert_eq!(attempt(device, || Tensor::f_zeros([1], (Kind::Double, on))).unwrap().numel(), 1);
    // A copy that torch makes for us: 8 TiB from one element.
    let vast = Tensor::ones([1], (Kind::Double, on)).expand([1 << 40], false);
    match import(vast, COPY).unwrap_err() {
        Error::Device(devices::Error::OutOfMemory { device: found, bytes, .. }) => {
            assert_eq!((found, bytes), (device, 1 << 43));
        }
        other => panic!("{other}"),
    }
}

#[test]
fn torchs_cache_is_counted_and_emptied_and_arrayspan_knows_it() {
    const BYTES: usize = 1 << 28;
    let Some((_turn, device, on)) = cuda() else { return };
    // Nothing is left of the tests before in which the tensor could have a place.
    empty_cache(device).unwrap();
    let before = memory_statistics(device).unwrap();
    let tensor = Tensor::empty([BYTES as i64], (Kind::Uint8, on));
    let held = memory_statistics(device).unwrap();
    assert_eq!(held.live_bytes, before.live_bytes + BYTES, "{held:?} after {before:?}");
    assert!(held.reserved_bytes >= before.reserved_bytes + BYTES, "{held:?} after {before:?}");
    drop(tensor);
    let cached = memory_statistics(device).unwrap();
    assert_eq!(cached.live_bytes, before.live_bytes, "{cached:?} after {before:?}");
    assert_eq!(cached.reserved_bytes, held.reserved_bytes, "{cached:?} after {held:?}");
    empty_cache(device).unwrap();
    let after = memory_statistics(device).unwrap();
    assert_eq!(after.reserved_bytes, before.reserved_bytes, "{after:?} after {before:?}");
    assert!(after.peak_bytes >= held.live_bytes, "{after:?}");
    let torch = libraries().into_iter().find(|library| library.name() == "torch").unwrap();
    assert!(torch.holdings(device).is_some() && torch.holdings(Device::cpu()).is_none());
    torch.release(device).unwrap();
}
