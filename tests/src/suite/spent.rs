//! What a law costs in one cell, told on a line that `cargo xtask test` adds up for each operator.

use std::fs;
use std::time::{Duration, Instant};

use arrayspan_devices::{Device, caches};

/// What has been spent until now.
#[derive(Clone, Copy, Debug)]
pub struct Spent {
    device: Device,
    kernels: usize,
    processor: Option<Duration>,
    begin: Instant,
}

impl Spent {
    /// Begins to count on a device.
    #[must_use]
    pub fn begin(device: Device) -> Self {
        let (kernels, processor) = (caches::kernels(device), processor());
        Self { device, kernels, processor, begin: Instant::now() }
    }

    /// `spent: first_derivative opencl:0 3 kernels 812 ms`: kernels that the process did not have before, and time
    /// of processors, that of compilers included. Both are those of the process: they mean something where
    /// one test runs at a time. Where no one tells the processors' time it is the clock's.
    #[must_use]
    pub fn end(self, operator: &str) -> String {
        let kernels = caches::kernels(self.device).saturating_sub(self.kernels);
        let time = match (processor(), self.processor) {
            (Some(end), Some(begin)) => end.saturating_sub(begin),
            _ => self.begin.elapsed(),
        };
        format!("spent: {operator} {} {kernels} kernels {} ms", self.device, time.as_millis())
    }
}

/// What all threads of this process and the children it has waited for have used of processors.
fn processor() -> Option<Duration> {
    ticks(&fs::read_to_string("/proc/self/stat").ok()?)
        .map(|ticks| Duration::from_millis(10 * ticks))
}

/// The sum of utime, stime, cutime and cstime in a line of `/proc/PID/stat`; the kernel counts them in hundredths
/// of a second for every program.
fn ticks(stat: &str) -> Option<u64> {
    // A name may hold anything, also brackets and spaces.
    let (_, fields) = stat.rsplit_once(')')?;
    let fields = fields.split_whitespace().skip(11).take(4);
    let numbers: Vec<u64> = fields.filter_map(|field| field.parse().ok()).collect();
    (numbers.len() == 4).then(|| numbers.iter().sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_found_whatever_the_program_is_called() {
        let stat = "42 (a) R 1 (b) S 1 42 42 0 -1 4194560 100 200 0 0 7 3 20 10 20 0 1 0 12345 1 2";
        assert_eq!(ticks(stat), Some(40));
        assert_eq!(ticks("42 (a"), None);
        assert_eq!(ticks("42 (a) S 1 42"), None);
    }

    #[test]
    fn work_shows_and_nothing_is_compiled_on_the_host() {
        let (spent, mut state) = (Spent::begin(Device::cpu()), 1_u64);
        // So much work, not so much time, of which a busy machine may give none.
        for _ in 0..100_000_000_u32 {
            state = state.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(7);
        }
        assert_ne!(state, 0);
        let line = spent.end("spin");
        let words: Vec<&str> = line.split(' ').collect();
        assert_eq!(words[..5], ["spent:", "spin", "cpu", "0", "kernels"], "{line}");
        assert!(words[5].parse::<u64>().unwrap() >= 20, "{line}");
    }
}
