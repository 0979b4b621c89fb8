//! What an array cannot be is refused by name, and the tensor is dropped.

use arrayspan_bridge::Error;
use arrayspan_bridge::torch::{import, import_shared};
use tch::{Kind, Tensor};

use crate::{COPY, counting};

fn refuses(tensor: &Tensor, property: &str, told: &str) {
    let refused = [
        import(tensor.shallow_clone(), COPY).map(drop),
        // SAFETY: nobody writes the tensor.
        unsafe { import_shared(tensor.shallow_clone(), COPY).map(drop) },
    ];
    for refused in refused {
        match refused {
            Err(Error::Foreign { field, why }) => {
                assert_eq!(field, property);
                assert!(why.contains(told), "{why}");
            }
            other => panic!("{property}: {other:?}"),
        }
    }
}

#[test]
fn an_undefined_tensor() {
    refuses(&Tensor::new(), "defined", "no content");
}

#[test]
fn sparse_tensors() {
    let dense = counting(&[2, 2]);
    refuses(&dense.to_sparse_sparse_dim(2), "layout", "is sparse,");
    refuses(&dense.to_sparse_csr(None), "layout", "is sparse CSR");
}

#[test]
fn a_tensor_in_the_layout_of_mkl_dnn() {
    refuses(&counting(&[2, 2]).to_mkldnn(), "layout", "MKL-DNN");
}

#[test]
fn a_nested_tensor() {
    let nested = Tensor::internal_nested_from_padded(
        &counting(&[2, 3]),
        &Tensor::from_slice(&[2_i64, 3]).reshape([2, 1]),
        false,
    );
    refuses(&nested, "layout", "nested");
}

#[test]
fn a_quantised_tensor() {
    let quantised = counting(&[4]).quantize_per_tensor(0.1, 0, Kind::QInt8);
    refuses(&quantised, "is_quantized", "QInt8");
}

#[test]
fn a_tensor_without_memory() {
    let zeros = Tensor::internal_efficientzerotensor([3], (Kind::Float, tch::Device::Cpu));
    refuses(&zeros, "storage", "not in memory");
}

#[test]
fn a_tensor_that_requires_gradients() {
    refuses(&counting(&[2]).set_requires_grad(true), "requires_grad", "gradients");
}
