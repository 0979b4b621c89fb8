//! What the example programs print when they fail.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// An example program, which `cargo test` builds beside the tests unless it is asked for one test alone.
fn example(name: &str) -> Option<PathBuf> {
    let own = env::current_exe().unwrap();
    let folder = own.ancestors().nth(2).map(|profile| profile.join("examples")).unwrap();
    let program = folder.join(format!("{name}{}", env::consts::EXE_SUFFIX));
    if let Some(cargo) = env::var_os("CARGO")
        && !program.exists()
    {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        let arguments = ["build", "--quiet", "--example", name, "--manifest-path"];
        assert!(Command::new(cargo).args(arguments).arg(manifest).status().unwrap().success());
    }
    program.exists().then_some(program)
}

/// What it prints on standard error when it fails.
fn failure(name: &str, arguments: &[&str]) -> Option<String> {
    let Some(program) = example(name) else {
        println!("skipped: no example programs beside the tests");
        return None;
    };
    let ended = Command::new(program).args(arguments).output().unwrap();
    assert!(!ended.status.success(), "{name} {arguments:?} did not fail");
    Some(String::from_utf8(ended.stderr).unwrap())
}

#[test]
fn a_size_that_cannot_be_addressed_is_one_readable_line() {
    let arguments = ["--devices", "cpu", "--side", "99999999999"];
    let Some(printed) = failure("data_parallel", &arguments) else { return };
    let shape = "[99999999999, 99999999999]";
    let expected =
        format!("Error: Space: Float32 {shape} takes more bytes than can be addressed\n");
    assert_eq!(printed, expected);
}

#[test]
fn a_device_that_does_not_exist_is_one_readable_line() {
    let Some(printed) = failure("beyond_memory", &["--device", "cpu:7"]) else { return };
    assert!(printed.starts_with("Error: "), "{printed}");
    assert!(printed.contains("cpu:7") && !printed.contains('{'), "{printed}");
    assert_eq!(printed.lines().count(), 1, "{printed}");
}

#[test]
fn a_job_beyond_memory_wants_a_device_beside_the_cpu() {
    let Some(printed) = failure("beyond_memory", &["--device", "cpu", "--limit", "2MiB"]) else {
        return;
    };
    assert!(printed.contains("beside it") && printed.lines().count() == 1, "{printed}");
}
