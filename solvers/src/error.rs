//! What can go wrong before and while a solver runs. How a run ends is no error: see [`Stopped`](crate::Stopped).

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
