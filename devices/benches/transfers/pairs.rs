//! Between two devices: directly where there is a way, else by way of the host.

use std::sync::Barrier;
use std::time::{Duration, Instant};

use arrayspan_devices::{Access, Device, Memory, Result, Stream, peer};

use super::{best, copied, fresh, queued, size, sizes};

/// Copies of a pair queued at a time where all pairs copy at once, so that all overlap.
const ROUNDS: usize = 4;

/// All ordered pairs of two devices.
fn pairs(devices: &[Device]) -> impl Iterator<Item = (Device, Device)> {
    let all = devices.iter().flat_map(|from| devices.iter().map(move |to| (*from, *to)));
    all.filter(|(from, to)| from != to)
}

pub(crate) fn table(devices: &[Device], largest: usize) -> Result<()> {
    for (from, to) in pairs(devices) {
        println!("\n{}", peer::between(from, to));
        let (source, target) = (from.new_stream()?, to.new_stream()?);
        for bytes in sizes(largest) {
            let one = Memory::allocate(bytes, &source)?;
            let other = Memory::allocate(bytes, &target)?;
            let copy = |stream| best(bytes, || Ok(()), |()| copied(&one, &other, stream));
            let (push, pull) = (copy(&source)?, copy(&target)?);
            println!(
                "{:>9}: {push:6.1} on the source's stream, {pull:6.1} on the target's",
                size(bytes)
            );
        }
    }
    Ok(())
}

/// A pair with a block of each device.
struct Pair {
    from: Device,
    to: Device,
    stream: Stream,
    source: Memory,
    target: Memory,
}

impl Pair {
    fn new((from, to): (Device, Device), bytes: usize) -> Result<Self> {
        let stream = from.new_stream()?;
        let source = Memory::allocate(bytes, &stream)?;
        let target = Memory::allocate(bytes, &to.new_stream()?)?;
        let (near, number) = (fresh(bytes), seed(from, to));
        // SAFETY: the block has this size, begins at a multiple of eight, and nobody uses it yet.
        let words =
            unsafe { std::slice::from_raw_parts_mut(near.address() as *mut u64, bytes / 8) };
        words.iter_mut().enumerate().for_each(|(at, word)| *word = word_at(at, number));
        copied(&near, &source, &stream)?;
        Ok(Self { from, to, stream, source, target })
    }

    /// Whether the target holds what the source was given; then holds something else.
    fn arrived(&self) -> Result<bool> {
        let (bytes, number) = (self.target.bytes(), seed(self.from, self.to));
        let stream = self.to.new_stream()?;
        let near = fresh(bytes);
        copied(&self.target, &near, &stream)?;
        near.wait(Access::Read)?;
        // SAFETY: the block has this size, begins at a multiple of eight, and the host has waited for its writers.
        let words = unsafe { std::slice::from_raw_parts(near.address() as *const u64, bytes / 8) };
        let whole = words.iter().enumerate().all(|(at, word)| *word == word_at(at, number));
        drop(near);
        copied(&fresh(bytes), &self.target, &stream)?;
        Ok(whole)
    }
}

/// What tells the bytes of one pair from those of another.
fn seed(from: Device, to: Device) -> u64 {
    let number = |device: Device| device.gpu_id() as u64 + 1;
    number(from) * 1009 + number(to)
}

fn word_at(at: usize, seed: u64) -> u64 {
    (at as u64 + seed).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// The rates of all pairs, one after the other and all at once, with what arrives looked at.
pub(crate) fn matrix(devices: &[Device], bytes: usize) -> Result<()> {
    if devices.len() < 2 {
        return Ok(());
    }
    println!("\n{} from each (row) to each (column), GB/s; content checked", size(bytes));
    let alone = |from: Device, to: Device| -> Result<f64> {
        let pair = Pair::new((from, to), bytes)?;
        let rate = best(bytes, || Ok(()), |()| copied(&pair.source, &pair.target, &pair.stream))?;
        assert!(pair.arrived()?, "{from} to {to}: the bytes differ");
        Ok(rate)
    };
    print!("{:>10}", "");
    for to in devices {
        print!(" {:>9}", to.to_string());
    }
    println!();
    for &from in devices {
        print!("{:>10}", from.to_string());
        for &to in devices {
            if from == to {
                print!(" {:>9}", "-");
            } else {
                print!(" {:>9.1}", alone(from, to)?);
            }
        }
        println!();
    }
    at_once(devices, bytes)
}

/// All pairs at once, each on a stream of its own.
fn at_once(devices: &[Device], bytes: usize) -> Result<()> {
    let pairs = pairs(devices).map(|pair| Pair::new(pair, bytes)).collect::<Result<Vec<_>>>()?;
    let start = Barrier::new(pairs.len());
    let copy = |pair: &Pair| -> Result<Duration> {
        copied(&pair.source, &pair.target, &pair.stream)?;
        start.wait();
        let clock = Instant::now();
        (0..ROUNDS).try_for_each(|_| queued(&pair.source, &pair.target, &pair.stream))?;
        pair.stream.synchronize()?;
        Ok(clock.elapsed())
    };
    let times = std::thread::scope(|scope| {
        let threads: Vec<_> = pairs.iter().map(|pair| scope.spawn(|| copy(pair))).collect();
        let ended = threads.into_iter().map(|thread| thread.join().expect("no panic"));
        ended.collect::<Result<Vec<_>>>()
    })?;
    let rates: Vec<f64> =
        times.iter().map(|took| (ROUNDS * bytes) as f64 / took.as_secs_f64() / 1e9).collect();
    let longest = times.iter().max().map_or(1.0, Duration::as_secs_f64);
    let least = rates.iter().copied().fold(f64::INFINITY, f64::min);
    let most = rates.iter().copied().fold(0.0, f64::max);
    for pair in &pairs {
        assert!(pair.arrived()?, "{} to {}: the bytes differ", pair.from, pair.to);
    }
    println!(
        "all {} at once: {least:.1} to {most:.1} each, {:.0} in all; content checked",
        pairs.len(),
        (pairs.len() * ROUNDS * bytes) as f64 / longest / 1e9
    );
    Ok(())
}
