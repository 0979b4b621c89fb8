//! Seismic post-stack inversion, from a section of impedance to data and back, on any device.
//!
//! ```text
//! cargo run --release --example poststack_inversion -- --help
//! ```
#![allow(unreachable_pub, reason = "the modules of a program have no outside")]

mod arguments;
mod inversion;
mod picture;
mod report;
mod section;
mod survey;

use std::process::ExitCode;

use arrayspan::prelude::*;
use ndarray::Array2;

use arguments::Arguments;
use inversion::Outcome;
use picture::Colours;

/// Samples and traces of the generated section.
const GENERATED: (usize, usize) = (400, 600);

/// Exit status for a request that cannot be carried out as it stands.
const BAD_REQUEST: u8 = 2;

fn main() -> ExitCode {
    let request = Arguments::read().and_then(|arguments| {
        let devices = arguments.devices()?;
        let section = match &arguments.model {
            Some(path) => section::read(path, &arguments.key)?,
            None => section::generate(GENERATED.0, GENERATED.1),
        };
        let folder = std::fs::create_dir_all(&arguments.out);
        folder.map_err(|error| format!("--out {}: {error}", arguments.out.display()))?;
        Ok((arguments, devices, section))
    });
    let (arguments, devices, section) = match request {
        Ok(request) => request,
        Err(line) => {
            eprintln!("error: {line}");
            return ExitCode::from(BAD_REQUEST);
        }
    };
    match run(&arguments, &devices, &section) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(
    arguments: &Arguments,
    devices: &[Device],
    section: &Array2<f64>,
) -> Result<(), Box<dyn std::error::Error>> {
    for device in devices {
        println!("computing on {device}: {}", device.info().name);
    }
    let truth = section.mapv(f64::ln);
    let background = survey::background(section).mapv(f64::ln);
    let clean = inversion::model_data(&truth, arguments.dtype, devices[0])?;
    let data = &clean + &survey::noise(&clean, arguments.noise, arguments.seed);
    let invert = |&device| inversion::invert(&data, &background, device, arguments);
    let outcomes: Vec<Outcome> = devices.iter().map(invert).collect::<Result<_, _>>()?;
    report::print(&outcomes, &truth, &background);
    write_pictures(arguments, section, &data, &outcomes[0])
}

fn write_pictures(
    arguments: &Arguments,
    section: &Array2<f64>,
    data: &Array2<f64>,
    outcome: &Outcome,
) -> Result<(), Box<dyn std::error::Error>> {
    let found = outcome.answer.mapv(f64::exp);
    let (low, high) = picture::range(section);
    let impedance = Colours::Viridis(low, high);
    let most = picture::range(data);
    let amplitude = Colours::Seismic(most.1.max(-most.0));
    let noise = arguments.noise * 100.0;
    let inversion = format!(
        "Inversion on {}: {} iterations, relative error {:.3}",
        outcome.device,
        outcome.iterations,
        report::model_error(&outcome.answer, &section.mapv(f64::ln)),
    );
    let pictures = [
        ("model.png", "True model".to_string(), "impedance", section, impedance),
        ("data.png", format!("Data with {noise} % noise"), "amplitude", data, amplitude),
        ("inversion.png", inversion, "impedance", &found, impedance),
    ];
    for (name, title, unit, section, colours) in pictures {
        let path = arguments.out.join(name);
        picture::write(&path, &title, unit, section, survey::STEP, colours)?;
        println!("wrote {}", path.display());
    }
    Ok(())
}
