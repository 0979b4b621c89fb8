//! Operators, recorded into plans: the same bits as applied directly, on every device.

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, DType};
use arrayspan_kernels::{self as kernels, Executor, Plan};
use arrayspan_operators::prelude::*;
use arrayspan_operators::{Error, Result};

use crate::support::random;

fn space() -> Space {
    Space::new([67, 7], DType::Float32).unwrap()
}

/// With weights, matrices, tables and intermediate results of their own.
fn operators(device: Device) -> Vec<Operator> {
    let there = |space: &Space, seed| random(space, seed).to(device).unwrap().0.into_shared();
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
            let arrays = || {
                let [x, y] = [(a.domain(), 3), (a.range(), 4)]
                    .map(|(space, seed)| random(space, seed).to(device).unwrap().0);
                (x, y, Workspace::of(&a, &*on).unwrap())
            };
            // y ← 0.5 A x + 0.25 y, x ← 0.125 Aᴴ y + x
            let step = |on: &dyn Executor, (x, y, own): &mut (Array, Array, Workspace)| {
                let (forward, back) = (Update::new(0.5, 0.25), Update::new(0.125, 1.0));
                a.apply_with(own, on, x.view(), y.view_mut(), forward)?;
                a.apply_adjoint_with(own, on, y.view(), x.view_mut(), back)
            };
            let mut direct = arrays();
            let mut plan = Plan::record::<Error>(on.clone(), arrays(), step)?;
            for round in 0..3 {
                step(&*on, &mut direct)?;
                plan.replay()?;
                let found = plan.arrays();
                let both = |(x, y, _): &(Array, Array, Workspace)| [bits(x), bits(y)];
                assert_eq!(both(found), both(&direct), "{device} {} {round}", a.name());
            }
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

#[test]
fn an_operator_of_several_devices_is_refused() {
    let Some(device) = Device::all().into_iter().find(|device| !device.is_cpu()) else { return };
    let up = ToDevice::new(space(), Device::cpu(), device).unwrap();
    let slope = FirstDerivative::new(space(), 0, 0.5, Scheme::Centered3, Edge::Reduced).unwrap();
    let product = slope.after(&up).after(&slope).build().unwrap();
    let on = crate::support::host();
    for a in [up, product] {
        let workspace = Workspace::of(&a, &*on).unwrap();
        let (x, y) = (random(&space(), 2), random(&space(), 3).to(device).unwrap().0);
        let before = bits(&y);
        let mut arrays = (x, y, workspace);
        let refused = Plan::record::<Error>(on.clone(), &mut arrays, |on, (x, y, workspace)| {
            a.apply_with(workspace, on, x.view(), y.view_mut(), Update::set())
        });
        let error = refused.map(|_| ()).unwrap_err();
        assert!(matches!(error, Error::Parameter { .. }), "{error}");
        assert!(error.to_string().contains("a plan keeps the calls of one"), "{error}");
        assert_eq!(bits(&arrays.1), before);
    }
}
