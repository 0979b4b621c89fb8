//! Arrays that plans keep are exchanged for others.

use std::mem::swap;

use super::*;
use arrayspan_kernels::bridge::ScalarView;

/// One array of a state, by its number.
fn field(state: &mut State, number: usize) -> &mut Array {
    let State { x, y, turned, square, sum } = state;
    match number {
        0 => x,
        1 => y,
        2 => turned,
        3 => square,
        _ => sum,
    }
}

#[test]
fn calls_run_on_what_an_array_was_exchanged_for() {
    on_each(|on| {
        let weights = array(&*on, &[17, 19], 9).into_shared();
        for fused in [false, true] {
            let mut direct = State::new(&*on, 1);
            let mut plan = plan_of(&on, State::new(&*on, 1), &weights);
            if fused {
                plan = plan.fused();
            }
            plan.replay().unwrap();
            direct.iterate(&*on, &weights).unwrap();
            for number in 0..5 {
                let before = bits(field(plan.arrays_mut(), number));
                let shape = field(&mut direct, number).shape().to_vec();
                let mut new = [(); 2].map(|()| array(&*on, &shape, 20 + number as u32));
                let [kept, called] = &mut new;
                plan.exchange(|state| field(state, number), kept).unwrap();
                swap(field(&mut direct, number), called);
                assert_eq!(bits(kept), before, "what was there comes out as it was");
                plan.replay().unwrap();
                direct.iterate(&*on, &weights).unwrap();
                let what = format!("array {number} on {}, fused: {fused}", on.device());
                assert_eq!(bits(kept), before, "nobody writes it any more: {what}");
                if !fused {
                    assert_eq!(plan.arrays().bits(), direct.bits(), "{what}");
                }
                let [kept, _] = new;
                let alone = kept.into_shared().try_into_array();
                assert!(alone.is_ok(), "nobody has the old array any more: {what}");
            }
            let [kept, called] = [plan.into_arrays(), direct].map(|state| state.bits());
            for (kept, called) in kept.iter().flatten().zip(called.iter().flatten()) {
                let [kept, called] = [kept, called].map(|bits| f32::from_bits(*bits));
                assert!((kept - called).abs() <= 1e-4 * called.abs().max(1.0), "{kept} {called}");
            }
        }
    });
}

#[test]
fn numbers_on_the_device_and_norms_are_exchanged_too() {
    on_each(|on| {
        let one = |seed| array(&*on, &[], seed);
        let iterate = |on: &dyn Executor, [x, y, alpha, norm]: &mut [Array; 4]| -> Result<()> {
            let update = Update::new(ScalarView::of(&alpha.view()).unwrap(), 0.0);
            on.copy(x.view(), y.view_mut(), update)?;
            on.sum(&input(0).abs2(), &[y.view()], norm.view_mut())
        };
        let new = || [array(&*on, &[300], 1), array(&*on, &[300], 2), one(3), one(4)];
        let mut plan = Plan::record(on.clone(), new(), iterate).unwrap().fused();
        let mut direct = new();
        for number in [2, 3, 0, 1] {
            let shape = direct[number].shape().to_vec();
            let mut fresh = array(&*on, &shape, 30);
            plan.exchange(|arrays| &mut arrays[number], &mut fresh).unwrap();
            direct[number] = array(&*on, &shape, 30);
            plan.replay().unwrap();
            iterate(&*on, &mut direct).unwrap();
            for (kept, called) in plan.arrays().iter().zip(&direct) {
                let [kept, called] = [kept, called].map(|of| of.view().to_vec::<f32>().unwrap());
                let near = |(a, b): (&f32, &f32)| (a - b).abs() <= 1e-5 * b.abs().max(1e-3);
                assert!(kept.iter().zip(&called).all(near), "{number} on {}", on.device());
            }
        }
    });
}

#[test]
fn what_does_not_fit_is_refused_and_nothing_changes() {
    on_each(|on| {
        let double = constant(2.0) * input(0);
        let arrays = [array(&*on, &[4, 6], 1), array(&*on, &[4, 6], 2)];
        let mut plan = Plan::record::<Error>(on.clone(), arrays, |on, [x, y]| {
            on.map(&double, &[x.view()], y.view_mut())
        })
        .unwrap();
        let turned = array(&*on, &[6, 4], 3).permuted(&[1, 0]).unwrap();
        let whole = on.empty(&[4, 6], DType::Float64).unwrap();
        let mut wrong = vec![array(&*on, &[6, 4], 3), array(&*on, &[24], 3), turned, whole];
        if !on.device().is_cpu() {
            let there = super::on(Device::cpu()).unwrap();
            wrong.push(array(&*there, &[4, 6], 3));
        }
        for mut new in wrong {
            let error = plan.exchange(|[x, _]| x, &mut new).unwrap_err().to_string();
            assert!(error.starts_with("exchange: "), "{error}");
            plan.replay().unwrap();
        }
        let [x, y] = plan.into_arrays();
        let twice: Vec<f32> = x.view().to_vec::<f32>().unwrap().iter().map(|x| 2.0 * x).collect();
        assert_eq!(y.view().to_vec::<f32>().unwrap(), twice);
    });
}

/// Calls may take all of an array's block; then a smaller one will not do.
#[test]
fn calls_never_reach_beyond_the_new_arrays_memory() {
    let cpu = on(Device::cpu()).unwrap();
    let part =
        |value: f32| Array::full([64], value, Device::cpu()).unwrap().sliced(0, 0, 8).unwrap();
    let arrays = [part(1.0), Array::full([256], 0_u8, Device::cpu()).unwrap()];
    let mut plan = Plan::record::<Error>(cpu, arrays, |on, [x, y]| {
        let block = x.bytes()?;
        let len = block.shape()[0];
        on.copy(block, y.view_mut().sliced(0, 0, len)?, Update::set())
    })
    .unwrap();
    let mut short = Array::full([8], 1.0_f32, Device::cpu()).unwrap();
    let error = plan.exchange(|[x, _]| x, &mut short).unwrap_err().to_string();
    assert!(error.contains("256 bytes") && error.contains("32"), "{error}");
    plan.replay().unwrap();
    // One with as much around it will.
    let mut long = part(2.0);
    plan.exchange(|[x, _]| x, &mut long).unwrap();
    plan.replay().unwrap();
    // In memory of others, only what is theirs to lend may be taken.
    let mut foreign = Array::from_vec(vec![3.0_f32; 64], [64]).unwrap().sliced(0, 0, 8).unwrap();
    plan.exchange(|[x, _]| x, &mut foreign).unwrap_err();
    plan.replay().unwrap();
    let [_, y] = plan.into_arrays();
    assert_eq!(y.view().to_vec::<u8>().unwrap()[252..], 2.0_f32.to_ne_bytes());
}

/// What was lent by a shared array when calls were recorded is none of the plan's.
#[test]
fn shared_weights_stay_where_they_are() {
    on_each(|on| {
        let weights: SharedArray = array(&*on, &[9], 5).into_shared();
        let mut plan = Plan::record::<Error>(on.clone(), array(&*on, &[9], 1), |on, x| {
            on.map(&(input(0) + constant(1.0)), &[weights.view()], x.view_mut())
        })
        .unwrap();
        let mut new = array(&*on, &[9], 2);
        plan.exchange(|x| x, &mut new).unwrap();
        plan.replay().unwrap();
        let expected: Vec<f32> =
            weights.view().to_vec::<f32>().unwrap().iter().map(|x| x + 1.0).collect();
        assert_eq!(plan.arrays().view().to_vec::<f32>().unwrap(), expected);
    });
}

/// Calls that write an array must not find it in the place of one that they read, nor of another one that they write.
#[test]
fn an_array_of_the_plan_stands_in_one_place() {
    on_each(|on| {
        let arrays = [array(&*on, &[9, 9], 1), array(&*on, &[9, 9], 2)];
        let mut plan = Plan::record::<Error>(on.clone(), arrays, |on, [x, y]| {
            on.copy(x.view().permuted(&[1, 0])?, y.view_mut(), Update::set())
        })
        .unwrap();
        let mut other = array(&*on, &[9, 9], 3);
        swap(&mut plan.arrays_mut()[1], &mut other);
        let error = plan.exchange(|[x, _]| x, &mut other).unwrap_err().to_string();
        assert!(error.contains("in the place of another"), "{error}");
        plan.replay().unwrap_err();
        // Back in its place, all is as it was.
        swap(&mut plan.arrays_mut()[1], &mut other);
        plan.replay().unwrap();
        let [x, y] = plan.into_arrays();
        let [x, y] = [x, y].map(|of| of.view().to_vec::<f32>().unwrap());
        assert!((0..81).all(|at| y[at].to_bits() == x[at % 9 * 9 + at / 9].to_bits()));
    });
}

/// Two outputs of one call are two arrays.
#[test]
fn outputs_never_become_one_array() {
    on_each(|on| {
        let arrays = [1, 2, 3].map(|seed| array(&*on, &[50], seed));
        let mut plan = Plan::record::<Error>(on.clone(), arrays, |on, [x, y, z]| {
            let both = [(2.0 * input(0), y.view_mut()), (3.0 * input(0), z.view_mut())];
            on.map_many(&[x.view()], both)
        })
        .unwrap();
        let mut other = array(&*on, &[50], 4);
        swap(&mut plan.arrays_mut()[2], &mut other);
        plan.exchange(|[_, y, _]| y, &mut other).unwrap_err();
        plan.replay().unwrap_err();
    });
}
