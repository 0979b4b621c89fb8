//! What a verb costs, counted before it runs.

use std::ops::AddAssign;

use arrayspan_bridge::{DType, Layout, Operand, OperandMut};

/// What a verb costs on a device: kernel launches, bytes moved at least, arithmetic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Kernels launched on a GPU.
    pub launches: usize,
    /// Bytes read, each address once.
    pub bytes_read: usize,
    /// Bytes written.
    pub bytes_written: usize,
    /// Floating-point operations, a complex one counted as one.
    pub flops: usize,
}

impl Cost {
    /// Bytes read and written.
    #[must_use]
    pub fn bytes(self) -> usize {
        self.bytes_read.saturating_add(self.bytes_written)
    }
}

/// Saturates: a power of an operator may cost more than can be counted.
impl AddAssign for Cost {
    fn add_assign(&mut self, other: Self) {
        self.launches = self.launches.saturating_add(other.launches);
        self.bytes_read = self.bytes_read.saturating_add(other.bytes_read);
        self.bytes_written = self.bytes_written.saturating_add(other.bytes_written);
        self.flops = self.flops.saturating_add(other.flops);
    }
}

/// What a kernel over all of `out` costs before it reads anything but, where `reads`, its old content.
pub(crate) fn of_output(out: &OperandMut<'_>, reads: bool) -> Cost {
    let written = out.layout().len() * out.dtype().bytes();
    Cost {
        launches: usize::from(!out.layout().is_empty()),
        bytes_read: if reads { written } else { 0 },
        bytes_written: written,
        flops: 0,
    }
}

/// The bytes of the distinct elements of several arrays.
pub(crate) fn read<'o>(inputs: impl IntoIterator<Item = &'o Operand<'o>>) -> usize {
    inputs.into_iter().map(|input| distinct_bytes(input.layout(), input.dtype())).sum()
}

/// The bytes of the distinct elements of an array: repeated (broadcast) axes count once.
pub(crate) fn distinct_bytes(layout: &Layout, dtype: DType) -> usize {
    let axes = layout.shape().iter().zip(layout.strides());
    let places = axes.map(|(&extent, &stride)| if stride == 0 { extent.min(1) } else { extent });
    // Axes that overlap otherwise may count more than there are.
    let most = layout.extent().map_or(0, |(first, last)| last - first + 1);
    places.fold(1, usize::saturating_mul).min(most) * dtype.bytes()
}
