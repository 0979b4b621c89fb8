//! A kind of device from outside of this crate: one folder, and one line that adds it. In a process of its own, because
//! it is there for good.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

mod copies;
mod memory;
mod queue;
mod shelf;

use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use arrayspan_devices::{
    Device, DeviceKind, Error, KernelSource, Stream, account, caches, register_driver,
};

use shelf::{DEVICES, KIND, Shelves};

/// The devices, of a kind that has been added, for one test at a time: some set limits, or take all there is.
fn shelves() -> (MutexGuard<'static, ()>, [Device; DEVICES]) {
    static TURN: Mutex<()> = Mutex::new(());
    static ADDED: Once = Once::new();
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    ADDED.call_once(|| {
        // SAFETY: shelves keep the contracts of the traits: see there.
        unsafe { register_driver(&Shelves) }.unwrap();
    });
    (turn, [0, 1].map(|number| Device::new(KIND, number).unwrap()))
}

fn stream(device: Device) -> Stream {
    device.new_stream().unwrap()
}

#[test]
fn its_devices_are_listed_named_and_found() {
    let (_turn, [first, second]) = shelves();
    let all = Device::all();
    assert!(all.ends_with(&[first, second]), "{all:?}");
    assert_eq!(DeviceKind::all().last(), Some(&KIND));
    assert_eq!((second.to_string(), second.kind().name()), ("shelf:1".into(), "shelf"));
    assert_eq!("shelf:1".parse::<Device>().unwrap(), second);
    assert_eq!("shelf".parse::<Device>().unwrap(), first);
    assert_eq!((second.dlpack(), Device::from_dlpack(12, 1).unwrap()), ((12, 1), second));
    assert_eq!(second.info().name, "shelf number 1");
    assert!(!second.is_cpu() && second.has_pointers());
    assert!(matches!(
        Device::new(KIND, DEVICES),
        Err(Error::NoSuchDevice { kind: KIND, count: DEVICES, .. })
    ));
    assert_eq!(Device::least_used(KIND).unwrap().kind(), KIND);
}

#[test]
fn a_kind_with_a_name_or_a_number_that_is_taken_is_refused() {
    #[derive(Debug)]
    struct Namesake(DeviceKind);

    impl arrayspan_devices::driver::Driver for Namesake {
        fn kind(&self) -> DeviceKind {
            self.0
        }

        fn dialect(&self) -> Option<&'static str> {
            None
        }

        fn open(
            &self,
        ) -> arrayspan_devices::Result<Vec<Box<dyn arrayspan_devices::driver::DeviceDriver>>>
        {
            unreachable!("it was refused")
        }
    }

    let (_turn, _) = shelves();
    for (name, number) in [("cuda", 100), ("other", 2), ("shelf", 101), ("other", 12), ("cpu", 1)] {
        let namesake = Box::leak(Box::new(Namesake(DeviceKind::new(name, number))));
        // SAFETY: it has no devices.
        let added = unsafe { register_driver(namesake) };
        assert!(matches!(added, Err(Error::Unsupported { .. })), "{name} {number}");
    }
    assert!("other:0".parse::<Device>().is_err());
}

#[test]
fn it_runs_no_kernels_and_says_so() {
    let (_turn, [device, _]) = shelves();
    assert_eq!(KIND.dialect(), None);
    let source = KernelSource::new("k", "k", "KERNEL k(GLOBAL float* x) { x[GID(0)] = 1.0f; }");
    let error = device.kernel(&source).unwrap_err();
    assert!(matches!(error, Error::Unsupported { .. }), "{error}");
    assert!(device.warm_up(&[&source]).is_err());
}

#[test]
fn what_it_holds_is_reported_and_given_back() {
    let (_turn, [_, device]) = shelves();
    let report = account::report();
    assert!(report.devices.iter().any(|entry| entry.device == "shelf:1"));
    assert!(account::summary().contains("shelf:1"));
    let cleared = caches::clear(device);
    assert_eq!(cleared.failures().count(), 0, "{cleared}");
    assert!(device.can_reach(Device::cpu()) == arrayspan_devices::Reach::Direct);
}
