//! Any array becomes any other, and the report says how.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

#[path = "../common/mod.rs"]
mod common;
mod kinds;
mod options;
mod zero_copy;

use std::sync::Arc;

use arrayspan_bridge::convert::{
    ArrayKind, ArraySource, ArrayTarget, ConvertOptions, ConvertReport, ConvertStep, convert,
    kind_of, kind_of_any, to, try_convert,
};
use arrayspan_bridge::devices::{self, Device, DeviceKind};
use arrayspan_bridge::dlpack::{Capsule, Legacy, Versioned};
use arrayspan_bridge::interop::opencl::ShapedBuffer;
use arrayspan_bridge::{
    Array, Conversion, Crossing, DType, Error, Relayout, SharedArray, View, Why,
};
use common::producer::Producer;
use ndarray::{Array2, ArrayD, Ix1, Ix2, Ix3, IxDyn, s};

const SHAPE: [usize; 2] = [3, 5];

fn values() -> Array2<f32> {
    Array2::from_shape_fn(SHAPE, |(i, j)| (10 * i + j) as f32)
}

fn array() -> Array {
    Array::from(values())
}

fn on(device: Device) -> Array {
    array().into_device(device).unwrap().0
}

/// The elements in order, wherever they are.
fn read(x: impl ArraySource) -> Vec<f32> {
    let (values, _) = convert(x, to::ndarray::<f32, IxDyn>(), ConvertOptions::default()).unwrap();
    values.into_iter().collect()
}

/// Whether there is a device of that kind. Miri runs no drivers.
fn exists(kind: DeviceKind) -> bool {
    kind == DeviceKind::Cpu || (!cfg!(miri) && Device::new(kind, 0).is_ok())
}

/// Converts one source to every target on every kind of device there is, and reads the values back.
fn to_every_target<S: ArraySource>(make: impl Fn() -> S) {
    let expected = values().into_raw_vec_and_offset().0;
    let check = |output: Vec<f32>, report: ConvertReport, to: ArrayKind| {
        assert_eq!(output, expected, "{report}");
        assert_eq!((report.from, report.to), (S::KIND, to), "{report}");
        assert_eq!(report.is_zero_copy(), report.bytes_copied() == 0, "{report}");
        assert!(report.from_device == report.to_device || !report.is_zero_copy(), "{report}");
    };
    let options = ConvertOptions::default;
    let (output, report) = convert(make(), to::ndarray::<f32, Ix2>(), options()).unwrap();
    assert_eq!(output, values(), "{report}");
    check(read(output), report, ArrayKind::Ndarray);
    for kind in [DeviceKind::Cpu, DeviceKind::Cuda, DeviceKind::OpenCl] {
        if !exists(kind) {
            continue;
        }
        let (output, report) = convert(make(), to::array().on(kind), options()).unwrap();
        assert_eq!((output.device(), output.device().kind()), (report.to_device, kind));
        check(read(output), report, ArrayKind::Array);
        let (output, report) = convert(make(), to::shared().on(kind), options()).unwrap();
        check(read(output), report, ArrayKind::Array);
        let (output, report) =
            convert(make(), to::dlpack::<Versioned>().on(kind), options()).unwrap();
        check(read(output), report, ArrayKind::Dlpack);
        let (output, report) = convert(make(), to::dlpack::<Legacy>().on(kind), options()).unwrap();
        check(read(output), report, ArrayKind::Dlpack);
    }
    if exists(DeviceKind::Cuda) {
        let (output, report) = convert(make(), to::cudarc::<f32>(), options()).unwrap();
        check(read(output), report, ArrayKind::Cudarc);
        let (output, report) = convert(make(), to::cuda_slice::<f32>(), options()).unwrap();
        check(read(output), report, ArrayKind::Cudarc);
    }
    if exists(DeviceKind::OpenCl) {
        let (output, report) = convert(make(), to::opencl::<f32>(), options()).unwrap();
        check(read(output), report, ArrayKind::OpenCl);
        let (output, report) = convert(make(), to::opencl_buffer::<f32>(), options()).unwrap();
        // SAFETY: nobody else knows the buffer.
        let output = unsafe { ShapedBuffer::new(output, SHAPE, report.to_device) };
        check(read(output), report, ArrayKind::OpenCl);
    }
}

#[test]
fn our_arrays_become_everything() {
    to_every_target(array);
    to_every_target(|| array().into_shared());
    let (owned, shared) = (array(), array().into_shared());
    to_every_target(|| &owned);
    to_every_target(|| &shared);
    to_every_target(|| owned.view());
    let columns = Array::from(values().reversed_axes());
    to_every_target(|| columns.view().permuted(&[1, 0]).unwrap());
    assert_eq!(read(&owned), read(&shared));
}

#[test]
fn ndarrays_of_every_ownership_become_everything() {
    to_every_target(values);
    to_every_target(|| values().into_dyn());
    to_every_target(|| values().into_shared());
    to_every_target(|| Arc::new(values()));
    let lent = values();
    to_every_target(|| &lent);
    to_every_target(|| lent.view());
    let mut reversed = values().reversed_axes();
    reversed.invert_axis(ndarray::Axis(1));
    to_every_target(|| reversed.slice(s![.., ..;-1]).reversed_axes());
}

#[test]
fn capsules_become_everything() {
    to_every_target(|| array().into_dlpack::<Versioned>(None).unwrap());
    to_every_target(|| array().into_dlpack::<Legacy>(None).unwrap());
}

#[test]
fn arrays_on_every_device_become_everything() {
    for device in common::accelerators() {
        to_every_target(|| on(device));
        to_every_target(|| on(device).into_dlpack::<Versioned>(None).unwrap());
        let lent = on(device);
        to_every_target(|| &lent);
    }
}

#[test]
fn opencl_buffers_become_everything() {
    let Some(device) = common::first("opencl") else { return };
    to_every_target(|| {
        convert(on(device), to::opencl::<f32>(), ConvertOptions::default()).unwrap().0
    });
    to_every_target(|| {
        let (buffer, report) =
            convert(on(device), to::opencl_buffer::<f32>(), ConvertOptions::default()).unwrap();
        assert_eq!(report.steps.get(ConvertStep::Export), Some(copied(Why::Allocator)));
        // SAFETY: nobody else knows the buffer.
        unsafe { ShapedBuffer::new(buffer, SHAPE, device) }
    });
}

#[test]
fn cuda_slices_become_everything() {
    let Some(device) = common::first("cuda") else { return };
    to_every_target(|| {
        convert(on(device), to::cudarc::<f32>(), ConvertOptions::default()).unwrap().0
    });
    to_every_target(|| {
        let (slice, report) =
            convert(on(device), to::cuda_slice::<f32>(), ConvertOptions::default()).unwrap();
        assert_eq!(report.steps.get(ConvertStep::Export), Some(copied(Why::Allocator)));
        arrayspan_bridge::interop::cudarc::ShapedSlice::new(slice, SHAPE)
    });
}

fn copied(why: Why) -> Crossing {
    Crossing::Copied { why, bytes: 60 }
}
