//! What the bar in the terminal shows.
#![cfg(feature = "progress")]
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

mod support;

use arrayspan_bridge::DType;
use arrayspan_solvers::observers::ProgressBar;
use arrayspan_solvers::{Cgls, Solver, Stop};
use indicatif::ProgressDrawTarget;
use support::{Problem, Random};

#[test]
fn a_bar_is_where_the_run_is_and_says_how_it_ended() {
    let problem = Problem::new(DType::Float64, [40, 12], 30.0, false, &mut Random(1));
    let (a, y) = (problem.operator(), problem.data());
    for iterations in [7, 5000] {
        let bar = indicatif::ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let mut watch = ProgressBar::from(bar.clone());
        let solver = Cgls { stop: Stop::after(iterations), check_every: 3, ..Cgls::default() };
        let solution = solver.solve_from(&a, &y, None, &mut watch).unwrap();
        assert_eq!(bar.length(), Some(iterations as u64));
        assert_eq!(bar.position(), solution.iterations as u64);
        let stopped = format!("{:?}", solution.stopped);
        assert!(bar.message().ends_with(&stopped), "{}", bar.message());
        assert!(bar.is_finished());
        // Its own has the name of the solver.
        let mut own = ProgressBar::default();
        own.inner().set_draw_target(ProgressDrawTarget::hidden());
        solver.solve_from(&a, &y, None, &mut own).unwrap();
        assert_eq!((own.inner().prefix(), bar.prefix()), ("Cgls".into(), String::new()));
    }
}
