//! Memory that one side gives up while the other uses it, runs out of, or keeps.

use arrayspan_bridge::devices::reclaim::libraries;
use arrayspan_bridge::devices::{self, Device, Stream, drain};
use arrayspan_bridge::torch::{
    attempt, current_stream, empty_cache, export, import, memory_statistics, with_stream,
};
use arrayspan_bridge::{Array, Error, Transfer};
use tch::{Kind, Tensor};

use super::kernel::Slow;
use super::support::{COPY, SHARE, numbers};
use super::{LONG, cuda, slow_counting};

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
