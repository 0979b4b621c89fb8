//! Work of both sides in order, on streams of either.

use std::panic::{AssertUnwindSafe, catch_unwind};

use arrayspan_bridge::torch::{current_stream, export, import, record_stream, with_stream};
use arrayspan_bridge::{Array, Crossing, Error, Relayout};
use tch::{Kind, Tensor};

use super::kernel::Slow;
use super::recorded::recorded;
use super::support::{SHARE, numbers};
use super::{LONG, cuda, slow_counting};

fn last(array: &Array) -> Vec<f32> {
    let len = array.shape()[0];
    array.view().sliced(0, len - 1, 1).unwrap().to_vec::<f32>().unwrap()
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
