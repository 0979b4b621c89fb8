//! What an iteration of a solver costs, and what a run costs beside its iterations.
//!
//! ```text
//! cargo bench --bench iterations -- cuda:0 100x100 1000x1000
//! ```
//!
//! Runs of 2 to 400 iterations on post-stack data, with one check at their end, in a workspace that is there: microseconds of
//! a run, the median of batches. What is beside iterations is the run of two; an iteration is the slope from 50 on.

#[path = "figures/setting.rs"]
#[allow(dead_code, reason = "what the figures need beside")]
mod setting;

use arrayspan::prelude::*;
use setting::Setting;

type Failure = Box<dyn std::error::Error>;

const RUNS: [usize; 5] = [2, 10, 50, 200, 400];

fn poststack(s: &Setting) -> Result<Operator, Failure> {
    let value = |i: i32| {
        let a = (std::f64::consts::PI * 20.0 * 0.004 * f64::from(i)).powi(2);
        (1.0 - 2.0 * a) * (-a).exp()
    };
    let wavelet: Vec<f64> = (-20..=20).map(value).collect();
    Ok(PoststackLinearModelling::new(s.space()?, &wavelet, Scheme::Centered3)?)
}

fn row(s: &Setting, a: &Operator, name: &str, run: impl Fn(usize) -> f64) {
    let times = RUNS.map(run);
    let slope = (times[4] - times[2]) / (RUNS[4] - RUNS[2]) as f64;
    let all: Vec<String> = times.iter().map(|time| format!("{time:9.0}")).collect();
    println!("{name:6} {:12} {} {slope:10.1}   {}", s.size, all.join(" "), a.domain());
}

fn time(s: &Setting, a: &Operator, y: &Array, solver: &impl Solver) -> f64 {
    let timed = || -> Result<f64, Failure> {
        let on = on(s.device)?;
        let mut workspace = solver.workspace(a, &*on)?;
        s.time(s.repetitions, || {
            solver.solve_in(&mut workspace, &*on, a, y.view(), None, &mut ())?;
            Ok(())
        })
    };
    timed().map_or(f64::NAN, |time| time * 1e3)
}

fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let device = words.first().map_or("cpu", String::as_str).parse::<Device>()?;
    println!(
        "{:6} {:12} {}  an iteration, us",
        "",
        "us, of",
        RUNS.map(|n| format!("{n:9}")).join(" ")
    );
    for size in words.get(1..).unwrap_or_default() {
        let shape = size.split('x').map(str::parse).collect::<Result<Vec<usize>, _>>()?;
        let repetitions = if device.is_cpu() { 3 } else { 20 };
        let s = Setting { device, size: size.clone(), shape, repetitions };
        let a = poststack(&s)?;
        let y = a.forward(&s.array(&s.shape, 5)?)?;
        let stop = Stop::after;
        row(&s, &a, "Cgls", |n| {
            time(&s, &a, &y, &Cgls { stop: stop(n), check_every: n, ..Cgls::default() })
        });
        row(&s, &a, "Lsqr", |n| {
            time(&s, &a, &y, &Lsqr { stop: stop(n), check_every: n, ..Lsqr::default() })
        });
    }
    Ok(())
}
