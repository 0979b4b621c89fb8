//! Any array becomes any other, and the report says how.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

mod common;

use std::sync::Arc;

use arrayspan_bridge::convert::{
    Kind, Options, Report, Source, Step, Target, convert, kind_of, kind_of_any, to, try_convert,
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
    array().to(device).unwrap().0
}

/// The elements in order, wherever they are.
fn read(x: impl Source) -> Vec<f32> {
    let (values, _) = convert(x, to::ndarray::<f32, IxDyn>(), Options::default()).unwrap();
    values.into_iter().collect()
}

/// Whether there is a device of that kind. Miri runs no drivers.
fn exists(kind: DeviceKind) -> bool {
    kind == DeviceKind::Cpu || (!cfg!(miri) && Device::new(kind, 0).is_ok())
}

/// Converts one source to every target on every kind of device there is, and reads the values back.
fn to_every_target<S: Source>(make: impl Fn() -> S) {
    let expected = values().into_raw_vec_and_offset().0;
    let check = |output: Vec<f32>, report: Report, to: Kind| {
        assert_eq!(output, expected, "{report}");
        assert_eq!((report.from, report.to), (S::KIND, to), "{report}");
        assert_eq!(report.is_zero_copy(), report.bytes_copied() == 0, "{report}");
        assert!(report.from_device == report.to_device || !report.is_zero_copy(), "{report}");
    };
    let options = Options::default;
    let (output, report) = convert(make(), to::ndarray::<f32, Ix2>(), options()).unwrap();
    assert_eq!(output, values(), "{report}");
    check(read(output), report, Kind::Ndarray);
    for kind in [DeviceKind::Cpu, DeviceKind::Cuda, DeviceKind::OpenCl] {
        if !exists(kind) {
            continue;
        }
        let (output, report) = convert(make(), to::array().on(kind), options()).unwrap();
        assert_eq!((output.device(), output.device().kind()), (report.to_device, kind));
        check(read(output), report, Kind::Array);
        let (output, report) = convert(make(), to::shared().on(kind), options()).unwrap();
        check(read(output), report, Kind::Array);
        let (output, report) =
            convert(make(), to::dlpack::<Versioned>().on(kind), options()).unwrap();
        check(read(output), report, Kind::Dlpack);
        let (output, report) = convert(make(), to::dlpack::<Legacy>().on(kind), options()).unwrap();
        check(read(output), report, Kind::Dlpack);
    }
    if exists(DeviceKind::Cuda) {
        let (output, report) = convert(make(), to::cudarc::<f32>(), options()).unwrap();
        check(read(output), report, Kind::Cudarc);
        let (output, report) = convert(make(), to::cuda_slice::<f32>(), options()).unwrap();
        check(read(output), report, Kind::Cudarc);
    }
    if exists(DeviceKind::OpenCl) {
        let (output, report) = convert(make(), to::opencl::<f32>(), options()).unwrap();
        check(read(output), report, Kind::OpenCl);
        let (output, report) = convert(make(), to::opencl_buffer::<f32>(), options()).unwrap();
        // SAFETY: nobody else knows the buffer.
        let output = unsafe { ShapedBuffer::new(output, SHAPE, report.to_device) };
        check(read(output), report, Kind::OpenCl);
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
    to_every_target(|| convert(on(device), to::opencl::<f32>(), Options::default()).unwrap().0);
    to_every_target(|| {
        let (buffer, report) =
            convert(on(device), to::opencl_buffer::<f32>(), Options::default()).unwrap();
        assert_eq!(report.steps.get(Step::Export), Some(copied(Why::Allocator)));
        // SAFETY: nobody else knows the buffer.
        unsafe { ShapedBuffer::new(buffer, SHAPE, device) }
    });
}

#[test]
fn cuda_slices_become_everything() {
    let Some(device) = common::first("cuda") else { return };
    to_every_target(|| convert(on(device), to::cudarc::<f32>(), Options::default()).unwrap().0);
    to_every_target(|| {
        let (slice, report) =
            convert(on(device), to::cuda_slice::<f32>(), Options::default()).unwrap();
        assert_eq!(report.steps.get(Step::Export), Some(copied(Why::Allocator)));
        arrayspan_bridge::interop::cudarc::ShapedSlice::new(slice, SHAPE)
    });
}

fn copied(why: Why) -> Crossing {
    Crossing::Copied { why, bytes: 60 }
}

/// Where the first element of a view is.
fn address(view: &View<'_>) -> usize {
    view.memory().address() + view.layout().offset() * view.dtype().bytes()
}

#[test]
fn owned_values_keep_their_address_from_library_to_library() {
    let x = values();
    let here = x.as_ptr().addr();
    let (x, report) = convert(x, to::array(), Options::zero_copy()).unwrap();
    assert!(report.is_zero_copy(), "{report}");
    assert_eq!(address(&x.view()), here);
    let (x, _) = convert(x, to::ndarray::<f32, Ix2>(), Options::zero_copy()).unwrap();
    assert_eq!(x.as_ptr().addr(), here);
    let (x, _) = convert(x, to::dlpack::<Legacy>(), Options::zero_copy()).unwrap();
    // SAFETY: the capsule lives.
    assert_eq!(unsafe { (*x.as_raw()).dl_tensor.data }.addr(), here);
    let (x, _) = convert(x, to::dlpack::<Versioned>(), Options::zero_copy()).unwrap();
    let (x, _) = convert(x, to::array(), Options::zero_copy()).unwrap();
    assert_eq!(address(&x.view()), here, "still writable after two hand-overs");
}

#[test]
fn owned_values_keep_their_address_on_every_device() {
    for device in common::accelerators() {
        let x = on(device);
        let here = x.memory().address();
        let (x, _) = convert(x, to::dlpack::<Versioned>(), Options::zero_copy()).unwrap();
        let (x, _) = convert(x, to::shared(), Options::zero_copy()).unwrap();
        assert_eq!((x.device(), x.memory().address()), (device, here));
        let (x, _) = convert(x, to::array().on(device.kind()), Options::zero_copy()).unwrap();
        let x = if device.kind() == DeviceKind::Cuda {
            let (x, _) = convert(x, to::cudarc::<f32>(), Options::zero_copy()).unwrap();
            convert(x, to::array(), Options::zero_copy()).unwrap().0
        } else {
            let (x, _) = convert(x, to::opencl::<f32>(), Options::zero_copy()).unwrap();
            convert(x, to::array(), Options::zero_copy()).unwrap().0
        };
        assert_eq!((x.device(), x.memory().address()), (device, here));
    }
}

#[test]
fn libraries_get_their_own_memory_back() {
    if let Some(device) = common::first("opencl") {
        let (buffer, _) = convert(array(), to::opencl_buffer::<f32>(), Options::default()).unwrap();
        let handle = opencl3::memory::ClMem::get(&buffer);
        // SAFETY: nobody else knows the buffer.
        let buffer = unsafe { ShapedBuffer::new(buffer, SHAPE, device) };
        let (x, _) = convert(buffer, to::array(), Options::zero_copy()).unwrap();
        let (buffer, report) =
            convert(x, to::opencl_buffer::<f32>(), Options::zero_copy()).unwrap();
        assert!(report.is_zero_copy());
        assert_eq!(opencl3::memory::ClMem::get(&buffer), handle);
    }
    if common::first("cuda").is_some() {
        let (slice, _) = convert(array(), to::cuda_slice::<f32>(), Options::default()).unwrap();
        let (x, _) = convert(slice, to::array(), Options::zero_copy()).unwrap();
        let here = x.memory().address();
        let (slice, _) = convert(x, to::cuda_slice::<f32>(), Options::zero_copy()).unwrap();
        let (x, _) = convert(slice, to::array(), Options::zero_copy()).unwrap();
        assert_eq!(x.memory().address(), here);
    }
}

#[test]
fn what_is_shared_is_read_only_or_copied() {
    let shared = array().into_shared();
    let (x, report) = convert(&shared, to::shared(), Options::zero_copy()).unwrap();
    assert!(report.is_zero_copy() && Arc::ptr_eq(x.memory(), shared.memory()));
    let (_, report) = convert(&shared, to::array(), Options::default()).unwrap();
    assert_eq!(report.steps.get(Step::Export), Some(copied(Why::Shared)));
    let (_, report) = convert(&shared, to::dlpack::<Versioned>(), Options::zero_copy()).unwrap();
    assert!(report.is_zero_copy());
    let (_, report) = convert(&shared, to::dlpack::<Legacy>(), Options::default()).unwrap();
    assert_eq!(report.steps.get(Step::Export), Some(copied(Why::ReadOnly)));
    let read_only = values().into_shared();
    let (_, report) = convert(read_only, to::array(), Options::default()).unwrap();
    assert_eq!(report.steps.get(Step::Export), Some(copied(Why::ReadOnly)));
}

#[test]
fn what_is_borrowed_is_copied_once_on_its_way() {
    let lent = values();
    let (_, report) = convert(&lent, to::array(), Options::default()).unwrap();
    assert_eq!(report.steps.get(Step::Import), Some(copied(Why::Borrowed)));
    assert_eq!(report.bytes_copied(), 60);
    for device in common::accelerators() {
        let options = Options::gpu(device.gpu_id());
        let (x, report) = convert(&lent, to::array().on(device.kind()), options).unwrap();
        assert_eq!(report.steps.get(Step::Transfer), Some(copied(Why::OtherDevice)));
        assert_eq!((x.device(), report.bytes_copied()), (device, 60));
        let (_, report) = convert(&x, to::ndarray::<f32, Ix2>(), Options::default()).unwrap();
        assert_eq!((report.from_device, report.to_device), (device, Device::cpu()));
        assert_eq!(report.bytes_copied(), 60, "{report}");
    }
}

#[test]
fn a_report_tells_the_way_in_one_line() {
    let lent = values();
    let (_, report) = convert(&lent, to::array(), Options::default()).unwrap();
    assert_eq!(
        report.to_string(),
        "ndarray Float32 on cpu to arrayspan Float32 on cpu: \
         import copied 60 bytes (borrowed source), export zero-copy"
    );
    assert_eq!(report.dtype_change(), None);
    let steps: Vec<_> = report.steps.iter().collect();
    assert_eq!(steps, [(Step::Import, copied(Why::Borrowed)), (Step::Export, Crossing::ZeroCopy)]);
}

#[test]
#[cfg_attr(miri, ignore = "asks the drivers")]
fn a_gpu_id_out_of_range_says_how_many_there_are_and_gives_the_value_back() {
    fn refused<T: Target>(target: T, kind: DeviceKind) {
        let x = values();
        let here = x.as_ptr().addr();
        let (error, back) = try_convert(x, target, Options::gpu(99)).map(|_| ()).unwrap_err();
        let count = Device::all().iter().filter(|device| device.kind() == kind).count();
        match error {
            Error::Device(devices::Error::NoSuchDevice { kind: found, gpu_id, count: there }) => {
                assert_eq!((found, gpu_id, there), (kind, 99, count));
            }
            Error::Device(devices::Error::Unavailable { .. }) => assert_eq!(count, 0),
            other => panic!("{other}"),
        }
        assert_eq!(back.unwrap().as_ptr().addr(), here);
    }
    refused(to::ndarray::<f32, Ix2>(), DeviceKind::Cpu);
    refused(to::array(), DeviceKind::Cpu);
    refused(to::shared(), DeviceKind::Cpu);
    refused(to::dlpack::<Versioned>(), DeviceKind::Cpu);
    for kind in [DeviceKind::Cpu, DeviceKind::Cuda, DeviceKind::OpenCl] {
        refused(to::array().on(kind), kind);
        refused(to::shared().on(kind), kind);
        refused(to::dlpack::<Legacy>().on(kind), kind);
    }
    refused(to::cudarc::<f32>(), DeviceKind::Cuda);
    refused(to::cuda_slice::<f32>(), DeviceKind::Cuda);
    refused(to::opencl::<f32>(), DeviceKind::OpenCl);
    refused(to::opencl_buffer::<f32>(), DeviceKind::OpenCl);
}

#[test]
fn without_a_gpu_id_an_array_stays_on_its_device() {
    for device in common::accelerators() {
        for target in [to::array(), to::array().on(device.kind())] {
            let (x, report) = convert(on(device), target, Options::zero_copy()).unwrap();
            assert_eq!((x.device(), report.to_device), (device, device));
        }
    }
}

#[test]
fn zero_copy_only_refuses_every_copy_and_the_value_comes_back_unharmed() {
    fn refused<S: Source, T: Target>(x: S, target: T, why: Why) -> S {
        let (error, back) = try_convert(x, target, Options::zero_copy()).map(|_| ()).unwrap_err();
        match error {
            Error::CopyRefused { why: found, bytes: 60, .. } => assert_eq!(found, why),
            other => panic!("{other}"),
        }
        back.unwrap()
    }
    let x = values();
    let here = x.as_ptr().addr();
    let mut x = x;
    for device in common::accelerators() {
        x = refused(x, to::array().on(device.kind()), Why::OtherDevice);
        x = refused(x, to::dlpack::<Versioned>().on(device.kind()), Why::OtherDevice);
        let there = refused(on(device), to::ndarray::<f32, Ix2>(), Why::OtherDevice);
        assert_eq!(there.device(), device);
        assert_eq!(read(there), read(&x));
    }
    assert_eq!((x.as_ptr().addr(), &x), (here, &values()));

    let ours = array().to(Device::cpu()).unwrap().0.view().to_array().unwrap();
    let ours = refused(ours, to::ndarray::<f32, Ix2>(), Why::Allocator);
    let capsule = refused(
        ours.into_dlpack::<Versioned>(None).unwrap(),
        to::ndarray::<f32, Ix2>(),
        Why::Allocator,
    );
    let shared = refused(
        SharedArray::from_dlpack(capsule, None).unwrap(),
        to::ndarray::<f32, Ix2>(),
        Why::Allocator,
    );
    let kept = shared.clone();
    let shared = refused(shared, to::array(), Why::Shared);
    assert!(Arc::ptr_eq(shared.memory(), kept.memory()));
    assert_eq!(read(shared), read(values()));

    if let Some(device) = common::first("opencl") {
        let lent = convert(on(device), to::opencl::<f32>(), Options::default()).unwrap().0;
        let lent = refused(lent, to::opencl_buffer::<f32>(), Why::Allocator);
        assert_eq!(read(lent), read(values()));
        // SAFETY: nobody else knows the buffer.
        let buffer = unsafe {
            let made = convert(on(device), to::opencl_buffer::<f32>(), Options::default());
            ShapedBuffer::new(made.unwrap().0, SHAPE, device)
        };
        let buffer = refused(buffer, to::ndarray::<f32, Ix2>(), Why::OtherDevice);
        assert_eq!(read(buffer), read(values()));
    }
    if let Some(device) = common::first("cuda") {
        let lent = convert(on(device), to::cudarc::<f32>(), Options::default()).unwrap().0;
        let lent = refused(lent, to::cuda_slice::<f32>(), Why::Allocator);
        assert_eq!(read(lent), read(values()));
        let slice = convert(on(device), to::cuda_slice::<f32>(), Options::default()).unwrap().0;
        let slice = refused(slice, to::ndarray::<f32, Ix1>(), Why::OtherDevice);
        assert_eq!(read(slice), read(values()));
    }
}

#[test]
fn a_target_of_another_dtype_or_rank_is_refused_before_anything_moves() {
    let (error, back) =
        try_convert(values(), to::ndarray::<f64, Ix2>(), Options::default()).unwrap_err();
    let (expected, found) = (DType::Float64, DType::Float32);
    match error {
        Error::DType { expected: e, found: f, .. } => assert_eq!((e, f), (expected, found)),
        other => panic!("{other}"),
    }
    let x = back.unwrap();
    let (error, back) = try_convert(x, to::ndarray::<f32, Ix3>(), Options::default()).unwrap_err();
    assert!(matches!(error, Error::Layout { .. }), "{error}");
    assert_eq!(back.unwrap(), values());
    if common::first("opencl").is_some() {
        let refused = convert(values(), to::opencl::<i32>(), Options::default());
        assert!(matches!(refused, Err(Error::DType { .. })));
        let empty = Array2::<f32>::zeros((0, 3));
        let refused = convert(empty, to::opencl::<f32>(), Options::default());
        assert!(matches!(refused, Err(Error::Inexpressible { .. })));
    }
}

#[test]
fn a_dtype_asked_for_is_had_on_every_way_and_reported() {
    let as_f64 = || Options::default().as_dtype(DType::Float64, Conversion::EXACT);
    let expected = values().mapv(f64::from);
    let (x, report) = convert(values(), to::ndarray::<f64, Ix2>(), as_f64()).unwrap();
    assert_eq!(x, expected);
    assert_eq!(report.dtype_change(), Some((DType::Float32, DType::Float64)));
    let converted = Crossing::Copied { why: Why::OtherDType, bytes: 120 };
    assert_eq!(report.steps.get(Step::Conversion), Some(converted));
    for device in common::accelerators() {
        if !device.info().float64 {
            continue;
        }
        let there = to::array().on(device.kind());
        let (x, report) = convert(values(), there, as_f64()).unwrap();
        assert_eq!((x.dtype(), report.to_dtype), (DType::Float64, DType::Float64));
        assert_eq!(report.steps.get(Step::Transfer), Some(copied(Why::OtherDevice)), "{report}");
        let narrow = Options::default().as_dtype(DType::Float32, Conversion::EXACT);
        let (x, report) = convert(x, to::ndarray::<f32, Ix2>(), narrow).unwrap();
        assert_eq!(x, values());
        assert_eq!(report.steps.get(Step::Transfer), Some(copied(Why::OtherDevice)), "{report}");
    }
}

#[test]
fn a_dtype_there_is_costs_nothing() {
    let same = Options::zero_copy().as_dtype(DType::Float32, Conversion::EXACT);
    let (_, report) = convert(values(), to::array(), same).unwrap();
    assert!(report.is_zero_copy() && report.steps.get(Step::Conversion).is_none(), "{report}");
}

#[test]
fn a_refused_or_failed_change_of_dtype_gives_the_value_back() {
    let x = values() + 0.5;
    let here = x.as_ptr().addr();
    let strict = Options::zero_copy().as_dtype(DType::UInt8, Conversion::SATURATE);
    let (error, back) = try_convert(x, to::array(), strict).unwrap_err();
    assert!(matches!(error, Error::CopyRefused { why: Why::OtherDType, bytes: 15, .. }), "{error}");
    let exact = Options::default().as_dtype(DType::UInt8, Conversion::EXACT);
    let (error, back) = try_convert(back.unwrap(), to::array(), exact).unwrap_err();
    assert!(matches!(error, Error::Inexact { count: 15, .. }), "{error}");
    let x = back.unwrap();
    assert_eq!((x.as_ptr().addr(), x), (here, values() + 0.5));
    let other = Options::default().as_dtype(DType::Int32, Conversion::WRAP);
    let refused = convert(values(), to::ndarray::<f32, Ix2>(), other);
    assert!(matches!(refused, Err(Error::DType { .. })), "the target has yet another dtype");
}

#[test]
fn empty_and_zero_dimensional_arrays_convert_too() {
    let empty = Array2::<f32>::zeros((0, 3));
    let (capsule, _) = convert(empty, to::dlpack::<Versioned>(), Options::zero_copy()).unwrap();
    let (empty, _) = convert(capsule, to::ndarray::<f32, Ix2>(), Options::default()).unwrap();
    assert_eq!(empty.shape(), [0, 3]);
    let one = ndarray::arr0(7.0_f32);
    for device in common::accelerators() {
        let (there, _) = convert(&one, to::array().on(device.kind()), Options::default()).unwrap();
        let (back, _) = convert(there, to::ndarray::<f32, IxDyn>(), Options::default()).unwrap();
        assert_eq!(back, one.clone().into_dyn());
    }
}

#[test]
fn work_is_queued_on_the_stream_named_and_a_third_devices_is_refused() {
    for device in common::accelerators() {
        let stream = device.new_stream().unwrap();
        let options = Options::gpu(device.gpu_id()).on_stream(&stream);
        let (there, _) = convert(values(), to::array().on(device.kind()), options.clone()).unwrap();
        assert_eq!(device.stream().unwrap(), device.process_stream().unwrap());
        let options = Options::default().on_stream(&stream);
        let (capsule, _) = convert(there, to::dlpack::<Versioned>(), options.clone()).unwrap();
        let (back, _) = convert(capsule, to::ndarray::<f32, Ix2>(), options.clone()).unwrap();
        assert_eq!(back, values());
        let (error, back) = try_convert(back, to::array(), options).map(|_| ()).unwrap_err();
        assert!(matches!(error, Error::WrongDevice { .. }), "{error}");
        assert_eq!(back.unwrap(), values());
    }
}

#[test]
fn a_capsule_that_cannot_be_trusted_is_refused_and_given_back_to_its_producer() {
    let producer = Producer { flags: 1 << 40, ..Producer::default() };
    let deleted = producer.counter();
    let (error, back) =
        try_convert(producer.versioned(), to::array(), Options::default()).unwrap_err();
    assert!(matches!(error, Error::Foreign { field: "flags", .. }));
    assert!(back.is_none());
    assert_eq!(deleted.load(std::sync::atomic::Ordering::SeqCst), 1);
}

#[test]
fn a_refused_capsule_deletes_its_struct_once() {
    let producer = Producer::default();
    let deleted = producer.counter();
    let (_, back) =
        try_convert(producer.versioned(), to::ndarray::<f32, Ix2>(), Options::zero_copy())
            .unwrap_err();
    let count = || deleted.load(std::sync::atomic::Ordering::SeqCst);
    assert_eq!(count(), 0);
    let (x, _) = convert(back.unwrap(), to::array(), Options::zero_copy()).unwrap();
    assert_eq!(x.view().as_slice::<f32>().unwrap(), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    drop(x);
    assert_eq!(count(), 1);
}

#[test]
fn kinds_are_known_by_type_by_value_and_by_name() {
    assert_eq!(kind_of(&values()), Kind::Ndarray);
    assert_eq!(kind_of(&array()), Kind::Array);
    let capsule: Capsule = array().into_dlpack(None).unwrap();
    assert_eq!(kind_of(&capsule), Kind::Dlpack);
    assert_eq!(kind_of_any(&capsule), Some(Kind::Dlpack));
    assert_eq!(kind_of_any(&array()), Some(Kind::Array));
    assert_eq!(kind_of_any(&array().into_shared()), Some(Kind::Array));
    assert_eq!(kind_of_any(&values()), Some(Kind::Ndarray));
    assert_eq!(kind_of_any(&values().into_shared()), Some(Kind::Ndarray));
    assert_eq!(
        kind_of_any(&ArrayD::<num_complex::Complex<f64>>::zeros(vec![2])),
        Some(Kind::Ndarray)
    );
    assert_eq!(kind_of_any(&vec![1.0_f32]), None);
    if common::first("opencl").is_some() {
        let lent = convert(values(), to::opencl::<f32>(), Options::default()).unwrap().0;
        assert_eq!((kind_of(&lent), kind_of_any(&lent)), (Kind::OpenCl, Some(Kind::OpenCl)));
    }
    for kind in Kind::all() {
        assert_eq!(kind.to_string().parse::<Kind>().unwrap(), kind);
    }
    let error = "numpy".parse::<Kind>().unwrap_err();
    assert!(error.to_string().starts_with("'numpy' is not a kind of array"), "{error}");
}

#[test]
fn a_value_given_back_holds_its_memory_and_nothing_else_does() {
    for device in common::accelerators() {
        let kind = device.kind();
        let (x, _) = convert(values(), to::shared().on(kind), Options::default()).unwrap();
        let memory = Arc::downgrade(x.memory());
        let refused = try_convert(x, to::ndarray::<f64, Ix2>(), Options::default()).unwrap_err();
        assert!(memory.upgrade().is_some(), "given back");
        drop(refused);
        assert!(memory.upgrade().is_none(), "{device}");
    }
}
