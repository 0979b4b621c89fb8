//! `ARRAYSPAN_DISABLE`, which is read once in a process: each question goes to a fresh one.

use std::process::{Command, Output};

use arrayspan_devices::{Backend, monitor};

fn ask(list: &str) -> Output {
    let own = std::env::current_exe().expect("this program has a path");
    let mut child = Command::new(own);
    child.args(["--exact", "disable::reports_what_is_disabled", "--ignored", "--nocapture"]);
    child.env("ARRAYSPAN_DISABLE", list).output().expect("it runs")
}

#[test]
fn every_backend_can_be_disabled_and_says_so() {
    let child = ask("Torch , cuda,nvml,OPENCL");
    let out = String::from_utf8_lossy(&child.stdout);
    for name in ["cuda", "opencl", "nvml", "torch"] {
        let line = format!(
            "{name} is unavailable: disabled by ARRAYSPAN_DISABLE=Torch , cuda,nvml,OPENCL"
        );
        assert!(out.contains(&line), "{out}");
    }
    assert!(out.contains("sensors: nvml is unavailable: disabled"), "{out}");
    assert!(String::from_utf8_lossy(&child.stderr).is_empty(), "{child:?}");
}

#[test]
fn a_name_that_means_nothing_is_told_once_on_stderr() {
    let child = ask("cudda,torch");
    let (out, told) =
        (String::from_utf8_lossy(&child.stdout), String::from_utf8_lossy(&child.stderr));
    assert!(out.contains("torch is unavailable") && !out.contains("cuda is unavailable"), "{out}");
    assert_eq!(told.matches("'cudda'").count(), 1, "{told}");
    assert!(told.contains("cuda, opencl, nvml, torch"), "{told}");
}

#[test]
#[ignore = "run by the tests above in a process of its own"]
fn reports_what_is_disabled() {
    for backend in Backend::ALL {
        if let Err(error) = backend.enabled() {
            println!("{error}");
        }
    }
    if Backend::Nvml.enabled().is_err() {
        println!("sensors: {}", monitor::versions().unwrap_err());
    }
}
