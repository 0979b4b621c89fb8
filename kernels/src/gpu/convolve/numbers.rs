//! What a convolution is computed with.

use arrayspan_bridge::DType;

use super::Task;

/// What the kernels compute with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Numbers {
    pub(super) dtype: DType,
    pub(super) complex_weights: bool,
}

impl Numbers {
    pub(super) fn of(task: &Task<'_>) -> Self {
        Self { dtype: task.dtype, complex_weights: !task.convolution.is_real() }
    }

    /// 32-bit registers of an element.
    pub(super) fn words(self) -> usize {
        self.dtype.bytes() / 4
    }

    pub(super) fn weight_bytes(self) -> usize {
        if self.complex_weights { self.dtype.bytes() } else { self.dtype.real().bytes() }
    }

    /// Weights that are loaded at once.
    pub(super) fn quad(self) -> usize {
        16 / self.weight_bytes()
    }

    /// Multiply-adds of real numbers for a product.
    pub(super) fn parts(self) -> usize {
        let parts = if self.dtype.is_complex() { 2 } else { 1 };
        if self.complex_weights { 2 * parts } else { parts }
    }
}
