//! cudarc's slices and arrays in its terms.

use std::any::Any;
use std::marker::PhantomData;

use arrayspan_devices::{Device, DeviceKind};
use cudarc::driver::CudaSlice;

use super::expect;
use crate::convert::{
    ArrayKind, ArraySource, ArrayTarget, ConvertOptions, ConvertStep, ConvertSteps,
    FailedConversion, Imported, Route,
};
use crate::interop::cudarc::{CudaArray, ShapedSlice, allocate};
use crate::{Array, DType, Element, Error, Layout, Result, Why};

/// Whether a value is an array of that element.
pub(in crate::convert) fn is<T: Element>(value: &dyn Any) -> bool {
    value.is::<CudaSlice<T>>() || value.is::<ShapedSlice<T>>() || value.is::<CudaArray<T>>()
}

impl<T: Element> ArraySource for CudaSlice<T> {
    const KIND: ArrayKind = ArrayKind::Cudarc;

    fn import<'a>(self, options: &ConvertOptions) -> Result<Imported<'a>> {
        let len = self.num_bytes() / size_of::<T>();
        ShapedSlice::new(self, [len]).import(options)
    }

    fn recover(imported: Imported<'_>) -> Option<Self> {
        imported.into_array().ok()?.try_into_cuda_slice().ok()
    }
}

impl<T: Element> ArraySource for ShapedSlice<T> {
    const KIND: ArrayKind = ArrayKind::Cudarc;

    fn import<'a>(self, _: &ConvertOptions) -> Result<Imported<'a>> {
        Ok(Array::from_cuda_slice(self.slice, self.shape)?.into())
    }

    fn recover(imported: Imported<'_>) -> Option<Self> {
        let shape = imported.layout().shape().to_vec();
        CudaSlice::recover(imported).map(|slice| Self { slice, shape })
    }
}

impl<T: Element> ArraySource for CudaArray<T> {
    const KIND: ArrayKind = ArrayKind::Cudarc;

    fn import<'a>(self, _: &ConvertOptions) -> Result<Imported<'a>> {
        Ok(self.into_array()?.into())
    }

    fn recover(imported: Imported<'_>) -> Option<Self> {
        imported.into_array().ok()?.into_cuda().ok()
    }
}

/// [`to::cudarc`](crate::convert::to::cudarc).
#[derive(Debug)]
pub struct ToCudarc<T>(PhantomData<fn() -> T>);

/// [`to::cuda_slice`](crate::convert::to::cuda_slice).
#[derive(Debug)]
pub struct ToCudaSlice<T>(PhantomData<fn() -> T>);

impl<T> Default for ToCudarc<T> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<T> Default for ToCudaSlice<T> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<T: Element> ArrayTarget for ToCudarc<T> {
    type Output = CudaArray<T>;

    const KIND: ArrayKind = ArrayKind::Cudarc;

    fn place(&self) -> Option<DeviceKind> {
        Some(DeviceKind::Cuda)
    }

    fn accept(&self, _: &Layout, dtype: DType, _: Device) -> Result<()> {
        expect::<T>(dtype)
    }

    fn export<'a>(
        &self,
        array: Imported<'a>,
        route: &Route<'_>,
        steps: &mut ConvertSteps,
    ) -> Result<CudaArray<T>, FailedConversion<'a>> {
        Ok(array.contiguous(route, steps)?.into_cuda()?)
    }
}

impl<T: Element> ArrayTarget for ToCudaSlice<T> {
    type Output = CudaSlice<T>;

    const KIND: ArrayKind = ArrayKind::Cudarc;

    fn place(&self) -> Option<DeviceKind> {
        Some(DeviceKind::Cuda)
    }

    fn accept(&self, layout: &Layout, dtype: DType, _: Device) -> Result<()> {
        if layout.is_empty() {
            let what = "cudarc allocates no slices without elements";
            return Err(Error::Inexpressible { operation: "convert", what: what.into() });
        }
        expect::<T>(dtype)
    }

    fn export<'a>(
        &self,
        array: Imported<'a>,
        route: &Route<'_>,
        steps: &mut ConvertSteps,
    ) -> Result<CudaSlice<T>, FailedConversion<'a>> {
        let array = if array.device() == route.device() {
            match array.into_array().map(Array::try_into_cuda_slice) {
                Ok(Ok(slice)) => return Ok(slice),
                Ok(Err(array)) => array.into(),
                Err(array) => array,
            }
        } else {
            array
        };
        let (step, crossing) = match route.allow(&array.view(), Why::Allocator, ConvertStep::Export)
        {
            Ok(allowed) => allowed,
            Err(error) => return Err(FailedConversion::with(error, array)),
        };
        let view = array.view();
        let bytes = view.layout().bytes("convert", T::DTYPE)?;
        let slice = allocate::<T>(route.device(), view.layout().len())?;
        let copy = Array::from_cuda_slice(slice, view.shape())?;
        view.copy_packed(copy.handle(), bytes, &route.copy_stream(view.device())?)?;
        steps.record(step, crossing);
        let slice = copy.try_into_cuda_slice();
        Ok(slice.map_err(|_| Error::Foreign { field: "slice", why: "did not come back".into() })?)
    }
}
