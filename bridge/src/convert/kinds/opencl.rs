//! opencl3's buffers and arrays in its terms.

use std::any::Any;
use std::marker::PhantomData;

use arrayspan_devices::{Device, DeviceKind};
use opencl3::memory::Buffer;

use super::expect;
use crate::convert::{
    ArrayKind, ArraySource, ArrayTarget, ConvertOptions, ConvertStep, ConvertSteps,
    FailedConversion, Imported, Route,
};
use crate::interop::opencl::{OpenClArray, ShapedBuffer, allocate};
use crate::{Array, DType, Element, Error, Layout, Result, SharedArray, Why};

/// Whether a value is an array of that element.
pub(in crate::convert) fn is<T: Element>(value: &dyn Any) -> bool {
    value.is::<Buffer<T>>() || value.is::<ShapedBuffer<T>>() || value.is::<OpenClArray<T>>()
}

impl<T: Element> ArraySource for ShapedBuffer<T> {
    const KIND: ArrayKind = ArrayKind::OpenCl;

    fn import<'a>(self, options: &ConvertOptions) -> Result<Imported<'a>> {
        let (buffer, shape, device) = self.into_parts();
        let stream = options.stream_of(device);
        // SAFETY: who made the `ShapedBuffer` has vouched for it.
        let array = unsafe { SharedArray::from_opencl_buffer(buffer, shape, device, stream)? };
        Ok(array.into())
    }

    fn recover(imported: Imported<'_>) -> Option<Self> {
        let (shape, device) = (imported.layout().shape().to_vec(), imported.device());
        let buffer = imported.into_array().ok()?.try_into_opencl_buffer().ok()?;
        // SAFETY: it is the buffer that came in, for which its maker has vouched.
        Some(unsafe { Self::new(buffer, shape, device) })
    }
}

impl<T: Element> ArraySource for OpenClArray<T> {
    const KIND: ArrayKind = ArrayKind::OpenCl;

    fn import<'a>(self, _: &ConvertOptions) -> Result<Imported<'a>> {
        Ok(self.into_array().into())
    }

    fn recover(imported: Imported<'_>) -> Option<Self> {
        let stream = imported.device().stream().ok()?;
        imported.into_array().ok()?.into_opencl(&stream).ok()
    }
}

/// [`to::opencl`](crate::convert::to::opencl).
#[derive(Debug)]
pub struct ToOpenCl<T>(PhantomData<fn() -> T>);

/// [`to::opencl_buffer`](crate::convert::to::opencl_buffer).
#[derive(Debug)]
pub struct ToOpenClBuffer<T>(PhantomData<fn() -> T>);

impl<T> Default for ToOpenCl<T> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<T> Default for ToOpenClBuffer<T> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<T: Element> ArrayTarget for ToOpenCl<T> {
    type Output = OpenClArray<T>;

    const KIND: ArrayKind = ArrayKind::OpenCl;

    fn place(&self) -> Option<DeviceKind> {
        Some(DeviceKind::OpenCl)
    }

    fn accept(&self, layout: &Layout, dtype: DType, _: Device) -> Result<()> {
        accept::<T>(layout, dtype)
    }

    /// Work on the stream named, else on the device's default stream, comes after ours.
    fn export<'a>(
        &self,
        array: Imported<'a>,
        route: &Route<'_>,
        steps: &mut ConvertSteps,
    ) -> Result<OpenClArray<T>, FailedConversion<'a>> {
        let array = array.contiguous(route, steps)?;
        let stream = route.stream().map_or_else(|| route.device().stream(), |s| Ok(s.clone()))?;
        Ok(array.into_opencl(&stream)?)
    }
}

impl<T: Element> ArrayTarget for ToOpenClBuffer<T> {
    type Output = Buffer<T>;

    const KIND: ArrayKind = ArrayKind::OpenCl;

    fn place(&self) -> Option<DeviceKind> {
        Some(DeviceKind::OpenCl)
    }

    fn accept(&self, layout: &Layout, dtype: DType, _: Device) -> Result<()> {
        accept::<T>(layout, dtype)
    }

    fn export<'a>(
        &self,
        array: Imported<'a>,
        route: &Route<'_>,
        steps: &mut ConvertSteps,
    ) -> Result<Buffer<T>, FailedConversion<'a>> {
        let bytes = array.layout().bytes("convert", T::DTYPE)?;
        let array = if array.device() == route.device() && covers(&array, bytes) {
            match array.into_array().map(Array::try_into_opencl_buffer) {
                Ok(Ok(buffer)) => return Ok(buffer),
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
        let (view, device) = (array.view(), route.device());
        let buffer = allocate::<T>(device, view.layout().len())?;
        // SAFETY: the buffer was just made, and nobody else knows it.
        let copy = unsafe { SharedArray::from_opencl_buffer(buffer, view.shape(), device, None)? };
        view.copy_packed(copy.memory(), bytes, &route.copy_stream(view.device())?)?;
        steps.record(step, crossing);
        let buffer = copy.try_into_array().map(Array::try_into_opencl_buffer);
        match buffer {
            Ok(Ok(buffer)) => Ok(buffer),
            _ => Err(Error::Foreign { field: "buffer", why: "did not come back".into() }.into()),
        }
    }
}

/// Whether the elements, in order, are all there is in the block of `bytes` bytes.
fn covers(array: &Imported<'_>, bytes: usize) -> bool {
    array.layout().is_contiguous() && array.view().memory().bytes() == bytes
}

fn accept<T: Element>(layout: &Layout, dtype: DType) -> Result<()> {
    if layout.is_empty() {
        let what = "OpenCL has no buffers without elements";
        return Err(Error::Inexpressible { operation: "convert", what: what.into() });
    }
    expect::<T>(dtype)
}
