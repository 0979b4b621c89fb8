//! Host memory that OpenCL devices work in, and their memory that the host works in.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

mod common;

use arrayspan_bridge::devices::{Access, Device};
use arrayspan_bridge::interop::opencl;
use arrayspan_bridge::{Array, Crossing, Error, Relayout, Transfer, Why};

/// Every OpenCL device.
fn devices() -> Vec<Device> {
    let found: Vec<Device> = common::accelerators();
    found.into_iter().filter(|device| device.to_string().starts_with("opencl")).collect()
}

/// 0, 1, 2, … in memory that begins at a multiple of 64 bytes.
fn host(shape: [usize; 2]) -> Array {
    let cpu = Device::cpu().stream().unwrap();
    let mut array = Array::empty(shape, arrayspan_bridge::DType::Float32, &cpu).unwrap();
    let mut view = array.view_mut();
    for (i, value) in view.as_mut_slice::<f32>().unwrap().iter_mut().enumerate() {
        *value = i as f32;
    }
    array
}

#[test]
fn host_memory_goes_to_the_device_and_back() {
    for device in devices() {
        let array = host([3, 5]);
        let address = array.memory().address();
        let (mut wrapped, crossing) = opencl::wrap(array, device, Transfer::CopyIfNeeded).unwrap();
        assert_eq!(wrapped.device(), device);
        let news = host([3, 5]).view().reversed(1).unwrap().to(device).unwrap().0;
        let stream = device.stream().unwrap();
        wrapped.view_mut().copy_from(&news.view(), &stream).unwrap();
        let expected: Vec<f32> =
            (0..3).flat_map(|row| (0..5).rev().map(move |i| (row * 5 + i) as f32)).collect();
        assert_eq!(wrapped.view().to_vec::<f32>().unwrap(), expected);
        if opencl::shares_memory(device).unwrap() {
            assert_eq!(crossing, Crossing::ZeroCopy);
            let back = opencl::unwrap(wrapped).unwrap();
            assert_eq!((back.device(), back.memory().address()), (Device::cpu(), address));
            assert_eq!(back.view().as_slice::<f32>().unwrap(), expected);
        } else {
            assert_eq!(crossing, Crossing::Copied { why: Why::OtherDevice, bytes: 60 });
            assert!(opencl::unwrap(wrapped).is_err(), "a copy has no host memory to give back");
        }
    }
}

#[test]
fn a_part_of_host_memory_keeps_its_layout() {
    for device in devices().into_iter().filter(|device| opencl::shares_memory(*device).unwrap()) {
        let part = host([4, 6]).sliced(1, 2, 3).unwrap().permuted(&[1, 0]).unwrap();
        let expected = part.view().to_vec::<f32>().unwrap();
        let (wrapped, crossing) = opencl::wrap(part, device, Transfer::ZeroCopyOnly).unwrap();
        assert_eq!(crossing, Crossing::ZeroCopy);
        assert_eq!(wrapped.view().to_vec::<f32>().unwrap(), expected);
        let row = opencl::unwrap(wrapped.sliced(0, 1, 1).unwrap()).unwrap();
        assert_eq!(row.view().to_vec::<f32>().unwrap(), expected[4..8]);
    }
}

#[test]
fn memory_that_kernels_cannot_take_whole_is_copied() {
    for device in devices() {
        let words = vec![0_u64; 8];
        let values = Array::from_vec(words, [8]).unwrap();
        // One element further: not a multiple of 16 if the start was.
        let off = values.memory().address() % 16 == 8;
        let values = if off { values } else { odd() };
        let refused = opencl::wrap(values, device, Transfer::ZeroCopyOnly).unwrap_err();
        assert!(
            matches!(refused, Error::CopyRefused { operation: "opencl::wrap", .. }),
            "{refused}"
        );
    }
}

/// An array whose memory begins at an odd multiple of 8 bytes.
fn odd() -> Array {
    let values = ndarray::Array1::from_vec(vec![1_u64; 9]);
    let values = values.slice_move(ndarray::s![1..]);
    Array::from(values)
}

#[test]
fn a_device_array_is_mapped_for_the_host_and_comes_back() {
    for device in devices() {
        let array = host([2, 4]).into_device(device).unwrap().0;
        let handle = array.memory().address();
        let (mut mapped, crossing) = opencl::map(array, Transfer::CopyIfNeeded).unwrap();
        assert_eq!(crossing == Crossing::ZeroCopy, opencl::shares_memory(device).unwrap());
        let mut view = mapped.view_mut();
        assert_eq!(view.as_mut_slice::<f32>().unwrap()[4..], [4.0, 5.0, 6.0, 7.0]);
        view.as_mut_slice::<f32>().unwrap()[5] = 50.0;
        let array = opencl::unmap(mapped.sliced(0, 1, 1).unwrap()).unwrap();
        assert_eq!((array.device(), array.memory().address()), (device, handle));
        assert_eq!(array.view().to_vec::<f32>().unwrap(), [4.0, 50.0, 6.0, 7.0]);
    }
}

#[test]
fn a_mapped_array_that_is_dropped_gives_the_device_its_memory_back() {
    for device in devices() {
        let before = device.statistics().live_blocks;
        let (mapped, _) =
            opencl::map(host([2, 4]).into_device(device).unwrap().0, Transfer::CopyIfNeeded)
                .unwrap();
        drop(mapped);
        arrayspan_bridge::devices::drain();
        assert!(device.statistics().live_blocks <= before + 2, "other tests may hold some");
        device.check().unwrap();
    }
}

#[test]
fn an_array_on_its_way_is_waited_for() {
    for device in devices() {
        let original = host([100, 1000]);
        let copy = original.view().to(device).unwrap().0;
        let (wrapped, _) = opencl::wrap(original, device, Transfer::CopyIfNeeded).unwrap();
        wrapped.memory().wait(Access::Write).unwrap();
        assert_eq!(copy.view().to_vec::<f32>().unwrap(), wrapped.view().to_vec::<f32>().unwrap());
    }
}

#[test]
fn what_is_not_on_the_right_device_is_refused() {
    let refused = opencl::map(host([1, 1]), Transfer::CopyIfNeeded).unwrap_err();
    assert!(matches!(refused, Error::Inexpressible { operation: "opencl::map", .. }), "{refused}");
    for device in devices() {
        let there = host([1, 1]).into_device(device).unwrap().0;
        let refused = opencl::wrap(there, device, Transfer::CopyIfNeeded).unwrap_err();
        assert!(
            matches!(refused, Error::WrongDevice { operation: "opencl::wrap", .. }),
            "{refused}"
        );
        let host = opencl::unmap(host([1, 1])).unwrap_err();
        assert!(host.device().is_cpu());
        assert!(opencl::unwrap(host).is_err());
    }
}

/// Arrays of every kind that another library's value owns, which neither function may take for its own.
#[test]
fn what_was_neither_wrapped_nor_mapped_comes_back_unchanged() {
    let mut arrays = vec![Array::from_vec(vec![1.0_f32; 6], [2, 3]).unwrap()];
    for device in common::accelerators() {
        if device.to_string().starts_with("cuda") {
            let context = arrayspan_bridge::interop::cudarc::context(device).unwrap();
            let slice = context.default_stream().clone_htod(&[1.0_f32; 6]).unwrap();
            arrays.push(Array::from_cuda_slice(slice, [2, 3]).unwrap());
        } else {
            let host = Array::from_vec(vec![1.0_f32; 6], [2, 3]).unwrap();
            let buffer = arrayspan_bridge::convert::to::opencl_buffer::<f32>();
            let options = arrayspan_bridge::convert::ConvertOptions::default();
            let (buffer, _) = arrayspan_bridge::convert(host, buffer, options).unwrap();
            // SAFETY: nobody else knows the buffer.
            let array = unsafe {
                arrayspan_bridge::SharedArray::from_opencl_buffer(buffer, [2, 3], device, None)
            };
            arrays.push(array.unwrap().try_into_array().unwrap());
        }
    }
    for array in arrays {
        let (device, address) = (array.device(), array.memory().address());
        let array = opencl::unwrap(array).unwrap_err();
        let array = opencl::unmap(array).unwrap_err();
        assert_eq!((array.device(), array.memory().address()), (device, address));
        assert_eq!(array.view().to_vec::<f32>().unwrap(), [1.0; 6]);
    }
}
