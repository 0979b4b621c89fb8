//! Libraries of the vendors, used where they are the best there is. Opened at run time; one that is absent makes what
//! needs it [`Error::Unavailable`](crate::Error::Unavailable) and nothing else.

mod blas;
mod blas_handle;
mod installed;

pub use blas::{Blas, Matrices, Operation, Product, Scalar};
pub(crate) use installed::{libraries, names};
