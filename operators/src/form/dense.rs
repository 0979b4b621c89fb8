//! Operators as dense matrices.

use arrayspan_bridge::{Array, Relayout};

use super::units::Units;
use crate::{LinearMap, Operator, Result, Space};

impl Operator {
    /// Its matrix, `[rows, columns]` with as many as range and domain have elements in row-major order, where its
    /// [data](LinearMap::devices) live, or on the CPU if it is not bound to a device. Enqueued; does not wait.
    ///
    /// It is applied to unit vectors, as many at once as 16 MiB hold (see [`lifted`](Self::lifted)): for small operators, and to
    /// look at.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) when it is [not complex-linear](crate::Properties) on complex models, or between
    /// dtypes that are not computed with;
    /// [`Error::TooLarge`](crate::Error::TooLarge) when the matrix cannot be addressed; out of memory; the device's failure.
    pub fn to_dense(&self) -> Result<Array> {
        self.expect_units("to_dense")?;
        let (rows, columns) = (self.range().len(), self.domain().len());
        let matrix = Space::of("to_dense", [rows, columns], self.range().dtype())?;
        let on = self.executor()?;
        let data = self.devices().map_or(on.device(), |devices| devices.range);
        let mut dense = arrayspan_kernels::on(data)?.empty(matrix.shape(), matrix.dtype())?;
        let mut units = Units::of(self, &*on)?;
        for start in units.starts() {
            units.block(&*on, start, dense.view_mut().sliced(1, start, units.count())?)?;
        }
        Ok(dense)
    }
}
