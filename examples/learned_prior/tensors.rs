//! Sections as tensors.

use arrayspan::torch::tch::{Device, Kind, Tensor};
use ndarray::Array2;

use crate::Failure;

/// In single precision, on a device.
pub fn tensor(section: &Array2<f64>, on: Device) -> Tensor {
    let (rows, columns) = section.dim();
    let values: Vec<f32> = section.iter().map(|&value| value as f32).collect();
    Tensor::from_slice(&values).view([rows as i64, columns as i64]).to_device(on)
}

pub fn numbers(tensor: &Tensor) -> Result<Array2<f64>, Failure> {
    let (rows, columns) = tensor.size2()?;
    let flat = tensor.to_device(Device::Cpu).to_kind(Kind::Double).reshape([-1]);
    Ok(Array2::from_shape_vec((rows as usize, columns as usize), Vec::try_from(flat)?)?)
}
