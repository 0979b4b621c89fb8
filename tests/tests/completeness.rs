//! No operator without cases, golden data, documentation and a benchmark.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use arrayspan_bridge::DType;
use arrayspan_conformance::cases;
use arrayspan_conformance::suite::{self, Cell, MOST_KERNELS, Sample, golden};
use arrayspan_devices::{Device, DeviceKind};

/// What the algebra makes of operators, by the names of their cases. They need no documentation of units and no
/// benchmark of their own.
const COMPOSITIONS: [&str; 10] = [
    "columns",
    "lifted",
    "scaled",
    "adjoint",
    "after",
    "sum",
    "vstack",
    "hstack",
    "stack",
    "block_diagonal",
];

/// One constructor of operators in the sources, `pub struct …(());`.
struct Found {
    name: String,
    /// The lines of documentation before its declaration.
    docs: String,
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files = Vec::new();
    for path in entries {
        if path.is_dir() {
            files.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

fn operators() -> Vec<Found> {
    let mut found = Vec::new();
    for file in sources(&repository().join("operators/src")) {
        let text = fs::read_to_string(&file).unwrap();
        for line in text.lines() {
            let declared = line.strip_prefix("pub struct ");
            let Some(name) = declared.and_then(|rest| rest.strip_suffix("(());")) else { continue };
            let before = text.find(line).map_or("", |at| &text[..at]);
            let docs: Vec<_> = before
                .lines()
                .rev()
                .skip_while(|line| line.starts_with("#["))
                .take_while(|line| line.starts_with("///"))
                .collect();
            found.push(Found { name: name.to_owned(), docs: docs.join("\n") });
        }
    }
    found
}

/// `FirstDerivative` is in `first_derivative`, `Convolve1D` in `convolve1d`, `FFTND` in `fftnd`.
fn file_name(operator: &str) -> String {
    let mut name = String::new();
    let mut last = '_';
    for letter in operator.chars() {
        if letter.is_uppercase() && last.is_lowercase() {
            name.push('_');
        }
        name.extend(letter.to_lowercase());
        last = letter;
    }
    name
}

/// The golden data that each operator's cases use, over all dtypes.
fn golden_keys() -> BTreeMap<&'static str, BTreeSet<String>> {
    let keys = |cases: fn(DType) -> Vec<_>| {
        let dtypes = [DType::Float64, DType::Complex128];
        let cases = dtypes.into_iter().flat_map(cases);
        cases.filter_map(|case: arrayspan_conformance::suite::Case| {
            case.golden_key().map(str::to_owned)
        })
    };
    cases::ALL.iter().map(|(name, cases)| (*name, keys(*cases).collect())).collect()
}

#[test]
fn the_sources_are_where_this_test_looks() {
    let names: Vec<_> = operators().into_iter().map(|found| found.name).collect();
    for expected in ["FirstDerivative", "Convolve1D", "Identity"] {
        assert!(names.iter().any(|name| name == expected), "{expected} not among {names:?}");
    }
    assert_eq!(file_name("PoststackLinearModelling"), "poststack_linear_modelling");
    assert_eq!(file_name("FFT2D"), "fft2d");
}

/// Names between backticks in the second column of the tables.
fn told_to_users_of_pylops() -> BTreeSet<String> {
    let page = fs::read_to_string(repository().join("docs/pylops.md")).unwrap();
    let here = page.lines().filter_map(|line| line.strip_prefix('|')?.split('|').nth(1));
    let code = here.flat_map(|cell| cell.split('`').skip(1).step_by(2));
    code.map(|code| code.split([':', '!', '(', ' ']).next().unwrap_or_default().to_owned())
        .collect()
}

#[test]
fn those_who_know_pylops_are_told_of_every_operator() {
    let told = told_to_users_of_pylops();
    for Found { name, .. } in operators() {
        assert!(told.contains(&name), "docs/pylops.md says nothing of {name}: {told:?}");
    }
}

#[test]
fn pages_that_list_operators_list_every_one() {
    for (page, ticks) in
        [("README.md", ["`", "`"]), ("CHANGELOG.md", ["`", "`"]), ("src/lib.rs", ["[`", "`]"])]
    {
        let text = fs::read_to_string(repository().join(page)).unwrap();
        let [before, behind] = ticks;
        let missing = operators().into_iter().map(|found| found.name);
        let missing = missing.filter(|name| !text.contains(&format!("{before}{name}{behind}")));
        assert_eq!(missing.collect::<Vec<_>>(), [""; 0], "not in {page}");
    }
}

#[test]
fn every_operator_has_cases_golden_data_docs_and_a_benchmark() {
    let golden = golden_keys();
    let benches: String = sources(&repository().join("benches"))
        .into_iter()
        .map(|file| fs::read_to_string(file).unwrap())
        .collect();
    let mut missing = Vec::new();
    let mut files: Vec<String> = COMPOSITIONS.map(str::to_owned).into();
    files.extend(operators().iter().map(|found| file_name(&found.name)));
    for file in files {
        match golden.get(&*file) {
            None => missing.push(format!("tests/src/cases/{file}.rs")),
            Some(keys) if keys.is_empty() => missing.push(format!("{file}: golden data")),
            Some(_) => {}
        }
    }
    for Found { name, docs } in operators() {
        for needed in ["Units:", "Complex:", "Cost:", "Golden:"] {
            if !docs.contains(needed) {
                missing.push(format!("{name}: '{needed}' in its documentation"));
            }
        }
        if !benches.contains(&format!("{name}::")) {
            missing.push(format!("{name}: a row in benches/figures/rows.rs"));
        }
    }
    assert!(missing.is_empty(), "missing:\n{}", missing.join("\n"));
}

#[test]
fn every_golden_case_is_tested_and_every_tested_one_is_there() {
    let used: BTreeSet<String> = golden_keys().into_values().flatten().collect();
    let there = golden::keys().unwrap().into_iter();
    // Those of solvers, of gathers and of numbers are no operator's.
    let others = [
        "cgls/",
        "eigen/",
        "krylov/",
        "proximal/",
        "sparse/",
        "variational/",
        "spgl1/",
        "events/",
        "tapers/",
        "wavelets/",
        "metrics/",
        "slopes/",
    ];
    let there = there.filter(|key| !others.iter().any(|other| key.starts_with(other)));
    assert_eq!(there.collect::<BTreeSet<_>>(), used);
}

#[test]
fn every_cost_the_documentation_promises_is_tested() {
    for file in ["operators/src", "solvers/src"] {
        for file in sources(&repository().join(file)) {
            let text = fs::read_to_string(&file).unwrap();
            for rest in text.split("`bytes::").skip(1) {
                let name = rest.split('`').next().unwrap_or_default();
                let tested = [
                    "cgls",
                    "lsqr",
                    "lsmr",
                    "cg",
                    "minres",
                    "bicgstab",
                    "gmres",
                    "single_reduction_cg",
                    "single_reduction_cgls",
                    "ista",
                    "fista",
                    "backtracking",
                ]
                .contains(&name)
                    || cases::ALL.iter().any(|(cases, _)| *cases == name);
                assert!(tested, "{}: there is no test bytes::{name}", file.display());
            }
        }
    }
}

#[test]
fn every_operator_along_axes_meets_extents_of_one_and_primes() {
    let cell = Cell { device: Device::cpu(), dtype: DType::Float64 };
    for (name, cases) in cases::ALL.iter().filter(|(name, _)| !COMPOSITIONS.contains(name)) {
        let extents: BTreeSet<usize> = cases(DType::Float64)
            .iter()
            .flat_map(|case| case.build(&cell).unwrap().domain().shape().to_vec())
            .collect();
        assert!(extents.contains(&1), "{name}: no case with an axis of one element");
        let large = extents.iter().any(|extent| [11, 13, 17, 71].contains(extent));
        assert!(large, "{name}: no case with an axis longer than any stencil, of prime extent");
    }
}

/// Where compiling a kernel takes long, each operator has its share of them.
#[test]
fn no_operator_needs_more_kernels_than_its_budget() {
    let sample = Sample::from_environment();
    let devices = suite::devices::of(DeviceKind::OpenCl).unwrap_or_default();
    let cells = devices.into_iter().map(|device| Cell { device, dtype: DType::Float32 });
    let Some(cell) = cells.into_iter().find(|cell| sample.applies(*cell)) else {
        println!("skipped: no OpenCL device that compiles slowly, or everything is asked for");
        return;
    };
    let counts: Vec<(&str, usize)> = cases::ALL
        .iter()
        .map(|operator| (operator.0, suite::kernels(cell.device, operator).unwrap()))
        .collect();
    println!("kernels of each operator with seed {}: {counts:?}", sample.seed);
    let over: Vec<_> = counts.iter().filter(|(_, kernels)| *kernels > MOST_KERNELS).collect();
    let seed = sample.seed;
    assert!(
        over.is_empty(),
        "more than {MOST_KERNELS} kernels on OpenCL (ARRAYSPAN_TEST_SEED={seed}): {over:?}; let cases share shapes \
         and taps"
    );
    // An operator may do with the kernels of those before it, as `Conj` of real numbers does with those of `Identity`.
    let all: usize = counts.iter().map(|(_, kernels)| kernels).sum();
    assert!(all > counts.len(), "next to nothing is compiled: {counts:?}");
}
