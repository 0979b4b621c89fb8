//! Runs test programs, several processes at a time.
//!
//! Cargo runs one program after the other, and in each `PoCL` compiles one kernel at a time, so that all cores but one
//! would be idle for most of the time.

use std::fs;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use crate::Result;
use crate::durations::Durations;
use crate::environment::Environment;
use crate::only::{self, Targets};
use crate::optimisation;
use crate::process::{Stream, cargo, lines, output};
use crate::programs::{Program, built, built_by};
use crate::report::Report;
use crate::shards::{Shard, listed, shards};

/// A program that runs one test at a time, because it tells what each of them costs.
const ONE_AT_A_TIME: &str = "conformance-conformance";

/// What ran, and for how long.
#[derive(Debug, Default)]
pub(crate) struct Ran {
    pub(crate) passed: bool,
    pub(crate) parts: Vec<(String, Duration)>,
}

/// Where tests find the example programs. Without it they have cargo build those they need.
const EXAMPLES: &str = "ARRAYSPAN_EXAMPLES";

/// Builds every test program. The example programs are built with them, and tests are told where these are.
pub(crate) fn build(environment: &mut Environment) -> Result<Vec<Arc<Program>>> {
    let mut programs = built(&["test", "--workspace", "--no-run"], |_| true)?;
    let example = programs.iter().find(|program| program.kind == "example");
    if let Some(folder) = example.and_then(|example| example.path.parent()) {
        environment.set(EXAMPLES, folder);
    }
    // Programs that tests call are built as well.
    programs.retain(|program| program.tests);
    Ok(programs.into_iter().map(Arc::new).collect())
}

/// Builds test programs by their names, as if all were built: another choice of packages would have other features.
pub(crate) fn build_some(targets: &Targets) -> Result<Vec<Arc<Program>>> {
    let mut build = cargo(&["test", "--workspace", "--no-run"]);
    for target in &targets.tests {
        build.args(["--test", target]);
    }
    if targets.libraries {
        build.args(["--lib", "--bins"]);
    }
    let programs = built_by(&mut build, |_| true)?;
    Ok(programs.into_iter().filter(|program| program.tests).map(Arc::new).collect())
}

/// The examples in the documentation, of the workspace or as `command` says. Whether all pass.
pub(crate) fn examples(
    command: Option<Command>,
    environment: &Environment,
    report: &mut Report,
) -> Result<bool> {
    let workspace = || cargo(&["test", "--workspace", "--doc", "--no-fail-fast"]);
    let mut examples = command.unwrap_or_else(workspace);
    report.begin();
    lines(environment.apply(&mut examples), |stream, line| {
        let shown = match stream {
            Stream::Output => report.take(line),
            Stream::Errors => report.take_error(line),
        };
        if shown {
            println!("{line}");
        }
    })
}

/// The tests of programs in shards: all of them, or those that are called `wanted`.
pub(crate) fn dealt(
    programs: &[Arc<Program>],
    wanted: Option<&str>,
    environment: &Environment,
) -> Result<Vec<Shard>> {
    let mut all = Vec::new();
    for program in programs {
        let mut list = Command::new(&program.path);
        list.args(["--list", "--format", "terse"]).current_dir(&program.package);
        let mut tests = listed(&output(environment.apply(&mut list))?);
        let whole = wanted.is_none_or(|wanted| only::is_whole(&program.name, wanted));
        if !whole {
            tests.retain(|test| wanted.is_none_or(|wanted| test.contains(wanted)));
        }
        all.extend(shards(program, &tests, whole));
    }
    Ok(all)
}

/// Runs shards, those first that take longest.
pub(crate) fn run(
    mut shards: Vec<Shard>,
    environment: &Environment,
    report: &mut Report,
) -> Result<Ran> {
    let mut durations = Durations::read();
    let expected = |shard: &Shard| durations.expected(&shard.name, shard.weight);
    // Taken from the end.
    shards.sort_by(|a, b| expected(a).total_cmp(&expected(b)));
    let queue = Mutex::new(shards);
    let shared = Mutex::new((report, Ran { passed: true, parts: Vec::new() }));
    let work = || {
        while let Some(shard) = queue.lock().ok().and_then(|mut queue| queue.pop()) {
            let begin = Instant::now();
            let passed = one(&shard, environment, &shared);
            if let Ok(mut shared) = shared.lock() {
                shared.1.passed &= passed;
                shared.1.parts.push((shard.name, begin.elapsed()));
            }
        }
    };
    let workers = thread::available_parallelism().map_or(1, usize::from).min(8);
    thread::scope(|scope| (0..workers).for_each(|_| drop(scope.spawn(work))));

    let (_, ran) = shared.into_inner().map_err(|_| "a worker panicked")?;
    ran.parts.iter().for_each(|(name, time)| durations.set(name, *time));
    durations.write();
    Ok(ran)
}

/// Runs a shard as cargo would, then takes its output into the report. Output of tests that pass is asked for,
/// because they say there what they skip.
fn one(shard: &Shard, environment: &Environment, report: &Mutex<(&mut Report, Ran)>) -> bool {
    let Shard { program, name, tests, .. } = shard;
    let mut command = Command::new(&program.path);
    command.arg("--show-output").current_dir(&program.package);
    if !tests.is_empty() {
        command.arg("--exact").args(tests);
    }
    if program.name == ONE_AT_A_TIME {
        command.arg("--test-threads=1");
    }
    command.env("CARGO_MANIFEST_DIR", &program.package);
    let environment = optimisation::of(&program.name, environment);
    if let Some(folder) = environment.value("POCL_CACHE_DIR") {
        // PoCL says itself what is wrong with it.
        let _ = fs::create_dir_all(folder);
    }
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
