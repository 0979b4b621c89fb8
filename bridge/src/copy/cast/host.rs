//! Conversion on the host: what the processor does by itself, tables where the source has few codes, and the exact
//! way for the rest.

use std::mem::MaybeUninit;

use half::{bf16, f16};

use super::affine::Affine;
use super::format::{Float, Format};
use super::native::{Native, Target, Wide};
use super::number::Encoded;
use super::rules::Overflow;
use super::spec::CastSpec;
use crate::copy::host::{Work, run};
use crate::{DType, Layout, View, ViewMut};

/// Tables of two-byte sources pay from this many elements on.
const WORTHWHILE: usize = 1 << 18;

/// Converts the elements of `from` to those of `to` and returns how many are not held exactly.
///
/// # Safety
/// Both are on the host, which may access them now; their shapes agree, and they have elements of the spec's dtypes.
pub(crate) unsafe fn convert(
    from: &View<'_>,
    to: &mut ViewMut<'_>,
    spec: CastSpec,
    affine: Option<Affine>,
) -> usize {
    let Some(formats) = spec.formats() else { return 0 };
    let cast = Cast { spec, formats, affine };
    // SAFETY: passed on to the caller; any bytes are elements of the types below.
    unsafe {
        if let Some(failed) = native(from, to, &cast) {
            return failed;
        }
        match spec.from.bytes() {
            1 => into::<1>(from, to, &cast),
            2 => into::<2>(from, to, &cast),
            4 => into::<4>(from, to, &cast),
            8 => into::<8>(from, to, &cast),
            _ => into::<16>(from, to, &cast),
        }
    }
}

/// # Safety
/// As [`convert`]; elements of the source have `S` bytes.
unsafe fn into<const S: usize>(from: &View<'_>, to: &mut ViewMut<'_>, cast: &Cast) -> usize {
    // SAFETY: passed on to the caller.
    unsafe {
        match cast.spec.to.bytes() {
            1 => with::<S, 1>(from, to, cast),
            2 => with::<S, 2>(from, to, cast),
            4 => with::<S, 4>(from, to, cast),
            8 => with::<S, 8>(from, to, cast),
            _ => with::<S, 16>(from, to, cast),
        }
    }
}

/// # Safety
/// As [`convert`]; elements have `S` and `T` bytes.
unsafe fn with<const S: usize, const T: usize>(
    from: &View<'_>,
    to: &mut ViewMut<'_>,
    cast: &Cast,
) -> usize {
    let few = S == 1 || (S == 2 && Layout::len(from.layout()) >= WORTHWHILE);
    // SAFETY: passed on to the caller.
    unsafe {
        if few {
            run::<[u8; S], [u8; T]>(from, to, &Table::<T>::new::<S>(cast))
        } else {
            run::<[u8; S], [u8; T]>(from, to, cast)
        }
    }
}

/// Runs the processor's own conversion between the dtypes, if it has one; tables are as good for smaller sources.
///
/// # Safety
/// As [`convert`].
unsafe fn native(from: &View<'_>, to: &mut ViewMut<'_>, cast: &Cast) -> Option<usize> {
    let complex = match (cast.spec.from, cast.spec.to) {
        (DType::Complex64, DType::Complex128) => {
            let work = Both(Quick::<f32, f64>::new(cast));
            // SAFETY: passed on to the caller; these are the bytes of the parts.
            Some(unsafe { run::<[[u8; 4]; 2], [[u8; 8]; 2]>(from, to, &work) })
        }
        (DType::Complex128, DType::Complex64) => {
            let work = Both(Quick::<f64, f32>::new(cast));
            // SAFETY: as above.
            Some(unsafe { run::<[[u8; 8]; 2], [[u8; 4]; 2]>(from, to, &work) })
        }
        _ => None,
    };
    if complex.is_some() {
        return complex;
    }
    macro_rules! targets {
        ($source:ty: $($dtype:ident => $target:ty),*) => {
            match cast.spec.to {
                $(DType::$dtype => {
                    let work = Quick::<$source, $target>::new(cast);
                    // SAFETY: passed on to the caller; these are the types of the dtypes.
                    Some(unsafe { run::<<$source as Native>::Bytes, <$target as Native>::Bytes>(from, to, &work) })
                })*
                _ => None,
            }
        };
    }
    macro_rules! sources {
        ($($dtype:ident => $source:ty),*) => {
            match cast.spec.from {
                $(DType::$dtype => targets!($source:
                    Int8 => i8, Int16 => i16, Int32 => i32, Int64 => i64, UInt8 => u8, UInt16 => u16, UInt32 => u32,
                    UInt64 => u64, Float16 => f16, BFloat16 => bf16, Float32 => f32, Float64 => f64),)*
                _ => None,
            }
        };
    }
    sources!(Int32 => i32, Int64 => i64, UInt32 => u32, UInt64 => u64, Float32 => f32, Float64 => f64)
}

/// The exact way, code by code.
struct Cast {
    spec: CastSpec,
    formats: [Format; 2],
    affine: Option<Affine>,
}

impl Cast {
    fn part(&self, bits: u64) -> Encoded {
        let Some(affine) = self.affine else { return self.spec.part(self.formats, bits) };
        let double = Format::Float(Float::DOUBLE);
        let doubled = CastSpec { to: DType::Float64, overflow: Overflow::Wrap, ..self.spec };
        let x = f64::from_bits(doubled.part([self.formats[0], double], bits).bits);
        let scaled = CastSpec { from: DType::Float64, ..self.spec };
        let encoded = scaled.part([double, self.formats[1]], affine.at(x).to_bits());
        Encoded {
            exact: encoded.exact && !(self.formats[0] == Format::Bool && bits > 1),
            ..encoded
        }
    }

    /// An element, whose bits are those of its parts, the real one lowest.
    fn element(&self, bits: u128, failed: &mut usize) -> u128 {
        let CastSpec { from, to, .. } = self.spec;
        let parts = if to.is_complex() && from.is_complex() { 2 } else { 1 };
        let (taken, given) = (from.real().bits().next_multiple_of(8), to.real().bits());
        let mut exact = true;
        let mut result = 0;
        for part in 0..parts {
            let bits = (bits >> (part * taken)) as u64;
            let bits = if taken == 64 { bits } else { bits & ((1 << taken) - 1) };
            let encoded = self.part(bits);
            exact &= encoded.exact;
            result |= u128::from(encoded.bits) << (part * given);
        }
        *failed += usize::from(!exact);
        result
    }
}

impl<const S: usize, const T: usize> Work<[u8; S], [u8; T]> for Cast {
    fn one(&self, x: [u8; S], failed: &mut usize) -> [u8; T] {
        low_bytes(self.element(bits(x), failed))
    }

    fn many(&self, x: &[[u8; S]], y: &mut [MaybeUninit<[u8; T]>], failed: &mut usize) {
        for (x, y) in x.iter().zip(y) {
            y.write(self.one(*x, failed));
        }
    }
}

fn bits<const S: usize>(bytes: [u8; S]) -> u128 {
    bytes.iter().rev().fold(0, |bits, byte| bits << 8 | u128::from(*byte))
}

fn low_bytes<const T: usize>(bits: u128) -> [u8; T] {
    std::array::from_fn(|at| (bits >> (8 * at)) as u8)
}

/// The result of every code of the source.
struct Table<const T: usize> {
    codes: Vec<([u8; T], bool)>,
}

impl<const T: usize> Table<T> {
    fn new<const S: usize>(cast: &Cast) -> Self {
        let entry = |code: u128| {
            let mut failed = 0;
            let result = cast.element(code, &mut failed);
            (low_bytes(result), failed > 0)
        };
        Self { codes: (0..1_u128 << (8 * S)).map(entry).collect() }
    }
}

impl<const S: usize, const T: usize> Work<[u8; S], [u8; T]> for Table<T> {
    #[inline]
    fn one(&self, x: [u8; S], failed: &mut usize) -> [u8; T] {
        let (result, inexact) = self.codes[bits(x) as usize];
        *failed += usize::from(inexact);
        result
    }

    #[inline]
    fn many(&self, x: &[[u8; S]], y: &mut [MaybeUninit<[u8; T]>], failed: &mut usize) {
        for (x, y) in x.iter().zip(y) {
            y.write(self.one(*x, failed));
        }
    }
}

/// The processor's own conversion, and the exact way for elements that it is no answer for.
struct Quick<'c, S, T> {
    cast: &'c Cast,
    types: std::marker::PhantomData<fn(S) -> T>,
}

impl<'c, S: Native, T: Target> Quick<'c, S, T> {
    fn new(cast: &'c Cast) -> Self {
        Self { cast, types: std::marker::PhantomData }
    }

    /// The processor's answer for an element, if it is right.
    #[inline]
    fn quick(&self, x: S::Bytes) -> Option<T> {
        let CastSpec { overflow, rounding, .. } = self.cast.spec;
        let x = S::of(x).wide();
        let x = self.cast.affine.map_or(x, |affine| Wide::Double(affine.at(x.double())));
        T::quick(x, rounding, overflow == Overflow::Exact)
    }

    /// The answer for a part of an element, and whether it is exact where it must be.
    #[inline]
    fn part(&self, x: S::Bytes) -> (T::Bytes, bool) {
        self.quick(x).map_or_else(|| self.slow(x), |y| (y.bytes(), true))
    }

    #[cold]
    fn slow(&self, x: S::Bytes) -> (T::Bytes, bool) {
        let Encoded { bits, exact } = self.cast.part(S::of(x).bits());
        (T::of_bits(bits).bytes(), exact)
    }
}

/// Elements that are tried together.
const TOGETHER: usize = 64;

impl<S: Native, T: Target> Work<S::Bytes, T::Bytes> for Quick<'_, S, T> {
    #[inline]
    fn one(&self, x: S::Bytes, failed: &mut usize) -> T::Bytes {
        let (y, exact) = self.part(x);
        *failed += usize::from(!exact);
        y
    }

    /// Without branches, which makes it vector code, and once more one by one where an answer was not right.
    #[inline]
    fn many(&self, x: &[S::Bytes], y: &mut [MaybeUninit<T::Bytes>], failed: &mut usize) {
        for (x, y) in x.chunks(TOGETHER).zip(y.chunks_mut(TOGETHER)) {
            let mut right = true;
            for (x, y) in x.iter().zip(&mut *y) {
                let answer = self.quick(*x);
                right &= answer.is_some();
                y.write(answer.unwrap_or(T::of_bits(0)).bytes());
            }
            if !right {
                for (x, y) in x.iter().zip(y) {
                    y.write(self.one(*x, failed));
                }
            }
        }
    }
}

/// The same for both parts of complex numbers, which count as one.
struct Both<'c, S, T>(Quick<'c, S, T>);

impl<S: Native, T: Target> Work<[S::Bytes; 2], [T::Bytes; 2]> for Both<'_, S, T> {
    #[inline]
    fn one(&self, x: [S::Bytes; 2], failed: &mut usize) -> [T::Bytes; 2] {
        let [(re, re_exact), (im, im_exact)] = x.map(|part| self.0.part(part));
        *failed += usize::from(!(re_exact && im_exact));
        [re, im]
    }

    #[inline]
    fn many(&self, x: &[[S::Bytes; 2]], y: &mut [MaybeUninit<[T::Bytes; 2]>], failed: &mut usize) {
        for (x, y) in x.iter().zip(y) {
            y.write(self.one(*x, failed));
        }
    }
}
