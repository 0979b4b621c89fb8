//! What a call costs, beside the work itself: the section "Calls" of `docs/benchmarks.md`.
//!
//! ```text
//! cargo bench --bench calls -- cuda:0
//! ```
//!
//! Arrays are so small that their elements take next to no time. Prints CSV: microseconds of one call, the median over 5
//! batches of back-to-back calls, the host waiting once at the end of a batch; `first_cgls` is the time of a single run, as
//! long as the caches hold no kernel of it.

use std::time::Instant;

use arrayspan::operators::{LinearMap, Workspace};
use arrayspan::prelude::*;

type Failure = Box<dyn std::error::Error>;

/// Microseconds of one call.
fn time(
    stream: &Stream,
    calls: usize,
    mut call: impl FnMut() -> Result<(), Failure>,
) -> Result<f64, Failure> {
    for _ in 0..10 {
        call()?;
    }
    stream.synchronize()?;
    let mut batches = Vec::new();
    for _ in 0..5 {
        let begin = Instant::now();
        for _ in 0..calls {
            call()?;
        }
        stream.synchronize()?;
        batches.push(begin.elapsed().as_secs_f64() * 1e6 / calls as f64);
    }
    batches.sort_by(f64::total_cmp);
    Ok(batches[2])
}

fn array(device: Device, shape: &[usize]) -> Result<Array, Failure> {
    let len = shape.iter().product();
    let values: Vec<f32> = (0..len).map(|i| ((i * 37 % 101) as f32) / 101.0).collect();
    Ok(Array::from_slice(&values, shape)?.into_device(device)?.0)
}

fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let device: Device = words.first().map_or("cpu", String::as_str).parse()?;
    let stream = device.stream()?;
    println!("name,forward_us,apply_with_us");

    let space = Space::new([1000, 1000], DType::Float32)?;
    let model = PoststackLinearModelling::new(space, &[-0.5, 1.0, -0.5], Scheme::Centered3)?;
    let y = array(device, &[1000, 1000])?;
    let begin = Instant::now();
    Cgls { stop: Stop::after(10), ..Cgls::default() }.solve(&model, &y)?;
    stream.synchronize()?;
    println!("first_cgls,{:.0},", begin.elapsed().as_secs_f64() * 1e6);

    let line = Space::new([1000], DType::Float32)?;
    let long = Space::new([1009, 8], DType::Float32)?;
    let taps: Vec<f64> = (0..601).map(|tap| 1.0 / (1.0 + f64::from(tap))).collect();
    let matrix = array(device, &[64, 64])?.into_shared();
    let slope = FirstDerivative::new(line.clone(), 0, 1.0, Scheme::Centered3, Edge::Zero)?;
    let operators = [
        ("identity_1000", Identity::new(line)?),
        ("sum_of_3_in_1_pass_1000", (&slope + 2.0 * slope.after(&slope) + &slope).build()?),
        ("first_derivative_1000", slope),
        ("matrix_mult_64x64", MatrixMult::new(matrix, &[64])?),
        ("convolve1d_601_taps", Convolve1D::new(long, 0, &taps, 300)?),
    ];
    let executor = on(device)?;
    for (name, a) in operators {
        let x = array(device, a.domain().shape())?;
        let mut y = array(device, a.range().shape())?;
        let forward = time(&stream, 2000, || {
            a.forward(&x)?;
            Ok(())
        })?;
        let mut workspace = Workspace::of(&a, &*executor)?;
        let apply = time(&stream, 2000, || {
            Ok(a.apply_with(&mut workspace, &*executor, x.view(), y.view_mut(), Update::set())?)
        })?;
        println!("{name},{forward:.2},{apply:.2}");
    }
    Ok(())
}
