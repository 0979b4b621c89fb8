//! `cargo xtask gpu`: the tests and benchmarks as programs, for a machine with a GPU and without cargo.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::Result;
use crate::environment::Environment;
use crate::process::{local, repository, run as show};
use crate::programs::{Program, built, built_by};
use crate::{interop, libtorch, setup};

/// Test programs that do not run on a device.
const NOT_FOR_DEVICES: [&str; 2] = ["xtask", "completeness"];

/// The archive must fit where programs are handed to other machines.
const MOST_BYTES: u64 = 60 << 20;

/// Builds `.arrayspan/gpu`, and `gpu.tar.xz` from it: programs in `tests/`, `benches/` and `examples/`, the library
/// for Python with its cases in `interop/`, the peers' benchmarks in `peers/`, golden data, `run.sh`; with libtorch
/// also `torch/`, with the same folders.
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
    let examples = built(&["build", "--release", "--examples"], |kind| kind == "example")?;
    for (folder, programs) in [("tests", tests), ("benches", benches), ("examples", examples)] {
        put(&programs, &archive.join(folder))?;
    }
    match libtorch::set_up(&setup::run()?) {
        Ok(environment) => torch(&environment, &archive.join("torch"))?,
        Err(error) => eprintln!("gpu: {}", libtorch::missing(&*error)),
    }
    interop::pack(&archive)?;
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
    let packed = local("gpu.tar.xz");
    let mut pack = Command::new("tar");
    // The programs share most of their code: found again within the dictionary, it takes no room.
    pack.env("XZ_OPT", "--lzma2=preset=0,dict=64MiB")
        .arg("-C")
        .arg(local(""))
        .arg("-cJf")
        .arg(&packed);
    show(pack.arg("gpu"))?;
    let bytes = fs::metadata(&packed)?.len();
    println!("{}: {:.1} MiB", packed.display(), bytes as f64 / f64::from(1 << 20));
    if bytes > MOST_BYTES {
        return Err(format!("the archive is larger than {} MiB", MOST_BYTES >> 20).into());
    }
    Ok(())
}

fn put(programs: &[Program], folder: &Path) -> Result {
    fs::create_dir_all(folder)?;
    for program in programs {
        if !NOT_FOR_DEVICES.iter().any(|other| program.name.ends_with(other)) {
            fs::copy(&program.path, folder.join(&program.name))?;
        }
    }
    Ok(())
}

/// What only the feature `torch` has.
fn torch(environment: &Environment, archive: &Path) -> Result {
    let parts: [(&str, &[&str], &str); 3] = [
        ("tests", &["test", "--release", "--test", "*torch*", "--no-run"], "test"),
        (
            "benches",
            &["bench", "--bench", "handover_torch", "--bench", "torch_calls", "--no-run"],
            "bench",
        ),
        (
            "examples",
            &["build", "--release", "--example", "torch_operator", "--example", "learned_prior"],
            "example",
        ),
    ];
    for (folder, words, wanted) in parts {
        let programs = built_by(&mut libtorch::command(environment, words), |kind| kind == wanted)?;
        put(&programs, &archive.join(folder))?;
    }
    Ok(())
}
