//! A driver that has no room for a context now may have it later: it is asked again, and nothing is remembered.
//!
//! A context is made once in a process, so this is one test in a program of its own.

use std::io::Write as _;
use std::time::{Duration, Instant};

use arrayspan_devices::fault::{self, Class, Fault, FaultKind};
use arrayspan_devices::{Device, Error, Memory, Result};

#[test]
fn a_context_that_is_refused_for_a_while_is_made_in_the_end() -> Result<()> {
    let gpus: Vec<Device> = Device::all().into_iter().filter(|device| !device.is_cpu()).collect();
    if gpus.is_empty() {
        // A closed stderr is no reason to fail.
        let _ = writeln!(std::io::stderr(), "skipped: no device that has a context");
    }
    for device in gpus {
        let refusal =
            Fault { count: usize::MAX, device: Some(device), ..Fault::new(FaultKind::Context) };
        let injected = fault::inject(refusal);
        let begun = Instant::now();
        for attempt in [Device::stream, Device::new_stream] {
            let error = attempt(device).unwrap_err();
            let Error::OutOfMemory { device: at, code, .. } = &error else { panic!("{error}") };
            assert_eq!(*at, device);
            assert_ne!(*code, 0, "{error}");
        }
        assert!(injected.hits() > 4, "asked again");
        assert!(begun.elapsed() < Duration::from_secs(30), "given up in the end");
        drop(injected);

        // Another refusal is told at once, and lasts no longer.
        for class in [Class::Driver, Class::DeviceLost] {
            let injected = fault::inject(Fault { class, ..refusal });
            assert!(device.new_stream().is_err(), "{device}");
            assert_eq!(injected.hits(), 1, "{device} {class:?}");
        }

        let injected = fault::inject(Fault { count: 3, ..refusal });
        let stream = device.stream()?;
        assert_eq!(injected.hits(), 3, "{device}");
        Memory::allocate(1000, &stream)?;
        device.new_stream()?.synchronize()?;
        assert_eq!(injected.hits(), 3, "a context is made once");
    }
    Ok(())
}
