//! What an operator does to the lengths of vectors, from applications of it alone: bounds of its norm, its largest and smallest
//! singular values, how it is conditioned with and without regularisation, and the lowest modes of a membrane.
//!
//! ```text
//! cargo run --release --example spectrum -- --device cuda:0 --samples 400
//! ```

use std::process::ExitCode;

use arrayspan::operators::wavelet::ricker;
use arrayspan::prelude::*;
use clap::Parser;

type Failure = Box<dyn std::error::Error>;

/// Spectra of a seismic operator and of a membrane.
#[derive(Debug, Parser)]
struct Arguments {
    /// Where to compute
    #[arg(long, default_value = "cpu")]
    device: Device,
    /// Samples of a trace
    #[arg(long, default_value_t = 80)]
    samples: usize,
    /// Points along each side of the membrane
    #[arg(long, default_value_t = 30)]
    side: usize,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), Failure> {
    let &Arguments { device, samples, side } = arguments;
    let on = on(device)?;

    let trace = Space::new([samples], DType::Float64)?;
    let a =
        PoststackLinearModelling::new(trace.clone(), &ricker(20, 0.004, 20.0)?, Scheme::Centered3)?;
    let norm = NormEstimator::default().of_on(&a, &*on)?;
    println!("post-stack modelling of {samples} samples, on {device}");
    println!(
        "  norm        {:.6} … {:.6}, after {} iterations",
        norm.lower, norm.upper, norm.iterations
    );
    println!("  step        {:.6} is short enough for ISTA", 1.0 / norm.upper.powi(2));
    let largest = Svds { count: 3, ..Svds::default() }.of_on(&a, &*on)?;
    println!("  largest     {:.6?}", largest.values);
    let bend = SecondDerivative::new(trace, 0, 1.0, Scheme::Centered3, Edge::Zero)?;
    let regularized = vstack![&a, 0.1 * &bend]?;
    for (name, a) in [("condition", &a), ("regularised", &regularized)] {
        let found = arrayspan::solvers::cond_on(a, &*on)?;
        println!(
            "  {name:<11} {:.3e} = {:.6} / {:.3e}",
            found.value, found.largest, found.smallest
        );
    }

    let space = Space::new([side, side], DType::Float64)?;
    let slopes = [0, 1]
        .map(|axis| FirstDerivative::new(space.clone(), axis, 1.0, Scheme::Forward, Edge::Zero));
    let [down, across] = slopes;
    let (down, across) = (down?, across?);
    let membrane = (adjoint(&down).after(&down) + adjoint(&across).after(&across)).build()?;
    let modes =
        Lobpcg { count: 4, which: Which::Smallest, ..Lobpcg::default() }.of_on(&membrane, &*on)?;
    println!("the lowest modes of a free membrane of {side} x {side} points ({:?})", modes.stopped);
    for (value, residual) in modes.values.iter().zip(&modes.residuals).rev() {
        println!("  {value:.8}, and an eigenvalue within {residual:.1e}");
    }
    let stiff = (&Identity::new(space)? + &membrane).build()?;
    let log = LogDet::default().of_on(&stiff, &*on)?;
    println!("  ln det (1 + L) = {:.3}, give or take {:.3}", log.value, log.error);
    Ok(())
}
