//! Page-locked arrays, and transfers of ordinary ones that go through page-locked memory.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

mod common;

use std::sync::{Mutex, MutexGuard, PoisonError};

use arrayspan_bridge::devices::staging::{self, Settings};
use arrayspan_bridge::devices::{Device, DeviceKind, Error as DeviceError, drain};
use arrayspan_bridge::{Array, Crossing, DType, Error, Relayout, Transfer, Why};
use common::{accelerators, counting};

/// More than the threshold that staged copies have here, in several chunks with a rest.
const LEN: usize = 250_007;

/// Held by tests that count blocks, and by those that would be counted.
fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn small_steps() {
    let settings = staging::settings();
    let (threshold, chunk) = (100_000, 64 << 10);
    staging::configure(Settings {
        threshold,
        chunk,
        threads: 3,
        most_threads: 9,
        processors: true,
        ..settings
    });
}

#[test]
fn a_pinned_array_is_written_as_an_ndarray_and_copied_both_ways() {
    let _turn = turn();
    for device in accelerators() {
        let mut near = Array::pinned([3, LEN], DType::Int32, device).unwrap();
        assert!(near.is_pinned(device) && near.device().is_cpu(), "{device}");
        let numbers = counting(&[3, LEN]);
        near.view_mut().as_ndarray_mut::<i32>().unwrap().assign(&numbers);
        let (far, _) = near.view().to(device).unwrap();
        let mut back = Array::pinned([3, LEN], DType::Int32, device).unwrap();
        let stream = device.stream().unwrap();
        back.view_mut().copy_from(&far.view(), &stream).unwrap();
        // Waits for the copy that is queued.
        assert_eq!(back.view().as_ndarray::<i32>().unwrap(), numbers, "{device}");
        let rows = far.view().sliced(0, 1, 1).unwrap();
        let mut row = Array::pinned([1, LEN], DType::Int32, device).unwrap();
        row.view_mut().copy_from(&rows, &stream).unwrap();
        assert_eq!(row.view().as_slice::<i32>().unwrap()[0], LEN as i32, "{device}");
        let (values, crossing) = back.into_ndarray::<i32>(Transfer::CopyIfNeeded).unwrap();
        assert!(matches!(crossing, Crossing::Copied { why: Why::Allocator, .. }), "{device}");
        assert_eq!(values, numbers, "{device}");
    }
}

#[test]
fn a_pinned_array_goes_back_to_its_pool_when_work_is_done() {
    let _turn = turn();
    for device in accelerators() {
        drain();
        let before = device.pinned_statistics().blocks;
        let near = Array::pinned([LEN], DType::Float32, device).unwrap();
        assert_eq!(device.pinned_statistics().blocks, before + 1, "{device}");
        drop(near.into_device(device).unwrap());
        drain();
        assert_eq!(device.pinned_statistics().blocks, before, "{device}");
    }
}

#[test]
fn ordinary_arrays_go_through_page_locked_memory_by_themselves() {
    let _turn = turn();
    small_steps();
    for device in accelerators() {
        drain();
        device.trim_pinned(0).unwrap();
        let before = device.pinned_statistics();
        let numbers = counting(&[3, LEN]);
        let (far, crossing) = Array::from(numbers.clone()).into_device(device).unwrap();
        let bytes = 12 * LEN;
        assert_eq!(crossing, Crossing::Copied { why: Why::OtherDevice, bytes }, "{device}");
        device.synchronize().unwrap();
        let after = device.pinned_statistics();
        assert_eq!(after.blocks, before.blocks, "{device}: none is in use");
        assert!(after.cached_bytes > before.cached_bytes, "{device}: one buffer, which is kept");
        assert_eq!(far.view().to_ndarray::<i32>().unwrap(), numbers, "{device}");
        let (back, _) = far.view().to(Device::cpu()).unwrap();
        assert_eq!(back.view().as_ndarray::<i32>().unwrap(), numbers, "{device}");
        let reversed = far.view().reversed(1).unwrap().to_ndarray::<i32>().unwrap();
        assert_eq!(reversed[[1, 0]], 2 * LEN as i32 - 1, "{device}");
    }
}

#[test]
fn an_array_pinned_where_it_lies_goes_back_unlocked() {
    let _turn = turn();
    for device in accelerators() {
        let array = Array::from(counting(&[LEN]));
        if device.kind() != DeviceKind::Cuda {
            let error = array.pin(device).unwrap_err();
            let told = matches!(error, Error::Device(DeviceError::Unsupported { .. }));
            assert!(told && !array.is_pinned(device), "{device}: {error}");
            continue;
        }
        array.pin(device).unwrap();
        assert!(array.is_pinned(device), "{device}");
        let error = array.pin(device).unwrap_err();
        assert!(matches!(error, Error::Device(DeviceError::PageLock { .. })), "{device}: {error}");
        let (far, _) = array.view().to(device).unwrap();
        let (values, crossing) = array.into_ndarray::<i32>(Transfer::ZeroCopyOnly).unwrap();
        assert_eq!(crossing, Crossing::ZeroCopy, "{device}");
        // Its pages can be locked again: nothing is left of the first time.
        let again = Array::from(values);
        again.pin(device).unwrap();
        again.unpin().unwrap();
        assert!(!again.is_pinned(device), "{device}");
        assert_eq!(far.view().to_ndarray::<i32>().unwrap(), counting(&[LEN]), "{device}");
    }
}

#[test]
fn more_than_can_be_locked_is_a_typed_error() {
    for device in accelerators() {
        let error = Array::pinned([1 << 50], DType::UInt8, device).unwrap_err();
        assert!(matches!(error, Error::Device(DeviceError::OutOfMemory { .. })), "{error}");
        let error = Array::pinned([usize::MAX, 9], DType::UInt8, device).unwrap_err();
        assert!(matches!(error, Error::Layout { .. }), "{error}");
    }
}
