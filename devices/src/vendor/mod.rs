//! Libraries of the vendors, used where they are the best there is. Opened at run time; one that is absent makes what
//! needs it [`Error::Unavailable`](crate::Error::Unavailable) and nothing else.

#[cfg(feature = "cuda")]
mod blas;
#[cfg(not(feature = "cuda"))]
#[path = "../left_out/blas.rs"]
mod blas;
#[cfg(feature = "cuda")]
mod blas_handle;
mod installed;
mod product;

pub use blas::Blas;
pub(crate) use installed::{libraries, names};
pub use product::{Factors, Matrices, Operation, Product, Scalar};
