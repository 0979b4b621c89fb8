//! In how many passes over memory a device transforms lines.

use std::cmp::Reverse;

use arrayspan_bridge::DType;

use super::line_pass::{Halves, LinePass};
use super::{Couples, Fourier, LOCAL, Limits, ROOM, Registers, Signals};

/// Prime factors that butterflies have.
const PRIMES: [usize; 6] = [13, 11, 7, 5, 3, 2];

/// Bytes of neighbours that are read or written together at least, where lines lie side by side, as the parts of a line do in
/// each of several passes: what memory moves at once.
pub(crate) const SIDE_BY_SIDE: usize = 32;

/// Points that are transformed at a time, at most: there is a group for each line of those that threads hold in registers.
const MOST_POINTS: usize = 1 << 31;

/// The passes over memory of a transform. What it costs is known before it runs, on whichever device: that of groups that have the [least](Limits::LEAST).
/// Where they may have more, lines of more points take one pass.
///
/// A line whose length has small prime factors only is transformed as it is, one of real samples with half a spectrum, or with cosines, as one of half as
/// many complex numbers where these fit local memory; any other (Bluestein) as a convolution, by two transforms of a
/// longer one. A length that does not fit local memory is the product of those of several passes, of which each transforms what lies
/// as far apart as there are parts left (Stockham's order); between real samples and half a spectrum half of them is computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Schedule {
    /// Points of the lines that are transformed.
    pub(crate) length: usize,
    /// Points of the transforms of each pass; their product is the length.
    pub(crate) passes: Vec<usize>,
    /// Whether lines are convolved, for which they are transformed twice.
    pub(crate) chirp: bool,
    /// Whether two real samples are one complex number, so that the length is half of the points.
    pub(crate) pairs: bool,
    /// Of which steps two butterflies are made together.
    pub(crate) couples: Couples,
    /// Which half is computed, of real lines in several passes.
    pub(crate) halves: Option<Halves>,
    /// All lines, and those that are transformed at a time.
    pub(crate) lines: usize,
    pub(crate) at_once: usize,
    /// What a group has.
    pub(crate) limits: Limits,
    bytes: usize,
}

impl Schedule {
    /// Of so many lines, which lie side by side or not, by groups that have so much; `dtype` is that of results.
    pub(crate) fn new(
        limits: Limits,
        fourier: &Fourier,
        dtype: DType,
        lines: usize,
        across: bool,
    ) -> Self {
        let bytes = 2 * dtype.real().bytes();
        let several = LOCAL / SIDE_BY_SIDE;
        // Lines of a group, and whether one pass takes them.
        let lines_of = if across { (SIDE_BY_SIDE / bytes).max(1) } else { 1 };
        let fits = |points: usize, couples: Couples| {
            let all = points.saturating_mul(lines_of * bytes);
            let most = limits.of_lines(across);
            // Of several passes those of half a spectrum make half.
            let takes = |held: Registers| !held.halved || fourier.signals() != Signals::Half;
            let held = || Registers::new(points, (lines_of, bytes), couples, limits);
            all <= most || held().is_some_and(takes)
        };
        let points = fourier.points();
        let even = fourier.is_weighted() && points.is_multiple_of(2);
        let pairs = even && factors(points).is_some() && fits(points / 2, fourier.couples());
        let chirp = factors(points).is_none();
        let length = match points {
            _ if chirp => padded(2 * points - 1),
            _ if pairs => points / 2,
            _ => points,
        };
        let couples = if pairs { fourier.couples() } else { Couples::default() };
        let passes = if fits(length, couples) { vec![length] } else { passes(length, several) };
        let half = fourier.signals() == Signals::Half && passes.len() > 1 && !chirp;
        let side = if fourier.is_inverse() { Halves::Transforms } else { Halves::Results };
        let halves = half.then_some(side);
        let at_once = lines.min((MOST_POINTS / length).max(1));
        let mut schedule =
            Self { length, passes, chirp, pairs, couples, halves, lines, at_once, limits, bytes };
        let line = schedule.rooms().saturating_mul(schedule.room()).saturating_mul(bytes).max(1);
        if schedule.rooms() > 0 {
            // As many each time.
            let times = lines.div_ceil((ROOM / line).max(1)).max(1);
            schedule.at_once = lines.div_ceil(times).max(1);
        }
        schedule
    }

    /// Passes over all lines.
    pub(crate) fn count(&self) -> usize {
        self.passes.len() * if self.chirp { 2 } else { 1 }
    }

    /// Arrays of lines that are on their way at a time: one that is read, one that is written.
    pub(crate) fn rooms(&self) -> usize {
        (self.count() - 1).min(2)
    }

    /// What pass `at` does to a line.
    pub(crate) fn line_pass(&self, at: usize) -> LinePass {
        LinePass::new(&self.passes, self.halves, at)
    }

    /// Elements that each pass but the last leaves of a line.
    fn left_of_line(&self) -> impl Iterator<Item = usize> {
        let before = 0..self.passes.len().saturating_sub(1);
        let each = before.map(|at| self.line_pass(at).left());
        // Those of a convolution are whole.
        let between = if self.chirp { self.passes.len() } else { 0 };
        each.chain(std::iter::repeat_n(self.length, between))
    }

    /// Elements of each, of a line.
    pub(crate) fn room(&self) -> usize {
        self.left_of_line().max().unwrap_or(0)
    }

    /// Kernels that are launched.
    pub(crate) fn launches(&self) -> usize {
        self.lines.div_ceil(self.at_once.max(1)) * self.count()
    }

    /// Bytes that passes leave for the next.
    pub(crate) fn left(&self) -> usize {
        let line = self.left_of_line().fold(0, usize::saturating_add);
        self.lines.saturating_mul(line).saturating_mul(self.bytes)
    }
}

/// The prime factors of a number, the largest first; `None` if some are too large.
pub(crate) fn factors(number: usize) -> Option<Vec<usize>> {
    let (mut rest, mut all) = (number, Vec::new());
    for prime in PRIMES {
        while rest.is_multiple_of(prime) {
            all.push(prime);
            rest /= prime;
        }
    }
    (rest == 1).then_some(all)
}

/// The least number from `least` on that is a power of two, three times one, or five times one: with butterflies of few kinds.
fn padded(least: usize) -> usize {
    let power = least.next_power_of_two();
    [power / 4 * 3, power / 8 * 5, power / 8 * 7]
        .into_iter()
        .filter(|n| *n >= least)
        .fold(power, usize::min)
}

/// Several lengths of about the same size, of up to `several` points, whose product is `length`. All prime factors of it are small.
fn passes(length: usize, several: usize) -> Vec<usize> {
    let primes = factors(length).unwrap_or_default();
    for count in 2.. {
        let mut parts = vec![1; count];
        for prime in &primes {
            if let Some(least) = parts.iter_mut().min() {
                *least *= prime;
            }
        }
        if parts.iter().all(|part| *part <= several) {
            // Of long ones a group has few side by side, which matters most where the last pass stores.
            parts.sort_unstable_by_key(|part| Reverse(*part));
            return parts;
        }
    }
    vec![length]
}

#[cfg(test)]
mod tests {
    use super::super::radices;
    use super::*;

    #[test]
    fn every_length_has_passes_that_fit() {
        for points in (1..3000).chain([4096, 4097, 8000, 65_537, 262_144, 1 << 24, 64_000_000]) {
            let fourier = Fourier::new(0, points).unwrap();
            for dtype in [DType::Float32, DType::Complex128] {
                for across in [false, true] {
                    let schedule = Schedule::new(Limits::LEAST, &fourier, dtype, 7, across);
                    let bytes = 2 * dtype.real().bytes();
                    assert_eq!(schedule.passes.iter().product::<usize>(), schedule.length);
                    let fits = |part: &usize| {
                        let (all, lines) = (part * bytes, (SIDE_BY_SIDE / bytes).max(1));
                        let lines = if across { lines } else { 1 };
                        let couples = schedule.couples;
                        let held = || {
                            Registers::new(*part, (lines, bytes), couples, Limits::LEAST).is_some()
                        };
                        all * lines <= LOCAL || schedule.passes.len() == 1 && held()
                    };
                    assert!(schedule.passes.iter().all(fits), "{points}");
                    let least = if schedule.chirp { 2 * points - 1 } else { points };
                    assert!(schedule.length >= least && schedule.length < 2 * least.max(2));
                    for part in &schedule.passes {
                        assert_eq!(
                            radices(*part, Couples::default()).iter().product::<usize>(),
                            *part
                        );
                    }
                    assert_eq!(
                        schedule.launches(),
                        schedule.count() * 7_usize.div_ceil(schedule.at_once)
                    );
                }
            }
        }
    }

    #[test]
    fn half_of_what_real_lines_leave_is_left_out() {
        for points in [9625, 18_000, 1 << 15, 1 << 21] {
            let half = Fourier::new(0, points).unwrap().half();
            let new = |fourier: &Fourier| {
                Schedule::new(Limits::LEAST, fourier, DType::Complex64, 3, false)
            };
            for fourier in [half, half.adjoint()] {
                let (whole, part) = (new(&half.real()), new(&fourier));
                assert_eq!(part.passes, whole.passes);
                let share = part.left() as f64 / whole.left() as f64;
                assert!((0.5..0.52).contains(&share), "{points}: {share}");
                for at in 0..part.passes.len() - 1 {
                    assert!(part.line_pass(at).left() <= part.room(), "{fourier:?}");
                }
            }
        }
    }

    #[test]
    fn lines_that_fit_take_one_pass() {
        let launches = |points, across| {
            let fourier = Fourier::new(0, points).unwrap();
            Schedule::new(Limits::LEAST, &fourier, DType::Complex64, 1000, across).launches()
        };
        assert_eq!([launches(4096, false), launches(1024, true), launches(1, true)], [1; 3]);
        assert_eq!([launches(6144, false), launches(1536, true)], [1; 2]);
        assert_eq!([launches(8000, false), launches(8000, true), launches(17, false)], [2; 3]);
    }
}
