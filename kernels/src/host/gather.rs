//! `y ← alpha · S x + beta · y` with a sparse matrix along an axis, on the host.
//!
//! Where neighbours in `y` lie along another axis, a row is a sum of lanes along that one; else each element of a lane of
//! `y` is a row.

use std::ops::Range;

use arrayspan_bridge::iteration::collapse;
use arrayspan_bridge::{DType, Lanes, LanesMut, Layout, Relayout, View, ViewMut};
use bytemuck::{cast_slice, cast_slice_mut};
use num_complex::Complex64;
use smallvec::SmallVec;

use super::blend::{blend, term};
use super::gather_half;
use super::gather_rows::{Along, SHARED};
use super::map;
use super::operands::values;
use super::parts::{Parts, by_stride, flat, for_each_lane, for_each_part, unflatten};
use super::scalar::{Scalar, with_scalar};
use super::stored::Half;
use super::tile::Blend;
use crate::Result;
use crate::factors::Known;
use crate::gather::{Table, Weights};
use crate::verb::{GatherCall, MapCall, Split};

/// Elements of a lane that are computed at a time.
const CHUNK: usize = 8192;

/// Lanes that are added in one pass.
const TERMS: usize = 8;

pub(super) fn run(call: &mut GatherCall<'_>) -> Result<()> {
    if call.y.layout().is_empty() {
        return Ok(());
    }
    if let Some((scale, factor)) =
        GatherCall::without_entries(&call.gather, call.y.dtype(), &call.factors)
    {
        let inputs: Vec<View<'_>> = factor.iter().map(|factor| factor.view()).collect();
        return map::run(&mut MapCall::new(&scale, &inputs, call.y.view_mut())?);
    }
    let known = values(&call.factors)?;
    match call.y.dtype() {
        DType::Float16 => return halves::<half::f16>(call, known),
        DType::BFloat16 => return halves::<half::bf16>(call, known),
        _ => {}
    }
    let real = call.gather.is_real() && known.is_real();
    with_scalar!("gather", call.y.dtype(), T => {
        if real { gather::<T, <T as Scalar>::Part>(call, known) } else { gather::<T, T>(call, known) }
    })
}

/// Arrays of 16-bit floats.
fn halves<T: Half>(call: &mut GatherCall<'_>, update: Known) -> Result<()> {
    let gather = call.gather.clone();
    let table = gather.table()?;
    let Arranged { x, mut y, outer, across, extents } = of_call(call)?;
    let entries = entries_of_row(table);
    let each = ((entries + 1) * size_of::<T>(), 4 * entries);
    let rows = gather_half::Halves::new(x.lanes::<T>()?, table, (outer, across), extents, update);
    let y = y.lanes_mut::<T>()?;
    for_each_part(y, Parts::Lanes, each, &|origin, part| rows.part(origin, part));
    Ok(())
}

/// `L` is `T`, or its parts when all weights are real.
fn gather<T: Scalar, L: Scalar>(call: &mut GatherCall<'_>, update: Known) -> Result<()> {
    let gather = call.gather.clone();
    let table = gather.table()?;
    let Arranged { x, mut y, outer, across, extents } = of_call(call)?;
    // What an element takes.
    let entries = entries_of_row(table);
    let each = ((entries + 1) * size_of::<T>(), 2 * entries);
    let x = x.lanes::<T>()?;
    let y = y.lanes_mut::<T>()?;
    if across {
        let across = Across::<T, L>::new(x, table, outer, extents, update);
        for_each_part(y, Parts::Lanes, each, &|origin, part| across.part(origin, part));
    } else {
        let along = Along::new(x, table, outer, extents, update);
        for_each_part(y, Parts::Lanes, each, &|origin, part| along.part(origin, part));
    }
    Ok(())
}

/// The mean entries of a row, rounded up, at least one.
fn entries_of_row(table: &Table) -> usize {
    table.entries().div_ceil(table.rows.max(1)).max(1)
}

/// Views with as few axes as possible: the other axes first, then those of the matrix, each in their order. Where lanes go
/// along one of the others, it is behind all.
struct Arranged<'a> {
    x: View<'a>,
    y: ViewMut<'a>,
    /// How many axes come first.
    outer: usize,
    /// Whether lanes go along another axis than the matrix does.
    across: bool,
    /// The extents of the axes of rows and of columns.
    extents: [Vec<usize>; 2],
}

fn of_call<'a>(call: &'a mut GatherCall<'_>) -> Result<Arranged<'a>> {
    let of_x = Split::of_columns(&call.gather, call.x.layout().rank());
    let of_y = Split::of_rows(&call.gather, call.y.layout().rank());
    arranged((call.x.view(), &of_x), (call.y.view_mut(), &of_y))
}

fn arranged<'a>(
    (x, of_x): (View<'a>, &Split),
    (y, of_y): (ViewMut<'a>, &Split),
) -> Result<Arranged<'a>> {
    let (shape, strides) = (y.shape().to_vec(), y.layout().strides().to_vec());
    let order = by_stride(&of_y.others.iter().map(|axis| strides[*axis]).collect::<Vec<_>>());
    let sorted = |split: &Split| order.iter().map(|at| split.others[*at]).collect::<Vec<_>>();
    let (others_x, others_y) = (sorted(of_x), sorted(of_y));
    let long = |axis: &&usize| shape[**axis] > 1;
    let near = |axis: &usize| strides[*axis].unsigned_abs();
    let rows = of_y.own.iter().filter(long).map(near).min().unwrap_or(usize::MAX);
    let across = others_y.iter().filter(long).map(near).min().is_some_and(|lane| lane <= rows);

    let along = [Split::along(y.layout(), &others_y)?, Split::along(x.layout(), &others_x)?];
    let others = collapse(&[&along[0], &along[1]]).shape;
    let own = |layout: &Layout, axes: &[usize]| {
        let mut shape = collapse(&[&Split::along(layout, axes)?]).shape.to_vec();
        if shape.is_empty() {
            shape.push(1);
        }
        Ok::<_, crate::Error>(shape)
    };
    let rows = own(y.layout(), &of_y.own)?;
    let columns = own(x.layout(), &of_x.own)?;
    let x = x.permuted(&[others_x, of_x.own.clone()].concat())?;
    let y = y.permuted(&[others_y, of_y.own.clone()].concat())?;
    let (x, y) = (
        x.reshaped(&[&others[..], &columns].concat())?,
        y.reshaped(&[&others[..], &rows].concat())?,
    );
    if !across {
        return Ok(Arranged { x, y, outer: others.len(), across, extents: [rows, columns] });
    }
    let outer = others.len() - 1;
    let last =
        |rank: usize| (0..rank).filter(|axis| *axis != outer).chain([outer]).collect::<Vec<_>>();
    let x = x.permuted(&last(others.len() + columns.len()))?;
    let y = y.permuted(&last(others.len() + rows.len()))?;
    Ok(Arranged { x, y, outer, across, extents: [rows, columns] })
}

/// Rows that are sums of lanes.
struct Across<'a, T, L> {
    x: Lanes<'a, T>,
    table: &'a Table,
    outer: usize,
    rows: Vec<usize>,
    columns: Vec<usize>,
    alpha: Complex64,
    beta: Blend<L>,
    /// Whether elements are only moved.
    moves: bool,
}

impl<'a, T: Scalar, L: Scalar> Across<'a, T, L> {
    fn new(
        x: Lanes<'a, T>,
        table: &'a Table,
        outer: usize,
        [rows, columns]: [Vec<usize>; 2],
        update: Known,
    ) -> Self {
        let moves = update == Known::SET && table.weights == Weights::Ones;
        let beta = Blend::new(L::rounded(update.beta));
        Self { x, table, outer, rows, columns, alpha: update.alpha, beta, moves }
    }

    /// Computes the part of the output that begins at `origin`.
    fn part(&self, origin: &[usize], mut y: LanesMut<'_, T>) {
        let shape = y.shape().to_vec();
        let axis = shape.len() - 1;
        let mut sum = Vec::new();
        for_each_lane(origin, &shape, CHUNK, |index, at, len| {
            let row = flat(&self.rows, &at[self.outer..axis]);
            let mut lane = y.lane(index, axis, len);
            if let Some(slice) = lane.as_mut_slice() {
                return self.row(row, at, slice);
            }
            sum.resize(len, T::default());
            if self.beta != Blend::Set {
                lane.read().gather(0, &mut sum);
            }
            self.row(row, at, &mut sum);
            lane.scatter(0, &sum);
        });
    }

    /// Computes a row at the elements from `at` along the last axis, as many as `y` has.
    fn row(&self, row: usize, at: &[usize], y: &mut [T]) {
        let span = self.table.span(row);
        let axis = self.outer + self.columns.len();
        let mut index = SmallVec::<[usize; 8]>::from_elem(0, axis + 1);
        index[..self.outer].copy_from_slice(&at[..self.outer]);
        index[axis] = at[at.len() - 1];
        if self.moves && span.len() == 1 {
            unflatten(
                &self.columns,
                self.table.indices.get(span.start),
                &mut index[self.outer..axis],
            );
            return self.x.lane(&index, axis, y.len()).gather(0, y);
        }
        let alpha = L::rounded(self.alpha);
        if alpha == L::one() || self.table.weights == Weights::Ones {
            return self.sum(self.beta, span, &index, alpha, y);
        }
        // Not into the weights: their product with a factor may be no number of the dtype where the result is one.
        let mut sum = vec![T::default(); y.len()];
        self.sum(Blend::Set, span, &index, L::one(), &mut sum);
        blend(self.beta, cast_slice_mut(y), &[term(cast_slice(&sum), alpha)]);
    }

    /// `y ← factor · Σ + beta · y` over some entries.
    fn sum(&self, beta: Blend<L>, span: Range<usize>, index: &[usize], factor: L, y: &mut [T]) {
        if span.len() >= TERMS && span.len().saturating_mul(y.len()) > SHARED {
            let middle = span.start + span.len() / 2;
            let mut rest = vec![T::default(); y.len()];
            rayon::join(
                || self.sum(beta, span.start..middle, index, factor, y),
                || self.sum(Blend::Set, middle..span.end, index, factor, &mut rest),
            );
            return blend(Blend::Add, cast_slice_mut(y), &[term(cast_slice(&rest), L::one())]);
        }
        let axis = self.outer + self.columns.len();
        let mut index = SmallVec::<[usize; 8]>::from_slice(index);
        let mut copied: Vec<T> = Vec::new();
        let (mut beta, mut from) = (beta, span.start);
        loop {
            let some = from..span.end.min(from + TERMS);
            let mut lanes = SmallVec::<[_; TERMS]>::new();
            for entry in some.clone() {
                unflatten(
                    &self.columns,
                    self.table.indices.get(entry),
                    &mut index[self.outer..axis],
                );
                let weight = match self.table.weights {
                    Weights::Ones => factor,
                    _ => L::rounded(self.table.weights.get(entry)),
                };
                lanes.push((self.x.lane(&index, axis, y.len()), weight));
            }
            // Strided lanes are copied together first.
            let strided = lanes.iter().any(|(lane, _)| lane.as_slice().is_none());
            if strided {
                copied.resize(y.len() * TERMS, T::default());
                let places = copied.chunks_exact_mut(y.len());
                lanes.iter().zip(places).for_each(|((lane, _), place)| lane.gather(0, place));
            }
            let mut terms = SmallVec::<[_; TERMS]>::new();
            for (number, (lane, weight)) in lanes.iter().enumerate() {
                let copy = || &copied[number * y.len()..][..y.len()];
                let lane = if strided { copy() } else { lane.as_slice().unwrap_or_default() };
                terms.push(term(cast_slice(lane), *weight));
            }
            blend(beta, cast_slice_mut(y), &terms);
            (beta, from) = (Blend::Add, some.end);
            if from == span.end {
                break;
            }
        }
    }
}
