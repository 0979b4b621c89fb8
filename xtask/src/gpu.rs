//! `cargo xtask gpu`: the tests and benchmarks as programs, for a machine with a GPU and without cargo.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::Result;
use crate::process::{cargo, local, output, repository, run as show};

/// Test programs that do not run on a device.
const NOT_FOR_DEVICES: [&str; 2] = ["xtask", "completeness"];

/// The archive must fit where programs are handed to other machines.
const MOST_BYTES: u64 = 60 << 20;

/// Builds `.arrayspan/gpu`, and `gpu.tar.gz` from it: programs in `tests/`, `benches/` and `examples/`, golden
/// data, `run.sh`.
pub(crate) fn run() -> Result {
    let archive = local("gpu");
    if archive.exists() {
        fs::remove_dir_all(&archive)?;
    }
    // The release profile: without debug information and symbols.
    let tests = ["test", "--release", "--workspace", "--lib", "--tests", "--no-run"];
    let tests = built(&tests, |kind| kind == "lib" || kind == "test")?;
    let benches =
        built(&["bench", "--workspace", "--benches", "--no-run"], |kind| kind == "bench")?;
    let example = ["build", "--release", "--example", "poststack_inversion"];
    let example = built(&example, |kind| kind == "example")?;
    for (folder, programs) in [("tests", &tests), ("benches", &benches), ("examples", &example)] {
        let folder = archive.join(folder);
        fs::create_dir_all(&folder)?;
        for (name, program) in programs {
            if !NOT_FOR_DEVICES.iter().any(|other| name.ends_with(other)) {
                fs::copy(program, folder.join(name))?;
            }
        }
    }
    let golden = archive.join("golden");
    fs::create_dir_all(&golden)?;
    for entry in fs::read_dir(repository().join("tests/golden"))? {
        let file = entry?.path();
        if let Some(name) = file.file_name() {
            fs::copy(&file, golden.join(name))?;
        }
    }
    let script = archive.join("run.sh");
    fs::copy(repository().join("xtask/src/gpu_run.sh"), &script)?;
    let packed = local("gpu.tar.gz");
    show(Command::new("tar").arg("-C").arg(local("")).arg("-czf").arg(&packed).arg("gpu"))?;
    let bytes = fs::metadata(&packed)?.len();
    println!("{}: {:.1} MiB", packed.display(), bytes as f64 / f64::from(1 << 20));
    if bytes > MOST_BYTES {
        return Err(format!("the archive is larger than {} MiB", MOST_BYTES >> 20).into());
    }
    Ok(())
}

/// Builds, and returns name and path of every program of a wanted kind that came out.
fn built(words: &[&str], wanted: impl Fn(&str) -> bool) -> Result<Vec<(String, PathBuf)>> {
    let messages = output(cargo(words).arg("--message-format=json-render-diagnostics"))?;
    let mut programs = Vec::new();
    for message in messages.lines() {
        let Some((package, kind, target, program)) = program_of(message) else { continue };
        if wanted(&kind) {
            programs.push((format!("{package}-{target}"), PathBuf::from(program)));
        }
    }
    Ok(programs)
}

/// Package, kind, target and path of the program that one of cargo's messages tells of.
fn program_of(message: &str) -> Option<(String, String, String, String)> {
    let program = text_of(message, "\"executable\":\"")?;
    let (_, target) = message.split_once("\"target\":")?;
    let kind = text_of(target, "\"kind\":[\"")?;
    let name = text_of(target, "\"name\":\"")?;
    Some((package_of(&text_of(message, "\"package_id\":\"")?), kind, name, program))
}

/// What follows `start`, to the next quote. Cargo's messages hold no escapes in paths and names.
fn text_of(message: &str, start: &str) -> Option<String> {
    let (_, rest) = message.split_once(start)?;
    Some(rest.split_once('"')?.0.to_owned())
}

/// `path+file:///…/kernels#arrayspan-kernels@0.1.0` and `path+file:///…/xtask#0.1.0` are `kernels` and `xtask`.
fn package_of(id: &str) -> String {
    let (path, name) = id.split_once('#').unwrap_or((id, id));
    let folder = || path.rsplit('/').next().unwrap_or(path);
    let name = name.split_once('@').map_or_else(folder, |(name, _)| name);
    name.trim_start_matches("arrayspan-").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_read_from_what_cargo_says() {
        let message = r#"{"reason":"compiler-artifact","package_id":"path+file:///a/kernels#arrayspan-kernels@0.1.0","target":{"kind":["test"],"crate_types":["bin"],"name":"verbs","src_path":"/a"},"executable":"/t/verbs-1"}"#;
        let expected = ["kernels", "test", "verbs", "/t/verbs-1"].map(str::to_owned);
        let (package, kind, target, program) = program_of(message).unwrap();
        assert_eq!([package, kind, target, program], expected);
        assert_eq!(package_of("path+file:///a/xtask#0.1.0"), "xtask");
        assert_eq!(package_of("path+file:///a#arrayspan@0.1.0"), "arrayspan");
        assert!(program_of(&message.replace(r#""/t/verbs-1""#, "null")).is_none());
    }
}
