//! What the tests of tensors share.
#![allow(dead_code, reason = "each program uses a part of it")]

use arrayspan_bridge::torch::{Gradients, TorchOptions};
use arrayspan_bridge::{Crossing, Transfer};
use tch::{Kind, Tensor};

/// No copy, whatever else.
pub(crate) const SHARE: TorchOptions =
    TorchOptions { transfer: Transfer::ZeroCopyOnly, gradients: Gradients::Refuse };
pub(crate) const DETACH: TorchOptions =
    TorchOptions { transfer: Transfer::ZeroCopyOnly, gradients: Gradients::Detach };
/// A copy where needed.
pub(crate) const COPY: TorchOptions =
    TorchOptions { transfer: Transfer::CopyIfNeeded, gradients: Gradients::Refuse };

/// 0, 1, 2, … in that shape, `Float32`.
pub(crate) fn counting(shape: &[i64]) -> Tensor {
    Tensor::arange(shape.iter().product::<i64>(), (Kind::Float, tch::Device::Cpu)).reshape(shape)
}

/// The elements in order, whatever the kind.
pub(crate) fn numbers(tensor: &Tensor) -> Vec<f64> {
    let flat = tensor.to_device(tch::Device::Cpu).to_kind(Kind::Double).contiguous().view(-1);
    Vec::try_from(flat).unwrap()
}

pub(crate) fn copied(why: arrayspan_bridge::Why, bytes: usize) -> Crossing {
    Crossing::Copied { why, bytes }
}
