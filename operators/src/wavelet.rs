//! Wavelets: short symmetric filters for [`Convolve1D`](crate::Convolve1D) and
//! [`PoststackLinearModelling`](crate::PoststackLinearModelling).
//!
//! Each has `2 · half + 1` samples, the one at time zero in the middle, at index `half`. Times are multiples of `step`; frequencies are
//! in cycles per unit of `step`. They are made on the host.

use std::f64::consts::PI;

use crate::{Error, Result};

/// `(1 - 2a) exp(-a)` with `a = (π f t)²`: the Ricker wavelet, whose spectrum is largest at `frequency`.
///
/// Reference: Ricker, Geophysics 18 (1953). PyLops: `ricker`.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let wavelet = arrayspan_operators::wavelet::ricker(20, 0.004, 25.0)?;
/// assert_eq!((wavelet.len(), wavelet[20]), (41, 1.0));
/// # Ok(()) }
/// ```
///
/// # Errors
/// [`Error::Parameter`] unless `step` and `frequency` are finite and above zero.
pub fn ricker(half: usize, step: f64, frequency: f64) -> Result<Vec<f64>> {
    positive("ricker", "step", step)?;
    positive("ricker", "frequency", frequency)?;
    symmetric("ricker", half, |i| {
        let a = (PI * frequency * step * i).powi(2);
        (1.0 - 2.0 * a) * (-a).exp()
    })
}

/// `exp(-t² / 2σ²)` with the standard deviation `σ` in samples.
///
/// PyLops: `gaussian`.
///
/// # Errors
/// [`Error::Parameter`] unless `deviation` is finite and above zero.
pub fn gaussian(half: usize, deviation: f64) -> Result<Vec<f64>> {
    positive("gaussian", "deviation", deviation)?;
    symmetric("gaussian", half, |i| (-0.5 * (i / deviation).powi(2)).exp())
}

/// The autocorrelation of a sweep whose frequency rises from the first of `frequencies`, at the first sample, to the second, at
/// the last one; 1 at time zero.
///
/// Reference: Klauder et al., Bell System Technical Journal 39 (1960). PyLops: `klauder`. Cost: `half²` products.
///
/// # Errors
/// [`Error::Parameter`] unless `step` is finite and above zero, frequencies are finite and not below zero, and `half` is not zero.
pub fn klauder(half: usize, step: f64, frequencies: [f64; 2]) -> Result<Vec<f64>> {
    positive("klauder", "step", step)?;
    if half == 0 || frequencies.iter().any(|frequency| !(0.0..f64::INFINITY).contains(frequency)) {
        return Error::parameter(
            "klauder",
            format!("frequencies of {frequencies:?}, {half} samples to each side"),
        );
    }
    let [first, last] = frequencies;
    let (middle, end) = (first.midpoint(last), half as f64 * step);
    // The phase: the integral of the frequency, `middle` at time zero.
    let sweep = symmetric("klauder", half, |i| {
        let t = i * step;
        (2.0 * PI * (middle * t + 0.5 * (last - middle) / end * t * t)).cos()
    })?;
    let product = |lag: usize| sweep.iter().zip(&sweep[lag..]).map(|(a, b)| a * b).sum::<f64>();
    let energy = product(0);
    let wavelet = symmetric("klauder", half, |i| product(i.abs() as usize) / energy)?;
    Ok(wavelet)
}

/// The wavelet whose spectrum is a trapezium: zero below the first of `frequencies` and above the last one, flat between the second and
/// the third, cut off after `half` samples; 1 at time zero.
///
/// Reference: Ryan, CSEG Recorder 19 (1994). PyLops: `ormsby`.
///
/// # Errors
/// [`Error::Parameter`] unless `step` is finite and above zero and frequencies are finite, not below zero and rise from the first to the
/// second and from the third to the fourth.
pub fn ormsby(half: usize, step: f64, frequencies: [f64; 4]) -> Result<Vec<f64>> {
    positive("ormsby", "step", step)?;
    let [a, b, c, d] = frequencies;
    if !(0.0 <= a && a < b && b <= c && c < d && d.is_finite()) {
        let why = format!("frequencies of {frequencies:?}, which have to rise from zero on");
        return Error::parameter("ormsby", why);
    }
    let part = |frequency: f64, t: f64| {
        let x = PI * frequency * t;
        let sinc = if x == 0.0 { 1.0 } else { x.sin() / x };
        (PI * frequency * sinc).powi(2)
    };
    let value = |t: f64| {
        (part(d, t) - part(c, t)) / (PI * (d - c)) - (part(b, t) - part(a, t)) / (PI * (b - a))
    };
    let largest = value(0.0);
    symmetric("ormsby", half, |i| value(i * step) / largest)
}

/// The values at `-half..=half`.
fn symmetric(name: &str, half: usize, value: impl Fn(f64) -> f64) -> Result<Vec<f64>> {
    let mut wavelet = Vec::new();
    let len = half.checked_mul(2).and_then(|len| len.checked_add(1));
    if len.is_none_or(|len| wavelet.try_reserve_exact(len).is_err()) {
        return Error::parameter(
            name,
            format!("{half} samples to each side do not fit the memory"),
        );
    }
    wavelet.extend((0..=half).rev().map(|i| value(-(i as f64))));
    wavelet.extend((1..=half).map(|i| value(i as f64)));
    Ok(wavelet)
}

fn positive(name: &str, what: &str, value: f64) -> Result<()> {
    if value.is_finite() && value > 0.0 {
        return Ok(());
    }
    Error::parameter(name, format!("a {what} of {value}, which has to be finite and above zero"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RICKER: [f64; 6] = [
        1.0,
        0.727_177_259_971_307_4,
        0.141_794_200_108_251_25,
        -0.319_439_956_077_762_27,
        -0.444_934_521_600_170_55,
        -0.333_690_792_296_469_5,
    ];
    const GAUSSIAN: [f64; 6] = [
        1.0,
        0.882_496_902_584_595_3,
        0.606_530_659_712_633_4,
        0.324_652_467_358_349_74,
        0.135_335_283_236_612_7,
        0.043_936_933_623_407_41,
    ];
    const KLAUDER: [f64; 5] = [
        1.0,
        0.470_197_999_103_343_87,
        -0.246_135_344_230_466,
        -0.563_253_118_251_455_7,
        -0.427_271_469_463_806_7,
    ];
    const ORMSBY: [f64; 6] = [
        1.0,
        0.685_780_590_691_438_9,
        0.045_653_911_257_022_02,
        -0.360_572_442_049_734_8,
        -0.319_179_924_495_676_1,
        -0.093_815_910_779_942_43,
    ];

    /// What PyLops 2.8.0 gives, from time zero on.
    fn expect(found: Result<Vec<f64>>, expected: &[f64]) {
        let found = found.unwrap();
        let half = found.len() / 2;
        for (lag, expected) in expected.iter().enumerate() {
            for found in [found[half + lag], found[half - lag]] {
                assert!((found - expected).abs() < 1e-12, "{found} at {lag} instead of {expected}");
            }
        }
    }

    #[test]
    fn wavelets_are_those_of_pylops() {
        expect(ricker(5, 0.004, 25.0), &RICKER);
        expect(gaussian(5, 2.0), &GAUSSIAN);
        expect(klauder(4, 0.004, [10.0, 60.0]), &KLAUDER);
        expect(ormsby(5, 0.004, [5.0, 10.0, 45.0, 60.0]), &ORMSBY);
    }

    #[test]
    fn parameters_that_make_no_wavelet_are_refused() {
        for step in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(ricker(3, step, 1.0).is_err() && ricker(3, 1.0, step).is_err());
            assert!(gaussian(3, step).is_err() && ormsby(3, step, [1.0, 2.0, 3.0, 4.0]).is_err());
        }
        for frequencies in [[2.0, 1.0, 3.0, 4.0], [1.0, 2.0, 4.0, 4.0], [-1.0, 2.0, 3.0, 4.0]] {
            assert!(ormsby(3, 1.0, frequencies).is_err());
        }
        assert!(klauder(0, 1.0, [0.1, 0.2]).is_err() && klauder(2, 1.0, [-0.1, 0.2]).is_err());
        assert!(ricker(usize::MAX, 1.0, 1.0).is_err());
        assert_eq!(ricker(0, 1.0, 1.0).unwrap(), [1.0]);
    }
}
