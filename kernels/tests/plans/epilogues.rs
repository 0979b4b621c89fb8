//! What is computed of sums is part of the call that adds them up, and the same.

use arrayspan_kernels::bridge::Array;
use arrayspan_kernels::{
    Band, Executor, Plan, Reduction, Result, Stencil, Update, Vector, VectorMut, constant, input,
    previous,
};

use super::{array, bits, on_each};

/// Vectors of one length, and numbers.
type State = (Vec<Array>, Vec<Array>);

fn state(on: &dyn Executor, len: usize) -> State {
    let number =
        |value: f64| Array::from_slice(&[value], []).unwrap().into_device(on.device()).unwrap().0;
    (
        (0..3).map(|seed| array(on, &[len], seed)).collect(),
        (0..5).map(|k| number(f64::from(k) + 0.5)).collect(),
    )
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
    on_each(|on| {
        if !on.device().is_cpu() && !on.device().info().float64 {
            return;
        }
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
                    for (own, other) in numbers.iter().zip(&direct.1) {
                        let [own, other] = [own, other].map(|of| of.item::<f64>().unwrap());
                        assert!(
                            (own - other).abs() <= 1e-9 * other.abs(),
                            "{what}: {own}, {other}"
                        );
                    }
                }
            }
        }
    });
}

/// NaN and infinity are sums as others are.
#[test]
fn sums_that_are_no_numbers_are_passed_on() {
    on_each(|on| {
        if !on.device().is_cpu() && !on.device().info().float64 {
            return;
        }
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
                let expected = if value.is_nan() { f64::NAN } else { f64::INFINITY };
                for of in [numbers[0], numbers[3]] {
                    assert!(of == expected || of.is_nan() && expected.is_nan(), "{of}, {expected}");
                }
            }
        }
    });
}

/// What reads or writes more than sums stays a call of its own, and so does what reads what it writes.
#[test]
fn numbers_of_other_arrays_stay_apart() {
    on_each(|on| {
        if !on.device().is_cpu() && !on.device().info().float64 {
            return;
        }
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
            for (own, other) in plan.arrays().1.iter().zip(&direct.1) {
                let [own, other] = [own, other].map(|of| of.item::<f64>().unwrap());
                assert!((own - other).abs() <= 1e-9 * other.abs(), "{own}, {other}");
            }
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
