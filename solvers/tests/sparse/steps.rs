//! Steps, and what becomes of those that are too long.

use arrayspan_bridge::DType;
use arrayspan_solvers::sparse::Ista;
use arrayspan_solvers::{Solver, Stop, Stopped, norm_estimate};

use super::support::{Problem, Random};
use super::{eigenvalue, weighted};

/// What PyLops takes on GPUs: the Rayleigh quotient after ten iterations.
#[test]
fn ten_power_iterations_say_too_little_and_their_step_is_too_long() {
    let problem = Problem::new(DType::Float64, [60, 60], 2.0, false, &mut Random(2));
    let (guess, exact) = (eigenvalue(&problem, 10), eigenvalue(&problem, 3000));
    assert!(guess < 0.999 * exact, "{guess} for {exact}");
    assert!(1.0 / guess > 1.0 / exact);
    let step = 1.0 / norm_estimate(&problem.operator()).unwrap().upper.powi(2);
    assert!(step <= 1.0 / exact);
}

#[test]
fn steps_that_are_too_long_end_as_not_finite() {
    let problem = Problem::new(DType::Float32, [20, 30], 2.0, false, &mut Random(2));
    let step = Some(3.0 / eigenvalue(&problem, 1000));
    let solver =
        Ista { step, sparsity: weighted(1e-3), stop: Stop::after(5000), ..Ista::default() };
    let solution = solver.solve(&problem.operator(), problem.data()).unwrap();
    assert_eq!(solution.stopped, Stopped::NotFinite);
}
