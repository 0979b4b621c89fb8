//! Plans over a kind of device whose work runs later than it was queued, so that a missing order shows.

use std::sync::Once;

use arrayspan_kernels::bridge::devices::{Device, register_driver};
use arrayspan_kernels::bridge::{Array, DType};
use arrayspan_kernels::{Error, Plan, constant, on, previous};

use crate::shelf::{BYTES, DEVICES, KIND, Shelves};
use crate::{array, numbers};

fn shelves() -> [Device; DEVICES] {
    static ADDED: Once = Once::new();
    ADDED.call_once(|| {
        // SAFETY: shelves keep the contracts of the traits: see there.
        unsafe { register_driver(&Shelves) }.unwrap();
    });
    [0, 1].map(|number| Device::new(KIND, number).unwrap())
}

/// Each replay sends what it finds by way of both shelves and adds to what comes back: what overtakes something else on the
/// way gives other numbers.
#[test]
fn every_replay_waits_for_what_the_one_before_has_sent() {
    let shelves = shelves();
    let on = on(Device::cpu()).unwrap();
    // Large enough for copies to be under way when the next is queued.
    let len = 300_007;
    assert!(8 * len < BYTES);
    let shelved = shelves
        .map(|device| Array::empty([len], DType::Float32, &device.new_stream().unwrap()).unwrap());
    let back = array(Device::cpu(), &[len], 2);
    let arrays = (array(Device::cpu(), &[len], 1), shelved, back);
    let mut plan = Plan::record::<Error>(on, arrays, |on, (x, [u, v], y)| {
        on.transfer(x.view(), u.view_mut())?;
        on.map(&(previous() + constant(1.0)), &[], x.view_mut())?;
        // From shelf to shelf by way of the host, which is all that the executor is one of.
        on.transfer(u.view(), y.view_mut())?;
        on.transfer(y.view(), v.view_mut())?;
        on.map(&constant(-7.0), &[], y.view_mut())?;
        on.transfer(v.view(), y.view_mut())
    })
    .unwrap();
    assert_eq!(plan.steps().len(), 6);
    for round in 0..5 {
        plan.replay().unwrap();
        let sent: Vec<f32> =
            numbers(len, 1).into_iter().map(|x| (0..round).fold(x, |x, _| x + 1.0)).collect();
        assert_eq!(plan.arrays().2.view().to_vec::<f32>().unwrap(), sent, "{round}");
    }
    let memory = plan.arrays_mut();
    let new = Array::empty([len], DType::Float32, &memory.1[1].device().new_stream().unwrap());
    memory.1[1] = new.unwrap();
    let error = plan.replay().unwrap_err();
    assert!(matches!(error, Error::NotKept { .. }), "{error}");
}
