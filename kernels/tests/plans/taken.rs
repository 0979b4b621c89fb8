//! Arrays that are taken out of a plan for good.

use arrayspan_kernels::{Error, Plan, constant, input};

use super::{array, on_each, refused};

#[test]
fn what_was_taken_for_good_is_free_at_once() {
    on_each(|on| {
        let record = || {
            let arrays = vec![array(&*on, &[1000], 1), array(&*on, &[1000], 2)];
            Plan::record::<Error>(on.clone(), arrays, |on, arrays| {
                let [x, y] = &mut arrays[..] else { unreachable!("two were given") };
                on.map(&(input(0) + constant(1.0)), &[x.view()], y.view_mut())
            })
            .unwrap()
        };
        let mut plan = record();
        plan.replay().unwrap();
        // Nothing that the calls need: an array is written, and one more is looked at.
        let unneeded = plan.take(|arrays| {
            arrays.push(array(&*on, &[5], 3));
            arrays.pop()
        });
        assert_eq!((unneeded.unwrap().shape(), plan.steps().len()), (&[5][..], 1));
        plan.replay().unwrap();

        let held = plan.arrays_mut().remove(0).into_shared();
        held.try_into_array().unwrap_err();
        let mut plan = record();
        let x = plan.take(|arrays| arrays.remove(0)).into_shared();
        let x = x.try_into_array().unwrap();
        for _ in 0..2 {
            let error = plan.replay().unwrap_err();
            assert_eq!(error.to_string(), refused::keeps_no("map", "input 0"));
        }
        assert_eq!((plan.steps().len(), plan.arrays().len()), (0, 1));
        // It does not come back, nor does a new one in its place.
        plan.arrays_mut().insert(0, x);
        plan.replay().unwrap_err();
        plan.take(Vec::clear);
        plan.replay().unwrap_err();
        assert!(plan.into_arrays().is_empty());
    });
}
