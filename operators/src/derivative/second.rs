//! Second derivative along one axis, by finite differences.

use arrayspan_kernels::{Band, Stencil, Tap};

use super::{Edge, Scheme};
use crate::{Form, Operator, Result, Space};

/// `y = ∂²x/∂s²` along one axis whose samples lie `step` apart; domain and range are both `space`.
///
/// | scheme | row `i`, with `h` for `step` | error |
/// |---|---|---|
/// | `Forward` | `(x[i] - 2 x[i+1] + x[i+2]) / h²` | O(h) |
/// | `Backward` | `(x[i-2] - 2 x[i-1] + x[i]) / h²` | O(h) |
/// | `Centered3` | `(x[i-1] - 2 x[i] + x[i+1]) / h²` | O(h²) |
/// | `Centered5` | `(-x[i-2] + 16 x[i-1] - 30 x[i] + 16 x[i+1] - x[i+2]) / 12h²` | O(h⁴) |
///
/// Rows whose neighbours lie outside the axis follow [`Edge`]. Units: those of `x` per unit of `step` squared. Complex: linear. Cost: 1 launch, 2 values
/// moved per element (test `bytes::second_derivative`).
///
/// Reference: Fornberg, Math. Comp. 51 (1988), tables 1 and 3. Golden: PyLops 2.8.0 `SecondDerivative`,
/// which has no `Centered5`.
#[derive(Debug)]
pub struct SecondDerivative(());

impl SecondDerivative {
    const NAME: &str = "SecondDerivative";

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
        let band = super::checked(Self::NAME, (step, 2), space.dtype(), band)?;
        let form = Form::Stencil(Stencil::along(axis, band)?);
        Operator::of(Self::NAME, space.clone(), space, form)
    }

    /// The matrix along an axis of `len` samples.
    #[must_use]
    pub fn band(len: usize, step: f64, scheme: Scheme, edge: Edge) -> Band {
        Band::from_rows(len, 2, |i| {
            let taps = taps(scheme, i, len - 1 - i, edge);
            let square = step * step;
            taps.iter()
                .map(move |&(offset, weight)| Tap { offset, weight: (weight / square).into() })
        })
    }
}

/// The taps of a row with `before` neighbours on one side and `after` on the other.
fn taps(scheme: Scheme, before: usize, after: usize, edge: Edge) -> &'static [(isize, f64)] {
    use Edge::Reduced;
    use Scheme::{Backward, Centered3, Centered5, Forward};
    match (scheme, before.min(2), after.min(2), edge) {
        (Centered5, 2, 2, _) => {
            &[(-2, -1.0 / 12.0), (-1, 4.0 / 3.0), (0, -2.5), (1, 4.0 / 3.0), (2, -1.0 / 12.0)]
        }
        (Centered3, 1.., 1.., _) | (Centered5, 1.., 1.., Reduced) => {
            &[(-1, 1.0), (0, -2.0), (1, 1.0)]
        }
        (Forward, _, 2, _) | (Centered3 | Centered5, 0, 2, Reduced) => {
            &[(0, 1.0), (1, -2.0), (2, 1.0)]
        }
        (Backward, 2, _, _) | (Centered3 | Centered5, 2, 0, Reduced) => {
            &[(-2, 1.0), (-1, -2.0), (0, 1.0)]
        }
        _ => &[],
    }
}
