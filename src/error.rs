//! One error for programs that use several of the crates.

use arrayspan_devices::retry::{OutOfMemory, Shortage, Unrecovered};
use arrayspan_pipeline::retry::Failed;

/// The result of a program, or of a part of one, that uses several of the crates.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What can go wrong in any of the crates, as that crate says it: `?` takes the errors of all of them.
///
/// ```
/// use arrayspan::prelude::*;
///
/// fn main() -> Result<()> {
///     let device: Device = "cpu".parse()?; // devices
///     let (model, _) = Array::from_vec(vec![1.0_f32; 12], [4, 3])?.into_device(device)?; // bridge
///     let a = Identity::new(Space::new([4, 3], DType::Float32)?)?; // operators
///     let solution = Cgls::default().solve(&a, &a.forward(&model)?)?; // solvers
///     assert_eq!(solution.x.view().to_vec::<f32>()?, [1.0; 12]);
///     Ok(())
/// }
/// ```
///
/// Whether memory ran out is known through all layers: [`OutOfMemory::shortage`]. Errors that a crate took from another
/// stay in that crate's variant.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Between the program and its devices.
    #[error(transparent)]
    Device(#[from] arrayspan_devices::Error),
    /// Making, viewing, handing over or moving arrays.
    #[error(transparent)]
    Bridge(#[from] arrayspan_bridge::Error),
    /// A verb.
    #[error(transparent)]
    Kernel(#[from] arrayspan_kernels::Error),
    /// Making, combining or applying operators.
    #[error(transparent)]
    Operator(#[from] arrayspan_operators::Error),
    /// Before or while a solver runs.
    #[error(transparent)]
    Solver(#[from] arrayspan_solvers::Error),
    /// Memory ran out, and what [`with_retry`](arrayspan_devices::retry::with_retry) tried against it did not help.
    #[error(transparent)]
    Unrecovered(Box<Unrecovered<Error>>),
    /// Work on a batch failed, also [in pieces and elsewhere](arrayspan_pipeline::retry::with_retry).
    #[error(transparent)]
    Failed(Box<Failed<Error>>),
}

arrayspan_devices::debug_as_display!(Error);

impl OutOfMemory for Error {
    fn shortage(&self) -> Option<Shortage> {
        match self {
            Self::Device(error) => error.shortage(),
            Self::Bridge(error) => error.shortage(),
            Self::Kernel(error) => error.shortage(),
            Self::Operator(error) => error.shortage(),
            Self::Solver(error) => error.shortage(),
            Self::Unrecovered(error) => error.shortage(),
            Self::Failed(error) => error.shortage(),
        }
    }
}

impl<E: Into<Error>> From<Unrecovered<E>> for Error {
    /// The error alone where nothing was tried.
    fn from(unrecovered: Unrecovered<E>) -> Self {
        let unrecovered = unrecovered.map(Into::into);
        if unrecovered.tried.is_empty() {
            unrecovered.error
        } else {
            Self::Unrecovered(Box::new(unrecovered))
        }
    }
}

impl<E: Into<Error>> From<Failed<E>> for Error {
    fn from(failed: Failed<E>) -> Self {
        let Failed { error, range, steps, why } = failed;
        Self::Failed(Box::new(Failed { error: error.into(), range, steps, why }))
    }
}

#[cfg(test)]
mod tests {
    use arrayspan_devices::Device;
    use arrayspan_devices::retry::{self, RetryPolicy};
    use arrayspan_pipeline::retry::{RecoveryPolicy, with_retry};

    use super::*;
    use crate::prelude::{Array, DType, Identity, LinearOperator, Space};

    fn out_of_memory() -> arrayspan_devices::Error {
        arrayspan_devices::Error::out_of_memory(Device::cpu(), 7, 2)
    }

    #[test]
    fn a_lack_of_memory_is_known_as_such_whatever_crate_tells_of_it() {
        let expected = Some(Shortage { device: Some(Device::cpu()), bytes: Some(7) });
        let bridge = arrayspan_bridge::Error::from(out_of_memory());
        let kernel = arrayspan_kernels::Error::from(bridge.clone());
        let operator = arrayspan_operators::Error::from(kernel.clone());
        let solver = arrayspan_solvers::Error::from(operator.clone());
        let all: [Error; 5] =
            [out_of_memory().into(), bridge.into(), kernel.into(), operator.into(), solver.into()];
        for error in all {
            assert_eq!(error.shortage(), expected, "{error}");
            assert_eq!(Error::from(Unrecovered::at_once(error)).shortage(), expected);
        }
        let other = Error::from(arrayspan_devices::Error::DeviceName { text: "memory".into() });
        assert_eq!(other.shortage(), None);
    }

    #[test]
    fn an_error_says_what_its_crate_says_in_every_format() {
        let operator = Space::new([usize::MAX, 2], DType::Float64).map(|_| ()).unwrap_err();
        let (short, long) = (format!("{operator}"), format!("{operator:#}"));
        let error = Error::from(operator);
        assert_eq!(format!("{error}"), short);
        assert_eq!(format!("{error:#}"), long);
        assert_eq!(format!("{error:?}"), short);
    }

    #[test]
    fn what_is_run_again_may_fail_with_the_error_of_the_program() {
        let shape = Space::new([3], DType::Float32).and_then(Identity::new).unwrap();
        let work = || -> Result<Array> { Ok(shape.forward(&Array::from_vec(vec![0.0; 2], [2])?)?) };
        let ran = retry::with_retry(Device::cpu(), &RetryPolicy::default(), work);
        let error = Error::from(ran.map(|_| ()).unwrap_err());
        assert!(matches!(error, Error::Operator(_)), "{error}");
    }

    #[test]
    fn a_batch_that_found_no_memory_says_what_was_tried() {
        let shots = Array::from_vec(vec![1.0_f32; 6], [3, 2]).unwrap();
        let work = |_: arrayspan_pipeline::retry::ArrayPiece<'_>, _: &_| {
            Err::<(), Error>(out_of_memory().into())
        };
        let failed = with_retry(&shots, Device::cpu(), &RecoveryPolicy::default(), work);
        let failed = failed.map(|_| ()).unwrap_err();
        let said = failed.to_string();
        let error = Error::from(failed);
        assert!(matches!(error, Error::Failed(_)), "{error}");
        assert_eq!(error.to_string(), said);
        assert_eq!(error.shortage().and_then(|shortage| shortage.bytes), Some(7));
    }
}
