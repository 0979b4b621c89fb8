//! From one device to another.

use arrayspan_bridge::devices::Device;

use crate::{Form, Operator, Result, Space};

/// `y = x`, with models on one device and data on another; domain and range are both `space`.
///
/// The adjoint moves data back. It is how operators of different devices are put together, where
/// [`Operator::on`] does not say it shorter. A transfer and the opposite one are the identity, and one after another
/// goes there directly. It is enqueued, and the host waits only where a copy between the two devices must
/// ([`View::to_with`](arrayspan_bridge::View::to_with)): results in page-locked memory
/// ([`Array::pinned`](arrayspan_bridge::Array::pinned)) do not keep it. Units: those of `x`. Complex: linear. Cost: 1 copy, 2
/// values moved per element (test `bytes::to_device`); a sum with what is there, or a factor, takes 1 launch and a workspace
/// of one array more.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::kernels::bridge::{Array, DType, devices::Device};
/// use arrayspan_operators::prelude::*;
///
/// // Models on the CPU, data on a GPU, if there is one.
/// let (space, gpu) = (Space::new([3], DType::Float32)?, Device::best());
/// let up = ToDevice::new(space.clone(), Device::cpu(), gpu)?;
/// let slope = FirstDerivative::new(space, 0, 1.0, Scheme::Forward, Edge::Zero)?;
/// let y = slope.after(&up).build()?.forward(&Array::from_slice(&[1.0_f32, 2.0, 4.0], [3])?)?;
/// assert_eq!(y.device(), gpu);
/// assert_eq!(y.view().to_vec::<f32>()?, [1.0, 2.0, 0.0]);
/// # Ok(()) }
/// ```
///
/// Golden: PyLops 2.8.0 `ToCupy`, which goes from the CPU to the current GPU only.
#[derive(Debug)]
pub struct ToDevice(());

impl ToDevice {
    /// Models on `from`, data on `to`. Between one device and itself it is the identity there.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) when the dtype is not one to compute with or to move.
    pub fn new(space: Space, from: Device, to: Device) -> Result<Operator> {
        Operator::of("ToDevice", space.clone(), space, Form::ToDevice { from, to })
    }
}
