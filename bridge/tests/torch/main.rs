//! Tensors of libtorch, in and out.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

#[path = "../common/mod.rs"]
mod common;
mod cuda;
mod export;
mod import;
mod kernel;
mod layouts;
mod refusals;

use arrayspan_bridge::torch::{Gradients, Options};
use arrayspan_bridge::{Crossing, Transfer};
use tch::{Kind, Tensor};

/// No copy, whatever else.
const SHARE: Options = Options { transfer: Transfer::ZeroCopyOnly, gradients: Gradients::Refuse };
const DETACH: Options = Options { transfer: Transfer::ZeroCopyOnly, gradients: Gradients::Detach };
/// A copy where needed.
const COPY: Options = Options { transfer: Transfer::CopyIfNeeded, gradients: Gradients::Refuse };

/// 0, 1, 2, … in that shape, `Float32`.
fn counting(shape: &[i64]) -> Tensor {
    Tensor::arange(shape.iter().product::<i64>(), (Kind::Float, tch::Device::Cpu)).reshape(shape)
}

/// The elements in order, whatever the kind.
fn numbers(tensor: &Tensor) -> Vec<f64> {
    let flat = tensor.to_device(tch::Device::Cpu).to_kind(Kind::Double).contiguous().view(-1);
    Vec::try_from(flat).unwrap()
}

fn copied(why: arrayspan_bridge::Why, bytes: usize) -> Crossing {
    Crossing::Copied { why, bytes }
}
