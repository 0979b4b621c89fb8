//! Complex arrays, seen as real ones.

use crate::layout::wrong;
use crate::{DType, Error, Layout, Result, View, ViewMut};

const OPERATION: &str = "view_as_real";

impl View<'_> {
    /// Real and imaginary parts along a new last axis: `[…]` becomes `[…, 2]` of the dtype of the parts, in the same memory.
    ///
    /// ```
    /// # use arrayspan_bridge::{Array, Relayout};
    /// # use num_complex::Complex32;
    /// let numbers = [Complex32::new(1.0, 2.0), Complex32::new(3.0, 4.0)];
    /// let array = Array::from_slice(&numbers, [2])?;
    /// let parts = array.view().view_as_real()?;
    /// assert_eq!(parts.shape(), [2, 2]);
    /// assert_eq!(parts.to_vec::<f32>()?, [1.0, 2.0, 3.0, 4.0]);
    /// assert_eq!(parts.selected(1, 1)?.to_vec::<f32>()?, [2.0, 4.0]);
    /// # Ok::<(), arrayspan_bridge::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::DType`] unless the elements are complex; [`Error::Layout`] when there are more parts than can be addressed.
    pub fn view_as_real(self) -> Result<Self> {
        let (memory, layout, dtype, lender) = self.into_parts();
        let (layout, dtype) = parts(&layout, dtype)?;
        Ok(Self::new(memory, layout, dtype).lent_by(lender))
    }
}

impl ViewMut<'_> {
    /// As [`View::view_as_real`], to be written.
    ///
    /// # Errors
    /// As [`View::view_as_real`].
    pub fn view_as_real(self) -> Result<Self> {
        let (memory, layout, dtype) = self.into_parts();
        let (layout, dtype) = parts(&layout, dtype)?;
        Ok(Self::new(memory, layout, dtype))
    }
}

fn parts(layout: &Layout, dtype: DType) -> Result<(Layout, DType)> {
    if !dtype.is_complex() {
        return Err(Error::DType {
            operation: OPERATION,
            expected: DType::Complex64,
            found: dtype,
        });
    }
    // Nobody takes a step along an axis of one element.
    let twice = |(stride, extent): (&isize, &usize)| match extent {
        0 | 1 => Some(stride.saturating_mul(2)),
        _ => stride.checked_mul(2),
    };
    let strides = layout.strides().iter().zip(layout.shape()).map(twice);
    let strides: Option<Vec<isize>> = strides.chain([Some(1)]).collect();
    let (Some(strides), Some(offset)) = (strides, layout.offset().checked_mul(2)) else {
        let why = "more parts than can be addressed".to_owned();
        return Err(wrong(OPERATION, layout.shape(), layout.strides(), why));
    };
    let shape = [layout.shape(), &[2]].concat();
    Ok((Layout::strided(shape, strides, offset)?, dtype.real()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a panic is how a test fails")]
mod tests {
    use num_complex::Complex64;

    use super::*;
    use crate::{Array, Relayout as _};

    #[test]
    fn parts_lie_where_the_numbers_do() {
        let number = |at: usize| Complex64::new(at as f64, -(at as f64) - 0.5);
        let mut array = Array::from_vec((0..30).map(number).collect(), [5, 6]).unwrap();
        let numbers = |view: View<'_>| view.to_vec::<Complex64>().unwrap();
        let part = array.view().sliced(0, 1, 3).unwrap().stepped(1, 2).unwrap();
        let part = part.reversed(0).unwrap().permuted(&[1_usize, 0]).unwrap();
        let real = part.clone().view_as_real().unwrap();
        assert_eq!((real.shape(), real.dtype()), (&[3, 3, 2][..], DType::Float64));
        let expected: Vec<f64> = numbers(part).iter().flat_map(|z| [z.re, z.im]).collect();
        assert_eq!(real.to_vec::<f64>().unwrap(), expected);

        let mut parts = array.view_mut().view_as_real().unwrap();
        assert_eq!(parts.shape(), [5, 6, 2]);
        for pair in parts.as_mut_slice::<f64>().unwrap().chunks_exact_mut(2) {
            pair[1] = 7.0;
        }
        let all = numbers(array.view());
        assert!(all.iter().enumerate().all(|(at, z)| *z == Complex64::new(at as f64, 7.0)));
    }

    #[test]
    fn what_has_no_parts_is_refused() {
        let array = Array::from_slice(&[1.0_f32; 4], [4]).unwrap();
        let error = array.view().view_as_real().unwrap_err();
        assert!(matches!(error, Error::DType { found: DType::Float32, .. }), "{error}");
        let empty = Array::zeros([0, 3], DType::Complex64, crate::devices::Device::cpu()).unwrap();
        assert_eq!(empty.view().view_as_real().unwrap().shape(), [0, 3, 2]);
        let point = Array::from_slice(&[Complex64::I], []).unwrap();
        assert_eq!(point.view().view_as_real().unwrap().to_vec::<f64>().unwrap(), [0.0, 1.0]);
    }
}
