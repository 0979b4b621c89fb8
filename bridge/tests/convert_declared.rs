//! Functions run where they declare to, and again when memory ran out.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

mod common;

use std::cell::Cell;

use arrayspan_bridge::convert::{ArrayKind, ConvertOptions, ConvertStep, to};
use arrayspan_bridge::declared::Declared;
use arrayspan_bridge::devices::retry::{OutOfMemory, RetryPolicy, Unrecovered};
use arrayspan_bridge::devices::{self, Device, DeviceKind};
use arrayspan_bridge::interop::opencl::OpenClArray;
use arrayspan_bridge::{Array, Crossing, Error, Result, SharedArray, Transfer, Why};
use ndarray::{Array1, Array2, Ix1, Ix2, array};

fn full(device: Device) -> Error {
    devices::Error::out_of_memory(device, usize::MAX, 2).into()
}

#[test]
fn a_function_gets_its_kind_whatever_it_is_given() {
    let sum = |x: Array2<f32>| -> Result<Array1<f32>> { Ok(x.sum_axis(ndarray::Axis(0))) };
    let mut sum = Declared::new(to::ndarray::<f32, Ix2>(), to::array()).wrap(sum);
    let x = array![[1.0_f32, 2.0], [3.0, 4.0]];
    let (y, reports) = sum.call(x.clone()).unwrap();
    assert_eq!(y.view().to_vec::<f32>().unwrap(), [4.0, 6.0]);
    assert!(reports.inputs[0].is_zero_copy() && reports.outputs[0].is_zero_copy());
    assert_eq!(reports.attempts, 1);
    let (y, reports) = sum.call(&x).unwrap();
    assert_eq!(y.view().to_vec::<f32>().unwrap(), [4.0, 6.0]);
    assert_eq!(
        (reports.inputs[0].from, reports.inputs[0].bytes_copied()),
        (ArrayKind::Ndarray, 16)
    );
    for device in common::accelerators() {
        let there = Array::from(x.clone()).into_device(device).unwrap().0;
        let (y, reports) = sum.call(there).unwrap();
        assert_eq!(y.view().to_vec::<f32>().unwrap(), [4.0, 6.0]);
        assert_eq!(reports.inputs[0].from_device, device);
    }
}

#[test]
fn a_function_runs_on_the_device_it_declares() {
    for device in common::accelerators() {
        let kind = device.kind();
        let seen = Cell::new(None);
        let look = |x: SharedArray| -> Result<SharedArray> {
            seen.set(Some(x.device()));
            Ok(x)
        };
        let options = ConvertOptions::gpu(device.gpu_id());
        let mut look = Declared::new(to::shared().on(kind), to::ndarray::<f32, Ix1>())
            .options(options)
            .wrap(look);
        let (y, reports) = look.call(array![1.0_f32, 2.0, 3.0]).unwrap();
        assert_eq!((y, seen.get()), (array![1.0, 2.0, 3.0], Some(device)));
        assert_eq!(reports.inputs[0].to_device, device);
        assert_eq!(reports.outputs[0].to_device, Device::cpu());
    }
}

#[test]
fn several_inputs_and_outputs_come_as_they_are_given() {
    type Vector = Array1<f64>;
    let both = |(x, y): (Vector, Vector)| -> Result<(Vector, Vector)> { Ok((&x + &y, x - y)) };
    let mut both = Declared::new(to::ndarray::<f64, Ix1>(), to::ndarray::<f64, Ix1>()).wrap(both);
    let x = array![3.0, 4.0];
    let given = (&x, Array::from_vec(vec![1.0, 1.0], [2]).unwrap());
    let ((sum, difference), reports) = both.call(given).unwrap();
    assert_eq!((sum, difference), (array![4.0, 5.0], array![2.0, 3.0]));
    assert_eq!((reports.inputs.len(), reports.outputs.len()), (2, 2));
    assert_eq!(
        (reports.inputs[0].from, reports.inputs[1].from),
        (ArrayKind::Ndarray, ArrayKind::Array)
    );

    let total = |list: Vec<Vector>| -> Result<Vector> {
        Ok(list.iter().fold(Vector::zeros(2), |sum, x| sum + x))
    };
    let mut total = Declared::new(to::ndarray::<f64, Ix1>(), to::array()).wrap(total);
    let (y, reports) = total.call(vec![x.clone(), x.clone(), x.clone()]).unwrap();
    assert_eq!(y.view().to_vec::<f64>().unwrap(), [9.0, 12.0]);
    assert_eq!(reports.inputs.len(), 3);

    let last = |[_, _, z]: [Vector; 3]| -> Result<Vector> { Ok(z) };
    let mut last = Declared::new(to::ndarray::<f64, Ix1>(), to::array()).wrap(last);
    let (y, _) = last.call([&x, &x, &array![7.0]]).unwrap();
    assert_eq!(y.view().to_vec::<f64>().unwrap(), [7.0]);

    let nothing = |(_, y, _): (Vector, Vector, Vector)| -> Result<()> {
        assert_eq!(y, array![3.0, 4.0]);
        Ok(())
    };
    let mut nothing = Declared::new(to::ndarray::<f64, Ix1>(), to::array()).wrap(nothing);
    let ((), reports) = nothing.call((array![1.0], x, array![2.0])).unwrap();
    assert_eq!((reports.inputs.len(), reports.outputs.len()), (3, 0));
}

#[test]
fn a_refused_conversion_keeps_the_function_from_running() {
    let never = |_: Array1<f32>| -> Result<()> { panic!("not to be called") };
    let mut never = Declared::new(to::ndarray::<f32, Ix1>(), to::array())
        .options(ConvertOptions::zero_copy())
        .wrap(never);
    let lent = array![1.0_f32];
    let refused = never.call(&lent).unwrap_err();
    assert!(matches!(refused.error, Error::CopyRefused { why: Why::Borrowed, .. }));
    let declared = Declared::new(to::array().on(DeviceKind::Cpu), to::array());
    let mut far = declared
        .options(ConvertOptions::gpu(9))
        .wrap(|_: Array| -> Result<()> { panic!("not called") });
    let refused = far.call(lent).unwrap_err();
    assert!(matches!(refused.error, Error::Device(devices::Error::NoSuchDevice { .. })));
}

#[test]
fn outputs_may_be_refused_a_copy_too() {
    let give = |x: Array| -> Result<SharedArray> { Ok(x.into_shared()) };
    let mut give = Declared::new(to::array(), to::ndarray::<f32, Ix1>())
        .output_options(ConvertOptions {
            transfer: Transfer::ZeroCopyOnly,
            ..ConvertOptions::default()
        })
        .wrap(give);
    let (y, _) = give.call(array![1.0_f32]).unwrap();
    assert_eq!(y, array![1.0]);
    let stream = Device::cpu().stream().unwrap();
    let ours = Array::empty([1], arrayspan_bridge::DType::Float32, &stream).unwrap();
    let refused = give.call(ours).unwrap_err();
    assert!(matches!(refused.error, Error::CopyRefused { why: Why::Allocator, .. }));
}

#[test]
#[cfg_attr(miri, ignore = "waits for the reaper, a thread that never ends")]
fn a_function_that_ran_out_of_memory_gets_its_inputs_again() {
    let runs = Cell::new(0);
    let here = Cell::new(0);
    let greedy = |mut x: Array| -> Result<Array> {
        runs.set(runs.get() + 1);
        assert_ne!(x.memory().address(), here.get(), "its own copy");
        let mut view = x.view_mut();
        let values = view.as_mut_slice::<f32>()?;
        assert_eq!(values, [1.0, 2.0], "as it was before the first attempt");
        values.fill(0.0);
        if runs.get() < 3 { Err(full(Device::cpu())) } else { Ok(x) }
    };
    let mut greedy = Declared::new(to::array(), to::array())
        .retry(RetryPolicy { attempts: 3, ..RetryPolicy::default() })
        .wrap(greedy);
    let x = array![1.0_f32, 2.0];
    here.set(x.as_ptr().addr());
    let (y, reports) = greedy.call(x).unwrap();
    assert_eq!(y.view().to_vec::<f32>().unwrap(), [0.0, 0.0]);
    assert_eq!((runs.get(), reports.attempts), (3, 3));
    let copied = Crossing::Copied { why: Why::Shared, bytes: 8 };
    assert_eq!(reports.inputs[0].steps.get(ConvertStep::Export), Some(copied));
    assert_eq!(reports.inputs.len(), 1, "of the last attempt");
}

#[test]
#[cfg_attr(miri, ignore = "waits for the reaper, a thread that never ends")]
fn shared_inputs_are_kept_without_a_copy() {
    let runs = Cell::new(0);
    let greedy = |x: SharedArray| -> Result<SharedArray> {
        runs.set(runs.get() + 1);
        if runs.get() < 2 { Err(full(Device::cpu())) } else { Ok(x) }
    };
    let mut greedy = Declared::new(to::shared(), to::shared())
        .options(ConvertOptions::zero_copy())
        .retry(RetryPolicy::default())
        .wrap(greedy);
    let x = array![7.0_f64];
    let here = x.as_ptr().addr();
    let (y, reports) = greedy.call(x).unwrap();
    assert_eq!((y.memory().address(), runs.get()), (here, 2));
    assert!(reports.inputs[0].is_zero_copy());
}

#[test]
#[cfg_attr(miri, ignore = "waits for the reaper, a thread that never ends")]
fn what_was_tried_is_in_the_error() {
    let mut greedy = Declared::new(to::shared(), to::shared())
        .retry(RetryPolicy { attempts: 2, ..RetryPolicy::default() })
        .wrap(|_: SharedArray| -> Result<()> { Err(full(Device::cpu())) });
    let unrecovered: Unrecovered<Error> = greedy.call(array![1.0_f32]).unwrap_err();
    assert_eq!(unrecovered.tried.len(), 1);
    let error = Error::from(unrecovered);
    assert!(error.shortage().is_some());
    let text = format!("{error:#}");
    assert!(text.contains("out of memory") && text.contains("trimming our pool"), "{text}");

    let mut once = Declared::new(to::shared(), to::shared())
        .wrap(|_: SharedArray| -> Result<()> { Err(full(Device::cpu())) });
    let error = Error::from(once.call(array![1.0_f32]).unwrap_err());
    assert!(matches!(error, Error::Device(devices::Error::OutOfMemory { .. })), "{error}");
}

#[test]
fn a_function_runs_with_its_stream_as_the_threads_default() {
    for device in common::accelerators() {
        let stream = device.new_stream().unwrap();
        let inside = stream.clone();
        let look = move |x: Array| -> Result<Array> {
            assert_eq!(device.stream()?, inside);
            Ok(x)
        };
        for attempts in [1, 2] {
            let mut look = Declared::new(to::array().on(device.kind()), to::array())
                .options(ConvertOptions::gpu(device.gpu_id()).on_stream(&stream))
                .retry(RetryPolicy { attempts, ..RetryPolicy::default() })
                .wrap(&look);
            let (y, _) = look.call(array![1.0_f32, 2.0]).unwrap();
            assert_eq!(y.view().to_vec::<f32>().unwrap(), [1.0, 2.0]);
            assert_eq!(device.stream().unwrap(), device.process_stream().unwrap());
        }
    }
}

#[test]
fn functions_of_other_libraries_are_declared_in_their_terms() {
    if common::first("opencl").is_some() {
        let pass = |x: OpenClArray<f32>| -> Result<OpenClArray<f32>> {
            assert_eq!(x.len(), 3);
            Ok(x)
        };
        let mut pass = Declared::new(to::opencl::<f32>(), to::ndarray::<f32, Ix1>()).wrap(pass);
        let (y, reports) = pass.call(array![1.0_f32, 2.0, 3.0]).unwrap();
        assert_eq!(y, array![1.0, 2.0, 3.0]);
        assert_eq!(reports.outputs[0].from, ArrayKind::OpenCl);
    }
    if let Some(device) = common::first("cuda") {
        use arrayspan_bridge::interop::cudarc::{CudaArray, context};
        let stream = context(device).unwrap().default_stream();
        let fill = |mut x: CudaArray<f32>| -> Result<CudaArray<f32>> {
            stream.memcpy_htod(&[7.0, 8.0, 9.0], &mut x).unwrap();
            Ok(x)
        };
        let mut fill = Declared::new(to::cudarc::<f32>(), to::ndarray::<f32, Ix1>()).wrap(fill);
        let (y, reports) = fill.call(array![1.0_f32, 2.0, 3.0]).unwrap();
        assert_eq!(y, array![7.0, 8.0, 9.0]);
        assert_eq!(reports.outputs[0].from, ArrayKind::Cudarc);
    }
}
