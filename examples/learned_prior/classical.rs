//! What the network is compared with: least squares with a measure of roughness.

use arrayspan::prelude::*;
use arrayspan::torch::{self, TorchOptions};
use ndarray::Array2;

use crate::{Failure, tensors};

/// Weight of the Laplacian, beside modelling of norm one.
const SMOOTHING: f64 = 0.01;
const ITERATIONS: usize = 100;

/// `min ‖d - A x‖² + smoothing² ‖∇² x‖²`
pub fn invert(
    modelling: &Operator,
    data: &Array2<f64>,
    device: Device,
) -> Result<Array2<f64>, Failure> {
    let terms = [0, 1].map(|axis| Along { axis, step: 1.0, weight: 1.0 });
    let rough = Laplacian::new(modelling.domain().clone(), &terms, Scheme::Centered3, Edge::Zero)?;
    let a = vstack![modelling, SMOOTHING * &rough]?;
    let data = tensors::tensor(data, torch::device(device)?);
    let known = torch::tch::Tensor::cat(&[&data, &data.zeros_like()], 0);
    let (known, _) = torch::import(known, TorchOptions::default())?;
    let solver = Cgls { stop: Stop::after(ITERATIONS), ..Cgls::default() };
    let (found, _) = torch::export(solver.solve(&a, &known)?.x, TorchOptions::default())?;
    tensors::numbers(&found)
}
