//! Where rays cross lines, as executors compute it.

use std::fmt;

/// What is known of all rays and lines.
pub(crate) struct Curves {
    /// The shape of what has an element for each ray: two axes or three, the last one of rays side by side.
    pub(crate) rays: Vec<usize>,
    /// The shape of what rays cross: as many axes, the last one along lines.
    pub(crate) lines: Vec<usize>,
    pub(crate) paths: Paths,
}

/// The numbers from which positions are computed.
pub(crate) enum Paths {
    /// `p = s + whole + fraction`, for each pair of a row of rays and a line, lines fastest. Only if both neighbours are there.
    Shifts { whole: Vec<i32>, fraction: Vec<f64> },
    /// `p = √(s² + whole + fraction)`, for each such pair; or the nearest sample.
    Hyperbolas { whole: Vec<i64>, fraction: Vec<f64>, nearest: bool },
    /// `p = start + k slope` in fixed point, and a weight, for each ray; samples beyond the ends of a line are zero.
    Straight {
        start: Vec<i64>,
        slope: Vec<i64>,
        weight: Vec<f64>,
        /// For each row of rays numerator and denominator of the ray through `(k, p)`: each `a + b k + c p`.
        inverse: Vec<[f64; 6]>,
        /// How far rays may be from where `inverse` has them.
        margin: f64,
        /// Bits behind the point: 39 to 60, as many as there are for positions of this image.
        bits: u32,
    },
}

/// The `inverse` of a row of rays none of which crosses lines: all places lie before the first.
pub(crate) const APART: [f64; 6] = [-1e9, 0.0, 0.0, 1.0, 0.0, 0.0];

/// Where a ray crosses a line: behind a sample, by so much of the distance to the next one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Place {
    pub(crate) sample: usize,
    pub(crate) share: f64,
}

/// Without tables, which are long.
impl fmt::Debug for Curves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rays, lines, paths } = self;
        let kind = match paths {
            Paths::Shifts { .. } => "shifts",
            Paths::Hyperbolas { nearest: false, .. } => "hyperbolas",
            Paths::Hyperbolas { nearest: true, .. } => "hyperbolas, nearest samples",
            Paths::Straight { .. } => "straight rays",
        };
        write!(f, "{kind} of {rays:?} across {lines:?}")
    }
}

impl Curves {
    /// The bytes of the places of a table, and how many other numbers it has.
    pub(crate) fn table(&self) -> [usize; 2] {
        match &self.paths {
            Paths::Shifts { whole, fraction } => [size_of_val(&whole[..]), fraction.len()],
            Paths::Hyperbolas { whole, fraction, .. } => [size_of_val(&whole[..]), fraction.len()],
            Paths::Straight { start, slope, weight, inverse, .. } => [
                size_of_val(&start[..]) + size_of_val(&slope[..]),
                weight.len() + 6 * inverse.len(),
            ],
        }
    }

    /// The extent along lines.
    pub(crate) fn samples(&self) -> usize {
        self.lines.last().copied().unwrap_or(0)
    }

    /// Rays side by side.
    pub(crate) fn points(&self) -> usize {
        self.rays.last().copied().unwrap_or(0)
    }

    /// The lines, counted along all their axes.
    pub(crate) fn count(&self) -> usize {
        self.lines.iter().rev().skip(1).product()
    }
}

impl Paths {
    /// Where hyperbola number `pair` crosses, from sample `s` at its apex; `None` outside of the line.
    #[inline]
    pub(crate) fn on_hyperbola(
        (whole, fraction, nearest): (i64, f64, bool),
        s: usize,
        samples: usize,
    ) -> Option<Place> {
        let (square, last) = ((s * s) as i64 + whole, samples as i64 - 1);
        if nearest {
            let root = floor_root(square);
            let rest = square - root * root;
            // Nearer to the next one: (root + 1/2)² = root² + root + 1/4.
            let up = rest > root || (rest == root && fraction >= 0.25);
            let sample = root + i64::from(up);
            return (sample <= last).then_some(Place { sample: sample as usize, share: 0.0 });
        }
        let end = last * last;
        if square > end || (square == end && fraction > 0.0) {
            return None;
        }
        let position = (square as f64 + fraction).sqrt();
        let sample = (position as i64).min((last - i64::from(square < end)).max(0));
        Some(Place { sample: sample as usize, share: position - sample as f64 })
    }
}

/// The largest number whose square is not larger. Squares are below 2⁵².
#[inline]
pub(crate) fn floor_root(square: i64) -> i64 {
    (square as f64).sqrt() as i64
}
