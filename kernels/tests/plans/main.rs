//! Plans: recorded calls do what direct calls do, on arrays that nobody else has.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

mod drawn;
mod epilogues;
mod exchanged;
mod fused;
mod keeping;
mod refused;
mod taken;

use std::sync::{Arc, Barrier};
use std::thread;

use arrayspan_kernels::bridge::devices::Device;
use arrayspan_kernels::bridge::{Array, DType, Relayout, SharedArray};
use arrayspan_kernels::verb::{Coefficients, StencilTerm};
use arrayspan_kernels::{
    Arrays, Band, Error, Executor, Fourier, Gather, Plan, Reduction, Result, Scan, Stencil, Trace,
    Update, constant, input, on, previous,
};

/// On the host and on every device that runs kernels.
fn on_each(test: impl Fn(Arc<dyn Executor>)) {
    for device in Device::all() {
        test(on(device).unwrap());
    }
}

/// Numbers that no two arrays share.
fn array(executor: &dyn Executor, shape: &[usize], seed: u32) -> Array {
    let len: usize = shape.iter().product();
    let number = |at: usize| ((at as u32 * 37 + seed * 101) % 1009) as f32 / 1009.0 - 0.5;
    let values: Vec<f32> = (0..len).map(number).collect();
    Array::from_slice(&values, shape).unwrap().into_device(executor.device()).unwrap().0
}

fn bits(array: &Array) -> Vec<u32> {
    array.view().to_vec::<f32>().unwrap().into_iter().map(f32::to_bits).collect()
}

/// A row with many entries among others, whose table is made anew for each call.
fn picked() -> Gather {
    let starts = (0..=16).chain([90]).collect();
    Gather::new(0, &[17], &[17], starts, (0..90).map(|entry| entry * 5 % 17).collect(), None)
        .unwrap()
}

fn stencil() -> Stencil {
    let along = |len| Band::uniform(len, [(-1, 0.25), (0, -0.5), (1, 0.75)]);
    Stencil::new([(0, along(17)), (1, along(19))]).unwrap()
}

/// What calls read and write: matrices, one of them turned, and a single number.
struct State {
    x: Array,
    y: Array,
    turned: Array,
    square: Array,
    sum: Array,
}

impl State {
    fn new(executor: &dyn Executor, seed: u32) -> Self {
        Self {
            x: array(executor, &[17, 19], seed),
            y: array(executor, &[17, 19], seed + 1),
            turned: array(executor, &[19, 17], seed + 2),
            square: array(executor, &[17, 17], seed + 3),
            sum: array(executor, &[], seed + 4),
        }
    }

    fn bits(&self) -> [Vec<u32>; 5] {
        [&self.x, &self.y, &self.turned, &self.square, &self.sum].map(bits)
    }

    /// Every verb, each on what others have written.
    fn iterate(&mut self, on: &dyn Executor, weights: &SharedArray) -> Result<()> {
        let Self { x, y, turned, square, sum } = self;
        on.stencil(&stencil(), x.view(), y.view_mut(), Update::new(0.5, 0.25))?;
        let scaled = input(0) * input(1) + constant(0.125) * previous();
        on.map(&scaled, &[y.view(), weights.view()], x.view_mut())?;
        let x_turned = x.view().permuted(&[1, 0])?.reversed(0)?;
        on.copy(x_turned.clone(), turned.view_mut(), Update::set())?;
        on.copy(x_turned, turned.view_mut(), Update::new(-0.5, 0.5))?;
        let weighted = StencilTerm {
            before: Some(Coefficients { array: weights.view(), conjugated: false }),
            ..StencilTerm::new(&stencil(), x.view())
        };
        on.stencil_sum(&[weighted], y.view_mut(), Update::new(0.5, 0.25))?;
        on.gather(&picked(), x.view(), y.view_mut(), Update::new(0.5, 0.25))?;
        let sums = Scan::weighted(0, 17, 0.5, 0.0, 0.5)?;
        on.scan(&sums, x.view(), y.view_mut(), Update::new(0.1, 0.5))?;
        let both = [(input(0) + previous(), x.view_mut()), (input(0).abs2(), y.view_mut())];
        on.map_many(&[weights.view()], both)?;
        on.gemm(x.view(), false, turned.view(), square.view_mut(), Update::new(0.1, 0.5))?;
        on.sum(&input(0).abs2(), &[square.view()], sum.view_mut())?;
        on.reduce(Reduction::Maximum, &input(0), &[x.view()], &[0], y.view_mut().selected(0, 3)?)?;
        on.map(&(input(0) / (constant(1.0) + input(1))), &[y.view(), sum.view()], x.view_mut())
    }
}

impl Arrays for State {
    fn show<'a>(&'a mut self, show: &mut dyn FnMut(&'a mut Array)) {
        let Self { x, y, turned, square, sum } = self;
        [x, y, turned, square, sum].into_iter().for_each(show);
    }
}

fn plan_of(on: &Arc<dyn Executor>, state: State, weights: &SharedArray) -> Plan<State> {
    Plan::record(on.clone(), state, |on, state| state.iterate(on, weights)).unwrap()
}

#[test]
fn replays_give_the_same_bits_as_direct_calls() {
    on_each(|on| {
        let weights = array(&*on, &[17, 19], 9).into_shared();
        let mut direct = State::new(&*on, 1);
        let mut plan = plan_of(&on, State::new(&*on, 1), &weights);
        assert_eq!(plan.arrays().bits(), direct.bits(), "nothing runs while it is recorded");
        for _ in 0..3 {
            direct.iterate(&*on, &weights).unwrap();
            plan.replay().unwrap();
            assert_eq!(plan.arrays().bits(), direct.bits(), "{}", on.device());
        }
        assert_eq!(plan.into_arrays().bits(), direct.bits());
    });
}

#[test]
fn fourier_transforms_are_kept_with_all_their_passes() {
    on_each(|on| {
        // Of one pass, and of lines that are convolved.
        for points in [16, 17] {
            let fourier = Fourier::new(0, points).unwrap().half().weighted(0.25).unwrap();
            let new = || {
                let bins = on.empty(&[fourier.bins(), 3], DType::Complex64).unwrap();
                [array(&*on, &[points, 3], 1), bins, array(&*on, &[points, 3], 2)]
            };
            let iterate = |on: &dyn Executor, [x, bins, y]: &mut [Array; 3]| -> Result<()> {
                on.fft(&fourier, x.view(), bins.view_mut(), Update::set())?;
                on.fft(&fourier.adjoint(), bins.view(), y.view_mut(), Update::new(0.5, 0.25))?;
                on.copy(y.view(), x.view_mut(), Update::new(0.1, 0.5))
            };
            let mut direct = new();
            let mut plan = Plan::record(on.clone(), new(), iterate).unwrap();
            for _ in 0..3 {
                iterate(&*on, &mut direct).unwrap();
                plan.replay().unwrap();
                let [kept, called] = [&plan.arrays()[2], &direct[2]].map(bits);
                assert_eq!(kept, called, "{points} points on {}", on.device());
            }
        }
    });
}

#[test]
fn plans_over_different_arrays_alternate() {
    on_each(|on| {
        let weights = array(&*on, &[17, 19], 9).into_shared();
        let mut direct = [1, 2].map(|seed| State::new(&*on, seed));
        let mut plans = [1, 2].map(|seed| plan_of(&on, State::new(&*on, seed), &weights));
        for turn in [0, 1, 1, 0, 1] {
            direct[turn].iterate(&*on, &weights).unwrap();
            plans[turn].replay().unwrap();
            for (plan, direct) in plans.iter().zip(&direct) {
                assert_eq!(plan.arrays().bits(), direct.bits(), "{}", on.device());
            }
        }
    });
}

#[test]
fn a_plan_moves_to_another_thread() {
    on_each(|on| {
        let weights = array(&*on, &[17, 19], 9).into_shared();
        let mut direct = State::new(&*on, 1);
        let mut plan = plan_of(&on, State::new(&*on, 1), &weights);
        direct.iterate(&*on, &weights).unwrap();
        let there = thread::spawn(move || {
            plan.replay().unwrap();
            plan.into_arrays()
        });
        assert_eq!(there.join().unwrap().bits(), direct.bits());
    });
}

#[test]
fn arrays_are_read_and_written_between_replays() {
    on_each(|on| {
        let (x, y) = (array(&*on, &[5, 7], 1), array(&*on, &[5, 7], 2));
        let doubled = constant(2.0) * input(0);
        let mut plan = Plan::record::<Error>(on.clone(), (x, [y]), |on, (x, [y])| {
            on.map(&doubled, &[x.view()], y.view_mut())
        })
        .unwrap();
        for seed in 3..6 {
            let new = array(&*on, &[5, 7], seed);
            let stream = on.stream();
            plan.arrays_mut().0.view_mut().copy_from(&new.view(), stream).unwrap();
            plan.replay().unwrap();
            let new = new.view().to_vec::<f32>().unwrap();
            let twice: Vec<f32> = new.iter().map(|x| 2.0 * x).collect();
            assert_eq!(plan.arrays().1[0].view().to_vec::<f32>().unwrap(), twice);
        }
    });
}

#[test]
fn a_plan_that_was_recorded_by_several_threads_has_all_their_calls() {
    on_each(|on| {
        let arrays: Vec<Array> = (0..4).map(|seed| array(&*on, &[5], seed)).collect();
        let expected: Vec<Vec<f32>> = arrays
            .iter()
            .map(|array| array.view().to_vec::<f32>().unwrap().iter().map(|x| x + 5.0).collect())
            .collect();
        let barrier = Barrier::new(4);
        let mut plan = Plan::record::<Error>(on.clone(), arrays, |on, arrays| {
            thread::scope(|scope| {
                for array in arrays {
                    let barrier = &barrier;
                    scope.spawn(move || {
                        barrier.wait();
                        for _ in 0..5 {
                            let plus = previous() + constant(1.0);
                            on.map(&plus, &[], array.view_mut()).unwrap();
                        }
                    });
                }
            });
            Ok(())
        })
        .unwrap();
        assert_eq!(plan.steps().len(), 20);
        plan.replay().unwrap();
        for (array, expected) in plan.arrays().iter().zip(expected) {
            let found = array.view().to_vec::<f32>().unwrap();
            let near = found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-5);
            assert!(near, "{found:?} is not {expected:?}");
        }
    });
}

#[test]
fn the_cost_of_a_plan_is_what_its_replays_cost() {
    on_each(|on| {
        let trace = Arc::new(Trace::of(on.clone()));
        let weights = array(&*on, &[17, 19], 9).into_shared();
        let executor: Arc<dyn Executor> = trace.clone();
        let mut plan = plan_of(&executor, State::new(&*on, 1), &weights);
        assert!(trace.steps().is_empty(), "recording costs nothing");
        plan.replay().unwrap();
        assert_eq!(trace.steps(), plan.steps());
        assert_eq!(trace.take(), plan.cost());
        assert!(plan.cost().bytes() > 0);
    });
}

#[test]
fn what_recording_fails_with_is_what_the_caller_gets() {
    let host = on(Device::cpu()).unwrap();
    let mut x = array(&*host, &[3], 1);
    let failed = Plan::record(host.clone(), &mut x, |_, _| Err("no".to_owned()));
    assert_eq!(failed.map(|_| ()).unwrap_err(), "no");
    // A call that is wrong in itself is refused as it would be directly.
    let wrong = Plan::record(host.clone(), &mut x, |on, x| on.map(&input(0), &[], x.view_mut()));
    assert!(matches!(wrong.map(|_| ()), Err(Error::Argument { .. })));
    let Some(device) = Device::all().into_iter().find(|device| !device.is_cpu()) else { return };
    let mut there = array(&*on(device).unwrap(), &[3], 1);
    let elsewhere =
        Plan::record(host, &mut there, |on, x| on.map(&constant(0.0), &[], x.view_mut()));
    assert!(matches!(elsewhere.map(|_| ()), Err(Error::WrongDevice { .. })));
}
