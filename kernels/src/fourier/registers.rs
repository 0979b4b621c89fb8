//! How the threads of a group share numbers that they hold in registers.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::LazyLock;

use parking_lot::Mutex;

use super::Limits;
use super::radices::{Couples, Packed, all_held, all_of, in_order, packed, with_small_ends};

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

/// Transforms that are asked for, and what a group has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Asked {
    points: usize,
    lines: usize,
    /// Of a number.
    bytes: usize,
    couples: Couples,
    limits: Limits,
}

/// Whether a processor holds one group alone, then what that costs.
type Cost = (bool, usize, Reverse<usize>);

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
        // Two passes whose parts of a line begin where memory does take less time.
        let whole = bytes == 8 && points.is_multiple_of(16);
        if halved && (whole || lines > 1 || couples.any() || all > limits.local * 4 / bytes) {
            return None;
        }
        let asked = Asked { points, lines, bytes, couples, limits };
        if let Some(known) = KNOWN.lock().get(&asked) {
            return *known;
        }
        let coupled = couples.any();
        let all =
            if asked.is_plain() { all_held(points) } else { all_of(points, usize::from(coupled)) };
        let each = all.into_iter().filter_map(|radices| {
            let radices = match (halved, coupled) {
                (true, _) => by_halves(&radices, limits.local * 2 / bytes)?,
                (false, true) => with_small_ends(radices, couples),
                (false, false) => in_order(radices),
            };
            asked.of(&radices, halved)
        });
        let found = each.min_by_key(|(_, cost)| *cost).map(|(held, _)| held);
        KNOWN.lock().insert(asked, found);
        found
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

impl Asked {
    /// Whether it is one line whose butterflies are each made alone: for these more radices were measured.
    fn is_plain(&self) -> bool {
        self.lines == 1 && !self.couples.any()
    }

    /// Those of these radices, and what they cost.
    fn of(&self, of: &[usize], halved: bool) -> Option<(Registers, Cost)> {
        let Self { points, lines, bytes, couples, limits } = *self;
        if of.len() < 3 {
            return None;
        }
        // What a thread takes together, and how many of these there are.
        let steps = of.iter().enumerate().map(|(at, radix)| {
            let together = couples.of_step(at, of.len());
            (together * radix, lines * (points / radix).div_ceil(together))
        });
        let each =
            |threads: usize| steps.clone().map(move |(of, many)| many.div_ceil(threads) * of);
        let radices = packed(of);
        let held = (1..=limits.threads.min(MOST_THREADS) / WARP).map(|warps| {
            let threads = warps * WARP;
            Registers { threads, numbers: each(threads).max().unwrap_or(0), radices, halved }
        });
        let fitting = held.filter(|held| {
            let each = held.numbers * bytes;
            // Of halves a thread has one butterfly a step, of the second and the third as many as the last radix is.
            let one = match of {
                [first, second, last] if halved => last * first.max(second) <= held.threads,
                _ => !halved,
            };
            one && each <= OF_THREAD && held.threads * (each + BESIDE) <= ALL
        });
        let plain = self.is_plain() && of.len() == 3;
        let cost = |held: &Registers| {
            let Registers { threads, numbers, .. } = *held;
            if plain && held.resident(bytes, couples) == 1 {
                // No other group works while this one waits: each thread is to have little to do, one step after the other.
                return (true, each(threads).sum(), Reverse(threads));
            }
            // What all threads hold in each step, idle ones too, more so if each holds many; then many threads.
            let many = if numbers * bytes > FEW { 5 } else { 4 };
            (false, threads * numbers * many * of.len(), Reverse(threads))
        };
        fitting.map(|held| (held, cost(&held))).min_by_key(|(_, cost)| *cost)
    }
}

/// Three radices in the order of steps, if parts of one half of the threads' numbers fit so many cells.
///
/// Numbers on their way to the second step's threads stay among those of equal places within the last radix, numbers on their way to the
/// third's among those of equal bins of the first: the same threads have a half of either.
fn by_halves(radices: &[usize], cells: usize) -> Option<Vec<usize>> {
    let [last, first, second] = *radices else { return None };
    (half_cells([first, second, last]) <= cells).then(|| vec![first, second, last])
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
        let halved = [(19_683, [27, 27, 27]), (12_500, [25, 20, 25]), (13_500, [25, 20, 27])];
        for (points, radices) in halved {
            let held = held(points, 1, 8, 48 << 10).unwrap_or_else(|| panic!("{points}"));
            assert!(held.halved && held.threads >= radices[0] * radices[2], "{points}: {held:?}");
            assert_eq!(unpacked(&held.radices), radices);
        }
        assert_eq!(held(13_824, 1, 8, 48 << 10), None);
        // Of each of two lines there is no half, and 144 KiB have room for all.
        assert_eq!(held(12_500, 2, 8, 48 << 10), None);
        assert!(held(19_683, 1, 8, 144 << 10).is_some_and(|held| !held.halved));
        assert!(held(4096, 1, 16, 32 << 10).is_some_and(|held| held.halved));
        assert_eq!(held(16_384, 1, 16, 1 << 20), None);
        assert_eq!(held(400, 1, 8, 48 << 10), None);
    }
}
