//! The suite itself: every law lets a right operator pass and stops one that breaks it.
//!
//! There is no operator that breaks the law of `shapes`, because none gets past `LinearOperator`.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::path::Path;
use std::process::Command;

use arrayspan_bridge::{DType, View, ViewMut};
use arrayspan_conformance::cases;
use arrayspan_conformance::suite::{self, Case, Cell, Moves};
use arrayspan_devices::{Device, DeviceKind};
use arrayspan_kernels::{Band, Expression, Stencil, Update, constant, input, previous};
use arrayspan_operators::{Context, LinearMap, Result, Space};
use num_complex::Complex64;

/// An operator on `[5]` whose directions are whatever a test makes them.
#[derive(Clone, Debug)]
struct Broken {
    space: Space,
    forward: Way,
    adjoint: Way,
}

#[derive(Clone, Debug)]
enum Way {
    /// `alpha · stencil(x) + beta · y`
    Band(Stencil),
    /// The same, without looking at alpha and beta.
    Set(Stencil),
    /// An expression of the input and the output.
    Map(Expression),
    /// The same twice.
    Twice(Stencil),
}

impl Broken {
    fn case(forward: &Way, adjoint: &Way) -> Case {
        let (forward, adjoint) = (forward.clone(), adjoint.clone());
        let make = move |cell: &Cell| {
            let space = Space::new([5], cell.dtype)?;
            Ok(Broken { space, forward: forward.clone(), adjoint: adjoint.clone() })
        };
        Case::new("broken", make).moves(Moves::one(5, 5), Moves::one(5, 5))
    }
}

impl Way {
    fn go(&self, on: &Context<'_>, x: View<'_>, mut y: ViewMut<'_>, update: Update) -> Result<()> {
        match self {
            Self::Band(stencil) => on.stencil(stencil, x, y, update)?,
            Self::Set(stencil) => on.stencil(stencil, x, y, Update::set())?,
            Self::Map(expression) => on.map(expression, &[x], y)?,
            Self::Twice(stencil) => {
                on.stencil(stencil, x.clone(), y.reborrow(), update)?;
                if !update.reads() {
                    on.stencil(stencil, x, y, update)?;
                }
            }
        }
        Ok(())
    }
}

impl LinearMap for Broken {
    fn name(&self) -> &'static str {
        "Broken"
    }

    fn domain(&self) -> &Space {
        &self.space
    }

    fn range(&self) -> &Space {
        &self.space
    }

    fn enqueue(&self, on: Context<'_>, x: View<'_>, y: ViewMut<'_>, update: Update) -> Result<()> {
        self.forward.go(&on, x, y, update)
    }

    fn enqueue_adjoint(
        &self,
        on: Context<'_>,
        y: View<'_>,
        x: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        self.adjoint.go(&on, y, x, update)
    }
}

/// Not symmetric; complex where `imaginary` is not zero.
fn stencil(imaginary: f64) -> Stencil {
    let taps = [(0, Complex64::new(2.0, imaginary)), (1, Complex64::new(-1.0, 0.5 * imaginary))];
    Stencil::along(0, Band::uniform_complex(5, taps)).unwrap()
}

fn cell(dtype: DType) -> Cell {
    Cell { device: Device::cpu(), dtype }
}

const LAWS: [(&str, suite::Law); 7] = [
    ("dot_test", suite::dot_test::law),
    ("linearity", suite::linearity::law),
    ("update", suite::update::law),
    ("shapes", suite::shapes::law),
    ("golden", suite::golden::law),
    ("agreement", suite::agreement::law),
    ("cost", suite::cost::law),
];

/// The laws that a case breaks.
fn broken_by(dtype: DType, case: &Case) -> Vec<&'static str> {
    let broken = LAWS.iter().filter(|(_, law)| law(&cell(dtype), case).is_err());
    broken.map(|(name, _)| *name).collect()
}

#[test]
fn a_right_operator_breaks_no_law() {
    let right = Broken::case(&Way::Band(stencil(0.5)), &Way::Band(stencil(0.5).adjoint()));
    assert!(broken_by(DType::Complex64, &right).is_empty());
    let right = Broken::case(&Way::Band(stencil(0.0)), &Way::Band(stencil(0.0).adjoint()));
    assert!(broken_by(DType::Float32, &right).is_empty());
}

#[test]
fn an_adjoint_that_is_the_forward_fails_the_dot_test() {
    let case = Broken::case(&Way::Band(stencil(0.0)), &Way::Band(stencil(0.0)));
    assert_eq!(broken_by(DType::Float64, &case), ["dot_test"]);
}

#[test]
fn an_adjoint_that_forgets_to_conjugate_fails_the_dot_test() {
    let Way::Band(adjoint) = Way::Band(stencil(0.5).adjoint()) else { unreachable!() };
    let (_, band) = &adjoint.terms()[0];
    let transposed = Way::Band(Stencil::along(0, band.conj()).unwrap());
    let case = Broken::case(&Way::Band(stencil(0.5)), &transposed);
    assert_eq!(broken_by(DType::Complex128, &case), ["dot_test"]);
}

#[test]
fn an_adjoint_slightly_off_fails_the_dot_test() {
    let (_, band) = &stencil(0.0).adjoint().terms()[0].clone();
    let off = Way::Band(Stencil::along(0, band.scaled(1.0 + 1e-4)).unwrap());
    let case = Broken::case(&Way::Band(stencil(0.0)), &off);
    assert_eq!(broken_by(DType::Float32, &case), ["dot_test"]);
}

#[test]
fn reading_the_output_although_beta_is_zero_is_found() {
    let reads = Way::Map(input(0) + constant(0.0) * previous());
    let broken = broken_by(DType::Float32, &Broken::case(&reads, &reads));
    assert!(broken.contains(&"update") && broken.contains(&"agreement"), "{broken:?}");
}

#[test]
fn ignoring_alpha_and_beta_is_found() {
    let case = Broken::case(&Way::Set(stencil(0.0)), &Way::Set(stencil(0.0).adjoint()));
    assert!(broken_by(DType::Float32, &case).contains(&"update"));
}

#[test]
fn what_is_not_linear_is_found() {
    for expression in [input(0) + constant(1.0), input(0).abs(), input(0) * input(0)] {
        let way = Way::Map(expression);
        assert!(broken_by(DType::Float32, &Broken::case(&way, &way)).contains(&"linearity"));
    }
}

#[test]
fn an_operator_linear_over_the_reals_only_is_found_in_complex_dtypes() {
    let conjugate = Way::Map(input(0).conj());
    let case = Broken::case(&conjugate, &conjugate);
    assert!(broken_by(DType::Complex64, &case).contains(&"linearity"));
}

#[test]
fn a_second_launch_is_found() {
    let case = Broken::case(&Way::Twice(stencil(0.0)), &Way::Twice(stencil(0.0).adjoint()));
    assert_eq!(broken_by(DType::Float32, &case), ["cost"]);
}

#[test]
fn a_case_without_a_cost_is_found() {
    let make = |cell: &Cell| arrayspan_operators::Identity::new(Space::new([5], cell.dtype)?);
    assert_eq!(broken_by(DType::Float32, &Case::new("free", make)), ["cost"]);
}

#[test]
fn another_answer_in_another_precision_is_found() {
    let make = |cell: &Cell| {
        let off = if cell.dtype == DType::Float32 { 1e-3 } else { 0.0 };
        let band = Band::uniform(5, [(0, 1.0 + off)]);
        let way = Way::Band(Stencil::along(0, band)?);
        let space = Space::new([5], cell.dtype)?;
        Ok(Broken { space, forward: way.clone(), adjoint: way })
    };
    let case = Case::new("imprecise", make).moves(Moves::one(5, 5), Moves::one(5, 5));
    assert_eq!(broken_by(DType::Float32, &case), ["agreement"]);
}

#[test]
fn other_results_than_the_golden_ones_are_found() {
    let way = Way::Band(stencil(0.0));
    let make = move |cell: &Cell| {
        let space = Space::new([11], cell.dtype)?;
        Ok(Broken { space, forward: way.clone(), adjoint: way.clone() })
    };
    for key in ["first_derivative/forward", "first_derivative/no_such_case", "no_such_file/x"] {
        let case = Case::new("unlike", make.clone()).golden(key);
        assert!(suite::golden::law(&cell(DType::Float64), &case).is_err(), "{key}");
    }
}

#[test]
fn a_golden_file_that_was_changed_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let copy = |name: &str| folder.path().join(name);
    for name in ["golden.toml", "identity.npz"] {
        std::fs::copy(suite::golden::folder().join(name), copy(name)).unwrap();
    }
    assert!(suite::golden::open(folder.path(), "identity").is_ok());
    let mut content = std::fs::read(copy("identity.npz")).unwrap();
    let middle = content.len() / 2;
    content[middle] ^= 1;
    std::fs::write(copy("identity.npz"), content).unwrap();
    let refused = suite::golden::open(folder.path(), "identity").err().unwrap();
    assert!(refused.to_string().contains("SHA-256"), "{refused}");
    assert!(suite::golden::open(Path::new("nowhere"), "identity").is_err());
}

#[test]
#[ignore = "run by a_missing_device_is_skipped_visibly_and_fails_if_required"]
fn on_cuda() {
    suite::hold(DeviceKind::Cuda, DType::Float32, &cases::ALL[0], suite::dot_test::law);
}

#[test]
fn a_missing_device_is_skipped_visibly_and_fails_if_required() {
    let run = |required: &str| {
        let mut program = Command::new(std::env::current_exe().unwrap());
        program.args(["--ignored", "--exact", "on_cuda", "--nocapture"]);
        program.env("ARRAYSPAN_REQUIRE", required).output().unwrap()
    };
    let (optional, required) = (run("opencl"), run("opencl,cuda"));
    let there = suite::devices::of(DeviceKind::Cuda).is_ok();
    let skipped = String::from_utf8_lossy(&optional.stdout).contains("skipped: no CUDA device");
    assert!(optional.status.success());
    assert_eq!(skipped, !there);
    assert_eq!(required.status.success(), there);
}
