//! Arrays of one number, and arrays like others.

use arrayspan_bridge::{Array, Conversion, DType, Error, Relayout, SharedArray};
use num_complex::Complex;

use super::devices;

const SHAPES: [&[usize]; 6] = [&[], &[0, 3], &[1], &[7], &[3, 1, 5], &[257, 389]];

#[test]
fn zeros_ones_and_full_fill_every_shape_on_every_device() {
    for device in devices() {
        for shape in SHAPES {
            let len = shape.iter().product::<usize>();
            let zeros = Array::zeros(shape, DType::Float32, device).unwrap();
            let ones = Array::ones(shape, DType::Complex128, device).unwrap();
            let full = Array::full(shape, -7_i16, device).unwrap();
            assert_eq!(zeros.to_vec::<f32>().unwrap(), vec![0.0; len]);
            assert_eq!(ones.to_vec::<Complex<f64>>().unwrap(), vec![Complex::new(1.0, 0.0); len]);
            assert_eq!(full.to_vec::<i16>().unwrap(), vec![-7; len]);
            for array in [zeros, ones, full] {
                assert_eq!((array.shape(), array.device()), (shape, device));
                assert!(array.layout().is_contiguous());
            }
        }
    }
}

#[test]
fn arrays_are_made_on_a_stream_as_on_a_device() {
    for device in devices() {
        let stream = device.new_stream().unwrap();
        let made = [
            Array::zeros([5], DType::Float32, &stream).unwrap(),
            Array::ones([5], DType::Float32, &stream).unwrap(),
            Array::full([5], 2.5_f32, &stream).unwrap(),
        ];
        for (array, value) in made.iter().zip([0.0, 1.0, 2.5]) {
            assert_eq!(array.device(), device);
            assert_eq!(array.to_vec::<f32>().unwrap(), [value; 5]);
        }
        for array in
            [Array::empty([5], DType::Bool, &stream), Array::empty([5], DType::Bool, device)]
        {
            let array = array.unwrap();
            assert_eq!(
                (array.shape(), array.dtype(), array.device()),
                (&[5][..], DType::Bool, device)
            );
        }
    }
}

#[test]
fn zeros_and_ones_are_the_numbers_of_every_dtype_or_refused_by_name() {
    for device in devices() {
        for dtype in DType::all() {
            for (value, made) in [Array::zeros, Array::ones].iter().enumerate() {
                let made = made([3, 5], dtype, device);
                let none =
                    dtype == DType::OpaqueHandle || (dtype == DType::Float8E8M0Fnu && value == 0);
                if none {
                    let error = made.unwrap_err();
                    assert!(matches!(error, Error::Inexpressible { .. }), "{dtype}: {error}");
                    let name = ["zeros", "ones"][value];
                    assert_eq!(error.to_string(), format!("{name}: {dtype} has no {value}"));
                    continue;
                }
                let (host, _) =
                    made.unwrap().into_device(arrayspan_bridge::devices::Device::cpu()).unwrap();
                let stream = host.device().stream().unwrap();
                let wide =
                    host.view().convert(DType::Complex128, &Conversion::EXACT, &stream).unwrap();
                let expected = vec![Complex::new(value as f64, 0.0); 15];
                assert_eq!(wide.to_vec::<Complex<f64>>().unwrap(), expected, "{dtype}");
            }
        }
    }
}

#[test]
fn full_keeps_every_bit_of_its_value() {
    for device in devices() {
        for value in [f32::MIN_POSITIVE / 4.0, 1e20, -1e-20, f32::NEG_INFINITY] {
            let array = Array::full([5, 3], value, device).unwrap();
            assert_eq!(array.to_vec::<f32>().unwrap(), [value; 15]);
        }
        let nan = f32::from_bits(0x7fc1_2345);
        let array = Array::full([5], nan, device).unwrap();
        let bits: Vec<u32> = array.to_vec::<f32>().unwrap().iter().map(|x| x.to_bits()).collect();
        assert_eq!(bits, [nan.to_bits(); 5]);
    }
}

#[test]
fn like_another_means_its_shape_dtype_and_device_and_row_major() {
    for device in devices() {
        let (other, _) =
            Array::from_vec(vec![1_u16; 24], [4, 6]).unwrap().into_device(device).unwrap();
        let turned = other.view().permuted(&[1, 0]).unwrap();
        let made = [Array::zeros_like(&turned).unwrap(), Array::empty_like(turned).unwrap()];
        for array in &made {
            assert_eq!(
                (array.shape(), array.dtype(), array.device()),
                (&[6, 4][..], DType::UInt16, device)
            );
            assert_eq!(array.layout().strides(), [4, 1]);
        }
        assert_eq!(made[0].to_vec::<u16>().unwrap(), [0; 24]);
    }
}

#[test]
fn a_clone_is_a_copy_of_its_own_on_the_same_device() {
    for device in devices() {
        let (array, _) = Array::from_vec(vec![1.5, 2.5], [2]).unwrap().into_device(device).unwrap();
        let mut copy = array.try_clone().unwrap();
        assert_eq!(copy.device(), device);
        let stream = device.stream().unwrap();
        let (threes, _) = Array::full([2], 3.0, device).unwrap().into_device(device).unwrap();
        copy.view_mut().copy_from(&threes.view(), &stream).unwrap();
        assert_eq!(array.to_vec::<f64>().unwrap(), [1.5, 2.5]);
        assert_eq!(copy.to_vec::<f64>().unwrap(), [3.0, 3.0]);
    }
}

#[test]
fn the_only_element_is_had_from_any_device_and_no_other() {
    for device in devices() {
        let one = Array::full([1, 1], 4.5_f32, device).unwrap();
        assert_eq!(one.item::<f32>().unwrap().to_bits(), 4.5_f32.to_bits());
        // Rounded to the nearest, and infinite beyond the largest.
        for (wide, narrow) in [(0.1, 0.1), (-1e300, f32::NEG_INFINITY), (1e-300, 0.0)] {
            let one = Array::full([], wide, device).unwrap();
            assert_eq!(one.item::<f32>().unwrap().to_bits(), f32::to_bits(narrow));
        }
        let nan = Array::full([1], f64::NAN, device).unwrap();
        assert!(nan.item::<f32>().unwrap().is_nan() && nan.item::<i32>().is_err());
        let scalar: SharedArray = Array::full([], 9_u8, device).unwrap().into();
        assert_eq!(scalar.item::<u8>().unwrap(), 9);
        for shape in [&[2][..], &[0]] {
            let several = Array::full(shape, 1_u8, device).unwrap();
            assert!(matches!(several.item::<u8>(), Err(Error::Shape { operation: "item", .. })));
        }
        assert!(matches!(scalar.item::<i8>(), Err(Error::DType { .. })));
    }
}

#[test]
fn shapes_that_cannot_be_addressed_are_refused_by_what_was_asked_for() {
    for device in devices() {
        let many = [usize::MAX, 2];
        let errors = [
            Array::zeros(many, DType::Float32, device).unwrap_err(),
            Array::ones(many, DType::Float32, device).unwrap_err(),
            Array::full(many, 1_u8, device).unwrap_err(),
        ];
        for (error, name) in errors.iter().zip(["zeros", "ones", "full"]) {
            let expected = format!("{name}: shape {many:?}: more elements than can be addressed");
            assert_eq!(error.to_string(), expected);
        }
    }
}
