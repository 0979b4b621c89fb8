//! Derivatives by finite differences.

mod directional;
mod first;
mod gradient;
mod laplacian;
mod second;

pub use directional::{Direction, FirstDirectionalDerivative, SecondDirectionalDerivative};
pub use first::{Edge, FirstDerivative, Scheme};
pub use gradient::Gradient;
pub use laplacian::{Along, Laplacian};
pub use second::SecondDerivative;

use arrayspan_bridge::DType;
use arrayspan_kernels::Band;

use crate::{Error, Result, number};

/// The matrix of a derivative of this order, made by `band`.
///
/// # Errors
/// [`Error::Parameter`] unless the step between samples can be divided by and all weights fit the dtype of `operator`.
fn checked(
    operator: &str,
    (step, order): (f64, i32),
    dtype: DType,
    band: impl FnOnce() -> Band,
) -> Result<Band> {
    let what = format!("a step of {}", number::text(step));
    if !step.is_finite() || step == 0.0 {
        let why = "between samples, which has to be a finite number other than zero";
        return Error::parameter(operator, format!("{what} {why}"));
    }
    // Weights that become zero do not show in the band.
    let power = step.powi(order);
    let name = if order == 1 { "1/step" } else { "1/step²" };
    let divided = || format!("{what}: {name}, {},", number::text(1.0 / power));
    if power.is_infinite() || (1.0 / power) == 0.0 {
        return Error::parameter(
            operator,
            format!("{} is below the numbers of {dtype}", divided()),
        );
    }
    number::check(operator, divided, 1.0 / power, dtype)?;
    let band = band();
    number::entries(operator, &what, &band, dtype)?;
    Ok(band)
}
