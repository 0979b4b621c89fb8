//! Kernels that are built before they are needed are those that are needed. In a process of its own, which counts them.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use arrayspan_bridge::devices::{Device, caches};
use arrayspan_bridge::{Array, DType};
use arrayspan_operators::prelude::*;

/// An array of alternating numbers on a device.
fn array(shape: &[usize], device: Device) -> Array {
    let stream = Device::cpu().stream().unwrap();
    let mut array = Array::empty(shape, DType::Float32, &stream).unwrap();
    let mut view = array.view_mut();
    for (at, element) in view.as_mut_slice::<f32>().unwrap().iter_mut().enumerate() {
        *element = (at % 7) as f32 - 3.0;
    }
    array.into_device(device).unwrap().0
}

fn operators(device: Device) -> Vec<Operator> {
    let space = Space::new([7, 19, 5], DType::Float32).unwrap();
    let slope =
        FirstDerivative::new(space.clone(), 1, 0.5, Scheme::Centered3, Edge::Reduced).unwrap();
    let roll = Roll::new(space.clone(), 2, 3).unwrap();
    let matrix = MatrixMult::new(array(&[11, 7], device), &[19, 5]).unwrap();
    let wavelet: Vec<f64> = (0..13).map(|tap| (f64::from(tap) / 3.0).sin()).collect();
    let convolution = Convolve1D::new(space.clone(), 1, &wavelet, 6).unwrap();
    let poststack = PoststackLinearModelling::new(space, &wavelet[..5], Scheme::Centered3).unwrap();
    let stacked = vstack![&slope, &roll].unwrap();
    let product = matrix.after(&roll).build().unwrap();
    vec![slope, roll, matrix, convolution, poststack, stacked, product]
}

#[test]
fn forward_and_adjoint_find_every_kernel_built() {
    let devices = Device::all().into_iter().filter(|device| device.kind().dialect().is_some());
    for device in devices {
        let on = arrayspan_kernels::on(device).unwrap();
        for operator in operators(device) {
            let _ = caches::clear(device);
            let name = operator.describe();
            operator.warm_up(&*on).unwrap();
            let kernels = caches::kernels(device);
            // Also for the matrix, which is too small for cuBLAS.
            assert!(kernels > 0, "{device} {name}");
            let x = array(operator.domain().shape(), device);
            let y = operator.forward(&x).unwrap();
            operator.adjoint(&y).unwrap();
            device.synchronize().unwrap();
            assert_eq!(caches::kernels(device), kernels, "{device} {name}");
            assert_eq!(operator.warm_up(&*on).unwrap(), 0, "{device} {name}");
        }
    }
}

#[test]
fn where_no_kernels_run_nothing_is_built() {
    let cpu = Device::cpu();
    let on = arrayspan_kernels::on(cpu).unwrap();
    for operator in operators(cpu) {
        assert_eq!(operator.warm_up(&*on).unwrap(), 0);
    }
}
