//! Devices, streams, dtypes and reports.

use super::*;

#[test]
fn a_report_tells_the_way_in_one_line() {
    let lent = values();
    let (_, report) = convert(&lent, to::array(), ConvertOptions::default()).unwrap();
    assert_eq!(
        report.to_string(),
        "ndarray Float32 on cpu to arrayspan Float32 on cpu: \
         import copied 60 bytes (borrowed source), export zero-copy"
    );
    assert_eq!(report.dtype_change(), None);
    let steps: Vec<_> = report.steps.iter().collect();
    assert_eq!(
        steps,
        [(ConvertStep::Import, copied(Why::Borrowed)), (ConvertStep::Export, Crossing::ZeroCopy)]
    );
}

#[test]
#[cfg_attr(miri, ignore = "asks the drivers")]
fn a_gpu_id_out_of_range_says_how_many_there_are_and_gives_the_value_back() {
    fn refused<T: ArrayTarget>(target: T, kind: DeviceKind) {
        let x = values();
        let here = x.as_ptr().addr();
        let (error, back) =
            try_convert(x, target, ConvertOptions::gpu(99)).map(|_| ()).unwrap_err();
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
            let (x, report) = convert(on(device), target, ConvertOptions::zero_copy()).unwrap();
            assert_eq!((x.device(), report.to_device), (device, device));
        }
    }
}

#[test]
fn a_target_of_another_dtype_or_rank_is_refused_before_anything_moves() {
    let (error, back) =
        try_convert(values(), to::ndarray::<f64, Ix2>(), ConvertOptions::default()).unwrap_err();
    let (expected, found) = (DType::Float64, DType::Float32);
    match error {
        Error::DType { expected: e, found: f, .. } => assert_eq!((e, f), (expected, found)),
        other => panic!("{other}"),
    }
    let x = back.unwrap();
    let (error, back) =
        try_convert(x, to::ndarray::<f32, Ix3>(), ConvertOptions::default()).unwrap_err();
    assert!(matches!(error, Error::Layout { .. }), "{error}");
    assert_eq!(back.unwrap(), values());
    if common::first("opencl").is_some() {
        let refused = convert(values(), to::opencl::<i32>(), ConvertOptions::default());
        assert!(matches!(refused, Err(Error::DType { .. })));
        let empty = Array2::<f32>::zeros((0, 3));
        let refused = convert(empty, to::opencl::<f32>(), ConvertOptions::default());
        assert!(matches!(refused, Err(Error::Inexpressible { .. })));
    }
}

#[test]
fn a_dtype_asked_for_is_had_on_every_way_and_reported() {
    let as_f64 = || ConvertOptions::default().as_dtype(DType::Float64, Conversion::EXACT);
    let expected = values().mapv(f64::from);
    let (x, report) = convert(values(), to::ndarray::<f64, Ix2>(), as_f64()).unwrap();
    assert_eq!(x, expected);
    assert_eq!(report.dtype_change(), Some((DType::Float32, DType::Float64)));
    let converted = Crossing::Copied { why: Why::OtherDType, bytes: 120 };
    assert_eq!(report.steps.get(ConvertStep::Conversion), Some(converted));
    for device in common::accelerators() {
        if !device.info().float64 {
            continue;
        }
        let there = to::array().on(device.kind());
        let (x, report) = convert(values(), there, as_f64()).unwrap();
        assert_eq!((x.dtype(), report.to_dtype), (DType::Float64, DType::Float64));
        assert_eq!(
            report.steps.get(ConvertStep::Transfer),
            Some(copied(Why::OtherDevice)),
            "{report}"
        );
        let narrow = ConvertOptions::default().as_dtype(DType::Float32, Conversion::EXACT);
        let (x, report) = convert(x, to::ndarray::<f32, Ix2>(), narrow).unwrap();
        assert_eq!(x, values());
        assert_eq!(
            report.steps.get(ConvertStep::Transfer),
            Some(copied(Why::OtherDevice)),
            "{report}"
        );
    }
}

#[test]
fn a_dtype_there_is_costs_nothing() {
    let same = ConvertOptions::zero_copy().as_dtype(DType::Float32, Conversion::EXACT);
    let (_, report) = convert(values(), to::array(), same).unwrap();
    assert!(
        report.is_zero_copy() && report.steps.get(ConvertStep::Conversion).is_none(),
        "{report}"
    );
}

#[test]
fn a_refused_or_failed_change_of_dtype_gives_the_value_back() {
    let x = values() + 0.5;
    let here = x.as_ptr().addr();
    let strict = ConvertOptions::zero_copy().as_dtype(DType::UInt8, Conversion::SATURATE);
    let (error, back) = try_convert(x, to::array(), strict).unwrap_err();
    assert!(matches!(error, Error::CopyRefused { why: Why::OtherDType, bytes: 15, .. }), "{error}");
    let exact = ConvertOptions::default().as_dtype(DType::UInt8, Conversion::EXACT);
    let (error, back) = try_convert(back.unwrap(), to::array(), exact).unwrap_err();
    assert!(matches!(error, Error::Inexact { count: 15, .. }), "{error}");
    let x = back.unwrap();
    assert_eq!((x.as_ptr().addr(), x), (here, values() + 0.5));
    let other = ConvertOptions::default().as_dtype(DType::Int32, Conversion::WRAP);
    let refused = convert(values(), to::ndarray::<f32, Ix2>(), other);
    assert!(matches!(refused, Err(Error::DType { .. })), "the target has yet another dtype");
}

#[test]
fn empty_and_zero_dimensional_arrays_convert_too() {
    let empty = Array2::<f32>::zeros((0, 3));
    let (capsule, _) =
        convert(empty, to::dlpack::<Versioned>(), ConvertOptions::zero_copy()).unwrap();
    let (empty, _) =
        convert(capsule, to::ndarray::<f32, Ix2>(), ConvertOptions::default()).unwrap();
    assert_eq!(empty.shape(), [0, 3]);
    let one = ndarray::arr0(7.0_f32);
    for device in common::accelerators() {
        let (there, _) =
            convert(&one, to::array().on(device.kind()), ConvertOptions::default()).unwrap();
        let (back, _) =
            convert(there, to::ndarray::<f32, IxDyn>(), ConvertOptions::default()).unwrap();
        assert_eq!(back, one.clone().into_dyn());
    }
}

#[test]
fn work_is_queued_on_the_stream_named_and_a_third_devices_is_refused() {
    for device in common::accelerators() {
        let stream = device.new_stream().unwrap();
        let options = ConvertOptions::gpu(device.gpu_id()).on_stream(&stream);
        let (there, _) = convert(values(), to::array().on(device.kind()), options.clone()).unwrap();
        assert_eq!(device.stream().unwrap(), device.process_stream().unwrap());
        let options = ConvertOptions::default().on_stream(&stream);
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
        try_convert(producer.versioned(), to::array(), ConvertOptions::default()).unwrap_err();
    assert!(matches!(error, Error::Foreign { field: "flags", .. }));
    assert!(back.is_none());
    assert_eq!(deleted.load(std::sync::atomic::Ordering::SeqCst), 1);
}
