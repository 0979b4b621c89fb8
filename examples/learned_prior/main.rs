//! Post-stack inversion by a network that is trained with the operator within: a few steps of gradient descent on the
//! misfit of the data, each followed by a small convolutional network that has learned what sections look like.
//!
//! ```text
//! cargo run --release --features torch --example learned_prior -- --model FILE.npz
//! ```
//!
//! Building needs libtorch 2.11: set `LIBTORCH` to its folder, and `LD_LIBRARY_PATH` to the `lib` in it. The network is trained
//! on the left part of the section and tried on the right part, which it has not seen, beside CGLS with a Laplacian.
#![allow(unreachable_pub, reason = "the modules of a program have no outside")]

mod arguments;
mod classical;
mod network;
#[path = "../poststack_inversion/picture.rs"]
mod picture;
#[path = "../poststack_inversion/section.rs"]
mod section;
#[path = "../poststack_inversion/survey.rs"]
mod survey;
mod tensors;
mod training;

use std::process::ExitCode;
use std::time::Instant;

use arrayspan::prelude::*;
use arrayspan::torch;
use arrayspan::torch::tch::no_grad;
use clap::Parser;
use ndarray::{Array2, s};

use arguments::Arguments;
use network::Unrolled;
use picture::Colours;
use training::Training;

/// Any failure, for one line on the screen.
type Failure = Box<dyn std::error::Error>;

/// Samples and traces of the generated section.
const GENERATED: (usize, usize) = (192, 256);
/// The part of the traces that the network is trained on.
const SEEN: f64 = 0.6;

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
    arguments.check()?;
    let section = match &arguments.model {
        Some(path) => section::read(path, &arguments.key)?,
        None => section::generate(GENERATED.0, GENERATED.1),
    };
    std::fs::create_dir_all(&arguments.out)
        .map_err(|error| format!("--out {}: {error}", arguments.out.display()))?;
    let device = arguments.device;
    let on = torch::device(device)?;
    println!("computing on {device}: {}", device.info().name);

    // What is looked for is how the logarithm of impedance differs from its smooth background.
    let background = survey::background(&section).mapv(f64::ln);
    let truth = section.mapv(f64::ln) - &background;
    let seen = (SEEN * section.ncols() as f64) as usize;
    let modelling = training::modelling(section.dim())?;
    let clean = modelling.torch().forward(&tensors::tensor(&truth, on))?;
    let clean = tensors::numbers(&clean)?;
    let data = &clean + &survey::noise(&clean, arguments.noise, arguments.seed);

    torch::tch::manual_seed(arguments.seed.cast_signed());
    let network = Unrolled::new(on);
    println!("{} parameters, trained on the traces 0 to {}", network.parameters(), seen - 1);
    let begin = Instant::now();
    let training = Training { arguments, truth: truth.slice(s![.., ..seen]), device: on };
    training.run(&network)?;
    println!("trained in {:.1} s", begin.elapsed().as_secs_f64());

    let function = modelling.torch();
    let found = no_grad(|| network.forward(&function, &tensors::tensor(&data, on)))?;
    let learned = tensors::numbers(&found)?;
    let classical = classical::invert(&modelling, &data, device)?;
    let unseen = |answer: &Array2<f64>| error(answer, &truth, seen);
    println!("error of the logarithm of impedance in the traces that the network has not seen:");
    println!("  background              1.000");
    println!("  CGLS with a Laplacian   {:.3}", unseen(&classical));
    println!("  network                 {:.3}", unseen(&learned));
    write_pictures(arguments, &section, &background, &data, [&classical, &learned])?;
    if unseen(&learned) < 1.0 {
        Ok(())
    } else {
        Err("the network is no better than the background".into())
    }
}

/// The difference in the traces from `seen` on, as a fraction of the truth.
fn error(answer: &Array2<f64>, truth: &Array2<f64>, seen: usize) -> f64 {
    let squares = |array: Array2<f64>| array.slice(s![.., seen..]).mapv(|x| x * x).sum();
    (squares(answer - truth) / squares(truth.clone())).sqrt()
}

fn write_pictures(
    arguments: &Arguments,
    section: &Array2<f64>,
    background: &Array2<f64>,
    data: &Array2<f64>,
    [classical, learned]: [&Array2<f64>; 2],
) -> Result<(), Failure> {
    let (low, high) = picture::range(section);
    let impedance = Colours::Viridis(low, high);
    let (least, most) = picture::range(data);
    let amplitude = Colours::Seismic(most.max(-least));
    let whole = |answer: &Array2<f64>| (answer + background).mapv(f64::exp);
    let (classical, learned) = (whole(classical), whole(learned));
    let noise = format!("Data with {} % noise", arguments.noise * 100.0);
    let pictures = [
        ("model.png", "True model", "impedance", section, impedance),
        ("data.png", &*noise, "amplitude", data, amplitude),
        ("cgls.png", "CGLS with a Laplacian", "impedance", &classical, impedance),
        ("network.png", "Network with the operator within", "impedance", &learned, impedance),
    ];
    for (name, title, unit, section, colours) in pictures {
        let path = arguments.out.join(name);
        picture::write(&path, title, unit, section, survey::STEP, colours)?;
        println!("wrote {}", path.display());
    }
    Ok(())
}
