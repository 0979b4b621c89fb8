//! The inversion itself: everything in this file runs on the chosen device.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use arrayspan::prelude::*;
use indicatif::{ProgressBar, ProgressStyle};
use ndarray::{Array2, Axis, concatenate};

use crate::arguments::Arguments;
use crate::survey;

/// Any failure, for one line on the screen.
type Failure = Box<dyn std::error::Error>;

/// What came out on one device.
#[derive(Debug)]
pub struct Outcome {
    pub device: Device,
    /// How each array crossed to the device and back.
    pub crossings: Vec<(&'static str, Crossing)>,
    pub iterations: usize,
    /// `‖y - A x‖ / ‖y‖` of data and regularisation together, at the end.
    pub residual: f64,
    pub time: Duration,
    /// Logarithm of impedance.
    pub answer: Array2<f64>,
}

/// The data that `model` (logarithm of impedance) would give, without noise.
pub fn model_data(
    model: &Array2<f64>,
    dtype: DType,
    device: Device,
) -> Result<Array2<f64>, Failure> {
    let modelling = modelling(model.shape(), dtype)?;
    let (model, _) = host(model, dtype).into_device(device)?;
    numbers(&modelling.forward(&model)?)
}

/// Finds the logarithm of impedance from `data`, starting at `background`:
/// `min ‖d - W D m‖² + smoothing² ‖∇² m‖² + damping² ‖m‖²`.
pub fn invert(
    data: &Array2<f64>,
    background: &Array2<f64>,
    device: Device,
    arguments: &Arguments,
) -> Result<Outcome, Failure> {
    let dtype = arguments.dtype;
    let space = Space::new(data.shape(), dtype)?;
    let terms = [0, 1].map(|axis| Along { axis, step: 1.0, weight: 1.0 });
    let smooth = Laplacian::new(space, &terms, Scheme::Centered3, Edge::Zero)?;
    let modelling = modelling(data.shape(), dtype)?;
    let a = vstack![&modelling, arguments.smoothing * &smooth]?;
    let known = concatenate(Axis(0), &[data.view(), Array2::zeros(data.dim()).view()])?;

    let (y, data_in) = host(&known, dtype).into_device(device)?;
    let (start, start_in) = host(background, dtype).into_device(device)?;
    let solver = Cgls {
        damping: arguments.damping,
        stop: Stop::after(arguments.iterations),
        ..Cgls::default()
    };
    let bar = progress_bar(device, arguments.iterations);
    let scale = known.iter().map(|value| value * value).sum::<f64>().sqrt();
    let mut watch = |progress: &Progress<'_>| {
        bar.set_position(progress.iteration as u64);
        bar.set_message(format!("{:.3e}", progress.residual / scale));
        ControlFlow::Continue(())
    };
    let begin = Instant::now();
    let solution = solver.solve_from(&a, &y, Some(start), &mut watch)?;
    let time = begin.elapsed();
    bar.finish();
    let (back, answer_out) = solution.x.into_device(Device::cpu())?;
    Ok(Outcome {
        device,
        crossings: vec![("data", data_in), ("start", start_in), ("answer", answer_out)],
        iterations: solution.iterations,
        residual: solution.residuals.last().map_or(f64::NAN, |residual| residual / scale),
        time,
        answer: numbers(&back)?,
    })
}

/// Wavelet after derivative: `d = W D m`.
fn modelling(shape: &[usize], dtype: DType) -> Result<Operator> {
    let space = Space::new(shape, dtype)?;
    Ok(PoststackLinearModelling::new(space, &survey::wavelet(), Scheme::Centered3)?)
}

/// An array over the numbers' own memory.
fn host(numbers: &Array2<f64>, dtype: DType) -> Array {
    match dtype {
        DType::Float32 => Array::from(numbers.mapv(|value| value as f32)),
        _ => Array::from(numbers.clone()),
    }
}

fn numbers(array: &Array) -> Result<Array2<f64>, Failure> {
    let view = array.view();
    let values = match array.dtype() {
        DType::Float32 => view.to_vec::<f32>()?.into_iter().map(f64::from).collect(),
        _ => view.to_vec::<f64>()?,
    };
    Ok(Array2::from_shape_vec((array.shape()[0], array.shape()[1]), values)?)
}

fn progress_bar(device: Device, iterations: usize) -> ProgressBar {
    let style = "{prefix:>10} [{bar:40}] {pos}/{len} iterations, residual {msg}";
    let style =
        ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar());
    let bar = ProgressBar::new(iterations as u64).with_style(style.progress_chars("=> "));
    bar.set_prefix(device.to_string());
    bar
}
