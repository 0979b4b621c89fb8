//! How the threads of a group share numbers that they hold in registers.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::LazyLock;

use parking_lot::Mutex;

use super::Limits;
use super::radices::{Couples, Packed, all_of, in_order, packed, with_small_ends};

/// Bytes of registers of a processor; of numbers that a thread holds at most, and as a rule; and that it needs beside these, with more
/// where numbers are taken together with their mirror images.
const ALL: usize = 256 << 10;
const OF_THREAD: usize = 256;
const FEW: usize = 160;
const BESIDE: usize = 128;
const BESIDE_COUPLES: usize = 192;

/// The part of local memory that is left free at least: it keeps numbers in different banks.
const FREE: usize = 16;

/// Threads of such a group at most, and of those that a device runs together.
const MOST_THREADS: usize = 1024;
const WARP: usize = 32;

/// Threads that hold transforms, the numbers of each, and the radices of the transforms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Registers {
    pub(crate) threads: usize,
    pub(crate) numbers: usize,
    pub(crate) radices: Packed,
}

/// Points, lines, bytes of a number, butterflies that are made together, and what a group has.
type Asked = (usize, usize, usize, Couples, Limits);

static KNOWN: LazyLock<Mutex<HashMap<Asked, Option<Registers>>>> = LazyLock::new(Mutex::default);

impl Registers {
    /// Those of so many transforms of so many points, of numbers of so many bytes, of which local memory has room for half; `None` if
    /// it has not, threads cannot hold them, or steps are too few to exchange numbers between.
    pub(crate) fn new(
        points: usize,
        (lines, bytes): (usize, usize),
        couples: Couples,
        limits: Limits,
    ) -> Option<Self> {
        let all = points.checked_mul(lines)?;
        if all > (limits.local - limits.local / FREE) * 2 / bytes {
            return None;
        }
        let asked = (points, lines, bytes, couples, limits);
        if let Some(known) = KNOWN.lock().get(&asked) {
            return *known;
        }
        let coupled = couples.any();
        let each = all_of(points, usize::from(coupled)).into_iter().map(|radices| {
            if coupled { with_small_ends(radices, couples) } else { in_order(radices) }
        });
        let held = each.filter_map(|radices| Self::of(&radices, (lines, bytes), couples, limits));
        let found = held.min_by_key(|held| held.cost(bytes));
        KNOWN.lock().insert(asked, found);
        found
    }

    /// The same with these radices.
    fn of(
        of: &[usize],
        (lines, bytes): (usize, usize),
        couples: Couples,
        limits: Limits,
    ) -> Option<Self> {
        if of.len() < 3 {
            return None;
        }
        let points = of.iter().product::<usize>();
        let steps = of.iter().enumerate().map(|(at, radix)| {
            let together = couples.of_step(at, of.len());
            (together * radix, lines * (points / radix).div_ceil(together))
        });
        let numbers = |threads: usize| {
            let each = steps.clone().map(|(of, butterflies)| butterflies.div_ceil(threads) * of);
            each.max().unwrap_or(0)
        };
        let radices = packed(of);
        let held = (1..=limits.threads.min(MOST_THREADS) / WARP).map(|warps| {
            let threads = warps * WARP;
            Self { threads, numbers: numbers(threads), radices }
        });
        let fitting = held.filter(|held| {
            let each = held.numbers * bytes;
            each <= OF_THREAD && held.threads * (each + BESIDE) <= ALL
        });
        fitting.min_by_key(|held| held.cost(bytes))
    }

    /// What all threads hold in each step, idle ones too, more so if each holds many; then many threads.
    fn cost(&self, bytes: usize) -> (usize, Reverse<usize>) {
        let many = if self.numbers * bytes > FEW { 5 } else { 4 };
        let steps = self.radices.iter().filter(|radix| **radix > 0).count();
        (self.threads * self.numbers * many * steps, Reverse(self.threads))
    }

    /// Groups that a processor has registers for, of numbers of so many bytes.
    pub(crate) fn resident(&self, bytes: usize, couples: Couples) -> usize {
        let beside = if couples.any() { BESIDE_COUPLES } else { BESIDE };
        (ALL / (self.threads * (self.numbers * bytes + beside))).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::super::radices::unpacked;
    use super::*;

    #[test]
    fn threads_hold_all_numbers() {
        let held = |points, lines, bytes, local| {
            let limits = Limits { local, threads: 1024 };
            Registers::new(points, (lines, bytes), Couples::default(), limits)
        };
        for (points, lines) in [(6144, 1), (8000, 1), (8192, 1), (10_000, 1), (2800, 4)] {
            let held = held(points, lines, 8, 48 << 10).unwrap_or_else(|| panic!("{points}"));
            assert!(held.threads * held.numbers >= points * lines, "{points}: {held:?}");
            assert!(held.numbers <= 32, "{points}: {held:?}");
            assert_eq!(unpacked(&held.radices).iter().product::<usize>(), points);
        }
        assert_eq!(
            held(8000, 1, 8, 48 << 10).map(|held| unpacked(&held.radices)),
            Some(vec![20; 3])
        );
        assert_eq!(held(8000, 1, 8, 16 << 10), None);
        assert_eq!(held(12_288, 1, 8, 48 << 10), None);
        assert_eq!(held(16_384, 1, 16, 1 << 20), None);
        assert_eq!(held(400, 1, 8, 48 << 10), None);
    }
}
