//! Kernels compile for GPUs that are not there.

use arrayspan_devices::{DeviceKind, Error, KernelSource, Result, cuda};

use super::dialect::TOUR;
use super::skipped;

fn compile(source: &KernelSource, arch: &str) -> Result<Vec<u8>> {
    let dialect = DeviceKind::Cuda.dialect().expect("CUDA runs kernels");
    cuda::compile_cubin(source.name(), &source.text(dialect), arch)
}

/// Whether NVRTC is there; says so if not.
fn nvrtc() -> bool {
    match compile(&KernelSource::new("nothing", "nothing", "KERNEL nothing() {}"), "sm_80") {
        Err(Error::Unavailable { why, .. }) => {
            skipped(&format!("no NVRTC ({why})"));
            false
        }
        _ => true,
    }
}

#[test]
fn the_whole_dialect_compiles_for_ampere_and_hopper() -> Result<()> {
    if nvrtc() {
        let tour = KernelSource::new("tour", "tour", TOUR);
        let (ampere, hopper) = (compile(&tour, "sm_80")?, compile(&tour, "sm_90")?);
        assert!(ampere.starts_with(b"\x7fELF") && hopper.starts_with(b"\x7fELF"));
        assert!(ampere != hopper, "two architectures, one binary");
        let name = b"tour\0";
        assert!(hopper.windows(name.len()).any(|bytes| bytes == name), "the entry point's name");
    }
    Ok(())
}

#[test]
fn a_kernel_that_does_not_compile_shows_its_line() {
    if !nvrtc() {
        return;
    }
    let body = "FN float twice(float x) { return 2.0f * x; }\nKERNEL bad() { missing(1); }";
    match compile(&KernelSource::new("bad kernel", "bad", body), "sm_90") {
        Err(Error::Compile { device, kernel, line, log }) => {
            assert_eq!((device.as_str(), kernel.as_str()), ("sm_90", "bad kernel"));
            assert_eq!(line.as_deref(), Some("KERNEL bad() { missing(1); }"), "{log}");
            assert!(log.contains("missing"), "{log}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn headers_and_unknown_architectures_are_errors() {
    if !nvrtc() {
        return;
    }
    let include = KernelSource::new("include", "f", "#include <stdio.h>\nKERNEL f() {}");
    let error = compile(&include, "sm_90").unwrap_err();
    assert!(matches!(&error, Error::Compile { .. }), "{error}");
    let plain = KernelSource::new("plain", "f", "KERNEL f() {}");
    for arch in ["sm_1", "hopper", "sm_90\0"] {
        let error = compile(&plain, arch).unwrap_err();
        assert!(matches!(&error, Error::Compile { log, .. } if !log.is_empty()), "{error}");
    }
    let zero = KernelSource::new("zero", "f", "KERNEL f() {}\0");
    assert!(matches!(compile(&zero, "sm_90"), Err(Error::Compile { .. })));
}

#[test]
fn without_a_gpu_both_dialects_are_at_hand_and_define_the_same_names() {
    assert!(DeviceKind::Cpu.dialect().is_none());
    let names = |kind: DeviceKind| -> Vec<String> {
        let text = kind.dialect().expect("a dialect");
        let words = |line: &str| line.split(['(', ' ', ';']).map(String::from).collect::<Vec<_>>();
        let mut names: Vec<String> = text
            .lines()
            .filter_map(|line| {
                let words = words(
                    line.trim().trim_start_matches("FN void ").trim_start_matches("FN float "),
                );
                let defines = line.trim().starts_with("#define") || line.starts_with("typedef");
                if line.starts_with("FN ") {
                    words.first().cloned()
                } else if line.starts_with("typedef") {
                    words.into_iter().rev().find(|word| !word.is_empty())
                } else {
                    words.into_iter().nth(1).filter(|_| defines)
                }
            })
            .filter(|name| !name.starts_with("DEV_") && name != "DIM_")
            .collect();
        names.sort();
        names.dedup();
        names
    };
    let (cuda, opencl) = (names(DeviceKind::Cuda), names(DeviceKind::OpenCl));
    assert!(cuda.iter().any(|name| name == "KERNEL") && cuda.len() > 25, "{cuda:?}");
    assert_eq!(cuda, opencl);
}
