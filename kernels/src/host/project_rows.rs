//! One line of the input added to one row of results: the inner loops of sums along curves. Elements are real, or the parts of complex ones
//! side by side.

use std::ops::{Add, Mul, Sub};

use pulp::{Arch, Simd, WithSimd};

use crate::projection::{APART, Curves, Paths, Place, floor_root};

/// Positions that are computed before the first is used: in vectors, and near.
const CHUNK: usize = 128;

/// Real numbers that are added along curves.
pub(super) trait Way:
    Copy + PartialEq + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Send + Sync
{
    const ZERO: Self;
    const ONE: Self;

    fn of(number: f64) -> Self;
}

macro_rules! ways {
    ($($real:ty),*) => {$(
        impl Way for $real {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;

            #[inline(always)]
            fn of(number: f64) -> Self {
                number as $real
            }
        }
    )*};
}
ways!(f32, f64);

/// A row of rays and a line of those that cross.
pub(super) struct Row<'a> {
    pub(super) curves: &'a Curves,
    pub(super) ray: usize,
    pub(super) line: usize,
    pub(super) transposed: bool,
    /// Parts of an element.
    pub(super) parts: usize,
}

impl Row<'_> {
    /// `x` is the line and `y` the row of rays, or, transposed, the other way round.
    pub(super) fn add<P: Way>(&self, x: &[P], y: &mut [P]) {
        let pair = self.ray * self.curves.count() + self.line;
        match &self.curves.paths {
            Paths::Shifts { whole, fraction } => {
                self.shift((whole[pair] as isize, fraction[pair]), x, y);
            }
            Paths::Hyperbolas { whole, fraction, nearest } => {
                let hyperbola = (whole[pair], fraction[pair], *nearest);
                Arch::new().dispatch(Hyperbola { row: self, hyperbola, x, y });
            }
            Paths::Straight { inverse, .. } if inverse[self.ray] == APART => {}
            Paths::Straight { start, slope, weight, bits, .. } => {
                let points = self.curves.points();
                let rays = self.ray * points..(self.ray + 1) * points;
                let rays = Rays {
                    start: &start[rays.clone()],
                    slope: &slope[rays.clone()],
                    weight: &weight[rays],
                    bits: *bits,
                };
                Arch::new().dispatch(Straight { row: self, rays, x, y });
            }
        }
    }

    fn shift<P: Way>(&self, (whole, fraction): (isize, f64), x: &[P], y: &mut [P]) {
        let (samples, parts) = (self.curves.samples() as isize, self.parts as isize);
        let share = P::of(fraction);
        let first = 0.max(-whole);
        let end = samples.min(samples - whole - isize::from(fraction > 0.0));
        if first >= end {
            return;
        }
        let from = |[first, end]: [isize; 2]| (first * parts) as usize..(end * parts) as usize;
        let rays = [first, end];
        let line = [first + whole, end + whole];
        let (rest, single) = (P::ONE - share, share == P::ZERO);
        if single {
            let [read, written] = if self.transposed { [rays, line] } else { [line, rays] };
            return add(&x[from(read)], P::ONE, None, &mut y[from(written)]);
        }
        if !self.transposed {
            let next = &x[from(line.map(|at| at + 1))];
            return add(&x[from(line)], rest, Some((next, share)), &mut y[from(rays)]);
        }
        // Both ends of the line have one of the two terms.
        add(&x[from([first, first + 1])], rest, None, &mut y[from([line[0], line[0] + 1])]);
        let before = &x[from([first, end - 1])];
        let own = &x[from([first + 1, end])];
        add(own, rest, Some((before, share)), &mut y[from([line[0] + 1, line[1]])]);
        add(&x[from([end - 1, end])], share, None, &mut y[from([line[1], line[1] + 1])]);
    }
}

/// `y ← y + weight · x + …`
fn add<P: Way>(x: &[P], weight: P, other: Option<(&[P], P)>, y: &mut [P]) {
    Arch::new().dispatch(Sum { x, weight, other, y });
}

struct Sum<'a, 'y, P> {
    x: &'a [P],
    weight: P,
    other: Option<(&'a [P], P)>,
    y: &'y mut [P],
}

impl<P: Way> WithSimd for Sum<'_, '_, P> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { x, weight, other, y } = self;
        match other {
            Some((other, share)) => {
                for ((y, x), other) in y.iter_mut().zip(x).zip(other) {
                    *y = *y + (*x * weight + *other * share);
                }
            }
            None => y.iter_mut().zip(x).for_each(|(y, x)| *y = *y + *x * weight),
        }
    }
}

/// Between element `at` of one row and the place of another.
#[derive(Clone, Copy)]
struct Cross<P> {
    at: usize,
    sample: usize,
    share: P,
}

impl<P: Way> Cross<P> {
    /// Sums: `y[at]` gets what lies at the place in `x`. A share of zero takes nothing, infinite or not.
    #[inline(always)]
    fn gather(self, parts: usize, x: &[P], y: &mut [P]) {
        let Self { at, sample, share } = self;
        for part in 0..parts {
            let to = &mut y[at * parts + part];
            *to = *to + x[sample * parts + part] * (P::ONE - share);
            if share != P::ZERO {
                *to = *to + x[(sample + 1) * parts + part] * share;
            }
        }
    }

    /// Spreads: the place in `y` gets what lies at `x[at]`.
    #[inline(always)]
    fn scatter(self, parts: usize, weight: P, x: &[P], y: &mut [P]) {
        let Self { at, sample, share } = self;
        for part in 0..parts {
            let from = x[at * parts + part] * weight;
            let to = &mut y[sample * parts + part];
            *to = *to + from * (P::ONE - share);
            if share != P::ZERO {
                let to = &mut y[(sample + 1) * parts + part];
                *to = *to + from * share;
            }
        }
    }
}

struct Hyperbola<'a, 'y, P> {
    row: &'a Row<'a>,
    hyperbola: (i64, f64, bool),
    x: &'a [P],
    y: &'y mut [P],
}

impl<P: Way> WithSimd for Hyperbola<'_, '_, P> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let (samples, (whole, fraction, nearest)) = (self.row.curves.samples(), self.hyperbola);
        let last = samples as i64 - 1;
        if nearest {
            return self.nearest(samples);
        }
        // (s² + whole + fraction) ≤ last²
        let most = last * last - whole - i64::from(fraction > 0.0);
        if most < 0 {
            return;
        }
        let count = ((floor_root(most) + 1) as usize).min(samples);
        let ends = ((count - 1) * (count - 1)) as i64 + whole == last * last;
        let between = if ends { count - 1 } else { count };
        let square = whole as f64 + fraction;
        let (mut places, mut shares) = ([0_i32; CHUNK], [P::ZERO; CHUNK]);
        let Self { row, x, y, .. } = self;
        let highest = last as f64 - 1.0;
        for first in (0..between).step_by(CHUNK) {
            let count = CHUNK.min(between - first);
            for (at, (place, share)) in places.iter_mut().zip(&mut shares).enumerate() {
                let s = (first + at) as i32 as f64;
                let position = (s * s + square).sqrt();
                // Behind the line are those that are not used.
                *place = position.min(highest) as i32;
                *share = P::of(position - f64::from(*place));
            }
            for (at, (place, share)) in places.iter().zip(&shares).take(count).enumerate() {
                let cross = Cross { at: first + at, sample: *place as usize, share: *share };
                row.cross(cross, x, y);
            }
        }
        if ends {
            row.cross(Cross { at: count - 1, sample: last as usize, share: P::ZERO }, x, y);
        }
    }
}

impl<P: Way> Hyperbola<'_, '_, P> {
    #[inline(always)]
    fn nearest(self, samples: usize) {
        for s in 0..samples {
            let Some(Place { sample, .. }) = Paths::on_hyperbola(self.hyperbola, s, samples) else {
                break;
            };
            self.row.cross(Cross { at: s, sample, share: P::ZERO }, self.x, self.y);
        }
    }
}

impl Row<'_> {
    #[inline(always)]
    fn cross<P: Way>(&self, cross: Cross<P>, x: &[P], y: &mut [P]) {
        match (self.parts, self.transposed) {
            (1, false) => cross.gather(1, x, y),
            (_, false) => cross.gather(2, x, y),
            (1, true) => cross.scatter(1, P::ONE, x, y),
            (_, true) => cross.scatter(2, P::ONE, x, y),
        }
    }
}

/// Rays side by side.
struct Rays<'a> {
    start: &'a [i64],
    slope: &'a [i64],
    weight: &'a [f64],
    bits: u32,
}

struct Straight<'a, 'y, P> {
    row: &'a Row<'a>,
    rays: Rays<'a>,
    x: &'a [P],
    y: &'y mut [P],
}

impl<P: Way> WithSimd for Straight<'_, '_, P> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { row, rays, x, y } = self;
        let (samples, line) = (row.curves.samples() as i64, row.line as i64);
        let all = rays.start.iter().zip(rays.slope).zip(rays.weight);
        for (at, ((start, slope), weight)) in all.enumerate() {
            let position = start + slope * line;
            let sample = position >> rays.bits;
            if sample < -1 || sample >= samples {
                continue;
            }
            let behind = position & ((1 << rays.bits) - 1);
            let share = P::of(behind as f64 / (1_i64 << rays.bits) as f64);
            for part in 0..row.parts {
                let place = |sample: i64| sample as usize * row.parts + part;
                let at = at * row.parts + part;
                let (here, next) = (sample >= 0, sample + 1 < samples && share != P::ZERO);
                if row.transposed {
                    let from = x[at] * P::of(*weight);
                    if here {
                        let to = &mut y[place(sample)];
                        *to = *to + from * (P::ONE - share);
                    }
                    if next {
                        let to = &mut y[place(sample + 1)];
                        *to = *to + from * share;
                    }
                } else {
                    if here {
                        y[at] = y[at] + x[place(sample)] * (P::ONE - share);
                    }
                    if next {
                        y[at] = y[at] + x[place(sample + 1)] * share;
                    }
                }
            }
        }
    }
}
