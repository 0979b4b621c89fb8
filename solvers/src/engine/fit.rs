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
    pub(crate) fn operator(self, a: &dyn LinearMap) -> Result<()> {
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
        self.shape(argument, space.shape(), array.shape())?;
        self.dtype(argument, space.dtype(), array.dtype())?;
        self.device(argument, array.device())
    }

    /// Fails unless what the workspace calls `argument` is of the space.
    pub(crate) fn space(self, argument: &'static str, space: &Space, found: &Space) -> Result<()> {
        self.shape(argument, space.shape(), found.shape())?;
        self.dtype(argument, space.dtype(), found.dtype())
    }

    /// Fails unless `array` is as another is, and on the device.
    pub(crate) fn like(
        self,
        argument: &'static str,
        expected: &View<'_>,
        array: &View<'_>,
    ) -> Result<()> {
        self.shape(argument, expected.shape(), array.shape())?;
        self.dtype(argument, expected.dtype(), array.dtype())?;
        self.device(argument, array.device())
    }

    fn shape(self, argument: &'static str, expected: &[usize], found: &[usize]) -> Result<()> {
        if expected == found {
            return Ok(());
        }
        let (expected, found) = (expected.to_vec(), found.to_vec());
        Err(Error::Shape { solver: self.solver, argument, expected, found })
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
