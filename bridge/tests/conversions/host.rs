//! The host against the slow, obvious way.

use arrayspan_bridge::devices::{Device, Stream};
use arrayspan_bridge::{
    Array, Conversion, Crossing, DType, Error, Overflow, Relayout, Rounding, Scale, Transfer, Why,
};

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
