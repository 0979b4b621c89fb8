//! Ranges: fixed ones, and those found in the data.

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, Conversion, DType, Error, Relayout, Rounding, Scale};

use crate::codes::array;
use crate::common::accelerators;
use crate::devices::check;

fn convert<T: arrayspan_bridge::Element>(
    values: &[f64],
    to: DType,
    conversion: Conversion,
) -> Vec<T> {
    let array = Array::from_slice(values, [values.len()]).unwrap();
    let stream = Device::cpu().stream().unwrap();
    array.view().convert(to, &conversion, &stream).unwrap().view().to_vec().unwrap()
}

const FIXED: Scale = Scale::Range { from: (0.0, 2.0), to: None };
const FOUND: Scale = Scale::MinMax { to: None };

#[test]
fn a_fixed_range_becomes_that_of_the_target() {
    let scaled = Conversion::SATURATE.scale(FIXED);
    let values = [0.0, 1.0, 2.0, -1.0, 3.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
    let expected: Vec<u8> = vec![0, 128, 255, 0, 255, 0, 255, 0];
    assert_eq!(convert::<u8>(&values, DType::UInt8, scaled), expected);
    let down = scaled.rounding(Rounding::Down);
    assert_eq!(convert::<u8>(&[1.0], DType::UInt8, down), [127]);
    let signed = convert::<i16>(&[0.0, 2.0], DType::Int16, scaled);
    assert_eq!(signed, [i16::MIN, i16::MAX]);
    assert_eq!(convert::<f32>(&[0.0, 1.5, 2.0], DType::Float32, scaled), [0.0, 0.75, 1.0]);
    let falling = Scale::Range { from: (0.0, 2.0), to: Some((10.0, 0.0)) };
    let falling = Conversion::SATURATE.scale(falling);
    let values = [0.0, 1.5, 2.0, f64::INFINITY];
    assert_eq!(convert::<u8>(&values, DType::UInt8, falling), [10, 2, 0, 0]);
}

#[test]
fn the_range_of_the_data_leaves_out_what_is_not_finite() {
    let scaled = Conversion::SATURATE.scale(FOUND);
    let values = [f64::NAN, -3.0, f64::INFINITY, 1.0, -1.0, f64::NEG_INFINITY];
    assert_eq!(convert::<u8>(&values, DType::UInt8, scaled), [0, 0, 255, 255, 128, 0]);
}

#[test]
fn equal_numbers_become_the_lower_end() {
    let scaled = Conversion::SATURATE.scale(Scale::MinMax { to: Some((5.0, 9.0)) });
    assert_eq!(convert::<u8>(&[7.0, 7.0], DType::UInt8, scaled), [5, 5]);
    let values = [f64::NAN, f64::INFINITY];
    assert_eq!(convert::<u8>(&values, DType::UInt8, scaled), [0, 255]);
}

#[test]
fn the_widest_range_there_is_does_not_overflow() {
    let scaled = Conversion::SATURATE.scale(FOUND);
    let values = [f64::MIN, 0.0, f64::MAX];
    assert_eq!(convert::<u8>(&values, DType::UInt8, scaled), [0, 128, 255]);
}

#[test]
fn ranges_that_are_none_are_refused() {
    let array = Array::from_slice(&[1.0_f64], [1]).unwrap();
    let stream = Device::cpu().stream().unwrap();
    let ranges = [
        Scale::Range { from: (1.0, 1.0), to: None },
        Scale::Range { from: (0.0, f64::INFINITY), to: None },
        Scale::Range { from: (0.0, 1.0), to: Some((0.0, f64::NAN)) },
        Scale::MinMax { to: Some((f64::MIN, f64::MAX)) },
    ];
    for scale in ranges {
        let refused = array.view().convert(DType::UInt8, &Conversion::WRAP.scale(scale), &stream);
        assert!(matches!(refused, Err(Error::Conversion { .. })), "{scale:?}");
    }
}

#[test]
fn devices_scale_as_the_host_does() {
    let fixed = Scale::Range { from: (-3.0, 250.5), to: Some((0.25, 199.0)) };
    for device in accelerators() {
        for (from, to) in [
            (DType::Float32, DType::UInt8),
            (DType::UInt16, DType::Float32),
            (DType::Int64, DType::Int16),
            (DType::Float8E4M3Fn, DType::Float16),
        ] {
            for scale in [fixed, Scale::MinMax { to: Some((0.0, 250.0)) }] {
                check(device, &array(from), to, Conversion::SATURATE.scale(scale));
            }
        }
        check(device, &array(DType::Float64), DType::Float64, Conversion::WRAP.scale(FOUND));
    }
}

#[test]
fn the_range_of_a_strided_array_is_that_of_its_own_elements() {
    let len = 300;
    let values: Vec<f32> = (0..len * len).map(|i| ((i * 7919) % 1000) as f32).collect();
    let scaled = Conversion::SATURATE.scale(FOUND);
    for device in accelerators().into_iter().chain([Device::cpu()]) {
        let array = Array::from_slice(&values, [len, len]).unwrap().into_device(device).unwrap().0;
        let part = array.view().permuted(&[1, 0]).unwrap().sliced(0, 3, 7).unwrap();
        let part = part.stepped(1, 3).unwrap().reversed(0).unwrap();
        let inside = part.to_vec::<f32>().unwrap();
        let (low, high) =
            inside.iter().fold((f32::MAX, f32::MIN), |(a, b), x| (a.min(*x), b.max(*x)));
        let stream = device.stream().unwrap();
        let result = part.convert(DType::UInt8, &scaled, &stream).unwrap();
        let expected: Vec<u8> = inside
            .iter()
            .map(|x| {
                let factor = 255.0 / (f64::from(high) - f64::from(low));
                (f64::from(*x) - f64::from(low)).mul_add(factor, 0.0).round_ties_even() as u8
            })
            .collect();
        assert_eq!(result.view().to_vec::<u8>().unwrap(), expected, "{device}");
    }
}
