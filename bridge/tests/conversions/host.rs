//! The host against the slow, obvious way.

use arrayspan_bridge::devices::{Device, Stream};
use arrayspan_bridge::{
    Array, Conversion, Crossing, DType, Error, Overflow, Relayout, Rounding, Transfer, Why,
};
use num_complex::{Complex32, Complex64};

use crate::codes::{array, codes, numbers, raw};
use crate::reference;

const OVERFLOWS: [Overflow; 3] = [Overflow::Exact, Overflow::Wrap, Overflow::Saturate];
const ROUNDINGS: [Rounding; 5] = [
    Rounding::NearestEven,
    Rounding::NearestAway,
    Rounding::TowardZero,
    Rounding::Down,
    Rounding::Up,
];

fn cpu() -> Stream {
    Device::cpu().stream().unwrap()
}

fn code(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |code, byte| code << 8 | u64::from(*byte))
}

fn check(from: DType, to: DType, conversion: Conversion) {
    let Conversion { overflow, rounding, .. } = conversion;
    let expected: Vec<(u64, bool)> = codes(from)
        .into_iter()
        .map(|code| reference::convert(reference::number(from, code), to, overflow, rounding))
        .collect();
    let inexact = expected.iter().filter(|(_, exact)| !exact).count();
    let source = array(from);
    let result = source.view().convert(to, &conversion, &cpu());
    if overflow == Overflow::Exact && inexact > 0 {
        match result {
            Err(Error::Inexact { count, .. }) => {
                assert_eq!(count, inexact, "{from} to {to} {conversion:?}");
            }
            other => panic!("{from} to {to} {conversion:?}: {other:?}"),
        }
        return;
    }
    let result = raw(&result.unwrap());
    for ((given, (expected, _)), from_code) in
        result.chunks(to.bytes()).zip(&expected).zip(codes(from))
    {
        assert!(
            code(given) == *expected,
            "{from} {from_code:#x} ({:?}) to {to}: {:#x}, expected {expected:#x}, {conversion:?}",
            reference::number(from, from_code),
            code(given),
        );
    }
}

#[test]
fn every_pair_of_real_dtypes_converts_as_defined() {
    let real: Vec<DType> = numbers().into_iter().filter(|dtype| !dtype.is_complex()).collect();
    for &from in &real {
        for &to in &real {
            if from == to {
                continue;
            }
            for overflow in OVERFLOWS {
                check(from, to, Conversion::new(overflow));
            }
        }
    }
}

#[test]
fn fractions_become_whole_by_every_rule() {
    let integers = [DType::Int8, DType::UInt16, DType::Int32, DType::Int64, DType::UInt64];
    for from in [DType::Float16, DType::BFloat16, DType::Float32, DType::Float64, DType::Float8E4M3]
    {
        for to in integers {
            for rounding in ROUNDINGS {
                for overflow in OVERFLOWS {
                    check(from, to, Conversion::new(overflow).rounding(rounding));
                }
            }
        }
    }
}

#[test]
fn complex_numbers_convert_part_by_part() {
    let array = Array::from_slice(&[Complex64::new(1.5, -2.5), Complex64::new(1e39, 0.1)], [2]);
    let array = array.unwrap();
    let narrow = array.view().convert(DType::Complex64, &Conversion::SATURATE, &cpu()).unwrap();
    let expected = [Complex32::new(1.5, -2.5), Complex32::new(f32::MAX, 0.1)];
    assert_eq!(narrow.view().as_slice::<Complex32>().unwrap(), expected);
    let refused = array.view().convert(DType::Float64, &Conversion::WRAP, &cpu());
    assert!(matches!(refused, Err(Error::Conversion { to: DType::Float64, .. })));
    let dropping = Conversion::EXACT.dropping_imaginary();
    let real = array.view().convert(DType::Float64, &dropping, &cpu()).unwrap();
    assert_eq!(real.view().as_slice::<f64>().unwrap(), [1.5, 1e39]);
    let back = real.view().convert(DType::Complex128, &Conversion::EXACT, &cpu()).unwrap();
    let expected = [Complex64::new(1.5, 0.0), Complex64::new(1e39, 0.0)];
    assert_eq!(back.view().as_slice::<Complex64>().unwrap(), expected);
}

#[test]
fn an_element_with_two_inexact_parts_counts_once() {
    let array = Array::from_slice(&[Complex64::new(0.1, 0.1), Complex64::new(1.0, 0.1)], [2]);
    let refused = array.unwrap().view().convert(DType::Complex64, &Conversion::EXACT, &cpu());
    assert!(matches!(refused, Err(Error::Inexact { count: 2, .. })), "{refused:?}");
}

#[test]
fn handles_do_not_convert() {
    let handles = Array::empty([2], DType::OpaqueHandle, &cpu()).unwrap();
    let refused = handles.view().convert(DType::UInt64, &Conversion::WRAP, &cpu());
    assert!(matches!(refused, Err(Error::Conversion { .. })));
}

#[test]
fn an_array_that_has_the_dtype_stays_where_it_is() {
    let array = Array::from_slice(&[1_i32, -2, 300], [3]).unwrap();
    let address = array.memory().address();
    let (same, crossing) =
        array.into_dtype(DType::Int32, &Conversion::EXACT, Transfer::ZeroCopyOnly, &cpu()).unwrap();
    assert_eq!((same.memory().address(), crossing), (address, Crossing::ZeroCopy));
    let (bytes, crossing) = same
        .into_dtype(DType::Int8, &Conversion::SATURATE, Transfer::CopyIfNeeded, &cpu())
        .unwrap();
    assert_eq!(bytes.view().as_slice::<i8>().unwrap(), [1, -2, 127]);
    assert_eq!(crossing, Crossing::Copied { why: Why::OtherDType, bytes: 3 });
    let refused =
        bytes.into_dtype(DType::Int32, &Conversion::EXACT, Transfer::ZeroCopyOnly, &cpu());
    assert!(matches!(refused, Err(Error::CopyRefused { why: Why::OtherDType, .. })));
}

/// Long enough for tables and several cores, with strides of every kind.
#[test]
fn large_strided_arrays_convert_as_small_ones_do() {
    let shape = [700, 500];
    for (from, to) in [
        (DType::Float32, DType::Int16),
        (DType::Float16, DType::Float32),
        (DType::Float32, DType::Float8E5M2),
        (DType::UInt8, DType::Float64),
    ] {
        let bytes: Vec<u8> = (0..shape[0] * shape[1] * from.bytes())
            .map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8)
            .collect();
        let whole = crate::codes::from_bytes(from, shape[0] * shape[1], &bytes);
        let whole = whole.reshaped(&shape).unwrap();
        let turned = whole.view().permuted(&[1, 0]).unwrap().reversed(1).unwrap();
        let all = turned.convert(to, &Conversion::SATURATE, &cpu()).unwrap();
        for row in [0, 1, 250, 499] {
            let one = turned.clone().selected(0, row).unwrap();
            let one = one.convert(to, &Conversion::SATURATE, &cpu()).unwrap();
            let of_all = all.view().selected(0, row).unwrap().to_array().unwrap();
            assert_eq!(raw(&one), raw(&of_all), "{from} to {to}, row {row}");
        }
    }
}
