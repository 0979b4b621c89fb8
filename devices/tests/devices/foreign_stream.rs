//! Queues that other libraries have made.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use arrayspan_devices::{Device, DeviceKind, Error, Memory, Result, Stream};

use super::order::{N, increment, slow};
use super::{download, gpus, skipped, upload};

/// A queue of ours, as another library would see it.
fn lent(stream: &Stream) -> Result<Stream> {
    // SAFETY: the queue lives as long as the stream, which is kept.
    unsafe { Stream::from_foreign(stream.device(), stream.raw(), Box::new(stream.clone())) }
}

fn numbers(first: u32) -> Vec<u32> {
    (first..first + N as u32).collect()
}

#[test]
fn two_streams_of_one_handle_are_equal_and_those_of_two_are_not() -> Result<()> {
    for device in gpus() {
        let (one, other) = (device.new_stream()?, device.new_stream()?);
        assert_eq!(lent(&one)?, one, "{device}");
        assert_eq!(lent(&one)?, lent(&one)?, "{device}");
        assert_ne!(lent(&one)?, other, "{device}");
    }
    Ok(())
}

#[test]
fn work_on_a_foreign_stream_keeps_its_order_with_work_on_ours() -> Result<()> {
    for device in gpus() {
        let kernel = slow(device)?;
        let (ours, theirs) = (device.new_stream()?, lent(&device.new_stream()?)?);
        let x = upload(&numbers(0), &ours)?;
        let y = Memory::allocate(4 * N, &theirs)?;
        increment(&theirs, &kernel, &x, &y)?;
        increment(&ours, &kernel, &y, &x)?;
        increment(&theirs, &kernel, &x, &y)?;
        assert_eq!(download::<u32>(&y, &ours)?, numbers(3), "{device}");
    }
    Ok(())
}

#[test]
fn what_keeps_a_foreign_stream_lives_as_long_as_its_last_use() -> Result<()> {
    for device in gpus() {
        let (queue, keep) = (device.new_stream()?, Arc::new(()));
        let owner = Box::new((keep.clone(), queue.clone()));
        // SAFETY: the queue lives as long as what is kept.
        let theirs = unsafe { Stream::from_foreign(device, queue.raw(), owner)? };
        let x = upload(&numbers(0), &theirs)?;
        drop(theirs);
        assert_eq!(Arc::strong_count(&keep), 2, "{device}: the block was last used on the stream");
        drop(x);
        // Another thread may be looking through the streams for memory just now.
        let begin = Instant::now();
        while Arc::strong_count(&keep) > 1 && begin.elapsed() < Duration::from_secs(20) {
            thread::yield_now();
        }
        assert_eq!(Arc::strong_count(&keep), 1, "{device}");
    }
    Ok(())
}

#[test]
fn the_special_handles_of_cuda_are_streams() -> Result<()> {
    let devices = Device::all().into_iter().filter(|device| device.kind() == DeviceKind::Cuda);
    let devices: Vec<_> = devices.collect();
    if devices.is_empty() {
        skipped("no CUDA device");
    }
    for device in devices {
        let kernel = slow(device)?;
        // SAFETY: these handles are always valid.
        let special = |raw| unsafe { Stream::from_foreign(device, raw, Box::new(())) };
        assert_eq!(special(0)?, special(1)?);
        assert_ne!(special(0)?, special(2)?);
        let threads = special(2)?;
        let elsewhere = std::thread::scope(|scope| scope.spawn(|| special(2)).join());
        assert_ne!(threads, elsewhere.expect("no panic")?, "another thread's default stream");
        for stream in [special(0)?, threads] {
            let x = upload(&numbers(0), &stream)?;
            let y = Memory::allocate(4 * N, &stream)?;
            increment(&stream, &kernel, &x, &y)?;
            // Read by a thread that cannot name the other's default stream.
            let read = std::thread::scope(|scope| {
                let ours = device.new_stream()?;
                scope.spawn(move || download::<u32>(&y, &ours)).join().expect("no panic")
            });
            assert_eq!(read?, numbers(1));
        }
    }
    Ok(())
}

#[test]
fn the_cpu_has_no_queues() {
    // SAFETY: the handle is never used.
    let refused = unsafe { Stream::from_foreign(Device::cpu(), 8, Box::new(())) };
    assert!(matches!(refused, Err(Error::Unsupported { .. })), "{refused:?}");
}

#[test]
fn a_queue_of_another_context_is_refused() -> Result<()> {
    let devices: Vec<_> =
        gpus().into_iter().filter(|device| device.kind() == DeviceKind::OpenCl).collect();
    for device in devices {
        let id = {
            let found = cl3::command_queue::get_command_queue_info(
                std::ptr::with_exposed_provenance_mut(device.stream()?.raw()),
                cl3::command_queue::CL_QUEUE_DEVICE,
            );
            std::ptr::with_exposed_provenance_mut(isize::from(found.expect("a device")) as usize)
        };
        let context =
            cl3::context::create_context(&[id], std::ptr::null(), None, std::ptr::null_mut())
                .expect("a context");
        // SAFETY: context and device are alive; what is made here is released at the end.
        unsafe {
            let queue = cl3::command_queue::create_command_queue(context, id, 0).expect("a queue");
            let refused = Stream::from_foreign(device, queue.expose_provenance(), Box::new(()));
            assert!(matches!(refused, Err(Error::Unsupported { .. })), "{refused:?}");
            cl3::command_queue::release_command_queue(queue).expect("released");
            cl3::context::release_context(context).expect("released");
        }
    }
    Ok(())
}
