//! Every kernel compiles for the GPUs in use, on a machine without one, and is written in the language that all
//! compilers understand.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

use arrayspan_bridge::catalogue;
use arrayspan_bridge::devices::{DeviceKind, Error, cuda};

#[test]
fn every_kernel_compiles_for_sm_80_and_sm_90() {
    let dialect = DeviceKind::Cuda.dialect().unwrap();
    for arch in ["sm_80", "sm_90"] {
        for kernel in catalogue() {
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
