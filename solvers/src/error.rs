//! What can go wrong before and while a solver runs. How a run ends is no error: see [`Stopped`](crate::Stopped).

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::Device;
use arrayspan_bridge::devices::retry::{OutOfMemory, Shortage};
use arrayspan_operators::Devices;

/// The result of a solver.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What can go wrong before and while a solver runs.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operator could not be applied: an array does not fit it, or the device failed.
    #[error(transparent)]
    Operator(#[from] arrayspan_operators::Error),
    /// An array does not have the shape that the solver needs.
    #[error("{solver}: {argument} has shape {found:?}, expected {expected:?}")]
    Shape {
        /// The solver.
        solver: &'static str,
        /// `data`, `start` or `the workspace's …`.
        argument: &'static str,
        /// The shape that would fit the operator.
        expected: Vec<usize>,
        /// The shape given.
        found: Vec<usize>,
    },
    /// An array does not have the dtype that the solver needs.
    #[error("{solver}: {argument} is {found}, expected {expected}")]
    DType {
        /// The solver.
        solver: &'static str,
        /// As in [`Shape`](Self::Shape).
        argument: &'static str,
        /// The dtype that would fit the operator.
        expected: DType,
        /// The dtype given.
        found: DType,
    },
    /// An array lives on another device than the run, which is where the data are, or where the executor that was given
    /// computes.
    #[error(
        "{solver}: {argument} is on {found}, and the run on {expected}: move it there (`to({expected})`)"
    )]
    WrongDevice {
        /// The solver.
        solver: &'static str,
        /// As in [`Shape`](Self::Shape).
        argument: &'static str,
        /// Where the run is.
        expected: Device,
        /// The device found.
        found: Device,
    },
    /// The operator takes models or gives data on another device than the run, which is where the data are, or where the
    /// executor that was given computes.
    #[error("{solver}: {}", elsewhere(operator, *devices, *expected))]
    OperatorDevices {
        /// The solver.
        solver: &'static str,
        /// The operator.
        operator: String,
        /// Where it has models and data.
        devices: Devices,
        /// Where the run is.
        expected: Device,
    },
    /// The workspace was made for another operator, which needs less memory for intermediate results.
    #[error("{solver}: the workspace has {found} bytes for {operator}, which needs {expected}")]
    Workspace {
        /// The solver.
        solver: &'static str,
        /// The operator.
        operator: String,
        /// The bytes it needs.
        expected: usize,
        /// The bytes there are.
        found: usize,
    },
    /// A saved run is not one that the solver can go on with.
    #[error("{solver}: the saved run: {why}")]
    Saved {
        /// The solver.
        solver: &'static str,
        /// What does not fit.
        why: String,
    },
    /// A parameter of the solver is out of its range.
    #[error("{solver}: {why}")]
    Parameter {
        /// The solver.
        solver: &'static str,
        /// The parameter, its value and what is wrong with it.
        why: String,
    },
}

/// What is wrong with an operator that is on other devices than the run, and what helps.
fn elsewhere(operator: &str, devices: Devices, expected: Device) -> String {
    let Devices { domain, range } = devices;
    match devices.one() {
        Some(there) => format!(
            "{operator} has models and data on {there}, and the data to be fitted are on {expected}: move them (`to({there})`), \
             or solve with `a.on({there}, {expected})` (`Operator::on`), which has the operator computed where it is, of \
             arrays on {expected}"
        ),
        None => format!(
            "{operator} has models on {domain} and data on {range}, and a run has both on one device, here {expected}: put a \
             `ToDevice` behind or before the operator, or have it computed elsewhere by `Operator::on`"
        ),
    }
}

impl From<arrayspan_kernels::Error> for Error {
    fn from(error: arrayspan_kernels::Error) -> Self {
        Self::Operator(error.into())
    }
}

impl From<arrayspan_bridge::Error> for Error {
    fn from(error: arrayspan_bridge::Error) -> Self {
        Self::Operator(error.into())
    }
}

arrayspan_bridge::devices::debug_as_display!(Error);

impl OutOfMemory for Error {
    fn shortage(&self) -> Option<Shortage> {
        match self {
            Self::Operator(error) => error.shortage(),
            _ => None,
        }
    }

    fn lost_device(&self) -> Option<&str> {
        if let Self::Operator(error) = self { error.lost_device() } else { None }
    }
}

#[cfg(test)]
mod tests {
    use arrayspan_bridge::devices::{self, Device};

    use super::*;

    #[test]
    fn an_error_of_the_lowest_layer_is_still_known_to_be_out_of_memory() {
        let device = Device::cpu();
        let lowest = devices::Error::out_of_memory(device, 7, 2);
        let error = Error::from(arrayspan_bridge::Error::from(lowest));
        assert_eq!(error.shortage(), Some(Shortage { device: Some(device), bytes: Some(7) }));
        let other = Error::Parameter { solver: "Cgls", why: "out of memory".into() };
        assert_eq!(other.shortage(), None);
    }
}
