//! Kernels of dense convolutions.

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::{KernelSource, Specialisation};
use num_complex::Complex64;

use super::super::convolve::{Layouts, Limits, Task, Variant};
use super::super::convolve_varying;
use super::super::element::Element;
use super::super::formula::Formula;
use super::setting::{UNITS, checked, row_major, updates};
use crate::{Along, Convolution, VaryingConvolution};

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
    kernels.extend(varying(dtype));
    kernels
}

/// With filters that change, along one axis to three, in blocks and not, there and back.
fn varying(dtype: DType) -> Vec<KernelSource> {
    let cases: [(&[usize], &[usize], &[usize]); 5] = [
        (&[8000, 8000], &[0, 1], &[11, 11]),
        (&[400, 400, 400], &[0, 1, 2], &[5, 5, 5]),
        (&[60, 61, 62], &[1, 2], &[17, 4]),
        (&[9, 10, 11, 70], &[1], &[3]),
        (&[70_000, 40_000], &[0, 1], &[2, 40]),
    ];
    let mut kernels = Vec::new();
    for (number, (shape, axes, taps)) in cases.into_iter().enumerate() {
        let along = |(&axis, &taps): (&usize, &usize)| {
            let (extent, places) = (shape[axis], vec![shape[axis] / 4, shape[axis] / 2]);
            Along { axis, extent, places, taps, offset: taps / 2 }
        };
        let along: Vec<Along> = axes.iter().zip(taps).map(along).collect();
        let count = along.iter().map(|along| along.places.len() * along.taps).product();
        let imaginary = if dtype.is_complex() && number % 2 == 1 { 0.5 } else { 0.0 };
        let filters = vec![Complex64::new(1.0, imaginary); count];
        let convolution = VaryingConvolution::new(&along, &filters);
        let (Ok(convolution), Some(layout)) = (convolution, row_major(shape)) else { continue };
        let Some(factors) = checked(updates(dtype)[number % 2], dtype) else { continue };
        let formula = Formula::update(&factors, Element(dtype)).0;
        for convolution in [&convolution, &convolution.adjoint()] {
            let task = convolve_varying::Task { convolution, layouts: [&layout; 2], dtype };
            let Ok(plan) = convolve_varying::Plan::new(&task) else { continue };
            kernels.push(plan.variant(&task, (formula.clone(), 4), true).source());
        }
    }
    kernels
}
