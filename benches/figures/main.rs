//! The figures of `docs/benchmarks.md`: every operator in both directions, and the solvers.
//!
//! ```text
//! cargo bench --bench figures -- cuda:0 64m [NAME-PART|NAME-PART ...]
//! ```
//!
//! Sizes are `64m` (8000 x 8000), `odd` (7919 x 8191), `odd3` (257 x 389 x 641), `1m` (1000 x 1000), `tiny` (64 x 64, which shows
//! what a call costs) and any others (`4096x16385`). Rows along an axis that is not there are left out.
//! Prints CSV with the columns and names of the peers' script, then the bytes that the verbs of each direction read and
//! write: median over 5 batches of back-to-back applications, the host waiting once at the end of a batch. Outputs and
//! workspaces are allocated once. `cargo xtask bench` makes a table of it.

mod rows;
mod setting;

use arrayspan::operators::{LinearMap, Workspace};
use arrayspan::prelude::*;

use rows::{OPERATORS, convolution, laplacian, poststack};
use setting::Setting;

type Failure = Box<dyn std::error::Error>;

/// All rows, also behind one that fails.
fn operators(s: &Setting, part: &str) -> Result<(), Failure> {
    let mut failed = None;
    let wanted = |name: &str| named(name, part) && s.has_axis(name);
    for (name, make) in OPERATORS.iter().filter(|(name, _)| wanted(name)) {
        if let Err(failure) = make(s).and_then(|a| operator(s, name, &a)) {
            eprintln!("{name}: {failure}");
            failed = Some(failure);
        }
    }
    failed.map_or(Ok(()), Err)
}

/// Whether a name has one of the parts that `|` divides.
fn named(name: &str, parts: &str) -> bool {
    parts.split('|').any(|part| name.contains(part))
}

fn operator(s: &Setting, name: &str, a: &Operator) -> Result<(), Failure> {
    let on = on(s.device)?;
    let devices = a.devices().unwrap_or(Devices::both(s.device));
    let mut x = s.vector(a.domain(), 3)?.into_device(devices.domain)?.0;
    let mut y = s.vector(a.range(), 4)?.into_device(devices.range)?.0;
    let mut workspace = Workspace::of(a, &*on)?;
    let set = Update::set();
    let forward = s.time(s.repetitions, || {
        Ok(a.apply_with(&mut workspace, &*on, x.view(), y.view_mut(), set)?)
    })?;
    let adjoint = s.time(s.repetitions, || {
        Ok(a.apply_adjoint_with(&mut workspace, &*on, y.view(), x.view_mut(), set)?)
    })?;
    // What the verbs move is counted once, apart from the timing.
    let trace = Trace::of(on);
    a.apply_with(&mut workspace, &trace, x.view(), y.view_mut(), set)?;
    let forward_bytes = moved(&trace);
    a.apply_adjoint_with(&mut workspace, &trace, y.view(), x.view_mut(), set)?;
    s.row(name, [forward, adjoint], [forward_bytes, moved(&trace)]);
    Ok(())
}

/// Bytes read and written since the last call of this.
fn moved(trace: &Trace) -> usize {
    let cost = trace.take();
    cost.bytes_read + cost.bytes_written
}

/// 50 iterations of CGLS on post-stack data, alone and stacked with a Laplacian, of LSQR, of CG on the normal equations of a filter,
/// and of FISTA on the filter.
fn solvers(s: &Setting, part: &str) -> Result<(), Failure> {
    let on = on(s.device)?;
    let stacked = vstack([poststack(s)?, laplacian(s)?])?;
    let problems = [("cgls50_poststack", poststack(s)?), ("reginv50_poststack", stacked)];
    for (name, a) in problems.into_iter().filter(|(name, _)| named(name, part)) {
        let solver = Cgls { stop: Stop::after(50), check_every: 50, ..Cgls::default() };
        solve(s, &*on, name, &solver, &a)?;
    }
    if named("lsqr50_poststack", part) {
        let solver = Lsqr { stop: Stop::after(50), check_every: 50, ..Lsqr::default() };
        solve(s, &*on, "lsqr50_poststack", &solver, &poststack(s)?)?;
    }
    if named("cg50_normal", part) {
        let solver = Cg { stop: Stop::after(50), check_every: 50, ..Cg::default() };
        let filter = convolution(s)?;
        solve(s, &*on, "cg50_normal", &solver, &adjoint(&filter).after(&filter).build()?)?;
    }
    if named("fista50_deconv", part) {
        let sparsity = Sparsity { weight: 0.1, ..Sparsity::default() };
        let stop = Stop::after(50);
        let solver = Fista { sparsity, step: Some(0.1), stop, check_every: 50, ..Fista::default() };
        solve(s, &*on, "fista50_deconv", &solver, &convolution(s)?)?;
    }
    Ok(())
}

fn solve(
    s: &Setting,
    on: &dyn Executor,
    name: &str,
    solver: &impl Solver,
    a: &Operator,
) -> Result<(), Failure> {
    let y = a.forward(&s.array(&s.shape, 5)?)?;
    let mut workspace = solver.workspace(a, on)?;
    let time = s.time(1, || {
        solver.solve_in(&mut workspace, on, a, y.view(), None, &mut ())?;
        Ok(())
    })?;
    s.row(name, [time, f64::NAN], [0, 0]);
    Ok(())
}

fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let word = |at: usize, default: &str| words.get(at).map_or(default, String::as_str).to_string();
    let (device, size, part) = (word(0, "cpu").parse::<Device>()?, word(1, "1m"), word(2, ""));
    let shape = match size.as_str() {
        "64m" => vec![8000, 8000],
        "odd" => vec![7919, 8191],
        "odd3" => vec![257, 389, 641],
        "tiny" => vec![64, 64],
        "1m" => vec![1000, 1000],
        other => other.split('x').map(str::parse).collect::<Result<_, _>>()?,
    };
    let repetitions = if device.is_cpu() { 3 } else { 50 };
    let mut setting = Setting { device, size, shape, repetitions };
    println!("name,size,forward_ms,adjoint_ms");
    let (from, mut to) = (setting.array(&setting.shape, 6)?, setting.array(&setting.shape, 7)?);
    let executor = on(device)?;
    let copy = setting
        .time(repetitions, || Ok(executor.copy(from.view(), to.view_mut(), Update::set())?))?;
    let bytes = from.view().layout().len() * 8;
    setting.row("copy", [copy, copy], [bytes, bytes]);
    drop((from, to));
    let operators = operators(&setting, &part);
    if setting.size == "64m" {
        setting.shape = vec![4000, 4000];
    }
    solvers(&setting, &part)?;
    operators
}
