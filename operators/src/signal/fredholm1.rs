//! A matrix for each slice.

use arrayspan_bridge::{Relayout, SharedArray, View, ViewMut};
use arrayspan_kernels::Update;

use crate::{Context, Devices, Error, LinearMap, Operator, Result, Space};

/// `y[k, i, l] = Σⱼ G[k, i, j] x[k, j, l]`, a Fredholm integral of the first kind for each slice `k`; domain `[slices, columns, others]`,
/// range `[slices, rows, others]`.
///
/// The kernel `G` is `[slices, rows, columns]`, of any strides, and is read where it lies: the adjoint multiplies by the conjugate of its
/// transpose without a copy of it. In a multi-dimensional convolution slices are frequencies, rows and columns receivers and sources.
/// Units: those of `G x`. Complex: linear. Cost: 1 launch, a batch of matrix products, which reads the kernel and `x` once and writes `y`
/// (test `bytes::fredholm1`).
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::kernels::bridge::Array;
/// use arrayspan_operators::prelude::*;
/// let kernel = Array::from_slice(&[1.0, 2.0, 3.0, 4.0], [2, 1, 2])?;
/// let integral = Fredholm1::new(kernel, 1)?;
/// let y = integral.forward(Array::from_slice(&[1.0, 1.0, 1.0, -1.0], [2, 2, 1])?)?;
/// assert_eq!(y.view().as_slice::<f64>()?, [3.0, -1.0]);
/// # Ok(()) }
/// ```
///
/// Golden: PyLops 2.8.0 `Fredholm1`.
#[derive(Debug)]
pub struct Fredholm1(());

impl Fredholm1 {
    const NAME: &str = "Fredholm1";

    /// Multiplies by `kernel`, `[slices, rows, columns]`, for each of `others` indices alike: PyLops's `nz`.
    ///
    /// # Errors
    /// [`Error::Parameter`] when the kernel has not three axes, or its dtype is not one to compute with; [`Error::TooLarge`] when a space
    /// cannot be addressed.
    pub fn new(kernel: impl Into<SharedArray>, others: usize) -> Result<Operator> {
        let kernel = kernel.into();
        let &[slices, rows, columns] = kernel.shape() else {
            let why =
                format!("a kernel of shape {:?}, not [slices, rows, columns]", kernel.shape());
            return Error::parameter(Self::NAME, why);
        };
        let space = |extent| Space::of(Self::NAME, [slices, extent, others], kernel.dtype());
        let (domain, range) = (space(columns)?, space(rows)?);
        domain.computable(Self::NAME)?;
        Ok(Operator::new(Slices { kernel, domain, range }))
    }
}

/// A batch of matrices.
#[derive(Debug)]
struct Slices {
    kernel: SharedArray,
    domain: Space,
    range: Space,
}

impl LinearMap for Slices {
    fn name(&self) -> &str {
        Fredholm1::NAME
    }

    fn domain(&self) -> &Space {
        &self.domain
    }

    fn range(&self) -> &Space {
        &self.range
    }

    fn enqueue(&self, on: Context<'_>, x: View<'_>, y: ViewMut<'_>, update: Update) -> Result<()> {
        Ok(on.gemm(self.kernel.view(), false, x, y, update)?)
    }

    fn enqueue_adjoint(
        &self,
        on: Context<'_>,
        y: View<'_>,
        x: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        let turned = self.kernel.view().permuted(&[0, 2, 1])?;
        Ok(on.gemm(turned, self.domain.dtype().is_complex(), y, x, update)?)
    }

    fn only_enqueues(&self) -> bool {
        true
    }

    fn devices(&self) -> Option<Devices> {
        Some(Devices::both(self.kernel.device()))
    }
}
