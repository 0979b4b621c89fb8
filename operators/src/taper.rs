//! Tapers: weights that fall to zero at the ends, for [`Diagonal`](crate::Diagonal). They are made on the host, in `f64`.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use arrayspan_operators::kernels::bridge::{Array, DType};
//! use arrayspan_operators::prelude::*;
//! use arrayspan_operators::taper::{Ramp, taper};
//! let space = Space::new([200, 30], DType::Float32)?;
//! let weights: Vec<f32> = taper(200, 20, Ramp::Cosine)?.iter().map(|w| *w as f32).collect();
//! let tapered = Diagonal::along(space, 0, Array::from_vec(weights, [200])?)?;
//! # Ok(()) }
//! ```

use std::f64::consts::PI;

use crate::{Error, Result};

/// How a taper rises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ramp {
    /// `(1 - cos(π i / (n - 1))) / 2` with `n` the length of the ramp, which PyLops calls `hanning` and `cosine`.
    Cosine,
    /// The square of `Cosine` (`cosinesquare`).
    CosineSquared,
    /// The square root of `Cosine` (`cosinesqrt`), a quarter period of a sine.
    SquareRootCosine,
}

/// `len` weights that rise from 0 to 1 over the first `ramp` of them, and fall over the last ones.
///
/// A ramp of one sample is 1, as if there were none. PyLops: `taper`.
///
/// # Errors
/// [`Error::Parameter`] when two ramps do not fit.
pub fn taper(len: usize, ramp: usize, kind: Ramp) -> Result<Vec<f64>> {
    if ramp.checked_mul(2).is_none_or(|both| both > len) {
        let most = len / 2;
        let why = format!("ramps of {ramp} samples at both ends of {len}; at most {most}");
        return Error::parameter("taper", why);
    }
    let rise = |i: usize| {
        if ramp < 2 {
            return 1.0;
        }
        let value = 0.5 * (1.0 - (PI * i as f64 / (ramp - 1) as f64).cos());
        match kind {
            Ramp::Cosine => value,
            Ramp::CosineSquared => value * value,
            Ramp::SquareRootCosine => value.sqrt(),
        }
    };
    let weight = |i: usize| {
        let end = i.min(len - 1 - i);
        if end < ramp { rise(end) } else { 1.0 }
    };
    let mut weights = Vec::new();
    if weights.try_reserve_exact(len).is_err() {
        return Error::parameter("taper", format!("{len} weights do not fit the memory"));
    }
    weights.extend((0..len).map(weight));
    Ok(weights)
}

/// The products of a taper along each axis, row-major: `(extent, ramp)` of every axis. A ramp of 0 leaves an axis as it is.
///
/// PyLops: `taper2d(nt, nmask, ntap)` is `taper_nd(&[(nmask, ntap), (nt, 0)], …)`; `taper3d`, `tapernd`.
///
/// # Errors
/// As [`taper`].
pub fn taper_nd(axes: &[(usize, usize)], kind: Ramp) -> Result<Vec<f64>> {
    // Before any axis is filled: a machine may promise more memory than it has.
    let len = axes.iter().try_fold(1_usize, |len, (extent, _)| len.checked_mul(*extent));
    if len.is_none_or(|len| len > isize::MAX as usize / size_of::<f64>()) {
        return Error::parameter("taper", format!("weights of {axes:?} do not fit the memory"));
    }
    let mut weights = vec![1.0];
    for &(extent, ramp) in axes {
        let along = taper(extent, ramp, kind)?;
        let outer = weights;
        weights = Vec::new();
        if weights.try_reserve_exact(outer.len() * along.len()).is_err() {
            return Error::parameter("taper", format!("weights of {axes:?} do not fit the memory"));
        }
        weights.extend(outer.iter().flat_map(|outer| along.iter().map(move |inner| outer * inner)));
    }
    Ok(weights)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-12, "{found} instead of {expected}");
        }
    }

    #[test]
    fn tapers_are_those_of_pylops() {
        near(
            &taper(9, 4, Ramp::Cosine).unwrap(),
            &[0.0, 0.25, 0.75, 1.0, 1.0, 1.0, 0.75, 0.25, 0.0],
        );
        let squared = taper(8, 4, Ramp::CosineSquared).unwrap();
        near(&squared, &[0.0, 0.0625, 0.5625, 1.0, 1.0, 0.5625, 0.0625, 0.0]);
        let root = taper(6, 3, Ramp::SquareRootCosine).unwrap();
        near(&root, &[0.0, 0.5_f64.sqrt(), 1.0, 1.0, 0.5_f64.sqrt(), 0.0]);
        assert_eq!(taper(3, 1, Ramp::Cosine).unwrap(), [1.0; 3]);
        assert_eq!(taper(0, 0, Ramp::Cosine).unwrap(), [0.0; 0]);
        near(
            &taper_nd(&[(5, 2), (2, 0)], Ramp::Cosine).unwrap(),
            &[0., 0., 1., 1., 1., 1., 1., 1., 0., 0.],
        );
    }

    #[test]
    fn ramps_that_do_not_fit_are_refused() {
        assert!(taper(7, 4, Ramp::Cosine).is_err());
        assert!(taper(usize::MAX, usize::MAX, Ramp::Cosine).is_err());
        assert!(taper(usize::MAX, 0, Ramp::Cosine).is_err());
        assert!(taper_nd(&[(1 << 40, 0), (1 << 40, 0)], Ramp::Cosine).is_err());
    }
}
