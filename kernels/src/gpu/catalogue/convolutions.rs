//! Kernels of dense convolutions.

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::{KernelSource, Specialisation};
use num_complex::Complex64;

use super::super::convolve::{Layouts, Limits, Task, Variant};
use super::super::element::Element;
use super::super::formula::Formula;
use super::setting::{UNITS, checked, row_major, updates};
use crate::Convolution;

/// Along one axis to four, of small filters and of large ones, real and complex, with zeros among the taps and without.
pub(super) fn all(dtype: DType) -> Vec<KernelSource> {
    let cases: [(&[usize], &[usize], &[usize]); 8] = [
        (&[8000, 8000], &[0, 1], &[3, 3]),
        (&[8000, 8000], &[0, 1], &[15, 15]),
        (&[400, 400, 400], &[0, 1, 2], &[7, 7, 7]),
        (&[60, 61, 62], &[0, 1], &[5, 4]),
        (&[9, 10, 11, 70], &[0, 1, 2, 3], &[3, 2, 3, 2]),
        (&[300, 500], &[0, 1], &[40, 41]),
        (&[70_000, 40_000], &[1], &[9]),
        (&[100, 90, 80], &[0, 1, 2], &[1, 25, 3]),
    ];
    let mut kernels = Vec::new();
    for (number, (shape, axes, extents)) in cases.into_iter().enumerate() {
        let count = extents.iter().product();
        let imaginary = if dtype.is_complex() && number % 2 == 1 { 0.5 } else { 0.0 };
        let taps = vec![Complex64::new(1.0, imaginary); count];
        let offsets: Vec<usize> = extents.iter().map(|extent| extent / 2).collect();
        let convolution = Convolution::new(axes, extents, &taps, &offsets);
        let (Ok(convolution), Some(layout)) = (convolution, row_major(shape)) else { continue };
        let task = Task { convolution: &convolution, layouts: [&layout; 2], dtype };
        let Some(factors) = checked(updates(dtype)[number % 2], dtype) else { continue };
        let formula = Formula::update(&factors, Element(dtype)).0;
        // In straight code where there is room for weights, and in loops.
        for argument_bytes in [4096, 0] {
            let limits = Limits { units: UNITS, argument_bytes, products: 1500 };
            let Ok((layouts, order)) = Layouts::new(&task, limits) else { continue };
            let variant = Variant::new(&task, &layouts, &order, (formula.clone(), 4));
            let source = variant.source();
            if kernels.last() != Some(&source) {
                kernels.push(source);
            }
        }
    }
    kernels
}
