//! Every kernel compiles for the GPUs in use, on a machine without one, and is written in the language that all
//! compilers understand.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

use arrayspan_bridge::catalogue;
use arrayspan_bridge::devices::{DeviceKind, Error, cuda};

/// With `ARRAYSPAN_TEST_FULL=1` each kernel is compiled for both; otherwise they take turns, as `ARRAYSPAN_TEST_SEED` says.
const ARCHITECTURES: [&str; 2] = ["sm_80", "sm_90"];

#[test]
fn every_kernel_compiles_for_sm_80_or_sm_90_and_in_full_for_both() {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let full = set("ARRAYSPAN_TEST_FULL").is_some_and(|full| full != "0");
    let seed = set("ARRAYSPAN_TEST_SEED").map_or(0, |seed| seed.parse().unwrap());
    let dialect = DeviceKind::Cuda.dialect().unwrap();
    for (number, kernel) in (seed..).zip(catalogue()) {
        let turn = number % ARCHITECTURES.len() as u64;
        let archs = (0..).zip(ARCHITECTURES).filter(|(at, _)| full || *at == turn);
        for (_, arch) in archs {
            match cuda::compile_cubin(kernel.name(), &kernel.text(dialect), arch) {
                Ok(cubin) => assert!(cubin.starts_with(b"\x7fELF"), "{}", kernel.name()),
                Err(Error::Unavailable { what, why }) => {
                    eprintln!("skipped: NVRTC not found ({what}: {why})");
                    return;
                }
                Err(error) => panic!("{arch}: {error}"),
            }
        }
    }
    if !full {
        eprintln!("skipped: a seed chooses the architecture that a kernel is compiled for");
    }
}

#[test]
fn copies_of_every_size_have_kernels_by_row_and_by_tile() {
    let names: Vec<String> = catalogue().iter().map(|kernel| kernel.name().to_owned()).collect();
    for bytes in [1, 2, 4, 8, 16] {
        // Small elements without gaps are moved in words.
        let walks: &[&str] =
            if bytes < 4 { &["rows", "tiles", "words"] } else { &["rows", "tiles"] };
        for walk in walks {
            let name = format!("{walk}_bytes{bytes}");
            assert!(names.contains(&name), "no {name}");
        }
    }
}
