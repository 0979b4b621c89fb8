//! Traces of operators: exact, and estimated from a few applications.

mod block;
mod estimate;
mod sample;
mod small;

use arrayspan_bridge::Relayout;
use arrayspan_kernels::Executor;
use num_complex::Complex64;

pub use estimate::{TraceEstimator, TraceMethod};
pub use sample::Sampler;

use crate::form::Units;
use crate::laws::values::numbers;
use crate::{Error, LinearMap, Operator, Result};

impl Operator {
    /// The sum of the diagonal elements of its matrix, exact up to rounding: it is applied to all unit vectors, many at once, where
    /// its arrays are, or on the CPU if it has none. Waits for the device.
    ///
    /// For large operators a [`TraceEstimator`] takes a few applications.
    ///
    /// # Errors
    /// [`Error::Spaces`] when domain and range differ, [`Error::Devices`] when they are on different devices;
    /// [`Error::Parameter`] when it is [not complex-linear](crate::Properties) on complex models, or its dtype is not computed
    /// with; out of memory; the device's
    /// failure.
    pub fn trace(&self) -> Result<Complex64> {
        self.trace_on(&*self.executor()?)
    }

    /// As [`trace`](Self::trace), where `on` computes.
    ///
    /// # Errors
    /// As [`trace`](Self::trace); [`Error::WrongExecutor`] when `on` computes on none of its devices.
    pub fn trace_on(&self, on: &dyn Executor) -> Result<Complex64> {
        self.expect_square()?;
        let mut units = Units::of(self, on)?;
        let count = units.count();
        let mut block = on.empty(&[self.range().len(), count], self.range().dtype())?;
        let (mut sum, mut done) = (Complex64::ZERO, 0);
        for start in units.starts() {
            units.block(on, start, block.view_mut())?;
            let flat = block.view().reshaped(&[self.range().len() * count])?;
            let own = flat.sliced(0, start * count, count * count)?.stepped(0, count + 1)?;
            sum += numbers(&own)?[done - start..].iter().sum::<Complex64>();
            done = start + count;
        }
        Ok(sum)
    }

    /// Fails unless it has a trace.
    fn expect_square(&self) -> Result<()> {
        const NAME: &str = "trace";
        self.expect_units(NAME)?;
        let which = || format!("domain and range of {}", self.name());
        if self.domain() != self.range() {
            return Err(Error::spaces(NAME, which(), self.domain(), self.range()));
        }
        match self.devices() {
            Some(devices) if devices.one().is_none() => {
                Err(Error::devices(NAME, which(), devices.domain, devices.range))
            }
            _ => Ok(()),
        }
    }
}
