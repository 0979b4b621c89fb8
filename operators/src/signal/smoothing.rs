//! Means of neighbours.

use super::Convolve1D;
use crate::{Error, Formula, Identity, LinearMap, Operator, Result, Space};

/// `y[i] = Σ x[i + k] / n` over the `n` neighbours with `|k| ≤ n / 2`, `x` zero outside, along one axis or one after the other;
/// domain and range are both `space`.
///
/// `n` is odd; PyLops takes the next odd number for an even one. Its own adjoint. Units: those of `x`. Complex: linear. Cost: 1 launch and
/// 2 values moved per element for each axis (test `bytes::smoothing`).
///
/// Golden: PyLops 2.8.0 `Smoothing1D` and `Smoothing2D`.
#[derive(Debug)]
pub struct Smoothing(());

impl Smoothing {
    const NAME: &str = "Smoothing";

    /// Means of `n` neighbours along `axis` of `space`, for each pair of these; axes count from the end if they are negative.
    ///
    /// # Errors
    /// [`Error::Parameter`] without axes; for an even number of neighbours, none, more than the axis has or than
    /// [`Convolve1D::MOST_TAPS`]; when there is no such axis; or the dtype is not one to compute with.
    pub fn new(space: Space, windows: &[(isize, usize)]) -> Result<Operator> {
        space.stored(Self::NAME)?;
        if windows.is_empty() {
            return Error::parameter(Self::NAME, format!("no axes of {space} are given"));
        }
        let identity = Identity::new(space)?;
        let space = identity.domain();
        let mut product = Formula::from(&identity);
        for &(axis, n) in windows {
            let extent = space.extent(Self::NAME, axis)?;
            let most = extent.min(Convolve1D::MOST_TAPS);
            if n % 2 == 0 || n > most {
                let why = format!(
                    "means of {n} along axis {axis} of {space}: an odd number up to {most}"
                );
                return Error::parameter(Self::NAME, why);
            }
            // The mean of one is itself.
            if n > 1 {
                let filter = vec![1.0 / n as f64; n];
                product = Convolve1D::new(space.clone(), axis, &filter, n / 2)?.after(product);
            }
        }
        Ok(product.build()?.named(Self::NAME))
    }
}
