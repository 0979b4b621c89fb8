//! Operators on several devices at once: the CPU, and another device if there is one.

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, DType};
use arrayspan_kernels::on;
use arrayspan_operators::author::*;
use arrayspan_operators::prelude::*;
use num_complex::Complex64;

use crate::support::{DTYPES, assert_close, chosen, hidden, numbers, random, steps};

/// A device other than the CPU that has numbers of 64 bits.
pub(crate) fn other() -> Option<Device> {
    let found = Device::all().into_iter().find(|d| !d.is_cpu() && d.info().float64);
    if found.is_none() {
        println!("skipped: no device but the CPU");
    }
    found
}

pub(crate) const CPU: fn() -> Device = Device::cpu;

pub(crate) fn space(shape: &[usize], dtype: DType) -> Space {
    Space::new(shape, dtype).unwrap()
}

pub(crate) fn slope(dtype: DType, axis: isize) -> Operator {
    let space = space(&[5, 3], dtype);
    FirstDerivative::new(space, axis, 0.5, Scheme::Centered3, Edge::Reduced).unwrap()
}

pub(crate) fn weights(dtype: DType, device: Device, seed: u64) -> Operator {
    let space = space(&[5, 3], dtype);
    let (weights, _) = random(&space, seed).into_device(device).unwrap();
    Diagonal::new(space, weights.into_shared()).unwrap()
}

pub(crate) fn up(dtype: DType, to: Device) -> Operator {
    ToDevice::new(space(&[5, 3], dtype), CPU(), to).unwrap()
}

/// The elements, wherever they are.
pub(crate) fn read(array: Array) -> Vec<Complex64> {
    numbers(&array.into_device(CPU()).unwrap().0)
}

#[test]
fn arrays_move_there_and_back_in_every_dtype() {
    let Some(other) = other() else { return };
    for dtype in DTYPES {
        let there = up(dtype, other);
        let x = random(there.domain(), 1);
        let moved = there.forward(&x).unwrap();
        assert_eq!(moved.device(), other);
        let back = there.adjoint(&moved).unwrap();
        assert_eq!(back.device(), CPU());
        assert_eq!(numbers(&back), numbers(&x));
        assert_eq!(read(moved), numbers(&x));
        assert_eq!(there.devices(), Some(Devices { domain: CPU(), range: other }));
        assert_eq!(adjoint(&there).devices(), Some(Devices { domain: other, range: CPU() }));
    }
}

#[test]
fn a_move_and_the_opposite_one_are_the_identity() {
    let Some(other) = other() else { return };
    let there = up(DType::Float64, other);
    let round = adjoint(&there).after(&there).build().unwrap();
    assert_eq!(steps(&round), [["copy"], ["copy"]]);
    assert_eq!(round.devices(), Some(Devices::both(CPU())));
    assert!(round.is_self_adjoint() && !there.is_self_adjoint());
    let identity = Identity::new(there.domain().clone()).unwrap();
    for same in [there.after(&identity), identity.after(&there), there.conj().into()] {
        assert_eq!(same.build().unwrap().describe().matches("move").count(), 2);
    }
    // What goes by way of a device goes there directly, or not at all.
    let slope = slope(DType::Float64, 0);
    let twice = slope.on(other, CPU()).unwrap().after(slope.on(other, CPU()).unwrap());
    let [forward, _] = steps(&twice.build().unwrap());
    assert_eq!(forward.iter().filter(|line| line.contains("move")).count(), 2, "{forward:?}");
    let within = slope.on(other, CPU()).unwrap().on(CPU(), other).unwrap();
    assert!(!within.describe().contains("move"), "{}", within.describe());
    assert_eq!(within.devices(), Some(Devices::both(other)));
}

#[test]
fn a_move_that_goes_nowhere_binds_to_a_device() {
    let here = ToDevice::new(space(&[4], DType::Float32), CPU(), CPU()).unwrap();
    assert_eq!(here.devices(), Some(Devices::both(CPU())));
    assert!(here.is_self_adjoint() && here.elsewhere().is_empty());
    let x = random(here.domain(), 1);
    assert_eq!(numbers(&here.forward(&x).unwrap()), numbers(&x));
    let Some(other) = other() else { return };
    let there = x.into_device(other).unwrap().0;
    assert_eq!(
        here.forward(&there).unwrap_err().to_string(),
        format!(
            "ToDevice: model is on {other}, expected on cpu, where the operator has it: move it there (`to(cpu)`), or put a \
             `ToDevice` beside the operator"
        )
    );
}

/// All kinds of mixtures, and the same without any device.
pub(crate) fn mixtures(dtype: DType, other: Device) -> Vec<(Operator, Operator)> {
    let (a, b) = (slope(dtype, 0), slope(dtype, -1));
    let [here, there] = [CPU(), other].map(|device| weights(dtype, device, 3));
    let on = |a: &Operator| a.on(other, CPU()).unwrap();
    let up = up(dtype, other);
    let product = |parts: &[&Operator]| {
        let all = parts.iter().skip(1).fold(Formula::from(parts[0]), |all, part| all.after(*part));
        all.build().unwrap()
    };
    let stack = |parts: &[&Operator]| vstack(parts.iter().copied()).unwrap();
    let i = Complex64::new(0.5, if dtype.is_complex() { -0.75 } else { 0.0 });
    vec![
        (up.clone(), Identity::new(up.domain().clone()).unwrap()),
        (
            (i * &up).build().unwrap(),
            (i * Identity::new(up.domain().clone()).unwrap()).build().unwrap(),
        ),
        (on(&there), here.clone()),
        (on(&there).conj(), here.conj()),
        (on(&hidden(product(&[&a, &there]))), product(&[&a, &here])),
        (hidden(on(&product(&[&a, &b]))), product(&[&a, &b])),
        (product(&[&there, &a, &up]), product(&[&here, &a])),
        (stack(&[&on(&a), &here, &on(&there), &b]), stack(&[&a, &here, &here, &b])),
        (
            adjoint(stack(&[&on(&a), &here, &on(&product(&[&b, &there]))])),
            adjoint(stack(&[&a, &here, &product(&[&b, &here])])),
        ),
        (
            block_diagonal([&here, &on(&there), &on(&b)]).unwrap(),
            block_diagonal([&here, &here, &b]).unwrap(),
        ),
        (
            (2.0 * on(&a) + &b - i * on(&there)).build().unwrap(),
            (2.0 * &a + &b - i * &here).build().unwrap(),
        ),
        (
            // Data on the other device, models here.
            hstack([&up.after(&a).build().unwrap(), &product(&[&there, &b, &up])]).unwrap(),
            hstack([&a, &product(&[&here, &b])]).unwrap(),
        ),
        (
            product(&[&adjoint(stack(&[&on(&a), &b])), &stack(&[&on(&a), &b])]),
            product(&[&adjoint(stack(&[&a, &b])), &stack(&[&a, &b])]),
        ),
        (
            (0.0 * &up).build().unwrap(),
            (0.0 * Identity::new(up.domain().clone()).unwrap()).build().unwrap(),
        ),
    ]
}

#[test]
fn mixtures_are_what_they_are_on_one_device() {
    let Some(other) = other() else { return };
    // Two, since each takes kernels of its own.
    for dtype in [DType::Float32, DType::Complex128] {
        for (mixed, plain) in mixtures(dtype, other) {
            let what = format!("{mixed:?}");
            for turned in
                [mixed.clone(), adjoint(&mixed)].into_iter().zip([plain.clone(), adjoint(&plain)])
            {
                let (mixed, plain) = turned;
                let x = random(mixed.domain(), 7);
                let expected = numbers(&plain.forward(&x).unwrap());
                let there = x.into_device(mixed.devices().unwrap().domain).unwrap().0;
                let found = mixed.forward(&there).unwrap();
                assert_eq!(found.device(), mixed.devices().unwrap().range);
                assert_close(&read(found), &expected, dtype, &what);
            }
            let (dense_here, dense_there) = (plain.to_dense().unwrap(), mixed.to_dense().unwrap());
            assert_close(&read(dense_there), &numbers(&dense_here), dtype, &what);
            assert_eq!(mixed.to_sparse().unwrap(), plain.to_sparse().unwrap(), "{what}");
        }
    }
}

#[test]
fn mixtures_keep_all_laws() {
    let Some(other) = other() else { return };
    for dtype in chosen(&[DType::Float32, DType::Complex128], other) {
        for (mixed, _) in mixtures(dtype, other) {
            let report = laws::check(&mixed).unwrap();
            assert!(report.holds(), "{report}\n{}", mixed.describe());
            // An executor of any of its devices will do.
            let report = laws::check_on(&adjoint(&mixed), &*on(other).unwrap(), 5).unwrap();
            assert!(report.holds(), "{report}\n{}", mixed.describe());
        }
    }
}
