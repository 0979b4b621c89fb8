//! Tensors become any array and any array a tensor, in one call.
#![cfg(feature = "torch")]
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

mod common;

use arrayspan_bridge::convert::{
    ArrayKind, ArraySource, ConvertOptions, ConvertStep, convert, kind_of, kind_of_any, to,
    try_convert,
};
use arrayspan_bridge::declared::Declared;
use arrayspan_bridge::devices::{Device, DeviceKind};
use arrayspan_bridge::dlpack::Versioned;
use arrayspan_bridge::{Array, Crossing, Error, Relayout, Result, Why};
use ndarray::{Array2, Ix1, Ix2, array};
use tch::Tensor;

fn values() -> Array2<f32> {
    array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
}

fn tensor() -> Tensor {
    Tensor::from_slice(&[1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0]).view([2, 3]).copy()
}

fn read(x: impl ArraySource) -> Array2<f32> {
    convert(x, to::ndarray::<f32, Ix2>(), ConvertOptions::default()).unwrap().0
}

/// The CPU, and CUDA where there is one.
fn kinds() -> Vec<DeviceKind> {
    let cuda = common::first("cuda").map(Device::kind);
    if cuda.is_some() {
        arrayspan_bridge::torch::load_cuda().unwrap();
    }
    std::iter::once(DeviceKind::Cpu).chain(cuda).collect()
}

#[test]
fn a_tensor_becomes_every_kind_and_every_kind_a_tensor() {
    for kind in kinds() {
        let make = || convert(tensor(), to::torch().on(kind), ConvertOptions::default()).unwrap().0;
        let there = make();
        assert_eq!(there.device().is_cuda(), kind == DeviceKind::Cuda);
        assert_eq!(read(there), values());

        let (x, report) = convert(make(), to::array(), ConvertOptions::zero_copy()).unwrap();
        assert_eq!((report.from, report.to), (ArrayKind::Torch, ArrayKind::Array));
        assert_eq!(report.from_device.kind(), kind);
        assert_eq!(read(convert(x, to::torch(), ConvertOptions::zero_copy()).unwrap().0), values());

        let (x, _) =
            convert(make(), to::dlpack::<Versioned>(), ConvertOptions::zero_copy()).unwrap();
        assert_eq!(read(convert(x, to::torch(), ConvertOptions::zero_copy()).unwrap().0), values());

        for other in [DeviceKind::Cpu, DeviceKind::Cuda, DeviceKind::OpenCl] {
            if Device::new(other, 0).is_ok() {
                let (x, report) =
                    convert(make(), to::array().on(other), ConvertOptions::default()).unwrap();
                assert_eq!(report.is_zero_copy(), other == kind, "{report}");
                let (x, _) = convert(x, to::torch().on(kind), ConvertOptions::default()).unwrap();
                assert_eq!(read(x), values());
            }
        }
        let (x, report) =
            convert(values(), to::torch().on(kind), ConvertOptions::default()).unwrap();
        assert_eq!(report.is_zero_copy(), kind == DeviceKind::Cpu, "{report}");
        assert_eq!(read(x), values());
    }
    if common::first("opencl").is_some() {
        let (x, _) = convert(tensor(), to::opencl::<f32>(), ConvertOptions::default()).unwrap();
        let refused = convert(x, to::torch(), ConvertOptions::default());
        assert!(matches!(refused, Err(Error::Inexpressible { .. })), "not sent to the CPU unasked");
    }
    if common::first("cuda").is_some() {
        let (x, _) = convert(tensor(), to::cudarc::<f32>(), ConvertOptions::default()).unwrap();
        let (x, report) = convert(x, to::torch(), ConvertOptions::zero_copy()).unwrap();
        assert!(x.device().is_cuda() && report.is_zero_copy());
        let (x, report) = convert(x, to::cudarc::<f32>(), ConvertOptions::zero_copy()).unwrap();
        assert!(report.is_zero_copy());
        assert_eq!(read(x), values());
    }
}

#[test]
fn an_address_stays_on_the_way_through_torch() {
    let x = values();
    let here = x.as_ptr().addr();
    let (x, _) = convert(x, to::torch(), ConvertOptions::zero_copy()).unwrap();
    assert_eq!(x.data_ptr().addr(), here);
    let (x, _) = convert(x, to::array(), ConvertOptions::zero_copy()).unwrap();
    assert_eq!(x.memory().address(), here);
}

#[test]
fn a_tensor_that_stays_with_its_owner_is_copied_or_refused() {
    let owner = tensor();
    let (_, report) = convert(&owner, to::array(), ConvertOptions::default()).unwrap();
    let copied = Crossing::Copied { why: Why::Shared, bytes: 24 };
    assert_eq!(report.steps.get(ConvertStep::Import), Some(copied));
    let refused = convert(&owner, to::array(), ConvertOptions::zero_copy());
    assert!(matches!(refused, Err(Error::CopyRefused { why: Why::Shared, .. })));
    assert_eq!(read(&owner), values());
}

#[test]
fn a_refused_conversion_gives_the_tensor_back() {
    let x = tensor();
    let here = x.data_ptr();
    let (error, back) =
        try_convert(x, to::ndarray::<f32, Ix2>(), ConvertOptions::zero_copy()).unwrap_err();
    assert!(matches!(error, Error::CopyRefused { .. }), "{error}");
    assert_eq!(back.unwrap().data_ptr(), here);
    let down = Array::from(values()).reversed(0).unwrap();
    let (error, back) = try_convert(down, to::torch(), ConvertOptions::zero_copy()).unwrap_err();
    assert!(matches!(error, Error::CopyRefused { why: Why::Strides, .. }), "{error}");
    let (x, _) = convert(back.unwrap(), to::torch(), ConvertOptions::default()).unwrap();
    assert_eq!(read(x), array![[4.0, 5.0, 6.0], [1.0, 2.0, 3.0]]);
}

#[test]
fn a_function_of_torch_takes_arrays_of_any_library() {
    let double = |x: Tensor| -> Result<Tensor> { Ok(x * 2.0) };
    let mut double = Declared::new(to::torch(), to::ndarray::<f32, Ix1>()).wrap(double);
    let (y, reports) = double.call(array![1.0_f32, 2.0]).unwrap();
    assert_eq!(y, array![2.0, 4.0]);
    assert!(reports.inputs[0].is_zero_copy());
    assert_eq!(reports.outputs[0].from, ArrayKind::Torch);
}

#[test]
fn a_tensor_is_known_as_torchs() {
    assert_eq!(kind_of(&tensor()), ArrayKind::Torch);
    assert_eq!(kind_of_any(&tensor()), Some(ArrayKind::Torch));
}
