//! Arrays and results, row-major.

use num_complex::Complex64;

/// A row-major array.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    pub shape: Vec<usize>,
    pub values: Vec<Complex64>,
}

/// A result, and for each element the sum of the magnitudes that went into it, to which rounding errors
/// are proportional.
#[derive(Clone, Debug)]
pub struct Expected {
    pub result: Tensor,
    pub scale: Vec<f64>,
    /// How many roundings may add up in one element.
    pub terms: usize,
}

impl Tensor {
    pub fn new(shape: &[usize], values: Vec<Complex64>) -> Self {
        assert_eq!(shape.iter().product::<usize>(), values.len());
        Self { shape: shape.to_vec(), values }
    }

    pub fn filled(shape: &[usize], value: impl Into<Complex64>) -> Self {
        Self::new(shape, vec![value.into(); shape.iter().product()])
    }

    pub fn at(&self, index: &[usize]) -> Complex64 {
        let axes = index.iter().zip(&self.shape);
        self.values[axes.fold(0, |place, (at, extent)| place * extent + at)]
    }

    pub fn permuted(&self, axes: &[usize]) -> Self {
        let shape: Vec<usize> = axes.iter().map(|&axis| self.shape[axis]).collect();
        let values = indices(&shape).map(|index| {
            let mut old = vec![0; axes.len()];
            axes.iter().zip(&index).for_each(|(&axis, &at)| old[axis] = at);
            self.at(&old)
        });
        let values = values.collect();
        Self { shape, values }
    }

    pub fn broadcast(&self, shape: &[usize]) -> Self {
        let added = shape.len() - self.shape.len();
        let values = indices(shape).map(|index| {
            let here = index[added..].iter().zip(&self.shape);
            self.at(&here
                .map(|(&at, &extent)| if extent == 1 { 0 } else { at })
                .collect::<Vec<_>>())
        });
        Self::new(shape, values.collect())
    }
}

/// Every index of a shape, the last axis fastest.
pub fn indices(shape: &[usize]) -> impl Iterator<Item = Vec<usize>> {
    let shape = shape.to_vec();
    (0..shape.iter().product()).map(move |mut place: usize| {
        let mut index = vec![0; shape.len()];
        for (at, extent) in index.iter_mut().zip(&shape).rev() {
            *at = place % extent;
            place /= extent;
        }
        index
    })
}
