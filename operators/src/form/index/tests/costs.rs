//! What maps cost when they run, and what they refuse.

use super::running::Mapped;
use super::*;
use crate::LinearOperator;
use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, DType};
use arrayspan_kernels::{Trace, Update};

/// The verbs of one direction, in order, and the bytes they move.
fn cost(map: &IndexMap, adjoint: bool, update: Update) -> (Vec<&'static str>, usize) {
    let trace = Trace::of(arrayspan_kernels::on(Device::cpu()).unwrap());
    let operator = Mapped::new(map, DType::Float32);
    let [mut x, mut y] = [map.domain(), map.range()]
        .map(|shape| Array::from_vec(vec![0.0_f32; shape.iter().product()], shape).unwrap());
    if adjoint {
        operator.apply_adjoint(&trace, y.view(), x.view_mut(), update).unwrap();
    } else {
        operator.apply(&trace, x.view(), y.view_mut(), update).unwrap();
    }
    let steps = trace.steps();
    let bytes = steps.iter().map(|(_, cost)| cost.bytes_read + cost.bytes_written).sum();
    (steps.into_iter().map(|(name, _)| name).collect(), bytes)
}

#[test]
fn maps_cost_what_their_documentation_says() {
    let shape = &[8, 6];
    let (set, add, scale) = (Update::set(), Update::add(), Update::new(1.0, 2.0));
    let flip = IndexMap::flip("test", shape, &[0]).unwrap();
    for adjoint in [false, true] {
        assert_eq!(cost(&flip, adjoint, set), (vec!["copy"], 4 * 2 * 48));
        assert_eq!(cost(&flip, adjoint, add), (vec!["copy"], 4 * 3 * 48));
    }
    let pad = IndexMap::pad("test", shape, 0, 1, 1).unwrap();
    assert_eq!(cost(&pad, false, set), (vec!["copy_mapped"], 4 * (2 * 48 + 12)));
    assert_eq!(cost(&pad, false, add), (vec!["copy"], 4 * 3 * 48));
    assert_eq!(cost(&pad, true, scale), (vec!["copy"], 4 * 3 * 48));
    assert_eq!(cost(&pad, false, scale), (vec!["copy_mapped"], 4 * (48 + 2 * 60)));
    // Half of the rows read: the others are set to zero in the same pass.
    let cut = IndexMap::slice("test", shape, 0, 4, 4, 1).unwrap();
    assert_eq!(cost(&cut, true, set), (vec!["copy_mapped"], 4 * (24 + 2 * 24)));
    assert_eq!(cost(&cut, true, add), (vec!["copy"], 4 * 3 * 24));
    // Every second row: all is set to zero first.
    let second = IndexMap::slice("test", shape, 0, 0, 4, 2).unwrap();
    assert_eq!(cost(&second, true, set), (vec!["map", "copy"], 4 * (48 + 2 * 24)));
    assert_eq!(cost(&second, true, add), (vec!["copy"], 4 * 3 * 24));
    assert_eq!(cost(&second, true, scale), (vec!["map", "copy"], 4 * (2 * 48 + 3 * 24)));
    let mirrored = IndexMap::symmetrize("test", shape, 0).unwrap();
    assert_eq!(cost(&mirrored, false, set), (vec!["copy_mapped"], 4 * (48 + 15 * 6)));
    assert_eq!(cost(&mirrored, false, add), (vec!["copy_mapped"], 4 * (48 + 2 * 15 * 6)));
    assert_eq!(cost(&mirrored, true, set), (vec!["copy_mapped"], 4 * (15 * 6 + 48)));
    assert_eq!(cost(&mirrored, true, scale), (vec!["copy_mapped"], 4 * (15 * 6 + 2 * 48)));
    let rolled = IndexMap::roll("test", shape, 1, 2).unwrap();
    for adjoint in [false, true] {
        assert_eq!(cost(&rolled, adjoint, set), (vec!["copy_mapped"], 4 * 2 * 48));
        assert_eq!(cost(&rolled, adjoint, add), (vec!["copy_mapped"], 4 * 3 * 48));
    }
    // What lies across is copied box by box, and what is around it set to zero by itself.
    let across = pad.after(&IndexMap::permute("test", &[6, 8], &[1, 0]).unwrap()).unwrap();
    assert_eq!(cost(&across, false, set), (vec!["map", "copy", "map"], 4 * (2 * 48 + 12)));
    let turned = pad.after(&flip).unwrap();
    assert_eq!(cost(&turned, false, set), (vec!["copy_mapped"], 4 * (2 * 48 + 12)));
    let repeated = IndexMap::repeat("test", shape, 1, 5).unwrap();
    assert_eq!(cost(&repeated, false, set), (vec!["copy"], 4 * (48 + 5 * 48)));
    assert_eq!(cost(&repeated, true, set), (vec!["reduce"], 4 * (5 * 48 + 48)));
    let added = (vec!["reduce", "copy"], 4 * (5 * 48 + 48 + 3 * 48));
    assert_eq!(cost(&repeated, true, add), added);
    let zero = IndexMap::zeros("test", shape, &[3]).unwrap();
    assert_eq!(cost(&zero, true, set), (vec!["map"], 4 * 48));
    assert_eq!(cost(&zero, true, add), (vec![], 0));
}

#[test]
fn few_elements_of_a_long_axis_are_read_in_one_launch() {
    let on = arrayspan_kernels::on(Device::cpu()).unwrap();
    let long = 1 << 40;
    let map = IndexMap::slice("test", &[long], 0, long - 1, 4, -(1 << 38)).unwrap();
    let x = Array::from_vec(vec![3.0_f32], [1]).unwrap();
    let mut y = on.empty(&[4], DType::Float32).unwrap();
    map.enqueue(&*on, x.view().broadcast(&[long]).unwrap(), y.view_mut(), Update::set()).unwrap();
    assert_eq!(y.view().as_slice::<f32>().unwrap(), [3.0; 4]);
}

#[test]
fn arrays_of_another_shape_are_refused() {
    let on = arrayspan_kernels::on(Device::cpu()).unwrap();
    let map = IndexMap::flip("test", &[3], &[0]).unwrap();
    let x = Array::from_vec(vec![3.0_f32; 2], [2]).unwrap();
    let mut y = on.empty(&[3], DType::Float32).unwrap();
    let error = map.enqueue(&*on, x.view(), y.view_mut(), Update::set()).unwrap_err();
    assert_eq!(error.to_string(), "IndexMap: model has shape [2], expected [3]");
}

#[test]
fn what_the_adjoint_is_carried_out_with_is_made_once() {
    let map = IndexMap::symmetrize("test", &[8, 6], 0).unwrap();
    let parts =
        |map: &IndexMap| map.mapped_adjoint(Update::set(), DType::Float32).map(<[_]>::as_ptr);
    assert!(parts(&map).is_some());
    assert_eq!(parts(&map), parts(&map.clone()));
    // The verb adds 16-bit floats, but no integers.
    assert!(map.mapped_adjoint(Update::set(), DType::Float16).is_some());
    assert_eq!(map.mapped_adjoint(Update::set(), DType::Int32), None);
    // It counts for nothing where maps are compared.
    assert_eq!(map, IndexMap::symmetrize("test", &[8, 6], 0).unwrap());
}
