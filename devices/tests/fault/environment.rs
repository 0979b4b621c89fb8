//! The environment's faults, which are read once in a process: each question goes to a fresh one.

use std::process::{Command, Output};

use arrayspan_devices::{Device, Error, Memory, fault};

fn ask(faults: &str, coverage: &str) -> Output {
    let own = std::env::current_exe().expect("this program has a path");
    let mut child = Command::new(own);
    child.args(["--exact", "environment::allocates_five_times", "--ignored", "--nocapture"]);
    child.env("ARRAYSPAN_FAULTS", faults).env("ARRAYSPAN_COVERAGE", coverage);
    child.output().expect("it runs")
}

/// What it says on each of its outputs.
fn said(faults: &str, coverage: &str) -> (String, String) {
    let child = ask(faults, coverage);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&child.stdout), text(&child.stderr))
}

#[test]
fn a_program_fails_as_its_environment_says() {
    let (out, told) = said("allocation:skip=1,count=2,class=lost,device=cpu", "");
    assert!(out.contains("true false false true true"), "{out}");
    assert!(out.contains("read: Ok"), "{out}");
    assert!(told.is_empty(), "{told}");
    let (out, _) = said("allocation:every=2,class=driver;copy:every=1", "0");
    assert!(out.contains("true false true false true"), "{out}");
    let (out, _) = said("", "");
    assert!(out.contains("true true true true true"), "{out}");
}

#[test]
fn text_that_means_nothing_is_told_once_and_nothing_is_injected() {
    let (out, told) = said("allocation:every=1,class=lost;lunch:every=2", "maybe");
    assert!(out.contains("true true true true true"), "{out}");
    assert!(out.contains("read: Err") && out.contains("'lunch:every=2'"), "{out}");
    assert_eq!(told.matches("ARRAYSPAN_FAULTS").count(), 1, "{told}");
    assert_eq!(told.matches("ARRAYSPAN_COVERAGE is 0 or 1, not 'maybe'").count(), 1, "{told}");
}

#[test]
fn places_that_allocate_outside_of_retry_scopes_are_told_once_each() {
    let (_, told) = said("", "1");
    assert_eq!(told.matches("outside of any retry scope").count(), 1, "{told}");
    assert!(told.contains("environment.rs:") && told.contains("10 bytes"), "{told}");
}

#[test]
#[ignore = "run by the tests above in a process of its own"]
fn allocates_five_times() {
    let stream = Device::cpu().stream().unwrap();
    let works: Vec<String> =
        (0..5).map(|_| Memory::allocate(10, &stream).is_ok().to_string()).collect();
    println!("{}", works.join(" "));
    match fault::environment() {
        Ok(faults) => println!("read: Ok, {} faults", faults.len()),
        Err(error @ Error::Setting { .. }) => println!("read: Err, {error}"),
        Err(other) => panic!("{other}"),
    }
}
