//! Tensors become arrays.

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::torch::{Gradients, TorchOptions, import, import_shared};
use arrayspan_bridge::{Array, Crossing, DType, Error, SharedArray, Why, torch};
use num_complex::Complex;
use tch::{Kind, Tensor};

use crate::{COPY, DETACH, SHARE, copied, counting, numbers};

#[test]
fn a_tensor_that_is_alone_becomes_an_array_over_its_own_memory() {
    let tensor = counting(&[2, 3]);
    let address = tensor.data_ptr().addr();
    let (mut array, crossing) = import(tensor, SHARE).unwrap();
    assert_eq!(crossing, Crossing::ZeroCopy);
    assert_eq!((array.memory().address(), array.shape()), (address, &[2, 3][..]));
    array.view_mut().as_ndarray_mut::<f32>().unwrap()[[1, 2]] = 9.0;
    assert_eq!(array.view().to_vec::<f32>().unwrap(), [0.0, 1.0, 2.0, 3.0, 4.0, 9.0]);
}

#[test]
fn an_array_that_came_from_a_tensor_becomes_that_tensor_again() {
    let tensor = counting(&[4]).narrow(0, 1, 2);
    let mut tensor = tensor.copy();
    let implementation = tensor.as_mut_ptr();
    let (array, _) = import(tensor, SHARE).unwrap();
    let (mut tensor, crossing) = torch::export(array, SHARE).unwrap();
    assert_eq!((tensor.as_mut_ptr(), crossing), (implementation, Crossing::ZeroCopy));
    assert_eq!(numbers(&tensor), [1.0, 2.0]);
}

#[test]
fn a_tensor_that_others_hold_is_copied_and_they_do_not_see_what_is_written() {
    let base = counting(&[6]);
    let storage = |tensor: &Tensor| tensor.narrow(0, 1, 4);
    for tensor in [base.shallow_clone(), base.detach(), base.view([2, 3]), storage(&base)] {
        let bytes = 4 * tensor.numel();
        let expected = numbers(&tensor);
        let (mut array, crossing) = import(tensor, COPY).unwrap();
        assert_eq!(crossing, copied(Why::Shared, bytes));
        let found: Vec<f64> =
            array.view().to_vec::<f32>().unwrap().into_iter().map(f64::from).collect();
        assert_eq!(found, expected);
        array.view_mut().as_ndarray_mut::<f32>().unwrap().fill(7.0);
        assert_eq!(numbers(&base), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    }
    let refused = import(base.shallow_clone(), SHARE).unwrap_err();
    assert!(matches!(refused, Error::CopyRefused { why: Why::Shared, bytes: 24, .. }), "{refused}");
}

#[test]
fn a_view_whose_base_is_gone_is_alone() {
    let tensor = counting(&[4, 6]).narrow(1, 1, 3).transpose(0, 1);
    let (array, crossing) = import(tensor, SHARE).unwrap();
    assert_eq!((crossing, array.layout().strides()), (Crossing::ZeroCopy, &[1, 6][..]));
    assert_eq!(array.view().to_vec::<f32>().unwrap()[..5], [1.0, 7.0, 13.0, 19.0, 2.0]);
}

#[test]
fn a_clone_that_will_copy_on_write_is_not_alone() {
    let base = counting(&[3]);
    let (mut array, crossing) = import(base.internal_lazy_clone(), COPY).unwrap();
    assert_eq!(crossing, copied(Why::Shared, 12));
    array.view_mut().as_ndarray_mut::<f32>().unwrap().fill(7.0);
    assert_eq!(numbers(&base), [0.0, 1.0, 2.0]);
}

#[test]
fn gradients_are_refused_or_detached_by_choice() {
    let leaf = || counting(&[3]).set_requires_grad(true);
    let refused = import(leaf(), COPY).unwrap_err();
    assert!(matches!(refused, Error::Foreign { field: "requires_grad", .. }), "{refused}");
    let (array, crossing) = import(leaf(), DETACH).unwrap();
    assert_eq!(crossing, Crossing::ZeroCopy);
    assert_eq!(array.view().to_vec::<f32>().unwrap(), [0.0, 1.0, 2.0]);
}

#[test]
fn what_a_graph_has_kept_for_the_way_back_is_not_overwritten() {
    // The derivative of exp is its result, which the graph keeps.
    let leaf = counting(&[3]).set_requires_grad(true);
    let result = leaf.exp();
    let sum = result.sum(Kind::Float);
    let options = TorchOptions { gradients: Gradients::Detach, ..COPY };
    let (mut array, crossing) = import(result, options).unwrap();
    assert_eq!(crossing, copied(Why::Shared, 12));
    array.view_mut().as_ndarray_mut::<f32>().unwrap().fill(-1.0);
    sum.backward();
    assert_eq!(numbers(&leaf.grad())[..1], [1.0]);
}

#[test]
fn a_result_whose_graph_goes_with_it_is_alone() {
    let leaf = counting(&[3]).set_requires_grad(true);
    let (_, crossing) = import(leaf.exp(), DETACH).unwrap();
    assert_eq!(crossing, Crossing::ZeroCopy);
}

#[test]
fn conjugate_and_negative_bits_are_resolved_by_a_copy() {
    let complex = || Tensor::complex(&counting(&[2]), &(counting(&[2]) + 1.0));
    let (array, crossing) = import(complex().conj(), COPY).unwrap();
    assert_eq!((array.dtype(), crossing), (DType::Complex64, copied(Why::Lazy, 16)));
    let values = array.view().to_vec::<Complex<f32>>().unwrap();
    assert_eq!(values, [Complex::new(0.0, -1.0), Complex::new(1.0, -2.0)]);
    let (array, crossing) = import(complex().conj().imag(), COPY).unwrap();
    assert_eq!(crossing, copied(Why::Lazy, 8), "the imaginary part of a conjugate is negated");
    assert_eq!(array.view().to_vec::<f32>().unwrap(), [-1.0, -2.0]);
    for lazy in [complex().conj(), counting(&[2]).internal_neg_view()] {
        let refused = import(lazy, SHARE).unwrap_err();
        assert!(matches!(refused, Error::CopyRefused { why: Why::Lazy, .. }), "{refused}");
    }
    let whole = complex().conj().resolve_conj();
    assert_eq!(import(whole, SHARE).unwrap().1, Crossing::ZeroCopy);
}

#[test]
fn an_expanded_tensor_is_shared_as_it_is_or_copied_to_be_written() {
    let expanded = || counting(&[3]).reshape([3, 1]).expand([3, 4], false);
    let array = SharedArray::try_from(expanded()).unwrap();
    assert_eq!(array.layout().strides(), [1, 0]);
    assert!(array.try_into_array().is_err(), "its elements share places");
    let (array, crossing) = import(expanded(), COPY).unwrap();
    assert_eq!(crossing, copied(Why::Strides, 48));
    assert_eq!(array.view().to_vec::<f32>().unwrap()[3..9], [0.0, 1.0, 1.0, 1.0, 1.0, 2.0]);
}

#[test]
fn a_tensor_that_others_hold_is_shared_on_the_callers_word() {
    let base = counting(&[6]);
    // SAFETY: nobody writes the tensors.
    let (array, crossing) = unsafe { import_shared(base.narrow(0, 2, 3), SHARE).unwrap() };
    assert_eq!(crossing, Crossing::ZeroCopy);
    assert_eq!(array.memory().address(), base.data_ptr().addr() + 8);
    assert_eq!(array.view().to_vec::<f32>().unwrap(), [2.0, 3.0, 4.0]);
    assert!(array.try_into_array().is_err(), "others hold it");
}

#[test]
fn conversions_that_cannot_be_without_a_copy_fail() {
    let base = counting(&[2]);
    assert!(Array::try_from(base.shallow_clone()).is_err());
    assert!(SharedArray::try_from(base.shallow_clone()).is_err());
    assert_eq!(Array::try_from(base).unwrap().shape(), [2]);
}

#[test]
fn dtypes_without_a_name_in_tch_cross_too() {
    let stream = Device::cpu().stream().unwrap();
    for (dtype, bytes) in [(DType::UInt16, 2), (DType::UInt32, 4), (DType::UInt64, 8)] {
        let array = Array::empty([3], dtype, &stream).unwrap();
        let (tensor, crossing) = torch::export(array, SHARE).unwrap();
        assert_eq!((crossing, tensor.numel()), (Crossing::ZeroCopy, 3));
        assert!(tensor.f_kind().is_err());
        assert_eq!(numbers(&tensor), [0.0; 3]);
        let (array, _) = import(tensor, SHARE).unwrap();
        assert_eq!((array.dtype(), array.memory().bytes()), (dtype, 3 * bytes));
    }
}
