//! What the example programs print when they fail, and that those with pictures make them better.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where whoever runs this has just built the examples. Cargo does not build them with this test alone, and what lies in
/// its folder then may be of other sources.
const BUILT: &str = "ARRAYSPAN_EXAMPLES";

/// An example program of the present sources.
fn example(name: &str) -> Option<PathBuf> {
    if let Some(folder) = env::var_os(BUILT) {
        return Some(Path::new(&folder).join(format!("{name}{}", env::consts::EXE_SUFFIX)));
    }
    let mut build = Command::new(env::var_os("CARGO")?);
    // The packages and the profile of the tests: what was built for these is not built again.
    build.args(["build", "--quiet", "--workspace", "--profile", "test", "--example", name]);
    build.arg("--message-format=json-render-diagnostics");
    let built = build.current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let messages = String::from_utf8(built.stdout).unwrap();
    let mut paths = messages.lines().filter_map(|line| line.split_once("\"executable\":\""));
    let (path, _) = paths.next_back().and_then(|(_, rest)| rest.split_once('"')).unwrap();
    Some(path.into())
}

/// What it prints on standard error when it fails.
fn failure(name: &str, arguments: &[&str]) -> Option<String> {
    let Some(program) = example(name) else {
        println!("skipped: no cargo to build the example programs");
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
        format!("error: Space: Float32 {shape} takes more bytes than can be addressed\n");
    assert_eq!(printed, expected);
}

#[test]
fn a_device_that_does_not_exist_is_one_readable_line() {
    let Some(printed) = failure("beyond_memory", &["--device", "cpu:7"]) else { return };
    assert!(printed.starts_with("error: "), "{printed}");
    assert!(printed.contains("cpu:7") && !printed.contains('{'), "{printed}");
    assert_eq!(printed.lines().count(), 1, "{printed}");
}

#[test]
fn a_job_beyond_memory_wants_a_device_beside_the_cpu() {
    let Some(printed) = failure("beyond_memory", &["--device", "cpu", "--limit", "2MiB"]) else {
        return;
    };
    let why = "arrays wait in the CPU's memory: a device beside it is needed, cuda:N or opencl:N";
    assert_eq!(printed, format!("error: {why}\n"));
}

#[test]
fn a_line_that_is_only_text_stands_without_quotes() {
    let three = ["--devices", "cpu,cpu,cpu"];
    let Some(printed) = failure("model_parallel", &three) else { return };
    assert_eq!(printed, "error: --devices: two are needed, 3 are given\n");
}

/// The numbers before `dB` that a program prints, with its picture in a folder that is gone afterwards.
fn decibels(name: &str) -> Option<Vec<f64>> {
    let Some(program) = example(name) else {
        println!("skipped: no cargo to build the example programs");
        return None;
    };
    let folder = tempfile::tempdir().unwrap();
    let picture = folder.path().join("pictures/found.png");
    let ended = Command::new(program).args(["--device", "cpu", "--out"]).arg(&picture).output();
    let ended = ended.unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    assert!(std::fs::metadata(&picture).unwrap().len() > 1000);
    let printed = String::from_utf8(ended.stdout).unwrap();
    let numbers = printed.lines().filter_map(|line| line.split_once(" dB")?.0.rsplit_once(' '));
    Some(numbers.map(|(_, number)| number.parse().unwrap()).collect())
}

#[test]
fn denoising_gives_at_least_ten_decibels() {
    let Some(found) = decibels("tv_denoising") else { return };
    let [before, after] = found[..] else { panic!("{found:?}") };
    assert!(after > before + 10.0, "{before} to {after}");
}

#[test]
fn deblurring_gives_decibels_and_total_variation_more_of_them() {
    let Some(found) = decibels("deblurring") else { return };
    let [blurred, smooth, sharp] = found[..] else { panic!("{found:?}") };
    assert!(smooth > blurred + 2.0 && sharp > smooth + 3.0, "{found:?}");
}

#[test]
fn tomography_gives_most_decibels_by_total_variation() {
    let Some(found) = decibels("tomography") else { return };
    let [smeared, smooth, sharp, same] = found[..] else { panic!("{found:?}") };
    assert!(smooth > smeared + 3.0 && sharp > smooth + 6.0, "{found:?}");
    assert!((same - sharp).abs() < 1e-9, "{found:?}");
}

#[test]
fn wavelets_give_at_least_seven_decibels_and_shifts_more() {
    let Some(found) = decibels("wavelet_denoising") else { return };
    let [noisy, once, shifted] = found[..] else { panic!("{found:?}") };
    assert!(once > noisy + 7.0 && shifted > once + 1.0, "{found:?}");
}

#[test]
fn missing_traces_are_found_to_a_tenth() {
    let Some(found) = decibels("trace_interpolation") else { return };
    let [zeros, waves] = found[..] else { panic!("{found:?}") };
    assert!(zeros < 6.0 && waves > 17.0, "{found:?}");
}

#[test]
fn primaries_are_better_without_multiples() {
    let Some(found) = decibels("multiple_attenuation") else { return };
    let [with, without] = found[..] else { panic!("{found:?}") };
    assert!(without > with + 8.0, "{found:?}");
}

#[test]
fn options_that_make_no_sense_are_one_readable_line() {
    for (name, arguments) in [
        ("tomography", ["--device=cpu", "--angles=0"]),
        ("tomography", ["--device=cpu", "--image=/nowhere.npy"]),
        ("wavelet_denoising", ["--device=cpu", "--wavelet=nothing"]),
        ("wavelet_denoising", ["--device=cpu", "--wavelet=bior2.2"]),
        ("trace_interpolation", ["--device=cpu", "--missing=1"]),
        ("trace_interpolation", ["--device=cpu", "--section=/nowhere.npz"]),
        ("multiple_attenuation", ["--device=cpu", "--velocity=1500"]),
        ("multiple_attenuation", ["--device=cpu", "--cut=0"]),
    ] {
        let Some(printed) = failure(name, &arguments) else { return };
        let what = format!("{name} {arguments:?}: {printed}");
        assert!(printed.starts_with("error: "), "{what}");
        assert_eq!(printed.lines().count(), 1, "{what}");
    }
}
