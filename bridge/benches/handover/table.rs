//! Times and prints rows.

use std::fs;
use std::hint::black_box;
use std::time::Instant;

use arrayspan_bridge::devices::{Device, drain};

const BATCH: usize = 1000;
const BATCHES: usize = 101;
const CYCLES: usize = 1_000_000;
const PAGE: isize = 4096;

/// Rows whose name contains a part.
pub(crate) struct Table {
    part: String,
}

impl Table {
    pub(crate) fn new(part: String) -> Self {
        println!("name,value,unit");
        Self { part }
    }

    fn wants(&self, name: &str) -> bool {
        name.contains(&self.part)
    }

    /// Nanoseconds of one `step`, which takes what `prepare` makes.
    pub(crate) fn time<I, O>(
        &self,
        name: &str,
        prepare: impl FnMut() -> I,
        mut step: impl FnMut(I) -> O,
    ) {
        if !self.wants(name) {
            return;
        }
        let mut prepare = prepare;
        let mut times = Vec::with_capacity(BATCHES);
        let mut outputs = Vec::with_capacity(BATCH);
        for _ in 0..BATCHES {
            let inputs: Vec<I> = (0..BATCH).map(|_| prepare()).collect();
            let begin = Instant::now();
            for input in inputs {
                outputs.push(black_box(step(input)));
            }
            times.push(begin.elapsed().as_secs_f64() * 1e9 / BATCH as f64);
            outputs.clear();
            drain();
        }
        times.sort_by(f64::total_cmp);
        println!("{name},{:.0},ns", times[BATCHES / 2]);
    }

    /// Growth of memory over a million times `step`, after the first tenth, and the time of one.
    pub(crate) fn cycle(&self, name: &str, device: Device, mut step: impl FnMut()) {
        if !self.wants(&format!("{name} cycle")) {
            return;
        }
        (0..CYCLES / 10).for_each(|_| step());
        let (host, free) = (resident(), free(device));
        let begin = Instant::now();
        (0..CYCLES).for_each(|_| step());
        let time = begin.elapsed().as_secs_f64() * 1e9 / CYCLES as f64;
        let (host, free) = (resident() - host, free - self::free(device));
        println!("{name} cycle,{time:.0},ns");
        println!("{name} growth of the host in 1e6 cycles,{host},bytes");
        if !device.is_cpu() {
            println!("{name} growth of the device in 1e6 cycles,{free},bytes");
        }
    }
}

/// Bytes of this process in memory; zero where the system does not tell.
fn resident() -> isize {
    drain();
    let text = fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text.split(' ').nth(1).and_then(|word| word.parse::<isize>().ok());
    pages.unwrap_or(0) * PAGE
}

/// Free bytes of a GPU, once its work is done; zero where the driver does not tell.
fn free(device: Device) -> isize {
    if device.is_cpu() {
        return 0;
    }
    device.stream().and_then(|stream| stream.synchronize()).unwrap();
    device.free_bytes().map_or(0, |bytes| bytes as isize)
}
