//! What the kernels of the catalogue are planned for: a device, factors of updates, layouts.

use arrayspan_bridge::{Array, DType, Layout};
use num_complex::{Complex32, Complex64};

use crate::factors::Factors;
use crate::{Factor, Update};

/// Processors of the device the kernels are planned for.
pub(super) const UNITS: usize = 132;

/// Known factors.
pub(super) fn updates(dtype: DType) -> [Update<'static>; 2] {
    let imaginary = if dtype.is_complex() { 1.0 } else { 0.0 };
    [Update::set(), Update::new(Complex64::new(2.0, imaginary), 3.0)]
}

/// Numbers in memory, of every dtype that may be a factor of elements of `dtype`.
pub(super) fn scalars(dtype: DType) -> Vec<Array> {
    let all = [
        Array::from_slice(&[0.5_f32], []),
        Array::from_slice(&[0.5], []),
        Array::from_slice(&[Complex32::I], []),
        Array::from_slice(&[Complex64::I], []),
    ];
    let fits = |array: &Array| {
        let found = array.dtype();
        found == dtype || !found.is_complex() && found.bits() >= dtype.real().bits()
    };
    all.into_iter().flatten().filter(fits).collect()
}

/// Factors on the device: alone, and times a number.
pub(super) fn loaded(dtype: DType, scalars: &[Array]) -> Vec<Update<'_>> {
    let turned = Complex64::new(2.0, if dtype.is_complex() { 1.0 } else { 0.0 });
    let update = |scalar| Update::new(Factor::from(scalar) * turned, scalar);
    scalars.iter().map(update).collect()
}

pub(super) fn checked(update: Update<'_>, dtype: DType) -> Option<Factors<'_>> {
    Factors::new("catalogue", update, dtype).ok()
}

/// A row-major layout; `None` only if `shape` could not be addressed.
pub(super) fn row_major(shape: &[usize]) -> Option<Layout> {
    Layout::contiguous(shape).ok()
}
