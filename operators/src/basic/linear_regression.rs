//! Straight lines.

use arrayspan_bridge::SharedArray;

use super::polynomial::Polynomial;
use crate::{Operator, Result, Space};

/// `yⱼ = x₀ + x₁ tⱼ`: a straight line at positions `t`; domain `[2]`, range `[positions]`.
///
/// [`Regression`](crate::Regression) of order 1. Units: `x₀` in those of `y`, `x₁` in those of `y` over those of `t`. Complex: linear,
/// of real positions. Cost: one launch in each direction, which reads `t` and `x` or `y` once; an adjoint that adds to `x` or scales
/// it is followed by a launch over `x` (test `bytes::linear_regression`).
///
/// Golden: PyLops 2.8.0 `LinearRegression`, which refuses complex coefficients.
#[derive(Debug)]
pub struct LinearRegression(());

impl LinearRegression {
    const NAME: &str = "LinearRegression";

    /// Lines at `positions`, which are real and one-dimensional. Data are of their dtype.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) when positions are not one-dimensional or not of a real dtype to compute
    /// with.
    pub fn new(positions: impl Into<SharedArray>) -> Result<Operator> {
        let positions = positions.into();
        let range = Space::of(Self::NAME, [positions.layout().len()], positions.dtype())?;
        Polynomial::operator(Self::NAME, range, 0, positions, 1)
    }

    /// Lines along `axis` of `range`, which counts from the end if it is negative, for each index of its other axes: the domain has
    /// two coefficients along that axis. Where `range` is complex, positions are of its real dtype.
    ///
    /// # Errors
    /// As those of [`Regression::along`](crate::Regression::along).
    pub fn along(range: Space, axis: isize, positions: impl Into<SharedArray>) -> Result<Operator> {
        Polynomial::operator(Self::NAME, range, axis, positions.into(), 1)
    }
}
