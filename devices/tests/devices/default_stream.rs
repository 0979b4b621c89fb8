//! A thread may choose the stream its unnamed work goes to.

use std::panic::{AssertUnwindSafe, catch_unwind};

use arrayspan_devices::{Device, Memory, Result, Stream};

use super::{download, gpus, pattern, upload};

fn everywhere() -> Vec<Device> {
    let mut devices = gpus();
    devices.push(Device::cpu());
    devices
}

/// What another thread gets when it asks for the default stream.
fn elsewhere(device: Device) -> Result<Stream> {
    std::thread::scope(|scope| scope.spawn(|| device.stream()).join().expect("no panic"))
}

#[test]
fn a_chosen_stream_is_the_default_of_its_thread_while_the_guard_lives() -> Result<()> {
    for device in everywhere() {
        let (before, mine) = (device.stream()?, device.new_stream()?);
        let guard = mine.as_default();
        assert_eq!(device.stream()?, mine, "{device}");
        assert_eq!(device.process_stream()?, before, "{device}");
        assert_eq!(elsewhere(device)?, before, "{device}: other threads keep theirs");
        drop(guard);
        assert_eq!(device.stream()?, before, "{device}");
    }
    Ok(())
}

#[test]
fn the_latest_guard_that_lives_decides() -> Result<()> {
    for device in everywhere() {
        let (before, one, two) = (device.stream()?, device.new_stream()?, device.new_stream()?);
        let outer = one.as_default();
        let inner = two.as_default();
        assert_eq!(device.stream()?, two, "{device}");
        drop(outer);
        assert_eq!(device.stream()?, two, "{device}: the inner guard still lives");
        drop(inner);
        assert_eq!(device.stream()?, before, "{device}");
    }
    Ok(())
}

#[test]
fn a_stream_chosen_for_one_device_says_nothing_about_another() -> Result<()> {
    let devices = everywhere();
    for device in &devices {
        let mine = device.new_stream()?;
        let _guard = mine.as_default();
        for other in devices.iter().filter(|other| *other != device) {
            assert_eq!(other.stream()?, other.process_stream()?, "{other} beside {device}");
        }
    }
    Ok(())
}

#[test]
fn a_panic_ends_the_choice() -> Result<()> {
    for device in everywhere() {
        let mine = device.new_stream()?;
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            let _guard = mine.as_default();
            panic!("on purpose");
        }));
        assert!(panicked.is_err());
        assert_eq!(device.stream()?, device.process_stream()?, "{device}");
    }
    Ok(())
}

#[test]
fn the_choice_keeps_the_stream_alive() -> Result<()> {
    for device in everywhere() {
        let guard = device.new_stream()?.as_default();
        let sent = pattern(10_000, 3);
        let memory = upload(&sent, &device.stream()?)?;
        assert!(download::<u8>(&memory, &device.stream()?)? == sent, "{device}");
        drop(guard);
        assert!(download::<u8>(&memory, &device.stream()?)? == sent, "{device}");
    }
    Ok(())
}

#[test]
fn a_device_waits_for_the_work_of_all_its_streams() -> Result<()> {
    for device in gpus() {
        let kernel = super::order::slow(device)?;
        let stream = device.new_stream()?;
        let numbers: Vec<u32> = (0..super::order::N as u32).collect();
        let (x, y) = (upload(&numbers, &stream)?, Memory::allocate(4 * numbers.len(), &stream)?);
        super::order::increment(&stream, &kernel, &x, &y)?;
        let end = stream.record()?;
        device.synchronize()?;
        assert!(end.is_complete()?, "{device}");
    }
    Ok(())
}
