//! Callbacks come after the work, in order, once, and harm nobody.

use std::sync::mpsc::channel;

use arrayspan_devices::{Device, Memory, Result};

use super::{copy, gpus, pattern, upload};

#[test]
fn callbacks_run_after_the_work_before_them_and_in_their_order() -> Result<()> {
    gpus();
    for device in Device::all() {
        let stream = device.new_stream()?;
        let (told, order) = channel();
        let source = upload(&pattern(3_000_001, 1), &stream)?;
        let target = Memory::allocate(source.bytes(), &stream)?;
        for number in 0..50 {
            copy(&source, 0, &target, 0, source.bytes(), &stream)?;
            let (told, mark) = (told.clone(), stream.record()?);
            stream.on_complete(move |ended| {
                let complete = mark.is_complete();
                told.send((number, ended.is_ok(), complete)).expect("the test listens");
            })?;
        }
        drop(told);
        let got: Vec<_> = order.into_iter().collect();
        assert_eq!(got.len(), 50, "{device}");
        for (at, (number, well, complete)) in got.into_iter().enumerate() {
            assert!(number == at && well, "{device}: {number} at {at}");
            assert!(complete?, "{device}: the work before callback {at} was not done");
        }
    }
    Ok(())
}

#[test]
fn a_callback_that_panics_ends_alone() -> Result<()> {
    gpus();
    for device in Device::all() {
        let stream = device.new_stream()?;
        let (told, heard) = channel();
        stream.on_complete(|_| panic!("on purpose"))?;
        stream.on_complete(move |_| told.send(1).expect("the test listens"))?;
        assert_eq!(heard.recv(), Ok(1), "{device}");
    }
    Ok(())
}

#[test]
fn a_callback_may_queue_work_and_callbacks_on_its_own_stream() -> Result<()> {
    gpus();
    for device in Device::all() {
        let stream = device.new_stream()?;
        let (told, heard) = channel();
        let again = stream.clone();
        stream.on_complete(move |_| {
            let memory = upload(&pattern(1000, 2), &again).expect("work in a callback");
            let next = move |_| {
                drop(memory);
                told.send(2).expect("the test listens");
            };
            again.on_complete(next).expect("a callback in a callback");
        })?;
        assert_eq!(heard.recv(), Ok(2), "{device}");
    }
    Ok(())
}

#[test]
fn a_slow_callback_holds_up_no_other_stream() -> Result<()> {
    gpus();
    for device in Device::all() {
        let (slow, other) = (device.new_stream()?, device.new_stream()?);
        let (release, held) = channel::<()>();
        let (told, heard) = channel();
        // Ends only after the other stream's callback has run: were they one queue, this would hang.
        slow.on_complete(move |_| held.recv().expect("the other callback comes first"))?;
        other.on_complete(move |_| {
            release.send(()).expect("the slow callback waits");
            told.send(3).expect("the test listens");
        })?;
        assert_eq!(heard.recv(), Ok(3), "{device}");
    }
    Ok(())
}

#[test]
fn a_callback_outlives_its_stream() -> Result<()> {
    gpus();
    for device in Device::all() {
        let (told, heard) = channel();
        device.new_stream()?.on_complete(move |_| told.send(4).expect("the test listens"))?;
        assert_eq!(heard.recv(), Ok(4), "{device}");
    }
    Ok(())
}

#[test]
fn events_time_the_host_as_they_do_devices() -> Result<()> {
    let stream = Device::cpu().new_stream()?;
    let clock = std::time::Instant::now();
    let before = stream.record()?;
    let (a, b) = (upload(&pattern(4_000_000, 1), &stream)?, Memory::allocate(4_000_000, &stream)?);
    copy(&a, 0, &b, 0, 4_000_000, &stream)?;
    let after = stream.record()?;
    let time = after.elapsed_since(&before)?;
    assert!(!time.is_zero() && time <= clock.elapsed());
    Ok(())
}
