//! Work on batches goes on when memory runs out: again, in pieces, elsewhere; and results stay in order.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

#[path = "../common/mod.rs"]
mod common;
mod failures;

use std::error::Error as _;

use arrayspan_bridge::devices::retry::OutOfMemory;
use arrayspan_bridge::devices::{Device, Error as DeviceError};
use arrayspan_bridge::{Array, Error, Result};
use arrayspan_pipeline::retry::{
    ArrayPiece, Failed, Outcome, RecoveryPolicy, RetryStep, with_retry,
};

const LEN: usize = 37;

fn numbers() -> Vec<f32> {
    (0..LEN * 3).map(|i| i as f32).collect()
}

fn batch(device: Device) -> Array {
    Array::from_vec(numbers(), [LEN, 3]).unwrap().into_device(device).unwrap().0
}

fn full(device: Device) -> Error {
    DeviceError::out_of_memory(device, 1000, 2).into()
}

/// A copy of the piece on its device: as large as the piece, with allocations and a copy in it.
fn copied(piece: &ArrayPiece<'_>) -> Result<Array> {
    piece.view().to_array()
}

fn whole(outcome: Outcome<Array>) -> Vec<f32> {
    let array = outcome.combine(&Device::cpu().stream().unwrap()).unwrap();
    array.view().to_vec().unwrap()
}

/// Fails for more than `most` elements, as a device with room for so many would.
fn with_room(
    most: usize,
    inputs: &Array,
    policy: &RecoveryPolicy,
) -> Result<Outcome<Array>, Failed<Error>> {
    let device = inputs.device();
    with_retry(inputs, device, policy, |piece, stream| {
        assert_eq!(stream.device(), piece.view().device());
        let here = stream.device() == device;
        if here && piece.view().shape()[0] > most { Err(full(device)) } else { copied(&piece) }
    })
}

#[test]
fn a_batch_that_fits_is_run_at_once() {
    for device in Device::all() {
        let outcome = with_room(LEN, &batch(device), &RecoveryPolicy::default()).unwrap();
        assert_eq!((outcome.pieces.len(), outcome.steps.len()), (1, 0));
        assert_eq!(whole(outcome), numbers(), "{device}");
    }
}

#[test]
fn pieces_get_as_small_as_they_must_and_results_stay_in_order() {
    for device in Device::all() {
        for most in [1, 2, 5, 18, 36] {
            let outcome = with_room(most, &batch(device), &RecoveryPolicy::default()).unwrap();
            assert!(outcome.pieces.iter().all(|piece| piece.range.len() <= most));
            let ends = outcome.pieces.iter().map(|piece| piece.range.end);
            let starts = outcome.pieces.iter().map(|piece| piece.range.start);
            assert!(ends.zip(starts.skip(1)).all(|(end, start)| end == start));
            assert_eq!(outcome.splits() + 1, outcome.pieces.len());
            assert_eq!(whole(outcome), numbers(), "{device} with room for {most}");
        }
    }
}

#[test]
fn a_batch_that_cannot_be_split_further_is_an_error_with_all_that_was_tried() {
    let policy = RecoveryPolicy { min_len: 10, ..RecoveryPolicy::default() };
    let failed = with_room(5, &batch(Device::cpu()), &policy).unwrap_err();
    assert_eq!(failed.range, 0..18, "of 37: 18 is not split into less than 10");
    assert!(matches!(failed.error, Error::Device(DeviceError::OutOfMemory { .. })));
    assert!(failed.shortage().is_some() && failed.source().is_some());
    assert!(matches!(failed.steps[1], RetryStep::Split { at: 18, .. }), "{failed}");
    let (short, text) = (failed.to_string(), format!("{failed:#}"));
    assert!(text.contains("0..18") && text.contains("0..37 in two at 18"), "{text}");
    assert!(text.contains("waiting for queued work") && text.contains("neither fewer"), "{text}");
    assert!(short.lines().count() == 1 && short.len() < 500, "{short}");
    for part in ["0..18", "out of memory", "neither fewer", "attempt(s)", "freed", "split 1 times"]
    {
        assert!(short.contains(part), "{part}: {short}");
    }
    assert!(text.lines().count() > 10, "each step has a line of its own: {text}");

    let policy = RecoveryPolicy { split: false, ..RecoveryPolicy::default() };
    assert_eq!(with_room(5, &batch(Device::cpu()), &policy).unwrap_err().range, 0..LEN);
}

#[test]
fn what_finds_no_room_on_a_device_goes_to_the_cpu_where_that_is_allowed() {
    for device in common::accelerators() {
        let policy =
            RecoveryPolicy { min_len: 10, siblings: true, cpu: true, ..RecoveryPolicy::default() };
        let outcome = with_room(9, &batch(device), &policy).unwrap();
        assert!(outcome.moved_to().count() > 0);
        assert!(outcome.pieces.iter().all(|piece| piece.device != device));
        assert_eq!(whole(outcome), numbers(), "{device}");
    }
    let policy = RecoveryPolicy { cpu: true, ..RecoveryPolicy::default() };
    let failed = with_room(0, &batch(Device::cpu()), &policy).unwrap_err();
    assert_eq!(failed.range, 0..1, "it was there already");
}

#[test]
fn another_gpu_is_taken_before_the_cpu() {
    let gpus: Vec<Device> =
        Device::all().into_iter().filter(|device| device.info().accelerator).collect();
    let [first, second, ..] = gpus[..] else { return eprintln!("skipped: no two GPUs") };
    if first.info().uuid == second.info().uuid {
        return eprintln!("skipped: no two GPUs");
    }
    let policy = RecoveryPolicy { siblings: true, cpu: true, ..RecoveryPolicy::default() };
    let outcome = with_room(0, &batch(first), &policy).unwrap();
    assert!(outcome.moved_to().all(|device| !device.is_cpu() && device != first));
    assert_eq!(whole(outcome), numbers());
}

#[test]
fn nothing_is_done_for_no_elements_and_scalars_cannot_be_counted() {
    let cpu = Device::cpu();
    let none =
        with_retry(&(0..0), cpu, &RecoveryPolicy::default(), |_, _| Ok::<_, Error>(())).unwrap();
    assert!(none.pieces.is_empty());
    let scalar = Array::from_vec(vec![1.0_f32], []).unwrap();
    let failed = with_retry(&scalar, cpu, &RecoveryPolicy::default(), |_, _| Ok::<_, Error>(()));
    assert!(matches!(failed.unwrap_err().error, Error::Axis { .. }));
    let empty = Outcome::<Array> { pieces: Vec::new(), steps: Vec::new() };
    assert!(empty.combine(&cpu.stream().unwrap()).is_err());
}
