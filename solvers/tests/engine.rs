//! What all solvers share: step by step, when a run stops, who watches it, what memory it takes.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

mod support;

use std::ops::ControlFlow;
use std::time::Duration;

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, DType, View, ViewMut};
use arrayspan_kernels::{Update, input, on};
use arrayspan_operators::{Context, LinearMap, LinearOperator, Space};
use arrayspan_solvers::observers::{
    Cancel, Metrics, Recorder, ResidualToData, ResidualToInitial, Snapshots,
};
use arrayspan_solvers::{Cgls, Error, Observer, Progress, Solver, Stagnation, Stop, Stopped};
use support::{Problem, Random, values};

fn problem() -> Problem {
    Problem::new(DType::Float64, [40, 12], 30.0, false, &mut Random(1))
}

fn after(iterations: usize) -> Cgls {
    Cgls { stop: Stop::after(iterations), ..Cgls::default() }
}

#[test]
fn a_run_led_step_by_step_is_the_run_that_the_solver_leads() {
    let (a, y) = (problem().operator(), problem().data());
    let host = on(Device::cpu()).unwrap();
    let solver = after(9);
    let expected = solver.solve(&a, &y).unwrap();
    let mut workspace = solver.workspace(&a, &*host).unwrap();
    for step in [1, 2, 4, 100] {
        let mut run = solver.start(&mut workspace, &*host, &a, y.view(), None).unwrap();
        assert_eq!((run.progress().iteration, run.stopped()), (0, None));
        let mut checks = 0;
        while run.advance(step).unwrap().is_continue() {
            checks += 1;
            let seen = run.progress().iteration;
            assert_eq!(seen, checks * step);
            assert_eq!(run.progress().residual.to_bits(), expected.residuals[seen].to_bits());
        }
        assert_eq!(run.stopped(), Some(Stopped::Iterations));
        // What is over stays so.
        assert!(run.step().unwrap().is_break());
        let solution = run.finish().unwrap();
        assert_eq!(values(&solution.x), values(&expected.x), "{step} at once");
        assert_eq!(solution.residuals, expected.residuals);
    }
}

#[test]
fn a_run_that_its_caller_ends_has_the_solution_so_far() {
    let (a, y) = (problem().operator(), problem().data());
    let host = on(Device::cpu()).unwrap();
    let expected = after(3).solve(&a, &y).unwrap();
    let solver = after(100);
    let mut workspace = solver.workspace(&a, &*host).unwrap();
    let mut run = solver.start(&mut workspace, &*host, &a, y.view(), None).unwrap();
    for _ in 0..3 {
        assert!(run.step().unwrap().is_continue());
    }
    let solution = run.finish().unwrap();
    assert_eq!((solution.stopped, solution.iterations), (Stopped::Observer, 3));
    assert_eq!(values(&solution.x), values(&expected.x));
}

#[test]
fn residuals_in_the_units_of_the_data_end_a_run() {
    for size in [1.0, 1e-200, 1e200] {
        let mut problem = problem();
        problem.y.iter_mut().for_each(|y| *y *= size);
        let (a, y) = (problem.operator(), problem.data());
        let all = Cgls { check_every: 1, ..after(12) }.solve(&a, &y).unwrap().residuals;
        let absolute = 0.5 * (all[4] + all[5]);
        let stop = Stop { absolute, ..Stop::after(12) };
        let solution = Cgls { stop, check_every: 1, ..Cgls::default() }.solve(&a, &y).unwrap();
        assert_eq!((solution.stopped, solution.iterations), (Stopped::Residual, 5), "{size:e}");
    }
}

#[test]
fn a_residual_that_hardly_decreases_ends_a_run() {
    let (a, y) = (problem().operator(), problem().data());
    let all = Cgls { check_every: 1, ..after(12) }.solve(&a, &y).unwrap().residuals;
    let rule = Stagnation { iterations: 2, decrease: 0.05 };
    let first = (2..all.len()).find(|&at| all[at] >= 0.95 * all[at - 2]).unwrap();
    let stop = Stop { stagnation: Some(rule), ..Stop::after(12) };
    let solution = Cgls { stop, check_every: 1, ..Cgls::default() }.solve(&a, &y).unwrap();
    assert_eq!((solution.stopped, solution.iterations), (Stopped::Stagnation, first));
}

#[test]
fn no_time_left_ends_a_run_before_its_first_iteration() {
    let (a, y) = (problem().operator(), problem().data());
    let stop = Stop { time: Some(Duration::ZERO), ..Stop::after(12) };
    let solution = Cgls { stop, ..Cgls::default() }.solve(&a, &y).unwrap();
    assert_eq!((solution.stopped, solution.iterations), (Stopped::Time, 0));
    let stop = Stop { time: Some(Duration::MAX), ..Stop::after(5) };
    let solution = Cgls { stop, ..Cgls::default() }.solve(&a, &y).unwrap();
    assert_eq!((solution.stopped, solution.iterations), (Stopped::Iterations, 5));
}

#[test]
fn rules_that_make_no_sense_are_named() {
    let (a, y) = (problem().operator(), problem().data());
    let stagnation = |iterations, decrease| Stop {
        stagnation: Some(Stagnation { iterations, decrease }),
        ..Stop::default()
    };
    for (stop, word) in [
        (Stop { absolute: -1.0, ..Stop::default() }, "stop.absolute = -1"),
        (Stop { absolute: f64::NAN, ..Stop::default() }, "stop.absolute = NaN"),
        (stagnation(0, 0.1), "stop.stagnation.iterations is 0"),
        (stagnation(3, 1.0), "stop.stagnation.decrease = 1"),
        (stagnation(3, -0.1), "stop.stagnation.decrease = -0.1"),
        (stagnation(3, f64::NAN), "stop.stagnation.decrease = NaN"),
    ] {
        let error = Cgls { stop, ..Cgls::default() }.solve(&a, &y).unwrap_err();
        assert!(matches!(error, Error::Parameter { solver: "Cgls", .. }), "{error:?}");
        assert!(error.to_string().contains(word), "{error}");
    }
}

#[test]
fn observers_are_called_at_all_multiples_of_what_they_want() {
    let (a, y) = (problem().operator(), problem().data());
    let solver = Cgls { check_every: 4, ..after(11) };
    let mut plain = Recorder::default();
    solver.solve_from(&a, &y, None, &mut plain).unwrap();
    let iterations = |recorder: &Recorder| -> Vec<usize> {
        recorder.seen().iter().map(|(iteration, ..)| *iteration).collect()
    };
    assert_eq!(iterations(&plain), [0, 4, 8, 11]);
    let mut often = Recorder::default().every(3);
    let solution = solver.solve_from(&a, &y, None, &mut often).unwrap();
    assert_eq!(iterations(&often), [0, 3, 6, 9, 11]);
    for (iteration, residual, ..) in often.seen() {
        assert_eq!(residual.to_bits(), solution.residuals[*iteration].to_bits());
    }
    // Seldom: the host checks as often as before.
    let mut seldom = Snapshots::every(6);
    solver.solve_from(&a, &y, None, &mut seldom).unwrap();
    let taken: Vec<usize> = seldom.taken().iter().map(|(iteration, _)| *iteration).collect();
    assert_eq!(taken, [0, 6]);
    let expected = after(6).solve(&a, &y).unwrap();
    assert_eq!(values(&seldom.taken()[1].1), values(&expected.x));
    // Together: at the multiples of both, whatever the others ask for.
    let (mut four, mut six) = (Recorder::default().every(4), Recorder::default().every(6));
    let mut both: [&mut dyn Observer; 2] = [&mut four, &mut six];
    solver.solve_from(&a, &y, None, &mut both).unwrap();
    assert_eq!(iterations(&four), [0, 2, 4, 6, 8, 10, 11]);
    assert_eq!(iterations(&six), iterations(&four));
}

#[test]
fn each_of_several_observers_may_end_a_run_and_all_see_its_end() {
    let (a, y) = (problem().operator(), problem().data());
    let solver = Cgls { check_every: 1, ..after(50) };
    let all = solver.solve(&a, &y).unwrap().residuals;
    let mut recorder = Recorder::default();
    let mut enough = ResidualToInitial(0.9);
    let mut list: Vec<&mut dyn Observer> = vec![&mut enough, &mut recorder];
    let solution = solver.solve_from(&a, &y, None, &mut list).unwrap();
    let first = all.iter().position(|&residual| residual < 0.9 * all[0]).unwrap();
    assert_eq!((solution.stopped, solution.iterations), (Stopped::Observer, first));
    assert_eq!(recorder.seen().len(), first + 1);
}

#[test]
fn a_share_of_the_data_is_another_than_a_share_of_the_start() {
    let (a, y) = (problem().operator(), problem().data());
    let solver = Cgls { check_every: 1, ..after(50) };
    // A start that explains the data a hundred times worse than zero.
    let start = || Array::from_slice(&[30.0; 12], [12]).unwrap();
    let all = solver.solve_from(&a, &y, Some(start()), &mut ()).unwrap().residuals;
    let size = support::norm(&problem().y);
    assert!(all[0] > 5.0 * size);
    let count = |observer: &mut dyn Observer| {
        solver.solve_from(&a, &y, Some(start()), observer).unwrap().iterations
    };
    let first = |bound: f64| all.iter().position(|&residual| residual < bound).unwrap();
    assert_eq!(count(&mut ResidualToInitial(0.5)), first(0.5 * all[0]));
    assert_eq!(count(&mut ResidualToData(0.99)), first(0.99 * size));
    assert!(first(0.5 * all[0]) < first(0.99 * size));
}

#[test]
fn metrics_are_those_of_the_newest_iterate() {
    let problem = Problem::new(DType::Float64, [40, 12], 1.0, false, &mut Random(3));
    let (a, y) = (problem.operator(), problem.data());
    let truth: Vec<f64> = (0..12).map(|i| f64::from(i) / 4.0 - 1.0).collect();
    let shared = || Array::from_slice(&truth, [12]).unwrap().into_shared();
    let mut metrics = Metrics::new(shared()).every(1);
    let solution = after(6).solve_from(&a, &y, None, &mut metrics).unwrap();
    assert_eq!(metrics.seen().len(), 7);
    let error = |x: &[f64]| x.iter().zip(&truth).map(|(x, t)| (x - t).abs()).sum::<f64>() / 12.0;
    let last = error(&solution.x.view().to_vec::<f64>().unwrap());
    assert!((metrics.seen()[6].1.mae - last).abs() < 1e-14);
    assert!((metrics.seen()[0].1.mae - error(&[0.0; 12])).abs() < 1e-14);
    // Of what an operator makes of it.
    let mut image = Metrics::new(a.forward(shared()).unwrap().into_shared()).of(a.clone());
    after(6).solve_from(&a, &y, None, &mut image).unwrap();
    assert!(image.seen()[0].1.mse > 0.0 && image.error().is_none());
    // A truth of another shape ends the run.
    let wrong = Array::from_slice(&[0.0; 5], [5]).unwrap().into_shared();
    let mut metrics = Metrics::new(wrong);
    let solution = after(6).solve_from(&a, &y, None, &mut metrics).unwrap();
    assert_eq!((solution.stopped, solution.iterations), (Stopped::Observer, 0));
    assert!(metrics.error().unwrap().to_string().contains("[5]"));
}

#[test]
fn a_run_is_cancelled_from_elsewhere() {
    let (a, y) = (problem().operator(), problem().data());
    let mut cancel = Cancel::default();
    let button = cancel.clone();
    let mut press = |progress: &Progress<'_>| {
        if progress.iteration == 2 {
            button.cancel();
        }
        ControlFlow::Continue(())
    };
    let mut list: [&mut dyn Observer; 2] = [&mut press, &mut cancel];
    let solver = Cgls { check_every: 1, ..after(50) };
    let solution = solver.solve_from(&a, &y, None, &mut list).unwrap();
    assert_eq!((solution.stopped, solution.iterations), (Stopped::Observer, 2));
}

#[test]
fn progress_is_in_the_units_of_the_caller() {
    let mut small = problem();
    small.y.iter_mut().for_each(|y| *y *= 1e-250);
    let (a, y) = (small.operator(), small.data());
    let size = support::norm(&problem().y) * 1e-250;
    let mut seen = 0;
    let mut watch = |progress: &Progress<'_>| {
        assert!((progress.data / size - 1.0).abs() < 1e-12, "{:e}", progress.data);
        assert!((progress.initial / size - 1.0).abs() < 1e-12);
        assert_eq!(progress.solver, "Cgls");
        seen += 1;
        ControlFlow::Continue(())
    };
    Cgls { check_every: 2, ..after(6) }.solve_from(&a, &y, None, &mut watch).unwrap();
    assert_eq!(seen, 4);
}

/// Weights that are an array of its own, which nobody lends a graph.
#[derive(Debug)]
struct Weighted {
    space: Space,
    weights: Array,
}

impl LinearMap for Weighted {
    fn name(&self) -> &'static str {
        "Weighted"
    }

    fn domain(&self) -> &Space {
        &self.space
    }

    fn range(&self) -> &Space {
        &self.space
    }

    fn enqueue(
        &self,
        on: Context<'_>,
        x: View<'_>,
        y: ViewMut<'_>,
        update: Update,
    ) -> Result<(), arrayspan_operators::Error> {
        let mut inputs = vec![x, self.weights.view()];
        let sum = update.expression(input(0) * input(1), &mut inputs);
        Ok(on.map(&sum, &inputs, y)?)
    }

    fn enqueue_adjoint(
        &self,
        on: Context<'_>,
        y: View<'_>,
        x: ViewMut<'_>,
        update: Update,
    ) -> Result<(), arrayspan_operators::Error> {
        self.enqueue(on, y, x, update)
    }

    fn only_enqueues(&self) -> bool {
        true
    }
}

#[test]
fn an_operator_that_keeps_an_array_is_applied_call_by_call() {
    for device in Device::all() {
        let weights = Array::from((1..=40).map(|at| at as f32 / 40.0).collect::<Vec<_>>());
        let y = weights.try_clone().unwrap().into_device(device).unwrap().0;
        let weights = weights.into_device(device).unwrap().0;
        let a = Weighted { space: Space::new([40], DType::Float32).unwrap(), weights };
        let solution = after(60).solve(&a, &y).unwrap();
        assert!(solution.iterations > 12, "{device}: {:?}", solution.stopped);
        let x = solution.x.to_vec::<f32>().unwrap();
        assert!(x.iter().all(|x| (x - 1.0).abs() < 1e-3), "{device}: {x:?}");
    }
}
