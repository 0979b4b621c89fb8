//! What environment variables turn on, each in a process of its own.

use std::process::{Command, Output};

use arrayspan_devices::account::nvtx;
use arrayspan_devices::{Device, Memory, Scope};

use super::skipped;

/// Runs one test of this program alone, with `name=value` set; it knows by `CHILD` that it is the child.
fn run(test: &str, variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args([test, "--exact", "--nocapture", "--test-threads=1"]).env("CHILD", "1");
    command.envs(variables.iter().copied()).output().expect("a child")
}

fn is_child() -> bool {
    std::env::var_os("CHILD").is_some()
}

#[test]
fn leaks_are_printed_when_the_process_ends() {
    if is_child() {
        let stream = Device::cpu().stream().unwrap();
        std::mem::forget(Memory::allocate(4242, &stream).unwrap());
        return;
    }
    let name = "environment::leaks_are_printed_when_the_process_ends";
    let told = run(name, &[("ARRAYSPAN_LEAKS", "1")]);
    let text = String::from_utf8_lossy(&told.stderr);
    assert!(told.status.success(), "{text}");
    assert!(text.contains("arrayspan: 1 live blocks with 4242 bytes"), "{text}");
    assert!(text.contains(&format!("cpu: 4242 bytes from {}:", file!())), "{text}");
    let silent = run(name, &[("ARRAYSPAN_LEAKS", "0")]);
    assert!(!String::from_utf8_lossy(&silent.stderr).contains("arrayspan:"));
}

#[test]
fn ranges_do_nothing_where_no_profiler_listens() {
    if is_child() {
        let scope = Scope::new("a\0b").enter().unwrap();
        let range = nvtx::range("");
        assert_eq!(format!("{range:?}"), "Range(off)");
        assert!(!nvtx::enable());
        drop((range, scope));
        return;
    }
    let name = "environment::ranges_do_nothing_where_no_profiler_listens";
    for path in ["", "/nowhere/libnone.so", file!()] {
        let done = run(name, &[("ARRAYSPAN_NVTX", "1"), ("NVTX_INJECTION64_PATH", path)]);
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }
}

#[test]
fn a_profiler_is_told_of_scopes_and_ranges() {
    if is_child() {
        let _scope = Scope::new("inversion").enter().unwrap();
        drop(nvtx::range("step\0hidden"));
        nvtx::disable();
        drop(nvtx::range("off"));
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (library, ranges) = (folder.path().join("profiler.so"), folder.path().join("ranges"));
    // Part of the program, which may run where its sources are not.
    let source = folder.path().join("profiler.c");
    std::fs::write(&source, include_str!("profiler.c")).unwrap();
    let built =
        Command::new("cc").args(["-shared", "-fPIC", "-o"]).args([&library, &source]).status();
    match built {
        Ok(built) => assert!(built.success()),
        Err(error) => return skipped(&format!("no C compiler for a profiler: {error}")),
    }
    let [library, told] = [&library, &ranges].map(|path| path.to_str().unwrap());
    let name = "environment::a_profiler_is_told_of_scopes_and_ranges";
    let variables = [("NVTX_INJECTION64_PATH", library), ("RANGES", told)];
    let off = run(name, &[variables[0], variables[1], ("ARRAYSPAN_NVTX", "0")]);
    assert!(off.status.success() && !ranges.exists(), "off unless asked for");
    let on = run(name, &[variables[0], variables[1], ("ARRAYSPAN_NVTX", "1")]);
    assert!(on.status.success(), "{}", String::from_utf8_lossy(&on.stderr));
    let text = std::fs::read_to_string(&ranges).unwrap();
    assert_eq!(text.lines().collect::<Vec<_>>(), ["begin inversion", "begin step", "end", "end"]);
}
