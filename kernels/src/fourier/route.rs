//! Whether and how a vendor's library takes part in a transform.

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::vendor::{LineSteps, Transform, TransformKind};

use super::{Fourier, Lines, Schedule, Signals};

/// Bytes of the lines that go through room on the way to the library or from it: most of them stay in the cache of a device until they
/// are read again.
const ROOM: usize = 32 << 20;

/// Bytes of lines that the library takes at a time where it reads and writes arrays: what it works in is about as large.
const DIRECT: usize = 256 << 20;

/// Bytes that our own passes read and write at least where the library takes their place: what is smaller stays in a device's
/// cache from one pass to the next, and launches are what counts.
const LEAST: usize = 48 << 20;

/// Bytes that our own passes, and the library's, move in a nanosecond; what each launch takes beside it, in nanoseconds. Measured on
/// an H100 (`kernels/tests/fft_times.rs`). Faster and slower memory changes both alike.
const OWN: (usize, usize) = (850, 3_000);
const LIBRARY: (usize, usize) = (1_600, 6_000);

/// How many times as long the library takes for elements that do not stand side by side.
const ACROSS: usize = 4;

/// The largest prime factor that the library has butterflies for.
const LARGEST_PRIME: usize = 127;

/// Points of the longest lines that the library transforms in one pass over memory.
const ONE_PASS: usize = 1 << 14;

/// Passes of the library over lines that it convolves.
const CONVOLVED: usize = 6;

/// A transform by a library, which takes lines of `n` points to as many and knows no turns, weights, scales, zeros behind signals
/// and updates: with a kernel before it and one behind it for these, where they are needed. What goes from one to the next
/// stands in room. The library multiplies by no number.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is a question of its own")]
pub(crate) struct Route {
    pub(crate) kind: TransformKind,
    /// Whether the library's exponent is positive.
    pub(crate) positive: bool,
    /// Whether lines are written into room before it, and whether they are read from room behind it.
    pub(crate) begins: bool,
    pub(crate) ends: bool,
    /// Whether the kernel before it scales.
    pub(crate) scales: bool,
    /// Elements of each line that the library reads and writes.
    pub(crate) elements: [usize; 2],
    /// Bytes of these elements.
    pub(crate) bytes: [usize; 2],
    /// All lines, those whose places in the arrays are evenly apart, and those that are transformed at a time.
    pub(crate) lines: usize,
    pub(crate) even: usize,
    pub(crate) at_once: usize,
}

/// The arrays of a call, `y` and `x` in this order.
#[derive(Debug)]
pub(crate) struct Arrays<'a> {
    pub(crate) lines: &'a Lines,
    /// The bytes of their elements, and where their memory begins.
    pub(crate) bytes: [usize; 2],
    pub(crate) addresses: [usize; 2],
    /// Whether the transform is what `y` becomes, without factors.
    pub(crate) plain: bool,
}

impl Route {
    /// That of a call whose complex numbers are of `dtype`.
    pub(crate) fn new(fourier: &Fourier, dtype: DType, arrays: &Arrays<'_>) -> Option<Self> {
        let (n, half) = (fourier.points(), fourier.points() / 2 + 1);
        let complex = dtype.bytes();
        let real = complex / 2;
        let (kind, elements, bytes) = match (fourier.signals(), fourier.is_inverse()) {
            (Signals::Complex, _) => (TransformKind::Complex, [n, n], [complex; 2]),
            (_, false) => (TransformKind::FromReal, [n, half], [real, complex]),
            (_, true) => (TransformKind::ToReal, [half, n], [complex, real]),
        };
        i32::try_from(n).ok()?;
        let lines = arrays.lines.count();
        let [x_turn, y_turn] = {
            let [signal, spectrum] = fourier.turns();
            if fourier.is_inverse() { [spectrum, signal] } else { [signal, spectrum] }
        };
        let [from, to] = fourier.extents();
        let whole = fourier.signals() == Signals::Real;
        // Spectra of real signals are changed on the way, and the library would write over the array.
        let mut begins = kind == TransformKind::ToReal || x_turn != 0 || from < n;
        let from_real = kind == TransformKind::FromReal;
        let weighted = !is_one(fourier.inner()) && half > 1;
        let mut ends = y_turn != 0
            || to != elements[1]
            || !arrays.plain
            || from_real && (whole || weighted || fourier.is_positive());
        begins |= !arrays.can_be(1, elements[0]);
        ends |= !begins && !is_one(fourier.scale());
        ends |= !arrays.can_be(0, elements[1]);
        let mut route = Self {
            kind,
            positive: fourier.is_positive(),
            begins,
            ends,
            scales: false,
            elements,
            bytes,
            lines,
            even: lines,
            at_once: lines,
        };
        route.divide(arrays);
        // A part may begin where the library cannot. Whether it does depends on how they are divided.
        for _ in 0..2 {
            let begins = route.begins || !route.is_aligned(arrays, 1, complex);
            let ends = route.ends || !route.is_aligned(arrays, 0, complex);
            if (begins, ends) == (route.begins, route.ends) {
                break;
            }
            (route.begins, route.ends) = (begins, ends);
            route.divide(arrays);
        }
        route.scales = !route.ends && !is_one(fourier.scale());
        i32::try_from(route.at_once).ok()?;
        Some(route)
    }

    /// Into how many parts lines are divided.
    fn divide(&mut self, arrays: &Arrays<'_>) {
        let direct = !self.begins || !self.ends;
        self.even = if direct { arrays.lines.others.extents[0] } else { self.lines };
        let [before, behind] = self.room(1);
        let (room, most) = match before + behind {
            0 => {
                (self.elements[0].max(self.elements[1]) * self.bytes[0].max(self.bytes[1]), DIRECT)
            }
            room => (room, ROOM),
        };
        let parts = self.even.div_ceil((most / room.max(1)).max(1));
        // Real numbers then begin where complex ones could.
        self.at_once = self.even.div_ceil(parts.max(1)).next_multiple_of(2).min(self.even);
    }

    /// The bytes that so many lines take before the library and behind it.
    pub(crate) fn room(&self, lines: usize) -> [usize; 2] {
        let all = |side: usize| {
            lines.saturating_mul(self.elements[side]).saturating_mul(self.bytes[side])
        };
        [if self.begins { all(0) } else { 0 }, if self.ends { all(1) } else { 0 }]
    }

    /// Whether every part begins in array `operand` where a complex number can.
    fn is_aligned(&self, arrays: &Arrays<'_>, operand: usize, complex: usize) -> bool {
        let (lines, bytes) = (arrays.lines, arrays.bytes[operand]);
        let strides = &lines.others.strides[operand];
        let steps = strides.iter().zip(&lines.others.extents).enumerate();
        let several = |axis: usize, extent: usize| {
            if axis == 0 { extent > self.at_once } else { extent > 1 }
        };
        let steps = steps.filter(|(axis, (_, extent))| several(*axis, **extent)).map(
            |(axis, (stride, _))| {
                stride.unsigned_abs() * bytes * if axis == 0 { self.at_once } else { 1 }
            },
        );
        let first = arrays.addresses[operand] + lines.starts[operand] * bytes;
        steps.fold(first, |bits, step| bits | step).is_multiple_of(complex)
    }

    /// The first line and the number of lines of each part.
    pub(crate) fn parts(&self) -> impl Iterator<Item = [usize; 2]> + use<> {
        let Self { lines, even, at_once, .. } = *self;
        let within = move |first: usize| (first..first + even).step_by(at_once.max(1));
        let each = (0..lines).step_by(even.max(1));
        each.flat_map(move |begin| {
            within(begin).map(move |first| [first, at_once.min(begin + even - first)])
        })
    }

    /// What is asked of the library for so many lines.
    pub(crate) fn transform(&self, lines: &Lines, count: usize) -> Option<Transform> {
        let steps = |operand: usize| {
            let side = 1 - operand;
            let through = if side == 0 { self.begins } else { self.ends };
            let (element, line) = if through {
                Self::room_steps(lines.across[operand], self.elements[side], count)
            } else {
                (lines.strides[operand].unsigned_abs(), lines.line_step(operand))
            };
            // Of one element or one line the steps do not matter, but they must be steps.
            let some = |step: usize| i32::try_from(step.max(1)).ok();
            Some(LineSteps { element: some(element)?, line: some(line)? })
        };
        Some(Transform {
            kind: self.kind,
            float64: self.bytes.contains(&16),
            points: i32::try_from(self.elements[0].max(self.elements[1])).ok()?,
            lines: i32::try_from(count).ok()?,
            input: steps(1)?,
            output: steps(0)?,
        })
    }

    /// How `count` lines of so many elements lie in room: side by side, or one behind the other.
    pub(crate) fn room_steps(across: bool, elements: usize, count: usize) -> (usize, usize) {
        if across { (count, 1) } else { (1, elements) }
    }

    /// Whether it takes less time than our own passes, as far as can be told from the bytes that both move. Those of arrays that fit a
    /// device's cache are better for what is small, whose time is that of launches; so they are along an axis between two
    /// others, of which the library takes one part at a time.
    pub(crate) fn is_faster(
        &self,
        schedule: &Schedule,
        arrays: &Arrays<'_>,
        extents: [usize; 2],
    ) -> bool {
        let all = |operand: usize| {
            let each = extents[operand].saturating_mul(arrays.bytes[operand]);
            self.lines.saturating_mul(each)
        };
        let users = all(0).saturating_add(all(1));
        let own = users.saturating_add(schedule.left().saturating_mul(2));
        if own < LEAST {
            return false;
        }
        let [before, behind] = self.room(self.lines);
        let rooms = before.saturating_add(behind);
        let transformed = (0..2).map(|side| self.lines * self.elements[side] * self.bytes[side]);
        let again = transformed
            .sum::<usize>()
            .saturating_mul(passes(self.elements[0].max(self.elements[1])) - 1);
        let apart = arrays.lines.across.contains(&true);
        let users = users.saturating_mul(if apart { ACROSS } else { 1 });
        let bytes = users.saturating_add(rooms.saturating_mul(2)).saturating_add(again);
        let launches =
            self.parts().count() * (1 + usize::from(self.begins) + usize::from(self.ends));
        time(bytes, launches, LIBRARY) < time(own, schedule.launches(), OWN)
    }
}

/// Nanoseconds.
fn time(bytes: usize, launches: usize, (each, launch): (usize, usize)) -> usize {
    (bytes / each).saturating_add(launches.saturating_mul(launch))
}

/// In how many passes over memory the library transforms lines.
fn passes(points: usize) -> usize {
    let mut rest = points;
    for prime in 2..=LARGEST_PRIME {
        while rest.is_multiple_of(prime) {
            rest /= prime;
        }
    }
    match rest {
        1 if points <= ONE_PASS => 1,
        1 => 2,
        _ => CONVOLVED,
    }
}

#[allow(clippy::float_cmp, reason = "what is nearly one is not one")]
fn is_one(number: f64) -> bool {
    number == 1.0
}

impl Arrays<'_> {
    /// Whether the library can take lines of so many elements as they lie in array `operand`: in steps forwards, none of which is too
    /// large for it.
    fn can_be(&self, operand: usize, elements: usize) -> bool {
        let Lines { others, strides, .. } = self.lines;
        let forwards = |stride: isize, extent: usize| stride > 0 || extent <= 1;
        let mut axes = others.strides[operand].iter().zip(&others.extents);
        let along = strides[operand];
        let reach = |stride: isize, extent: usize| {
            stride.unsigned_abs().saturating_mul(extent.saturating_sub(1))
        };
        let near = reach(along, elements)
            .saturating_add(reach(others.strides[operand][0], others.extents[0]));
        forwards(along, elements)
            && axes.all(|(stride, extent)| forwards(*stride, *extent))
            && i32::try_from(near).is_ok()
    }
}

#[cfg(test)]
mod tests;
