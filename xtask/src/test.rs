//! `cargo xtask test`: everything that has to hold before a change is taken.

use std::process::Command;
use std::sync::Arc;

use crate::environment::Environment;
use crate::process::{cargo, run as show, succeeds};
use crate::programs::Program;
use crate::report::Report;
use crate::run_tests::{self, Ran};
use crate::speed::Speed;
use crate::steps::Steps;
use crate::{
    Result, catalogue, circles, docstrings, faults, features, fuzz, interop, libtorch, links,
    memcheck, miri, only, package, platforms, pylops_tests, python_package, python_wheel, sample,
    setup, torch,
};

/// What is tested.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Arguments {
    /// Everything: on OpenCL too every case in every dtype, both settings of failures, lints of the feature `torch`,
    /// all of the bridge under valgrind, Miri and the fuzzer
    #[arg(long)]
    full: bool,
    /// Only tests whose program (kernels-verbs), package or name contains this, without lints, documentation,
    /// failures on purpose and checkers
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
}

/// What needs a nightly compiler, and is set up by this command: its name, what is missing, and the step.
type Checker = (&'static str, fn() -> Result<(), String>, fn() -> Result);

const CHECKERS: [Checker; 3] = [
    ("miri", miri::available, miri::run),
    ("fuzz", fuzz::available, fuzz::briefly),
    ("wheel", python_wheel::available, python_wheel::run),
];

/// Runs every step, also after one fails, and sums up.
pub(crate) fn run(arguments: &Arguments) -> Result {
    let mut steps = Steps::begin();
    let mut speed = Speed::default();
    let mut report = Report::default();
    let mut environment = Environment::default();
    steps.run("setup", || {
        environment = setup::run()?;
        sample::choose(&mut environment, arguments.full);
        Ok(true)
    });
    if let Some(name) = &arguments.only {
        some(name, &mut steps, &environment, &mut report)?;
    } else {
        speed.measure();
        everything(arguments.full, &mut steps, &mut environment, &mut report);
        speed.measure();
    }
    print!("{}{}", steps.table(), report.spent.table());
    summary(&report, &environment);
    let total = steps.total(speed.slowness());
    println!("{}", total.as_ref().unwrap_or_else(|over| over));
    let over = if arguments.full { Vec::new() } else { report.spent.over() };
    for line in &over {
        eprintln!("error: {line}");
    }
    if !steps.passed() {
        Err("not everything passed".into())
    } else if !over.is_empty() {
        Err("an operator is over its budget".into())
    } else if total.is_err() && !arguments.full {
        Err("all of it is over the budget".into())
    } else {
        Ok(())
    }
}

fn everything(full: bool, steps: &mut Steps, environment: &mut Environment, report: &mut Report) {
    lints(full, steps, environment, report);
    let mut torch = Err(String::new());
    steps.run("libtorch", || {
        torch = libtorch::set_up(environment).map_err(|error| libtorch::missing(&*error));
        Ok(true)
    });
    if let Err(missing) = &torch {
        environment.missing.push(missing.clone());
    }
    if let Ok(torch) = &mut torch {
        sample::choose(torch, full);
    }
    let mut programs: Vec<Arc<Program>> = Vec::new();
    steps.run("build", || {
        programs = run_tests::build(environment)?;
        Ok(true)
    });
    let environment = &*environment;
    // C++ keeps one core busy, tests the other; cargo waits for itself where it must.
    let building = torch.as_ref().ok().cloned();
    let building = building.map(|torch| std::thread::spawn(move || torch::build(&torch, full)));
    parts(steps, "tests", || {
        run_tests::run(run_tests::dealt(&programs, None, environment)?, environment, report)
    });
    let mut failing = Report::default();
    parts(steps, "faults", || faults::all(&programs, environment, full, &mut failing));
    report.skipped_steps.append(&mut failing.skipped_steps);
    steps.run("examples", || run_tests::examples(None, environment, report));
    if let (Ok(torch), Some(building)) = (&torch, building) {
        parts(steps, "torch", || {
            let built = building.join().map_err(|_| "the build of torch panicked")?;
            torch::run(torch, &built?, full, report)
        });
        if full {
            steps.run("torch lints", || torch::lints(torch).map(|()| true));
        } else {
            report.skip_step("torch lints", "run only with --full");
        }
    }
    steps.run("interop", || interop::all(environment, report));
    steps.run("python", || python_package::all(environment, report));
    steps.run("pylops-tests", || pylops_tests::all(environment, report));
    match memcheck::available() {
        Ok(()) => parts(steps, "memcheck", || memcheck::all(&programs, full, report)),
        Err(why) => report.skip_step("memcheck", &why),
    }
    for (name, available, run) in CHECKERS {
        if !full {
            report.skip_step(name, "runs only with --full, where it sets itself up");
            continue;
        }
        match available() {
            Ok(()) => steps.run(name, || run().map(|()| true)),
            Err(why) => report.skip_step(name, &why),
        }
    }
}

/// What needs no tests to run.
fn lints(full: bool, steps: &mut Steps, environment: &Environment, report: &mut Report) {
    let clippy = ["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];
    let doc = ["doc", "--workspace", "--no-deps"];
    steps.run("format", || show(&mut cargo(&["fmt", "--all", "--check"])).map(|()| true));
    steps.run("lints", || show(&mut cargo(&clippy)).map(|()| true));
    steps.run("features", || features::check(environment, report).map(|()| true));
    steps.run("documentation", || {
        show(cargo(&doc).env("RUSTDOCFLAGS", "-D warnings")).map(|()| true)
    });
    steps.run("catalogue", || Ok(catalogue::check()? & docstrings::check()?));
    steps.run("circles", circles::check);
    steps.run("links", links::check);
    steps.run("packages", || package::check(full));
    if !full {
        report.skip_step("packages", "what is packed is built only with --full");
    }
    for (at, platform) in platforms::PLATFORMS.into_iter().enumerate() {
        if !sample::has(environment, at, platforms::PLATFORMS.len() as u64) {
            report.skip_step(
                platform,
                "each commit is checked for one platform, by its seed; for all with --full",
            );
            continue;
        }
        match platforms::available(platform) {
            Ok(()) => steps.run(platform, || platforms::check(platform).map(|()| true)),
            Err(why) => report.skip_step(platform, &why),
        }
    }
    if succeeds(&mut cargo(&["deny", "--version"])) {
        let deny = ["deny", "check", "bans", "licenses", "sources"];
        steps.run("licences", || show(&mut cargo(&deny)).map(|()| true));
    } else {
        report.skip_step("licences", "no cargo-deny (cargo install cargo-deny)");
    }
    if succeeds(Command::new("typos").arg("--version")) {
        steps.run("spelling", || show(&mut Command::new("typos")).map(|()| true));
    } else {
        report.skip_step("spelling", "no typos (cargo install typos-cli)");
    }
}

/// What is called `name`.
fn some(name: &str, steps: &mut Steps, environment: &Environment, report: &mut Report) -> Result {
    let targets = only::targets(name)?;
    let mut found = 0;
    if !targets.tests.is_empty() || targets.libraries {
        parts(steps, "tests", || {
            let programs = run_tests::build_some(&targets)?;
            let shards = run_tests::dealt(&programs, Some(name), environment)?;
            found += shards.len();
            run_tests::run(shards, environment, report)
        });
    }
    if !targets.torch.is_empty() {
        parts(steps, "torch", || {
            let mut torch = libtorch::set_up(environment)?;
            sample::choose(&mut torch, false);
            let programs = torch::build_some(&torch, &targets.torch)?;
            let shards = run_tests::dealt(&programs, Some(name), &torch)?;
            found += shards.len();
            run_tests::run(shards, &torch, report)
        });
    }
    if found == 0 && steps.passed() {
        return Err(format!("no package, test program or test is called {name}").into());
    }
    Ok(())
}

/// A step that says what it is made of.
fn parts(steps: &mut Steps, name: &str, work: impl FnOnce() -> Result<Ran>) {
    let mut parts = Vec::new();
    steps.run(name, || {
        let ran = work()?;
        parts = ran.parts;
        Ok(ran.passed)
    });
    steps.add_parts(name, parts);
}

fn summary(report: &Report, environment: &Environment) {
    let skipped: usize = report.skipped.values().sum();
    println!(
        "\ntests: {} passed ({skipped} of them skipped what they could not run here), {} failed, {} ignored",
        report.passed, report.failed, report.ignored
    );
    for (reason, count) in &report.skipped {
        println!("skipped {count:>5}: {reason}");
    }
    for (step, why) in &report.skipped_steps {
        println!("skipped {step}: {why}");
    }
    for missing in &environment.missing {
        println!("not set up: {missing}");
    }
}
