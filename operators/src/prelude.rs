//! What users of operators need: `use arrayspan_operators::prelude::*;`.

pub use arrayspan_kernels::{Factor, Update};

pub use crate::algebra::{Formula, Operator, adjoint};
pub use crate::avo::PoststackLinearModelling;
pub use crate::basic::{Diagonal, Identity, MatrixMult, Restriction, Roll, SumAlong, ToDevice};
pub use crate::derivative::{Along, Edge, FirstDerivative, Laplacian, Scheme, SecondDerivative};
pub use crate::form::Form;
pub use crate::signal::{Convolve1D, Interp, Interpolation};
pub use crate::{Devices, LinearMap, LinearOperator, Space, Workspace};
pub use crate::{block_diagonal, hstack, vstack};
