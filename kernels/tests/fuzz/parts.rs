//! What verbs multiply by and read along: spans, bands, sparse matrices, running sums, convolutions.

use arrayspan_kernels::verb::{Span, Spans};
use arrayspan_kernels::{Along, Band, Convolution, Fourier, Gather, Scan, Tap, VaryingConvolution};
use num_complex::Complex64;

use crate::cell::Cell;
use crate::draw::Draw;

/// At most this many spans along an axis.
const MOST_SPANS: usize = 8;

/// What an output axis of extent `to` reads of an input axis of extent `from`.
pub fn spans(draw: &mut Draw, from: usize, to: usize) -> Spans {
    let mut spans = Spans::new();
    if from == to && to > 0 && draw.once_in(5) {
        spans.push(Span { end: to, reads: Some((0, 1)) });
        return spans;
    }
    let mut at = 0;
    while at < to {
        let last = spans.len() + 1 == MOST_SPANS || draw.once_in(3);
        let len = if last { to - at } else { 1 + draw.below(to - at) };
        let reads = if from == 0 || draw.once_in(4) { None } else { Some(read(draw, from, len)) };
        at += len;
        spans.push(Span { end: at, reads });
    }
    spans
}

/// The first index that a span of this length reads of an axis, and a step: whole runs as often as any.
fn read(draw: &mut Draw, extent: usize, len: usize) -> (usize, isize) {
    if len <= extent && draw.once_in(2) {
        let first = draw.below(extent - len + 1);
        return if draw.once_in(2) { (first, 1) } else { (first + len - 1, -1) };
    }
    let first = draw.below(extent);
    let within = |step: &isize| {
        let last = first as isize + step * (len as isize - 1);
        (0..extent as isize).contains(&last)
    };
    let steps: Vec<isize> = [0, 1, -1, 1, -1, 2, -2, 3, -5, 7].into_iter().filter(within).collect();
    (first, draw.pick(&steps))
}

/// A band along an axis of that extent, often with rows of their own near its ends.
pub fn band(cell: &Cell, draw: &mut Draw, extent: usize) -> Band {
    let complex = cell.is_complex() && draw.once_in(5);
    let reach = draw.pick(&[1, 1, 2, 2, 3, 4, 8, 20, 70]);
    let count = draw.pick(&[1, 2, 3, 3, 5, 9, 17, 40]);
    let mut taps: Vec<Tap> = Vec::new();
    for number in 0..count {
        let offset = if draw.once_in(3) {
            number - count / 2
        } else {
            draw.below(2 * reach + 1) as isize - reach as isize
        };
        if taps.iter().all(|tap| tap.offset != offset) {
            taps.push(Tap { offset, weight: draw.weight(cell, complex) });
        }
    }
    taps.sort_by_key(|tap| tap.offset);
    if draw.once_in(3) {
        return Band::uniform_complex(extent, taps.iter().map(|tap| (tap.offset, tap.weight)));
    }
    let edge = draw.pick(&[1, 1, 2, 3, 5, 9]);
    let (seed, wraps) = (draw.bits(), draw.once_in(2));
    let band = Band::from_rows(extent, edge, move |row| {
        let there = |offset: isize| row.checked_add_signed(offset).is_some_and(|at| at < extent);
        let mut taps: Vec<Tap> = taps.iter().copied().filter(|tap| there(tap.offset)).collect();
        if row >= edge && row + edge < extent {
            return taps;
        }
        let own = if row < edge { row } else { 1000 + extent - row };
        let mut draw = Draw::new(seed ^ own as u64);
        taps.truncate(draw.below(5));
        for tap in &mut taps {
            tap.weight *= draw.value();
        }
        let offset = draw.below(extent) as isize - row as isize;
        let far = offset.unsigned_abs() < 12 && taps.iter().all(|tap| tap.offset != offset);
        if wraps && far {
            taps.push(Tap { offset, weight: draw.value().into() });
        }
        taps.sort_by_key(|tap| tap.offset);
        taps
    });
    match draw.below(4) {
        0 => band.transpose(),
        1 => band.adjoint(),
        _ => band,
    }
}

/// A sparse matrix along an axis, of about `most` rows at most.
pub fn gather(cell: &Cell, draw: &mut Draw, axis: usize, columns: usize, most: usize) -> Gather {
    let pick = |indices: Vec<usize>| Gather::pick(axis, columns, indices).unwrap();
    let kind = draw.below(8);
    if columns == 0 {
        let rows = draw.below(4);
        return Gather::new(axis, &[rows], &[0], vec![0; rows + 1], vec![], None).unwrap();
    }
    match kind {
        0 => return pick(draw.order(columns)),
        1 => {
            let rows = draw.below(most.min(400));
            return pick((0..rows).map(|_| draw.below(columns)).collect());
        }
        2 => return pick((0..columns).step_by(1 + draw.below(4)).collect()),
        _ => {}
    }
    let few = 1 + draw.below(300);
    let rows = draw.pick(&[columns, columns / 2, 1, 2 * columns, few]).min(most).max(1);
    let weights = draw.below(3);
    let (lengths, near, same) = (draw.below(6), draw.once_in(2), 1 + draw.below(5));
    let long = draw.below(rows);
    let (mut starts, mut indices, mut factors) = (vec![0], Vec::new(), Vec::<Complex64>::new());
    for row in 0..rows {
        let entries = match lengths {
            0 => same,
            1 => draw.below(4),
            2 => draw.below(20),
            3 if row == long => 60 + draw.below(400),
            3 => draw.below(3),
            4 => 2,
            _ => draw.pick(&[0, 1, 63, 64, 65, 100]),
        };
        let entries = if indices.len() > 40_000 { entries.min(1) } else { entries };
        let first = row * columns / rows;
        for entry in 0..entries {
            let column = if near { (first + entry) % columns } else { draw.below(columns) };
            indices.push(column);
            factors.push(draw.weight(cell, weights == 2));
        }
        starts.push(indices.len());
    }
    let factors = (weights > 0).then_some(factors);
    Gather::new(axis, &[rows], &[columns], starts, indices, factors).unwrap()
}

/// A transform of few or many points, from either side, of real or complex numbers as the cell has them, with ends of any length; of about `room`
/// points at most.
pub fn fourier(cell: &Cell, draw: &mut Draw, axis: usize, room: usize) -> Fourier {
    let points = match draw.below(4) {
        0 => 1 + draw.below(16),
        1 => draw.pick(&[17, 31, 32, 64, 77, 128, 143, 256]),
        2 => draw.pick(&[360, 509, 1001, 1024, 4100]),
        _ => 1 + draw.below(100),
    };
    let points = if points > room.max(16) { 1 + draw.below(16) } else { points };
    let mut fourier = Fourier::new(axis, points).unwrap();
    if !cell.is_complex() {
        let kinds = [Fourier::half, Fourier::real, Fourier::cosines];
        fourier = draw.pick(&kinds)(fourier);
        fourier = fourier.weighted(draw.value()).unwrap_or(fourier);
    }
    if draw.once_in(3) {
        fourier = fourier.of_extent(draw.below(2 * points + 2));
    }
    if draw.once_in(3) {
        fourier = fourier.turned([draw.below(points), draw.below(points)]);
    }
    if draw.once_in(2) {
        fourier = fourier.scaled(draw.value()).unwrap();
    }
    if draw.once_in(2) {
        fourier = fourier.adjoint();
    }
    if draw.once_in(4) { fourier.conj() } else { fourier }
}

/// Running sums along an axis, of either direction, some first rows and columns left out.
pub fn scan(draw: &mut Draw, axis: usize, extent: usize) -> Scan {
    let mut scan = match draw.below(4) {
        0 => Scan::inclusive(axis, extent),
        1 => Scan::exclusive(axis, extent),
        2 => {
            let [corner, coupling] = [[0.0, 0.5], [0.5, 1.0]].map(|of| draw.pick(&of));
            Scan::weighted(axis, extent, 0.5, corner, coupling).unwrap()
        }
        _ => {
            let (diagonal, corner) = (draw.value(), draw.value());
            Scan::weighted(axis, extent, diagonal, corner, draw.pick(&[0.0, -1.25])).unwrap()
        }
    };
    for _ in 0..draw.below(3) {
        if draw.once_in(2) {
            scan = scan.without(draw.below(scan.rows() + 1)).unwrap();
        }
        if draw.once_in(2) {
            scan = scan.transpose();
        }
    }
    scan
}

/// A convolution along some axes of so many, of about so many taps at most, some of them zero.
pub fn convolution(cell: &Cell, draw: &mut Draw, rank: usize, most: usize) -> Convolution {
    let mut axes = draw.order(rank);
    axes.truncate(1 + draw.below(rank));
    axes.sort_unstable();
    let mut left = most;
    let extent = |_: &usize| {
        let extent = draw.pick(&[1, 2, 3, 3, 4, 5, 7, 9, 16, 17, 33]).min(left);
        left = (left / extent).max(1);
        extent
    };
    let extents: Vec<usize> = axes.iter().map(extent).collect();
    let offsets: Vec<usize> = extents.iter().map(|extent| draw.below(*extent)).collect();
    let (complex, zeros) = (cell.is_complex() && draw.once_in(3), draw.once_in(3));
    let tap = |_| {
        let tap = draw.weight(cell, complex);
        if zeros && draw.once_in(2) { Complex64::ZERO } else { tap }
    };
    let taps: Vec<Complex64> = (0..extents.iter().product()).map(tap).collect();
    Convolution::new(&axes, &extents, &taps, &offsets).unwrap()
}

/// Filters at places of arrays of that shape, with samples along three axes at most; there or back.
pub fn varying(cell: &Cell, draw: &mut Draw, shape: &[usize], most: usize) -> VaryingConvolution {
    let mut axes = draw.order(shape.len());
    axes.retain(|axis| shape[*axis] > 0);
    axes.truncate(1 + draw.below(3));
    axes.sort_unstable();
    let mut left = most;
    let mut along = Vec::new();
    for axis in axes {
        let (extent, once_in) = (shape[axis], draw.pick(&[1, 3, 10, 100]));
        let mut places: Vec<usize> = (0..extent).filter(|_| draw.once_in(once_in)).collect();
        places.truncate(left.clamp(1, 20));
        if places.is_empty() {
            places.push(draw.below(extent));
        }
        left = (left / places.len()).max(1);
        let taps = draw.pick(&[1, 2, 3, 3, 4, 5, 7, 16, 17, 33]).min(left);
        left = (left / taps).max(1);
        along.push(Along { axis, extent, places, taps, offset: draw.below(taps) });
    }
    let (complex, zeros) = (cell.is_complex() && draw.once_in(3), draw.once_in(3));
    let tap = |_| {
        let tap = draw.weight(cell, complex);
        if zeros && draw.once_in(2) { Complex64::ZERO } else { tap }
    };
    let count = along.iter().map(|along| along.places.len() * along.taps).product();
    let filters: Vec<Complex64> = (0..count).map(tap).collect();
    let varying = VaryingConvolution::new(&along, &filters).unwrap();
    if draw.once_in(2) { varying.adjoint() } else { varying }
}
