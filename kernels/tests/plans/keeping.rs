//! What plans keep, and what is found at a replay: exchanged arrays, factors on the device, shared arrays.

use std::mem;

use arrayspan_kernels::bridge::Array;
use arrayspan_kernels::verb::StencilTerm;
use arrayspan_kernels::{
    Band, Error, Executor, Factor, Plan, Result, Stencil, Update, constant, input, previous,
};

use super::refused::keeps_no;
use super::{array, bits, on_each};

#[test]
fn a_shared_array_is_not_writable_again_before_the_plan_is_gone() {
    on_each(|on| {
        let shared = array(&*on, &[3], 1).into_shared();
        let y = array(&*on, &[3], 2);
        let mut plan = Plan::record::<Error>(on.clone(), y, |on, y| {
            on.copy(shared.view(), y.view_mut(), Update::set())
        })
        .unwrap();
        let shared = shared.try_into_array().unwrap_err();
        let expected = shared.view().to_vec::<f32>().unwrap();
        // The plan alone holds it.
        drop(shared);
        plan.replay().unwrap();
        assert_eq!(plan.arrays().view().to_vec::<f32>().unwrap(), expected);

        let shared = array(&*on, &[3], 1).into_shared();
        let plan = Plan::record::<Error>(on.clone(), plan.into_arrays(), |on, y| {
            on.copy(shared.view(), y.view_mut(), Update::set())
        })
        .unwrap();
        drop(plan);
        shared.try_into_array().unwrap();
    });
}

#[test]
fn an_array_that_was_exchanged_is_missed_before_anything_runs() {
    on_each(|on| {
        let [x, y] = [1, 2].map(|seed| array(&*on, &[3], seed));
        let mut plan = Plan::record::<Error>(on.clone(), vec![x, y], |on, arrays| {
            let [x, y] = &mut arrays[..] else { unreachable!("two were given") };
            on.map(&(input(0) + constant(1.0)), &[x.view()], y.view_mut())?;
            on.map(&(input(0) + constant(1.0)), &[y.view()], x.view_mut())
        })
        .unwrap();
        plan.replay().unwrap();
        let before = plan.arrays().iter().map(bits).collect::<Vec<_>>();
        let x = mem::replace(&mut plan.arrays_mut()[0], array(&*on, &[3], 1));
        let error = plan.replay().unwrap_err();
        assert_eq!(error.to_string(), keeps_no("map", "input 0"));
        assert_eq!([bits(&x), bits(&plan.arrays()[1])].to_vec(), before);
        // Alone, it is as good as ever, and in its place again it is the plan's.
        plan.arrays_mut()[0] = x;
        plan.arrays_mut().reverse();
        plan.replay().unwrap();
        assert_ne!(bits(&plan.arrays()[0]), before[1]);
        plan.arrays_mut().clear();
        assert!(matches!(plan.replay(), Err(Error::NotKept { .. })));
    });
}

/// The numbers that an update of a plan finds are those of each replay, not those of the recording.
#[test]
fn replays_find_the_factors_that_are_on_the_device_then() {
    on_each(|on| {
        let square = array(&*on, &[17, 17], 9).into_shared();
        let near = |len| Band::uniform(len, [(-1, 0.25), (0, -0.5), (1, 0.75)]);
        let stencil = Stencil::new([(0, near(17)), (1, near(17))]).unwrap();
        let step = |on: &dyn Executor, y: &mut [Array; 5], update: Update<'_>| -> Result<()> {
            let [a, b, c, d, e] = y;
            let x = || square.view();
            on.copy(x(), a.view_mut(), update)?;
            on.stencil(&stencil, x(), b.view_mut(), update)?;
            let terms = [StencilTerm::new(&stencil, x()), StencilTerm::new(&stencil, x())];
            on.stencil_sum(&terms, c.view_mut(), update)?;
            on.gemm(x(), false, x(), d.view_mut(), update)?;
            on.map_updated(&input(0).abs2(), &[x()], e.view_mut(), update)
        };
        let new = || [1, 2, 3, 4, 5].map(|seed| array(&*on, &[17, 17], seed));
        let scalar =
            |value: f32| Array::from_slice(&[value], []).unwrap().to(on.device()).unwrap().0;
        let arrays = (new(), [scalar(7.0), scalar(9.0)]);
        let mut plan = Plan::record::<Error>(on.clone(), arrays, |on, (y, [alpha, beta])| {
            step(on, y, Update::new(&*alpha, -Factor::from(&*beta)))
        })
        .unwrap();
        let mut direct = new();
        for (alpha, beta) in [(0.5_f32, -0.25_f32), (1.0, -1.0), (-2.0, 0.0), (0.0, 0.5)] {
            step(&*on, &mut direct, Update::new(f64::from(alpha), -f64::from(beta))).unwrap();
            for (scalar, value) in plan.arrays_mut().1.iter_mut().zip([alpha, beta]) {
                let value = Array::from_slice(&[value], []).unwrap();
                scalar.view_mut().copy_from(&value.view(), on.stream()).unwrap();
            }
            plan.replay().unwrap();
            for (verb, (found, expected)) in plan.arrays().0.iter().zip(&direct).enumerate() {
                let found = found.view().to_vec::<f32>().unwrap();
                let expected = expected.view().to_vec::<f32>().unwrap();
                let largest = expected.iter().fold(0.0, |a: f32, b| a.max(b.abs()));
                let near =
                    found.iter().zip(&expected).all(|(a, b)| (a - b).abs() <= 1e-5 * largest);
                assert!(near, "{} {verb} {alpha} {beta}: {found:?} {expected:?}", on.device());
            }
        }
    });
}

#[test]
fn a_factor_that_the_plan_does_not_keep_is_refused() {
    on_each(|on| {
        let (x, scalar) = (array(&*on, &[3], 1).into_shared(), array(&*on, &[], 2));
        let y = array(&*on, &[3], 3);
        let refused = Plan::record::<Error>(on.clone(), y, |on, y| {
            on.copy(x.view(), y.view_mut(), Update::new(1.0, &scalar))
        });
        let error = refused.map(|_| ()).unwrap_err();
        assert_eq!(error.to_string(), keeps_no("copy", "beta"));
        // A shared one is kept by the call: nobody writes it as long as the plan lives.
        let (shared, y) = (scalar.into_shared(), array(&*on, &[3], 3));
        let mut plan = Plan::record::<Error>(on.clone(), y, |on, y| {
            on.copy(x.view(), y.view_mut(), Update::new(&shared, 0.0))
        })
        .unwrap();
        let shared = shared.try_into_array().unwrap_err();
        let factor = shared.view().to_vec::<f32>().unwrap()[0];
        drop(shared);
        plan.replay().unwrap();
        let expected: Vec<f32> =
            x.view().to_vec::<f32>().unwrap().iter().map(|x| x * factor).collect();
        assert_eq!(plan.arrays().view().to_vec::<f32>().unwrap(), expected);
    });
}

#[test]
fn arrays_of_a_forgotten_plan_are_free_again() {
    on_each(|on| {
        let mut x = array(&*on, &[3], 1);
        let expected = x.view().to_vec::<f32>().unwrap();
        let mut plan = Plan::record::<Error>(on.clone(), &mut x, |on, x| {
            on.map(&(-previous()), &[], x.view_mut())
        })
        .unwrap();
        plan.replay().unwrap();
        mem::forget(plan);
        on.map(&(-previous()), &[], x.view_mut()).unwrap();
        assert_eq!(x.view().to_vec::<f32>().unwrap(), expected);
    });
}
