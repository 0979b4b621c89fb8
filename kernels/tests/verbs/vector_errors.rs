//! What arithmetic of arrays refuses, and how it is put together.

use arrayspan_kernels::bridge::devices::Device;
use arrayspan_kernels::bridge::{Array, AsElementwise, Elementwise, Relayout};
use arrayspan_kernels::{Error, Reduction, Vector, VectorMut};
use num_complex::Complex64;

use crate::cell::Cell;

pub fn arrays_of_two_devices_are_refused(cell: &Cell) {
    let device = cell.executor.device();
    let other = Device::all().into_iter().find(|other| *other != device);
    let here = cell.filled(&[3], 1.0);
    let Some(other) = other else { return };
    let there = Array::empty([3], cell.dtype, &other.stream().unwrap()).unwrap();
    let mut out = cell.filled(&[3], 5.0);
    // Where no executor was given, none is spoken of.
    let apart = |error: Error, operation: &str| {
        let named = matches!(error, Error::Apart { verb, .. } if verb == operation);
        assert!(named && !error.to_string().contains("executor"), "{error}");
        assert!(error.to_string().contains(&format!("`to({device})`")), "{error}");
    };
    apart((here.view() + &there).compute().unwrap_err(), "compute");
    apart((here.view() + &there).sum().unwrap_err(), "sum");
    apart((here.view() + &there).mean().unwrap_err(), "mean");
    apart(here.view().dot(&there).unwrap_err(), "dot");
    let refused = |error: Error, operation: &str| {
        let named = matches!(error, Error::WrongDevice { verb, .. } if verb == operation);
        assert!(named, "{error}");
    };
    refused(there.compute_on(&*cell.executor).unwrap_err(), "compute");
    refused(out.view_mut().add_scaled(2.0, &there).unwrap_err(), "add_scaled");
    assert_eq!(out.read(cell), out.tensor);
}

fn host(values: &[f32], shape: &[usize]) -> Array {
    Array::from_slice(values, shape).unwrap()
}

#[test]
fn errors_name_the_operation_and_what_does_not_fit() {
    let (a, b) = (host(&[1.0; 6], &[2, 3]), host(&[1.0; 4], &[4]));
    let wide = Array::from_slice(&[1.0_f64; 6], [2, 3]).unwrap();
    let integers = Array::from_slice(&[1_i32; 6], [2, 3]).unwrap();
    let said = |result: Result<Array, Error>| result.unwrap_err().to_string();
    let shapes = "an array has shape [4], expected [2, 3]";
    assert_eq!(said((&a + &b).compute()), format!("compute: {shapes}"));
    assert_eq!(said((&a * &b).norm()), format!("norm: {shapes}"));
    let second = "dot: the second vector has shape [4], expected [2, 3]";
    assert_eq!(said(a.dot(&b)), second);
    assert_eq!(
        said((&a + &wide).compute()),
        "compute: an array of shape [2, 3] is Float64, expected Float32"
    );
    assert_eq!(said(a.dot(&wide)), "dot: the second vector is Float64, expected Float32");
    assert_eq!(said((&a + &wide).sum()), "sum: input 1 is Float64, expected Float32");
    assert_eq!(said(integers.abs().compute()), "compute: cannot compute with Int32");
    assert_eq!(said(Elementwise::from(2.0).compute()), "compute: there is no array, only numbers");
    assert_eq!(
        said(Elementwise::previous().sum()),
        "sum: it reads the output, which only an update in place has"
    );
    let turned = said((Complex64::i() * &a).compute());
    assert_eq!(turned, "compute: a constant is complex, the arrays are Float32");
    let mut y = host(&[3.0; 3], &[3]);
    let error = y.update(|y| y + &b).unwrap_err().to_string();
    assert_eq!(error, "update: input 0 has shape [4], expected [3]");
    assert_eq!(y.view().to_vec::<f32>().unwrap(), [3.0; 3]);
    let mut out = host(&[0.0; 2], &[2]);
    let on = arrayspan_kernels::on(Device::cpu()).unwrap();
    let error = a.sum_into(&*on, &mut out).unwrap_err().to_string();
    assert_eq!(error, "sum: the output has shape [2], expected []");
    a.reduce_into(&*on, Reduction::Maximum, 1, &mut out).unwrap();
    assert_eq!(out.view().to_vec::<f32>().unwrap(), [1.0; 2]);
}

#[test]
fn reductions_of_more_elements_than_can_be_counted_are_refused() {
    let one = host(&[1.0], &[]);
    let many = 1 << 40;
    let rows = one.view().broadcast(&[many, 1]).unwrap();
    let columns = one.view().broadcast(&[1, many]).unwrap();
    let value = rows.as_elementwise() + columns.as_elementwise();
    for found in [value.sum(), value.mean(), value.mean_axes([0, 1]), value.max_axes([1, 0])] {
        assert!(matches!(found, Err(Error::Bridge(_) | Error::Argument { .. })), "{found:?}");
    }
}

#[test]
fn axes_that_are_not_there_or_come_twice_are_named() {
    let a = host(&[1.0; 6], &[2, 3]);
    let said = |result: Result<Array, Error>| result.unwrap_err().to_string();
    assert_eq!(said(a.mean_axes(2)), "mean_axes: there is no axis 2 in an array of shape [2, 3]");
    assert_eq!(
        said(a.mean_axes([0, -3])),
        "mean_axes: there is no axis -3 in an array of shape [2, 3]"
    );
    assert_eq!(
        said(a.mean_axes([1, -1])),
        "mean_axes: axis 1 comes twice in [1, -1], of an array of shape [2, 3]"
    );
    assert_eq!(
        said(a.min_axes([0, 0])),
        "min_axes: axis 0 comes twice in [0, 0], of an array of shape [2, 3]"
    );
    let integers = Array::from_slice(&[1_i32; 6], [2, 3]).unwrap();
    assert_eq!(said(integers.mean_axes(0)), "mean_axes: cannot compute with Int32");
    assert_eq!(said(integers.mean_axes([])), "mean_axes: cannot compute with Int32");
    let (on, mut out) = (arrayspan_kernels::on(Device::cpu()).unwrap(), host(&[7.0; 6], &[6]));
    a.reduce_into(&*on, Reduction::Sum, [], &mut out).unwrap_err();
    assert_eq!(out.to_vec::<f32>().unwrap(), [7.0; 6], "nothing was written");
}

#[test]
fn a_view_that_comes_twice_is_one_input() {
    let (a, b) = (host(&[1.0; 6], &[2, 3]), host(&[2.0; 6], &[2, 3]));
    let value = (&a + &b) * (&b - &a) + a.view().reshaped(&[6]).unwrap().reshaped(&[2, 3]).unwrap();
    assert_eq!(value.inputs().len(), 2);
    assert_eq!(value.compute().unwrap().view().to_vec::<f32>().unwrap(), [4.0; 6]);
    let row = |at| a.view().selected(0, at).unwrap();
    assert_eq!((row(0) + row(1) + row(0)).inputs().len(), 2);
}

#[test]
fn sums_of_many_terms_are_made_in_either_direction() {
    let arrays: Vec<Array> = (0..9).map(|i| host(&[i as f32], &[1])).collect();
    let terms = |i: usize| Elementwise::from(&arrays[i % 9]);
    let left = (0..4000).fold(Elementwise::from(0.0), |sum, i| sum + terms(i));
    let right = (0..4000).fold(Elementwise::from(0.0), |sum, i| terms(i) + sum);
    let expected: f32 = (0..4000).map(|i| (i % 9) as f32).sum();
    for value in [left, right] {
        assert_eq!(value.inputs().len(), 9);
        assert_eq!(value.compute().unwrap().view().to_vec::<f32>().unwrap(), [expected]);
    }
    let doubled = (0..70).fold(Elementwise::from(&arrays[1]), |sum, _| &sum + &sum);
    doubled.compute().unwrap_err();
}

#[test]
fn numbers_alone_fill_an_output() {
    let mut y = host(&[f32::NAN; 3], &[3]);
    y.assign(2.5).unwrap();
    assert_eq!(y.view().to_vec::<f32>().unwrap(), [2.5; 3]);
    let nothing = host(&[], &[0]);
    assert_eq!((nothing.as_elementwise() + 1.0).compute().unwrap().shape(), [0]);
}
