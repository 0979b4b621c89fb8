//! Every kernel compiles for the GPUs in use, on a machine without one, and is written in the language that all
//! compilers understand.
#![allow(
    clippy::unwrap_used,
    missing_docs,
    unreachable_pub,
    reason = "a test program exports nothing, and to panic is how it fails"
)]

#[path = "verbs/turn.rs"]
#[allow(dead_code, reason = "shared with the program that tests verbs one by one")]
mod turn;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use arrayspan_kernels::bridge::devices::{DeviceKind, Error, KernelSource, cuda};
use arrayspan_kernels::catalogue;

const ARCHITECTURES: [&str; 2] = ["sm_80", "sm_90"];

/// Of the variants of an entry, one in so many is compiled with a seed.
const VARIANTS: usize = 4;

/// Each kernel with the architecture it is compiled for. In full that is each of both; otherwise some variants of an entry, as
/// the seed says, which take turns: each entry comes to both, and each variant with one seed after the other.
fn dealt(kernels: &[KernelSource], full: bool, seed: u64) -> Vec<(&KernelSource, &'static str)> {
    let mut variants: BTreeMap<&str, Vec<&KernelSource>> = BTreeMap::new();
    for kernel in kernels {
        variants.entry(kernel.name()).or_default().push(kernel);
    }
    let (seed, mut dealt) = (seed as usize, Vec::new());
    for variants in variants.into_values() {
        let of = if full { 1 } else { variants.len().min(VARIANTS) };
        let chosen: Vec<_> =
            (seed..).zip(variants).filter(|(at, _)| at % of == 0).map(|(_, one)| one).collect();
        let both = full || chosen.len() == 1;
        for (at, kernel) in (seed / of..).zip(chosen) {
            let turn = ARCHITECTURES[at % ARCHITECTURES.len()];
            let archs = ARCHITECTURES.into_iter().filter(|arch| both || *arch == turn);
            dealt.extend(archs.map(|arch| (kernel, arch)));
        }
    }
    dealt
}

/// Compiles those whose names fit, of which there must be some.
fn compile(is_one: impl Fn(&str) -> bool) {
    let dialect = DeviceKind::Cuda.dialect().unwrap();
    let kernels: Vec<KernelSource> =
        catalogue().into_iter().filter(|kernel| is_one(kernel.name())).collect();
    assert!(!kernels.is_empty());
    for (kernel, arch) in dealt(&kernels, turn::is_full(), turn::seed()) {
        let text = kernel.text(dialect);
        match cuda::compile_cubin(kernel.name(), &text, arch) {
            Ok(cubin) => assert!(cubin.starts_with(b"\x7fELF"), "{}", kernel.name()),
            Err(Error::Unavailable { what, why }) => {
                return say(&format!("skipped: NVRTC not found ({what}: {why})"));
            }
            Err(error) => panic!("{arch}: {error}"),
        }
    }
    if !turn::is_full() {
        say("skipped: a seed chooses variants of kernels and the architecture of each");
    }
}

fn say(line: &str) {
    std::io::stderr().write_all(format!("{line}\n").as_bytes()).unwrap();
}

/// They are launched before those ahead of them have ended.
#[test]
fn every_kernel_begins_by_waiting_for_those_before_it() {
    let dialect = DeviceKind::Cuda.dialect().unwrap();
    for kernel in catalogue().into_iter().filter(|kernel| kernel.name() != "raw_kernel") {
        let text = kernel.text(dialect);
        let body = text.lines().skip_while(|line| !line.starts_with("#line 1")).map(str::trim);
        let heads: Vec<_> = body.clone().zip(body.skip(1)).collect();
        let heads = heads.iter().filter(|(head, _)| head.starts_with("KERNEL"));
        let begins: Vec<&str> = heads.map(|(_, first)| *first).collect();
        assert_eq!(begins, [KernelSource::AFTER_EARLIER_KERNELS], "{}", kernel.name());
    }
}

#[test]
fn every_entry_is_compiled_for_both_architectures_and_every_variant_with_some_seed() {
    let kernels = catalogue();
    let all = dealt(&kernels, true, 0);
    assert_eq!(all.len(), kernels.len() * 2);
    let mut found = BTreeSet::new();
    for seed in 5..5 + VARIANTS as u64 {
        let dealt = dealt(&kernels, false, seed);
        assert!(dealt.len() <= kernels.len() / 2, "{} of {}", dealt.len(), kernels.len());
        for name in kernels.iter().map(KernelSource::name) {
            for arch in ARCHITECTURES {
                let is =
                    |(kernel, of): &(&KernelSource, &str)| kernel.name() == name && *of == arch;
                assert!(dealt.iter().any(is), "{name} is not compiled for {arch} with {seed}");
            }
        }
        found.extend(dealt.iter().map(|(kernel, _)| std::ptr::from_ref(*kernel)));
    }
    assert_eq!(found.len(), kernels.len());
}

fn is_of_users(name: &str) -> bool {
    ["elementwise_kernel", "reduction_kernel", "raw_kernel"].contains(&name)
}

#[test]
fn kernels_compile_for_sm_80_and_sm_90() {
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
    let verbs = [
        "map",
        "map_many",
        "transpose",
        "stencil",
        "stencil_sum",
        "gather",
        "gather_long",
        "project",
        "convolve",
        "convolve_varying",
        "scan_along",
        "scan_across",
        "reduce",
        "gemm",
    ];
    for verb in verbs {
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
