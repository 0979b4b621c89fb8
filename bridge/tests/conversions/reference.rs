//! Conversion the slow, obvious way: numbers as they are defined, the nearest one by looking.

use std::cmp::Ordering;

use arrayspan_bridge::{DType, Overflow, Rounding};

/// A number, exactly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Exactly {
    Whole(i128),
    Real(f64),
}

/// Bits of exponent and mantissa, bias, infinity, `NaN`.
type Shape = (u32, u32, i32, Option<u64>, Option<u64>);

/// The formats as their specifications give them.
fn shape(dtype: DType) -> Option<Shape> {
    Some(match dtype {
        DType::Float16 => (5, 10, 15, Some(0x7c00), Some(0x7e00)),
        DType::BFloat16 => (8, 7, 127, Some(0x7f80), Some(0x7fc0)),
        DType::Float8E3M4 => (3, 4, 3, Some(0x70), Some(0x78)),
        DType::Float8E4M3 => (4, 3, 7, Some(0x78), Some(0x7c)),
        DType::Float8E4M3B11Fnuz => (4, 3, 11, None, Some(0x80)),
        DType::Float8E4M3Fn => (4, 3, 7, None, Some(0x7f)),
        DType::Float8E4M3Fnuz => (4, 3, 8, None, Some(0x80)),
        DType::Float8E5M2 => (5, 2, 15, Some(0x7c), Some(0x7e)),
        DType::Float8E5M2Fnuz => (5, 2, 16, None, Some(0x80)),
        DType::Float8E8M0Fnu => (8, 0, 127, None, Some(0xff)),
        DType::Float6E2M3Fn => (2, 3, 1, None, None),
        DType::Float6E3M2Fn => (3, 2, 3, None, None),
        DType::Float4E2M1Fn => (2, 1, 1, None, None),
        _ => return None,
    })
}

fn is_unsigned_scale(dtype: DType) -> bool {
    dtype == DType::Float8E8M0Fnu
}

/// What a code of a real dtype stands for.
pub(crate) fn number(dtype: DType, code: u64) -> Exactly {
    match dtype {
        DType::Bool | DType::UInt8 | DType::UInt16 | DType::UInt32 | DType::UInt64 => {
            Exactly::Whole(code.into())
        }
        DType::Int8 => Exactly::Whole((code as i8).into()),
        DType::Int16 => Exactly::Whole((code as i16).into()),
        DType::Int32 => Exactly::Whole((code as i32).into()),
        DType::Int64 => Exactly::Whole((code as i64).into()),
        DType::Float32 => Exactly::Real(f32::from_bits(code as u32).into()),
        DType::Float64 => Exactly::Real(f64::from_bits(code)),
        _ => Exactly::Real(small(dtype, code)),
    }
}

/// The number of a small float.
fn small(dtype: DType, code: u64) -> f64 {
    let (exponent_bits, mantissa_bits, bias, infinity, nan) = shape(dtype).unwrap();
    if is_unsigned_scale(dtype) {
        return if code == 0xff { f64::NAN } else { 2_f64.powi(code as i32 - 127) };
    }
    let sign = 1 << (exponent_bits + mantissa_bits);
    let size = code & (sign - 1);
    let negative = code & sign != 0;
    if infinity == Some(size) {
        return if negative { f64::NEG_INFINITY } else { f64::INFINITY };
    }
    let above = infinity.is_some_and(|infinity| size > infinity);
    if above || nan == Some(code) || (nan == Some(size) && size != 0) {
        return f64::NAN;
    }
    let (exponent, mantissa) = (size >> mantissa_bits, size & ((1 << mantissa_bits) - 1));
    let fraction = mantissa as f64 / 2_f64.powi(mantissa_bits as i32);
    let value = match exponent {
        0 => fraction * 2_f64.powi(1 - bias),
        _ => (1.0 + fraction) * 2_f64.powi(exponent as i32 - bias),
    };
    if negative { -value } else { value }
}

/// The code and whether it stands for that very number.
pub(crate) fn convert(
    x: Exactly,
    to: DType,
    overflow: Overflow,
    rounding: Rounding,
) -> (u64, bool) {
    let special = matches!(x, Exactly::Real(x) if !x.is_finite());
    let saturate = overflow == Overflow::Saturate;
    match to {
        DType::Bool => {
            let zero = matches!(x, Exactly::Whole(0)) || matches!(x, Exactly::Real(0.0));
            let one = matches!(x, Exactly::Whole(1)) || x == Exactly::Real(1.0);
            (u64::from(!zero), zero || one)
        }
        DType::Float32 | DType::Float64 => native(x, to, saturate),
        _ if shape(to).is_some() => nearest(x, to, saturate),
        _ => {
            let (low, high) = limits(to);
            let (whole, exact) = match x {
                Exactly::Whole(whole) => (whole, true),
                Exactly::Real(x) if x.is_nan() => return (0, false),
                Exactly::Real(x) => {
                    let whole = rounded(x, rounding);
                    // Beyond 128 bits no low ones are left.
                    let kept = if whole.abs() < 1e38 { whole as i128 } else { 0 };
                    if special || kept == 0 && whole != 0.0 {
                        let limit = if x > 0.0 { high } else { low };
                        return (mask(to, if saturate { limit } else { 0 }), false);
                    }
                    (kept, whole == x)
                }
            };
            let within = (low..=high).contains(&whole);
            let given = if saturate { whole.clamp(low, high) } else { whole };
            (mask(to, given), within && exact)
        }
    }
}

fn mask(to: DType, whole: i128) -> u64 {
    whole as u64 & (u64::MAX >> (64 - to.bits()))
}

fn limits(to: DType) -> (i128, i128) {
    let bits = to.bits();
    match to {
        DType::Int8 | DType::Int16 | DType::Int32 | DType::Int64 => {
            (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
        }
        _ => (0, (1 << bits) - 1),
    }
}

fn rounded(x: f64, rounding: Rounding) -> f64 {
    match rounding {
        Rounding::NearestEven => x.round_ties_even(),
        Rounding::NearestAway => x.round(),
        Rounding::TowardZero => x.trunc(),
        Rounding::Down => x.floor(),
        Rounding::Up => x.ceil(),
    }
}

/// To 32 and 64 bits, which Rust itself rounds as we do.
fn native(x: Exactly, to: DType, saturate: bool) -> (u64, bool) {
    let wide = match x {
        Exactly::Whole(whole) => whole as f64,
        Exactly::Real(x) => x,
    };
    let single = match x {
        Exactly::Whole(whole) => whole as f32,
        Exactly::Real(x) => x as f32,
    };
    let value = if to == DType::Float32 { single.into() } else { wide };
    if value.is_nan() {
        return (if to == DType::Float32 { 0x7fc0_0000 } else { 0x7ff8 << 48 }, true);
    }
    let exact = match x {
        Exactly::Whole(whole) => value as i128 == whole,
        Exactly::Real(x) => value == x,
    };
    if saturate && value.is_infinite() && wide.is_finite() {
        let largest = if wide > 0.0 { f32::MAX } else { f32::MIN };
        return (largest.to_bits().into(), false);
    }
    let bits = if to == DType::Float32 { single.to_bits().into() } else { wide.to_bits() };
    (bits, exact)
}

/// How an exact number compares with a finite one.
fn compare(x: Exactly, with: f64) -> Ordering {
    match x {
        Exactly::Real(x) => x.partial_cmp(&with).unwrap(),
        Exactly::Whole(whole) if with.fract() == 0.0 && with.abs() < 1e38 => {
            whole.cmp(&(with as i128))
        }
        Exactly::Whole(whole) => (whole as f64).partial_cmp(&with).unwrap(),
    }
}

/// The nearest number of a small float, found among all of them.
fn nearest(x: Exactly, to: DType, saturate: bool) -> (u64, bool) {
    let (exponent_bits, mantissa_bits, _, infinity, nan) = shape(to).unwrap();
    let real = match x {
        Exactly::Real(x) => x,
        Exactly::Whole(whole) => whole as f64,
    };
    if real.is_nan() {
        return (nan.unwrap_or(0), nan.is_some());
    }
    let scale = is_unsigned_scale(to);
    let sign = if scale { 0 } else { 1_u64 << (exponent_bits + mantissa_bits) };
    let negative = real.is_sign_negative();
    if scale && (real <= 0.0 || negative) {
        return (if saturate { 0 } else { 0xff }, false);
    }
    let with_sign = |code: u64| if negative { code | sign } else { code };
    let codes = if scale { 0..256 } else { 0..sign };
    let last = codes.clone().rev().find(|&code| small(to, code).is_finite()).unwrap();
    let beyond = || match (saturate, infinity, nan) {
        (false, Some(infinity), _) => with_sign(infinity),
        (false, None, Some(nan)) => nan,
        _ => with_sign(last),
    };
    if real.is_infinite() {
        return infinity.map_or_else(|| (beyond(), false), |code| (with_sign(code), true));
    }
    let size = match x {
        Exactly::Whole(whole) => Exactly::Whole(whole.abs()),
        Exactly::Real(x) => Exactly::Real(x.abs()),
    };
    // The first code whose number is not below, by halving.
    let (mut low, mut high) = (0, last + 1);
    while low < high {
        let middle = u64::midpoint(low, high);
        if compare(size, small(to, middle)).is_gt() { low = middle + 1 } else { high = middle }
    }
    let one_zero = nan == Some(sign) && sign != 0;
    let finish =
        |code: u64, exact: bool| (if code == 0 && one_zero { 0 } else { with_sign(code) }, exact);
    if low <= last && compare(size, small(to, low)).is_eq() {
        return finish(low, true);
    }
    if low == 0 {
        return finish(0, false);
    }
    let below = small(to, low - 1);
    // Beyond the last, where the next number would be.
    let above = if low <= last { small(to, low) } else { below + (below - small(to, low - 2)) };
    let above = if scale { below * 2.0 } else { above };
    let up = match compare(size, below + (above - below) / 2.0) {
        Ordering::Greater => true,
        Ordering::Equal => (low - 1) % 2 == 1,
        Ordering::Less => false,
    };
    match (up, low > last) {
        (true, true) => (beyond(), false),
        (true, false) => finish(low, false),
        (false, _) => finish(low - 1, false),
    }
}
