//! Where a step leads, behind its threshold.

use arrayspan_bridge::{Array, View};
use arrayspan_kernels::{Executor, Expression, Update, constant, input, previous};
use arrayspan_operators::{LinearOperator, Workspace};

use crate::sparse::percentile::Percentile;
use crate::sparse::threshold::write;
use crate::{Error, IterativeThresholding, Result};

/// The level of a threshold that keeps no share.
pub(super) enum Level<'v> {
    /// Known on the host.
    Host(f64),
    /// A number on the device, and a factor.
    Device(View<'v>, f64),
}

/// What thresholds work in.
pub(super) struct Tools<'v> {
    pub(super) coefficients: Option<&'v mut Array>,
    pub(super) work: Option<&'v mut Workspace>,
    pub(super) percentile: Option<&'v mut Percentile>,
}

impl<'v> Level<'v> {
    /// Behind the inputs that there are.
    fn behind(&self, inputs: &mut Vec<View<'v>>) -> Expression {
        match self {
            Self::Host(level) => constant(*level),
            Self::Device(level, factor) => {
                inputs.push(level.clone());
                constant(*factor) * input(inputs.len() - 1).re()
            }
        }
    }
}

/// `out ← T(moved)`. The first input is the model, the third one is zero once iterations are frozen: then `out` is the model, to the last
/// bit.
pub(super) fn threshold<'v, const ACCELERATED: bool>(
    method: &IterativeThresholding<ACCELERATED>,
    on: &dyn Executor,
    tools: &mut Tools<'_>,
    (moved, mut inputs): (Expression, Vec<View<'v>>),
    level: &Level<'v>,
    out: &mut Array,
) -> Result<()> {
    let threshold = method.sparsity.threshold;
    let (shape, complex) = (threshold.shape(), out.dtype().is_complex());
    let [now, go] = [0, 2].map(|at| inputs[at].clone());
    // Once the step is zero the model stays as it is.
    let chosen = |new: Expression, go: Expression, old: Expression| {
        go.clone() * new + (constant(1.0) - go) * old
    };
    match (&method.sparsity.basis, threshold.kept()) {
        (None, None) => {
            let level = level.behind(&mut inputs);
            let new = shape.of(moved, level, complex);
            Ok(write(on, &chosen(new, input(2), input(0)), &inputs, out.view_mut())?)
        }
        (None, Some(kept)) => {
            let percentile = tools.percentile.as_mut().ok_or_else(|| lacking(method))?;
            on.map(&moved, &inputs, out.view_mut())?;
            percentile.find(on, &out.view(), 100.0 - kept)?;
            let new = shape.of(previous(), input(2).re(), complex);
            let inputs = [now, go, percentile.value()];
            Ok(write(on, &chosen(new, input(1), input(0)), &inputs, out.view_mut())?)
        }
        (Some(basis), kept) => {
            let Tools { coefficients, work, percentile } = tools;
            let (coefficients, work) =
                parts(method, coefficients.as_deref_mut(), work.as_deref_mut())?;
            on.map(&moved, &inputs, out.view_mut())?;
            let (model, c) = (out.view(), coefficients.view_mut());
            basis.apply_adjoint_with(work, on, model, c, Update::set())?;
            let complex = coefficients.dtype().is_complex();
            if let Some(kept) = kept {
                let percentile = percentile.as_mut().ok_or_else(|| lacking(method))?;
                percentile.find(on, &coefficients.view(), 100.0 - kept)?;
                let new = shape.of(previous(), input(0).re(), complex);
                write(on, &new, &[percentile.value()], coefficients.view_mut())?;
            } else {
                let mut inputs = Vec::new();
                let new = shape.of(previous(), level.behind(&mut inputs), complex);
                write(on, &new, &inputs, coefficients.view_mut())?;
            }
            let (c, model) = (coefficients.view(), out.view_mut());
            basis.apply_with(work, on, c, model, Update::set())?;
            let kept = chosen(previous(), input(1), input(0));
            Ok(on.map(&kept, &[now, go], out.view_mut())?)
        }
    }
}

/// The coefficients and what the basis works in, which a workspace for another basis may lack.
pub(super) fn parts<'v, const ACCELERATED: bool>(
    method: &IterativeThresholding<ACCELERATED>,
    coefficients: Option<&'v mut Array>,
    work: Option<&'v mut Workspace>,
) -> Result<(&'v mut Array, &'v mut Workspace)> {
    coefficients.zip(work).ok_or_else(|| lacking(method))
}

/// `out ← ‖x‖ₚᵖ`
pub(super) fn sum_penalty<const ACCELERATED: bool>(
    method: &IterativeThresholding<ACCELERATED>,
    on: &dyn Executor,
    of: &Array,
    out: &mut Array,
) -> Result<()> {
    let penalty = method.sparsity.threshold.penalty(input(0));
    Ok(on.sum(&penalty, &[of.view()], out.view_mut())?)
}

/// That the workspace was made for other parameters.
pub(super) fn lacking<const ACCELERATED: bool>(
    method: &IterativeThresholding<ACCELERATED>,
) -> Error {
    let solver = if ACCELERATED { "Fista" } else { "Ista" };
    let IterativeThresholding { sparsity, backtracking, .. } = method;
    let why = format!(
        "the workspace was made for another sparsity than {sparsity:?}, or another backtracking than {backtracking}"
    );
    Error::Parameter { solver, why }
}
