//! `cargo xtask gpu`: the tests and benchmarks as programs, for a machine with a GPU and without cargo.

use std::fs;
use std::path::{Path, PathBuf};

use crate::Result;
use crate::process::{cargo, local, output, repository};

/// Test programs that do not run on a device.
const NOT_FOR_DEVICES: [&str; 2] = ["xtask", "completeness"];

/// The archive must fit where programs are handed to other machines.
const MOST_BYTES: u64 = 60 << 20;

/// Builds `.arrayspan/gpu`: programs in `tests/` and `benches/`, golden data, `run.sh`.
pub(crate) fn run() -> Result {
    let archive = local("gpu");
    if archive.exists() {
        fs::remove_dir_all(&archive)?;
    }
    // The release profile: without debug information and symbols.
    let tests = built(&["test", "--release", "--workspace", "--lib", "--tests", "--no-run"])?;
    let benches = built(&["bench", "--workspace", "--benches", "--no-run"])?;
    let example = built(&["build", "--release", "--example", "poststack_inversion"])?;
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
    let bytes = size(&archive)?;
    println!("{}: {:.1} MiB", archive.display(), bytes as f64 / f64::from(1 << 20));
    if bytes > MOST_BYTES {
        return Err(format!("the archive is larger than {} MiB", MOST_BYTES >> 20).into());
    }
    Ok(())
}

/// Builds, and returns name and path of every program that came out.
fn built(words: &[&str]) -> Result<Vec<(String, PathBuf)>> {
    let messages = output(cargo(words).arg("--message-format=json-render-diagnostics"))?;
    let mut programs = Vec::new();
    for message in messages.lines() {
        let (Some(program), Some(package), Some(target)) = (
            text_of(message, "executable"),
            text_of(message, "package_id"),
            message.split_once("\"target\":").and_then(|(_, rest)| text_of(rest, "name")),
        ) else {
            continue;
        };
        programs.push((format!("{}-{target}", folder_of(&package)), PathBuf::from(program)));
    }
    Ok(programs)
}

/// The text of a field in one of cargo's messages, which hold no escapes in paths and names.
fn text_of(message: &str, field: &str) -> Option<String> {
    let (_, rest) = message.split_once(&format!("\"{field}\":\""))?;
    Some(rest.split_once('"')?.0.to_owned())
}

/// `path+file:///…/kernels#arrayspan-kernels@0.1.0` is in `kernels`.
fn folder_of(package: &str) -> String {
    let path = package.split('#').next().unwrap_or(package);
    Path::new(path).file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

fn size(folder: &Path) -> Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        bytes += if metadata.is_dir() { size(&entry.path())? } else { metadata.len() };
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_read_from_what_cargo_says() {
        let message = r#"{"reason":"compiler-artifact","package_id":"path+file:///a/kernels#arrayspan-kernels@0.1.0","target":{"kind":["test"],"name":"verbs","src_path":"/a"},"executable":"/t/verbs-1"}"#;
        assert_eq!(text_of(message, "executable").as_deref(), Some("/t/verbs-1"));
        let target = message.split_once("\"target\":").and_then(|(_, rest)| text_of(rest, "name"));
        assert_eq!(target.as_deref(), Some("verbs"));
        assert_eq!(folder_of(&text_of(message, "package_id").unwrap()), "kernels");
        assert_eq!(text_of(r#"{"executable":null}"#, "executable"), None);
    }
}
