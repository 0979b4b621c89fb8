//! Operators as dense matrices.

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, Relayout};
use arrayspan_kernels::{Update, constant};

use crate::{Devices, LinearMap, LinearOperator, Operator, Result, Space, Workspace};

impl Operator {
    /// Its matrix, `[rows, columns]` with as many as range and domain have elements in row-major order, where its
    /// [data](LinearMap::devices) live, or on the CPU if it is not bound to a device.
    ///
    /// It is found column by column, `A eⱼ`: for small operators, and to look at.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) when it is [not complex-linear](crate::Properties) on complex models,
    /// [`Error::TooLarge`](crate::Error::TooLarge) when the matrix cannot be addressed; out of memory; the device's failure.
    pub fn to_dense(&self) -> Result<Array> {
        self.expect_matrix("to_dense")?;
        let (rows, columns) = (self.range().len(), self.domain().len());
        let dtype = self.range().dtype();
        let matrix = Space::of("to_dense", [rows, columns], dtype)?;
        let devices = self.devices().unwrap_or(Devices::both(Device::cpu()));
        let (on, to) =
            (arrayspan_kernels::on(devices.domain)?, arrayspan_kernels::on(devices.range)?);
        let mut dense = to.empty(matrix.shape(), dtype)?;
        let mut unit = on.empty(&[columns], self.domain().dtype())?;
        let mut column = to.empty(&[rows], dtype)?;
        let mut workspace = Workspace::of(self, &*on)?;
        on.map(&constant(0.0), &[], unit.view_mut())?;
        for at in 0..columns {
            let number = |value: f64| constant(value);
            on.map(&number(1.0), &[], unit.view_mut().sliced(0, at, 1)?)?;
            let x = unit.view().reshaped(self.domain().shape())?;
            let y = column.view_mut().reshaped(self.range().shape())?;
            self.apply_with(&mut workspace, &*on, x, y, Update::set())?;
            to.copy(column.view(), dense.view_mut().selected(1, at)?, Update::set())?;
            on.map(&number(0.0), &[], unit.view_mut().sliced(0, at, 1)?)?;
        }
        Ok(dense)
    }
}
