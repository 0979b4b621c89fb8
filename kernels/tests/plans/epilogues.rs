//! What is computed of sums is part of the call that adds them up, and the same.

use std::sync::Arc;

use arrayspan_kernels::bridge::Array;
use arrayspan_kernels::{
    Band, Executor, Plan, Reduction, Result, Stencil, Update, Vector, VectorMut, constant, input,
    previous,
};

use num_complex::Complex32;

use super::{array, bits, on_each};

/// Vectors of one length, and numbers.
type State = (Vec<Array>, Vec<Array>);

fn state(on: &dyn Executor, len: usize) -> State {
    let vectors = (0..3).map(|seed| array(on, &[len], seed));
    (vectors.collect(), (0..5).map(|k| number(on, f64::from(k) + 0.5)).collect())
}

fn number(on: &dyn Executor, value: f64) -> Array {
    Array::from_slice(&[value], []).unwrap().into_device(on.device()).unwrap().0
}

/// On the host and on every device that has numbers of 64 bits.
fn on_each_with_float64(test: impl Fn(Arc<dyn Executor>)) {
    on_each(|on| {
        if on.device().is_cpu() || on.device().info().float64 {
            test(on);
        }
    });
}

/// Fails unless numbers are the same but for so much of each.
#[track_caller]
fn assert_near(found: &[Array], expected: &[Array], share: f64, what: &str) {
    for (own, other) in found.iter().zip(expected) {
        let [own, other] = [own, other].map(|of| of.item::<f64>().unwrap());
        assert!((own - other).abs() <= share * other.abs(), "{what}: {own}, {other}");
    }
}

/// Adds something up, in each of the ways there are.
fn adds_up(on: &dyn Executor, (vectors, numbers): &mut State, way: usize) -> Result<()> {
    let [x, y, z] = &mut vectors[..] else { unreachable!("there are three") };
    let [sum, other, ..] = &mut numbers[..] else { unreachable!("there are five") };
    let len = x.shape()[0];
    match way {
        // A stencil with a norm, a long one and one of a few taps.
        0 | 1 => {
            let taps = if way == 0 { 21 } else { 3 };
            let band = Band::uniform(len, (0..taps).map(|k| (k - taps / 2, 0.05)));
            on.stencil(&Stencil::along(0, band)?, x.view(), y.view_mut(), Update::set())?;
            y.norm_squared_into(on, sum)
        }
        // A map with two sums.
        2 => {
            y.update_on(on, |y| y - 0.5 * &*x)?;
            y.norm_squared_into(on, sum)?;
            on.sum(&(input(0) * input(1)), &[x.view(), y.view()], other.view_mut())
        }
        // A reduction.
        3 => on.sum(&input(0).abs2(), &[z.view()], sum.view_mut()),
        _ => on.reduce(Reduction::Maximum, &input(0), &[z.view()], &[0], sum.view_mut()),
    }
}

/// Two numbers of the sum and of others.
fn numbers_of_sums(on: &dyn Executor, numbers: &mut [Array]) -> Result<()> {
    let [sum, other, known, ratio, largest] = numbers else { unreachable!("there are five") };
    let inputs = [known.view(), sum.view(), other.view()];
    let of = input(1).div_or_zero(constant(3.0) + input(0)) - input(2) / input(2);
    let outputs = [
        (of.clone().abs().sqrt(), ratio.view_mut()),
        (of.max(input(0)).min(constant(1e3)), largest.view_mut()),
    ];
    on.map_many(&inputs, outputs)
}

#[test]
fn numbers_of_sums_are_part_of_the_call_that_adds_them_up() {
    on_each_with_float64(|on| {
        // One group, some, and many; none of them even.
        for len in [37, 3001, 100_003, 1_000_003] {
            for (way, calls) in [(0, 1), (1, 1), (2, 1), (3, 1), (4, 2)] {
                let what = format!("way {way}, length {len} on {}", on.device());
                let record = |on: &dyn Executor, state: &mut State| {
                    adds_up(on, state, way)?;
                    numbers_of_sums(on, &mut state.1)
                };
                let mut direct = state(&*on, len);
                let mut plan = Plan::record(on.clone(), state(&*on, len), record).unwrap().fused();
                assert_eq!(plan.steps().len(), calls, "{what}");
                for _ in 0..3 {
                    record(&*on, &mut direct).unwrap();
                    plan.replay().unwrap();
                    let (vectors, numbers) = plan.arrays();
                    for (own, other) in vectors.iter().zip(&direct.0) {
                        assert_eq!(bits(own), bits(other), "{what}");
                    }
                    assert_near(numbers, &direct.1, 1e-9, &what);
                }
            }
        }
    });
}

/// NaN and infinity are sums as others are.
#[test]
fn sums_that_are_no_numbers_are_passed_on() {
    on_each_with_float64(|on| {
        for (value, len) in
            [(f32::NAN, 100_003), (f32::from_bits(u32::MAX), 100_003), (f32::INFINITY, 3001)]
        {
            let mut state = state(&*on, len);
            let mut values = vec![1.0_f32; len];
            values[len / 2] = value;
            let values = Array::from_vec(values, [len]).unwrap();
            state.0[2] = values.into_device(on.device()).unwrap().0;
            let record = |on: &dyn Executor, state: &mut State| {
                adds_up(on, state, 3)?;
                numbers_of_sums(on, &mut state.1)
            };
            let mut plan = Plan::record(on.clone(), state, record).unwrap().fused();
            for _ in 0..2 {
                plan.replay().unwrap();
                let numbers: Vec<f64> =
                    plan.arrays().1.iter().map(|of| of.item::<f64>().unwrap()).collect();
                for of in [numbers[0], numbers[3]] {
                    assert!(if value.is_nan() { of.is_nan() } else { of.is_infinite() }, "{of}");
                }
            }
        }
    });
}

/// What reads or writes more than sums stays a call of its own, and so does what reads what it writes.
#[test]
fn numbers_of_other_arrays_stay_apart() {
    on_each_with_float64(|on| {
        let calls = |numbers: &dyn Fn(&dyn Executor, &mut State) -> Result<()>, expected: usize| {
            let record = |on: &dyn Executor, state: &mut State| {
                let (vectors, sums) = (&mut state.0, &mut state.1);
                vectors[1].update_on(on, |y| y * &sums[3])?;
                vectors[1].norm_squared_into(on, &mut sums[0])?;
                numbers(on, state)
            };
            let mut direct = state(&*on, 5003);
            let mut plan = Plan::record(on.clone(), state(&*on, 5003), record).unwrap().fused();
            assert_eq!(plan.steps().len(), expected, "{}", on.device());
            for _ in 0..2 {
                record(&*on, &mut direct).unwrap();
                plan.replay().unwrap();
            }
            assert_near(&plan.arrays().1, &direct.1, 1e-9, "");
        };
        // Written where the first call reads.
        calls(
            &|on, (_, numbers)| {
                let [sum, .., ratio, _] = &mut numbers[..] else { unreachable!("there are five") };
                let of = input(0) / (input(0) + constant(1.0));
                on.map_many(&[sum.view()], [(of, ratio.view_mut())])
            },
            2,
        );
        // Of what the output held.
        calls(
            &|on, (_, numbers)| {
                let [sum, .., other] = &mut numbers[..] else { unreachable!("there are five") };
                let of = previous() + constant(0.5) * input(0);
                on.map_many(&[sum.view()], [(of, other.view_mut())])
            },
            2,
        );
        // Of none of its sums.
        calls(
            &|on, (_, numbers)| {
                let [_, a, b, _, other] = &mut numbers[..] else { unreachable!("there are five") };
                on.map_many(&[a.view(), b.view()], [(input(0) + input(1), other.view_mut())])
            },
            2,
        );
    });
}

/// Calls with as many operands in all, but other inputs, are told apart by what keeps launches.
#[test]
fn calls_with_as_many_operands_are_told_apart() {
    on_each_with_float64(|on| {
        for turn in 0..2 {
            let mut plans: Vec<Plan<Vec<Array>>> = Vec::new();
            for way in [turn, 1 - turn] {
                let numbers = [3.0, 4.0, 5.0, 6.0, 7.0].map(|value| number(&*on, value));
                let record = |on: &dyn Executor, numbers: &mut Vec<Array>| {
                    let [s, a, b, q, p] = &mut numbers[..] else { unreachable!("there are five") };
                    let twice = input(0) * constant(2.0);
                    if way == 0 {
                        on.sum(&input(0).abs2(), &[a.view(), b.view()], s.view_mut())?;
                        on.map_many(&[s.view()], [(twice, q.view_mut())])
                    } else {
                        on.sum(&input(0).abs2(), &[a.view()], s.view_mut())?;
                        on.map_many(&[p.view(), s.view()], [(twice, q.view_mut())])
                    }
                };
                let plan = Plan::record(on.clone(), Vec::from(numbers), record);
                plans.push(plan.unwrap().fused());
            }
            for (at, plan) in plans.iter_mut().enumerate() {
                plan.replay().unwrap();
                let found: Vec<f64> =
                    plan.arrays().iter().map(|of| of.item::<f64>().unwrap()).collect();
                let of_sum = if [turn, 1 - turn][at] == 0 { 32.0 } else { 14.0 };
                let exact = |(a, b): (f64, f64)| (a - b).abs() < 1e-12;
                let expected = [16.0, 4.0, 5.0, of_sum, 7.0];
                assert!(found.iter().copied().zip(expected).all(exact), "{found:?}");
            }
        }
    });
}

/// Numbers of 32 bits in what a kernel computes beside sums of 64.
#[test]
fn numbers_of_two_widths_stay_what_they_are() {
    on_each_with_float64(|on| {
        for len in [37, 5003, 100_003] {
            let new = || {
                let complex: Vec<Complex32> =
                    (0..2 * len).map(|k| Complex32::new((k % 19) as f32 - 9.0, 0.5)).collect();
                let (x, y) = complex.split_at(len);
                let on_device = |array: Array| array.into_device(on.device()).unwrap().0;
                let factor = Array::from_slice(&[0.25_f32], []).unwrap();
                let number = |value: f64| Array::from_slice(&[value], []).unwrap();
                let arrays = [x, y].map(|of| Array::from_vec(of.to_vec(), [len]).unwrap());
                let numbers = [factor, number(0.0), number(3.0), number(0.0)];
                arrays.into_iter().chain(numbers).map(on_device).collect::<Vec<_>>()
            };
            let record = |on: &dyn Executor, all: &mut Vec<Array>| {
                let [x, y, factor, norm, other, out] = &mut all[..] else { unreachable!() };
                let update = input(0) * input(1) + constant(0.5) * previous();
                on.map(&update, &[x.view(), factor.view()], y.view_mut())?;
                on.sum(&input(0).abs2(), &[x.view()], norm.view_mut())?;
                let of = input(0) / (input(1) + constant(1.0));
                on.map_many(&[norm.view(), other.view()], [(of, out.view_mut())])
            };
            let mut direct = new();
            record(&*on, &mut direct).unwrap();
            let mut plan = Plan::record(on.clone(), new(), record).unwrap().fused();
            plan.replay().unwrap();
            let [found, expected] =
                [plan.arrays(), &direct].map(|all| all[1].view().to_vec::<Complex32>().unwrap());
            assert!(found.iter().zip(&expected).all(|(a, b)| (a - b).norm() < 1e-5), "{len}");
            let [found, expected] =
                [plan.arrays(), &direct].map(|all| all[5].item::<f64>().unwrap());
            assert!((found - expected).abs() < 1e-9 * expected, "{found}, {expected}");
        }
    });
}

/// A plan that is made of fewer passes twice.
#[test]
fn what_is_joined_later_loses_nothing() {
    on_each_with_float64(|on| {
        let record = |on: &dyn Executor, (vectors, numbers): &mut State| {
            let [x, y, z] = &mut vectors[..] else { unreachable!("there are three") };
            let [p, norm, q, t, _] = &mut numbers[..] else { unreachable!("there are five") };
            let band = Band::uniform(700, (-10..=10).map(|k| (k, 0.05)));
            on.sum(&input(0).abs2(), &[z.view()], p.view_mut())?;
            on.stencil(&Stencil::along(0, band)?, x.view(), y.view_mut(), Update::set())?;
            on.map_many(&[p.view(), norm.view()], [(input(0) + input(1), q.view_mut())])?;
            on.sum(&input(0).abs2(), &[y.view()], norm.view_mut())?;
            on.map_many(&[norm.view()], [(input(0) * constant(2.0), t.view_mut())])
        };
        let mut direct = state(&*on, 700);
        let plan = Plan::record(on.clone(), state(&*on, 700), record).unwrap();
        let mut plan = plan.fused().fused();
        for _ in 0..2 {
            record(&*on, &mut direct).unwrap();
            plan.replay().unwrap();
            assert_near(&plan.arrays().1, &direct.1, 1e-9, "");
        }
    });
}

/// Calls that have as many arguments as fit stay as they are, with or without numbers that are computed of their sums.
#[test]
fn what_would_be_too_many_arguments_stays_apart() {
    on_each_with_float64(|on| {
        for others in [2, 6, 10, 12] {
            let new = || {
                let vectors: Vec<Array> = (0..9).map(|seed| array(&*on, &[5003], seed)).collect();
                (vectors, (0..20).map(|k| number(&*on, f64::from(k) + 0.5)).collect::<Vec<_>>())
            };
            let record = |on: &dyn Executor, (vectors, numbers): &mut State| {
                let (y, inputs) = vectors.split_first_mut().unwrap();
                let (sum, rest) = numbers.split_first_mut().unwrap();
                let (known, outs) = rest.split_at_mut(others + 1);
                let views: Vec<_> =
                    inputs.iter().map(Array::view).chain([known[0].view()]).collect();
                let terms = (0..8).map(|k| input(k) * constant(0.5 + k as f64));
                let update = terms.reduce(|a, b| a + b).unwrap() * input(8);
                on.map(&update, &views, y.view_mut())?;
                y.norm_squared_into(on, &mut *sum)?;
                let views: Vec<_> =
                    [sum.view()].into_iter().chain(known.iter().map(Array::view)).collect();
                let of = (1..=others).map(input).reduce(|a, b| a + b).unwrap();
                let outputs =
                    outs.iter_mut().take(5).enumerate().map(|(k, out)| {
                        (input(0) / of.clone() + constant(k as f64), out.view_mut())
                    });
                on.map_many(&views, outputs.collect::<Vec<_>>())
            };
            let mut direct = new();
            record(&*on, &mut direct).unwrap();
            let mut plan = Plan::record(on.clone(), new(), record).unwrap().fused();
            plan.replay().unwrap();
            assert_near(&plan.arrays().1, &direct.1, 1e-6, &format!("{others}"));
        }
    });
}
