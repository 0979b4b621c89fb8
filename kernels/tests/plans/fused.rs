//! Plans in fewer passes: the same results, and fewer bytes.

use std::sync::Arc;

use arrayspan_kernels::bridge::devices::Device;
use arrayspan_kernels::bridge::{Array, Relayout};
use arrayspan_kernels::{
    Band, Executor, Expression, Plan, Reduction, Result, Stencil, Trace, Update, Vector, VectorMut,
    constant, input, on, previous,
};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::{array, bits, on_each};

/// Vectors of one shape, and numbers.
type State = (Vec<Array>, Vec<Array>);

fn state(on: &dyn Executor, len: usize) -> State {
    let number = |seed| on_device(on, Array::from_slice(&[0.25 + f64::from(seed)], []).unwrap());
    ((0..5).map(|seed| array(on, &[len], seed)).collect(), (0..3).map(number).collect())
}

fn on_device(on: &dyn Executor, array: Array) -> Array {
    array.into_device(on.device()).unwrap().0
}

/// The vector of that number to be written, and all others to be read.
fn apart(vectors: &mut [Array], out: usize) -> (&mut Array, Vec<&Array>) {
    let (before, rest) = vectors.split_at_mut(out);
    let (own, after) = rest.split_first_mut().unwrap();
    (own, before.iter().chain(&*after).collect())
}

/// One of the calls that a pipeline may make, told by four numbers.
fn call(
    on: &dyn Executor,
    (vectors, numbers): &mut State,
    [what, out, a, b]: [usize; 4],
) -> Result<()> {
    let (own, others) = apart(vectors, out % 5);
    let [x, y] = [a, b].map(|at| others[at % 4].view());
    let number = numbers[b % 3].view();
    // A number that is no wider than elements, however it has grown.
    let share = || input(2) / (constant(1.0) + input(2).abs());
    match what % 11 {
        0 => on.map(
            &(previous() * constant(0.5) + share() * input(0)),
            &[x, y, number],
            own.view_mut(),
        ),
        1 => on.map(&(input(0) * constant(0.5) - input(1) * input(0)), &[x, y], own.view_mut()),
        2 => on.map(&constant(0.375), &[], own.view_mut()),
        3 => {
            let (first, rest) = vectors.split_at_mut(1 + out % 4);
            let (first, second) = (first.last_mut().unwrap(), &mut rest[0]);
            // Of what they held, and of the other's.
            let outputs = [
                (constant(0.5) * input(1) - previous(), first.view_mut()),
                (previous() + constant(0.25) * input(0), second.view_mut()),
            ];
            on.map_many(&[], outputs)
        }
        4 => {
            let norm = &mut numbers[b % 3];
            on.sum(&input(0).abs2(), &[x], norm.view_mut())
        }
        5 => {
            let dot = &mut numbers[b % 3];
            on.sum(&(input(0).conj() * input(1)), &[x, y], dot.view_mut())
        }
        6 => {
            let (own, others) = apart(numbers, b % 3);
            let ratio = input(0).div_or_zero(constant(1.0) + input(1).abs());
            on.map(&ratio, &[others[0].view(), others[1].view()], own.view_mut())
        }
        7 if b % 2 == 0 => on.copy(x.reversed(0)?, own.view_mut(), Update::new(0.5, 0.5)),
        7 => {
            let band = Band::uniform(x.shape()[0], [(-1, 0.25), (0, 0.5), (1, -0.125)]);
            on.stencil(&Stencil::along(0, band)?, x, own.view_mut(), Update::new(0.5, 0.25))
        }
        8 => {
            let (own, others) = apart(numbers, b % 3);
            let ratio = input(0).div_or_zero(constant(1.0) + input(1).abs());
            on.map_many(&[others[0].view(), others[1].view()], [(ratio, own.view_mut())])
        }
        9 => (0.75 * (x - y)).norm_squared_into(on, &mut numbers[b % 3]),
        _ => own.update_with_norm_squared_on(on, &mut numbers[a % 3], |own| 0.5 * own - x),
    }
}

fn all_bits((vectors, numbers): &State) -> Vec<u64> {
    let vectors = vectors.iter().flat_map(|of| bits(of).into_iter().map(u64::from));
    let numbers = numbers.iter().map(|of| of.item::<f64>().unwrap().to_bits());
    vectors.chain(numbers).collect()
}

#[test]
fn any_calls_leave_the_same_bits_and_move_no_more_bytes() {
    let host = on(Device::cpu()).unwrap();
    let calls = prop::collection::vec(prop::array::uniform4(0..60_usize), 1..14);
    let config = Config { cases: 600, failure_persistence: None, ..Config::default() };
    let mut fewer = 0;
    let lengths = prop::sample::select(vec![1_usize, 2, 37, 300, 5000]);
    TestRunner::new(config)
        .run(&(lengths, calls), |(len, calls)| {
            let mut direct = state(&*host, len);
            let record = |on: &dyn Executor, state: &mut State| {
                calls.iter().try_for_each(|of| call(on, state, *of))
            };
            let plan = Plan::record(host.clone(), state(&*host, len), record).unwrap();
            let before = plan.cost();
            let mut fused = plan.fused();
            let cost = fused.cost();
            prop_assert!(cost.bytes() <= before.bytes() && cost.launches <= before.launches);
            for _ in 0..2 {
                record(&*host, &mut direct).unwrap();
                fused.replay().unwrap();
                prop_assert_eq!(all_bits(fused.arrays()), all_bits(&direct));
            }
            Ok(())
        })
        .unwrap();
    // That it is not always the same calls.
    let mut count = |calls: &[[usize; 4]]| {
        let record = |on: &dyn Executor, state: &mut State| {
            calls.iter().try_for_each(|of| call(on, state, *of))
        };
        let plan = Plan::record(host.clone(), state(&*host, 37), record).unwrap();
        fewer += plan.steps().len() - plan.fused().steps().len();
    };
    count(&[[0, 0, 1, 0], [1, 1, 2, 3], [4, 0, 0, 1]]);
    assert_eq!(fewer, 2);
}

/// What is recorded, and how many calls and values it takes before and after.
#[track_caller]
fn takes(
    record: impl Fn(&dyn Executor, &mut State) -> Result<()>,
    calls: [usize; 2],
    values: [usize; 2],
) {
    let len = 1000;
    on_each(|on| {
        if !on.device().is_cpu() && !on.device().info().float64 {
            return;
        }
        let mut direct = state(&*on, len);
        let plan =
            Plan::record(on.clone(), state(&*on, len), |on, state| record(on, state)).unwrap();
        let count = |plan: &Plan<State>| (plan.steps().len(), plan.cost().bytes() / 4 / len);
        let before = count(&plan);
        let mut plan = plan.fused();
        assert_eq!([before, count(&plan)], [(calls[0], values[0]), (calls[1], values[1])]);
        for _ in 0..2 {
            record(&*on, &mut direct).unwrap();
            plan.replay().unwrap();
        }
        let (vectors, numbers) = plan.arrays();
        for (found, expected) in vectors.iter().zip(&direct.0) {
            let [found, expected] = [found, expected].map(|of| of.view().to_vec::<f32>().unwrap());
            let near = |(a, b): (f32, f32)| (a - b).abs() <= 1e-5 * (1.0 + b.abs());
            assert!(found.into_iter().zip(expected).all(near), "{}", on.device());
        }
        for (found, expected) in numbers.iter().zip(&direct.1) {
            let [found, expected] = [found, expected].map(|of| of.item::<f64>().unwrap());
            assert!((found - expected).abs() <= 1e-5 * expected.abs(), "{}", on.device());
        }
    });
}

#[test]
fn maps_of_one_input_read_it_once() {
    let record = |on: &dyn Executor, (vectors, _): &mut State| {
        let [x, y, z, ..] = &mut vectors[..] else { unreachable!("there are five") };
        y.add_scaled_on(on, 2.0, &*x)?;
        z.update_on(on, |z| 0.5 * z - &*x)
    };
    takes(record, [2, 1], [6, 5]);
}

#[test]
fn what_the_next_map_reads_is_computed_on_the_way() {
    let record = |on: &dyn Executor, (vectors, _): &mut State| {
        let [x, y, z, ..] = &mut vectors[..] else { unreachable!("there are five") };
        y.assign_on(on, 2.0 * &*x)?;
        z.assign_on(on, &*y - &*x)?;
        // And where it is written over, it is not written before.
        y.assign_on(on, &*z + 1.0)
    };
    takes(record, [3, 1], [2 + 3 + 2, 3]);
}

#[test]
fn a_map_that_overwrites_what_another_reads_is_joined_with_it() {
    let record = |on: &dyn Executor, (vectors, numbers): &mut State| {
        let [x, p, z, ..] = &mut vectors[..] else { unreachable!("there are five") };
        x.add_scaled_on(on, &numbers[0], &*p)?;
        p.update_on(on, |p| &*z + 0.5 * p)
    };
    takes(record, [2, 1], [6, 5]);
}

#[test]
fn norms_and_dots_are_added_up_where_arrays_are_at_hand() {
    let record = |on: &dyn Executor, (vectors, numbers): &mut State| {
        let [r, q, p, ..] = &mut vectors[..] else { unreachable!("there are five") };
        let [alpha, norm, dot] = &mut numbers[..] else { unreachable!("there are three") };
        r.update_on(on, |r| r - &*alpha * &*q)?;
        r.norm_squared_into(on, norm)?;
        on.sum(&(input(0).conj() * input(1)), &[q.view(), r.view()], dot.view_mut())?;
        // Of another array: one launch less, as many bytes.
        on.sum(&input(0).abs2(), &[p.view()], alpha.view_mut())
    };
    // The last one writes what the first reads.
    takes(record, [4, 2], [3 + 1 + 2 + 1, 3 + 1]);
}

/// As of two iterates; computed in 64 bits, as a reduction does.
#[test]
fn squared_differences_are_added_up_where_arrays_are_at_hand() {
    let record = |on: &dyn Executor, (vectors, numbers): &mut State| {
        let [new, old, slope, ..] = &mut vectors[..] else { unreachable!("there are five") };
        let [alpha, norm, other] = &mut numbers[..] else { unreachable!("there are three") };
        new.assign_on(on, &*old + &*alpha * &*slope)?;
        (1e30 * (&*new - &*old)).norm_squared_into(on, norm)?;
        (&*slope - &*new).norm_squared_into(on, other)
    };
    takes(record, [3, 1], [3 + 2 + 2, 3]);
}

#[test]
fn what_is_overwritten_before_it_is_read_is_not_computed() {
    let record = |on: &dyn Executor, (vectors, numbers): &mut State| {
        let [x, y, z, ..] = &mut vectors[..] else { unreachable!("there are five") };
        let line = stencil_along(1000);
        on.stencil(&line, x.view(), y.view_mut(), Update::set())?;
        x.norm_squared_into(on, &mut numbers[0])?;
        on.copy(z.view(), x.view_mut(), Update::new(1.0, 0.5))?;
        y.assign_on(on, 2.0 * &*x)
    };
    takes(record, [4, 3], [2 + 1 + 3 + 2, 1 + 3 + 2]);
}

fn stencil_along(len: usize) -> arrayspan_kernels::Stencil {
    let band = arrayspan_kernels::Band::uniform(len, [(0, 1.0), (1, 0.5)]);
    arrayspan_kernels::Stencil::new([(0, band)]).unwrap()
}

/// Numbers, other shapes, gaps, other reductions, and what lies between.
#[test]
fn what_cannot_be_joined_stays_apart() {
    let unchanged = |record: &dyn Fn(&dyn Executor, &mut State) -> Result<()>, calls: usize| {
        takes_calls(record, calls);
    };
    // A number decides about the next map.
    unchanged(
        &|on, (vectors, numbers)| {
            let [x, y, ..] = &mut vectors[..] else { unreachable!("there are five") };
            x.norm_squared_into(on, &mut numbers[0])?;
            y.update_on(on, |y| y.div_or_zero(&numbers[0]))
        },
        2,
    );
    // Another order of elements.
    unchanged(
        &|on, (vectors, _)| {
            let [x, y, ..] = &mut vectors[..] else { unreachable!("there are five") };
            on.map(&(input(0) + constant(1.0)), &[x.view()], y.view_mut())?;
            on.map(&(input(0) * constant(0.5)), &[y.view().reversed(0)?], x.view_mut())
        },
        2,
    );
    // A value of numbers alone, which is rounded where it is written.
    unchanged(
        &|on, (vectors, numbers)| {
            let [x, y, ..] = &mut vectors[..] else { unreachable!("there are five") };
            on.map(&(input(0) / constant(3.0)), &[numbers[0].view()], x.view_mut())?;
            y.update_on(on, |y| y * &*x * 3.0)
        },
        2,
    );
    unchanged(
        &|on, (vectors, numbers)| {
            let [x, y, ..] = &mut vectors[..] else { unreachable!("there are five") };
            x.update_on(on, |x| 2.0 * x)?;
            on.copy(x.view().reversed(0)?, y.view_mut(), Update::set())?;
            x.update_on(on, |x| x + &*y)?;
            let largest = &mut numbers[0];
            on.reduce(Reduction::Maximum, &input(0), &[x.view()], &[0], largest.view_mut())
        },
        4,
    );
}

fn takes_calls(record: &dyn Fn(&dyn Executor, &mut State) -> Result<()>, calls: usize) {
    let host = on(Device::cpu()).unwrap();
    let mut direct = state(&*host, 300);
    let plan = Plan::record(host.clone(), state(&*host, 300), |on, state| record(on, state));
    let mut plan = plan.unwrap().fused();
    assert_eq!(plan.steps().len(), calls);
    for _ in 0..2 {
        record(&*host, &mut direct).unwrap();
        plan.replay().unwrap();
        assert_eq!(all_bits(plan.arrays()), all_bits(&direct));
    }
}

/// Many operations or arrays are not one call.
#[test]
fn a_call_does_not_grow_without_end() {
    let host = on(Device::cpu()).unwrap();
    let record = |on: &dyn Executor, (vectors, _): &mut State| {
        let [x, y, ..] = &mut vectors[..] else { unreachable!("there are five") };
        for _ in 0..40 {
            let twice: Expression = previous() * previous() * constant(0.25) + input(0);
            on.map(&twice, &[x.view()], y.view_mut())?;
        }
        Ok::<(), arrayspan_kernels::Error>(())
    };
    let mut direct = state(&*host, 300);
    let plan = Plan::record(host.clone(), state(&*host, 300), record).unwrap();
    let mut plan = plan.fused();
    assert!((2..40).contains(&plan.steps().len()), "{}", plan.steps().len());
    record(&*host, &mut direct).unwrap();
    plan.replay().unwrap();
    assert_eq!(all_bits(plan.arrays()), all_bits(&direct));
}

/// What a plan costs is what its calls cost where they run.
#[test]
fn a_fused_plan_costs_what_it_says() {
    let trace = Arc::new(Trace::of(on(Device::cpu()).unwrap()));
    let record = |on: &dyn Executor, (vectors, numbers): &mut State| {
        let [x, y, ..] = &mut vectors[..] else { unreachable!("there are five") };
        x.update_on(on, |x| x - &*y)?;
        x.norm_squared_into(on, &mut numbers[0])
    };
    let plan = Plan::record(trace.clone(), state(&*trace, 300), record).unwrap();
    let mut plan = plan.fused();
    let _ = trace.take();
    plan.replay().unwrap();
    assert_eq!(trace.take(), plan.cost());
}

/// The norm of what a stencil writes is part of its call, where nothing between them writes either, or reads what the norm is
/// written to.
#[test]
fn a_norm_of_what_a_stencil_writes_is_part_of_its_call() {
    on_each(|on| {
        let filter = Stencil::along(0, Band::uniform(700, (-10..=10).map(|k| (k, 0.05)))).unwrap();
        for (between, steps) in [(0, 2), (1, 2), (2, 3)] {
            let calls = |on: &dyn Executor, (vectors, numbers): &mut State| -> Result<()> {
                let [x, y, z, ..] = &mut vectors[..] else { unreachable!() };
                on.stencil(&filter, x.view(), y.view_mut(), Update::set())?;
                match between {
                    0 => z.update_on(on, |z| 2.0 * z)?,
                    1 => y.update_on(on, |y| 2.0 * y)?,
                    _ => z.update_on(on, |z| &numbers[0] * z)?,
                }
                y.norm_squared_into(on, &mut numbers[0])
            };
            let mut plain = state(&*on, 700);
            calls(&*on, &mut plain).unwrap();
            let plan = Plan::record(on.clone(), state(&*on, 700), calls).unwrap();
            let mut plan = plan.fused();
            assert_eq!(plan.steps().len(), steps);
            plan.replay().unwrap();
            let (vectors, numbers) = plan.into_arrays();
            for (own, other) in vectors.iter().zip(&plain.0) {
                assert_eq!(bits(own), bits(other));
            }
            let [own, other] = [&numbers, &plain.1].map(|of| of[0].item::<f64>().unwrap());
            assert!((own - other).abs() <= 1e-12 * other);
        }
    });
}
