//! A block is not used again before the work that uses it is done.

use arrayspan_devices::{
    Argument, Device, DeviceKind, Grid, Kernel, KernelSource, Limit, Memory, Stream,
};

use super::{MIB, content, fill, gpus, pattern, turn};

/// y = x after a while that compilers cannot shorten.
const SLOW: &str = "\
KERNEL slow(i64 n, i64 rounds, GLOBAL const u32* x, GLOBAL u32* y) {
  for (i64 i = GID(0); i < n; i += GSZ(0)) {
    u32 state = 12345u + x[i];
    for (i64 k = 0; k < rounds; ++k) state = state * 1664525u + 1013904223u;
    y[i] = state == 0xffffffffu && rounds == -1 ? 0u : x[i];
  }
}";

/// Bytes that the kernel copies.
const BYTES: usize = 4000;

fn slow(device: Device) -> Kernel {
    device.kernel(&KernelSource::new("slow_copy", "slow", SLOW)).unwrap()
}

fn queue(stream: &Stream, kernel: &Kernel, x: &Memory, y: &Memory) {
    let (n, rounds) = (Argument::I64(BYTES as i64 / 4), Argument::I64(1_000_000));
    let arguments = [n, rounds, Argument::Read(x), Argument::Write(y)];
    let grid = Grid { groups: [16, 1, 1], threads: [64, 1, 1] };
    // SAFETY: as SLOW declares; both blocks hold as many numbers.
    unsafe { stream.launch(kernel, grid, &arguments).unwrap() };
}

/// Holds a CUDA stream back for longer than a busy host needs to fill it.
fn delay(stream: &Stream) {
    unsafe extern "C" fn nap(_: *mut std::ffi::c_void) {
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    if stream.device().kind() == DeviceKind::Cuda {
        let raw = std::ptr::with_exposed_provenance_mut(stream.raw());
        let nothing = std::ptr::null_mut();
        // SAFETY: a live stream; the function calls nothing of CUDA.
        unsafe { cudarc::driver::result::stream::launch_host_function(raw, nap, nothing).unwrap() };
    }
}

/// A block of `bytes` bytes of one stream, which slow work on another reads and copies to a block of a third.
fn under_way(
    kernel: &Kernel,
    round: usize,
    bytes: usize,
    [home, worker, target]: [&Stream; 3],
) -> (Memory, Memory) {
    let x = Memory::allocate(bytes, home).unwrap();
    fill(&x, &pattern(BYTES, round), home);
    let y = Memory::allocate(BYTES, target).unwrap();
    home.synchronize().unwrap();
    delay(worker);
    queue(worker, kernel, &x, &y);
    (x, y)
}

#[test]
fn a_block_reused_on_its_stream_comes_after_the_work_that_read_it() {
    let _turn = turn();
    for device in gpus() {
        let (kernel, stream) = (slow(device), device.new_stream().unwrap());
        for round in 0..4 {
            let (x, y) = under_way(&kernel, round, MIB, [&stream, &stream, &stream]);
            let address = x.address();
            drop(x);
            let thief = Memory::allocate(MIB, &stream).unwrap();
            assert_eq!(thief.address(), address, "{device}");
            fill(&thief, &[0xee; BYTES], &stream);
            assert_eq!(content(&y, BYTES, &stream), pattern(BYTES, round), "{device}");
        }
    }
}

#[test]
fn under_a_limit_another_stream_takes_the_block_and_waits_for_its_work() {
    let _turn = turn();
    for device in gpus() {
        let kernel = slow(device);
        let (one, other) = (device.new_stream().unwrap(), device.new_stream().unwrap());
        for round in 0..4 {
            let (x, y) = under_way(&kernel, round, 3 * MIB, [&one, &one, &one]);
            let address = x.address();
            drop(x);
            device.set_limit(Some(Limit::Bytes(device.pool().reserved))).unwrap();
            let thief = Memory::allocate(3 * MIB, &other).unwrap();
            assert_eq!(thief.address(), address, "{device}: there is no other");
            fill(&thief, &[0xee; BYTES], &other);
            assert_eq!(content(&y, BYTES, &one), pattern(BYTES, round), "{device}");
            assert_eq!(content(&thief, BYTES, &other), [0xee; BYTES], "{device}");
            device.set_limit(None).unwrap();
            drop((thief, y));
            device.trim(0).unwrap();
        }
    }
}

#[test]
fn a_block_used_on_two_streams_is_used_again_after_both() {
    let _turn = turn();
    for device in gpus() {
        let kernel = slow(device);
        let (one, other) = (device.new_stream().unwrap(), device.new_stream().unwrap());
        for round in 0..4 {
            let (x, y) = under_way(&kernel, round, 3 * MIB, [&one, &other, &other]);
            drop(x);
            let thieves = [&one, &other].map(|stream| {
                let thief = Memory::allocate(3 * MIB, stream).unwrap();
                fill(&thief, &[0xee; BYTES], stream);
                thief
            });
            assert_eq!(content(&y, BYTES, &other), pattern(BYTES, round), "{device}");
            drop(thieves);
        }
    }
}

#[test]
fn what_a_stream_has_freed_before_its_end_is_not_used_before_its_work_is_done() {
    let _turn = turn();
    for device in gpus() {
        let (kernel, other) = (slow(device), device.new_stream().unwrap());
        for round in 0..4 {
            let one = device.new_stream().unwrap();
            let (x, y) = under_way(&kernel, round, 3 * MIB, [&one, &one, &other]);
            let done = one.record().unwrap();
            drop((x, one));
            let thieves: Vec<Memory> = (0..4)
                .map(|_| {
                    let thief = Memory::allocate(3 * MIB, &other).unwrap();
                    fill(&thief, &[0xee; BYTES], &other);
                    thief
                })
                .collect();
            done.synchronize().unwrap();
            assert_eq!(content(&y, BYTES, &other), pattern(BYTES, round), "{device}");
            drop(thieves);
        }
    }
}

#[test]
fn trimming_waits_for_the_work_that_uses_what_was_freed() {
    let _turn = turn();
    for device in gpus() {
        let (kernel, stream) = (slow(device), device.new_stream().unwrap());
        let x = Memory::allocate(3 * MIB, &stream).unwrap();
        fill(&x, &pattern(BYTES, 5), &stream);
        let y = Memory::allocate(BYTES, &stream).unwrap();
        delay(&stream);
        queue(&stream, &kernel, &x, &y);
        let done = stream.record().unwrap();
        drop(x);
        assert!(device.trim(0).unwrap() > 0, "{device}");
        assert!(done.is_complete().unwrap(), "{device}");
        assert_eq!(content(&y, BYTES, &stream), pattern(BYTES, 5), "{device}");
    }
}
