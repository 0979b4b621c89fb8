//! Memory of a kind that this crate does not know: pooled, counted, limited, found again when it is short.

use arrayspan_devices::fault::{self, Class, Fault, FaultKind};
use arrayspan_devices::{Device, Error, Limit, Memory, Scope, caches};

use super::queue::FULL;
use super::shelf::BYTES;
use super::{shelves, stream};

#[test]
fn blocks_are_given_out_again_and_counted() {
    let (_turn, [device, _]) = shelves();
    // What others have left would be more than the pool may keep.
    let _ = caches::clear(device);
    let stream = stream(device);
    let scope = Scope::new("shelves").enter().unwrap();
    let live = || scope.statistics(device).live_bytes;
    for bytes in [1, 7, 255, 257, 4099, 1 << 20, (1 << 20) + 1, 3_000_017] {
        let block = Memory::allocate(bytes, &stream).unwrap();
        assert_eq!((block.bytes(), block.device(), live()), (bytes, device, bytes));
        let address = block.address();
        assert_eq!(address % 256, 0);
        drop(block);
        assert_eq!(live(), 0);
        assert_eq!(Memory::allocate(bytes, &stream).unwrap().address(), address, "{bytes}");
    }
}

#[test]
fn what_is_kept_unused_is_given_up_before_an_allocation_fails() {
    // A real refusal leaves one more try, and that may be one that fails on purpose.
    if std::env::var_os("ARRAYSPAN_FAULTS").is_some() {
        eprintln!("skipped: failures are injected, and this test has real ones");
        return;
    }
    let (_turn, [_, device]) = shelves();
    let (one, other) = (stream(device), stream(device));
    // Kept by the one stream, and too much for the other to have beside it.
    drop(Memory::allocate(BYTES / 8 * 5, &one).unwrap());
    let block = Memory::allocate(BYTES / 8 * 6, &other).unwrap();
    let refused = Memory::allocate(BYTES / 2, &one).unwrap_err();
    let Error::OutOfMemory { device: at, bytes, code, tried, .. } = refused else {
        panic!("{refused}");
    };
    assert_eq!((at, bytes, code), (device, BYTES / 2, FULL));
    assert!(!tried.is_empty());
    drop(block);
    assert!(Memory::allocate(BYTES / 2, &one).is_ok());
    let _ = caches::clear(device);
    assert_eq!(device.free_bytes(), Some(BYTES));
}

#[test]
fn limits_hold_for_it() {
    let (_turn, [device, _]) = shelves();
    let stream = stream(device);
    let before = device.pool().reserved;
    device.set_limit(Some(Limit::Bytes(before.max(1) + (8 << 20)))).unwrap();
    let refused = Memory::allocate(40 << 20, &stream).unwrap_err().to_string();
    device.set_limit(None).unwrap();
    assert!(refused.contains("shelf:0") && refused.contains("limit"), "{refused}");
    assert!(Memory::allocate(40 << 20, &stream).is_ok());
    let more = device.set_limit(Some(Limit::Bytes(BYTES + 1)));
    assert!(matches!(more, Err(Error::Limit { .. })));
    let _ = caches::clear(device);
}

#[test]
fn failures_on_purpose_come_as_its_own() {
    let (_turn, [device, _]) = shelves();
    let stream = stream(device);
    for (class, code) in [(Class::OutOfMemory, 0), (Class::DeviceLost, 0), (Class::Driver, 0)] {
        let always = Fault { class, count: usize::MAX, ..Fault::new(FaultKind::Allocation) };
        let _injected = fault::inject(Fault { device: Some(device), ..always });
        let found = match Memory::allocate(100, &stream).unwrap_err() {
            Error::OutOfMemory { device: at, code, .. } => {
                assert_eq!(at, device);
                (Class::OutOfMemory, code)
            }
            Error::DeviceLost { code, .. } => (Class::DeviceLost, code),
            Error::Driver { code, .. } => (Class::Driver, code),
            other => panic!("{other}"),
        };
        assert_eq!(found, (class, code));
        assert!(Memory::allocate(100, &Device::cpu().stream().unwrap()).is_ok(), "it is meant");
    }
    assert!(Memory::allocate(100, &stream).is_ok());
}

#[test]
fn pages_cannot_be_locked_for_it_and_that_is_told() {
    let (_turn, [device, _]) = shelves();
    let refused = Memory::pinned(100, device).unwrap_err();
    assert!(matches!(refused, Error::Unsupported { .. }), "{refused}");
}
