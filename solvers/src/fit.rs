//! Whether arguments fit the operator, found before anything is written.

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{DType, View};
use arrayspan_operators::{Devices, LinearMap, Space};

use crate::{Error, Result};

/// What a solver's arguments must fit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fit {
    pub(crate) solver: &'static str,
    /// Where it computes.
    pub(crate) device: Device,
}

impl Fit {
    /// Fails unless the operator has models and data on the device.
    pub(crate) fn operator(self, a: &(impl LinearMap + ?Sized)) -> Result<()> {
        let (solver, expected) = (self.solver, self.device);
        match a.devices().filter(|devices| *devices != Devices::both(expected)) {
            None => Ok(()),
            Some(devices) => {
                let operator = a.name().to_owned();
                Err(Error::OperatorDevices { solver, operator, devices, expected })
            }
        }
    }

    /// Fails unless `array` is of `space` and on the device.
    pub(crate) fn array(
        self,
        argument: &'static str,
        space: &Space,
        array: &View<'_>,
    ) -> Result<()> {
        let solver = self.solver;
        if array.shape() != space.shape() {
            let (expected, found) = (space.shape().to_vec(), array.shape().to_vec());
            return Err(Error::Shape { solver, argument, expected, found });
        }
        self.dtype(argument, space.dtype(), array.dtype())?;
        self.device(argument, array.device())
    }

    pub(crate) fn dtype(self, argument: &'static str, expected: DType, found: DType) -> Result<()> {
        if expected == found {
            return Ok(());
        }
        Err(Error::DType { solver: self.solver, argument, expected, found })
    }

    pub(crate) fn device(self, argument: &'static str, found: Device) -> Result<()> {
        let (solver, expected) = (self.solver, self.device);
        if expected == found {
            return Ok(());
        }
        Err(Error::WrongDevice { solver, argument, expected, found })
    }
}
