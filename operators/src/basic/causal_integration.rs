//! Integrals from the begin of an axis.

use arrayspan_kernels::Scan;

use crate::{Error, Form, Operator, Result, Space, number};

/// How samples are weighted in an integral up to sample `k`. Formulas stand with [`CausalIntegration`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Integral {
    /// All samples up to `k`, whole.
    Full,
    /// Sample `k` by half.
    Half,
    /// Sample `k` and the first one by half: the trapezoidal rule.
    Trapezoidal,
}

/// `y = ∫ x ds` from the first sample of an axis to each, whose samples lie `step` apart; domain `space`.
///
/// | integral | `y[k]`, with `h` for `step` |
/// |---|---|
/// | `Full` | `h (x[0] + … + x[k])` |
/// | `Half` | `h (x[0] + … + x[k-1] + x[k]/2)` |
/// | `Trapezoidal` | `h (x[0]/2 + x[1] + … + x[k-1] + x[k]/2)`, and `y[0] = 0` |
///
/// [`without_first`](Self::without_first) leaves `y[0]` out. Sums are kept in 64-bit floating point where the device has it
/// (see [`Scan`]); of `Float16` and `BFloat16` they are those of `Float32`, rounded once. The adjoint integrates from the end of the axis. Units: those of `x` times those of `step`. Complex: linear. Cost: 1 launch, 2
/// values moved per element (test `bytes::causal_integration`).
///
/// Golden: PyLops 2.8.0 `CausalIntegration`, whose trapezoidal rule begins with `y[0] = h x[0]/2`, the integral of no interval.
#[derive(Debug)]
pub struct CausalIntegration(());

impl CausalIntegration {
    const NAME: &str = "CausalIntegration";

    /// Integrates along `axis` of `space`, which counts from the end if it is negative. The range is `space`, too.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) when there is no such axis; the step is zero or does not fit the dtype; or
    /// the dtype is not one to compute with.
    pub fn new(space: Space, axis: isize, step: f64, integral: Integral) -> Result<Operator> {
        Self::of(space, axis, step, integral, 0)
    }

    /// The same without the first result: the range has one sample less along the axis.
    ///
    /// # Errors
    /// As [`new`](Self::new); when there is no sample along the axis.
    pub fn without_first(
        space: Space,
        axis: isize,
        step: f64,
        integral: Integral,
    ) -> Result<Operator> {
        Self::of(space, axis, step, integral, 1)
    }

    fn of(
        space: Space,
        axis: isize,
        step: f64,
        integral: Integral,
        left_out: usize,
    ) -> Result<Operator> {
        space.stored(Self::NAME)?;
        let axis = space.axis(Self::NAME, axis)?;
        let extent = space.shape()[axis];
        if step == 0.0 {
            return Error::parameter(Self::NAME, "a step of zero");
        }
        number::check(Self::NAME, || format!("a step of {step}"), step, space.dtype())?;
        if extent < left_out {
            return Error::parameter(Self::NAME, format!("no sample along axis {axis}"));
        }
        let scan = match integral {
            Integral::Full => Scan::inclusive(axis, extent),
            Integral::Half => Scan::weighted(axis, extent, 0.5, 0.5, 1.0)?,
            Integral::Trapezoidal => Scan::weighted(axis, extent, 0.5, 0.0, 0.5)?,
        };
        let scan = scan.without(left_out)?;
        let mut shape = space.shape().to_vec();
        shape[axis] = scan.rows();
        let range = Space::of(Self::NAME, shape, space.dtype())?;
        let sums = Operator::of("Sums", space, range, Form::Scan(scan))?;
        Ok((step * &sums).build()?.named(Self::NAME))
    }
}
