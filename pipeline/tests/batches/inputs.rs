//! What batches may be made of.

use std::sync::Arc;

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, Relayout, SharedArray};
use arrayspan_pipeline::batch::Across;

use super::{alone, batch, expected, sets, turned, values};

#[test]
fn arrays_and_ndarrays_owned_and_shared_are_batches() {
    let _alone = alone();
    for devices in sets() {
        let owned = (0..3).map(|i| batch(i, 2)).across(devices.clone()).map(turned).unwrap();
        let counted = (0..3).map(|i| batch(i, 2).into_shared());
        let counted = counted.across(devices.clone()).map(turned).unwrap();
        let behind = (0..3).map(|i| Arc::new(batch(i, 2)));
        let behind = behind.across(devices.clone()).map(turned).unwrap();
        let arrays = (0..3).map(|i| Array::from(batch(i, 2)));
        let arrays = arrays.across(devices.clone()).map(turned).unwrap();
        let shared = (0..3).map(|i| Array::from(batch(i, 2)).into_shared());
        let shared = shared.across(devices).map(turned).unwrap();
        for run in [owned, counted, behind, arrays, shared] {
            let results: Vec<_> = run.map(|result| values(&result.unwrap())).collect();
            assert_eq!(results, (0..3).map(|i| expected(i, 2)).collect::<Vec<_>>());
        }
    }
}

#[test]
fn one_array_may_be_many_batches_and_is_left_as_it_was() {
    let _alone = alone();
    for devices in sets() {
        let all = Array::from(batch(0, 6)).into_shared();
        let rows: Vec<SharedArray> = (0..6).map(|i| all.clone().sliced(0, i, 1).unwrap()).collect();
        let run = rows.into_iter().across(devices).map(turned).unwrap();
        let results: Vec<f32> = run.flat_map(|result| values(&result.unwrap())).collect();
        assert_eq!(results, expected(0, 6));
        let before: Vec<f32> = batch(0, 6).iter().copied().collect();
        assert_eq!(all.view().to_vec::<f32>().unwrap(), before);
    }
}

#[test]
fn strided_batches_arrive_as_they_look() {
    let _alone = alone();
    for devices in sets() {
        let inputs = (0..5).map(|i| batch(i, 4).reversed_axes());
        let run = inputs.across(devices).map(|x, _| x.view().to_array()).unwrap();
        for (index, result) in run.enumerate() {
            let transposed: Vec<f32> = batch(index, 4).t().iter().copied().collect();
            assert_eq!(values(&result.unwrap()), transposed);
        }
    }
}

#[test]
fn batches_already_on_a_device_are_computed_there_without_moving_and_elsewhere_after() {
    let _alone = alone();
    let everywhere = Device::all();
    for &home in &everywhere {
        let inputs = (0..5).map(move |i| Array::from(batch(i, 2)).into_device(home).unwrap().0);
        let mut run = inputs.across([home]).map(turned).unwrap();
        for (index, result) in run.by_ref().enumerate() {
            assert_eq!(values(&result.unwrap()), expected(index, 2));
        }
        assert_eq!(run.report().devices[0].bytes_in, 0, "{home}");
        for &away in everywhere.iter().filter(|away| **away != home) {
            let inputs = (0..5).map(move |i| Array::from(batch(i, 2)).into_device(home).unwrap().0);
            let mut run = inputs.across([away]).map(turned).unwrap();
            for (index, result) in run.by_ref().enumerate() {
                assert_eq!(values(&result.unwrap()), expected(index, 2), "{home} to {away}");
            }
            assert_eq!(run.report().devices[0].bytes_in, 5 * 2 * 3 * 4);
        }
    }
}

#[test]
fn batches_without_elements_are_batches() {
    let _alone = alone();
    for devices in sets() {
        let run = (0..4).map(|i| batch(i, 0)).across(devices).map(turned).unwrap();
        let shapes: Vec<_> = run.map(|result| result.unwrap().shape().to_vec()).collect();
        assert_eq!(shapes, vec![vec![0, 3]; 4]);
    }
}
