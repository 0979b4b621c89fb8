//! Straight rays through an image.

use std::cmp::Ordering;

use arrayspan_bridge::devices::vectors::reserve;

use super::curves::{APART, Curves, Paths};
use super::{Projection, checked};
use crate::Result;
use crate::verb::check;

/// Samples of lines, lines, and rays side by side: what is far less than positions in fixed point may be.
const MOST: usize = 1 << 20;

/// Rays side by side, as detectors see them. Places and directions are those of the image: of a line, and along it, in samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Beam {
    /// Where the first detector is.
    pub first: [f64; 2],
    /// From one detector to the next.
    pub step: [f64; 2],
    /// Where rays come from.
    pub rays: Rays,
}

/// Where the rays of a [`Beam`] come from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rays {
    /// All have this direction.
    Parallel([f64; 2]),
    /// All come from this place.
    From([f64; 2]),
}

impl Projection {
    /// Line integrals by linear interpolation (Joseph's): from images `[lines, samples]` to rays `[beams, detectors]`. A ray takes from each line
    /// the sample where it crosses it, times the way from one line to the next; what is beside the image is zero. Rays that go along lines rather
    /// than across them give 0: those of which `across` has the direction `[u, v]` with `|u| < |v|`, or, without `diagonal`, `|u| = |v|`. They
    /// are those that cross the lines of the transposed image, whose beams are these with both coordinates exchanged.
    ///
    /// # Errors
    /// [`Error::Argument`](crate::Error::Argument) for more than 2²⁰ lines, samples or detectors, numbers that are not finite, detectors in the
    /// direction of rays, or rays from within the image, or from less than a sample beside it.
    pub fn beams(
        [lines, samples]: [usize; 2],
        detectors: usize,
        beams: &[Beam],
        diagonal: bool,
    ) -> Result<Self> {
        let (rays, image) = (vec![beams.len(), detectors], vec![lines, samples]);
        checked([&rays, &image], MOST)?;
        checked([&[lines, detectors], &image], MOST)?;
        if lines > MOST {
            return check::argument("project", format!("{lines} lines, more than {MOST}"));
        }
        let count = beams.len() * detectors;
        let (mut start, mut slope, mut weight) = (Vec::new(), Vec::new(), Vec::new());
        reserve(&mut start, count).map_err(arrayspan_bridge::Error::from)?;
        reserve(&mut slope, count).map_err(arrayspan_bridge::Error::from)?;
        reserve(&mut weight, count).map_err(arrayspan_bridge::Error::from)?;
        let (mut inverse, mut margin) = (Vec::new(), 0.0_f64);
        // Rays that begin farther away cross no line, for none moves by more than a sample from one to the next.
        let most = samples + lines + 3;
        // Positions on all lines, and a sign.
        let bits = (most + lines).leading_zeros() - 2;
        let fixed = |number: f64| (number * (1_i64 << bits) as f64).round_ties_even() as i64;
        for (number, beam) in beams.iter().enumerate() {
            let (terms, off) =
                beam.inverse([lines, samples], detectors).ok_or_else(|| refused(number, beam))?;
            let mut any = false;
            for detector in 0..detectors {
                let path = beam.path(detector, diagonal);
                any |= path.is_some();
                let path = path.filter(|[start, ..]| start.abs() < most as f64);
                // Beside the image, at all lines.
                let [from, by, way] = path.unwrap_or([-2.0, 0.0, 0.0]);
                start.push(fixed(from));
                slope.push(fixed(by));
                weight.push(way);
            }
            inverse.push(if any { terms } else { APART });
            margin = if any { margin.max(off) } else { margin };
        }
        let paths = Paths::Straight { start, slope, weight, inverse, margin, bits };
        Ok(Self::of(Curves { rays, lines: image, paths }))
    }
}

impl Beam {
    /// The position of a ray on line 0, that on the next line less it, and the way between; `None` of a ray along lines.
    fn path(&self, detector: usize, diagonal: bool) -> Option<[f64; 3]> {
        let place: [f64; 2] =
            std::array::from_fn(|axis| self.first[axis] + detector as f64 * self.step[axis]);
        let [u, v] = match self.rays {
            Rays::Parallel(direction) => direction,
            Rays::From(source) => [place[0] - source[0], place[1] - source[1]],
        };
        let across = match u.abs().partial_cmp(&v.abs())? {
            Ordering::Less => false,
            Ordering::Equal => diagonal && u != 0.0,
            Ordering::Greater => true,
        };
        if !across {
            return None;
        }
        let slope = v / u;
        Some([place[1] - slope * place[0], slope, slope.hypot(1.0)])
    }

    /// Numerator and denominator of the detector that sees a place, and how far rounding to 32 bits may move it.
    fn inverse(&self, image: [usize; 2], detectors: usize) -> Option<([f64; 6], f64)> {
        let Self { first, step, rays } = *self;
        let cross = |a: [f64; 2], b: [f64; 2]| a[0] * b[1] - a[1] * b[0];
        // (place - from) × direction, as a + b k + c p.
        let across = |from: [f64; 2], direction: [f64; 2]| {
            [-cross(from, direction), direction[1], -direction[0]]
        };
        let (numerator, denominator) = match rays {
            Rays::Parallel(direction) => {
                (across(first, direction), [cross(step, direction), 0.0, 0.0])
            }
            Rays::From(source) => {
                let away = [source[0] - first[0], source[1] - first[1]];
                (across(source, away), across(source, step))
            }
        };
        // Denominators are largest and smallest at corners of the image with a sample around it; of one sign, if all rays come from outside.
        let [lines, samples] = image.map(|extent| extent as f64);
        let corners = [[-1.0, -1.0], [-1.0, samples], [lines, -1.0], [lines, samples]];
        let at = |[a, b, c]: [f64; 3], [k, p]: [f64; 2]| a + b * k + c * p;
        let values = corners.map(|corner| at(denominator, corner));
        let least = values.iter().fold(f64::INFINITY, |least, value| least.min(value.abs()));
        let one_sign = values.iter().all(|value| value * values[0] > 0.0);
        let size = |[a, b, c]: [f64; 3]| a.abs() + b.abs() * lines + c.abs() * samples;
        let moved = size(numerator) + (detectors as f64) * size(denominator);
        let margin = 1.0 / 64.0 + 8.0 * f64::from(f32::EPSILON) * moved / least;
        let [a, b] = [numerator, denominator];
        (one_sign && margin.is_finite()).then_some(([a[0], a[1], a[2], b[0], b[1], b[2]], margin))
    }
}

fn refused(number: usize, beam: &Beam) -> crate::Error {
    let Beam { first, step, .. } = beam;
    let why = format!(
        "beam {number}, with detectors from {first:?} on in steps of {step:?} samples: rays are parallel to the detectors, come from within \
         the image or from less than a sample beside it, detectors are too close to each other, or a number is not finite"
    );
    crate::Error::Argument { verb: "project", why }
}
