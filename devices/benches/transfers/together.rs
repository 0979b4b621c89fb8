//! Between the host and many devices at once.

use std::sync::Barrier;
use std::time::{Duration, Instant};

use arrayspan_devices::staging::{self, Settings};
use arrayspan_devices::{Device, Memory, Result, Stream};

use super::memory;
use super::{KIB, MIB, fresh, queued, size, warm};

/// Rounds timed; the best counts. In each a lane copies as often as makes [`ROUND`] bytes, so that all copy all the time.
const ROUNDS: usize = 5;
const ROUND: usize = 1 << 30;

#[derive(Clone, Copy, PartialEq)]
enum Direction {
    Up,
    Down,
    Both,
}

/// A device with memory on both sides for both directions.
struct Lane {
    streams: [Stream; 2],
    near: [Memory; 2],
    far: [Memory; 2],
}

impl Lane {
    fn new(device: Device, bytes: usize, near: impl Fn() -> Result<Memory>) -> Result<Self> {
        let streams = [device.new_stream()?, device.new_stream()?];
        let far = [Memory::allocate(bytes, &streams[0])?, Memory::allocate(bytes, &streams[1])?];
        Ok(Self { streams, near: [near()?, near()?], far })
    }

    fn up(&self, copies: usize) -> Result<()> {
        repeated(copies, &self.near[0], &self.far[0], &self.streams[0])
    }

    fn down(&self, copies: usize) -> Result<()> {
        repeated(copies, &self.far[1], &self.near[1], &self.streams[1])
    }
}

/// Copies queued without a wait between them, where the way allows that, and the end of the last.
fn repeated(copies: usize, from: &Memory, to: &Memory, stream: &Stream) -> Result<()> {
    (0..copies).try_for_each(|_| queued(from, to, stream))?;
    stream.synchronize()
}

/// GB/s of all lanes together: each copies on one thread for each direction.
fn rate(lanes: &[Lane], direction: Direction) -> Result<f64> {
    let block = lanes[0].far[0].bytes();
    let copies = (ROUND / block).max(1);
    let mut jobs: Vec<Box<dyn Fn() -> Result<()> + Send + '_>> = Vec::new();
    for lane in lanes {
        if direction != Direction::Down {
            jobs.push(Box::new(move || lane.up(copies)));
        }
        if direction != Direction::Up {
            jobs.push(Box::new(move || lane.down(copies)));
        }
    }
    let bytes = jobs.len() * copies * block;
    let barrier = Barrier::new(jobs.len() + 1);
    let mut least = Duration::MAX;
    std::thread::scope(|scope| {
        let threads: Vec<_> = jobs
            .into_iter()
            .map(|job| {
                let barrier = &barrier;
                scope.spawn(move || {
                    let mut result = Ok(());
                    for _ in 0..=ROUNDS {
                        barrier.wait();
                        result = result.and_then(|()| job());
                        barrier.wait();
                    }
                    result
                })
            })
            .collect();
        for round in 0..=ROUNDS {
            barrier.wait();
            let clock = Instant::now();
            barrier.wait();
            // The first warms up.
            if round > 0 {
                least = least.min(clock.elapsed());
            }
        }
        threads.into_iter().try_for_each(|thread| thread.join().expect("no panic"))
    })?;
    Ok(bytes as f64 / least.as_secs_f64() / 1e9)
}

/// One, two, four … devices.
fn counts(devices: &[Device]) -> Vec<usize> {
    let doubled = std::iter::successors(Some(1), |count| Some(2 * count));
    let mut counts: Vec<usize> = doubled.take_while(|count| *count < devices.len()).collect();
    counts.push(devices.len());
    counts
}

/// Page-locked and pageable memory, up, down and both, by the number of devices; the second time what goes to pageable
/// memory is written by way of the processor's caches. Page-locked copies take no part of the host's processors: they are
/// what the machine can do. So is how fast the host copies its own memory, below.
pub(crate) fn table(devices: &[Device], largest: usize) -> Result<()> {
    if devices.is_empty() {
        return Ok(());
    }
    let bytes = largest.min(256 * MIB);
    println!("\n{} of each device at once, GB/s in all: up / down / both", size(bytes));
    println!(
        "{:>8} | {:>20} | {:>20} | {:>11} | {:>20} | {:>11}",
        "devices", "page-locked", "pageable", "fresh, down", "by the caches", "fresh, down"
    );
    let defaults = staging::settings();
    for count in counts(devices) {
        let devices = &devices[..count];
        print!("{count:>8}");
        let lanes = devices.iter().map(|&d| Lane::new(d, bytes, || Memory::pinned(bytes, d)));
        three(&lanes.collect::<Result<Vec<_>>>()?)?;
        for past_caches in [true, false] {
            staging::configure(Settings { past_caches, ..defaults });
            let lanes = pageable(devices, bytes)?;
            three(&lanes)?;
            print!(" | {:11.1}", untouched(lanes)?);
        }
        staging::configure(defaults);
        println!();
    }
    memory::table();
    Ok(())
}

fn pageable(devices: &[Device], bytes: usize) -> Result<Vec<Lane>> {
    devices.iter().map(|&device| Lane::new(device, bytes, || Ok(warm(bytes)))).collect()
}

fn three(lanes: &[Lane]) -> Result<()> {
    let [up, down, both] = [Direction::Up, Direction::Down, Direction::Both];
    let [up, down, both] = [rate(lanes, up)?, rate(lanes, down)?, rate(lanes, both)?];
    print!(" | {up:6.1} {down:6.1} {both:6.1}");
    Ok(())
}

/// Down to memory that nobody has touched, once.
fn untouched(mut lanes: Vec<Lane>) -> Result<f64> {
    let mut best = 0.0_f64;
    for _ in 0..3 {
        for lane in &mut lanes {
            lane.near[1] = fresh(lane.near[1].bytes());
        }
        let clock = Instant::now();
        std::thread::scope(|scope| {
            let threads: Vec<_> = lanes.iter().map(|lane| scope.spawn(|| lane.down(1))).collect();
            threads.into_iter().try_for_each(|thread| thread.join().expect("no panic"))
        })?;
        let bytes: usize = lanes.iter().map(|lane| lane.near[1].bytes()).sum();
        best = best.max(bytes as f64 / clock.elapsed().as_secs_f64() / 1e9);
    }
    Ok(best)
}

/// Pageable memory under many settings, on one device and on all: up / down / both.
pub(crate) fn sweep(devices: &[Device], largest: usize) -> Result<()> {
    if devices.is_empty() {
        return Ok(());
    }
    let bytes = largest.min(256 * MIB);
    let defaults = staging::settings();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut counts = vec![1, devices.len()];
    counts.dedup();
    for count in counts {
        let lanes = pageable(&devices[..count], bytes)?;
        println!("\n{count} devices, {} each; chunk x slots, whether past the caches", size(bytes));
        let threads = [2, 4, 6, 8, 12, 16].map(|threads| threads * count);
        let threads: Vec<usize> = threads.into_iter().filter(|threads| *threads <= cores).collect();
        print!("{:>24}", "threads in all");
        for threads in &threads {
            print!(" | {threads:>20}");
        }
        println!();
        for past_caches in [true, false] {
            for (chunk, slots) in SHAPES {
                print!("{:>9} x {slots:>2}, {past_caches:<5}   ", size(chunk));
                for &threads in &threads {
                    staging::configure(Settings {
                        threads: threads / count,
                        most_threads: threads,
                        chunk,
                        slots,
                        past_caches,
                        ..defaults
                    });
                    three(&lanes)?;
                }
                println!();
            }
        }
    }
    staging::configure(defaults);
    Ok(())
}

/// Chunks and how many of them.
const SHAPES: [(usize, usize); 6] =
    [(8 * MIB, 4), (4 * MIB, 4), (2 * MIB, 4), (2 * MIB, 8), (MIB, 8), (512 * KIB, 16)];
