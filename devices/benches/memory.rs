//! What it costs to allocate and free: `cargo bench -p arrayspan-devices --bench memory [-- DEVICE...]`.
//!
//! Prints one row per case: name, value, unit. On CUDA the driver's own pool stands beside ours.
#![allow(clippy::unwrap_used, reason = "a benchmark stops at the first failure")]

use std::hint::black_box;
use std::time::Instant;

use arrayspan_devices::{Device, DeviceKind, Memory, Stream};

const BATCH: usize = 200;
const BATCHES: usize = 51;
const THREADS: usize = 4;
const SIZES: [(&str, usize); 5] = [
    ("256 B", 256),
    ("4 KiB", 4 << 10),
    ("64 KiB", 64 << 10),
    ("1 MiB", 1 << 20),
    ("64 MiB", 64 << 20),
];

fn main() {
    // Cargo hands over flags of its own.
    let names: Vec<String> =
        std::env::args().skip(1).filter(|name| !name.starts_with('-')).collect();
    let mut devices: Vec<Device> = names.iter().map(|name| name.parse().unwrap()).collect();
    if devices.is_empty() {
        devices = Device::all();
    }
    println!("name,value,unit");
    for device in devices {
        one_stream(device);
        two_streams(device);
        threads(device);
        mixed(device);
        if device.kind() == DeviceKind::Cuda {
            driver::cases(device);
        }
        let freed = device.trim(0).unwrap();
        println!("{device} trimmed,{freed},bytes");
    }
}

/// The median over batches of nanoseconds for one `step`.
fn time(mut step: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..BATCHES)
        .map(|_| {
            let begin = Instant::now();
            (0..BATCH).for_each(|_| step());
            begin.elapsed().as_secs_f64() * 1e9 / BATCH as f64
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[BATCHES / 2]
}

fn report(name: &str, nanoseconds: f64) {
    println!("{name},{nanoseconds:.0},ns");
}

fn cycle(bytes: usize, stream: &Stream) {
    drop(black_box(Memory::allocate(bytes, stream).unwrap()));
}

fn one_stream(device: Device) {
    let stream = device.new_stream().unwrap();
    for (size, bytes) in SIZES {
        report(&format!("{device} {size}"), time(|| cycle(bytes, &stream)));
    }
}

fn two_streams(device: Device) {
    let streams = [device.new_stream().unwrap(), device.new_stream().unwrap()];
    for (size, bytes) in SIZES {
        let mut turn = 0;
        let alternating = || {
            turn ^= 1;
            cycle(bytes, &streams[turn]);
        };
        report(&format!("{device} {size} two streams"), time(alternating));
    }
}

fn threads(device: Device) {
    for (size, bytes) in SIZES {
        let slowest = std::thread::scope(|scope| {
            let work = || {
                let stream = device.new_stream().unwrap();
                time(|| cycle(bytes, &stream))
            };
            let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(work)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).fold(0.0, f64::max)
        });
        report(&format!("{device} {size} {THREADS} threads"), slowest);
    }
}

/// Blocks of many sizes that live for a while, as the temporaries of a program do.
fn mixed(device: Device) {
    let stream = device.new_stream().unwrap();
    let mut live: Vec<Option<Memory>> = (0..64).map(|_| None).collect();
    let mut state = 1_u64;
    let step = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let (place, bits) = ((state >> 58) as usize, (state >> 33) as usize);
        let bytes = 1 + bits % (256 << ((bits >> 8) % 14));
        // The old one is freed first.
        live[place] = None;
        live[place] = Some(Memory::allocate(bytes, &stream).unwrap());
    };
    report(&format!("{device} mixed sizes"), time(step));
    drop(live);
    let figures = device.pool();
    println!("{device} mixed sizes reserved,{},bytes", figures.reserved);
}

/// The driver's own stream-ordered pool, as others use it.
mod driver {
    use std::ptr::{null_mut, with_exposed_provenance_mut};

    use arrayspan_devices::Device;
    use cudarc::driver::sys::{self, CUresult};

    use super::{SIZES, report, time};

    fn check(code: CUresult) {
        assert_eq!(code, CUresult::CUDA_SUCCESS);
    }

    pub(super) fn cases(device: Device) {
        let stream = device.new_stream().unwrap();
        let raw = with_exposed_provenance_mut(stream.raw());
        let ordinal = device.gpu_id() as i32;
        let (mut context, mut pool) = (null_mut(), null_mut());
        let properties = sys::CUmemPoolProps {
            allocType: sys::CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED,
            handleTypes: sys::CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_NONE,
            location: sys::CUmemLocation {
                type_: sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE,
                id: ordinal,
            },
            win32SecurityAttributes: null_mut(),
            maxSize: 0,
            usage: 0,
            reserved: [0; 54],
        };
        let mut kept = u64::MAX;
        // SAFETY: the device exists; the pool is made here, used on a live stream of its device and destroyed at the
        // end; results are written during the calls only.
        unsafe {
            check(sys::cuDevicePrimaryCtxRetain(&raw mut context, ordinal));
            check(sys::cuCtxPushCurrent_v2(context));
            check(sys::cuMemPoolCreate(&raw mut pool, &raw const properties));
            let threshold = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
            check(sys::cuMemPoolSetAttribute(pool, threshold, (&raw mut kept).cast()));
        }
        for (size, bytes) in SIZES {
            let cycle = || {
                let mut address = 0;
                // SAFETY: as above; the block is not used.
                unsafe {
                    check(sys::cuMemAllocFromPoolAsync(&raw mut address, bytes, pool, raw));
                    check(sys::cuMemFreeAsync(address, raw));
                }
            };
            report(&format!("{device} {size} driver's pool"), time(cycle));
        }
        stream.synchronize().unwrap();
        // SAFETY: nothing of the pool is in use; this thread pushed the context and retained it.
        unsafe {
            check(sys::cuMemPoolDestroy(pool));
            check(sys::cuCtxPopCurrent_v2(&raw mut context));
            check(sys::cuDevicePrimaryCtxRelease_v2(ordinal));
        }
    }
}
