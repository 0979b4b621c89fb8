//! How operators are run: the steps that they describe, and plans that repeat them.

use std::sync::Arc;

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, DType};
use arrayspan_kernels::{Executor, Plan};
use arrayspan_operators::author::*;
use arrayspan_operators::{Error, Workspace};

use super::random;

/// The steps of both directions, as the operator describes them.
pub(crate) fn steps(a: &Operator) -> [Vec<String>; 2] {
    let text = a.describe();
    let (_, programs) = text.split_once("forward: ").unwrap();
    let (forward, adjoint) = programs.split_once("adjoint: ").unwrap();
    [forward, adjoint].map(|text| {
        let lines: Vec<String> = text.lines().map(|line| line.trim().to_owned()).collect();
        // Of several steps the first line is a heading.
        if lines.len() > 1 { lines[1..].to_vec() } else { lines }
    })
}

/// Fails unless `y ← 0.5 A x + 0.25 y` and `x ← 0.125 Aᴴ y + x`, one after the other, are the same to the bit when they are
/// recorded and replayed, by an executor of this device. Models and data live on `[domain, range]`.
pub(crate) fn in_a_plan_and_outside(
    a: &Operator,
    on: &Arc<dyn Executor>,
    [domain, range]: [Device; 2],
) -> Result<()> {
    assert_eq!(a.domain().dtype(), DType::Float32);
    let side =
        |space: &Space, seed, device| random(space, seed).into_device(device).map(|moved| moved.0);
    let arrays = || -> Result<_> {
        let (x, y) = (side(a.domain(), 3, domain)?, side(a.range(), 4, range)?);
        Ok((x, y, Workspace::of(a, &**on)?))
    };
    let step = |on: &dyn Executor, (x, y, own): &mut (Array, Array, Workspace)| {
        let (forward, back) = (Update::new(0.5, 0.25), Update::new(0.125, 1.0));
        a.apply_with(own, on, x.view(), y.view_mut(), forward)?;
        a.apply_adjoint_with(own, on, y.view(), x.view_mut(), back)
    };
    let bits = |array: &Array| -> Vec<u32> {
        array.view().to_vec::<f32>().unwrap().into_iter().map(f32::to_bits).collect()
    };
    let both = |(x, y, _): &(Array, Array, Workspace)| [bits(x), bits(y)];
    let mut direct = arrays()?;
    let mut plan = Plan::record::<Error>(on.clone(), arrays()?, step)?;
    for round in 0..3 {
        step(&**on, &mut direct)?;
        plan.replay()?;
        assert_eq!(both(plan.arrays()), both(&direct), "{} {a:?} {round}", on.device());
    }
    Ok(())
}
