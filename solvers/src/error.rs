//! What can go wrong before and while a solver runs. How a run ends is no error: see [`Stopped`](crate::Stopped).

use arrayspan_bridge::devices::retry::{OutOfMemory, Shortage};

/// The result of a solver.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What can go wrong before and while a solver runs.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operator could not be applied: an array does not fit it, or the device failed.
    #[error(transparent)]
    Operator(#[from] arrayspan_operators::Error),
    /// A parameter of the solver makes no sense.
    #[error("{solver}: {why}")]
    Parameter {
        /// The solver.
        solver: &'static str,
        /// What is wrong with it.
        why: String,
    },
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

impl OutOfMemory for Error {
    fn shortage(&self) -> Option<Shortage> {
        match self {
            Self::Operator(error) => error.shortage(),
            _ => None,
        }
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
