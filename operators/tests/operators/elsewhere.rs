//! What operators on several devices take, in which order they do it, and what is refused.

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::Device;
use arrayspan_kernels::{Trace, on};
use arrayspan_operators::author::*;

use crate::devices::{CPU, mixtures, other, read, slope, space, up, weights};
use crate::support::{Opaque, assert_close, dense, host, numbers, random, steps};

#[test]
fn a_workspace_is_used_again_with_executors_of_either_device() {
    let Some(other) = other() else { return };
    for (mixed, plain) in mixtures(DType::Float64, other) {
        for executor in [host(), on(other).unwrap()] {
            let mut workspace = Workspace::of(&mixed, &*executor).unwrap();
            let before = workspace.bytes();
            for seed in 1..4 {
                let x = random(mixed.domain(), seed);
                let expected = numbers(&plain.forward(&x).unwrap());
                let devices = mixed.devices().unwrap();
                let x = x.into_device(devices.domain).unwrap().0;
                let mut y = on(devices.range)
                    .unwrap()
                    .empty(mixed.range().shape(), DType::Float64)
                    .unwrap();
                let set = Update::set();
                mixed.apply_with(&mut workspace, &*executor, x.view(), y.view_mut(), set).unwrap();
                assert_close(&read(y), &expected, DType::Float64, &format!("{mixed:?}"));
            }
            assert_eq!(workspace.bytes(), before);
            assert!(workspace.check(&adjoint(&mixed), &*executor).is_ok());
        }
    }
}

#[test]
fn a_workspace_without_the_other_device_is_refused_before_anything_is_written() {
    let Some(other) = other() else { return };
    let mixed = slope(DType::Float64, 0).on(other, CPU()).unwrap();
    let plain = slope(DType::Float64, 0).after(slope(DType::Float64, 1)).build().unwrap();
    let on = host();
    let mut workspace = Workspace::of(&plain, &*on).unwrap();
    let (x, mut y) = (random(mixed.domain(), 1), random(mixed.range(), 2));
    let before = numbers(&y);
    let error = mixed.apply_with(&mut workspace, &*on, x.view(), y.view_mut(), Update::set());
    let error = error.unwrap_err().to_string();
    // The one on the host may be too small, too.
    assert!(error.starts_with("product: a workspace "), "{error}");
    assert_eq!(numbers(&y), before);
}

#[test]
fn what_several_parts_need_is_moved_once_and_results_wait_for_nobody_else() {
    let Some(other) = other() else { return };
    let (a, b) = (slope(DType::Float64, 0), slope(DType::Float64, 1));
    let here = weights(DType::Float64, CPU(), 3);
    let on = |a: &Operator| a.on(other, CPU()).unwrap();
    let stack = vstack([&here, &on(&a), &on(&b)]).unwrap();
    let [forward, _] = steps(&stack);
    let expected = [
        format!("set move from cpu to {other}"),
        format!("set stencil of 2 taps along axis 0 on {other}"),
        format!("set move from {other} to cpu"),
        format!("set stencil of 2 taps along axis 1 on {other}"),
        // The host's own work comes before it has to wait.
        "set map with 1 array of weights on cpu".to_owned(),
        format!("set move from {other} to cpu"),
    ];
    assert_eq!(forward, expected, "{}", stack.describe());
    // Sums of what is computed there are computed there.
    let sum = (on(&a) + on(&b) + 2.0 * on(&a)).build().unwrap();
    assert_eq!(steps(&sum)[0].len(), 3, "{}", sum.describe());
    assert!((on(&a) - on(&a)).build().unwrap().describe().contains("forward: zero"));
}

#[test]
fn costs_are_those_of_all_devices_together() {
    let Some(other) = other() else { return };
    let (a, bytes) = (slope(DType::Float64, 0), 5 * 3 * 8);
    let cost = a.on(other, CPU()).unwrap().cost(false).unwrap();
    assert_eq!((cost.launches, cost.bytes_read, cost.bytes_written), (1, 3 * bytes, 3 * bytes));
    // The executor that is given is the one that is used on its device.
    let trace = Trace::of(on(other).unwrap());
    let mixed = a.on(other, CPU()).unwrap();
    let (x, mut y) = (random(mixed.domain(), 1), random(mixed.range(), 2));
    mixed.apply(&trace, x.view(), y.view_mut(), Update::set()).unwrap();
    let steps: Vec<_> = trace.steps().iter().map(|step| step.0).collect();
    assert_eq!(steps, ["transfer", "stencil", "transfer"]);
    assert_eq!(trace.take(), cost);
}

#[test]
fn large_parts_on_several_devices_are_shared() {
    let Some(other) = other() else { return };
    let (a, b) = (slope(DType::Float64, 0), slope(DType::Float64, 1));
    let there = weights(DType::Float64, other, 3);
    let here = weights(DType::Float64, CPU(), 3);
    let chain = |weights: &Operator| {
        (0..90).fold(Formula::from(weights), |all, at| {
            let part = if at % 2 == 0 { &a } else { &b };
            (0.3 * part.after(weights)).after(all)
        })
    };
    let (mixed, plain) =
        (chain(&there).on(other, CPU()).build().unwrap(), chain(&here).build().unwrap());
    let free = (0..90).fold(Formula::from(&a), |all, at| {
        (0.3 * Formula::from(if at % 2 == 0 { &b } else { &a })).after(all)
    });
    let free = free.build().unwrap();
    for (mixed, plain) in [
        (mixed.after(&mixed), plain.after(&plain)),
        (&mixed + adjoint(&mixed).after(&mixed), &plain + adjoint(&plain).after(&plain)),
        // A shared part that is bound to nothing, on both devices.
        (free.on(other, CPU()).unwrap() + free.after(&free), &free + free.after(&free)),
    ] {
        let (mixed, plain) = (mixed.build().unwrap(), plain.build().unwrap());
        let columns = dense(&mixed).into_iter().zip(dense(&plain));
        for (found, expected) in columns {
            assert_close(&found, &expected, DType::Float64, "shared");
        }
        let report = laws::check(&mixed).unwrap();
        assert!(report.holds(), "{report}");
    }
}

#[test]
fn devices_that_do_not_meet_are_named_with_their_operators() {
    let Some(other) = other() else { return };
    let [here, there] = [CPU(), other].map(|device| weights(DType::Float64, device, 3));
    let (here, there) = (here.named("Here"), there.named("There"));
    let free = slope(DType::Float64, 0);
    let up = up(DType::Float64, other);
    let tail = "a `ToDevice` between them moves arrays from one to the other, and `Operator::on` has an operator computed elsewhere";
    let differ = format!("are on different devices, cpu and {other}: {tail}");
    let reversed = format!("are on different devices, {other} and cpu: {tail}");
    let cases = [
        (here.after(&there).build(), format!("after: domain of Here and range of There {differ}")),
        ((&here + &there).build(), format!("+: domain of Here and domain of There {differ}")),
        ((&there - &here).build(), format!("-: domain of There and domain of Here {reversed}")),
        (vstack([&here, &there]), format!("vstack: domain of Here and domain of There {differ}")),
        (
            hstack([&adjoint(&up), &there]),
            format!("hstack: range of ToDevice and range of There {differ}"),
        ),
        (
            (&up + &free).build(),
            format!(
                "+: domain and range of ToDevice, beside FirstDerivative, which has both on one, {differ}"
            ),
        ),
        (up.pow(2).build(), format!("pow: range of ToDevice and domain of ToDevice {reversed}")),
        (here.on(other, CPU()), format!("after: domain of Here and range of ToDevice {differ}")),
    ];
    for (result, expected) in cases {
        assert_eq!(result.unwrap_err().to_string(), expected);
    }
    let (x, mut y) = (random(here.domain(), 1), random(here.range(), 2));
    let on = on(other).unwrap();
    let error = here.apply(&*on, x.view(), y.view_mut(), Update::set()).unwrap_err();
    let expected = format!(
        "Here: the executor computes on {other}, the operator on cpu: give an executor of cpu (`kernels::on`), or have the \
         operator made for {other}"
    );
    assert_eq!(error.to_string(), expected);
    let error = free.apply(&*on, x.view(), y.view_mut(), Update::set()).unwrap_err();
    let expected = format!(
        "FirstDerivative: model is on cpu, expected on {other}, where the executor computes: move it there (`to({other})`), or \
         give an executor of its device (`kernels::on`)"
    );
    assert_eq!(error.to_string(), expected);
}

/// `y = x` by way of another device, with a workspace there, as an author may write it.
pub(crate) fn detour(space: &Space, other: Device) -> Operator {
    let own = space.clone();
    let detour = Opaque::new("Detour", [space; 2], move |_, on, x, y, update| {
        let (mut back, on) = on.scratch(&own)?;
        let (mut there, on) = on.at(other)?.scratch(&own)?;
        let (mut doubled, on) = on.scratch(&own)?;
        on.transfer(x, there.reborrow())?;
        on.copy(there.view(), doubled.reborrow(), Update::new(2.0, 0.0))?;
        on.transfer(doubled.view(), back.reborrow())?;
        Ok(on.at(Device::cpu())?.copy(back.view(), y, update.scaled(0.5.into()))?)
    });
    let bytes = scratch_bytes(space);
    let (devices, elsewhere) = (Some(Devices::both(Device::cpu())), vec![(other, 2 * bytes)]);
    Operator::new(Opaque { workspace: bytes, devices, elsewhere, ..detour })
}

#[test]
fn authors_have_the_context_of_another_device() {
    let Some(other) = other() else { return };
    let detour = detour(&space(&[5, 3], DType::Complex64), other);
    let slope = slope(DType::Complex64, 0);
    for operator in [
        detour.clone(),
        detour.conj(),
        slope.after(&detour).after(&slope).build().unwrap(),
        vstack([&slope.on(other, CPU()).unwrap(), &detour, &slope]).unwrap(),
        detour.on(CPU(), other).unwrap(),
    ] {
        let report = laws::check(&operator).unwrap();
        assert!(report.holds(), "{report}");
    }
    let x = random(detour.domain(), 1);
    assert_eq!(numbers(&detour.forward(&x).unwrap()), numbers(&x));
    // A device that is not named is not there.
    let mut workspace = Workspace::of(&slope, &*host()).unwrap();
    let host = host();
    let context = workspace.context(&slope, &*host).unwrap();
    let error = context.at(other).unwrap_err().to_string();
    assert!(error.contains(&format!("do not name {other}")), "{error}");
}
