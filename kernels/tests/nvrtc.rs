//! Every kernel compiles for the GPUs in use, on a machine without one, and is written in the language that all
//! compilers understand.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

use std::io::Write;

use arrayspan_kernels::bridge::devices::{DeviceKind, Error, KernelSource, cuda};
use arrayspan_kernels::catalogue;

/// Compiles those whose names fit, of which there must be some.
fn compile(is_one: impl Fn(&str) -> bool) {
    let dialect = DeviceKind::Cuda.dialect().unwrap();
    let kernels: Vec<KernelSource> =
        catalogue().into_iter().filter(|kernel| is_one(kernel.name())).collect();
    assert!(!kernels.is_empty());
    for arch in ["sm_80", "sm_90"] {
        for kernel in &kernels {
            let text = kernel.text(dialect);
            match cuda::compile_cubin(kernel.name(), &text, arch) {
                Ok(cubin) => assert!(cubin.starts_with(b"\x7fELF"), "{}", kernel.name()),
                Err(Error::Unavailable { what, why }) => {
                    let line = format!("skipped: NVRTC not found ({what}: {why})\n");
                    std::io::stderr().write_all(line.as_bytes()).unwrap();
                    return;
                }
                Err(error) => panic!("{arch}: {error}"),
            }
        }
    }
}

fn is_of_users(name: &str) -> bool {
    ["elementwise_kernel", "reduction_kernel", "raw_kernel"].contains(&name)
}

#[test]
fn every_kernel_compiles_for_sm_80_and_sm_90() {
    compile(|name| !is_of_users(name));
}

#[test]
fn kernels_of_users_compile_for_sm_80_and_sm_90() {
    let kinds = ["elementwise_kernel", "reduction_kernel", "raw_kernel"];
    let names: Vec<String> = catalogue().iter().map(|kernel| kernel.name().to_owned()).collect();
    assert!(kinds.iter().all(|kind| names.iter().any(|name| name == kind)));
    compile(is_of_users);
}

#[test]
fn every_verb_and_dtype_has_kernels() {
    let names: Vec<String> = catalogue().iter().map(|kernel| kernel.name().to_owned()).collect();
    let verbs = ["map", "map_many", "transpose", "stencil", "stencil_sum", "gather", "gather_long"];
    for verb in verbs.into_iter().chain(["scan_along", "scan_across", "reduce", "gemm"]) {
        for dtype in ["float32", "float64", "complex64", "complex128"] {
            let name = format!("{verb}_{dtype}");
            assert!(names.contains(&name), "no {name}");
        }
    }
}

/// The words of a kernel's own text, without comments and directives' names.
fn words(kernel: &KernelSource) -> Vec<String> {
    let text = kernel.text("");
    let mut code = String::new();
    let mut rest = text.as_str();
    while let Some((before, comment)) = rest.split_once("/*") {
        code += before;
        rest = comment.split_once("*/").map_or("", |(_, after)| after);
    }
    code += rest;
    let word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    code.split(|c| !word(c)).filter(|word| !word.is_empty()).map(Into::into).collect()
}

#[test]
fn kernels_use_no_word_that_one_compiler_reserves() {
    let reserved = [
        "half",
        "local",
        "global",
        "constant",
        "private",
        "kernel",
        "generic",
        "pipe",
        "event_t",
        "image2d_t",
        "template",
        "class",
        "namespace",
        "new",
        "delete",
        "this",
        "operator",
        "private",
        "public",
        "try",
        "catch",
        "bool",
        "size_t",
        "long",
        "auto",
        "complex",
        "imaginary",
    ];
    for kernel in catalogue() {
        let words = words(&kernel);
        for word in reserved {
            assert!(!words.iter().any(|found| found == word), "{} uses '{word}'", kernel.name());
        }
    }
}

#[test]
fn single_precision_kernels_compute_in_double_precision_only_to_accumulate() {
    for kernel in catalogue() {
        if !["float32", "complex64"].iter().any(|dtype| kernel.name().ends_with(dtype)) {
            continue;
        }
        let words = words(&kernel);
        let doubles = words.iter().filter(|word| *word == "double").count();
        // `real` of other kernels, `accum` and `wide`.
        assert!(doubles <= 3, "{}: 'double' {doubles} times", kernel.name());
        // Every number with a point stands in R(…), which gives it the right type.
        let text = kernel.text("");
        for (at, _) in text.match_indices('.') {
            let before = text[..at].chars().next_back().is_some_and(|c| c.is_ascii_digit());
            let after = text[at + 1..].chars().next().is_some_and(|c| c.is_ascii_digit());
            if before && after {
                let start = text[..at].rfind(|c: char| !(c.is_ascii_digit() || c == '-')).unwrap();
                let line = text[..at].lines().last().unwrap_or("");
                assert!(text[..=start].ends_with("R("), "{}: {line}", kernel.name());
            }
        }
    }
}
