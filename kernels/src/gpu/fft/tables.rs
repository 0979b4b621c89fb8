//! The factors of Fourier transforms on a device: roots of one, and what lines are convolved with. All are computed in 64 bits from
//! exact angles.

use std::f64::consts::{FRAC_1_SQRT_2, TAU};
use std::sync::Arc;

use arrayspan_bridge::devices::Stream;
use arrayspan_bridge::devices::vectors::reserve;
use arrayspan_bridge::iteration::Text;
use arrayspan_bridge::{Array, DType};
use num_complex::Complex64;
use rustfft::FftPlanner;

use super::super::tables::{Uploaded, weights};
use crate::Result;
use crate::fourier::Schedule;
use crate::{Fourier, Signals};

/// Roots of one that are kept one by one; of more, every so many are, and these many.
pub(in crate::gpu) const FINE: usize = 1 << 10;
const MOST_ROOTS: usize = 1 << 12;

/// Where the factors of a pass stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(in crate::gpu) struct Pass {
    roots: usize,
    between: usize,
    coarse: Option<usize>,
    chirp: usize,
    response: usize,
    quarters: usize,
}

impl Pass {
    pub(super) fn define(&self, text: &mut Text) {
        text.define("ROOTS_AT", self.roots);
        text.define("PASS_AT", self.between);
        text.define("CHIRP_AT", self.chirp);
        text.define("RESPONSE_AT", self.response);
        // There is one or the other.
        text.define("HALVES_AT", self.chirp);
        text.define("QUARTERS_AT", self.quarters);
        if let Some(coarse) = self.coarse {
            text.define("COARSE_AT", coarse);
        }
    }
}

/// What factors are of: a length, its passes, the points of lines that are convolved, whether two samples are one number, and the points
/// of lines whose bins are turned for sums with cosines.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::gpu) struct Table {
    passes: Vec<usize>,
    chirp: Option<usize>,
    pairs: bool,
    cosines: Option<usize>,
}

impl Table {
    pub(in crate::gpu) fn new(schedule: &Schedule, fourier: &Fourier) -> Self {
        let points = fourier.points();
        let cosines = (fourier.signals() == Signals::Cosines).then_some(points);
        let (passes, chirp) = (schedule.passes.clone(), schedule.chirp.then_some(points));
        Self { passes, chirp, pairs: schedule.pairs, cosines }
    }

    /// Where the factors of each pass stand.
    pub(in crate::gpu) fn places(&self) -> Vec<Pass> {
        let (mut passes, mut at, mut done) = (Vec::with_capacity(self.passes.len()), 0, 1);
        for points in &self.passes {
            let mut pass = Pass { roots: at, ..Pass::default() };
            at += points;
            let all = done * points;
            if done > 1 {
                pass.between = at;
                at += if all > MOST_ROOTS { FINE } else { all };
                if all > MOST_ROOTS {
                    pass.coarse = Some(at);
                    at += all.div_ceil(FINE);
                }
            }
            done = all;
            passes.push(pass);
        }
        let chirp = at;
        let response = chirp + self.chirp.unwrap_or(0);
        let halves = if self.pairs { done } else { 0 };
        let quarters = response + halves + self.chirp.map_or(0, |_| done);
        for pass in &mut passes {
            (pass.chirp, pass.response, pass.quarters) = (chirp, response, quarters);
        }
        passes
    }

    /// `exp(-πi k / 2n)` of the bins that are turned by it: of pairs the others are those of the mirror image.
    fn quarters(&self) -> impl Iterator<Item = Complex64> + use<> {
        let pairs = self.pairs;
        self.cosines.into_iter().flat_map(move |points| {
            let count = if pairs { points / 2 } else { points };
            (0..count).map(move |k| root(k, 4 * points))
        })
    }

    /// The factors, in the order of their places.
    ///
    /// # Errors
    /// Out of memory.
    fn factors(&self) -> Result<Vec<Complex64>> {
        let length = self.passes.iter().product();
        let (mut all, mut done) = (Vec::new(), 1);
        let last = self.places().last().map_or(0, |pass| pass.quarters);
        reserve(&mut all, last + self.cosines.unwrap_or(0))?;
        for points in &self.passes {
            all.extend((0..*points).map(|k| root(k, *points)));
            let of = done * points;
            if done > 1 && of > MOST_ROOTS {
                all.extend((0..FINE).map(|k| root(k, of)));
                all.extend((0..of).step_by(FINE).map(|k| root(k, of)));
            } else if done > 1 {
                all.extend((0..of).map(|k| root(k, of)));
            }
            done = of;
        }
        if self.pairs {
            // Those that make half a spectrum of that of pairs.
            all.extend((0..done).map(|k| root(k, 2 * done)));
        }
        if let Some(points) = self.chirp {
            // exp(-πi j² / n), where j² counts modulo 2n.
            let around = 2 * points as u128;
            let chirp = |j: usize| root((j as u128 * j as u128 % around) as usize, 2 * points);
            all.extend((0..points).map(chirp));
            let mut response = Vec::new();
            reserve(&mut response, length)?;
            response.resize(length, Complex64::default());
            for j in 0..points {
                let value = chirp(j).conj() / done as f64;
                response[j] = value;
                response[(done - j) % done] = value;
            }
            FftPlanner::new().plan_fft_forward(done).process(&mut response);
            all.extend(response);
        }
        all.extend(self.quarters());
        Ok(all)
    }

    /// Copies them to `stream`'s device.
    pub(in crate::gpu) fn upload(&self, dtype: DType, stream: &Stream) -> Result<Uploaded> {
        let factors = weights(self.factors()?.into_iter(), dtype, true, stream)?;
        Ok(Arc::new((Array::empty([0], DType::Int32, stream)?, factors)))
    }
}

/// `exp(-2πi k / n)`, exact but for one rounding: of an angle of at most an eighth of a turn.
pub(in crate::gpu) fn root(k: usize, n: usize) -> Complex64 {
    // Numbers of points have fewer than 60 bits.
    let (eighths, n8) = (8 * (k % n) as u128, n as u128);
    let octant = (eighths / n8) as usize;
    // From the nearer end of the octant.
    let rest = eighths - octant as u128 * n8;
    let rest = if octant.is_multiple_of(2) { rest } else { n8 - rest };
    // Of an eighth of a turn, sine and cosine are one number, which their functions need not agree on.
    let (sin, cos) = if rest == n8 {
        (FRAC_1_SQRT_2, FRAC_1_SQRT_2)
    } else {
        (TAU / 8.0 * (rest as f64 / n as f64)).sin_cos()
    };
    let (re, im) = match octant {
        0 => (cos, sin),
        1 => (sin, cos),
        2 => (-sin, cos),
        3 => (-cos, sin),
        4 => (-cos, -sin),
        5 => (-sin, -cos),
        6 => (sin, -cos),
        _ => (cos, -sin),
    };
    Complex64::new(re, -im)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]
mod tests {
    use super::*;

    #[test]
    fn roots_of_one_are_exact() {
        for n in [1, 2, 3, 4, 7, 8, 12, 360, 1001, 4099] {
            for k in 0..2 * n {
                let angle = TAU * ((k % n) as f64 / n as f64);
                let direct = Complex64::new(angle.cos(), -angle.sin());
                assert!((root(k, n) - direct).norm() < 2e-15, "{k} of {n}");
                assert!((root(k, n).norm() - 1.0).abs() < 3e-16, "{k} of {n}");
            }
            let symmetric = (1..n).all(|k| root(k, n) == root(n - k, n).conj());
            assert!(symmetric, "{n}");
        }
        assert_eq!(root(1, 4), Complex64::new(0.0, -1.0));
        assert_eq!(root(3, 6), Complex64::new(-1.0, 0.0));
        assert_eq!(root(1, 8), Complex64::new(FRAC_1_SQRT_2, -FRAC_1_SQRT_2));
    }

    #[test]
    fn factors_stand_at_their_places() {
        let table =
            Table { passes: vec![16, 500, 2], chirp: Some(77), pairs: false, cosines: None };
        let (places, factors) = (table.places(), table.factors().unwrap());
        assert_eq!(places[2].response + 16_000, factors.len());
        assert_eq!(factors[places[1].roots + 3], root(3, 500));
        assert_eq!(factors[places[1].between + 1], root(1, 8000));
        assert_eq!(factors[places[1].coarse.unwrap() + 2], root(2 * FINE, 8000));
        assert_eq!(factors[places[0].chirp + 5], root(25, 154));
        for table in [
            Table { passes: vec![8], chirp: None, pairs: true, cosines: Some(16) },
            Table { passes: vec![15], chirp: None, pairs: false, cosines: Some(15) },
            Table { passes: vec![16, 10], chirp: Some(77), pairs: false, cosines: Some(77) },
        ] {
            let (at, points) = (table.places()[0].quarters, table.cosines.unwrap());
            let factors = table.factors().unwrap();
            assert_eq!(factors[at + 3], root(3, 4 * points));
            assert_eq!(factors.len() - at, if table.pairs { points / 2 } else { points });
        }
    }
}
