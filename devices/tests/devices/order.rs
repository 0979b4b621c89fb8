//! Work on one block keeps its order, whatever streams it is queued on.

use arrayspan_devices::{Argument, Device, Kernel, KernelSource, Memory, Result, Stream};

use super::{build, copy, download, gpus, grid, upload};

/// Counts to `rounds` in a way compilers cannot shorten, then y[i] = x[i] + 1.
const SLOW: &str = "\
KERNEL slow(i64 n, i64 rounds, GLOBAL const u32* x, GLOBAL u32* y) {
  for (i64 i = GID(0); i < n; i += GSZ(0)) {
    u32 state = 12345u + x[i];
    for (i64 k = 0; k < rounds; ++k) state = state * 1664525u + 1013904223u;
    y[i] = state == 0xffffffffu && rounds == -1 ? 0u : x[i] + 1u;
  }
}";

pub(super) const N: usize = 1000;

pub(super) fn slow(device: Device) -> Result<Kernel> {
    build(device, &KernelSource::new("slow", "slow", SLOW))
}

/// Queues y = x + 1 in a way that takes some milliseconds.
pub(super) fn increment(stream: &Stream, kernel: &Kernel, x: &Memory, y: &Memory) -> Result<()> {
    let (n, rounds) = (Argument::I64(N as i64), Argument::I64(300_000));
    let arguments = [n, rounds, Argument::Read(x), Argument::Write(y)];
    // SAFETY: as SLOW declares; both blocks hold N numbers.
    unsafe { stream.launch(kernel, grid(N), &arguments) }
}

fn numbers(first: u32) -> Vec<u32> {
    (first..first + N as u32).collect()
}

#[test]
fn what_one_stream_writes_another_reads_afterwards() -> Result<()> {
    for device in gpus() {
        let kernel = slow(device)?;
        let streams = [device.new_stream()?, device.new_stream()?, device.stream()?];
        let x = upload(&numbers(0), &streams[0])?;
        let y = upload(&vec![0_u32; N], &streams[1])?;
        // Write y on one stream, read it on the next, write x there, and so on round the circle.
        for round in 0..6 {
            let stream = &streams[round % 3];
            let (from, to) = if round % 2 == 0 { (&x, &y) } else { (&y, &x) };
            increment(stream, &kernel, from, to)?;
        }
        assert_eq!(download::<u32>(&x, &streams[1])?, numbers(6), "{device}");
        assert_eq!(download::<u32>(&y, &streams[0])?, numbers(5), "{device}");
    }
    Ok(())
}

#[test]
fn a_writer_waits_for_readers_on_other_streams() -> Result<()> {
    for device in gpus() {
        let kernel = slow(device)?;
        let (one, two) = (device.new_stream()?, device.new_stream()?);
        let x = upload(&numbers(7), &one)?;
        let y = Memory::allocate(4 * N, &one)?;
        increment(&one, &kernel, &x, &y)?;
        // Overwrites x while the kernel may still read it.
        copy(&upload(&numbers(1000), &two)?, 0, &x, 0, 4 * N, &two)?;
        assert_eq!(download::<u32>(&y, &two)?, numbers(8), "{device}");
        assert_eq!(download::<u32>(&x, &one)?, numbers(1000), "{device}");
    }
    Ok(())
}

#[test]
fn a_stream_that_another_library_used_still_reads_after_the_write() -> Result<()> {
    for device in gpus() {
        let kernel = slow(device)?;
        let (writer, other) = (device.new_stream()?, device.new_stream()?);
        let x = upload(&numbers(0), &writer)?;
        let y = upload(&vec![0_u32; N], &writer)?;
        writer.synchronize()?;
        increment(&writer, &kernel, &x, &y)?;
        // Without having waited for the writer.
        y.remember(&other);
        assert_eq!(download::<u32>(&y, &other)?, numbers(1), "{device}");
    }
    Ok(())
}

#[test]
fn an_event_is_complete_after_waiting_and_times_the_work_between() -> Result<()> {
    for device in gpus() {
        let kernel = slow(device)?;
        let stream = device.new_stream()?;
        let x = upload(&numbers(0), &stream)?;
        let y = Memory::allocate(4 * N, &stream)?;
        increment(&stream, &kernel, &x, &y)?;
        stream.synchronize()?;
        let clock = std::time::Instant::now();
        let before = stream.record()?;
        increment(&stream, &kernel, &x, &y)?;
        let after = stream.record()?;
        after.synchronize()?;
        let wall = clock.elapsed();
        assert!(before.is_complete()? && after.is_complete()?, "{device}");
        let time = after.elapsed_since(&before)?;
        eprintln!("{device}: {time:?} on the device, {wall:?} on the host");
        assert!(!time.is_zero() && time <= wall.mul_f32(1.1), "{device}: {time:?} of {wall:?}");
    }
    Ok(())
}

#[test]
fn a_stream_is_idle_when_its_work_is_done_and_not_while_it_runs() -> Result<()> {
    for device in gpus() {
        let kernel = slow(device)?;
        let stream = device.new_stream()?;
        let x = upload(&numbers(0), &stream)?;
        let y = Memory::allocate(4 * N, &stream)?;
        increment(&stream, &kernel, &x, &y)?;
        let end = stream.record()?;
        let idle = stream.is_idle()?;
        assert!(!idle || end.is_complete()?, "{device}: idle before its work is done");
        stream.synchronize()?;
        while !stream.is_idle()? {
            std::thread::yield_now();
        }
    }
    assert!(Device::cpu().stream()?.is_idle()?);
    Ok(())
}

#[test]
fn a_stream_waits_for_an_event_of_any_other_device() -> Result<()> {
    gpus();
    for device in Device::all() {
        for other in Device::all() {
            device.new_stream()?.wait(&other.new_stream()?.record()?)?;
            device.new_stream()?.wait_for(&other.new_stream()?)?;
        }
    }
    Ok(())
}

#[test]
fn a_kernel_dropped_while_it_runs_still_finishes() -> Result<()> {
    for device in gpus() {
        let stream = device.new_stream()?;
        let x = upload(&numbers(0), &stream)?;
        let y = Memory::allocate(4 * N, &stream)?;
        increment(&stream, &slow(device)?, &x, &y)?;
        assert_eq!(download::<u32>(&y, &stream)?, numbers(1), "{device}");
    }
    Ok(())
}

#[test]
fn a_stream_dropped_while_it_works_still_finishes() -> Result<()> {
    for device in gpus() {
        let kernel = slow(device)?;
        let x = upload(&numbers(0), &device.stream()?)?;
        let y = Memory::allocate(4 * N, &device.stream()?)?;
        increment(&device.new_stream()?, &kernel, &x, &y)?;
        assert_eq!(download::<u32>(&y, &device.stream()?)?, numbers(1), "{device}");
    }
    Ok(())
}
