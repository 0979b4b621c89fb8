//! How fast bytes move: `cargo bench -p arrayspan-devices --bench transfers -- cuda:0 [cuda:1 opencl:0 …] [--sweep]
//! [--largest MiB] [--only PART]`. Without a name: every device.
//!
//! For each device: between it and page-locked, registered and pageable host memory, beside the driver's own way for
//! the last; within it. Between each two devices named. All in GB/s (10⁹ bytes), the best of several; what goes both
//! ways at once counts twice. Then all devices at once, beside the host's own memory, and each ordered pair of them. With `--sweep` how pageable memory
//! fares under other settings than the defaults. `--only host`, `together` or `pairs` is a part of it.

mod host;
mod memory;
mod pairs;
mod sweep;
mod together;

use std::time::{Duration, Instant};

use arrayspan_devices::{Device, Memory, Result, Stream, staging};

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;

/// What the command line asks for.
struct Wanted {
    devices: Vec<Device>,
    sweep: bool,
    /// A part of the tables; all without one.
    only: Option<String>,
    /// Bytes of the largest copy.
    largest: usize,
}

fn main() -> Result<()> {
    let wanted = wanted()?;
    println!("{:?}, {:?} cores", staging::settings(), std::thread::available_parallelism().ok());
    let part = |name: &str| wanted.only.as_deref().is_none_or(|only| only == name);
    let gpus: Vec<Device> = wanted.devices.iter().copied().filter(|d| !d.is_cpu()).collect();
    for &device in gpus.iter().filter(|_| part("host")) {
        println!("\n{device}: {}", device.info().name);
        host::table(device, wanted.largest)?;
        host::locking(device, wanted.largest)?;
        if wanted.sweep {
            sweep::tables(device, wanted.largest)?;
        }
        let held = device.pinned_statistics();
        println!("page-locked: {held:?}; locking {:.0} MiB/s", rate_of_locking(&held));
    }
    if part("together") {
        together::table(&gpus, wanted.largest)?;
        if wanted.sweep {
            together::sweep(&gpus, wanted.largest)?;
        }
    }
    if part("pairs") {
        pairs::table(&gpus, wanted.largest)?;
        pairs::matrix(&gpus, wanted.largest)?;
    }
    Ok(())
}

fn rate_of_locking(held: &arrayspan_devices::PinnedStatistics) -> f64 {
    held.bytes as f64 / MIB as f64 / held.locking.as_secs_f64().max(1e-9)
}

fn wanted() -> Result<Wanted> {
    let mut wanted = Wanted { devices: Vec::new(), sweep: false, only: None, largest: 1024 * MIB };
    // `cargo bench` adds `--bench`.
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    while let Some(argument) = arguments.next() {
        match &*argument {
            "--sweep" => wanted.sweep = true,
            "--only" => wanted.only = arguments.next(),
            "--largest" => {
                let number = arguments.next().and_then(|text| text.parse::<usize>().ok());
                wanted.largest = number.unwrap_or(1024).max(1) * MIB;
            }
            name => wanted.devices.push(name.parse()?),
        }
    }
    if wanted.devices.is_empty() {
        wanted.devices = Device::all();
    }
    Ok(wanted)
}

/// The sizes of a table, up to the largest.
fn sizes(largest: usize) -> impl Iterator<Item = usize> {
    let all = [4 * KIB, 64 * KIB, MIB, 4 * MIB, 16 * MIB, 64 * MIB, 256 * MIB, 1024 * MIB];
    all.into_iter().filter(move |bytes| *bytes <= largest)
}

/// The rate in GB/s at which `work` moves `bytes` bytes, at best. `prepare` is not timed.
fn best<T>(
    bytes: usize,
    mut prepare: impl FnMut() -> Result<T>,
    mut work: impl FnMut(&T) -> Result<()>,
) -> Result<f64> {
    // Small copies are noisy, large ones slow.
    let times = (256 * MIB / bytes).clamp(4, 200);
    let mut least = Duration::MAX;
    // The first time warms up.
    for time in 0..=times {
        let prepared = prepare()?;
        let clock = Instant::now();
        work(&prepared)?;
        if time > 0 {
            least = least.min(clock.elapsed());
        }
    }
    Ok(bytes as f64 / least.as_secs_f64() / 1e9)
}

/// Host memory as a program has it, from the allocator of the process and no pool of ours: pages that nobody has
/// touched, for large sizes.
fn fresh(bytes: usize) -> Memory {
    let mut values = vec![0_u8; bytes];
    let address = values.as_mut_ptr().expose_provenance();
    let release = Box::new(move || drop(values));
    // SAFETY: the vector stays in place until the release function drops it, and nobody else knows it.
    unsafe { Memory::from_foreign(Device::cpu(), address, bytes, release) }
}

/// The same, touched.
fn warm(bytes: usize) -> Memory {
    let memory = fresh(bytes);
    // SAFETY: the block has this size, and nobody uses it yet.
    unsafe { std::ptr::write_bytes(memory.address() as *mut u8, 1, bytes) };
    memory
}

/// A whole block to another, and the end of it.
fn copied(from: &Memory, to: &Memory, stream: &Stream) -> Result<()> {
    queued(from, to, stream)?;
    stream.synchronize()
}

fn queued(from: &Memory, to: &Memory, stream: &Stream) -> Result<()> {
    let bytes = from.bytes().min(to.bytes());
    // SAFETY: nobody looks into these blocks.
    unsafe { from.copy_to(0, to, 0, bytes, stream) }
}

/// A size as people write it.
fn size(bytes: usize) -> String {
    match bytes {
        _ if bytes >= MIB => format!("{} MiB", bytes / MIB),
        _ => format!("{} KiB", bytes / KIB),
    }
}
