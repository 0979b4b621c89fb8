//! Operators, recorded into plans: the same bits as applied directly, on every device.

use std::sync::Arc;

use arrayspan_bridge::devices::{Device, Stream};
use arrayspan_bridge::{Array, DType};
use arrayspan_kernels::verb::Call;
use arrayspan_kernels::{self as kernels, Executor, Plan};
use arrayspan_operators::prelude::*;
use arrayspan_operators::{Error, Result};

use crate::devices::{mixtures, other, slope};
use crate::elsewhere::detour;
use crate::support::{in_a_plan_and_outside, random};

fn space() -> Space {
    Space::new([67, 7], DType::Float32).unwrap()
}

/// With weights, matrices, tables and intermediate results of their own.
fn operators(device: Device) -> Vec<Operator> {
    let there =
        |space: &Space, seed| random(space, seed).into_device(device).unwrap().0.into_shared();
    let slope = FirstDerivative::new(space(), 0, 0.5, Scheme::Centered3, Edge::Reduced).unwrap();
    let diagonal = Diagonal::new(space(), there(&space(), 1)).unwrap();
    let square = Space::new([67, 67], DType::Float32).unwrap();
    let matrix = MatrixMult::new(there(&square, 2), &[7]).unwrap();
    let taps: Vec<f64> = (0..61).map(|tap| 1.0 / f64::from(1 + tap)).collect();
    let long = Convolve1D::new(space(), 0, &taps, 30).unwrap();
    let product = matrix.after(&diagonal).after(&slope).build().unwrap();
    let tall = vstack([product.clone(), (&long + &product).build().unwrap()]).unwrap();
    vec![long, product, tall]
}

fn bits(array: &Array) -> Vec<u32> {
    array.view().to_vec::<f32>().unwrap().into_iter().map(f32::to_bits).collect()
}

#[test]
fn operators_in_a_plan_give_the_same_bits_as_outside() -> Result<()> {
    for device in Device::all() {
        let on = arrayspan_kernels::on(device)?;
        for a in operators(device) {
            in_a_plan_and_outside(&a, &on, [device; 2])?;
        }
    }
    Ok(())
}

#[test]
fn an_operator_that_makes_its_own_intermediate_results_is_refused() {
    let on = crate::support::host();
    let slope = FirstDerivative::new(space(), 0, 0.5, Scheme::Centered3, Edge::Reduced).unwrap();
    let diagonal = Diagonal::new(space(), random(&space(), 1).into_shared()).unwrap();
    let product = diagonal.after(&slope).after(&diagonal).after(&slope).build().unwrap();
    assert!(LinearMap::workspace(&product) > 0);
    let (x, y) = (random(&space(), 2), random(&space(), 3));
    let refused = Plan::record::<Error>(on, (x, y), |on, (x, y)| {
        product.apply(on, x.view(), y.view_mut(), Update::set())
    });
    let error = refused.map(|_| ()).unwrap_err();
    assert!(matches!(error, Error::Kernel(kernels::Error::NotKept { .. })), "{error}");
}

/// Moves, products, sums and stacks over the CPU and another device, an opaque one, and what is bound to the other alone.
fn mixed(other: Device) -> Vec<Operator> {
    let mixtures = mixtures(DType::Float32, other).into_iter().map(|(mixed, _)| mixed);
    let slope = slope(DType::Float32, 0);
    let detour = detour(slope.domain(), other);
    mixtures.chain([slope.after(&detour).after(&slope).build().unwrap(), detour]).collect()
}

#[test]
fn operators_of_several_devices_in_a_plan_give_the_same_bits_as_outside() -> Result<()> {
    let Some(other) = other() else { return Ok(()) };
    for a in mixed(other) {
        let devices = a.devices().unwrap();
        for executor in [devices.domain, devices.range] {
            let on = kernels::on(executor)?;
            in_a_plan_and_outside(&a, &on, [devices.domain, devices.range])?;
        }
    }
    Ok(())
}

#[test]
fn a_workspace_on_another_device_is_missed_before_anything_runs() {
    let Some(other) = other() else { return };
    let a = slope(DType::Float32, 0).on(other, Device::cpu()).unwrap();
    let on = crate::support::host();
    let workspace = || Workspace::of(&a, &*on).unwrap();
    let arrays = (random(a.domain(), 1), random(a.range(), 2), workspace());
    let mut plan = Plan::record::<Error>(on.clone(), arrays, |on, (x, y, own)| {
        a.apply_with(own, on, x.view(), y.view_mut(), Update::set())
    })
    .unwrap();
    plan.replay().unwrap();
    let own = std::mem::replace(&mut plan.arrays_mut().2, workspace());
    let before = bits(&plan.arrays().1);
    let error = plan.replay().unwrap_err();
    assert!(matches!(error, kernels::Error::NotKept { .. }), "{error}");
    assert_eq!(bits(&plan.arrays().1), before);
    plan.arrays_mut().2 = own;
    plan.replay().unwrap();
}

/// Says that it records, and knows of no other executor.
#[derive(Debug)]
struct Alone(Arc<dyn Executor>);

impl Executor for Alone {
    fn stream(&self) -> &Stream {
        self.0.stream()
    }

    fn execute(&self, _: &mut Call<'_>) -> kernels::Result<()> {
        unreachable!("nothing is asked of it")
    }

    fn records(&self) -> bool {
        true
    }
}

#[test]
fn an_operator_of_several_devices_is_refused_where_the_calls_of_one_are_recorded() {
    let Some(other) = other() else { return };
    let (on, a) = (crate::support::host(), slope(DType::Float32, 0));
    let a = a.on(other, Device::cpu()).unwrap();
    let mut workspace = Workspace::of(&a, &*on).unwrap();
    let (x, mut y) = (random(a.domain(), 2), random(a.range(), 3));
    let before = bits(&y);
    let set = Update::set();
    let error = a.apply_with(&mut workspace, &Alone(on), x.view(), y.view_mut(), set).unwrap_err();
    assert!(matches!(error, Error::Parameter { .. }), "{error}");
    assert!(error.to_string().contains("the executor records the calls of one"), "{error}");
    assert_eq!(bits(&y), before);
}
