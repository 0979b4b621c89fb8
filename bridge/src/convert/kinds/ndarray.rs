//! ndarray's arrays and views.

use std::marker::PhantomData;
use std::sync::Arc;

use arrayspan_devices::{Device, DeviceKind};
use ndarray::{ArcArray, ArrayD, ArrayView, Dimension};

use super::expect;
use crate::convert::{
    ArrayKind, ArraySource, ArrayTarget, ConvertOptions, ConvertStep, ConvertSteps,
    FailedConversion, Imported, Route,
};
use crate::interop::ndarray_layout;
use crate::layout::wrong;
use crate::{Array, DType, Element, Error, Layout, Result, SharedArray, Why};

impl<T: Element, D: Dimension> ArraySource for ndarray::Array<T, D> {
    const KIND: ArrayKind = ArrayKind::Ndarray;

    fn import<'a>(self, _: &ConvertOptions) -> Result<Imported<'a>>
    where
        Self: 'a,
    {
        Ok(Array::from(self).into())
    }

    fn recover(imported: Imported<'_>) -> Option<Self> {
        let values = imported.into_array().ok()?.take_ndarray().ok()??;
        values.into_dimensionality().ok()
    }
}

/// Shares the array.
impl<T: Element, D: Dimension + 'static> ArraySource for ArcArray<T, D> {
    const KIND: ArrayKind = ArrayKind::Ndarray;

    fn import<'a>(self, _: &ConvertOptions) -> Result<Imported<'a>> {
        Ok(SharedArray::from(self).into())
    }
}

/// Shares the array.
impl<T: Element, D: Dimension + 'static> ArraySource for Arc<ndarray::Array<T, D>> {
    const KIND: ArrayKind = ArrayKind::Ndarray;

    fn import<'a>(self, _: &ConvertOptions) -> Result<Imported<'a>> {
        Ok(SharedArray::from(self).into())
    }
}

impl<T: Element, D: Dimension> ArraySource for &ndarray::Array<T, D> {
    const KIND: ArrayKind = ArrayKind::Ndarray;

    fn import<'a>(self, options: &ConvertOptions) -> Result<Imported<'a>>
    where
        Self: 'a,
    {
        self.view().import(options)
    }
}

impl<T: Element, D: Dimension> ArraySource for ArrayView<'_, T, D> {
    const KIND: ArrayKind = ArrayKind::Ndarray;

    fn import<'a>(self, _: &ConvertOptions) -> Result<Imported<'a>>
    where
        Self: 'a,
    {
        let layout = ndarray_layout(self.shape(), self.strides());
        let bytes = layout.extent().map_or(0, |(_, high)| (high + 1) * size_of::<T>());
        let address = self.as_ptr().wrapping_sub(layout.offset()).expose_provenance();
        // SAFETY: the elements from the lowest to the highest lie in one allocation, which the borrow keeps
        // alive and unwritten for at least 'a.
        Ok(unsafe { Imported::lent(address, bytes, layout, T::DTYPE) })
    }
}

/// [`to::ndarray`](crate::convert::to::ndarray).
#[derive(Debug)]
pub struct ToNdarray<T, D>(PhantomData<fn() -> (T, D)>);

impl<T, D> Default for ToNdarray<T, D> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<T: Element, D: Dimension> ArrayTarget for ToNdarray<T, D> {
    type Output = ndarray::Array<T, D>;

    const KIND: ArrayKind = ArrayKind::Ndarray;

    fn place(&self) -> Option<DeviceKind> {
        Some(DeviceKind::Cpu)
    }

    fn accept(&self, layout: &Layout, dtype: DType, _: Device) -> Result<()> {
        expect::<T>(dtype)?;
        if D::NDIM.is_some_and(|rank| rank != layout.rank()) {
            return Err(other_rank::<D>(layout.shape(), layout.strides()));
        }
        Ok(())
    }

    fn export<'a>(
        &self,
        array: Imported<'a>,
        route: &Route<'_>,
        steps: &mut ConvertSteps,
    ) -> Result<Self::Output, FailedConversion<'a>> {
        let values = match array.into_array() {
            Ok(array) => own(array, route, steps)?,
            Err(array) => {
                let (why, step) = array.why_not_exclusive();
                copied(array, why, step, route, steps)?
            }
        };
        let shape = values.raw_dim();
        Ok(values.into_dimensionality().map_err(|_| other_rank::<D>(shape.slice(), &[]))?)
    }
}

/// The memory of the array itself if it came from an ndarray, else a copy.
fn own<'a, T: Element>(
    array: Array,
    route: &Route<'_>,
    steps: &mut ConvertSteps,
) -> Result<ArrayD<T>, FailedConversion<'a>> {
    match array.take_ndarray() {
        Ok(Some(values)) => Ok(values),
        Ok(None) => {
            let why = if array.owner().is_some() { Why::Strides } else { Why::Allocator };
            copied(array.into(), why, ConvertStep::Export, route, steps)
        }
        Err(error) => Err(FailedConversion::with(error, array)),
    }
}

fn copied<'a, T: Element>(
    array: Imported<'a>,
    why: Why,
    step: ConvertStep,
    route: &Route<'_>,
    steps: &mut ConvertSteps,
) -> Result<ArrayD<T>, FailedConversion<'a>> {
    let allowed = route.allow(&array.view(), why, step);
    let values = allowed.and_then(|allowed| Ok((allowed, array.view().to_ndarray()?)));
    match values {
        Ok(((step, crossing), values)) => {
            steps.record(step, crossing);
            Ok(values)
        }
        Err(error) => Err(FailedConversion::with(error, array)),
    }
}

fn other_rank<D: Dimension>(shape: &[usize], strides: &[isize]) -> Error {
    let (asked, rank) = (D::NDIM.unwrap_or(shape.len()), shape.len());
    let why = format!("the ndarray asked for has {asked} axes, the array {rank}");
    wrong("convert", shape, strides, why)
}
