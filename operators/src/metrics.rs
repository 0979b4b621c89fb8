//! How far two arrays are from each other: mean errors and signal-to-noise ratios, as numbers of the host.
//!
//! Arrays stay where they are: each number is a reduction there, in the widest real dtype of the device, and the host waits for it
//! alone. Shapes, dtypes and devices have to agree; nothing broadcasts. Squares that leave that dtype are no matter (arrays of
//! 1e-200 or 1e+200, or of 1e20 on a device without Float64): then a second look scales them. Means of no elements are NaN.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use arrayspan_operators::kernels::bridge::Array;
//! use arrayspan_operators::metrics::{Peak, mae, mse, psnr, snr};
//!
//! let expected = Array::from_vec(vec![1.0_f32, 2.0, -2.0, 10.0], [2, 2])?;
//! let found = Array::from_vec(vec![1.0_f32, 1.0, -2.0, 9.0], [2, 2])?;
//! assert_eq!((mae(&expected, &found)?, mse(&expected, &found)?), (0.5, 0.5));
//! assert!((snr(&expected, &found)? - 10.0 * (27.25_f64 / 0.5).log10()).abs() < 1e-12);
//! assert!((psnr(&expected, &found, Peak::default())? - 10.0 * 200_f64.log10()).abs() < 1e-12);
//! # Ok(()) }
//! ```

use std::f64::consts::LOG10_2;
use std::sync::Arc;

use arrayspan_bridge::{AsView, DType, Elementwise, View};
use arrayspan_kernels::{Error as KernelError, Executor, Vector, computed, on, widest_real};

use crate::{Error, Result};

/// `mean |reference - found|`. PyLops: `mae`.
///
/// # Errors
/// [`Error::Shape`], [`Error::DType`], [`Error::Kernel`] for arrays on two devices or of a dtype not to compute with; the
/// device's failure.
pub fn mae(reference: impl AsView, found: impl AsView) -> Result<f64> {
    let (reference, found) = (reference.as_view(), found.as_view());
    let pair = Pair::new("mae", &reference, &found)?;
    let mean = pair.mean(Power::One, |halved| pair.difference(halved))?;
    Ok(mean.value * mean.unit)
}

/// `mean |reference - found|²`. PyLops: `mse`.
///
/// # Errors
/// As [`mae`].
pub fn mse(reference: impl AsView, found: impl AsView) -> Result<f64> {
    let (reference, found) = (reference.as_view(), found.as_view());
    let pair = Pair::new("mse", &reference, &found)?;
    let mean = pair.mean(Power::Two, |halved| pair.difference(halved))?;
    Ok(mean.value * mean.unit * mean.unit)
}

/// The signal-to-noise ratio in decibels, `10 log₁₀(mean |reference|² / mean |reference - found|²)`: infinite where there is no
/// noise, NaN where there is no signal either. PyLops: `snr`.
///
/// # Errors
/// As [`mae`].
pub fn snr(reference: impl AsView, found: impl AsView) -> Result<f64> {
    let (reference, found) = (reference.as_view(), found.as_view());
    let pair = Pair::new("snr", &reference, &found)?;
    let noise = pair.mean(Power::Two, |halved| pair.difference(halved))?;
    let signal = pair.mean(Power::Two, |halved| pair.signal(halved))?;
    Ok(signal.decibels() - noise.decibels())
}

/// Between which numbers a signal may be, of which [`psnr`] is a matter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Peak {
    /// The least, or that of the reference.
    pub least: Option<f64>,
    /// The largest, or that of the reference.
    pub largest: Option<f64>,
}

/// From zero to the largest number of the reference.
impl Default for Peak {
    fn default() -> Self {
        Self { least: Some(0.0), largest: None }
    }
}

/// The peak signal-to-noise ratio in decibels, `10 log₁₀((largest - least)² / mean |reference - found|²)`. PyLops: `psnr`.
///
/// # Errors
/// As [`mae`]; [`Error::Parameter`] for complex arrays, whose largest number is not there, unless both bounds are given, and
/// for a bound that is not finite.
pub fn psnr(reference: impl AsView, found: impl AsView, peak: Peak) -> Result<f64> {
    let (reference, found) = (reference.as_view(), found.as_view());
    let pair = Pair::new("psnr", &reference, &found)?;
    let name = pair.name;
    let Peak { least, largest } = peak;
    if [least, largest].iter().flatten().any(|bound| !bound.is_finite()) {
        return Error::parameter(name, format!("{peak:?}, whose bounds have to be finite"));
    }
    let dtype = pair.dtype;
    if dtype.is_complex() && (least.is_none() || largest.is_none()) {
        let why = format!("{dtype} has no largest and no least number: both have to be given");
        return Error::parameter(name, why);
    }
    let noise = pair.mean(Power::Two, |halved| pair.difference(halved))?;
    let largest = match largest {
        Some(largest) => largest,
        None => pair.reference.max()?.item()?,
    };
    let least = match least {
        Some(least) => least,
        None => pair.reference.min()?.item()?,
    };
    // By halves: the difference of two numbers may be beyond all.
    let half = (0.5 * largest - 0.5 * least).abs();
    Ok(20.0 * (half.log10() + LOG10_2) - noise.decibels())
}

/// Two arrays that fit.
struct Pair<'a> {
    name: &'static str,
    reference: Elementwise<'a>,
    found: Elementwise<'a>,
    len: usize,
    dtype: DType,
    on: Arc<dyn Executor>,
}

#[derive(Clone, Copy)]
enum Power {
    One,
    Two,
}

/// A mean of `|d|` in units of `unit`, or of `|d|²` in units of its square, which need not be a number.
struct Mean {
    value: f64,
    unit: f64,
}

impl Mean {
    const fn of(value: f64) -> Self {
        Self { value, unit: 1.0 }
    }

    /// Of a mean of squares.
    fn decibels(&self) -> f64 {
        10.0 * self.value.log10() + 20.0 * self.unit.log10()
    }
}

impl<'a> Pair<'a> {
    fn new(name: &'static str, reference: &'a View<'a>, found: &'a View<'a>) -> Result<Self> {
        let (operator, argument) = (name.to_owned(), "the second array");
        if reference.shape() != found.shape() {
            let (expected, found) = (reference.shape().to_vec(), found.shape().to_vec());
            return Err(Error::Shape { operator, argument, expected, found });
        }
        let dtype = reference.dtype();
        if found.dtype() != dtype {
            let (expected, found) = (dtype, found.dtype());
            return Err(Error::DType { operator, argument, expected, found });
        }
        let (expected, argument) = (reference.device(), argument.to_owned());
        if found.device() != expected {
            let found = found.device();
            return Err(KernelError::Apart { verb: name, argument, expected, found }.into());
        }
        if !computed(dtype).is_computable() {
            return Err(KernelError::NotComputable { verb: name, dtype }.into());
        }
        let len = reference.layout().len();
        let (reference, found) = (reference.clone().into(), found.clone().into());
        Ok(Self { name, reference, found, len, dtype, on: on(expected)? })
    }

    /// `reference - found`, or half of it.
    fn difference(&self, halved: bool) -> Elementwise<'a> {
        let (reference, found) = (self.reference.clone(), self.found.clone());
        if halved { reference * 0.5 - found * 0.5 } else { reference - found }
    }

    fn signal(&self, halved: bool) -> Elementwise<'a> {
        let reference = self.reference.clone();
        if halved { reference * 0.5 } else { reference }
    }

    /// The mean of the powers of a value that may be halved.
    fn mean(&self, power: Power, value: impl Fn(bool) -> Elementwise<'a>) -> Result<Mean> {
        let len = self.len as f64;
        let raised = |value: Elementwise<'a>| match power {
            Power::One => value.abs(),
            Power::Two => value.abs2(),
        };
        if self.len == 0 {
            return Ok(Mean::of(f64::NAN));
        }
        let wide = widest_real(self.on.device()) == DType::Float64;
        // Between these no power that is lost beside the sum changes it, be there as many as fit a memory.
        let (least, most) = if wide { (1e-280, 1e300) } else { (1e-20, 1e37) };
        let plain = self.sum(&raised(value(false)))?;
        if plain.is_nan() || (least..most).contains(&plain) {
            return Ok(Mean::of(plain / len));
        }
        let mut largest = self.largest(&value(false))?;
        let halved = largest.is_infinite();
        if halved {
            largest = self.largest(&value(true))?;
        }
        if largest == 0.0 || !largest.is_finite() {
            return Ok(Mean::of(largest));
        }
        // A power of two, whose inverse is one of the dtype, too: it changes no digit.
        let most = if wide { 1000.0 } else { 120.0 };
        let unit = largest.log2().ceil().clamp(-most, most).exp2();
        let scaled = self.sum(&raised(value(halved) * unit.recip()))?;
        Ok(Mean { value: scaled / len, unit: if halved { 2.0 * unit } else { unit } })
    }

    fn sum(&self, value: &Elementwise<'_>) -> Result<f64> {
        let mut sum = self.on.empty(&[], widest_real(self.on.device()))?;
        value.sum_into(&*self.on, &mut sum)?;
        Ok(sum.item()?)
    }

    /// The largest real or imaginary part by its absolute value, which is within √2 of the largest absolute value.
    fn largest(&self, value: &Elementwise<'_>) -> Result<f64> {
        let parts = [value.clone().re().abs(), value.clone().im().abs()];
        let mut largest: f64 = 0.0;
        for part in &parts[..=usize::from(self.dtype.is_complex())] {
            let mut found = self.on.empty(&[], widest_real(self.on.device()))?;
            part.max_into(&*self.on, &mut found)?;
            let found: f64 = found.item()?;
            // NaN stays.
            largest = if found.is_nan() { found } else { largest.max(found) };
        }
        Ok(largest)
    }
}
