//! Radon transforms along curves of time.

use arrayspan_kernels::{Error as KernelError, Projection};

use super::radon_spectra::RadonAxis;
use super::{Interpolation, RadonKind};
use crate::{Error, Form, Operator, Result, Space};

/// Values of a model of slownesses and time, the last axis, of that step, spread along curves of data of offsets and time.
pub(super) fn radon<const N: usize>(
    name: &'static str,
    space: Space,
    step: f64,
    axes: [RadonAxis<'_>; N],
    interpolation: Interpolation,
) -> Result<Operator> {
    let range = range(name, &space, step, axes)?;
    let (rows, lines) =
        (axes.map(|axis| axis.slownesses.len()), axes.map(|axis| axis.offsets.len()));
    let samples = space.shape()[N];
    let nearest = interpolation == Interpolation::Nearest;
    let hyperbolas = axes.iter().filter(|axis| axis.kind == RadonKind::Hyperbolic).count();
    // The sum over both axes, for numbers of the pair that count along these.
    let sum = |mut row: usize, mut line: usize, term: &dyn Fn(RadonKind, f64, f64) -> f64| {
        let mut sum = 0.0;
        for axis in axes.iter().rev() {
            let (slownesses, offsets) = (axis.slownesses, axis.offsets);
            sum +=
                term(axis.kind, slownesses[row % slownesses.len()], offsets[line % offsets.len()]);
            (row, line) = (row / slownesses.len(), line / offsets.len());
        }
        sum
    };
    let sums = match hyperbolas {
        0 => {
            let term = |kind: RadonKind, slowness: f64, offset: f64| match kind {
                RadonKind::Parabolic => slowness * offset * offset / step,
                _ => slowness * offset / step,
            };
            let shift = |row, line| sum(row, line, &term);
            Projection::shifts(&rows, &lines, samples, shift, nearest)
        }
        all if all == N => {
            let term = |_, velocity: f64, offset: f64| (offset / (velocity * step)).powi(2);
            let square = |row, line| sum(row, line, &term);
            Projection::hyperbolas(&rows, &lines, samples, square, nearest)
        }
        _ => return Error::parameter(name, "hyperbolas along one axis and not along the other"),
    };
    let sums = sums.map_err(|error| match error {
        KernelError::Argument { why, .. } => Error::Parameter { operator: name.into(), why },
        other => other.into(),
    })?;
    Operator::of(name, space, range, Form::Projection(sums.transpose()))
}

/// Where data live.
pub(super) fn range<const N: usize>(
    name: &'static str,
    space: &Space,
    step: f64,
    axes: [RadonAxis<'_>; N],
) -> Result<Space> {
    space.computable(name)?;
    if space.shape().len() != N + 1 {
        let why =
            format!("{space}, which has not {N} axes of slownesses and one of time, the last");
        return Error::parameter(name, why);
    }
    if !step.is_finite() || step <= 0.0 {
        return Error::parameter(name, format!("a step of {step} between samples"));
    }
    let mut shape = space.shape().to_vec();
    for (axis, along) in axes.iter().enumerate() {
        shape[axis] = along.check(name, space, axis)?;
    }
    Space::of(name, shape, space.dtype())
}
