//! Sparse matrices along an axis: what stands before or behind one on its axis becomes part of its table where that moves
//! fewer bytes.

use arrayspan_bridge::DType;
use arrayspan_kernels::{Band, Gather, Stencil};
use num_complex::Complex64;

use super::IndexMap;
use super::normal::{Factor, Part, Term};
use super::program::Leaf;
use crate::number;
use crate::number::ONE;

/// Bands with more taps than this stay bands: their taps are in the kernel, and rows share what they load.
const MOST_TAPS: usize = 16;

/// Rows and columns, beside four times the entries, of which tables are made to be multiplied or added: it is done on the host.
const LONGEST: usize = 1 << 20;

/// Entries of a sum. A sum of many is added up one by one, each time from the first entry on.
const MOST_ADDED: usize = 1 << 22;

/// The product of two factors of which at least one is a sparse matrix, or of a map that drops most rows of a band, if one
/// pass over its table moves fewer bytes than two.
pub(super) fn product(outer: &Factor, inner: &Factor) -> Option<Gather> {
    let (Part::Leaf(a), Part::Leaf(b)) = (&outer.part, &inner.part) else { return None };
    let drops = || 2 * outer.range.len() <= inner.domain.len();
    let axis = match (a, b) {
        (Leaf::Gather(gather), _) | (_, Leaf::Gather(gather)) => gather.axis(),
        (Leaf::Index { map, .. }, Leaf::Stencil(_)) if drops() => axis_of(map)?,
        _ => return None,
    };
    let entries = |leaf: &Leaf| if let Leaf::Gather(gather) = leaf { gather.entries() } else { 0 };
    let shapes = [outer.range.shape(), inner.range.shape(), inner.domain.shape()];
    let along_axis = shapes.into_iter().filter_map(|shape| shape.get(axis).copied()).max()?;
    // Rows and columns may count several axes.
    let extent = extent(a).max(extent(b)).max(along_axis);
    if extent > longest(entries(a).max(entries(b))) {
        return None;
    }
    let (a, b) = (along(a, outer, axis)?, along(b, inner, axis)?);
    let most = a.entries().saturating_add(b.entries());
    let both = a.after(&b, most)?;
    let dtype = inner.domain.dtype();
    if !can_hold(&both, dtype) {
        return None;
    }
    let columns = b.columns().iter().product::<usize>().max(1);
    let others = inner.domain.len() / columns;
    let written = |factor: &Factor| factor.range.len() * dtype.bytes();
    let bytes = |factor: &Factor, gather: &Gather| match &factor.part {
        Part::Leaf(Leaf::Gather(_)) => gather.cost(others, dtype).bytes() + written(factor),
        // No table is read.
        _ => factor.domain.len().min(factor.range.len()) * dtype.bytes() + written(factor),
    };
    let two = bytes(outer, &a).saturating_add(bytes(inner, &b));
    let one = both.cost(others, dtype).bytes() + written(outer);
    (one <= two).then_some(both)
}

/// The sum of two terms that are multiples of sparse matrices along the same axes.
pub(super) fn sum(a: &Term, b: &Term) -> Option<Gather> {
    let dtype = a.factors.front()?.range.dtype();
    let (one, other) = (alone(a)?, alone(b)?);
    let entries = one.entries().saturating_add(other.entries());
    if entries > MOST_ADDED || extent_of(one) > longest(entries) {
        return None;
    }
    let both = scaled(one, a.scale, dtype)?.plus(&scaled(other, b.scale, dtype)?)?;
    can_hold(&both, dtype).then_some(both)
}

/// The rows of a leaf that is a sparse matrix, or its columns where there are more of them.
fn extent(leaf: &Leaf) -> usize {
    if let Leaf::Gather(gather) = leaf { extent_of(gather) } else { 0 }
}

fn extent_of(gather: &Gather) -> usize {
    gather.rows().iter().product::<usize>().max(gather.columns().iter().product())
}

/// Rows and columns at most of a table with so many entries that is worked on.
fn longest(entries: usize) -> usize {
    LONGEST.saturating_add(entries.saturating_mul(4))
}

/// The sparse matrix that a term is a multiple of.
fn alone(term: &Term) -> Option<&Gather> {
    match term.factors.front()? {
        Factor { part: Part::Leaf(Leaf::Gather(gather)), .. } if term.factors.len() == 1 => {
            Some(gather)
        }
        _ => None,
    }
}

fn scaled(gather: &Gather, scale: Complex64, dtype: DType) -> Option<Gather> {
    let scaled = if scale == ONE { gather.clone() } else { gather.scaled(scale) };
    can_hold(&scaled, dtype).then_some(scaled)
}

/// Whether the weights are numbers of the dtype.
fn can_hold(gather: &Gather, dtype: DType) -> bool {
    number::entries_of("product", gather, dtype).is_ok()
}

/// A leaf as a sparse matrix along `axis`, if it does nothing along any other.
fn along(leaf: &Leaf, factor: &Factor, axis: usize) -> Option<Gather> {
    match leaf {
        Leaf::Gather(gather) => (gather.axis() == axis).then(|| gather.clone()),
        Leaf::Index { map, adjoint: false } => of_map(map, axis),
        Leaf::Index { map, adjoint: true } => Some(of_map(map, axis)?.adjoint()),
        Leaf::Stencil(stencil) => of_band(stencil, factor, axis),
        _ => None,
    }
}

/// The axis on which a map does something, if it is one alone.
fn axis_of(map: &IndexMap) -> Option<usize> {
    let axes = map.axes()?;
    let whole = |axis: &usize| is_whole(map, *axis);
    let mut changed = (0..axes.len()).filter(|axis| !whole(axis));
    changed.next().filter(|_| changed.next().is_none())
}

/// Whether output axis `axis` is the input axis of that number, as it is.
fn is_whole(map: &IndexMap, axis: usize) -> bool {
    let Some(read) = map.axes().and_then(|axes| axes.get(axis)) else { return false };
    let extent = map.range()[axis];
    let straight = match read.pieces() {
        [piece] => piece
            .source
            .is_some_and(|source| source.first == 0 && (source.step == 1 || extent <= 1)),
        _ => false,
    };
    let from = read.from() == Some(axis) || (read.from().is_none() && extent == 1);
    straight && from && map.domain().get(axis) == Some(&extent)
}

/// An index map that does nothing along other axes.
fn of_map(map: &IndexMap, axis: usize) -> Option<Gather> {
    let axes = map.axes()?;
    if map.domain().len() != axes.len() || axis >= axes.len() {
        return None;
    }
    if (0..axes.len()).any(|other| other != axis && !is_whole(map, other)) {
        return None;
    }
    let (rows, columns) = (map.range()[axis], map.domain()[axis]);
    let held = map.held()?[axis];
    let (mut starts, mut indices) = (vec![0], Vec::new());
    for piece in axes[axis].pieces() {
        for at in 0..piece.len() {
            // A new axis reads the index at which the input axis is held.
            indices.extend(piece.source.map(|source| match axes[axis].from() {
                Some(_) => source.first.wrapping_add_signed(source.step * at as isize),
                None => held,
            }));
            starts.push(indices.len());
        }
    }
    Gather::new(axis, &[rows], &[columns], starts, indices, None).ok()
}

/// A band with few taps.
fn of_band(stencil: &Stencil, factor: &Factor, axis: usize) -> Option<Gather> {
    let [(own, band)] = stencil.terms() else { return None };
    let most = band.pieces().map(|(_, taps)| taps.len()).max().unwrap_or(0);
    if *own != axis || most > MOST_TAPS || factor.domain.shape().get(axis) != Some(&band.len()) {
        return None;
    }
    matrix(band, axis)
}

fn matrix(band: &Band, axis: usize) -> Option<Gather> {
    let (mut starts, mut indices, mut weights) = (vec![0], Vec::new(), Vec::<Complex64>::new());
    for row in 0..band.len() {
        for tap in band.row(row) {
            indices.push(row.checked_add_signed(tap.offset)?);
            weights.push(tap.weight);
        }
        starts.push(indices.len());
    }
    Gather::new(axis, &[band.len()], &[band.len()], starts, indices, Some(weights)).ok()
}
