//! Metrics on every device.
#![allow(clippy::float_cmp, reason = "zero and infinity are exact")]

use arrayspan_bridge::{Array, Conversion, DType, Relayout};
use arrayspan_devices::{Device, DeviceKind};
use arrayspan_operators::Error;
use arrayspan_operators::metrics::{Peak, mae, mse, psnr, snr};

/// Two arrays of numbers from 0 to 16 times `size`.
fn pair(dtype: DType, size: f64, len: usize, device: Device) -> [Array; 2] {
    let numbers = |shift: usize| -> Vec<f64> {
        (0..len).map(|i| ((i * i + shift * i) % 17) as f64 * size).collect()
    };
    [0, 3].map(|shift| {
        let array = Array::from_vec(numbers(shift), [len]).unwrap();
        let stream = Device::cpu().stream().unwrap();
        let array = array.view().convert(dtype, &Conversion::SATURATE, &stream).unwrap();
        array.into_device(device).unwrap().0
    })
}

/// What they give where `size` is 1: mae, mse, snr, psnr.
fn by_definition(len: usize) -> [f64; 4] {
    let [x, y] = pair(DType::Float64, 1.0, len, Device::cpu()).map(|a| a.to_vec::<f64>().unwrap());
    let mean = |of: &dyn Fn(f64, f64) -> f64| {
        x.iter().zip(&y).map(|(x, y)| of(*x, *y)).sum::<f64>() / len as f64
    };
    let noise = mean(&|x, y| (x - y).powi(2));
    let largest = x.iter().copied().fold(0.0, f64::max);
    let decibels = |ratio: f64| 10.0 * ratio.log10();
    let signal = mean(&|x, _| x * x);
    [
        mean(&|x, y| (x - y).abs()),
        noise,
        decibels(signal / noise),
        decibels(largest * largest / noise),
    ]
}

fn relative(found: f64, expected: f64) -> f64 {
    ((found - expected) / expected).abs()
}

#[test]
fn metrics_are_right_on_every_device_at_every_size_of_numbers() {
    for device in Device::all() {
        // Where kernels are compiled slowly, one real and one complex dtype.
        let slow = device.kind() == DeviceKind::OpenCl;
        let dtypes = [DType::Float32, DType::Complex128, DType::Float64, DType::Complex64];
        for dtype in dtypes.into_iter().take(if slow { 2 } else { 4 }) {
            let double = dtype.real() == DType::Float64;
            if double && !(device.is_cpu() || device.info().float64) {
                continue;
            }
            let sizes: &[f64] =
                if double { &[1.0, 1e-200, 1e200, 1e306] } else { &[1.0, 1e-20, 1e20, 1e-36] };
            for (&size, len) in sizes.iter().flat_map(|size| [(size, 5), (size, 7919)]) {
                let [x, y] = pair(dtype, size, len, device);
                let what = format!("{device} {dtype} {size:e} {len}");
                let [one, two, ratio, peak] = by_definition(len);
                let tolerance = if double { 1e-12 } else { 1e-6 };
                assert!(relative(mae(&x, &y).unwrap(), one * size) < tolerance, "{what}");
                let square = two * size * size;
                let found = mse(&x, &y).unwrap();
                if square.is_infinite() || square == 0.0 {
                    assert!(found == square, "{what}: {found:e}");
                } else {
                    assert!(relative(found, square) < tolerance, "{what}: {found:e}");
                }
                assert!((snr(&x, &y).unwrap() - ratio).abs() < 10.0 * tolerance, "{what}");
                let bounds = if dtype.is_complex() {
                    Peak { largest: Some(16.0 * size), ..Peak::default() }
                } else {
                    Peak::default()
                };
                let found = psnr(&x, &y, bounds).unwrap();
                assert!((found - peak).abs() < 10.0 * tolerance, "{what}: {found}, not {peak}");
            }
        }
    }
}

#[test]
fn metrics_read_views_with_gaps_backwards_and_take_nothing_apart() {
    for device in Device::all() {
        let numbers: Vec<f32> = (0..3 * 7 * 5).map(|i| (i % 11) as f32).collect();
        let whole = Array::from_vec(numbers, [3, 7, 5]).unwrap().into_device(device).unwrap().0;
        let part = || whole.view().sliced(1, 2, 4).unwrap().reversed(2).unwrap();
        let copy = part().to_vec::<f32>().unwrap();
        let copy = Array::from_vec(copy, [3, 4, 5]).unwrap().into_device(device).unwrap().0;
        assert_eq!(mse(part(), &copy).unwrap(), 0.0);
        assert_eq!(snr(part(), &copy).unwrap(), f64::INFINITY);
        let forwards = whole.view().sliced(1, 2, 4).unwrap();
        let (a, b) = (part().to_vec::<f32>().unwrap(), forwards.to_vec::<f32>().unwrap());
        let sum: f64 = a.iter().zip(&b).map(|(a, b)| f64::from((a - b).abs())).sum();
        assert!(relative(mae(part(), forwards).unwrap(), sum / 60.0) < 1e-6);
    }
}

#[test]
fn metrics_of_nothing_of_nan_and_of_infinity_are_what_their_formulas_say() {
    let array = |numbers: &[f32]| Array::from_vec(numbers.to_vec(), [numbers.len()]).unwrap();
    let none = array(&[]);
    for found in [mae(&none, &none), mse(&none, &none), snr(&none, &none)] {
        assert!(found.unwrap().is_nan());
    }
    let (one, strange) = (array(&[1.0, 2.0]), array(&[1.0, f32::NAN]));
    assert!(mae(&one, &strange).unwrap().is_nan() && snr(&strange, &one).unwrap().is_nan());
    let far = array(&[1.0, f32::INFINITY]);
    assert_eq!(
        (mae(&one, &far).unwrap(), mse(&far, &one).unwrap()),
        (f64::INFINITY, f64::INFINITY)
    );
    let zero = array(&[0.0, -0.0]);
    assert_eq!((mse(&zero, &zero).unwrap(), snr(&zero, &one).unwrap()), (0.0, f64::NEG_INFINITY));
    assert!(snr(&zero, &zero).unwrap().is_nan());
    // The least number of the reference in the place of zero.
    let own = Peak { least: None, largest: None };
    let shifted = array(&[1.5, 2.5]);
    assert!((psnr(&one, &shifted, own).unwrap() - 10.0 * 4_f64.log10()).abs() < 1e-12);
}

#[test]
fn arrays_that_do_not_fit_are_refused_with_what_they_are() {
    let zeros = |shape: &[usize], dtype, device| Array::zeros(shape, dtype, device).unwrap();
    let cpu = Device::cpu();
    let x = zeros(&[2, 3], DType::Float32, cpu);
    let error = mae(&x, zeros(&[3], DType::Float32, cpu)).unwrap_err();
    assert!(matches!(error, Error::Shape { .. }), "{error}");
    assert_eq!(error.to_string(), "mae: the second array has shape [3], expected [2, 3]");
    let error = snr(&x, zeros(&[2, 3], DType::Float64, cpu)).unwrap_err();
    assert!(matches!(error, Error::DType { .. }), "{error}");
    let whole = zeros(&[2, 3], DType::Int32, cpu);
    assert_eq!(mse(&whole, &whole).unwrap_err().to_string(), "mse: cannot compute with Int32");
    let complex = zeros(&[2, 3], DType::Complex64, cpu);
    let error = psnr(&complex, &complex, Peak::default()).unwrap_err();
    assert!(matches!(error, Error::Parameter { .. }), "{error}");
    let peak = Peak { largest: Some(f64::NAN), ..Peak::default() };
    assert!(matches!(psnr(&x, &x, peak).unwrap_err(), Error::Parameter { .. }));
    for device in Device::all().into_iter().filter(|device| !device.is_cpu()) {
        let error = mse(&x, zeros(&[2, 3], DType::Float32, device)).unwrap_err().to_string();
        let said = format!("mse: the second array is on {device}, ");
        assert!(error.starts_with(&said) && error.contains("`to(cpu)`"), "{error}");
    }
}
