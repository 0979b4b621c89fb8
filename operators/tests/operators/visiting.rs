//! Stacks whose blocks visit other devices.

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, DType, Relayout};
use arrayspan_kernels::{Plan, on};
use arrayspan_operators::Error;
use arrayspan_operators::author::*;
use arrayspan_operators::prelude::*;

use crate::devices::{CPU, other, read, slope, space, weights};
use crate::support::{DTYPES, assert_close, host, numbers, random};

/// Five blocks: more than there are at a time on one device.
fn parts(dtype: DType) -> Vec<Operator> {
    let (a, b) = (slope(dtype, 0), slope(dtype, 1));
    let twice = a.after(&b).build().unwrap();
    let sum = (0.5 * &a + &b).build().unwrap();
    vec![a, b, twice, sum, Identity::new(space(&[5, 3], dtype)).unwrap()]
}

/// Of every kind, also with spaces that make them flat.
fn stacks(dtype: DType) -> Vec<Operator> {
    let rows = Restriction::new(space(&[5, 3], dtype), 1, [2, 0]).unwrap();
    let mixed = || parts(dtype).into_iter().chain([rows.clone()]);
    vec![
        vstack(parts(dtype)).unwrap(),
        vstack(mixed()).unwrap(),
        hstack(parts(dtype)).unwrap(),
        hstack(mixed().map(adjoint)).unwrap(),
        block_diagonal(parts(dtype)).unwrap(),
        block_diagonal(mixed()).unwrap(),
        stack(parts(dtype)).unwrap(),
        (-2.5 * adjoint(vstack(parts(dtype)).unwrap())).build().unwrap().named("Turned"),
    ]
}

fn devices() -> Vec<Vec<Device>> {
    let mut lists = vec![vec![CPU()]];
    if let Some(other) = other() {
        lists.extend([vec![other], vec![other, CPU()], vec![other, other, CPU()]]);
    }
    lists
}

#[test]
fn a_stack_gives_the_same_wherever_its_blocks_are_computed() {
    for dtype in DTYPES {
        for (plain, list) in
            stacks(dtype).iter().flat_map(|a| devices().into_iter().map(move |d| (a, d)))
        {
            let visiting = plain.visiting(list.clone(), Devices::both(CPU())).unwrap();
            assert_eq!((visiting.domain(), visiting.range()), (plain.domain(), plain.range()));
            assert_eq!(visiting.name(), plain.name());
            let (x, y) = (random(plain.domain(), 1), random(plain.range(), 2));
            let what = format!("{plain:?} on {list:?}");
            let [found, expected] = [&visiting, plain].map(|a| numbers(&a.forward(&x).unwrap()));
            assert_close(&found, &expected, dtype, &what);
            let [found, expected] = [&visiting, plain].map(|a| numbers(&a.adjoint(&y).unwrap()));
            assert_close(&found, &expected, dtype, &what);
        }
    }
}

#[test]
fn stacks_on_the_way_obey_the_laws() {
    for list in devices() {
        for plain in stacks(DType::Complex128) {
            let visiting = plain.visiting(list.clone(), Devices::both(CPU())).unwrap();
            let report = laws::check(&visiting).unwrap();
            assert!(report.holds(), "{visiting:?} on {list:?}: {report}");
            let turned = visiting.conj();
            let (x, plain) = (random(plain.domain(), 3), plain.conj());
            let [found, expected] = [&turned, &plain].map(|a| numbers(&a.forward(&x).unwrap()));
            assert_close(&found, &expected, DType::Complex128, &format!("{turned:?}"));
        }
    }
}

#[test]
fn models_may_be_on_the_device_and_data_on_the_host_or_the_other_way_round() {
    let Some(other) = other() else { return };
    for plain in stacks(DType::Float64) {
        for (domain, range) in [(other, CPU()), (CPU(), other), (other, other)] {
            for list in devices() {
                let arrays = Devices { domain, range };
                let visiting = plain.visiting(list.clone(), arrays).unwrap();
                assert_eq!(visiting.devices(), Some(arrays));
                let what = format!("{plain:?}, {arrays} on {list:?}");
                let (x, y) = (random(plain.domain(), 1), random(plain.range(), 2));
                let expected = [plain.forward(&x).unwrap(), plain.adjoint(&y).unwrap()];
                let found = [
                    visiting.forward(x.into_device(domain).unwrap().0).unwrap(),
                    visiting.adjoint(y.into_device(range).unwrap().0).unwrap(),
                ];
                assert_eq!((found[0].device(), found[1].device()), (range, domain));
                for (found, expected) in found.into_iter().zip(expected) {
                    assert_close(&read(found), &numbers(&expected), DType::Float64, &what);
                }
            }
        }
    }
}

#[test]
fn blocks_that_hold_arrays_visit_the_device_of_these() {
    let Some(other) = other() else { return };
    let (here, there) = (weights(DType::Float64, CPU(), 3), weights(DType::Float64, other, 4));
    let plain = weights(DType::Float64, CPU(), 4);
    let parts = [&here, &there, &here, &there].map(Clone::clone);
    let expected = vstack([&here, &plain, &here, &plain]).unwrap();
    let error = vstack(parts.clone()).unwrap_err();
    assert!(matches!(error, Error::Devices { .. }), "{error}");
    // A stack has models and data of its parts on one device, and these are where `on` has them.
    let on = |part: &Operator| part.on(part.devices().unwrap().domain, CPU()).unwrap();
    let mixed = vstack(parts.iter().map(on)).unwrap();
    let visiting = mixed.visiting([CPU()], Devices::both(CPU())).unwrap();
    assert!(LinearMap::elsewhere(&visiting).iter().any(|(device, _)| *device == other));
    let x = random(expected.domain(), 5);
    let [found, expected] = [&visiting, &expected].map(|a| numbers(&a.forward(&x).unwrap()));
    assert_close(&found, &expected, DType::Float64, "mixed");
    let there = block_diagonal([&there, &there]).unwrap();
    let visiting = there.visiting([CPU()], Devices::both(CPU())).unwrap();
    let x = random(there.domain(), 6);
    let expected = block_diagonal([&plain, &plain]).unwrap().forward(&x).unwrap();
    assert_close(
        &numbers(&visiting.forward(&x).unwrap()),
        &numbers(&expected),
        DType::Float64,
        "bound",
    );
}

#[test]
fn arrays_in_page_locked_memory_with_gaps_and_of_nan_are_used_as_all_others() {
    let Some(other) = other() else { return };
    let plain = block_diagonal(parts(DType::Float64)).unwrap();
    let (x, expected) = (random(plain.domain(), 1), plain.range());
    let expected_values = numbers(&plain.forward(&x).unwrap());
    for list in [vec![other], vec![other, CPU()]] {
        let visiting = plain.visiting(list, Devices::both(CPU())).unwrap();
        let on = host();
        let copied = |x: &Array| {
            let mut locked = Array::pinned(x.shape(), x.dtype(), other).unwrap();
            on.copy(x.view(), locked.view_mut(), Update::set()).unwrap();
            locked
        };
        let nan = Array::full(expected.shape(), f64::NAN, CPU()).unwrap();
        let (locked, mut y) = (copied(&x), copied(&nan));
        // Zero times what was there is nothing, whatever it was.
        visiting.apply(&*on, locked.view(), y.view_mut(), Update::new(1.0, 0.0)).unwrap();
        assert_close(&numbers(&y), &expected_values, DType::Float64, "page-locked");
        visiting.apply(&*on, locked.view(), y.view_mut(), Update::new(-0.5, 2.0)).unwrap();
        let halved: Vec<_> = expected_values.iter().map(|v| 1.5 * v).collect();
        assert_close(&numbers(&y), &halved, DType::Float64, "page-locked, updated");
        // Every second of twice as many rows, backwards.
        let [rows, columns] = [expected.shape()[0], expected.shape()[1]];
        let mut wide = Array::full([rows, 2 * columns], f64::NAN, CPU()).unwrap();
        let view = wide.view_mut().sliced(1, 0, columns).unwrap().reversed(0).unwrap();
        let backwards = x.view().reversed(0).unwrap();
        let flipped = on.empty(x.shape(), x.dtype()).unwrap();
        let mut flipped = flipped;
        on.copy(backwards, flipped.view_mut(), Update::set()).unwrap();
        visiting.apply(&*on, flipped.view().reversed(0).unwrap(), view, Update::set()).unwrap();
        let found = wide.view().sliced(1, 0, columns).unwrap().reversed(0).unwrap();
        let found: Vec<_> = found.to_vec::<f64>().unwrap().into_iter().map(Into::into).collect();
        assert_close(&found, &expected_values, DType::Float64, "with gaps");
        assert!(
            wide.view()
                .sliced(1, columns, columns)
                .unwrap()
                .to_vec::<f64>()
                .unwrap()
                .iter()
                .all(|v| v.is_nan())
        );
    }
}

#[test]
fn a_device_holds_a_few_blocks_whatever_the_size_of_the_stack() {
    let Some(other) = other() else { return };
    let block = Space::new([64, 1024], DType::Float64).unwrap();
    let bytes = block.len() * 8;
    let part = FirstDerivative::new(block, 0, 1.0, Scheme::Forward, Edge::Zero).unwrap();
    let plain = block_diagonal(std::iter::repeat_n(&part, 24)).unwrap();
    let visiting = plain.visiting([other], Devices::both(CPU())).unwrap();
    let x = random(plain.domain(), 1);
    let expected = plain.forward(&x).unwrap();
    visiting.forward(&x).unwrap();
    // Others use the device meanwhile, but not for so much.
    other.reset_peak();
    let before = other.statistics().live_bytes;
    let found = visiting.forward(&x).unwrap();
    let peak = other.statistics().peak_bytes.saturating_sub(before);
    assert_eq!(numbers(&found), numbers(&expected));
    println!("{other}: {peak} bytes for blocks of {bytes}");
    assert!(peak >= 2 * bytes && peak <= 12 * bytes, "{peak} bytes for blocks of {bytes}");
}

#[test]
fn a_description_says_where_blocks_are_computed() {
    let cpu = CPU();
    let visiting = vstack(parts(DType::Float32)).unwrap().visiting([cpu], Devices::both(cpu));
    let described = visiting.unwrap().describe();
    let blocks = parts(DType::Float32).len();
    assert!(described.contains(&format!("opaque, {blocks} blocks on cpu")), "{described}");
    let Some(other) = other() else { return };
    let two = [slope(DType::Float32, 0), slope(DType::Float32, 0)];
    let visiting = vstack(two).unwrap().visiting([other, cpu], Devices::both(cpu)).unwrap();
    let described = visiting.describe();
    assert!(described.contains(&format!("1 block on {other} and 1 block on cpu")), "{described}");
}

#[test]
fn what_cannot_visit_is_refused_with_the_reason() {
    let cpu = Devices::both(CPU());
    let said = |result: arrayspan_operators::Result<Operator>| result.unwrap_err().to_string();
    let plain = vstack(parts(DType::Float32)).unwrap();
    assert_eq!(said(plain.visiting([], cpu)), "visiting: there are no devices to visit");
    let one = slope(DType::Float32, 0);
    let error = said(one.visiting([CPU()], cpu));
    assert!(error.starts_with("visiting: FirstDerivative is no stack"), "{error}");
    let visiting = plain.visiting([CPU()], cpu).unwrap();
    let (x, y) = (random(plain.domain(), 1), random(plain.range(), 2));
    let refused = Plan::record::<Error>(host(), (x, y), |on, (x, y)| {
        visiting.apply(on, x.view(), y.view_mut(), Update::set())
    });
    let error = refused.map(drop).unwrap_err().to_string();
    assert!(error.contains("a plan does not keep"), "{error}");
    let Some(other) = other() else { return };
    let elsewhere = plain.visiting([other], cpu).unwrap();
    let x = random(plain.domain(), 1).into_device(other).unwrap().0;
    assert!(matches!(elsewhere.forward(&x), Err(Error::WrongDevice { .. })));
    // Of an executor of the other device it is used as well.
    let (x, y) = (
        random(plain.domain(), 1),
        on(CPU()).unwrap().empty(plain.range().shape(), DType::Float32),
    );
    let mut y = y.unwrap();
    elsewhere.apply(&*on(other).unwrap(), x.view(), y.view_mut(), Update::set()).unwrap();
    assert_close(&numbers(&y), &numbers(&plain.forward(&x).unwrap()), DType::Float32, "there");
}
