//! Kernels built before they are needed.

use arrayspan_bridge::devices::{Buildable, Stream};

use super::Gpu;
use crate::{Error, Executor};

/// Builds the kernels that `work` launches on the device of `stream`, side by side where the compiler bears it; how many
/// were not there yet. On a device that runs no kernels nothing is done.
///
/// `work` runs once, with an executor that plans each call and launches nothing: it opens the vendor's library where a
/// product would use it, sends the tables of stencils to the device, and leaves arrays as they are. Which kernel a call
/// takes depends on shapes, strides and alignment; those of the arrays that `work` uses count. `work` should not bring numbers to
/// the host: nobody has computed them. Where all kernels are there it costs a microsecond or less for each call.
///
/// ```
/// use arrayspan_kernels::bridge::{Array, DType, devices::Device};
/// use arrayspan_kernels::{Error, Vector, VectorMut, on, warm_up};
///
/// # fn main() -> Result<(), Error> {
/// let on = on(Device::best())?;
/// let (mut x, y) = (on.empty(&[1000], DType::Float32)?, on.empty(&[1000], DType::Float32)?);
/// let mut norm = on.empty(&[], DType::Float32)?;
/// let built = warm_up(on.stream(), |on| -> Result<(), Error> {
///     x.add_scaled_on(on, 0.5, &y)?;
///     x.norm_squared_into(on, &mut norm)
/// })?;
/// assert!(built <= 3); // one or two for each call, none on the CPU
/// # Ok(()) }
/// ```
///
/// # Errors
/// Those of `work`; the first kernel that cannot be built, after all others are.
pub fn warm_up<E: From<Error>>(
    stream: &Stream,
    work: impl FnOnce(&dyn Executor) -> Result<(), E>,
) -> Result<usize, E> {
    let device = stream.device();
    if device.kind().dialect().is_none() {
        return Ok(0);
    }
    let planner = Gpu::planning(stream.clone())?;
    work(&planner)?;
    let planned = planner.planned.map(parking_lot::Mutex::into_inner).unwrap_or_default();
    let kernels: Vec<&dyn Buildable> = planned.iter().map(|kernel| &**kernel).collect();
    device.warm_up(&kernels).map_err(|error| E::from(error.into()))
}
