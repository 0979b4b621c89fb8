//! Compiles our part in C++ for the feature `torch`; does nothing without it.

fn main() {
    #[cfg(feature = "torch")]
    torch::build();
}

#[cfg(feature = "torch")]
mod torch {
    use std::env;
    use std::path::{Path, PathBuf};
    use std::process::exit;

    const FOLDER: &str = "src/interop/torch";
    const SOURCES: [&str; 2] = ["autograd.cpp", "shim.cpp"];
    const HEADERS: [&str; 2] = ["guard.h", "shim.h"];
    /// What the headers must hold.
    const HEADER: &str = "ATen/DLConvertor.h";

    pub(crate) fn build() {
        for file in SOURCES.iter().chain(&HEADERS) {
            println!("cargo::rerun-if-changed={FOLDER}/{file}");
        }
        for variable in ["LIBTORCH", "LIBTORCH_INCLUDE", "LIBTORCH_CXX11_ABI"] {
            println!("cargo::rerun-if-env-changed={variable}");
        }
        let library = env::var_os("DEP_TCH_LIBTORCH_LIB").map(PathBuf::from);
        let Some(headers) = headers(library.as_deref()) else {
            println!(
                "cargo::error=the feature `torch` needs the headers of libtorch 2.11: set LIBTORCH to the folder \
                 that holds its `include` and `lib` (that of the Python package `torch` is one), or \
                 LIBTORCH_INCLUDE to the folder that holds `include`"
            );
            exit(1);
        };
        let abi = env::var("LIBTORCH_CXX11_ABI").unwrap_or_else(|_| "1".into());
        cc::Build::new()
            .cpp(true)
            .std("c++17")
            .files(SOURCES.map(|source| format!("{FOLDER}/{source}")))
            .include(&headers)
            .include(headers.join("torch/csrc/api/include"))
            .define("_GLIBCXX_USE_CXX11_ABI", &*abi)
            // A call of one of ours costs little more than what it asks for; warnings are torch's.
            .opt_level(2)
            .warnings(false)
            .compile("arrayspan_torch");
        // `dlopen` is in a library of its own before glibc 2.34.
        println!("cargo::rustc-link-lib=dl");
        // Tests and benchmarks of this package find libtorch where it was when they were built.
        if let Some(library) = library {
            println!("cargo::rustc-link-arg=-Wl,-rpath,{}", library.display());
        }
    }

    /// The folder of the headers, where the user says they are or beside the libraries that torch-sys found.
    fn headers(library: Option<&Path>) -> Option<PathBuf> {
        let folder = |name| env::var_os(name).map(PathBuf::from);
        let beside = library.and_then(|library| Some(library.parent()?.to_path_buf()));
        let found = [folder("LIBTORCH_INCLUDE"), folder("LIBTORCH"), beside];
        let mut found = found.into_iter().flatten().map(|folder| folder.join("include"));
        found.find(|folder| folder.join(HEADER).is_file())
    }
}
