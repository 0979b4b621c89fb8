//! Delays by fractions of a sample.

use std::f64::consts::TAU;

use arrayspan_bridge::devices::vectors::collected;
use arrayspan_bridge::{Array, SharedArray, Transfer};
use arrayspan_kernels::Filter;
use num_complex::Complex64;

use super::fftnd::along;
use super::filter_pass::Pass;
use super::line_weights::line_weights;
use super::{FourierAxis, FourierNorm, Spectrum};
use crate::laws::values;
use crate::{Error, Form, LinearMap as _, Operator, Result, Space, adjoint};

/// `y(t) = x(t - τ)` along one axis, by phases of its spectrum: `Fᴴ diag(exp(-2πi f τ)) F`; domain and range are both `space`.
///
/// Signals are taken for periodic over the [points](FourierAxis::points) of the axis, with zeros behind their samples; samples behind the points
/// are cut off, and come back as zeros. Delays count in units of its step. A delay by whole samples is that of [`Roll`](crate::Roll). Of an even number of points, the bin of the highest frequency is turned
/// as one of its negative side; of a real space it keeps its real part. Units: those of `x`. Complex: linear. Cost: with one delay a
/// single pass where the memory near a processor holds a line ([`Filter::takes_points`]: up to 8192 real samples of 32 bits, 4096 if some prime factor is above 13); else 3
/// passes or more, to the spectrum, over that, and back (test `bytes::shift`).
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::kernels::bridge::{Array, DType};
/// use arrayspan_operators::prelude::*;
/// let time = FourierAxis { step: 0.004, ..FourierAxis::new(0) };
/// let late = Shift::new(Space::new([3], DType::Float64)?, time, 0.004)?;
/// let y = late.forward(Array::from_slice(&[1.0, 2.0, 4.0], [3])?)?.to_vec::<f64>()?;
/// assert!(y.iter().zip([4.0, 1.0, 2.0]).all(|(y, expected)| (y - expected).abs() < 1e-12));
/// # Ok(()) }
/// ```
///
/// Golden: PyLops 2.8.0 `Shift`; of a real space that with `real=True`.
#[derive(Debug)]
pub struct Shift(());

impl Shift {
    const NAME: &str = "Shift";

    /// Delays all signals along an axis by `delay`.
    ///
    /// # Errors
    /// [`Error::Parameter`] when there is no such axis, it has no points, a shift of its own or a step that is zero or not finite; the delay
    /// is not a finite number of steps; or the dtype is not one to compute with. [`Error::TooLarge`] when the spectrum cannot be addressed;
    /// out of memory.
    pub fn new(space: Space, axis: FourierAxis, delay: f64) -> Result<Operator> {
        let at = space.axis(Self::NAME, axis.axis)?;
        let extent = space.shape()[at];
        let step = axis.step;
        if !in_steps(delay, step) {
            return Error::parameter(
                Self::NAME,
                format!("a delay of {delay:e}, in steps of {step:e}"),
            );
        }
        let (fourier, spectrum) = Self::fourier(space.clone(), axis)?;
        let points = axis.points.unwrap_or(extent);
        // Cycles per step, so that no product leaves the numbers.
        let frequencies = FourierAxis { step: 1.0, ..axis }.frequencies(extent, spectrum)?;
        let bins = frequencies.len();
        let phases = frequencies.into_iter().map(|frequency| phase(frequency * (delay / step)));
        let phases = collected(bins, phases)?;
        if points >= extent && Filter::takes_points(points, space.dtype()) {
            let filter = match spectrum {
                Spectrum::Full => Filter::periodic(at, &phases)?,
                Spectrum::Half => Filter::periodic_real(at, points, &phases)?,
            };
            return Ok(Operator::new(Pass::new(Self::NAME, space, filter)));
        }
        Self::between(&fourier, line_weights(Self::NAME, at, &[bins], phases)?)
    }

    /// Delays each signal along an axis by a delay of its own: real numbers in the shape of `space` without the axis. What the spectra
    /// are multiplied by takes as much memory as they do, where the delays live. Waits for these.
    ///
    /// # Errors
    /// As [`new`](Self::new); when the delays have another shape or are not real numbers; out of memory; the device's failure.
    pub fn each(
        space: Space,
        axis: FourierAxis,
        delays: impl Into<SharedArray>,
    ) -> Result<Operator> {
        let delays = delays.into();
        let at = space.axis(Self::NAME, axis.axis)?;
        let mut others = space.shape().to_vec();
        let extent = others.remove(at);
        let real = delays.dtype().is_computable() && !delays.dtype().is_complex();
        if delays.shape() != others || !real {
            let (shape, dtype) = (delays.shape(), delays.dtype());
            let why = format!(
                "delays of {dtype} and shape {shape:?}, expected real ones of shape {others:?}"
            );
            return Error::parameter(Self::NAME, why);
        }
        let all = values::numbers(&delays.view())?;
        let step = axis.step;
        if let Some(delay) = all.iter().find(|delay| !in_steps(delay.re, step)) {
            let why = format!("a delay of {:e}, in steps of {step:e}", delay.re);
            return Error::parameter(Self::NAME, why);
        }
        let (fourier, spectrum) = Self::fourier(space, axis)?;
        let frequencies = FourierAxis { step: 1.0, ..axis }.frequencies(extent, spectrum)?;
        let behind: usize = others[at..].iter().product();
        let phases = (0..fourier.range().len()).map(|place| {
            let bin = place / behind % frequencies.len();
            let delay = all[place / (behind * frequencies.len()) * behind + place % behind];
            phase(frequencies[bin] * (delay.re / step))
        });
        let phases = collected(fourier.range().len(), phases)?;
        let weights = values::array(fourier.range().shape(), fourier.range().dtype(), &phases)?;
        let device = delays.device();
        let stream = device.stream()?;
        let (weights, _): (Array, _) =
            weights.into_device_with(device, Transfer::CopyIfNeeded, &stream)?;
        Self::between(&fourier, Form::Diagonal(weights.into_shared()))
    }

    /// The transform of signals that keeps lengths, and which bins it has.
    fn fourier(space: Space, axis: FourierAxis) -> Result<(Operator, Spectrum)> {
        space.computable(Self::NAME)?;
        if axis.ifftshift_before || axis.fftshift_after {
            let why = "ifftshift_before or fftshift_after: samples are in order, and so are bins";
            return Error::parameter(Self::NAME, why);
        }
        let fourier = axis.fourier(Self::NAME, &space, FourierNorm::Ortho)?;
        let (fourier, spectrum) = if space.dtype().is_complex() {
            (fourier, Spectrum::Full)
        } else {
            (fourier.half().weighted(2.0_f64.sqrt())?, Spectrum::Half)
        };
        Ok((along(Self::NAME, space, fourier)?, spectrum))
    }

    /// `Fᴴ P F`
    fn between(fourier: &Operator, phases: Form) -> Result<Operator> {
        let bins = fourier.range();
        let phases = Operator::of("Phases", bins.clone(), bins.clone(), phases)?;
        Ok(adjoint(fourier).after(phases.after(fourier)).build()?.named(Self::NAME))
    }
}

/// Whether a delay is so many steps, if there are such.
fn in_steps(delay: f64, step: f64) -> bool {
    delay.is_finite() && (step == 0.0 || !step.is_finite() || (delay / step).is_finite())
}

/// `exp(-2πi turns)`, of whole turns nothing.
fn phase(turns: f64) -> Complex64 {
    let (sin, cos) = (TAU * (turns - turns.round())).sin_cos();
    Complex64::new(cos, -sin)
}
