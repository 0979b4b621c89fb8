//! Operators that may be the identity.

use arrayspan_bridge::{Array, View};
use arrayspan_kernels::{Executor, Update};
use arrayspan_operators::{LinearMap, LinearOperator, Workspace};

use crate::Result;

/// `image ← A x`
pub(super) fn forward(
    on: &dyn Executor,
    a: &mut Option<(&dyn LinearMap, Workspace)>,
    x: View<'_>,
    image: &mut Array,
) -> Result<()> {
    match a {
        Some((a, workspace)) => {
            Ok(a.apply_with(workspace, on, x, image.view_mut(), Update::set())?)
        }
        None => Ok(on.copy(x, image.view_mut(), Update::set())?),
    }
}

/// `model ← Aᴴ y`
pub(super) fn adjoint(
    on: &dyn Executor,
    a: &mut Option<(&dyn LinearMap, Workspace)>,
    y: View<'_>,
    model: &mut Array,
) -> Result<()> {
    match a {
        Some((a, workspace)) => {
            Ok(a.apply_adjoint_with(workspace, on, y, model.view_mut(), Update::set())?)
        }
        None => Ok(on.copy(y, model.view_mut(), Update::set())?),
    }
}
