//! Polynomials of any order.

use arrayspan_bridge::SharedArray;

use super::polynomial::Polynomial;
use crate::{Operator, Result, Space};

/// `yⱼ = Σₖ xₖ tⱼᵏ`, `k = 0 … order`: a polynomial of coefficients `x` at positions `t`; domain `[order + 1]`, range `[positions]`.
///
/// Powers are not kept: they are computed where they are used, forward by Horner's rule, and sums of the adjoint are kept in
/// 64-bit floating point where the device has it. To evaluate the polynomial elsewhere, make one of other positions. Units:
/// coefficient `k` is in those of `y` over those of `t` to the `k`. Complex: linear, of real positions. Cost: up to order 7 one
/// launch in each direction, which reads `t` and `x` or `y` once; one more for 8 more coefficients; an adjoint that adds to `x` or
/// scales it is followed by a launch over `x` (test `bytes::regression`).
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::kernels::bridge::Array;
/// use arrayspan_operators::prelude::*;
/// let times = Array::from_slice(&[0.0, 0.5, 1.0, 2.0], [4])?;
/// let parabola = Regression::new(times, 2)?;
/// let y = parabola.forward(&Array::from_slice(&[1.0, 0.0, 2.0], [3])?)?;
/// assert_eq!(y.view().as_slice::<f64>()?, [1.0, 1.5, 3.0, 9.0]);
/// # Ok(()) }
/// ```
///
/// Golden: PyLops 2.8.0 `Regression`, which refuses complex coefficients.
#[derive(Debug)]
pub struct Regression(());

impl Regression {
    const NAME: &str = "Regression";

    /// Polynomials of this order at `positions`, which are real and one-dimensional. Data are of their dtype.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) when positions are not one-dimensional or not of a real dtype to compute
    /// with, or the order is above 255.
    pub fn new(positions: impl Into<SharedArray>, order: usize) -> Result<Operator> {
        let positions = positions.into();
        let range = Space::of(Self::NAME, [positions.layout().len()], positions.dtype())?;
        Polynomial::operator(Self::NAME, range, 0, positions, order)
    }

    /// Polynomials along `axis` of `range`, which counts from the end if it is negative, for each index of its other axes: the
    /// domain has `order + 1` coefficients along that axis. Where `range` is complex, positions are of its real dtype.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) when there is no such axis, positions are not one for each of its indices, or not
    /// of the real dtype of `range`, it cannot be computed with, or the order is above 255;
    /// [`Error::TooLarge`](crate::Error::TooLarge) when the domain cannot be addressed; out of memory; the device's failure.
    pub fn along(
        range: Space,
        axis: isize,
        positions: impl Into<SharedArray>,
        order: usize,
    ) -> Result<Operator> {
        Polynomial::operator(Self::NAME, range, axis, positions.into(), order)
    }
}
