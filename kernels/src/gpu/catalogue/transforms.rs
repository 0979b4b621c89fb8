//! Kernels of Fourier transforms.

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::{KernelSource, Specialisation};

use super::super::element::Element;
use super::super::fft::{Call, Common, Ends, Table, variants};
use super::super::filter;
use super::super::formula::Formula;
use super::setting::{checked, row_major, updates};
use crate::factors::Factors;
use crate::fourier::{Arrays, Limits, Lines, ROOM, Route, Schedule, complex};
use crate::{Filter, Fourier};

/// With every radix, in one pass and in several, along the last axis and along another; from and to real numbers, which a real dtype
/// stands for.
pub(super) fn all(dtype: DType) -> Vec<KernelSource> {
    let shapes: [([usize; 2], usize); 12] = [
        ([70, 4096], 1),
        ([1001, 50], 0),
        ([3, 8000], 1),
        ([9000, 40], 0),
        ([50, 1031], 1),
        ([15, 3], 0),
        ([30, 96], 1),
        ([200, 30], 0),
        ([2, 16_384], 1),
        ([2, 6144], 1),
        ([6000, 9], 0),
        ([2, 12_288], 1),
    ];
    let mut kernels = Vec::new();
    for (number, (shape, axis)) in shapes.into_iter().enumerate() {
        let Ok(fourier) = Fourier::new(axis, shape[axis]) else { continue };
        let first = match (dtype.is_complex(), number % 3) {
            (true, 0) => fourier,
            (true, 1) => fourier.adjoint().of_extent(shape[axis] + 9).turned([1, 3]),
            (true, _) => fourier.conj(),
            (false, 0) => fourier.half(),
            (false, 1) => fourier.half().adjoint(),
            (false, _) => fourier.real().adjoint(),
        };
        let cosines = if number % 2 == 0 { fourier.cosines() } else { fourier.cosines().adjoint() };
        let all = if dtype.is_complex() { vec![first] } else { vec![first, cosines] };
        for fourier in all {
            kernels.extend(of(&fourier, shape, dtype, number).unwrap_or_default());
        }
    }
    kernels
}

/// Long filters along both axes, with as much local memory as is given and with more.
pub(super) fn filters(dtype: DType) -> Vec<KernelSource> {
    let cases: [([usize; 2], usize, usize); 3] =
        [([500, 70], 0, 200), ([8000, 200], 0, 1001), ([3, 9000], 1, 900)];
    let of = |(number, (shape, axis, taps)): (usize, ([usize; 2], usize, usize))| {
        let filter = Filter::new(axis, &vec![1.0.into(); taps], taps / 2).ok()?;
        filtered(&filter, shape, dtype, &checked(updates(dtype)[number % 2], dtype)?)
    };
    cases.into_iter().enumerate().filter_map(of).flatten().collect()
}

/// Filters of whole lines: of an odd number of samples, and of lines side by side in more memory than is given.
pub(super) fn periodic(dtype: DType) -> Vec<KernelSource> {
    let cases: [([usize; 2], usize); 3] = [([9, 45], 1), ([2000, 50], 0), ([3, 4096], 1)];
    let of = |(shape, axis): ([usize; 2], usize)| {
        let bins = vec![1.0.into(); shape[axis] / 2 + 1];
        let filter = Filter::periodic_real(axis, shape[axis], &bins).ok()?;
        filter.check("filter", &shape, dtype).ok()?;
        filtered(&filter, shape, dtype, &Factors::set())
    };
    cases.into_iter().filter_map(of).flatten().collect()
}

/// The kernels that may apply a filter to an array, if they can.
fn filtered(
    filter: &Filter,
    shape: [usize; 2],
    dtype: DType,
    factors: &Factors<'_>,
) -> Option<Vec<KernelSource>> {
    let layout = row_major(&shape)?;
    let lines = Lines::along(filter.axis(), [&layout; 2]).ok()?;
    let written = (Formula::update(factors, Element(complex(dtype))).0, 2);
    let (of, at) = ((filter, dtype, shape[filter.axis()]), (&lines, [0; 2]));
    let held = filter::Held::new(of, at, &written).map(|held| held.source());
    let blocks = filter::Variant::new(of, at, Limits::CUDA.local, &written).source();
    Some(held.into_iter().chain([blocks]).collect())
}

/// The kernels of one call, if it can be made.
fn of(
    fourier: &Fourier,
    mut shape: [usize; 2],
    dtype: DType,
    number: usize,
) -> Option<Vec<KernelSource>> {
    let axis = fourier.axis();
    let [from, to] = fourier.extents();
    shape[axis] = from;
    let x = row_major(&shape)?;
    shape[axis] = to;
    let y = row_major(&shape)?;
    let [of_x, of_y] = fourier.dtypes(dtype);
    let complex = complex(of_y);
    let lines = Lines::new(fourier, [&y, &x]).ok()?;
    let across = lines.across.contains(&true);
    // As on CUDA, and with what every device has.
    let limits = [Limits::CUDA, Limits::LEAST][number % 2];
    let schedule = Schedule::new(limits, fourier, of_y, lines.count(), across);
    let table = Table::new(&schedule, fourier);
    let align = [of_y, of_x].map(DType::bytes);
    let factors = checked(updates(of_y)[number % 2], of_y)?;
    let common = Common {
        fourier,
        dtype: complex,
        lines: &lines,
        schedule: &schedule,
        align,
        pairs: [number.is_multiple_of(2); 2],
    };
    let all = variants(&common, &table.places(), &factors);
    let mut all: Vec<KernelSource> = all.iter().map(Specialisation::source).collect();
    let (bytes, plain) = (align, factors.is_set());
    let arrays = Arrays { lines: &lines, bytes, addresses: [0; 2], plain };
    let route = Route::new(fourier, complex, &arrays, ([1; 2], ROOM))?;
    let call = Call { fourier, dtype: complex, lines: &lines, route: &route, align };
    for (behind, factors) in [(false, &Factors::set()), (true, &factors)] {
        let formula = Formula::update(factors, Element(complex)).0;
        all.push(Ends::new(&call, behind, (&formula, 0)).source());
    }
    Some(all)
}
