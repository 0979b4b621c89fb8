//! Arrays that wait on the host count for the scope they were allocated in.

use arrayspan_bridge::devices::{Device, Error, Scope, ScopeHandle, drain};
use arrayspan_bridge::{Array, DType};
use arrayspan_pipeline::spill::Spillable;

use super::common::accelerators;
use super::{BYTES, LEN, array, content, need, on, turn, values};

/// Live bytes of a scope on the device and on the host, once nothing is on its way any more.
fn live(scope: &ScopeHandle, device: Device) -> (usize, usize) {
    device.synchronize().unwrap();
    drain();
    (scope.statistics(device).live_bytes, scope.statistics(Device::cpu()).live_bytes)
}

#[test]
fn an_allocation_that_a_scope_refuses_spills_arrays_of_that_scope_and_no_others() {
    let _turn = turn();
    for device in accelerators() {
        let outside = Spillable::new(array(9, device));
        let scope = Scope::new("job").limit(3 * BYTES).enter().unwrap();
        let handle = scope.handle();
        let inner = Scope::new("part").enter().unwrap();
        let arrays = on(device, 3);
        drop(inner);
        let stream = device.stream().unwrap();
        // Not in a retry.
        let more = Array::empty([LEN], DType::Float32, &stream).unwrap();
        let spilled = || arrays.iter().map(Spillable::is_spilled).collect::<Vec<_>>();
        assert_eq!(spilled(), [true, false, false], "{device}");
        assert_eq!(live(&handle, device), (3 * BYTES, BYTES), "{device}");
        // What could never fit moves nothing.
        assert!(Array::empty([4 * LEN], DType::Float32, &stream).is_err());
        // More than the limit waits on the host, where no scope refuses it, nor anything because of it.
        let rest = Array::empty([2 * LEN], DType::Float32, &stream).unwrap();
        assert_eq!(spilled(), [true; 3], "{device}");
        assert_eq!(live(&handle, device), (3 * BYTES, 3 * BYTES), "{device}");
        drop(Array::from_vec(values(1), [LEN]).unwrap());
        // In use they stay, and the scope refuses.
        drop(rest);
        let held = (arrays[0].get().unwrap(), arrays[1].get().unwrap());
        let refused = Array::empty([LEN], DType::Float32, &stream).unwrap_err();
        let limit = Error::ScopeLimit {
            scope: "job".into(),
            device,
            bytes: BYTES,
            limit: 3 * BYTES,
            live: 3 * BYTES,
        };
        assert_eq!(refused.to_string(), limit.to_string(), "{device}");
        assert!(!outside.is_spilled(), "{device}: it is not of the scope");
        drop((held, more, scope));
        for (seed, array) in arrays.iter().enumerate() {
            assert_eq!(content(&array.get().unwrap()), values(seed), "{device}");
        }
        drop(arrays);
        assert_eq!(live(&handle, device), (0, 0), "{device}");
    }
}

#[test]
fn what_moves_counts_for_the_one_who_allocated_it_whoever_has_it_moved() {
    let _turn = turn();
    for device in accelerators() {
        let owner = Scope::new("owner").enter().unwrap();
        let owners = owner.handle();
        let array_of_owner = Spillable::new(array(1, device));
        drop(owner);
        let array_of_nobody = Spillable::new(array(2, device));
        let other = Scope::new("other").limit(100).enter().unwrap();
        let others = other.handle();
        need(device, usize::MAX / 2, || array_of_owner.is_spilled()).unwrap();
        assert!(array_of_nobody.is_spilled());
        assert_eq!(live(&owners, device), (0, BYTES), "{device}");
        assert_eq!(live(&others, device), (0, 0), "{device}");
        // The other may not hold as much, and need not.
        assert_eq!(array_of_owner.get().unwrap().shape(), [LEN]);
        assert_eq!(array_of_nobody.get().unwrap().shape(), [LEN]);
        assert_eq!(live(&owners, device), (BYTES, 0), "{device}");
        assert_eq!(live(&others, device), (0, 0), "{device}");
        drop((array_of_owner, array_of_nobody));
        assert_eq!(live(&owners, device), (0, 0), "{device}");
        assert_eq!(others.statistics(device).allocations, 0, "{device}");
    }
}
