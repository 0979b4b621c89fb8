//! Condition numbers.

use arrayspan_kernels::Executor;
use arrayspan_operators::LinearMap;

use super::applied::home;
use super::svds::Svds;
use super::which::Which;
use crate::{Result, Stopped};

/// Vectors at once, up to which the singular values of smaller operators are all found.
const BASIS: usize = 100;

/// `σ₁ / σₙ`, the largest by the smallest singular value, of an operator of any shape, on any device.
///
/// Both by one [`Svds`] of both ends with up to 100 vectors at once, which is exact up to rounding where a side is no longer than that. A
/// smallest value below rounding of the largest one is rounding: numbers above `1/ε` of the dtype, infinity among them, say that the operator is
/// singular to working precision, and no more.
///
/// ```
/// use arrayspan_bridge::DType;
/// use arrayspan_operators::prelude::*;
/// use arrayspan_solvers::cond;
///
/// let space = Space::new([40], DType::Float64)?;
/// let a = (3.0 * &Identity::new(space.clone())? + Flip::new(space, &[0])?).build()?; // 2 and 4
/// assert!((cond(&a)?.value - 2.0).abs() < 1e-12);
/// # Ok::<(), arrayspan_solvers::Error>(())
/// ```
///
/// # Errors
/// As [`Svds::of`].
///
/// Golden: PyLops 2.8.0 `LinearOperator.cond`, which is for the CPU alone.
pub fn cond(a: &dyn LinearMap) -> Result<ConditionNumber> {
    cond_on(a, &*arrayspan_kernels::on(home(a))?)
}

/// As [`cond`], where `on` computes.
///
/// # Errors
/// As [`Svds::of_on`].
pub fn cond_on(a: &dyn LinearMap, on: &dyn Executor) -> Result<ConditionNumber> {
    let both = both_ends(a);
    let count = both.count;
    let found = both.of_on(a, on)?;
    let (largest, smallest) = (found.values[0], found.values[count - 1]);
    Ok(ConditionNumber {
        value: if smallest > 0.0 || largest.is_nan() { largest / smallest } else { f64::INFINITY },
        largest,
        smallest,
        residuals: [found.residuals[0], found.residuals[count - 1]],
        stopped: found.stopped,
    })
}

/// The bytes that [`cond_on`] takes on the device of `on`. Nothing is allocated for it.
///
/// # Errors
/// As [`Svds::memory`].
pub fn cond_memory(a: &dyn LinearMap, on: &dyn Executor) -> Result<usize> {
    both_ends(a).memory(a, on)
}

/// What finds the largest and the smallest singular value.
fn both_ends(a: &dyn LinearMap) -> Svds {
    let shortest = a.domain().len().min(a.range().len());
    // One value is both ends.
    let count = shortest.clamp(1, 2);
    let basis = Some(shortest.clamp(count, BASIS));
    Svds { count, which: Which::BothEnds, basis, ..Svds::default() }
}

/// How an operator is conditioned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConditionNumber {
    /// The largest by the smallest singular value; infinity if that is zero.
    pub value: f64,
    /// The largest singular value.
    pub largest: f64,
    /// The smallest one.
    pub smallest: f64,
    /// How far singular values are from both, at most.
    pub residuals: [f64; 2],
    /// How it ended: [`Stopped::Iterations`] means that the smallest value found is an upper bound of the smallest.
    pub stopped: Stopped,
}
