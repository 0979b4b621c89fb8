//! Observers of methods that solve problems within.

use std::ops::ControlFlow;

use arrayspan_bridge::{Array, DType};
use arrayspan_operators::{Edge, FirstDerivative, LinearMap, Operator, Scheme};
use arrayspan_solvers::sparse::{Constraint, Irls, Mp, Omp, Shrunk, Spgl1, SplitBregman};
use arrayspan_solvers::{Condition, Error, Observer, Progress, Result, Solution, Stopped};

use super::support::{Problem, Random, values};

type Solve = Box<dyn Fn(usize, &mut dyn Observer) -> Result<Solution>>;

/// Each method, with at most so many iterations, by its name.
fn methods() -> Vec<(&'static str, Solve)> {
    fn problem() -> (Operator, Array) {
        let problem = Problem::new(DType::Float64, [12, 9], 3.0, false, &mut Random(5));
        (problem.operator(), problem.data())
    }
    let split = |iterations, observer: &mut dyn Observer| {
        let (a, y) = problem();
        let operator =
            FirstDerivative::new(a.domain().clone(), 0, 1.0, Scheme::Forward, Edge::Zero)?;
        let l1 = vec![Shrunk { operator, weight: 0.3, isotropic: false }];
        let solver = SplitBregman { l1, iterations, tolerance: 0.0, ..SplitBregman::default() };
        solver.solve_with(&a, &y, None, observer)
    };
    let irls = |iterations, observer: &mut dyn Observer| {
        let (a, y) = problem();
        Irls { iterations, tolerance: 0.0, ..Irls::default() }.solve_with(&a, &y, observer)
    };
    let omp = |iterations, observer: &mut dyn Observer| {
        let (a, y) = problem();
        Omp { iterations, ..Omp::default() }.solve_with(&a, &y, observer)
    };
    let mp = |iterations, observer: &mut dyn Observer| {
        let (a, y) = problem();
        Mp { iterations, ..Mp::default() }.solve_with(&a, &y, observer)
    };
    let spgl1 = |iterations, observer: &mut dyn Observer| {
        let (a, y) = problem();
        let solver = Spgl1 { constraint: Constraint::Norm(0.5), iterations, tolerance: 1e-14 };
        solver.solve_with(&a, &y, observer)
    };
    vec![
        ("SplitBregman", Box::new(split)),
        ("Irls", Box::new(irls)),
        ("Omp", Box::new(omp)),
        ("Mp", Box::new(mp)),
        ("Spgl1", Box::new(spgl1)),
    ]
}

#[test]
fn every_iteration_is_shown_with_its_model_and_the_last_one_with_its_end() {
    for (name, solve) in methods() {
        let mut seen: Vec<(usize, f64, Vec<_>, Option<Stopped>)> = Vec::new();
        let mut watch = |progress: &Progress<'_>| {
            assert_eq!((progress.solver, progress.most), (name, 4));
            assert_eq!(progress.residuals.len(), progress.iteration + 1);
            assert!(progress.relative_residual <= 1.0 + 1e-12 && !progress.gradient.is_nan());
            assert!(!progress.relative_gradient.is_nan(), "{name}");
            let model = values(&progress.solution.to(progress.solution.device()).unwrap().0);
            seen.push((progress.iteration, progress.residual, model, progress.stopped));
            ControlFlow::Continue(())
        };
        let solution = solve(4, &mut watch).unwrap();
        assert_eq!((solution.iterations, solution.stopped), (4, Stopped::Iterations), "{name}");
        let numbers: Vec<usize> = seen.iter().map(|seen| seen.0).collect();
        assert_eq!(numbers, [0, 1, 2, 3, 4], "{name}");
        for (number, residual, model, stopped) in seen {
            assert_eq!(residual.to_bits(), solution.residuals[number].to_bits(), "{name}");
            assert_eq!(stopped, (number == 4).then_some(Stopped::Iterations), "{name}");
            // What it shows is what it would return.
            assert_eq!(model, values(&solve(number, &mut ()).unwrap().x), "{name} {number}");
        }
    }
}

#[test]
fn who_watches_may_end_a_run_and_say_why() {
    for (name, solve) in methods() {
        let mut stop = |progress: &Progress<'_>| {
            if progress.iteration == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let solution = solve(4, &mut stop).unwrap();
        assert_eq!((solution.iterations, solution.stopped), (2, Stopped::Observer), "{name}");
        assert_eq!(values(&solution.x), values(&solve(2, &mut ()).unwrap().x), "{name}");
        let solution = solve(4, &mut Condition::iterations(3)).unwrap();
        assert_eq!((solution.iterations, solution.stopped), (3, Stopped::Iterations), "{name}");
        let mut called = false;
        let mut wrong = Condition::residual(-1.0)
            | Condition::when(|_: &Progress<'_>| {
                called = true;
                false
            });
        let error = solve(4, &mut wrong).unwrap_err();
        drop(wrong);
        assert!(matches!(error, Error::Parameter { solver, .. } if solver == name), "{error:?}");
        assert!(!called, "{name}");
    }
}
