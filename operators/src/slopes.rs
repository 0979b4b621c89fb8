//! Local slopes of what is seen in a section, by its structure tensor.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use arrayspan_operators::kernels::bridge::Array;
//! use arrayspan_operators::slopes::{StructureTensor, slope_estimate};
//!
//! // Waves that go half a sample down from column to column.
//! let wave = |at: usize| (0.3 * ((at / 30) as f64 - 0.5 * (at % 30) as f64)).sin();
//! let section = Array::from_vec((0..900).map(wave).collect(), [30, 30])?;
//! let found = slope_estimate(&section, StructureTensor::default())?;
//! // Slopes are positive upwards.
//! let slopes = found.slopes.to_vec::<f64>()?;
//! assert!(slopes.iter().all(|slope| (slope + 0.5).abs() < 0.02));
//! # Ok(()) }
//! ```

use arrayspan_bridge::{Array, AsElementwise as _, AsView, DType, Elementwise};
use arrayspan_kernels::{Error as KernelError, Gather, Vector as _};
use num_complex::Complex64;

use crate::number;
use crate::{
    Edge, Error, FirstDerivative, Form, LinearOperator as _, Operator, Result, Scheme, Space,
};

/// How a [structure tensor](slope_estimate) is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StructureTensor {
    /// From one sample to the next, along both axes.
    pub steps: [f64; 2],
    /// The standard deviations of the Gaussian that products of derivatives are smoothed by, in samples along both axes. Zero
    /// smooths nothing.
    pub deviations: [f64; 2],
    /// Slopes are zero where `|g_zx|`, and anisotropies where the larger eigenvalue, is not above this part of the largest entry of all
    /// tensors. PyLops: `eps`.
    pub threshold: f64,
}

impl Default for StructureTensor {
    /// Samples 1 apart, Gaussians of 5 samples, no threshold.
    fn default() -> Self {
        Self { steps: [1.0; 2], deviations: [5.0; 2], threshold: 0.0 }
    }
}

/// What [`slope_estimate`] and [`dip_estimate`] find, of the shape and dtype of the section and on its device.
#[derive(Debug)]
pub struct Slopes {
    /// Slopes, `tan θ` in units of the steps, or dips `θ` in radians.
    pub slopes: Array,
    /// `1 - λ₂/λ₁` of the eigenvalues of the tensor: 1 where there is one direction, 0 where there is none.
    pub anisotropy: Array,
}

/// Local slopes of a section `[z, x]`, `(λ₁ - g_zz) / g_zx` of the tensor with the entries `g_zz`, `g_zx` and `g_xx`, smoothed products of
/// derivatives, whose larger eigenvalue is `λ₁`; positive upwards. PyLops: `slope_estimate`.
///
/// Nothing leaves the device but the largest entries, for which the host waits. Differences of nearly equal numbers are
/// avoided, so that small slopes are as exact as large ones in `Float32`, too. All slopes are NaN where a sample is not finite. Operators that take
/// slopes ([`PWSprayer2D`](crate::PWSprayer2D), [`Seislet`](crate::Seislet)) have them on the host and positive downwards: minus these.
///
/// Reference: L. J. van Vliet and P. W. Verbeek, ASCI Imaging Workshop (1995).
///
/// # Errors
/// [`Error::Parameter`] when the section has not two axes, or samples along both; a step is zero or not finite, a deviation or the threshold
/// below zero or not finite; complex or other arrays without slopes; the device's failure.
pub fn slope_estimate(section: impl AsView, parameters: StructureTensor) -> Result<Slopes> {
    let tensor = Tensor::new("slope_estimate", &section, parameters)?;
    let anisotropy = tensor.anisotropy()?;
    let [zz, zx, xx] = tensor.entries();
    // Half of g_xx - g_zz, above zero and below.
    let up = (0.5 * xx.clone() - 0.5 * zz.clone()).maximum(0.0 * zx.clone());
    let down = (0.5 * zz - 0.5 * xx).maximum(0.0 * zx.clone());
    let radius = tensor.radius();
    // λ₁ - g_zz = up + radius, or g_zx² / (down + radius).
    let steep = positive(up.clone());
    let slopes = steep.clone() * (up + radius.clone()).div_or_zero(zx.clone())
        + (1.0 - steep) * zx.clone().div_or_zero(down + radius);
    let clear = tensor.above(zx.abs());
    Ok(Slopes { slopes: (clear * slopes).compute()?, anisotropy })
}

/// Local dips of a section `[z, x]`, `atan2(2 g_zx, g_zz - g_xx) / 2` of the tensor of [`slope_estimate`], in radians between `-π/2` and `π/2`;
/// no threshold holds for them. PyLops: `dip_estimate`, and `slope_estimate(dips=True)`.
///
/// The angles are computed on the host, of arrays that are copied there and back: no verb has an arc tangent.
///
/// # Errors
/// As [`slope_estimate`].
pub fn dip_estimate(section: impl AsView, parameters: StructureTensor) -> Result<Slopes> {
    let tensor = Tensor::new("dip_estimate", &section, parameters)?;
    let anisotropy = tensor.anisotropy()?;
    let device = anisotropy.device();
    let [zz, zx, xx] = tensor.entries();
    let both = [(2.0 * zx).compute()?, (zz - xx).compute()?];
    let shape = anisotropy.shape().to_vec();
    let slopes = if anisotropy.dtype() == DType::Float32 {
        let [sine, cosine] = [both[0].to_vec::<f32>()?, both[1].to_vec::<f32>()?];
        let angles = sine.iter().zip(&cosine).map(|(sine, cosine)| 0.5 * sine.atan2(*cosine));
        Array::from_vec(angles.collect(), &shape)?
    } else {
        let [sine, cosine] = [both[0].to_vec::<f64>()?, both[1].to_vec::<f64>()?];
        let angles = sine.iter().zip(&cosine).map(|(sine, cosine)| 0.5 * sine.atan2(*cosine));
        Array::from_vec(angles.collect(), &shape)?
    };
    Ok(Slopes { slopes: slopes.to(device)?.0, anisotropy })
}

/// The entries of the tensor, in units of the largest of all.
struct Tensor {
    /// `g_zz`, `g_zx`, `g_xx`.
    entries: [Array; 3],
    threshold: f64,
}

impl Tensor {
    fn new(name: &'static str, section: &impl AsView, given: StructureTensor) -> Result<Self> {
        let section = section.as_view();
        let dtype = section.dtype();
        if !matches!(dtype, DType::Float32 | DType::Float64) {
            return Err(KernelError::NotComputable { verb: name, dtype }.into());
        }
        let space = Space::new(section.shape(), dtype)?;
        if space.shape().len() != 2 || space.len() == 0 {
            return Error::parameter(
                name,
                format!("a section of {space}, not two axes of samples"),
            );
        }
        let StructureTensor { steps, deviations, threshold } = given;
        let fine = |number: f64| number.is_finite() && number >= 0.0;
        if !fine(threshold) || !deviations.into_iter().all(fine) {
            let why = format!(
                "threshold {threshold} and deviations {deviations:?}, expected finite numbers >= 0"
            );
            return Error::parameter(name, why);
        }
        let along = |axis: isize| -> Result<Operator> {
            let (step, scheme) = (steps[axis as usize], Scheme::Centered3);
            FirstDerivative::new(space.clone(), axis, step, scheme, Edge::Reduced)
                .map_err(|error| error.of(name))
        };
        let (down, across) = (along(0)?, along(1)?);
        let mut derivatives = [down.forward(&section)?, across.forward(&section)?];
        // Squares of what is small or large would be no numbers of the dtype. A power of two leaves all as exact as they are.
        let most = if dtype == DType::Float32 { 126.0 } else { 1000.0 };
        let scale = number::reciprocal_unit(largest(&derivatives)?, most).unwrap_or(1.0);
        for derivative in &mut derivatives {
            *derivative = (scale * &*derivative).compute()?;
        }
        let [z, x] = derivatives;
        let smooth = gaussian(name, &space, 1, deviations[1])?
            .after(&gaussian(name, &space, 0, deviations[0])?)
            .build()?;
        let smoothed =
            |a: &Array, b: &Array| -> Result<Array> { smooth.forward((a * b).compute()?) };
        let mut entries = [smoothed(&z, &z)?, smoothed(&z, &x)?, smoothed(&x, &x)?];
        let largest = largest(&entries)?;
        // As in PyLops, nothing has a slope then. NaN goes on.
        let unit = if largest <= threshold * scale * scale { 0.0 } else { largest.recip() };
        for entry in &mut entries {
            *entry = (unit * &*entry).compute()?;
        }
        Ok(Self { entries, threshold })
    }

    fn entries(&self) -> [Elementwise<'_>; 3] {
        let [zz, zx, xx] = &self.entries;
        [zz, zx, xx].map(|entry| entry.as_elementwise())
    }

    /// Half the difference of both eigenvalues.
    fn radius(&self) -> Elementwise<'_> {
        let [zz, zx, xx] = self.entries();
        ((0.5 * xx - 0.5 * zz).abs2() + zx.abs2()).sqrt()
    }

    /// 1 where a value is above the threshold, 0 elsewhere.
    fn above<'a>(&self, value: Elementwise<'a>) -> Elementwise<'a> {
        let zero = 0.0 * value.clone();
        positive((value - self.threshold).maximum(zero))
    }

    /// `1 - λ₂/λ₁ = 2 radius / λ₁`.
    fn anisotropy(&self) -> Result<Array> {
        let [zz, _, xx] = self.entries();
        let largest = 0.5 * zz + 0.5 * xx + self.radius();
        let share = (2.0 * self.radius()).div_or_zero(largest.clone());
        Ok((self.above(largest) * share).compute()?)
    }
}

/// The largest magnitude of some arrays, NaN if one has such.
fn largest(arrays: &[Array]) -> Result<f64> {
    let mut largest: f64 = 0.0;
    for array in arrays {
        let found: f64 = array.abs().max()?.item()?;
        largest = if found.is_nan() || largest.is_nan() { f64::NAN } else { largest.max(found) };
    }
    Ok(largest)
}

/// 1 where a value that is not below zero is above, 0 elsewhere.
fn positive(value: Elementwise<'_>) -> Elementwise<'_> {
    value.clone().div_or_zero(value)
}

/// Sums along an axis with the weights of a Gaussian, four deviations to each side, of a section that is mirrored at its ends.
fn gaussian(name: &'static str, space: &Space, axis: usize, deviation: f64) -> Result<Operator> {
    let extent = space.shape()[axis];
    // As SciPy rounds.
    let reach = (4.0 * deviation + 0.5).floor();
    if reach > 1e6 {
        return Error::parameter(name, format!("a Gaussian of {deviation} samples"));
    }
    let reach = reach as usize;
    let weight = |lag: usize| {
        if lag == 0 { 1.0 } else { (-0.5 * (lag as f64 / deviation).powi(2)).exp() }
    };
    let half: Vec<f64> = (0..=reach).map(weight).collect();
    let all = 2.0 * half.iter().sum::<f64>() - 1.0;
    // The axis, and its mirror image behind it, over and over: lags that are a period apart meet the same samples.
    let period = 2 * extent;
    let mut folded = vec![0.0; period.min(2 * reach + 1)];
    for lag in 0..=2 * reach {
        folded[lag % period] += half[lag.abs_diff(reach)] / all;
    }
    let first = period - reach % period;
    let (mut starts, mut indices, mut weights) = (vec![0], Vec::new(), Vec::new());
    let mut row = vec![0.0; extent];
    for sample in 0..extent {
        row.fill(0.0);
        for (lag, weight) in folded.iter().enumerate() {
            let place = (sample + lag + first) % period;
            row[place.min(period - 1 - place)] += weight;
        }
        for (index, weight) in row.iter().enumerate().filter(|entry| *entry.1 > 1e-20) {
            indices.push(index);
            weights.push(Complex64::from(*weight));
        }
        starts.push(indices.len());
    }
    let gather = Gather::new(axis, &[extent], &[extent], starts, indices, Some(weights))?;
    Operator::of("Gaussian", space.clone(), space.clone(), Form::Gather(gather))
}
