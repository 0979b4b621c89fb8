//! Whether and how a vendor's library takes part in a transform.

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::vendor::{LineSteps, Transform, TransformKind};

use super::{Fourier, Lines, Signals};
use crate::Cost;

/// Bytes of the lines that are in room at a time: between passes of our own, and on the way to the library or from it; what that works in is
/// about as large. Fewer lines would stay in the cache of a device until they are read again, but take longer, for launches: 8000 lines of
/// as many points 0.40 ms at once by the library, 0.50 in eight parts (H200).
pub(crate) const ROOM: usize = 256 << 20;

/// Bytes that our own passes read and write at least where the library takes their place: what is smaller stays in a device's
/// cache from one pass to the next, and launches are what counts.
const LEAST: usize = 48 << 20;

/// Bytes that our own passes, the library's, and those of the library along several axes move in a nanosecond; what each launch takes beside
/// it, in nanoseconds. Measured on an H200 (`kernels/tests/fft_times.rs`). Faster and slower memory changes all alike.
const OWN: (usize, usize) = (2_700, 3_000);
const LIBRARY: (usize, usize) = (3_300, 6_000);
const LIBRARY_AXES: (usize, usize) = (1_800, 6_000);

/// The largest prime factor that the library has butterflies for.
const LARGEST_PRIME: usize = 127;

/// Points of the longest lines that the library transforms in one pass over memory.
const ONE_PASS: usize = 1 << 14;

/// Passes of the library over lines that it convolves.
const CONVOLVED: usize = 8;

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
    /// The extents of two axes that are transformed with the lines, the outermost first; 1 where there is none.
    pub(crate) outer: [usize; 2],
    /// Bytes of the lines that are transformed at a time, at most, if there is more than one transform in them.
    most: usize,
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
    /// That of a call whose complex numbers are of `dtype`; so many bytes of lines at a time. Axes of these extents are transformed, too,
    /// without turns and zeros.
    pub(crate) fn new(
        fourier: &Fourier,
        dtype: DType,
        arrays: &Arrays<'_>,
        (outer, most): ([usize; 2], usize),
    ) -> Option<Self> {
        let (n, half) = (fourier.points(), fourier.points() / 2 + 1);
        let complex = dtype.bytes();
        let real = complex / 2;
        let (kind, elements, bytes) = match (fourier.signals(), fourier.is_inverse()) {
            // Samples in another order, and bins turned: our own passes do that on their way.
            (Signals::Cosines, _) => return None,
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
        // What lies side by side the library takes several times as long for.
        let [y_across, x_across] = arrays.lines.across;
        begins |= x_across || !arrays.can_be(1, elements[0]);
        ends |= !begins && !is_one(fourier.scale());
        ends |= y_across || !arrays.can_be(0, elements[1]);
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
            outer,
            most,
        };
        if !route.fits_outer(arrays) {
            return None;
        }
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
        let direct = self.elements[0].max(self.elements[1]) * self.bytes[0].max(self.bytes[1]);
        let line = if before + behind > 0 { before + behind } else { direct };
        let parts = self.even.div_ceil((self.most / line.max(1)).max(1));
        // Real numbers then begin where complex ones could.
        let step = if self.block() > 1 { self.block() } else { 2 };
        self.at_once = self.even.div_ceil(parts.max(1)).next_multiple_of(step).min(self.even);
    }

    /// The lines that are transformed together.
    fn block(&self) -> usize {
        self.outer.iter().product()
    }

    /// Whether outer axes, if there are any, lie as the library takes them: contiguous lines, all evenly apart.
    fn fits_outer(&self, arrays: &Arrays<'_>) -> bool {
        let Lines { others, strides, .. } = arrays.lines;
        let even = |operand: usize| {
            let line = self.elements[1 - operand].max(others.strides[operand][0].unsigned_abs());
            strides[operand] == 1 && i32::try_from(line.saturating_mul(self.block())).is_ok()
        };
        let alone = others.extents.len() == 1 && self.lines.is_multiple_of(self.block().max(1));
        self.block() == 1 || self.block() > 1 && alone && even(0) && even(1)
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
        // Of one element or one line the steps do not matter, but they must be steps.
        let some = |step: usize| i32::try_from(step.max(1)).ok();
        let steps = |operand: usize| {
            let side = 1 - operand;
            let through = if side == 0 { self.begins } else { self.ends };
            let (element, line) = if through {
                (1, self.elements[side])
            } else {
                (lines.strides[operand].unsigned_abs(), lines.line_step(operand))
            };
            Some(LineSteps { element: some(element)?, line: some(line)? })
        };
        Some(Transform {
            kind: self.kind,
            float64: self.bytes.contains(&16),
            points: i32::try_from(self.elements[0].max(self.elements[1])).ok()?,
            lines: i32::try_from(count).ok()?,
            input: steps(1)?,
            output: steps(0)?,
            outer: [some(self.outer[0])?, some(self.outer[1])?],
        })
    }

    /// Whether it takes less time than our own passes, as far as can be told from the bytes that both move: `own` has theirs, and their
    /// launches. Those of arrays that fit a device's cache are better for what is small, whose time is that of launches.
    pub(crate) fn is_faster(&self, own: &Cost, users: usize) -> bool {
        let own_bytes = own.bytes_read.saturating_add(own.bytes_written);
        if own_bytes < LEAST {
            return false;
        }
        let [before, behind] = self.room(self.lines);
        let rooms = before.saturating_add(behind);
        let transformed = (0..2).map(|side| self.lines * self.elements[side] * self.bytes[side]);
        let points = self.elements[0].max(self.elements[1]);
        let outer = self.outer.iter().filter(|extent| **extent > 1);
        let all = outer.map(|extent| passes(*extent)).chain([passes(points)]);
        // Axes that are convolved take less time one after the other: 4.3 ms instead of 5.4 for 7919 x 8191 (H200).
        if self.block() > 1 && all.clone().any(|passes| passes == CONVOLVED) {
            return false;
        }
        let passes = all.sum::<usize>();
        let again = transformed.sum::<usize>().saturating_mul(passes - 1);
        let bytes = users.saturating_add(rooms.saturating_mul(2)).saturating_add(again);
        let launches =
            self.parts().count() * (1 + usize::from(self.begins) + usize::from(self.ends));
        let library = if self.block() > 1 { LIBRARY_AXES } else { LIBRARY };
        time(bytes, launches, library) < time(own_bytes, own.launches, OWN)
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
