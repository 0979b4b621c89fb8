//! Kernels that add up what lies along axes: sparse matrices and reductions.

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::{DeviceKind, KernelSource, Specialisation};
use arrayspan_bridge::iteration::{Runs, Start};
use num_complex::Complex64;

use super::super::combine::{self, Sharing};
use super::super::element::Element;
use super::super::epilogue::Epilogue;
use super::super::formula::Formula;
use super::super::gather::Place;
use super::super::reduce_groups::Groups;
use super::super::stencil_tile_width::room;
use super::super::{constants, gather, reduce, scan};
use super::setting::{UNITS, checked, row_major, updates};
use crate::number::computed;
use crate::{Gather, Reduction, Scan, constant, input};

/// The bytes of local memory that a group gets at most on the larger of the GPUs in use.
const LOCAL: usize = 227 << 10;

/// The entries of each row, and how far apart the columns of entries that follow each other are.
type Lengths<'l> = (&'l dyn Fn(usize) -> usize, usize);

/// Sparse matrices along every kind of axis, with few and many entries a row, with weights and without.
pub(super) fn gathers(dtype: DType) -> Vec<KernelSource> {
    let table = |(lengths, apart): Lengths<'_>, weights: Option<Complex64>, shape: [usize; 2]| {
        let mut starts = vec![0];
        starts.extend((0..shape[0]).scan(0, |start, row| {
            *start += lengths(row);
            Some(*start)
        }));
        let entries = starts[shape[0]];
        let indices = (0..entries).map(|entry| entry * apart % shape[1]).collect();
        let weights = weights.map(|weight| vec![weight; entries]);
        Gather::new(1, &[shape[0]], &[shape[1]], starts, indices, weights)
    };
    let complex = Complex64::new(0.5, if dtype.is_complex() { 1.0 } else { 0.0 });
    let uneven = |row: usize| if row.is_multiple_of(50) { 500 } else { 3 };
    // Columns near each other, and far apart.
    let lengths: [Lengths<'_>; 7] = [
        (&|_| 1, 7),
        (&|_| 2, 7),
        (&|row| row % 9, 7),
        (&uneven, 7),
        (&|row| 9 + row % 20, 7),
        (&|_| 1, 37),
        (&|_| 2, 37),
    ];
    let half = Some(0.5.into());
    let all = Some(complex);
    let weights = [None, half, all, all, all, None, all];
    let shapes: [&[usize]; 4] = [&[3000, 300, 1], &[3, 300, 5000], &[3, 300, 40], &[3, 300, 1]];
    let room = room(DeviceKind::Cuda);
    let place = Place { units: UNITS, room, most: LOCAL };
    let mut kernels = [segments(dtype), marked(dtype)].concat();
    for (number, (lengths, weight)) in lengths.into_iter().zip(weights).enumerate() {
        let Ok(gather) = table(lengths, weight, [201, 300]) else { continue };
        // Kernels of long rows depend less on the shape, so one shape is enough for them.
        let tried = match number {
            0 | 1 => &shapes[..2],
            2..5 => &shapes[number - 1..number],
            _ => &shapes[..1],
        };
        for shape in tried {
            let range = gather.range_of(shape).and_then(|range| row_major(&range));
            let Some((y, x)) = range.zip(row_major(shape)) else { continue };
            let Some(factors) = checked(updates(dtype)[number % 2], computed(dtype)) else {
                continue;
            };
            let Ok(spaces) = gather::Spaces::new(&gather, [&y, &x], [0, 0], dtype) else {
                continue;
            };
            let variants = gather::variants(&spaces, &gather, dtype, &factors, place);
            kernels.extend(variants.iter().map(Specialisation::source));
        }
    }
    kernels
}

/// Elements that are picked in their order, and brought back, by few words of a thread and by many.
fn marked(dtype: DType) -> Vec<KernelSource> {
    let (room, mut kernels) = (room(DeviceKind::Cuda), Vec::new());
    for (columns, units) in [(3000, UNITS), (1 << 16, 1)] {
        let Ok(picks) = Gather::pick(0, columns, (0..columns).step_by(3).collect::<Vec<_>>())
        else {
            continue;
        };
        for (number, gather) in [picks.adjoint(), picks].iter().enumerate() {
            let layouts = row_major(gather.rows()).zip(row_major(gather.columns()));
            let Some((y, x)) = layouts else { continue };
            let Some(factors) = checked(updates(dtype)[number], computed(dtype)) else { continue };
            let Ok(spaces) = gather::Spaces::new(gather, [&y, &x], [0, 0], dtype) else { continue };
            let place = Place { units, room, most: LOCAL };
            let variants = gather::variants(&spaces, gather, dtype, &factors, place);
            kernels.extend(variants.iter().map(Specialisation::source));
        }
    }
    kernels
}

/// Rows that name columns anywhere, where groups have much local memory and where they have little.
fn segments(dtype: DType) -> Vec<KernelSource> {
    let (columns, complex) =
        (4096, Complex64::new(0.5, if dtype.is_complex() { 1.0 } else { 0.0 }));
    let room = room(DeviceKind::Cuda);
    let mut kernels = Vec::new();
    for (weight, most) in
        [(None, LOCAL), (None, room), (Some(complex), LOCAL), (Some(0.5.into()), room)]
    {
        let starts: Vec<usize> = (0..=columns).map(|row| 128 * row).collect();
        let entries = 128 * columns;
        let indices = (0..entries).map(|entry| entry * 1237 % columns).collect();
        let weights = weight.map(|weight| vec![weight; entries]);
        let Ok(gather) = Gather::new(0, &[columns], &[columns], starts, indices, weights) else {
            continue;
        };
        let (Some(layout), Some(factors)) = (
            row_major(&[columns]),
            checked(updates(dtype)[usize::from(most == LOCAL)], computed(dtype)),
        ) else {
            continue;
        };
        let Ok(spaces) = gather::Spaces::new(&gather, [&layout, &layout], [0, 0], dtype) else {
            continue;
        };
        let place = Place { units: UNITS, room, most };
        let variants = gather::variants(&spaces, &gather, dtype, &factors, place);
        kernels.extend(variants.iter().map(Specialisation::source));
    }
    kernels
}

/// Running sums along every kind of axis: of short and long lines, many and few, at even and odd places, from both ends.
pub(super) fn scans(dtype: DType) -> Vec<KernelSource> {
    let element = Element(computed(dtype));
    let shapes: [&[usize]; 7] = [
        &[8000, 8000],
        &[7919, 8191],
        &[641, 389, 257],
        &[3000, 50],
        &[1_000_000],
        &[1_000_001, 3],
        &[40_000, 1 << 20],
    ];
    let room = room(DeviceKind::Cuda);
    let limits = scan::Limits { units: UNITS, fence: true, threads: 1024, local_bytes: room };
    let mut kernels = Vec::new();
    for (number, shape) in shapes.into_iter().enumerate() {
        for (axis, extent) in shape.iter().enumerate() {
            let sums = Scan::inclusive(axis, *extent);
            let sums = if (number + axis) % 2 == 0 { sums } else { sums.transpose() };
            let Some(layout) = row_major(shape) else { continue };
            let Ok(spaces) = scan::Spaces::new(&sums, [&layout, &layout], [0, 0], dtype) else {
                continue;
            };
            let Some(factors) = checked(updates(dtype)[number % 2], computed(dtype)) else {
                continue;
            };
            let (formula, values) = Formula::update(&factors, element);
            let tiling = scan::Tiling::new(&spaces, element.0, &limits);
            let count = constants::count(&values);
            let variant = scan::Variant::new(dtype, formula, &spaces, tiling, &sums, count);
            kernels.push(variant.source());
        }
    }
    kernels
}

pub(super) fn reductions(dtype: DType) -> Vec<KernelSource> {
    let product = Formula::of(&(input(0).conj() * input(1) * constant(2.0)));
    let start = Start { stride: 1, first: 0, steps: 0 };
    let all = [Reduction::Sum, Reduction::Maximum, Reduction::Minimum];
    let mut kernels = Vec::new();
    let kinds = [
        ([1, 1], true, Sharing::LastJoins),
        ([1, 1], true, Sharing::Leave),
        ([1, 1], true, Sharing::Alone),
        ([2, 3], false, Sharing::Alone),
    ];
    // The output: as the inputs, or real and as wide, or real and wider.
    let wide = match dtype {
        DType::Float32 => DType::Float64,
        DType::Complex64 => DType::Complex128,
        other => other,
    };
    for (computed, real) in [(dtype, false), (dtype, true), (wide, true)] {
        if real && computed == dtype && !dtype.is_complex() {
            continue;
        }
        for reduction in all.into_iter().take(if dtype.is_complex() && !real { 1 } else { 3 }) {
            let result = if real { computed.real() } else { dtype };
            kernels.push(combine::Variant { computed, result, reduction }.source());
            for (ranks, along, sharing) in kinds {
                let variant = reduce::Variant {
                    dtype,
                    computed,
                    result,
                    reduction,
                    formula: product.clone(),
                    moments: 1,
                    ranks,
                    runs: Runs::new(&[start; 2], dtype.bytes(), if along { 1000 } else { 1 }),
                    wide: !along,
                    groups: Groups {
                        threads: 256,
                        ways: if sharing == Sharing::Alone { 8 } else { 256 },
                        at_once: 4,
                    },
                    along,
                    sharing,
                    baked: Vec::new(),
                    epilogue: None,
                };
                kernels.push(variant.source());
                if reduction == Reduction::Sum && result == DType::Float64 {
                    let epilogue = Epilogue::of_catalogue();
                    kernels.push(reduce::Variant { epilogue, ..variant.clone() }.source());
                }
                if reduction == Reduction::Sum && !real {
                    let moments = if along { 5 } else { 8 };
                    kernels.push(reduce::Variant { moments, ..variant }.source());
                }
            }
        }
    }
    kernels
}
