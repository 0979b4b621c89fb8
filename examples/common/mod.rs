//! What the programs with pictures have in common.
#![allow(dead_code, reason = "each program uses a part of it")]

pub(crate) mod file;
pub(crate) mod least_squares;
pub(crate) mod picture;
pub(crate) mod section;
pub(crate) mod sparse;

use std::process::ExitCode;
use std::time::Instant;

use arrayspan::prelude::*;
use ndarray::Array2;

/// Any failure, for one line on the screen.
pub(crate) type Failure = Box<dyn std::error::Error>;

/// How a program ends.
pub(crate) fn ended(result: Result<(), Failure>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The device of that name, the best one without; says which it is.
pub(crate) fn device(name: Option<&str>) -> Result<Device, Failure> {
    let device = match name {
        Some(name) => name.parse().map_err(|error| format!("--device {name}: {error}"))?,
        None => Device::best(),
    };
    println!("computing on {device}: {}", device.info().name);
    Ok(device)
}

/// Fails unless the value of an option is a number greater than 0.
pub(crate) fn expect_positive(option: &str, value: f64) -> Result<(), Failure> {
    if value.is_finite() && value > 0.0 {
        return Ok(());
    }
    Err(format!("{option} {value}: must be a number greater than 0").into())
}

/// Fails unless the value of an option is a number of at least 0.
pub(crate) fn expect_not_negative(option: &str, value: f64) -> Result<(), Failure> {
    if value.is_finite() && value >= 0.0 {
        return Ok(());
    }
    Err(format!("{option} {value}: must be a number of at least 0").into())
}

/// In single precision, on a device.
pub(crate) fn on(device: Device, values: &Array2<f64>) -> Result<Array, Failure> {
    Ok(Array::from(values.mapv(|value| value as f32)).into_device(device)?.0)
}

/// Back on the host, in double precision.
pub(crate) fn host(x: &Array) -> Result<Array2<f64>, Failure> {
    let shape = (x.shape()[0], x.shape()[1]);
    let numbers = x.to_vec::<f32>()?.into_iter().map(f64::from).collect();
    Ok(Array2::from_shape_vec(shape, numbers)?)
}

/// How near a picture is to the true one, and how long it took.
pub(crate) fn report(name: &str, truth: &Array2<f64>, found: &Array2<f64>, begin: Instant) {
    let (ratio, time) = (picture::ratio(truth, found), begin.elapsed());
    println!("{name:>16}: peak signal to noise ratio {ratio:.2} dB, {time:.1?}");
}
