//! Convolution along two axes.

use arrayspan_bridge::SharedArray;

use super::Convolution;
use super::convolve_nd::convolution;
use crate::{Operator, Result, Space};

/// `y[i, j] = Σₖₗ h[k, l] x[i - k + offset₀, j - l + offset₁]` along two axes, `x` zero outside: [`ConvolveND`](crate::ConvolveND) along
/// these; domain and range are both `space`.
///
/// Units: those of `h x`. Complex: linear; the adjoint correlates with the conjugate. Cost: direct 1 launch;
/// 2 launches where the filter is a product of two; by transforms 5 (test `bytes::convolve2d`).
///
/// Golden: PyLops 2.8.0 `Convolve2D`.
#[derive(Debug)]
pub struct Convolve2D(());

impl Convolve2D {
    const NAME: &str = "Convolve2D";

    /// Convolves with `filter`, of two axes, along the `axes` of `space`, which count from the end if they are negative. Waits for the
    /// filter.
    ///
    /// # Errors
    /// As [`ConvolveND::new`](crate::ConvolveND::new).
    pub fn new(
        space: Space,
        axes: [isize; 2],
        filter: impl Into<SharedArray>,
        offset: [usize; 2],
        method: Convolution,
    ) -> Result<Operator> {
        convolution(Self::NAME, space, &axes, &filter.into(), &offset, method)
    }
}
