//! The least and the largest finite element of an array.

use arrayspan_devices::{Argument, Grid, Memory, Stream};
use half::{bf16, f16};
use rayon::prelude::*;

use super::affine::Range;
use super::format::{Float, Format};
use super::native::Native;
use super::rules::{Overflow, Rounding};
use super::spec::{CastSpec, Scaled};
use crate::copy::device;
use crate::iteration::IterationSpace;
use crate::{DType, Result, View};

/// What nothing has been found in yet.
const NONE: Range = (f64::INFINITY, f64::NEG_INFINITY);

/// The least and the largest finite element; zeros without any.
///
/// # Safety
/// The array is on the host, which may access it now, and has elements.
pub(super) unsafe fn on_host(from: &View<'_>) -> Range {
    macro_rules! natives {
        ($($dtype:ident => $type:ty),*) => {
            match from.dtype() {
                $(DType::$dtype => {
                    let value = |bytes| <$type>::of(bytes).wide().double();
                    // SAFETY: passed on to the caller; elements have the bytes of the type.
                    unsafe { fold::<<$type as Native>::Bytes>(from, &value) }
                })*
                // SAFETY: as above; all other real dtypes have one byte.
                _ => unsafe { fold::<[u8; 1]>(from, &|[byte]| small(from.dtype(), byte)) },
            }
        };
    }
    let (least, largest) = natives!(Int8 => i8, Int16 => i16, Int32 => i32, Int64 => i64, UInt8 => u8, UInt16 => u16,
        UInt32 => u32, UInt64 => u64, Float16 => f16, BFloat16 => bf16, Float32 => f32, Float64 => f64);
    if least > largest { (0.0, 0.0) } else { (least, largest) }
}

/// The number that a code of one byte stands for.
fn small(dtype: DType, code: u8) -> f64 {
    let Some(format) = Format::of(dtype) else { return f64::NAN };
    let double = Format::Float(Float::DOUBLE);
    let number = format.decode(code.into());
    f64::from_bits(double.encode(number, Overflow::Wrap, Rounding::NearestEven).bits)
}

/// Elements one task looks at.
const GRAIN: usize = 64 * 1024;

/// # Safety
/// As [`on_host`]; elements have the size of `B`, and every pattern of bits is one.
unsafe fn fold<B: Copy + Send + Sync>(
    from: &View<'_>,
    value: &(impl Fn(B) -> f64 + Sync),
) -> Range {
    let space = IterationSpace::new(&[from.layout()]);
    let (len, stride) = (space.extents[0], space.strides[0][0]);
    let rows: usize = space.extents[1..].iter().product();
    let pieces = len.div_ceil(GRAIN);
    let base = from.memory().address();
    let part = |item: usize| {
        let (mut row, piece) = (item / pieces, item % pieces);
        let mut place = space.offsets[0] as isize;
        for (extent, stride) in space.extents.iter().zip(&space.strides[0]).skip(1) {
            place += (row % extent) as isize * stride;
            row /= extent;
        }
        let elements = piece * GRAIN..len.min((piece + 1) * GRAIN);
        let base = std::ptr::with_exposed_provenance::<B>(base);
        elements.fold(NONE, |range, i| {
            // SAFETY: a place of the layout, which lies within the block; the caller vouches for the rest.
            let x = value(unsafe { base.offset(place + i as isize * stride).read_unaligned() });
            if x.is_finite() { (range.0.min(x), range.1.max(x)) } else { range }
        })
    };
    let join = |one: Range, other: Range| (one.0.min(other.0), one.1.max(other.1));
    let items = (0..rows * pieces).into_par_iter().with_min_len((GRAIN / len).max(1));
    items.map(part).reduce(|| NONE, join)
}

/// Groups of threads that look for the range, each of which leaves one of its own.
const MOST_GROUPS: usize = 1024;

/// The affine map from the least and the largest finite element to `target`, in the memory of the device: four 64-bit
/// floats, as kernels take it. Enqueued; does not wait.
pub(super) fn on_device(from: &View<'_>, target: Range, stream: &Stream) -> Result<Memory> {
    let spec = CastSpec {
        from: from.dtype(),
        to: DType::Float64,
        overflow: Overflow::Wrap,
        rounding: Rounding::NearestEven,
        scaled: Scaled::Found,
    };
    let parts = Memory::allocate(MOST_GROUPS * 2 * size_of::<f64>(), stream)?;
    let groups = device::range(from, spec, &parts, MOST_GROUPS, stream)?;
    let found = Memory::allocate(4 * size_of::<f64>(), stream)?;
    let arguments = [
        Argument::Write(&found),
        Argument::Read(&parts),
        Argument::I32(groups as i32),
        Argument::F64(target.0),
        Argument::F64(target.1 - target.0),
    ];
    let kernel = device::affine(stream.device())?;
    let grid = Grid { groups: [1; 3], threads: [device::AFFINE_THREADS, 1, 1] };
    // SAFETY: the arguments are those of `affine.cl.h`; the groups have left as many parts, and nobody else knows the
    // blocks.
    unsafe { stream.launch(&kernel, grid, &arguments)? };
    Ok(found)
}
