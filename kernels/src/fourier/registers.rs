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
    /// Whether one half of the threads exchange their numbers, and then the other half: local memory has room for a quarter of all.
    pub(crate) halved: bool,
}

/// Points, lines, bytes of a number, butterflies that are made together, and what a group has.
type Asked = (usize, usize, usize, Couples, Limits);

static KNOWN: LazyLock<Mutex<HashMap<Asked, Option<Registers>>>> = LazyLock::new(Mutex::default);

impl Registers {
    /// Those of so many transforms of so many points, of numbers of so many bytes, of which local memory has room for half, or for a quarter
    /// of one; `None` if it has not, threads cannot hold them, or steps are too few to exchange numbers between.
    pub(crate) fn new(
        points: usize,
        (lines, bytes): (usize, usize),
        couples: Couples,
        limits: Limits,
    ) -> Option<Self> {
        let all = points.checked_mul(lines)?;
        let halved = all > (limits.local - limits.local / FREE) * 2 / bytes;
        if halved && (lines > 1 || couples.any() || all > limits.local * 4 / bytes) {
            return None;
        }
        let asked = (points, lines, bytes, couples, limits);
        if let Some(known) = KNOWN.lock().get(&asked) {
            return *known;
        }
        let coupled = couples.any();
        let each = all_of(points, usize::from(coupled)).into_iter().filter_map(|radices| {
            Some(match (halved, coupled) {
                (true, _) => with_like_ends(radices, limits.local * 2 / bytes)?,
                (false, true) => with_small_ends(radices, couples),
                (false, false) => in_order(radices),
            })
        });
        let held = each
            .filter_map(|radices| Self::of(&radices, (lines, bytes), couples, (limits, halved)));
        let found = held.min_by_key(|held| held.cost(bytes));
        KNOWN.lock().insert(asked, found);
        found
    }

    /// The same with these radices.
    fn of(
        of: &[usize],
        (lines, bytes): (usize, usize),
        couples: Couples,
        (limits, halved): (Limits, bool),
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
            Self { threads, numbers: numbers(threads), radices, halved }
        });
        let fitting = held.filter(|held| {
            let each = held.numbers * bytes;
            // Of halves a thread has one butterfly a step.
            let one = !halved || steps.clone().all(|(_, butterflies)| butterflies <= held.threads);
            one && each <= OF_THREAD && held.threads * (each + BESIDE) <= ALL
        });
        fitting.min_by_key(|held| held.cost(bytes))
    }

    /// What all threads hold in each step, idle ones too, more so if each holds many; then many threads.
    fn cost(&self, bytes: usize) -> (usize, Reverse<usize>) {
        let many = if self.numbers * bytes > FEW { 5 } else { 4 };
        let steps = self.radices.iter().filter(|radix| **radix > 0).count();
        (self.threads * self.numbers * many * steps, Reverse(self.threads))
    }

    /// Cells of local memory for parts of the numbers of one half of the threads.
    pub(crate) fn cells(&self) -> usize {
        let [first, second, last, ..] = self.radices.map(usize::from);
        half_cells([first, second, last])
    }

    /// Groups that a processor has registers for, of numbers of so many bytes.
    pub(crate) fn resident(&self, bytes: usize, couples: Couples) -> usize {
        let beside = if couples.any() { BESIDE_COUPLES } else { BESIDE };
        (ALL / (self.threads * (self.numbers * bytes + beside))).max(1)
    }
}

/// Three radices, of which the last two are like each other, if parts of one half of the threads' numbers fit so many cells.
///
/// Numbers on their way to the second step's threads stay among those of equal places within the last radix, numbers on their way to the
/// third's among those of equal bins of the first: the same threads have a half of either.
fn with_like_ends(radices: Vec<usize>, cells: usize) -> Option<Vec<usize>> {
    let [a, b, c] = radices[..] else { return None };
    let [first, like] = if b == c { [a, b] } else { [c, a] };
    let fits = half_cells([first, like, like]) <= cells;
    (first * like * like == a * b * c && fits).then(|| vec![first, like, like])
}

/// The parts of numbers that are on their way at a time, of the larger half of threads.
fn half_cells([first, second, last]: [usize; 3]) -> usize {
    second * usize::max(last.div_ceil(2) * first, first.div_ceil(2) * last)
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
        let halved = [(19_683, [27, 27, 27]), (12_500, [20, 25, 25]), (11_664, [16, 27, 27])];
        for (points, radices) in halved {
            let held = held(points, 1, 8, 48 << 10).unwrap_or_else(|| panic!("{points}"));
            assert!(held.halved && held.threads >= radices[1] * radices[2], "{points}: {held:?}");
            assert_eq!(unpacked(&held.radices), radices);
        }
        // Of each of two lines there is no half, and 144 KiB have room for all.
        assert_eq!(held(12_500, 2, 8, 48 << 10), None);
        assert!(held(19_683, 1, 8, 144 << 10).is_some_and(|held| !held.halved));
        assert!(held(4096, 1, 16, 32 << 10).is_some_and(|held| held.halved));
        assert_eq!(held(16_384, 1, 16, 1 << 20), None);
        assert_eq!(held(400, 1, 8, 48 << 10), None);
    }
}
