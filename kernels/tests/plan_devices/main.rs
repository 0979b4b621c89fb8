//! Transfers between devices, and plans that go over several: of kinds that run kernels, and of one that works later than it
//! was asked to. In a process of its own, because that kind is there for good.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

#[path = "../../../devices/tests/fourth_kind/queue.rs"]
mod queue;
#[path = "../../../devices/tests/fourth_kind/shelf.rs"]
mod shelf;
mod shelves;
mod transfers;

use std::sync::Arc;
use std::{mem, thread};

use arrayspan_kernels::bridge::devices::Device;
use arrayspan_kernels::bridge::{Array, DType, Relayout, SharedArray};
use arrayspan_kernels::{
    Band, Error, Executor, Plan, Result, Stencil, Trace, Update, constant, input, on, on_stream,
    previous,
};

/// Executors of two devices, or of two streams of one.
fn pairs() -> Vec<[Arc<dyn Executor>; 2]> {
    let runs = |device: &Device| device.is_cpu() || device.kind().dialect().is_some();
    let host = on(Device::cpu()).unwrap();
    let others = Device::all().into_iter().filter(runs).flat_map(|device| {
        let stream = device.new_stream().unwrap();
        [on(device).unwrap(), on_stream(&stream).unwrap()]
    });
    others.map(|other| [host.clone(), other]).collect()
}

fn numbers(len: usize, seed: u32) -> Vec<f32> {
    let number = |at: usize| ((at as u32 * 37 + seed * 101) % 1009) as f32 / 1009.0 - 0.5;
    (0..len).map(number).collect()
}

fn array(device: Device, shape: &[usize], seed: u32) -> Array {
    let len = shape.iter().product();
    Array::from_vec(numbers(len, seed), shape).unwrap().into_device(device).unwrap().0
}

fn bits(array: &Array) -> Vec<u32> {
    array.view().to_vec::<f32>().unwrap().into_iter().map(f32::to_bits).collect()
}

/// Two arrays on each of two devices.
struct State {
    here: [Array; 2],
    there: [Array; 2],
}

const SHAPE: [usize; 2] = [67, 31];

impl State {
    fn new(executors: &[Arc<dyn Executor>; 2]) -> Self {
        let [here, there] = executors.each_ref().map(|on| on.device());
        let arrays = |device, seed| [array(device, &SHAPE, seed), array(device, &SHAPE, seed + 1)];
        Self { here: arrays(here, 1), there: arrays(there, 3) }
    }

    fn bits(&self) -> Vec<Vec<u32>> {
        self.here.iter().chain(&self.there).map(bits).collect()
    }

    /// There and back, with work on both sides that each transfer has to wait for, and work on what was moved.
    fn iterate(&mut self, [on, other]: [&dyn Executor; 2], weights: &SharedArray) -> Result<()> {
        let Self { here: [x, y], there: [u, v] } = self;
        let band = Band::uniform(SHAPE[0], [(-1, 0.25), (0, -0.5), (1, 0.75)]);
        let stencil = Stencil::along(0, band)?;
        on.map(&(constant(0.5) * previous() + constant(0.125)), &[], x.view_mut())?;
        other.transfer(x.view(), u.view_mut())?;
        other.stencil(&stencil, u.view(), v.view_mut(), Update::new(0.5, 0.25))?;
        // The host goes on with what has been moved.
        on.map(&(-previous()), &[], x.view_mut())?;
        other.transfer(v.view().reversed(0)?, y.view_mut())?;
        other.map(&(constant(2.0) * input(0)), &[u.view()], v.view_mut())?;
        on.map(&(input(0) * input(1) + previous()), &[y.view(), weights.view()], x.view_mut())
    }
}

impl arrayspan_kernels::Arrays for State {
    fn show<'a>(&'a mut self, show: &mut dyn FnMut(&'a mut Array)) {
        self.here.iter_mut().chain(&mut self.there).for_each(show);
    }
}

fn plan(executors: &[Arc<dyn Executor>; 2], weights: &SharedArray) -> Plan<State> {
    let [on, other] = executors;
    Plan::record::<Error>(on.clone(), State::new(executors), |on, state| {
        state.iterate([on, on.beside(other).unwrap()], weights)
    })
    .unwrap()
}

#[test]
fn replays_over_two_devices_give_the_same_bits_as_direct_calls() {
    for executors in pairs() {
        let weights = array(Device::cpu(), &SHAPE, 9).into_shared();
        let mut direct = State::new(&executors);
        let mut plan = plan(&executors, &weights);
        assert_eq!(plan.arrays().bits(), direct.bits(), "nothing runs while it is recorded");
        for round in 0..4 {
            direct.iterate([&*executors[0], &*executors[1]], &weights).unwrap();
            plan.replay().unwrap();
            let what = format!("{} {round}", executors[1].device());
            // Without a look between the first two replays, so that nothing waits but what has to.
            if round != 0 {
                assert_eq!(plan.arrays().bits(), direct.bits(), "{what}");
            }
        }
    }
}

#[test]
fn a_plan_over_two_devices_moves_to_another_thread() {
    for executors in pairs() {
        let weights = array(Device::cpu(), &SHAPE, 9).into_shared();
        let mut direct = State::new(&executors);
        direct.iterate([&*executors[0], &*executors[1]], &weights).unwrap();
        let mut plan = plan(&executors, &weights);
        let there = thread::spawn(move || {
            plan.replay().unwrap();
            plan.into_arrays()
        });
        assert_eq!(there.join().unwrap().bits(), direct.bits());
    }
}

#[test]
fn arrays_of_each_device_are_looked_for_before_each_replay() {
    for executors in pairs() {
        let weights = array(Device::cpu(), &SHAPE, 9).into_shared();
        let mut plan = plan(&executors, &weights);
        plan.replay().unwrap();
        let before = plan.arrays().bits();
        let device = executors[1].device();
        for at in 0..2 {
            let new = array(device, &SHAPE, 3);
            let taken = mem::replace(&mut plan.arrays_mut().there[at], new);
            let error = plan.replay().unwrap_err();
            let missed = [
                "transfer: the plan keeps no array with the memory of y",
                "stencil: the plan keeps no array with the memory of y",
            ];
            assert_eq!(error.to_string(), missed[at], "{device}");
            plan.arrays_mut().there[at] = taken;
            assert_eq!(plan.arrays().bits(), before, "nothing ran on any device");
        }
        plan.replay().unwrap();
        assert_ne!(plan.arrays().bits(), before);
    }
}

#[test]
fn what_the_plan_does_not_keep_on_another_device_is_refused() {
    for [on, other] in pairs() {
        let (here, there) = (array(on.device(), &SHAPE, 1), array(other.device(), &SHAPE, 2));
        let mut elsewhere = array(other.device(), &SHAPE, 2);
        let refused = Plan::record::<Error>(on.clone(), (here, there), |on, (here, _)| {
            on.beside(&other).unwrap().transfer(here.view(), elsewhere.view_mut())
        });
        let error = refused.map(|_| ()).unwrap_err();
        assert!(matches!(error, Error::NotKept { .. }), "{error:?}");
        assert_eq!(error.to_string(), "transfer: the plan keeps no array with the memory of y");
        assert_eq!(bits(&elsewhere), bits(&array(other.device(), &SHAPE, 2)));
    }
}

#[test]
fn executors_that_run_what_they_are_given_stand_for_themselves() {
    for [on, other] in pairs() {
        assert!(on.beside(&other).is_none() && !on.records());
        let nothing: [Array; 0] = [];
        Plan::record::<Error>(on.clone(), nothing, |recorder, _| {
            let beside = recorder.beside(&other).unwrap();
            assert!(beside.records() && beside.device() == other.device());
            // Each executor has one, whoever is asked for it.
            let same = |a: &dyn Executor, b: &dyn Executor| std::ptr::addr_eq(a, b);
            assert!(same(beside, beside.beside(&other).unwrap()));
            assert!(same(beside, recorder.beside(&other).unwrap()));
            assert!(same(recorder, recorder.beside(&on).unwrap()));
            Ok(())
        })
        .unwrap();
    }
}

#[test]
fn steps_are_those_of_all_devices_and_cost_what_they_cost_there() {
    for executors in pairs() {
        let weights = array(Device::cpu(), &SHAPE, 9).into_shared();
        let traces = executors.each_ref().map(|on| Arc::new(Trace::of(on.clone())));
        let traced = traces.each_ref().map(|trace| trace.clone() as Arc<dyn Executor>);
        let mut plan = plan(&traced, &weights);
        assert!(traces.iter().all(|trace| trace.steps().is_empty()), "recording costs nothing");
        plan.replay().unwrap();
        let names: Vec<_> = plan.steps().into_iter().map(|step| step.0).collect();
        let expected = ["map", "transfer", "stencil", "map", "transfer", "map", "map"];
        assert_eq!(names, expected);
        let mut cost = traces[0].take();
        assert_eq!(traces[1].steps().len(), 4);
        cost += traces[1].take();
        assert_eq!(cost, plan.cost());
    }
}

#[test]
fn a_plan_keeps_the_dtype_and_layout_of_what_it_transfers() {
    for [on, other] in pairs() {
        let x = Array::from_vec((0..30_u8).collect(), [5, 6]).unwrap();
        let y = Array::empty([3, 5], DType::UInt8, other.stream()).unwrap();
        let mut plan = Plan::record::<Error>(on, (x, y), |on, (x, y)| {
            let x = x.view().stepped(1, 2)?.permuted(&[1, 0])?;
            on.beside(&other).unwrap().transfer(x, y.view_mut())
        })
        .unwrap();
        plan.replay().unwrap();
        let found = plan.arrays().1.view().to_vec::<u8>().unwrap();
        let expected: Vec<u8> = (0..15).map(|at| (at % 5) * 6 + at / 5 * 2).collect();
        assert_eq!(found, expected);
    }
}
