//! Every kernel compiles for the GPUs in use, on a machine without one, and is written in the language that all
//! compilers understand.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

use std::collections::BTreeMap;
use std::env::var;
use std::io::Write;

use arrayspan_kernels::bridge::devices::{DeviceKind, Error, KernelSource, cuda};
use arrayspan_kernels::catalogue;

const ARCHITECTURES: [&str; 2] = ["sm_80", "sm_90"];

/// Each kernel with the architecture it is compiled for. In full that is each of both; otherwise the variants of an entry take
/// turns, which halves the longest test of all, and what has one variant alone is compiled for both.
fn dealt(kernels: &[KernelSource], full: bool) -> Vec<(&KernelSource, &'static str)> {
    let mut variants: BTreeMap<&str, Vec<&KernelSource>> = BTreeMap::new();
    for kernel in kernels {
        variants.entry(kernel.name()).or_default().push(kernel);
    }
    let of = |kernels: Vec<_>| {
        let both = full || kernels.len() == 1;
        let turns = kernels.into_iter().zip(ARCHITECTURES.into_iter().cycle()).flat_map(
            move |(kernel, arch)| {
                let archs = ARCHITECTURES.into_iter().filter(move |one| both || *one == arch);
                archs.map(move |arch| (kernel, arch))
            },
        );
        turns.collect::<Vec<_>>()
    };
    variants.into_values().flat_map(of).collect()
}

/// Compiles those whose names fit, of which there must be some.
fn compile(is_one: impl Fn(&str) -> bool) {
    let dialect = DeviceKind::Cuda.dialect().unwrap();
    let kernels: Vec<KernelSource> =
        catalogue().into_iter().filter(|kernel| is_one(kernel.name())).collect();
    assert!(!kernels.is_empty());
    let full = var("ARRAYSPAN_TEST_FULL").is_ok_and(|full| !full.is_empty() && full != "0");
    for (kernel, arch) in dealt(&kernels, full) {
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

#[test]
fn every_entry_is_compiled_for_both_architectures_by_turns_too() {
    let kernels = catalogue();
    for (full, most) in [(false, kernels.len() * 11 / 10), (true, kernels.len() * 2)] {
        let dealt = dealt(&kernels, full);
        assert!(dealt.len() <= most, "{} of {}", dealt.len(), kernels.len());
        for name in kernels.iter().map(KernelSource::name) {
            for arch in ARCHITECTURES {
                let is =
                    |(kernel, of): &(&KernelSource, &str)| kernel.name() == name && *of == arch;
                assert!(dealt.iter().any(is), "{name} is not compiled for {arch}");
            }
        }
        assert!(dealt.len() >= kernels.len());
    }
}

fn is_of_users(name: &str) -> bool {
    ["elementwise_kernel", "reduction_kernel", "raw_kernel"].contains(&name)
}

#[test]
fn every_kernel_compiles_for_sm_80_or_sm_90_and_in_full_for_both() {
    compile(|name| !is_of_users(name));
}

#[test]
fn kernels_of_users_compile_for_sm_80_and_sm_90() {
    let kinds = ["elementwise_kernel", "reduction_kernel", "raw_kernel"];
    let names: Vec<String> = catalogue().iter().map(|kernel| kernel.name().to_owned()).collect();
    assert!(kinds.iter().all(|kind| names.iter().any(|name| name == kind)));
    compile(is_of_users);
}

/// The kernels that the sources declare, and all files, in which there may be none; nothing on a machine without the sources.
fn sources() -> Vec<(String, Vec<String>, String)> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/source");
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let files = entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
    files
        .map(|path| {
            let text = std::fs::read_to_string(&path).unwrap();
            let declared = text.lines().filter_map(|line| line.trim_start().strip_prefix("KERNEL"));
            // `KERNEL name(`, or `KERNEL_OF(…) name(`.
            let entry = |rest: &str| {
                let (before, _) = rest.rsplit_once('(')?;
                let name = before.rsplit_once(')').map_or(before, |(_, name)| name);
                Some(name.trim().to_owned())
            };
            let entries = declared.filter_map(entry).collect();
            (path.file_name().unwrap().to_string_lossy().into_owned(), entries, text)
        })
        .collect()
}

#[test]
fn every_verb_and_dtype_has_kernels() {
    let names: Vec<String> = catalogue().iter().map(|kernel| kernel.name().to_owned()).collect();
    let verbs = ["map", "map_many", "transpose", "stencil", "stencil_sum", "gather", "gather_long"];
    for verb in verbs.into_iter().chain(["project", "scan_along", "scan_across", "reduce", "gemm"])
    {
        for dtype in ["float32", "float64", "complex64", "complex128"] {
            let name = format!("{verb}_{dtype}");
            assert!(names.contains(&name), "no {name}");
        }
    }
    let of_halves =
        ["gather", "gather_long", "scan_along", "scan_across", "map_cells", "reduce", "join"];
    let stencils = ["stencil", "stencil_sum", "stencil_each", "copy_mapped_cells"];
    for verb in of_halves.into_iter().chain(stencils) {
        for dtype in ["float16", "bfloat16"] {
            let name = format!("{verb}_{dtype}");
            assert!(names.contains(&name), "no {name}");
        }
    }
    // Others are for some dtypes alone; what has its name from a macro has several.
    let sources = sources();
    let entries = sources.iter().flat_map(|(_, entries, _)| entries);
    for entry in entries.filter(|entry| !entry.contains(char::is_uppercase)) {
        let begin = format!("{entry}_");
        let known = |name: &String| {
            let dtype = name.strip_prefix(&begin);
            dtype.is_some_and(|dtype| {
                ["float", "complex", "bfloat"].iter().any(|of| dtype.starts_with(of))
            })
        };
        assert!(names.iter().any(known), "the catalogue has no {entry}");
    }
}

#[test]
fn every_source_is_part_of_some_kernel_of_the_catalogue() {
    let texts: Vec<String> = catalogue().iter().map(|kernel| kernel.text("")).collect();
    for (file, _, text) in sources() {
        // Names in what is repeated get the number of a term or an axis.
        let numbered =
            |line: &&str| line.to_lowercase().contains("band_") || line.contains("TERM_");
        let plain = text.lines().map(str::trim).filter(|line| !numbered(line));
        let longest = plain.max_by_key(|line| line.len()).unwrap_or_default();
        assert!(texts.iter().any(|found| found.contains(longest)), "{file}: {longest}");
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
