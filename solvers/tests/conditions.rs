//! Conditions that are put together, and what observers say of the end of a run.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

mod support;

use std::cell::Cell;
use std::ops::ControlFlow;
use std::time::Duration;

use arrayspan_bridge::{Array, DType};
use arrayspan_operators::Operator;
use arrayspan_solvers::observers::{Cancel, Recorder};
use arrayspan_solvers::{
    Cgls, Condition, Error, Observer, Progress, Solution, Solver, Stagnation, Stop, Stopped,
};
use support::{Problem, Random};

fn problem() -> (Operator, Array) {
    let problem = Problem::new(DType::Float64, [40, 12], 30.0, false, &mut Random(1));
    (problem.operator(), problem.data())
}

fn solve(observer: &mut dyn Observer) -> Solution {
    let (a, y) = problem();
    let solver = Cgls { stop: Stop::after(12), check_every: 1, ..Cgls::default() };
    solver.solve_from(&a, &y, None, observer).unwrap()
}

/// Iterations done and why it ended.
fn end(mut condition: Condition<'_>) -> (usize, Stopped) {
    let solution = solve(&mut condition);
    (solution.iterations, solution.stopped)
}

#[test]
fn each_condition_ends_a_run_where_the_same_rule_of_stop_does() {
    let (a, y) = problem();
    let all = solve(&mut ()).residuals;
    let absolute = 0.5 * (all[4] + all[5]);
    let residual = absolute
        / support::norm(&Problem::new(DType::Float64, [40, 12], 30.0, false, &mut Random(1)).y);
    let rule = Stagnation { iterations: 2, decrease: 0.02 };
    let stop = Stop::after(12);
    for (stop, condition) in [
        (Stop { absolute, ..stop }, Condition::absolute(absolute)),
        (Stop { residual, ..stop }, Condition::residual(residual)),
        (Stop { gradient: 0.1, ..stop }, Condition::gradient(0.1)),
        (Stop { stagnation: Some(rule), ..stop }, Condition::stagnation(rule)),
        (Stop { time: Some(Duration::ZERO), ..stop }, Condition::time(Duration::ZERO)),
        (Stop::after(7), Condition::iterations(7)),
    ] {
        let name = format!("{condition:?}");
        let solver = Cgls { stop, check_every: 1, ..Cgls::default() };
        let expected = solver.solve(&a, &y).unwrap();
        assert!(expected.iterations < 12, "{name}: {:?}", expected.stopped);
        assert_eq!(end(condition), (expected.iterations, expected.stopped), "{name}");
    }
}

#[test]
fn of_two_conditions_both_or_one_hold_and_the_first_that_does_names_the_end() {
    let closure = |least: usize| Condition::when(move |p: &Progress<'_>| p.iteration >= least);
    let after = Condition::iterations;
    let (own, all) = (Stopped::Condition, Stopped::Iterations);
    assert_eq!(end(after(3) & closure(5)), (5, all));
    assert_eq!(end(closure(5) & after(3)), (5, own));
    assert_eq!(end(after(3) | closure(5)), (3, all));
    assert_eq!(end(closure(5) | after(3)), (3, all));
    assert_eq!(end(closure(3) | after(3)), (3, own));
    // `&` binds before `|`, as everywhere.
    assert_eq!(end(closure(9) | closure(4) & after(6)), (6, own));
    assert_eq!(end((closure(9) | after(4)) & after(6)), (6, all));
    // What holds only for a while has to hold together with the other.
    let odd = Condition::when(|p: &Progress<'_>| p.iteration % 2 == 1);
    assert_eq!(end(after(4) & odd), (5, all));
    let never = Condition::when(|_| false);
    assert_eq!(end(never & after(2)), (12, Stopped::Iterations));
}

#[test]
fn closures_are_asked_at_every_check_whatever_else_holds() {
    let asked = Cell::new(0);
    let count = || {
        Condition::when(|_| {
            asked.set(asked.get() + 1);
            false
        })
    };
    let never = Condition::when(|_| false);
    solve(&mut (never & count() | (Condition::iterations(4) | count())));
    // At the start and after each of four iterations, both.
    assert_eq!(asked.get(), 10);
}

#[test]
fn a_condition_holds_for_sizes_that_no_number_has() {
    // Their squares and the gradient are less than any number.
    let mut problem = Problem::new(DType::Float64, [40, 12], 30.0, false, &mut Random(1));
    problem.y.iter_mut().for_each(|y| *y *= 1e-300);
    problem.matrix.iter_mut().for_each(|a| *a *= 1e-150);
    let (a, y) = (problem.operator(), problem.data());
    let solver = Cgls { stop: Stop::after(12), check_every: 1, ..Cgls::default() };
    let solution = solver.solve_from(&a, &y, None, &mut Condition::gradient(0.1)).unwrap();
    let expected = end(Condition::gradient(0.1));
    assert!(expected.0 > 0 && expected.0 < 12);
    assert_eq!((solution.iterations, solution.stopped), expected);
}

#[test]
fn a_list_has_the_name_of_the_condition_that_held() {
    let (mut until, mut recorder) = (Condition::iterations(3), Recorder::default());
    let mut list: [&mut dyn Observer; 2] = [&mut recorder, &mut until];
    assert_eq!(solve(&mut list).stopped, Stopped::Iterations);
    // A closure that breaks has no name, and a condition that did not hold gives it none.
    let mut breaks = |_: &Progress<'_>| ControlFlow::Break(());
    let mut list: Vec<&mut dyn Observer> = vec![&mut until, &mut breaks];
    assert_eq!(solve(&mut list).stopped, Stopped::Observer);
    let cancel = Cancel::default();
    cancel.cancel();
    let mut boxes: Vec<Box<dyn Observer>> =
        vec![Box::new(cancel), Box::new(Recorder::default().every(2))];
    let solution = solve(&mut boxes);
    assert_eq!((solution.stopped, solution.iterations), (Stopped::Observer, 0));
    assert_eq!(boxes.every(), Some(2));
}

#[test]
fn the_last_that_observers_see_is_why_the_run_is_over() {
    let mut seen = Vec::new();
    let mut watch = |progress: &Progress<'_>| {
        assert_eq!(progress.residuals.len(), progress.iteration + 1);
        assert_eq!(progress.residuals.last(), Some(&progress.residual));
        assert_eq!(progress.most, 12);
        let relative = progress.residual / progress.data;
        assert!((progress.relative_residual - relative).abs() < 1e-14);
        seen.push(progress.stopped);
        ControlFlow::Continue(())
    };
    assert_eq!(solve(&mut watch).stopped, Stopped::Iterations);
    assert!(seen.pop() == Some(Some(Stopped::Iterations)) && seen == vec![None; 12], "{seen:?}");
}

#[test]
fn conditions_that_make_no_sense_are_named_before_anything_is_computed() {
    let (a, y) = problem();
    let rule = |iterations, decrease| Condition::stagnation(Stagnation { iterations, decrease });
    for (condition, word) in [
        (Condition::residual(-1.0), "residual(-1e0)"),
        (Condition::absolute(f64::NAN), "absolute(NaN)"),
        (Condition::gradient(f64::INFINITY), "gradient(inf)"),
        (rule(0, 0.1), "iterations is 0"),
        (Condition::iterations(2) & (Condition::when(|_| true) | rule(3, 1.0)), "decrease = 1"),
    ] {
        let mut condition = condition;
        let mut list: [&mut dyn Observer; 1] = [&mut condition];
        let error = Cgls::default().solve_from(&a, &y, None, &mut list).unwrap_err();
        assert!(matches!(error, Error::Parameter { solver: "Cgls", .. }), "{error:?}");
        assert!(error.to_string().contains(word), "{error}");
    }
}
