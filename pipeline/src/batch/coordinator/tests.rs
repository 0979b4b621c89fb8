//! Batches whose device is lost.

use super::*;
use arrayspan_bridge::Error;

/// A coordinator with a batch of seven numbers for the first device.
fn coordinator(devices: usize) -> Coordinator<Error> {
    let coordinator = Coordinator::new(&vec![Device::cpu(); devices], 9);
    let input = Array::from_vec(vec![1.0_f32; 7], [7]).unwrap().into_shared();
    let _ = coordinator.state.lock().pulled(0, Ok(Some((input, Ok(Some(0))))));
    coordinator.state.lock().schedule.exhausted();
    coordinator
}

#[test]
fn the_batch_of_a_lost_device_goes_to_another_though_it_was_meant_for_the_lost_one() {
    let coordinator = coordinator(2);
    let (index, input) = coordinator.next(0).unwrap();
    assert!(coordinator.lose(&[0], 0, index, input).is_ok());
    assert!(coordinator.next(0).is_none(), "the lost device gets nothing any more");
    let (index, input) = coordinator.next(1).unwrap();
    assert_eq!((index, input.shape()), (0, &[7][..]));
    let array = input.view().to_array().unwrap();
    coordinator.end(index, Outcome::Done(array), |_| ());
    assert!(matches!(coordinator.result(), Some(Outcome::Done(array)) if array.shape() == [7]));
    let lost: Vec<bool> = coordinator.report().devices.iter().map(|device| device.lost).collect();
    assert_eq!(lost, [true, false]);
}

#[test]
fn a_batch_that_fails_on_account_of_another_device_runs_once_more_and_no_oftener() {
    let coordinator = coordinator(2);
    let (index, input) = coordinator.next(0).unwrap();
    assert!(coordinator.lose(&[1], 0, index, input).is_ok());
    assert!(coordinator.next(1).is_none(), "it is lost though it has run nothing");
    let (index, input) = coordinator.next(0).unwrap();
    assert!(coordinator.lose(&[1], 0, index, input).is_err());
}

#[test]
fn the_batch_of_the_last_device_comes_back_and_can_fail() {
    let coordinator = coordinator(1);
    let (index, input) = coordinator.next(0).unwrap();
    let input = coordinator.lose(&[0], 0, index, input).unwrap_err();
    assert_eq!(input.shape(), [7]);
    let error = Error::Axis { operation: "test", axis: 1, rank: 0 };
    coordinator.end(index, Outcome::Failed(error), |_| ());
    assert!(matches!(coordinator.result(), Some(Outcome::Failed(Error::Axis { .. }))));
}
