//! The command as a user runs it, on whatever machine this is.

use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use arrayspan_cli::{MachineReport, SCHEMA, State};
use serde_json::Value;

/// The command with these variables, or a line that says it is not here: test programs are also run on
/// machines that have built nothing.
fn run(arguments: &[&str], variables: &[(&str, &str)]) -> Option<Output> {
    let program = env!("CARGO_BIN_EXE_arrayspan");
    if !Path::new(program).exists() {
        eprintln!("skipped: the command arrayspan was not built here");
        return None;
    }
    let mut command = Command::new(program);
    command.args(arguments).envs(variables.iter().copied());
    Some(command.output().expect("it runs"))
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).expect("text")
}

fn report(variables: &[(&str, &str)]) -> Option<MachineReport> {
    let output = run(&["info", "--json"], variables)?;
    Some(serde_json::from_str(&text(&output)).expect("a report"))
}

/// The names of all fields of objects, by path; what lists hold is one path.
fn shape(value: &Value, path: &str, into: &mut Vec<String>) {
    match value {
        // The variables that are set are not a part of the shape.
        Value::Object(fields) if path != ".settings" => {
            for (name, value) in fields {
                into.push(format!("{path}.{name}"));
                shape(value, &format!("{path}.{name}"), into);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| shape(item, path, into)),
        _ => {}
    }
}

#[test]
fn the_json_of_this_machine_has_no_field_the_golden_one_lacks() {
    let Some(output) = run(&["info", "--json"], &[]) else { return };
    let here: Value = serde_json::from_str(&text(&output)).unwrap();
    let golden: Value = serde_json::from_str(include_str!("golden/info.json")).unwrap();
    let (mut found, mut known) = (Vec::new(), Vec::new());
    shape(&here, "", &mut found);
    shape(&golden, "", &mut known);
    for path in found {
        assert!(known.contains(&path), "{path} is new");
    }
    assert_eq!(here["schema"], SCHEMA);
}

#[test]
fn the_json_names_the_devices_this_process_sees() {
    let Some(report) = report(&[]) else { return };
    let names: Vec<String> = report.devices.into_iter().map(|device| device.name).collect();
    let own: Vec<String> =
        arrayspan_devices::Device::all().iter().map(ToString::to_string).collect();
    assert_eq!(names, own);
}

#[test]
fn the_text_names_every_device_and_driver() {
    let Some(output) = run(&["info"], &[]) else { return };
    let text = text(&output);
    for device in arrayspan_devices::Device::all() {
        assert!(text.contains(&format!("\n  {device}")), "{text}");
    }
    for driver in ["cuda", "opencl", "nvml", "torch"] {
        assert!(text.contains(&format!("\n  {driver}")), "{text}");
    }
}

#[test]
fn with_every_driver_disabled_the_cpu_is_left_and_the_status_is_0() {
    let all = [("ARRAYSPAN_DISABLE", "cuda,opencl,nvml,torch")];
    let Some(report) = report(&all) else { return };
    assert_eq!(report.devices.len(), 1);
    for backend in report.backends {
        assert_eq!(backend.state, State::Disabled);
        assert!(backend.why.unwrap().contains("disabled by ARRAYSPAN_DISABLE="));
    }
}

#[test]
fn a_misspelt_driver_is_told_in_the_report() {
    let Some(report) = report(&[("ARRAYSPAN_DISABLE", "cudda")]) else { return };
    assert_eq!(report.warnings.len(), 1);
    assert!(report.warnings[0].contains("'cudda'"), "{:?}", report.warnings);
}

#[test]
fn the_settings_that_are_set_are_told() {
    let Some(report) = report(&[("CUDA_VISIBLE_DEVICES", "0")]) else { return };
    assert_eq!(report.settings["CUDA_VISIBLE_DEVICES"], "0");
}

/// Opening a pipe that nobody writes to blocks for ever: a loader that hangs while it opens a driver.
#[cfg(unix)]
#[test]
fn a_driver_that_hangs_is_broken_and_the_others_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("libOpenCL.so");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let begun = Instant::now();
    let arguments = ["info", "--json", "--timeout", "2"];
    let variables = [("OPENCL_DYLIB_PATH", pipe.to_str().unwrap()), ("ARRAYSPAN_DISABLE", "")];
    let Some(output) = run(&arguments, &variables) else { return };
    assert!(begun.elapsed() < Duration::from_secs(60));
    let report: MachineReport = serde_json::from_str(&text(&output)).unwrap();
    let opencl = report.backends.iter().find(|backend| backend.name == "opencl").unwrap();
    assert_eq!(opencl.state, State::Broken, "{opencl:?}");
    assert!(opencl.why.as_ref().unwrap().contains("did not answer within 2 s"), "{opencl:?}");
    assert!(opencl.remedy.as_ref().unwrap().contains("ARRAYSPAN_DISABLE=opencl"), "{opencl:?}");
    for other in report.backends.iter().filter(|backend| backend.name != "opencl") {
        assert_ne!(other.state, State::Broken, "{other:?}");
    }
    assert_eq!(report.devices[0].name, "cpu");
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_is_no_library_is_named_in_the_words_of_the_loader() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("libcufft.so.12"), "not a library").unwrap();
    let folder = folder.path().to_str().unwrap();
    let variables = [("LD_LIBRARY_PATH", folder), ("ARRAYSPAN_DISABLE", "")];
    let Some(report) = report(&variables) else { return };
    let cufft =
        report.backends[0].libraries.iter().find(|library| library.name == "cuFFT").unwrap();
    if cufft.found {
        eprintln!("skipped: this machine has cuFFT under an earlier name");
        return;
    }
    let why = cufft.why.as_ref().unwrap();
    assert!(why.contains("libcufft.so.12") && why.contains("too short"), "{why}");
    assert!(cufft.remedy.as_ref().unwrap().contains("LD_LIBRARY_PATH"));
}
