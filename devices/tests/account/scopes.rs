//! Named scopes: who counts where, and what limits refuse.

use std::thread;

use arrayspan_devices::retry::OutOfMemory as _;
use arrayspan_devices::{Device, Error, Memory, Scope, Statistics};
use proptest::prelude::*;

use super::{alone, block, devices};

#[test]
fn a_scope_counts_what_is_allocated_in_it_and_those_around_it_do_too() {
    let _alone = alone();
    for device in devices() {
        let stream = device.new_stream().unwrap();
        let outer = Scope::new("outer").enter().unwrap();
        let a = block(100, &stream);
        let inner = Scope::new("inner").enter().unwrap();
        let b = block(10, &stream);
        let handle = inner.handle();
        drop(inner);
        let c = block(1, &stream);
        assert_eq!(handle.statistics(device).live_bytes, 10, "{device}");
        assert_eq!(outer.statistics(device).live_bytes, 111, "{device}");
        assert_eq!(outer.statistics(device).live_blocks, 3, "{device}");
        drop((a, b));
        assert_eq!(handle.statistics(device).live_bytes, 0, "{device}");
        assert_eq!(handle.statistics(device).peak_bytes, 10, "{device}");
        assert_eq!(outer.statistics(device).live_bytes, 1, "{device}");
        assert_eq!(outer.statistics(device).peak_bytes, 111, "{device}");
        drop((c, outer));
        let outside = block(5, &stream);
        assert_eq!(handle.statistics(device).allocations, 1, "{device}");
        drop(outside);
    }
}

#[test]
fn other_threads_enter_by_a_handle_and_may_free_for_the_scope() {
    let _alone = alone();
    let device = Device::cpu();
    let stream = device.new_stream().unwrap();
    let scope = Scope::new("shared").enter().unwrap();
    let mine = block(1000, &stream);
    let handle = scope.handle();
    thread::scope(|threads| {
        for _ in 0..8 {
            let (handle, stream) = (handle.clone(), stream.clone());
            threads.spawn(move || {
                drop(block(7, &stream));
                assert_eq!(handle.name(), "shared");
                let _entered = handle.enter();
                for _ in 0..100 {
                    drop(block(3, &stream));
                }
            });
        }
        threads.spawn(move || drop(mine));
    });
    let held = scope.statistics(device);
    assert_eq!((held.live_bytes, held.live_blocks), (0, 0));
    assert_eq!((held.allocations, held.frees), (801, 801), "none of those outside the scope");
    assert!((1000..=1024).contains(&held.peak_bytes), "{held:?}");
}

#[test]
fn a_limit_refuses_with_names_and_sizes_and_changes_nothing() {
    let _alone = alone();
    for device in devices() {
        let stream = device.new_stream().unwrap();
        let scope = Scope::new("inversion").limit(1000).enter().unwrap();
        let held = block(600, &stream);
        let (scoped, whole) = (scope.statistics(device), device.statistics());
        let refused = Memory::allocate(401, &stream).unwrap_err();
        match &refused {
            Error::ScopeLimit { scope, device: at, bytes, limit, live } => {
                assert_eq!((scope.as_str(), *at), ("inversion", device));
                assert_eq!((*bytes, *limit, *live), (401, 1000, 600));
            }
            other => panic!("{device}: {other}"),
        }
        let shortage = refused.shortage().unwrap();
        assert_eq!((shortage.device, shortage.bytes), (Some(device), Some(401)));
        let expected = Statistics { failures: scoped.failures + 1, ..scoped };
        assert_eq!(scope.statistics(device), expected, "{device}");
        assert_eq!(device.statistics().live_bytes, whole.live_bytes, "{device}");
        // What fits, fits: the refused request holds no room.
        drop(block(400, &stream));
        drop(held);
        drop(block(1000, &stream));
    }
}

#[test]
fn the_smallest_limit_around_decides() {
    let _alone = alone();
    let stream = Device::cpu().new_stream().unwrap();
    let _outer = Scope::new("outer").limit(100).enter().unwrap();
    let inner = Scope::new("inner").limit(1 << 40).enter().unwrap();
    match Memory::allocate(101, &stream) {
        Err(Error::ScopeLimit { scope, limit, .. }) => {
            assert_eq!((scope.as_str(), limit), ("outer", 100));
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(inner.statistics(Device::cpu()).live_bytes, 0);
    drop(block(100, &stream));
}

#[test]
fn a_limit_can_be_of_one_device() {
    let _alone = alone();
    let scope = |bytes| Scope::new("one").limit(1 << 30).limit_on(Device::cpu(), bytes).enter();
    for device in devices() {
        let stream = device.new_stream().unwrap();
        let entered = scope(10).unwrap();
        assert_eq!(Memory::allocate(11, &stream).is_err(), device.is_cpu(), "{device}");
        drop(entered);
    }
}

#[test]
fn a_limit_of_nothing_is_an_error_at_once() {
    let _alone = alone();
    for scope in [Scope::new("none").limit(0), Scope::new("none").limit_on(Device::cpu(), 0)] {
        match scope.enter() {
            Err(Error::ZeroLimit { scope }) => assert_eq!(scope, "none"),
            other => panic!("{other:?}"),
        }
    }
    let stream = Device::cpu().new_stream().unwrap();
    drop(block(10, &stream));
}

#[test]
fn a_driver_that_refuses_gives_the_room_back() {
    let _alone = alone();
    let stream = Device::cpu().new_stream().unwrap();
    let scope = Scope::new("huge").limit(usize::MAX).enter().unwrap();
    assert!(matches!(Memory::allocate(usize::MAX / 2, &stream), Err(Error::OutOfMemory { .. })));
    assert!(matches!(Memory::allocate(usize::MAX / 2, &stream), Err(Error::OutOfMemory { .. })));
    assert!(matches!(Memory::allocate(usize::MAX / 2, &stream), Err(Error::OutOfMemory { .. })));
    assert_eq!(scope.statistics(Device::cpu()).failures, 3);
    assert_eq!(scope.statistics(Device::cpu()).peak_bytes, 0);
}

#[test]
fn guards_may_be_dropped_in_any_order() {
    let _alone = alone();
    let stream = Device::cpu().new_stream().unwrap();
    let outer = Scope::new("outer").enter().unwrap();
    let inner = Scope::new("inner").enter().unwrap();
    drop(outer);
    let held = block(9, &stream);
    assert_eq!(inner.statistics(Device::cpu()).live_bytes, 9);
    drop((inner, held));
}

#[test]
fn threads_together_never_exceed_a_limit() {
    if std::env::var_os("ARRAYSPAN_FAULTS").is_some() {
        eprintln!("skipped: failures are injected, and this test counts the limit's own");
        return;
    }
    let _alone = alone();
    let device = Device::cpu();
    let stream = device.new_stream().unwrap();
    let scope = Scope::new("tight").limit(1000).enter().unwrap();
    let handle = scope.handle();
    thread::scope(|threads| {
        for thread in 0..8 {
            let (handle, stream) = (handle.clone(), &stream);
            threads.spawn(move || {
                let _entered = handle.enter();
                let sizes = (0..300).map(|round| 100 + (round * 37 + thread * 101) % 400);
                // One alone may be refused each time, if others that hold something do not get their turn.
                sizes.for_each(|bytes| drop(Memory::allocate(bytes, stream)));
            });
        }
    });
    let held = scope.statistics(device);
    assert!(held.peak_bytes <= 1000, "{held:?}");
    assert_eq!((held.live_bytes, held.allocations + held.failures), (0, 2400));
    assert!(held.allocations > 0, "{held:?}");
}

proptest! {
    /// Against a model: a limit admits exactly what fits.
    #[test]
    fn a_limit_admits_what_fits_and_nothing_else(
        limit in 1_usize..2000,
        steps in proptest::collection::vec((0_usize..700, any::<bool>()), 1..60),
    ) {
        let _alone = alone();
        let stream = Device::cpu().new_stream().unwrap();
        let scope = Scope::new("model").limit(limit).enter().unwrap();
        let mut held: Vec<Memory> = Vec::new();
        for (bytes, free) in steps {
            if free && !held.is_empty() {
                held.swap_remove(bytes % held.len());
            } else {
                let live: usize = held.iter().map(Memory::bytes).sum();
                let taken = Memory::allocate(bytes, &stream);
                prop_assert_eq!(taken.is_ok(), live + bytes <= limit);
                held.extend(taken);
            }
            let live: usize = held.iter().map(Memory::bytes).sum();
            let counted = scope.statistics(Device::cpu());
            prop_assert_eq!((counted.live_bytes, counted.live_blocks), (live, held.len()));
        }
    }
}
