//! Devices against the host.

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, Conversion, DType, Error, Overflow, Rounding};

use crate::codes::{array, numbers, raw};
use crate::common::accelerators;

/// Whether to take all pairs by all rules, which takes a device minutes to compile.
fn exhaustive() -> bool {
    std::env::var("ARRAYSPAN_EXHAUSTIVE").is_ok_and(|value| value == "1")
}

/// Converts on the host and on the device, and compares.
#[track_caller]
pub(crate) fn check(device: Device, source: &Array, to: DType, conversion: Conversion) {
    let from = source.dtype();
    let cpu = Device::cpu().stream().unwrap();
    let stream = device.stream().unwrap();
    let there = source.view().to(device).unwrap().0;
    let expected = source.view().convert(to, &conversion, &cpu);
    let found = there.view().convert(to, &conversion, &stream);
    match (expected, found) {
        (Ok(expected), Ok(found)) => {
            let (expected, found) = (raw(&expected), raw(&found));
            let pairs = expected.chunks(to.bytes()).zip(found.chunks(to.bytes()));
            for (at, (expected, found)) in pairs.enumerate() {
                assert!(
                    expected == found,
                    "{device}: {from} number {at} to {to}: {found:02x?}, on the host {expected:02x?}, {conversion:?}"
                );
            }
        }
        (Err(Error::Inexact { count: expected, .. }), Err(Error::Inexact { count, .. })) => {
            assert_eq!(count, expected, "{device}: {from} to {to} {conversion:?}");
        }
        (expected, found) => {
            panic!("{device}: {from} to {to} {conversion:?}: {found:?}, on the host {expected:?}")
        }
    }
}

/// Pairs that take each decoder and each encoder, each of the processors' own conversions, and each width.
fn few() -> Vec<(DType, DType)> {
    use DType::{
        BFloat16, Bool, Complex32, Complex64, Complex128, Float4E2M1Fn, Float6E2M3Fn, Float6E3M2Fn,
        Float8E3M4, Float8E4M3, Float8E4M3B11Fnuz, Float8E4M3Fn, Float8E4M3Fnuz, Float8E5M2,
        Float8E5M2Fnuz, Float8E8M0Fnu, Float16, Float32, Float64, Int8, Int16, Int32, Int64, UInt8,
        UInt16, UInt32, UInt64,
    };
    let around_float32 = [
        Bool,
        Int8,
        UInt16,
        Int32,
        UInt64,
        Float16,
        BFloat16,
        Float64,
        Float8E3M4,
        Float8E4M3Fn,
        Float8E5M2Fnuz,
        Float8E8M0Fnu,
        Float6E3M2Fn,
        Complex64,
    ];
    let others = [
        (Bool, UInt8),
        (Int16, UInt8),
        (UInt8, Int64),
        (Int64, UInt32),
        (Int64, Float64),
        (UInt64, BFloat16),
        (Float64, Int64),
        (Float64, Float16),
        (Float16, Float64),
        (UInt32, Float16),
        (Float8E4M3, Float8E4M3B11Fnuz),
        (Float8E4M3Fnuz, Float4E2M1Fn),
        (Float8E5M2, Float6E2M3Fn),
        (Complex32, Complex128),
        (Complex128, Complex32),
        (Complex128, Int16),
    ];
    let both = around_float32.into_iter().flat_map(|other| [(other, Float32), (Float32, other)]);
    both.chain(others).collect()
}

#[test]
fn every_pair_of_dtypes_converts_as_on_the_host() {
    let all =
        || numbers().into_iter().flat_map(|from| numbers().into_iter().map(move |to| (from, to)));
    let pairs: Vec<_> = if exhaustive() { all().collect() } else { few() };
    for device in accelerators() {
        for &(from, to) in &pairs {
            check(device, &array(from), to, Conversion::SATURATE.dropping_imaginary());
        }
    }
}

#[test]
fn every_rule_is_that_of_the_host() {
    let pairs = [
        (DType::Float16, DType::Float8E4M3Fnuz),
        (DType::Float32, DType::Int8),
        (DType::Float32, DType::Float8E8M0Fnu),
        (DType::Float64, DType::UInt64),
        (DType::Float64, DType::BFloat16),
        (DType::Int64, DType::UInt16),
        (DType::Float8E5M2, DType::Float6E2M3Fn),
    ];
    for device in accelerators() {
        for (from, to) in pairs {
            for overflow in [Overflow::Exact, Overflow::Wrap] {
                check(device, &array(from), to, Conversion::new(overflow));
            }
        }
        let roundings = [Rounding::NearestAway, Rounding::TowardZero, Rounding::Down, Rounding::Up];
        for rounding in roundings {
            for (from, to) in [(DType::Float32, DType::Int8), (DType::Float64, DType::Int64)] {
                check(device, &array(from), to, Conversion::WRAP.rounding(rounding));
            }
        }
    }
}

#[test]
fn a_truth_value_that_is_none_is_true_but_not_exact() {
    let wrong = crate::codes::from_bytes(DType::Bool, 4, &[0, 1, 2, 255]);
    let cpu = Device::cpu().stream().unwrap();
    let result = wrong.view().convert(DType::Int16, &Conversion::WRAP, &cpu).unwrap();
    assert_eq!(result.view().as_slice::<i16>().unwrap(), [0, 1, 1, 1]);
    let refused = wrong.view().convert(DType::Int16, &Conversion::EXACT, &cpu);
    assert!(matches!(refused, Err(Error::Inexact { count: 2, .. })));
    for device in accelerators() {
        for rules in [Conversion::WRAP, Conversion::EXACT] {
            check(device, &wrong, DType::Int16, rules);
        }
    }
}

/// What crosses devices is converted where it comes from.
#[test]
fn arrays_are_converted_between_devices() {
    for device in accelerators() {
        let stream = device.stream().unwrap();
        let values = Array::from_slice(&[1.5_f32, -2.5, 1e9], [3]).unwrap();
        let mut there = Array::from_slice(&[0_i8; 3], [3]).unwrap().into_device(device).unwrap().0;
        let rules = Conversion::SATURATE;
        there.view_mut().convert_from(&values.view(), &rules, &stream).unwrap();
        assert_eq!(there.view().to_vec::<i8>().unwrap(), [2, -2, 127]);
        let mut back = Array::from_slice(&[0.0_f64; 3], [3]).unwrap();
        back.view_mut().convert_from(&there.view(), &rules, &stream).unwrap();
        assert_eq!(back.view().as_slice::<f64>().unwrap(), [2.0, -2.0, 127.0]);
    }
}

#[test]
fn a_stream_of_another_device_is_refused() {
    let cpu = Device::cpu();
    let source = Array::from_slice(&[1.5_f32, -2.0, 3.0], [3]).unwrap();
    for device in accelerators() {
        let (own, host) = (device.stream().unwrap(), cpu.stream().unwrap());
        let there = source.view().to(device).unwrap().0;
        for (array, stream) in [(&source, &own), (&there, &host)] {
            let (here, other) = (array.device(), stream.device());
            let message = format!("convert: stream is on {other}, expected {here}");
            // Also where nothing is to be converted.
            for dtype in [DType::Float64, DType::Float32] {
                let refused = array.view().convert(dtype, &Conversion::SATURATE, stream);
                let refused = refused.unwrap_err();
                assert!(matches!(refused, Error::WrongDevice { .. }), "{refused}");
                assert_eq!(refused.to_string(), message);
            }
        }
        // Between two devices either's stream does.
        for stream in [&own, &host] {
            let mut back = Array::from_slice(&[0.0_f64; 3], [3]).unwrap();
            back.view_mut().convert_from(&there.view(), &Conversion::SATURATE, stream).unwrap();
            assert_eq!(back.view().to_vec::<f64>().unwrap(), [1.5, -2.0, 3.0], "{device}");
        }
    }
}
