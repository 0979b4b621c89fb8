//! First derivative along one axis, by finite differences.

use arrayspan_kernels::{Band, Stencil, Tap};

use crate::{Form, Operator, Result, Space};

/// Which samples a derivative looks at. Formulas stand with [`FirstDerivative`] and
/// [`SecondDerivative`](crate::SecondDerivative).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// The row's own sample and as few after it as it takes.
    Forward,
    /// The row's own sample and as few before it as it takes.
    Backward,
    /// Three samples with the row's own in the middle.
    Centered3,
    /// Five samples with the row's own in the middle.
    Centered5,
}

/// What a row does when a neighbour it looks at lies outside the axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// It is zero.
    Zero,
    /// A centered one falls back to the best scheme that fits.
    Reduced,
}

/// `y = ∂x/∂s` along one axis whose samples lie `step` apart; domain and range are both `space`.
///
/// | scheme | row `i`, with `h` for `step` | error |
/// |---|---|---|
/// | `Forward` | `(x[i+1] - x[i]) / h` | O(h) |
/// | `Backward` | `(x[i] - x[i-1]) / h` | O(h) |
/// | `Centered3` | `(x[i+1] - x[i-1]) / 2h` | O(h²) |
/// | `Centered5` | `(x[i-2] - 8 x[i-1] + 8 x[i+1] - x[i+2]) / 12h` | O(h⁴) |
///
/// Rows whose neighbours lie outside the axis follow [`Edge`]. Units: those of `x` per unit of `step`.
/// Complex: linear. Cost: 1 launch, 2 values moved per element (test `bytes::first_derivative`).
///
/// Reference: Fornberg, Math. Comp. 51 (1988), table 1. Golden: PyLops 2.8.0 `FirstDerivative`.
#[derive(Debug)]
pub struct FirstDerivative(());

impl FirstDerivative {
    const NAME: &str = "FirstDerivative";

    /// The derivative along `axis` of `space`, which counts from the end if it is negative.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) when there is no such axis; the step is zero, not
    /// finite, or so small or large that a weight does not fit the dtype; or the dtype is not one to compute with.
    pub fn new(
        space: Space,
        axis: isize,
        step: f64,
        scheme: Scheme,
        edge: Edge,
    ) -> Result<Operator> {
        space.stored(Self::NAME)?;
        let axis = space.axis(Self::NAME, axis)?;
        let len = space.shape()[axis];
        let band = || Self::band(len, step, scheme, edge);
        let band = super::checked(Self::NAME, (step, 1), space.dtype(), band)?;
        let form = Form::Stencil(Stencil::along(axis, band)?);
        Operator::of(Self::NAME, space.clone(), space, form)
    }

    /// The matrix along an axis of `len` samples.
    #[must_use]
    pub fn band(len: usize, step: f64, scheme: Scheme, edge: Edge) -> Band {
        Band::from_rows(len, 2, |i| {
            let taps = scheme.taps(i, len - 1 - i, edge);
            taps.iter().map(move |&(offset, weight)| Tap { offset, weight: (weight / step).into() })
        })
    }
}

impl Scheme {
    /// The taps of a row with `before` neighbours on one side and `after` on the other.
    fn taps(self, before: usize, after: usize, edge: Edge) -> &'static [(isize, f64)] {
        use Edge::Reduced;
        use Scheme::{Backward, Centered3, Centered5, Forward};
        match (self, before.min(2), after.min(2), edge) {
            (Centered5, 2, 2, _) => {
                &[(-2, 1.0 / 12.0), (-1, -2.0 / 3.0), (1, 2.0 / 3.0), (2, -1.0 / 12.0)]
            }
            (Centered3, 1.., 1.., _) | (Centered5, 1.., 1.., Reduced) => &[(-1, -0.5), (1, 0.5)],
            (Forward, _, 1.., _) | (Centered3 | Centered5, 0, 1.., Reduced) => {
                &[(0, -1.0), (1, 1.0)]
            }
            (Backward, 1.., _, _) | (Centered3 | Centered5, 1.., 0, Reduced) => {
                &[(-1, -1.0), (0, 1.0)]
            }
            _ => &[],
        }
    }
}
