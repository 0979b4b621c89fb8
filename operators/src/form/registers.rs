//! Where intermediate results lie: two share memory if one is not needed any more when the other begins.

use std::collections::BTreeMap;

use arrayspan_bridge::devices::Device;

use crate::devices::PerDevice;

/// An array that is needed from one step to another.
#[derive(Clone, Debug)]
struct Lifetime {
    bytes: usize,
    /// The first and the last step.
    steps: Option<(usize, usize)>,
}

impl Lifetime {
    fn new(bytes: usize) -> Self {
        Self { bytes, steps: None }
    }

    fn used(&mut self, step: usize) {
        let (first, last) = self.steps.unwrap_or((step, step));
        self.steps = Some((first.min(step), last.max(step)));
    }
}

/// Arrays on several devices, each with memory of its own.
#[derive(Default)]
pub(super) struct Lifetimes {
    all: Vec<(Option<Device>, Lifetime)>,
}

impl Lifetimes {
    /// A new array, and its number.
    pub(super) fn push(&mut self, device: Option<Device>, bytes: usize) -> usize {
        self.all.push((device, Lifetime::new(bytes)));
        self.all.len() - 1
    }

    /// It is read or written by a step.
    pub(super) fn used(&mut self, number: usize, step: usize) {
        self.all[number].1.used(step);
    }

    /// The first byte of each array where it lies, and the bytes of all on each device.
    pub(super) fn arranged(&self) -> (Vec<usize>, PerDevice<usize>) {
        let mut starts = vec![0; self.all.len()];
        let mut bytes = PerDevice::default();
        let mut devices: Vec<Option<Device>> = Vec::new();
        for (device, _) in &self.all {
            if !devices.contains(device) {
                devices.push(*device);
            }
        }
        for device in devices {
            let numbers = (0..self.all.len()).filter(|&number| self.all[number].0 == device);
            let numbers: Vec<usize> = numbers.collect();
            let own: Vec<Lifetime> = numbers.iter().map(|&n| self.all[n].1.clone()).collect();
            let (found, sum) = arranged(&own);
            numbers.into_iter().zip(found).for_each(|(number, start)| starts[number] = start);
            *bytes.entry(device) = sum;
        }
        (starts, bytes)
    }
}

/// The first byte of each array, and the bytes of all: each goes to the first gap that is large enough when it begins.
fn arranged(lifetimes: &[Lifetime]) -> (Vec<usize>, usize) {
    let mut order: Vec<(usize, usize, usize)> = lifetimes
        .iter()
        .enumerate()
        .filter_map(|(at, lifetime)| lifetime.steps.map(|(first, last)| (first, last, at)))
        .filter(|(.., at)| lifetimes[*at].bytes > 0)
        .collect();
    order.sort_unstable();
    let mut starts = vec![0; lifetimes.len()];
    let mut all = 0;
    // By their first byte: the byte behind the last, and the last step.
    let mut living: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    for (first, last, at) in order {
        living.retain(|_, (_, ends)| *ends >= first);
        let bytes = lifetimes[at].bytes;
        let mut start = 0_usize;
        for (&next, &(end, _)) in &living {
            if next.saturating_sub(start) >= bytes {
                break;
            }
            start = end;
        }
        let end = start.saturating_add(bytes);
        living.insert(start, (end, last));
        starts[at] = start;
        all = all.max(end);
    }
    (starts, all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lifetime(bytes: usize, first: usize, last: usize) -> Lifetime {
        Lifetime { bytes, steps: Some((first, last)) }
    }

    #[test]
    fn a_chain_takes_two_and_what_is_free_is_used_again() {
        let chain: Vec<_> = (0..100).map(|step| lifetime(256, step, step + 1)).collect();
        let (starts, bytes) = arranged(&chain);
        assert_eq!(bytes, 512);
        assert!(starts.iter().enumerate().all(|(at, start)| *start == at % 2 * 256));
    }

    #[test]
    fn no_two_that_live_at_once_overlap() {
        let lifetimes = [
            lifetime(512, 0, 5),
            lifetime(256, 1, 2),
            lifetime(256, 1, 7),
            lifetime(256, 3, 3),
            lifetime(1024, 3, 4),
            lifetime(0, 0, 9),
            Lifetime::new(256),
        ];
        let (starts, bytes) = arranged(&lifetimes);
        assert_eq!(bytes, 2048);
        for (a, first) in lifetimes.iter().enumerate() {
            for (b, second) in lifetimes.iter().enumerate().take(a) {
                let (Some(x), Some(y)) = (first.steps, second.steps) else { continue };
                let at_once = x.0 <= y.1 && y.0 <= x.1;
                let apart =
                    starts[a] + first.bytes <= starts[b] || starts[b] + second.bytes <= starts[a];
                assert!(!at_once || apart || first.bytes == 0 || second.bytes == 0, "{a} {b}");
            }
        }
    }
}
