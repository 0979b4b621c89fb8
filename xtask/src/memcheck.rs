//! `cargo xtask memcheck`: the bridge's tests on the CPU under valgrind, which needs no nightly compiler.

use std::process::Command;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Instant;

use crate::Result;
use crate::environment::Environment;
use crate::process::{run as show, succeeds};
use crate::programs::Program;
use crate::report::Report;
use crate::run_tests::{self, Ran};

/// Random tensors of each kind that a foreign array may be.
const CASES: &str = "4000";
/// Enough to meet each rule of an import some times.
const FEW_CASES: &str = "400";

/// Programs in which foreign memory changes hands. The others compute with layouts, which every other test does too.
const IN_SHORT: [&str; 3] = ["dlpack", "ndarrays", "convert_declared"];

/// valgrind, or what is missing.
pub(crate) fn available() -> Result<(), String> {
    if succeeds(Command::new("valgrind").arg("--version")) {
        Ok(())
    } else {
        Err("no valgrind (apt-get install valgrind)".into())
    }
}

/// Runs the step alone, with every program.
pub(crate) fn run() -> Result {
    available()?;
    let programs = run_tests::build(&mut Environment::default())?;
    let ran = all(&programs, true, &mut Report::default())?;
    if ran.passed { Ok(()) } else { Err("not everything passed".into()) }
}

/// Runs test programs that a foreign array passes through, several at a time. What is read before it is written,
/// beside the memory or after its end, and what is never given back, fails.
pub(crate) fn all(programs: &[Arc<Program>], full: bool, report: &mut Report) -> Result<Ran> {
    let wanted = programs.iter().filter(|program| on_the_cpu(&program.name, full));
    let queue = Mutex::new(wanted.collect::<Vec<_>>());
    let ran = Mutex::new(Ran { passed: true, parts: Vec::new() });
    let work = || {
        while let Some(program) = queue.lock().ok().and_then(|mut queue| queue.pop()) {
            let begin = Instant::now();
            let checked = check(program, full).map_err(|error| eprintln!("error: {error}"));
            if let Ok(mut ran) = ran.lock() {
                ran.passed &= checked.is_ok();
                ran.parts.push((program.name.clone(), begin.elapsed()));
            }
        }
    };
    let workers = thread::available_parallelism().map_or(1, usize::from).min(8);
    thread::scope(|scope| (0..workers).for_each(|_| drop(scope.spawn(work))));
    if !full {
        let why = format!(
            "views, layouts and {CASES} instead of {FEW_CASES} random tensors run only with --full"
        );
        report.skip_step("memcheck", &why);
    }
    let ran = ran.into_inner().map_err(|_| "a worker panicked")?;
    if ran.parts.is_empty() { Err("there is no program for valgrind".into()) } else { Ok(ran) }
}

/// Programs that have no device to test with would only say what they skip.
fn on_the_cpu(program: &str, full: bool) -> bool {
    let Some(own) = program.strip_prefix("bridge-") else { return false };
    let all = ["arrayspan_bridge", "dlpack", "views", "layouts", "ndarrays"];
    let begins = |names: &[&str]| names.iter().any(|name| own.starts_with(name));
    let wanted = begins(&IN_SHORT) || full && begins(&all);
    wanted && !["dlpack_cuda", "dlpack_docs"].contains(&own)
}

fn check(program: &Program, full: bool) -> Result {
    let mut command = Command::new("valgrind");
    command.args(["--quiet", "--error-exitcode=9", "--leak-check=full"]);
    command.args(["--show-leak-kinds=definite", "--errors-for-leak-kinds=definite"]);
    command.arg(&program.path).args(["--quiet", "--test-threads=1"]).current_dir(&program.package);
    // Drivers have their own ways with memory, and some thousands of random tensors are enough here.
    command.env("ARRAYSPAN_DISABLE", "cuda,opencl");
    show(command.env("PROPTEST_CASES", if full { CASES } else { FEW_CASES }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_foreign_memory_passes_through_is_always_checked() {
        for program in ["bridge-dlpack", "bridge-dlpack_random", "bridge-ndarrays"] {
            assert!(on_the_cpu(program, false) && on_the_cpu(program, true), "{program}");
        }
        for program in ["bridge-views", "bridge-arrayspan_bridge"] {
            assert!(!on_the_cpu(program, false) && on_the_cpu(program, true), "{program}");
        }
        for program in ["bridge-dlpack_cuda", "pipeline-crowd", "kernels-verbs"] {
            assert!(!on_the_cpu(program, true), "{program}");
        }
    }
}
