//! Operators that are computed elsewhere than their arrays are.

use arrayspan_bridge::devices::Device;

use crate::{Formula, LinearMap, Operator, Result, ToDevice};

impl Operator {
    /// The same operator computed on `device`, with models and data on `arrays`: a [`ToDevice`] before and behind it.
    ///
    /// Sums and stacks of operators on several devices are made of these: `vstack([&a, &b.on(gpu, cpu)?])`. What several
    /// parts need on one device is moved there once; parts on different devices are enqueued one after the other without
    /// waiting for each other, save where a copy to the host makes it wait.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use arrayspan_operators::kernels::bridge::{Array, DType, devices::Device};
    /// use arrayspan_operators::prelude::*;
    ///
    /// let space = Space::new([4], DType::Float32)?;
    /// let slope = FirstDerivative::new(space.clone(), 0, 1.0, Scheme::Forward, Edge::Zero)?;
    /// let cpu = Device::cpu();
    /// let both = vstack([Identity::new(space)?, slope.on(Device::best(), cpu)?])?;
    /// let y = both.forward(&Array::from_slice(&[1.0_f32, 2.0, 4.0, 4.0], [4])?)?;
    /// assert_eq!(y.view().to_vec::<f32>()?, [1.0, 2.0, 4.0, 4.0, 1.0, 2.0, 0.0, 0.0]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::Devices`](crate::Error::Devices) when the operator is bound to another device than `device`.
    pub fn on(&self, device: Device, arrays: Device) -> Result<Self> {
        let up = ToDevice::new(self.domain().clone(), arrays, device)?;
        let down = ToDevice::new(self.range().clone(), device, arrays)?;
        down.after(self.after(&up)).build()
    }
}

impl Formula {
    /// The same operator computed on another device. See [`Operator::on`].
    pub fn on(self, device: Device, arrays: Device) -> Self {
        self.build().and_then(|operator| operator.on(device, arrays)).into()
    }
}
