//! The kind of a value whose type is known only at run time.

use std::any::Any;
use std::sync::Arc;

use half::{bf16, f16};
use ndarray::{ArcArray, Dimension, Ix0, Ix1, Ix2, Ix3, Ix4, Ix5, Ix6, IxDyn};
use num_complex::Complex;

use super::ArrayKind;
use crate::dlpack::{Capsule, Legacy, Versioned};
use crate::{Array, Element, SharedArray};

/// The kind of a value of any type; `None` if it is no array known here. Finds owned arrays of every
/// [`Element`], not views, which live too short to be asked.
///
/// ```
/// use std::any::Any;
///
/// use arrayspan_bridge::convert::{ArrayKind, kind_of_any};
///
/// let values: Vec<Box<dyn Any>> = vec![Box::new(ndarray::array![[1_i32, 2]]), Box::new("text")];
/// let kinds: Vec<_> = values.iter().map(|value| kind_of_any(&**value)).collect();
/// assert_eq!(kinds, [Some(ArrayKind::Ndarray), None]);
/// ```
#[must_use]
pub fn kind_of_any(value: &dyn Any) -> Option<ArrayKind> {
    if value.is::<Array>() || value.is::<SharedArray>() {
        return Some(ArrayKind::Array);
    }
    if value.is::<Capsule<Versioned>>() || value.is::<Capsule<Legacy>>() {
        return Some(ArrayKind::Dlpack);
    }
    #[cfg(feature = "torch")]
    if value.is::<tch::Tensor>() {
        return Some(ArrayKind::Torch);
    }
    BY_ELEMENT.iter().find_map(|kind_of| kind_of(value))
}

/// One function for each type that implements [`Element`].
const BY_ELEMENT: [fn(&dyn Any) -> Option<ArrayKind>; 16] = [
    of::<bool>,
    of::<i8>,
    of::<i16>,
    of::<i32>,
    of::<i64>,
    of::<u8>,
    of::<u16>,
    of::<u32>,
    of::<u64>,
    of::<f16>,
    of::<bf16>,
    of::<f32>,
    of::<f64>,
    of::<Complex<f16>>,
    of::<Complex<f32>>,
    of::<Complex<f64>>,
];

fn of<T: Element>(value: &dyn Any) -> Option<ArrayKind> {
    #[cfg(feature = "cuda")]
    if super::kinds::cudarc::is::<T>(value) {
        return Some(ArrayKind::Cudarc);
    }
    #[cfg(feature = "opencl")]
    if super::kinds::opencl::is::<T>(value) {
        return Some(ArrayKind::OpenCl);
    }
    let ranks = [
        is_ndarray::<T, Ix0>,
        is_ndarray::<T, Ix1>,
        is_ndarray::<T, Ix2>,
        is_ndarray::<T, Ix3>,
        is_ndarray::<T, Ix4>,
        is_ndarray::<T, Ix5>,
        is_ndarray::<T, Ix6>,
        is_ndarray::<T, IxDyn>,
    ];
    ranks.iter().any(|is_ndarray| is_ndarray(value)).then_some(ArrayKind::Ndarray)
}

fn is_ndarray<T: Element, D: Dimension + 'static>(value: &dyn Any) -> bool {
    value.is::<ndarray::Array<T, D>>()
        || value.is::<ArcArray<T, D>>()
        || value.is::<Arc<ndarray::Array<T, D>>>()
}
