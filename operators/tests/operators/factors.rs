//! Updates by factors that live where results do, from top to bottom of every kind of operator.

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, DType};
use arrayspan_kernels::{self as kernels, Executor, Plan, Vector, VectorMut};
use arrayspan_operators::author::*;
use arrayspan_operators::prelude::*;
use arrayspan_operators::{Error, Result};
use num_complex::Complex64;

use crate::devices::{CPU, mixtures, other, slope, up, weights};
use crate::support::{DTYPES, assert_close, hidden, host, numbers, random};

fn moved(array: Array, device: Device) -> Array {
    array.into_device(device).unwrap().0
}

fn scalar(value: f64, device: Device) -> Array {
    moved(Array::from_slice(&[value], []).unwrap(), device)
}

/// Passes of every kind, chains with intermediate results, stacks, sums that are written twice, zeros, index maps that repeat
/// elements, conjugates, and opaque parts.
fn operators(dtype: DType) -> Vec<Operator> {
    let (a, b) = (slope(dtype, 0), slope(dtype, 1));
    let diagonal = weights(dtype, CPU(), 3);
    let space = a.domain().clone();
    let square = random(&Space::new([5, 5], dtype).unwrap(), 4).into_shared();
    let matrix = MatrixMult::new(square, &[3]).unwrap();
    let zero = 0.0 * &a;
    let row = Space::new([3], dtype).unwrap();
    let repeat = IndexMap::repeat("Repeat", row.shape(), 0, 5).unwrap();
    let repeat = Operator::of("Repeat", row, space, Form::Index(repeat)).unwrap();
    let chain = a.after(&diagonal).after(&b).after(&diagonal).after(&a);
    let all = [
        (&a + &b).build(),
        chain.build(),
        (matrix.after(&a) + hidden(b.clone())).build(),
        vstack([&a, &diagonal, &matrix]),
        hstack([&a, &matrix]),
        zero.build(),
        a.after(&repeat).build(),
        repeat.after(adjoint(&repeat)).build(),
        Ok(repeat),
        (2.0 * hidden(a.clone()).conj() - &diagonal).build(),
        Ok(diagonal),
    ];
    all.into_iter().map(Result::unwrap).collect()
}

/// The elements of both directions, `y ← alpha A x + beta y` and `x ← alpha Aᴴ y + beta x`.
fn applied(a: &Operator, on: &dyn Executor, update: Update<'_>) -> Result<[Vec<Complex64>; 2]> {
    let [mut x, mut y] = [(a.domain(), 1), (a.range(), 2)]
        .map(|(space, seed)| moved(random(space, seed), on.device()));
    a.apply(on, x.view(), y.view_mut(), update)?;
    a.apply_adjoint(on, y.view(), x.view_mut(), update)?;
    Ok([y, x].map(|array| numbers(&moved(array, CPU()))))
}

#[test]
fn factors_on_the_device_do_what_the_same_numbers_of_the_host_do() {
    let on = host();
    for dtype in DTYPES {
        for a in operators(dtype) {
            for (alpha, beta) in [(0.5, -2.0), (1.0, 1.0), (-1.5, 0.0), (0.0, 0.5)] {
                let expected = applied(&a, &*on, Update::new(alpha, beta)).unwrap();
                let (wide, held) = (scalar(alpha, CPU()), scalar(beta / 2.0, CPU()));
                let update = Update::new(&wide, Factor::from(&held) * 2.0);
                let found = applied(&a, &*on, update).unwrap();
                for (found, expected) in found.iter().zip(&expected) {
                    assert_close(found, expected, dtype, &format!("{a:?} {alpha} {beta}"));
                }
            }
        }
    }
}

#[test]
fn factors_on_another_device_than_the_host_are_read_there() {
    for device in Device::all().into_iter().filter(|device| !device.is_cpu()) {
        let on = kernels::on(device).unwrap();
        let dtype = DType::Float32;
        let one = |value: f32| moved(Array::from_slice(&[value], []).unwrap(), device);
        let (alpha, beta) = (one(0.5), one(-2.0));
        let free = operators(dtype).into_iter().filter(|a| a.devices().is_none());
        for a in free {
            let expected = applied(&a, &*on, Update::new(-0.5, -2.0)).unwrap();
            let update = Update::new(-Factor::from(&alpha), &beta);
            let found = applied(&a, &*on, update).unwrap();
            for (found, expected) in found.iter().zip(&expected) {
                assert_close(found, expected, dtype, &format!("{device} {a:?}"));
            }
        }
    }
}

#[test]
fn operators_over_several_devices_read_factors_where_results_are() {
    let Some(other) = other() else { return };
    for (mixed, plain) in mixtures(DType::Float64, other) {
        let devices = mixed.devices().unwrap();
        let expected = applied(&plain, &*host(), Update::new(0.5, -2.0)).unwrap();
        let side = |space, seed, device| moved(random(space, seed), device);
        let mut x = side(mixed.domain(), 1, devices.domain);
        let mut y = side(mixed.range(), 2, devices.range);
        let factors = |device| (scalar(0.5, device), scalar(-2.0, device));
        let (there, here) = (factors(devices.range), factors(devices.domain));
        let on = host();
        let forward = Update::new(&there.0, &there.1);
        mixed.apply(&*on, x.view(), y.view_mut(), forward).unwrap();
        let back = Update::new(&here.0, &here.1);
        mixed.apply_adjoint(&*on, y.view(), x.view_mut(), back).unwrap();
        let what = format!("{mixed:?}");
        assert_close(&numbers(&moved(y, CPU())), &expected[0], DType::Float64, &what);
        assert_close(&numbers(&moved(x, CPU())), &expected[1], DType::Float64, &what);
    }
    // Where models are is not where results are.
    let up = up(DType::Float64, other);
    let (x, mut y) = (random(up.domain(), 1), moved(random(up.range(), 2), other));
    let beta = scalar(2.0, CPU());
    let error = up.apply(&*host(), x.view(), y.view_mut(), Update::new(1.0, &beta)).unwrap_err();
    assert!(matches!(error, Error::FactorDevice { .. }), "{error:?}");
    let expected = format!(
        "ToDevice: beta, a Float64, is on cpu, expected on {other}, where the result is: move it there (`to({other})`)"
    );
    assert_eq!(error.to_string(), expected);
    assert_eq!(numbers(&moved(y, CPU())), numbers(&random(up.range(), 2)));
}

#[test]
fn factors_that_do_not_fit_are_refused_before_anything_is_written() {
    let (on, a) = (host(), operators(DType::Float32).swap_remove(1));
    let (x, mut y) = (random(a.domain(), 1), random(a.range(), 2));
    let before = numbers(&y);
    let complex = Array::from_slice(&[Complex64::I], []).unwrap();
    let half = Array::from_slice(&[1_u8], []).unwrap();
    let three = Array::from_slice(&[1.0_f32; 3], [3]).unwrap();
    let one = scalar(1.0, CPU());
    let cases = [
        (Update::new(&complex, 0.0), "product: alpha is Complex128, expected Float32"),
        (Update::new(1.0, &half), "product: beta is UInt8, expected Float32"),
        (Update::new(&three, 0.0), "product: alpha is an array of 3 elements, expected one"),
        (
            Update::new(Factor::from(&one) * Complex64::I, 0.0),
            "product: alpha 0.0+1.0i and beta 0.0 must be real for Float32 [5, 3]",
        ),
        (
            Update::new(1.0, Factor::from(&one) * 1e60),
            "product: beta 1e60 is beyond the numbers of Float32, up to 3.4e38",
        ),
    ];
    for (update, expected) in cases {
        let error = a.apply(&*on, x.view(), y.view_mut(), update).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
    assert_eq!(numbers(&y), before);
}

/// As in Lanczos and LSQR: `u ← A v - α u`, with an α that each round computes anew, and nothing that the host reads.
#[test]
fn a_recurrence_in_a_plan_finds_what_its_reductions_have_left() -> Result<()> {
    for device in Device::all() {
        let on = kernels::on(device)?;
        let a = slope(DType::Float32, 0);
        let arrays = || {
            let [v, u] = [1, 2].map(|seed| moved(random(a.domain(), seed), device));
            let alpha = moved(Array::from_slice(&[0.25_f32], []).unwrap(), device);
            (v, u, alpha, Workspace::of(&a, &*on).unwrap())
        };
        let step = |on: &dyn Executor, (v, u, alpha, own): &mut State, known: Option<f64>| {
            let factor = known.map_or(-Factor::from(&*alpha), Factor::from);
            a.apply_with(own, on, v.view(), u.view_mut(), Update::new(1.0, factor))?;
            v.update_on(on, |v| v * 0.5 + &*u)?;
            Ok(u.norm_into(on, alpha)?)
        };
        let (mut direct, mut known) = (arrays(), arrays());
        let mut plan =
            Plan::record::<Error>(on.clone(), arrays(), |on, state| step(on, state, None))?;
        for round in 0..4 {
            let alpha = known.2.item::<f32>()?;
            step(&*on, &mut known, Some(-f64::from(alpha)))?;
            step(&*on, &mut direct, None)?;
            plan.replay()?;
            let what = format!("{device} {round}");
            let read = |state: &State| -> Vec<Complex64> {
                let found = state.1.view().to_vec::<f32>().unwrap();
                found.into_iter().map(|value| f64::from(value).into()).collect()
            };
            assert_close(&read(&direct), &read(&known), DType::Float32, &what);
            assert_eq!(read(plan.arrays()), read(&direct), "{what}");
        }
    }
    Ok(())
}

type State = (Array, Array, Array, Workspace);
