//! Libraries of the vendors, used where they are the best there is. Opened at run time; one that is absent makes what
//! needs it [`Error::Unavailable`](crate::Error::Unavailable) and nothing else.

#[cfg(feature = "cuda")]
mod blas;
#[cfg(not(feature = "cuda"))]
#[path = "../left_out/blas.rs"]
mod blas;
#[cfg(feature = "cuda")]
mod blas_handle;
#[cfg(feature = "cuda")]
mod fft;
#[cfg(not(feature = "cuda"))]
#[path = "../left_out/fft.rs"]
mod fft;
#[cfg(feature = "cuda")]
mod fft_library;
#[cfg(feature = "cuda")]
mod fft_plan;
mod installed;
mod product;
mod transform;

pub use blas::Blas;
#[cfg(not(feature = "cuda"))]
pub use fft::FftPlan;
pub use fft::{fft_plan, fft_plans};
#[cfg(feature = "cuda")]
pub use fft_plan::FftPlan;
pub(crate) use installed::{libraries, names};
pub use product::{Factors, Matrices, Operation, Product, Scalar};
pub use transform::{LineSteps, Transform, TransformKind};
