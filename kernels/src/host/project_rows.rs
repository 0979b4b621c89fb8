//! One line of the input added to one row of results: the inner loops of sums along curves. Elements are real, or the parts of complex ones
//! side by side.

use std::ops::{Add, Mul, Sub};

use pulp::{Arch, Simd, WithSimd};

use crate::projection::{APART, Curves, Paths, floor_root};

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
        match (self.parts, self.transposed) {
            (1, false) => self.along::<P, 1, false>(x, y),
            (1, true) => self.along::<P, 1, true>(x, y),
            (_, false) => self.along::<P, 2, false>(x, y),
            (_, true) => self.along::<P, 2, true>(x, y),
        }
    }

    fn along<P: Way, const PARTS: usize, const SPREADS: bool>(&self, x: &[P], y: &mut [P]) {
        let pair = self.ray * self.curves.count() + self.line;
        let samples = self.curves.samples();
        match &self.curves.paths {
            Paths::Shifts { whole, fraction } => {
                self.shift((whole[pair] as isize, fraction[pair]), x, y);
            }
            Paths::Hyperbolas { whole, fraction, nearest } => {
                let path = (whole[pair], fraction[pair], *nearest);
                Arch::new().dispatch(Hyperbola::<P, PARTS, SPREADS> { samples, path, x, y });
            }
            Paths::Straight { inverse, .. } if inverse[self.ray] == APART => {}
            Paths::Straight { start, slope, weight, bits, .. } => {
                let points = self.curves.points();
                let all = self.ray * points..(self.ray + 1) * points;
                let rays = Rays {
                    start: &start[all.clone()],
                    slope: &slope[all.clone()],
                    weight: &weight[all],
                    bits: *bits,
                    line: self.line as i64,
                    samples: samples as i64,
                };
                Arch::new().dispatch(Straight::<P, PARTS, SPREADS> { rays, x, y });
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
    fn gather<const PARTS: usize>(self, x: &[P], y: &mut [P]) {
        let Self { at, sample, share } = self;
        let (to, from) = (&mut y[at * PARTS..][..PARTS], &x[sample * PARTS..]);
        for part in 0..PARTS {
            to[part] = to[part] + from[part] * (P::ONE - share);
        }
        if share != P::ZERO {
            for part in 0..PARTS {
                to[part] = to[part] + from[PARTS + part] * share;
            }
        }
    }

    /// Spreads: the place in `y` gets what lies at `x[at]`.
    #[inline(always)]
    fn scatter<const PARTS: usize>(self, x: &[P], y: &mut [P]) {
        let Self { at, sample, share } = self;
        let (from, to) = (&x[at * PARTS..][..PARTS], &mut y[sample * PARTS..]);
        for part in 0..PARTS {
            to[part] = to[part] + from[part] * (P::ONE - share);
        }
        if share != P::ZERO {
            for part in 0..PARTS {
                to[PARTS + part] = to[PARTS + part] + from[part] * share;
            }
        }
    }

    #[inline(always)]
    fn add<const PARTS: usize, const SPREADS: bool>(self, x: &[P], y: &mut [P]) {
        if SPREADS { self.scatter::<PARTS>(x, y) } else { self.gather::<PARTS>(x, y) }
    }
}

/// Along a hyperbola, of elements of so many parts, in one of both directions.
struct Hyperbola<'a, 'y, P, const PARTS: usize, const SPREADS: bool> {
    samples: usize,
    path: (i64, f64, bool),
    x: &'a [P],
    y: &'y mut [P],
}

/// Added to a number below 2³¹ it has that number in its last bits.
const LAST_BITS: f64 = 4_503_599_627_370_496.0;

impl<P: Way, const PARTS: usize, const SPREADS: bool> WithSimd
    for Hyperbola<'_, '_, P, PARTS, SPREADS>
{
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { samples, path, x, y } = self;
        let (whole, fraction, nearest) = path;
        let last = samples as i64 - 1;
        if nearest {
            for at in 0..samples {
                let Some(place) = Paths::on_hyperbola(path, at, samples) else { break };
                Cross { at, sample: place.sample, share: P::ZERO }.add::<PARTS, SPREADS>(x, y);
            }
            return;
        }
        // (s² + whole + fraction) ≤ last²
        let most = last * last - whole - i64::from(fraction > 0.0);
        if most < 0 {
            return;
        }
        let count = ((floor_root(most) + 1) as usize).min(samples);
        let ends = ((count - 1) * (count - 1)) as i64 + whole == last * last;
        let between = if ends { count - 1 } else { count };
        let (square, highest) = (whole as f64 + fraction, last as f64 - 1.0);
        let (mut places, mut shares) = ([0_u32; CHUNK], [P::ZERO; CHUNK]);
        for first in (0..between).step_by(CHUNK) {
            let count = CHUNK.min(between - first);
            for (at, (place, share)) in places.iter_mut().zip(&mut shares).enumerate() {
                let s = f64::from((first + at) as u32);
                let position = (s * s + square).sqrt();
                // Those behind the end are not used.
                let sample = if position < highest { position } else { highest }.floor();
                *place = (sample + LAST_BITS).to_bits() as u32;
                *share = P::of(position - sample);
            }
            for (at, (place, share)) in places.iter().zip(&shares).take(count).enumerate() {
                let cross = Cross { at: first + at, sample: *place as usize, share: *share };
                cross.add::<PARTS, SPREADS>(x, y);
            }
        }
        if ends {
            let cross = Cross { at: count - 1, sample: last as usize, share: P::ZERO };
            cross.add::<PARTS, SPREADS>(x, y);
        }
    }
}

/// Rays side by side, and the line that they cross.
#[derive(Clone, Copy)]
struct Rays<'a> {
    start: &'a [i64],
    slope: &'a [i64],
    weight: &'a [f64],
    bits: u32,
    line: i64,
    samples: i64,
}

struct Straight<'a, 'y, P, const PARTS: usize, const SPREADS: bool> {
    rays: Rays<'a>,
    x: &'a [P],
    y: &'y mut [P],
}

impl<P: Way, const PARTS: usize, const SPREADS: bool> WithSimd
    for Straight<'_, '_, P, PARTS, SPREADS>
{
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { rays, x, y } = self;
        let Rays { bits, line, samples, .. } = rays;
        let (behind, unit) = ((1_i64 << bits) - 1, 1.0 / (1_i64 << bits) as f64);
        let all = rays.start.iter().zip(rays.slope).zip(rays.weight);
        for (at, ((start, slope), weight)) in all.enumerate() {
            let position = start + slope * line;
            let sample = position >> bits;
            // None of either neighbour.
            if sample < -1 || sample >= samples {
                continue;
            }
            let share = P::of((position & behind) as f64 * unit);
            let (here, next) = (sample >= 0, sample + 1 < samples && share != P::ZERO);
            let (own, other) = (P::ONE - share, (sample + 1) as usize * PARTS);
            for part in 0..PARTS {
                let at = at * PARTS + part;
                if SPREADS {
                    let from = x[at] * P::of(*weight);
                    if here {
                        y[other - PARTS + part] = y[other - PARTS + part] + from * own;
                    }
                    if next {
                        y[other + part] = y[other + part] + from * share;
                    }
                } else {
                    let before = if here { x[other - PARTS + part] * own } else { P::ZERO };
                    let behind = if next { x[other + part] * share } else { P::ZERO };
                    y[at] = y[at] + (before + behind);
                }
            }
        }
    }
}
