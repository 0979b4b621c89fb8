//! What users of operators need: `use arrayspan_operators::prelude::*;`.
//!
//! [`LinearMap`](crate::LinearMap), for authors, is not among it: its `forward` and `adjoint` are the unchecked
//! ones, and would hide those of [`LinearOperator`].

pub use arrayspan_kernels::Update;

pub use crate::algebra::{Operator, adjoint, block_diagonal, hstack, vstack};
pub use crate::avo::PoststackLinearModelling;
pub use crate::basic::{Diagonal, Identity, MatrixMult};
pub use crate::derivative::{Along, Edge, FirstDerivative, Laplacian, Scheme, SecondDerivative};
pub use crate::signal::Convolve1D;
pub use crate::{LinearOperator, Space, Workspace};
