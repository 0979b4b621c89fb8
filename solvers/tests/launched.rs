//! Solutions say how iterations were launched, and are the same to the bit however they were.

#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use arrayspan_bridge::devices::{Device, DeviceKind};
use arrayspan_bridge::{Array, DType, View, ViewMut};
use arrayspan_kernels::{Update, on};
use arrayspan_operators::{
    Context, Diagonal, Edge, FirstDerivative, Identity, LinearMap, Operator, Properties, Result,
    Scheme, Space, adjoint,
};
use arrayspan_solvers::sparse::{Fista, Sparsity, Threshold};
use arrayspan_solvers::{
    BiCgStab, Cg, Cgls, Gmres, Launched, Lsmr, Lsqr, Minres, SingleReductionCg, Singly, Solution,
    Solver, Stop,
};

const ITERATIONS: usize = 29;

fn slope() -> Operator {
    let space = Space::new([41, 23], DType::Float64).unwrap();
    FirstDerivative::new(space, 0, 1.0, Scheme::Centered3, Edge::Reduced).unwrap()
}

/// `DᴴD + 1`
fn positive() -> Operator {
    let one = Identity::new(slope().domain().clone()).unwrap();
    (adjoint(slope()).after(slope()) + one).build().unwrap()
}

fn data(a: &dyn LinearMap, device: Device) -> Array {
    let value = |i: usize| ((i * 37 + 11) % 29) as f64 / 29.0 - 0.4;
    let values: Vec<f64> = (0..a.range().len()).map(value).collect();
    Array::from_vec(values, a.range().shape()).unwrap().to(device).unwrap().0
}

/// The devices that record iterations.
fn devices() -> Vec<Device> {
    let records = |device: &Device| matches!(device.kind(), DeviceKind::Cpu | DeviceKind::Cuda);
    Device::all().into_iter().filter(|device| records(device) && device.info().float64).collect()
}

/// Solves with each number of iterations from one check to the next.
fn compare<S: Solver>(a: &Operator, solver: impl Fn(usize) -> S, records: bool) {
    for device in devices() {
        let (on, y) = (on(device).unwrap(), data(a, device));
        let mut expected: Option<Solution> = None;
        for every in [1, 3, 7, 8, 10, 13, ITERATIONS] {
            let solver = solver(every);
            let mut workspace = solver.workspace(a, &*on).unwrap();
            // The third one replays what the second one has recorded.
            for run in 0..3 {
                let found =
                    solver.solve_in(&mut workspace, &*on, a, y.view(), None, &mut ()).unwrap();
                let name = format!("{device}, {}, every {every}, run {run}", S::NAME);
                let together = matches!(found.launched, Launched::Together(count) if count > 0);
                assert_eq!(
                    together,
                    records && every >= 2,
                    "{name}: {} {}",
                    found.launched,
                    found.iterations
                );
                let expected = expected.get_or_insert_with(|| found.try_clone());
                assert_eq!(found.residuals, expected.residuals, "{name}");
                let [x, y] = [&found, expected].map(|of| of.x.to_vec::<f64>().unwrap());
                assert_eq!(x, y, "{name}");
            }
        }
    }
}

trait TryClone {
    fn try_clone(&self) -> Self;
}

impl TryClone for Solution {
    fn try_clone(&self) -> Self {
        let residuals = self.residuals.clone();
        Self { x: self.x.try_clone().unwrap(), residuals, ..*self }
    }
}

#[test]
fn iterations_are_the_same_however_they_are_launched() {
    let stop = Stop::after(ITERATIONS);
    let (slope, positive) = (slope(), positive());
    let general = {
        let space = Space::new([41, 23], DType::Float64).unwrap();
        let slope =
            FirstDerivative::new(space.clone(), 1, 1.0, Scheme::Centered3, Edge::Zero).unwrap();
        (2.0 * Identity::new(space).unwrap() + slope).build().unwrap()
    };
    compare(&slope, |check_every| Cgls { damping: 0.1, stop, check_every }, true);
    compare(&slope, |check_every| Lsqr { damping: 0.1, stop, check_every }, true);
    compare(&slope, |check_every| Lsmr { damping: 0.1, stop, check_every }, true);
    compare(&positive, |check_every| Cg { preconditioner: None, stop, check_every }, true);
    let single = |check_every| SingleReductionCg { preconditioner: None, stop, check_every };
    compare(&positive, single, true);
    // `‖A‖` is not near 1, which the first iteration notices.
    let large = (1e3 * &positive).build().unwrap();
    compare(&large, |check_every| Minres { stop, check_every }, true);
    for preconditioner in [None, Some((0.3 * &positive).build().unwrap())] {
        let solver =
            |check_every| BiCgStab { preconditioner: preconditioner.clone(), stop, check_every };
        compare(&general, solver, true);
    }
    let gmres = |check_every| Gmres { restart: 8, stop, check_every, ..Gmres::default() };
    compare(&general, gmres, false);
    let fista = |check_every| Fista { step: Some(0.2), stop, check_every, ..Fista::default() };
    compare(&slope, fista, true);
}

/// An operator of one's own that enqueues, but cannot know that it does nothing else.
#[derive(Clone, Debug)]
struct Own(Operator);

impl LinearMap for Own {
    fn name(&self) -> &'static str {
        "Own"
    }

    fn domain(&self) -> &Space {
        self.0.domain()
    }

    fn range(&self) -> &Space {
        self.0.range()
    }

    fn properties(&self) -> Properties {
        self.0.properties()
    }

    fn enqueue(&self, on: Context<'_>, x: View<'_>, y: ViewMut<'_>, to: Update<'_>) -> Result<()> {
        self.0.enqueue(on, x, y, to)
    }

    fn enqueue_adjoint(
        &self,
        on: Context<'_>,
        x: View<'_>,
        y: ViewMut<'_>,
        to: Update<'_>,
    ) -> Result<()> {
        self.0.enqueue_adjoint(on, x, y, to)
    }
}

#[test]
fn a_solution_says_why_iterations_were_launched_one_by_one() {
    let slope = slope();
    for device in devices() {
        let y = data(&slope, device);
        let why = |solver: &Cgls, a: &dyn LinearMap| match solver.solve(a, &y).unwrap().launched {
            Launched::Singly(why) => why,
            together @ Launched::Together(_) => panic!("{device}: {together}"),
        };
        let after = |iterations| Cgls { stop: Stop::after(iterations), ..Cgls::default() };
        assert_eq!(why(&after(0), &slope), Singly::Few);
        assert_eq!(why(&after(3), &slope), Singly::Few);
        assert_eq!(why(&Cgls { check_every: 1, ..after(30) }, &slope), Singly::Few);
        assert_eq!(why(&after(30), &Own(slope.clone())), Singly::Operator);
        let sparsity = Sparsity { threshold: Threshold::SoftKeeping(20.0), ..Sparsity::default() };
        let keeping =
            Fista { sparsity, step: Some(0.1), stop: Stop::after(30), ..Fista::default() };
        let launched = keeping.solve(&slope, &y).unwrap().launched;
        assert_eq!(launched, Launched::Singly(Singly::Method), "{device}");
        assert_eq!(launched.to_string(), "one by one: the method makes each iteration another one");
        let solver = Cgls { check_every: 10, ..after(30) };
        // 4 and 4 of each 10, or what another count makes of them.
        let launched = solver.solve(&slope, &y).unwrap().launched;
        assert_eq!(launched, Launched::Together(24), "{device}");
        assert_eq!(launched.to_string(), "24 iterations several at once");
    }
    for device in Device::all().into_iter().filter(|of| of.kind() == DeviceKind::OpenCl) {
        let space = Space::new([41], DType::Float32).unwrap();
        let weights = Array::full([41], 2.0_f32, device).unwrap().into_shared();
        let a = Diagonal::new(space, weights).unwrap();
        let y = Array::full([41], 1.0_f32, device).unwrap();
        let launched = Cgls::default().solve(&a, &y).unwrap().launched;
        assert_eq!(launched, Launched::Singly(Singly::Device), "{device}");
    }
}

/// Solves with each number of iterations from one check to the next, far more than there is to be found.
fn unchanged<S: Solver>(a: &Operator, y: &Array, start: &Array, solver: impl Fn(usize) -> S) {
    for every in [1, 2, 3, 4, 7, 12, 40] {
        for given in [None, Some(start.try_clone().unwrap())] {
            let before = given.as_ref().map_or(vec![0.0; 3], |x| x.to_vec::<f64>().unwrap());
            let found = solver(every).solve_from(a, y, given, &mut ()).unwrap();
            let x = found.x.to_vec::<f64>().unwrap();
            assert_eq!(x, before, "{}, every {every}: {:?}", S::NAME, found.stopped);
        }
    }
}

#[test]
fn an_operator_that_maps_all_to_zero_leaves_the_model_as_it_was() {
    let space = Space::new([3], DType::Float64).unwrap();
    let array = |values: [f64; 3]| Array::from_slice(&values, [3]).unwrap();
    let zero = Diagonal::new(space, array([0.0, -0.0, 0.0]).into_shared()).unwrap();
    let (y, start, stop) = (array([0.7, -2.0, 1e-9]), array([1.0, 0.5, -3.0]), Stop::after(40));
    unchanged(&zero, &y, &start, |check_every| Cgls { damping: 0.0, stop, check_every });
    unchanged(&zero, &y, &start, |check_every| Lsqr { damping: 0.0, stop, check_every });
    unchanged(&zero, &y, &start, |check_every| Lsmr { damping: 0.0, stop, check_every });
    unchanged(&zero, &y, &start, |check_every| Cg { preconditioner: None, stop, check_every });
    let single = |check_every| SingleReductionCg { preconditioner: None, stop, check_every };
    unchanged(&zero, &y, &start, single);
    unchanged(&zero, &y, &start, |check_every| Minres { stop, check_every });
    unchanged(&zero, &y, &start, |check_every| BiCgStab {
        preconditioner: None,
        stop,
        check_every,
    });
    let gmres = |check_every| Gmres { restart: 2, stop, check_every, ..Gmres::default() };
    unchanged(&zero, &y, &start, gmres);
}
