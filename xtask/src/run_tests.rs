//! Runs every test program, several at a time.
//!
//! Cargo runs one after the other, and in each `PoCL` compiles one kernel at a time, so that all cores but one would
//! be idle for most of the time.

use std::fs;
use std::process::Command;
use std::sync::Mutex;
use std::thread;

use crate::Result;
use crate::environment::Environment;
use crate::libtorch;
use crate::process::{Stream, cargo, lines, run as show};
use crate::programs::{Program, built, built_by};
use crate::report::Report;

/// Every test and documentation example; example programs are built. Whether all pass.
pub(crate) fn all(environment: &Environment, report: &mut Report) -> Result<bool> {
    let programs = built(&["test", "--workspace", "--no-run"], |_| true)?;
    let examples = cargo(&["test", "--workspace", "--doc", "--no-fail-fast"]);
    run(programs, examples, environment, report)
}

/// What only the feature `torch` has, in an environment with libtorch. Whether all pass.
pub(crate) fn torch(environment: &Environment, report: &mut Report) -> Result<bool> {
    let tests = ["test", "--lib", "--test", "*torch*", "--no-run"];
    let programs = built_by(&mut libtorch::command(environment, &tests), |_| true)?;
    let examples = libtorch::command(environment, &["test", "--doc", "--no-fail-fast"]);
    let passed = run(programs, examples, environment, report)?;
    let example = ["build", "--example", "torch_operator"];
    let example =
        built_by(&mut libtorch::command(environment, &example), |kind| kind == "example")?;
    let small = |program: &Program| {
        let mut command = Command::new(&program.path);
        show(environment.apply(command.args(["--size", "128"]))).is_ok()
    };
    Ok(passed && example.iter().all(small))
}

/// The programs that work with devices, once more, in another environment. Whether all pass.
pub(crate) fn again(
    environment: &Environment,
    wanted: impl Fn(&Program) -> bool,
    report: &mut Report,
) -> Result<bool> {
    let mut programs = built(&["test", "--workspace", "--no-run"], |_| true)?;
    programs.retain(wanted);
    all_of(programs, environment, report)
}

/// Runs programs, then the examples of the documentation.
fn run(
    programs: Vec<Program>,
    mut examples: Command,
    environment: &Environment,
    report: &mut Report,
) -> Result<bool> {
    let passed = all_of(programs, environment, report)?;
    let documented = lines(environment.apply(&mut examples), |stream, line| {
        let shown = match stream {
            Stream::Output => report.take(line),
            Stream::Errors => report.take_error(line),
        };
        if shown {
            println!("{line}");
        }
    })?;
    Ok(passed && documented)
}

/// Runs programs; whether all of their tests pass.
fn all_of(
    mut programs: Vec<Program>,
    environment: &Environment,
    report: &mut Report,
) -> Result<bool> {
    // Examples, and programs that tests call, are built too.
    programs.retain(|program| program.tests);
    // The largest run longest; they are taken from the end.
    programs.sort_by_key(|program| fs::metadata(&program.path).map_or(0, |file| file.len()));
    let queue = Mutex::new(programs);
    let shared = Mutex::new((report, true));
    let work = || {
        while let Some(program) = queue.lock().ok().and_then(|mut queue| queue.pop()) {
            let passed = one(&program, environment, &shared);
            if let Ok(mut shared) = shared.lock() {
                shared.1 &= passed;
            }
        }
    };
    // A program waits for compilers and devices half of its time, so few are enough.
    let workers = thread::available_parallelism().map_or(1, usize::from).min(4);
    thread::scope(|scope| (0..workers).for_each(|_| drop(scope.spawn(work))));

    let (_, passed) = shared.into_inner().map_err(|_| "a worker panicked")?;
    Ok(passed)
}

/// Runs one program as cargo would, then takes its output into the report. Output of tests that pass is asked
/// for, because they say there what they skip.
fn one(program: &Program, environment: &Environment, report: &Mutex<(&mut Report, bool)>) -> bool {
    let mut command = Command::new(&program.path);
    command.arg("--show-output").current_dir(&program.package);
    command.env("CARGO_MANIFEST_DIR", &program.package);
    let name = &program.name;
    let output = match environment.apply(&mut command).output() {
        Ok(output) => output,
        Err(error) => {
            eprintln!("{name}: {error}");
            return false;
        }
    };
    let Ok(mut report) = report.lock() else { return false };
    println!("{name}");
    report.0.begin();
    for line in String::from_utf8_lossy(&output.stderr).lines() {
        if report.0.take_error(line) {
            eprintln!("{line}");
        }
    }
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        if report.0.take(line) {
            println!("{line}");
        }
    }
    if !output.status.success() {
        println!("{name}: {}", output.status);
    }
    output.status.success()
}
