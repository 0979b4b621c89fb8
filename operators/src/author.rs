//! What authors of operators need: `use arrayspan_operators::author::*;`.
//!
//! The guide [`docs/write-an-operator.md`](https://github.com/arrayspan/arrayspan/blob/main/docs/write-an-operator.md) shows how it is used. Beside `arrayspan::prelude::*` say which `Result` and `Error` are
//! meant, `use arrayspan::{Error, Result};`: both have their own.

pub use arrayspan_bridge::{DType, Relayout, SharedArray, View, ViewMut};
pub use arrayspan_kernels::{
    Band, Executor, Expression, Factor, Fourier, Gather, Projection, Reduction, Scan, Stencil, Tap,
    Update,
};
pub use arrayspan_kernels::{constant, input, previous};

pub use crate::algebra::{Formula, Operator, adjoint};
pub use crate::check::{AdjointCheck, check_adjoint, check_adjoint_on};
pub use crate::form::Form;
pub use crate::form::index::{AxisMap, IndexMap, Piece};
pub use crate::{
    Context, Devices, Error, LinearMap, LinearOperator, Properties, Result, Space, Workspace,
};
pub use crate::{block_diagonal, hstack, vstack};
pub use crate::{laws, scratch_bytes};
