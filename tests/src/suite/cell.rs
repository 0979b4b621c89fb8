//! A device and a dtype.

use std::sync::Arc;

use arrayspan_bridge::{Array, DType};
use arrayspan_devices::Device;
use arrayspan_kernels::Executor;

use super::{Arrangement, Values, devices};

/// A device and a dtype.
#[derive(Clone, Copy, Debug)]
pub struct Cell {
    /// Where the operator runs.
    pub device: Device,
    /// What it computes with.
    pub dtype: DType,
}

impl Cell {
    /// The host in twice the precision: what every other cell must agree with.
    #[must_use]
    pub fn reference(self) -> Self {
        let dtype = if self.dtype.is_complex() { DType::Complex128 } else { DType::Float64 };
        Self { device: Device::cpu(), dtype }
    }

    /// The distance from 1 to the next number.
    #[must_use]
    pub fn epsilon(self) -> f64 {
        if self.dtype.real() == DType::Float64 { f64::EPSILON } else { f64::from(f32::EPSILON) }
    }

    /// How far a result of `len` elements may be off, relative to its norm: rounding errors of a few
    /// operations each, added up as a random walk.
    #[must_use]
    pub fn tolerance(self, len: usize) -> f64 {
        16.0 * self.epsilon() * (len.max(1) as f64).sqrt()
    }

    /// Who runs verbs on this device.
    ///
    /// # Errors
    /// When the device fails.
    pub fn executor(self) -> arrayspan_kernels::Result<Arc<dyn Executor>> {
        arrayspan_kernels::on(self.device)
    }

    /// An array of this cell without gaps, for operators that hold one.
    ///
    /// # Errors
    /// When the device fails.
    pub fn array(self, values: &Values) -> arrayspan_operators::Result<Array> {
        devices::place(values, self.dtype, self.device, Arrangement::RowMajor).map_err(|error| {
            match error.downcast::<arrayspan_bridge::Error>() {
                Ok(error) => (*error).into(),
                Err(error) => arrayspan_operators::Error::Parameter {
                    operator: "test data".into(),
                    why: error.to_string(),
                },
            }
        })
    }
}
