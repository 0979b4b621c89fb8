//! What the package `spgl1` finds that PyLops calls (`tests/golden/generate.py`, which shows that it is optimal).

use std::fs::File;
use std::path::{Path, PathBuf};

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, DType};
use arrayspan_operators::MatrixMult;
use arrayspan_solvers::Stopped;
use arrayspan_solvers::sparse::{Constraint, Spgl1};
use ndarray::ArrayD;
use ndarray_npy::NpzReader;
use num_complex::Complex64;

use super::support::{array, distance, first_elsewhere, norm, rounded, values};

/// Where golden data lie: `$ARRAYSPAN_GOLDEN_DIR` on a machine without the repository.
fn folder() -> PathBuf {
    let here = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/golden");
    std::env::var_os("ARRAYSPAN_GOLDEN_DIR").map_or_else(here, PathBuf::from)
}

/// An array of a case, and its shape.
fn stored(dtype: DType, case: &str, name: &str) -> (Vec<Complex64>, Vec<usize>) {
    let mut file = NpzReader::new(File::open(folder().join("spgl1.npz")).unwrap()).unwrap();
    if dtype.is_complex() {
        let all: ArrayD<Complex64> = file.by_name(&format!("complex128/{case}/{name}")).unwrap();
        return (all.iter().copied().collect(), all.shape().to_vec());
    }
    let all: ArrayD<f64> = file.by_name(&format!("float64/{case}/{name}")).unwrap();
    (all.iter().map(|&number| number.into()).collect(), all.shape().to_vec())
}

#[test]
fn constraints_with_a_norm_1_are_solved_as_by_spgl1() {
    if !folder().exists() {
        println!("skipped: golden data are in the repository, not in the package");
        return;
    }
    for (dtype, device) in first_elsewhere() {
        for case in ["bp_wide", "bpdn_wide", "bpdn_tall", "lasso_wide", "lasso_tall"] {
            let what = format!("{device} {dtype} {case}");
            let there = |name: &str| -> Array {
                let (numbers, shape) = stored(dtype, case, name);
                let numbers: Vec<_> = numbers.into_iter().map(|v| rounded(dtype, v)).collect();
                array(dtype, &numbers, &shape).to(device).unwrap().0
            };
            let a = MatrixMult::new(there("matrix").into_shared(), &[]).unwrap();
            let y = there("y");
            let bound = stored(dtype, case, "bound").0[0].re;
            let lasso = case.starts_with("lasso");
            let constraint =
                if lasso { Constraint::Norm(bound) } else { Constraint::Misfit(bound) };
            // The duality gap goes with the square of what a model is off.
            let narrow = dtype.real() == DType::Float32;
            let (tolerance, off) = if narrow { (1e-5, 5e-3) } else { (1e-8, 1e-5) };
            let found = Spgl1 { constraint, iterations: 1000, tolerance }.solve(&a, &y).unwrap();
            let end = if lasso { Stopped::Gradient } else { Stopped::Residual };
            assert_eq!(found.stopped, end, "{what} after {}", found.iterations);
            let x = values(&found.x.view().to(Device::cpu()).unwrap().0);
            let expected = stored(dtype, case, "x").0;
            let apart = distance(&x, &expected);
            assert!(apart < off, "{what}: {apart:e}");
            // As much norm and as much misfit.
            let one = |x: &[Complex64]| x.iter().map(|x| x.norm()).sum::<f64>();
            assert!((one(&x) / one(&expected) - 1.0).abs() < off, "{what}");
            let size = norm(&stored(dtype, case, "y").0);
            let residual = stored(dtype, case, "residual").0[0].re;
            let last = *found.residuals.last().unwrap();
            assert!((last - residual).abs() < 10.0 * tolerance * size, "{what}: {last}");
        }
    }
}
