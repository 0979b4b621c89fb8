//! `y ← alpha · Σ xₛ[mₛ] + beta · y` along index maps, on the host: row by row, each row of what its spans read.

use arrayspan_bridge::iteration::{Axes, Each};
use arrayspan_bridge::{DType, Lanes, LanesMut, Relayout, View, goes_past_caches};
use bytemuck::{cast_slice, cast_slice_mut};
use half::{bf16, f16};

use super::blend::{blend, term};
use super::mapped_axes::{Inputs, arranged};
use super::operands::values;
use super::parts::{Parts, for_each_lane, for_each_part, unflatten};
use super::scalar::{Scalar, with_scalar};
use super::stored::Stored;
use super::tile::{Blend, Term};
use crate::Result;
use crate::factors::Known;
use crate::verb::{CopyMappedCall, Spans};

/// Elements that are made together at a time.
const CHUNK: usize = 4096;

pub(super) fn run(call: &mut CopyMappedCall<'_>) -> Result<()> {
    if call.y.layout().is_empty() {
        return Ok(());
    }
    let known = values(&call.factors)?;
    match call.y.dtype() {
        DType::Float16 => return of_halves::<f16>(call, known),
        DType::BFloat16 => return of_halves::<bf16>(call, known),
        _ => {}
    }
    with_scalar!("copy_mapped", call.y.dtype(), T => {
        if known.is_real() {
            copy::<T, <T as Scalar>::Part>(call, known)
        } else {
            copy::<T, T>(call, known)
        }
    })
}

/// `L` is `T`, or its parts when both factors are real.
fn copy<T: Scalar, L: Scalar>(call: &mut CopyMappedCall<'_>, known: Known) -> Result<()> {
    let sources = call.sources.iter().map(|source| (source.x.view(), source.axes.clone()));
    let (sources, y) = arranged(sources.collect(), call.y.view_mut())?;
    let (shape, contiguous) = (y.shape().to_vec(), y.layout().is_contiguous());
    let len: usize = shape.iter().product();
    // All rows are one line where they lie so.
    let mut y = if contiguous { y.reshaped(&[len])? } else { y };
    let arrays = 1 + sources.len() + usize::from(known.reads());
    let mapped = Copy::<T, L>::new(shape, sources, known)?;
    let past = contiguous && mapped.plain && goes_past_caches(len * size_of::<T>());
    let cost = (arrays * size_of::<T>(), 2 * mapped.sources.len());
    for_each_part(y.lanes_mut::<T>()?, Parts::Lanes, cost, &|origin, part| {
        if contiguous {
            mapped.line(origin[0], part, past);
        } else {
            mapped.rows(origin, part);
        }
    });
    Ok(())
}

/// The same of 16-bit floats, whose rows are made as numbers and stored then.
fn of_halves<S: Stored>(call: &mut CopyMappedCall<'_>, known: Known) -> Result<()> {
    let sources = call.sources.iter().map(|source| (source.x.view(), source.axes.clone()));
    let (sources, mut y) = arranged(sources.collect(), call.y.view_mut())?;
    let arrays = 1 + sources.len() + usize::from(known.reads());
    let mapped = Copy::<S, S::Number>::new(y.shape().to_vec(), sources, known)?;
    let cost = (arrays * size_of::<S>(), 4 * mapped.sources.len());
    for_each_part(y.lanes_mut::<S>()?, Parts::Lanes, cost, &|origin, part| {
        mapped.rows(origin, part);
    });
    Ok(())
}

/// A mapped copy whose arrays can be read.
struct Copy<'a, T, L> {
    shape: Vec<usize>,
    sources: Each<Source<'a, T>>,
    alpha: L,
    beta: Blend<L>,
    /// Whether elements are nothing but moved, if there is one input.
    plain: bool,
}

struct Source<'a, T> {
    /// All axes but the last.
    outer: Axes<Spans>,
    /// For each span of the last axis its end, and the input with that axis as the span reads it.
    inner: Each<(usize, Option<Lanes<'a, T>>)>,
}

impl<'a, T: Stored> Source<'a, T> {
    fn new((x, mut axes): (View<'a>, Axes<Spans>)) -> Result<Self> {
        let mut start = 0;
        let last = axes.pop().unwrap_or_default();
        let axis = axes.len();
        let lanes = last.iter().map(|span| {
            let len = span.end - std::mem::replace(&mut start, span.end);
            let Some(reads) = span.reads else { return Ok((span.end, None)) };
            Ok((span.end, Some(read(&x, axis, reads, len)?.lanes::<T>()?)))
        });
        let inner = lanes.collect::<Result<_>>()?;
        Ok(Self { outer: axes, inner })
    }

    /// The index of the input at an index of the output, without the last axis, which stays 0; `None` where nothing is read.
    fn index(&self, at: &[usize], index: &mut [usize]) -> bool {
        self.outer.iter().zip(at).zip(index).all(|((spans, &at), index)| {
            let mut start = 0;
            for span in spans {
                if at < span.end {
                    let Some((first, step)) = span.reads else { return false };
                    *index = first.wrapping_add_signed(step.wrapping_mul((at - start) as isize));
                    return true;
                }
                start = span.end;
            }
            false
        })
    }
}

/// The input with `len` indices along the last axis: those that a span reads.
fn read<'a>(
    x: &View<'a>,
    axis: usize,
    (first, step): (usize, isize),
    len: usize,
) -> Result<View<'a>> {
    let x = x.clone();
    if step == 0 || len == 1 {
        let mut shape = x.shape().to_vec();
        shape[axis] = len;
        return Ok(x.sliced(axis, first, 1)?.broadcast(&shape)?);
    }
    let reach = step.unsigned_abs() * (len - 1);
    let low = if step < 0 { first - reach } else { first };
    let mut x = x.sliced(axis, low, reach + 1)?;
    if step < 0 {
        x = x.reversed(axis)?;
    }
    Ok(if step.unsigned_abs() > 1 { x.stepped(axis, step.unsigned_abs())? } else { x })
}

/// Room for one row, for what is copied together, and for indices.
struct Room<N> {
    index: Vec<Vec<usize>>,
    found: Vec<bool>,
    row: Vec<N>,
    gathered: Vec<Vec<N>>,
}

impl<'a, T: Stored, L: Scalar> Copy<'a, T, L> {
    fn new(shape: Vec<usize>, sources: Inputs<'a>, known: Known) -> Result<Self> {
        Ok(Self {
            shape,
            sources: sources.into_iter().map(Source::new).collect::<Result<_>>()?,
            alpha: L::rounded(known.alpha),
            beta: Blend::new(L::rounded(known.beta)),
            plain: known == Known::SET,
        })
    }

    fn room(&self) -> Room<T::Number> {
        let count = self.sources.len();
        let index = vec![vec![0; self.shape.len()]; count];
        Room {
            index,
            found: vec![false; count],
            row: Vec::new(),
            gathered: vec![Vec::new(); count],
        }
    }

    /// A part with rows apart.
    fn rows(&self, origin: &[usize], mut part: LanesMut<'_, T>) {
        let shape = part.shape().to_vec();
        let axis = shape.len() - 1;
        let mut room = self.room();
        for_each_lane(origin, &shape, CHUNK, |index, at, len| {
            let mut lane = part.lane(index, axis, len);
            if let Some(y) = T::slice_mut(&mut lane) {
                return self.row(at, y, &mut room);
            }
            let mut row = std::mem::take(&mut room.row);
            row.resize(len, T::Number::default());
            T::load(&lane.read(), 0, &mut row);
            self.row(at, &mut row, &mut room);
            T::store(&mut lane, 0, &row);
            room.row = row;
        });
    }

    /// Elements of one row, from index `at` on; at most [`CHUNK`].
    fn row(&self, at: &[usize], y: &mut [T::Number], room: &mut Room<T::Number>) {
        let axis = self.shape.len() - 1;
        let Room { index, found, gathered, .. } = room;
        for ((source, index), found) in self.sources.iter().zip(index.iter_mut()).zip(&mut *found) {
            *found = source.index(&at[..axis], index);
        }
        let (mut from, mut rest) = (at[axis], y);
        while !rest.is_empty() {
            let mut end = from + rest.len();
            // What each input has here, as long as none of them changes.
            let mut lanes: Each<Option<(&Lanes<'_, T>, usize)>> = Each::new();
            for (source, found) in self.sources.iter().zip(&*found) {
                let number = source.inner.partition_point(|(end, _)| *end <= from);
                let (until, lane) = &source.inner[number];
                let start = if number > 0 { source.inner[number - 1].0 } else { 0 };
                if *found {
                    end = end.min(*until);
                }
                lanes.push(lane.as_ref().filter(|_| *found).map(|lane| (lane, from - start)));
            }
            let (y, others) = rest.split_at_mut(end - from);
            let mut slices: Each<&[T::Number]> = Each::new();
            for ((lane, index), gathered) in lanes.iter().zip(&mut *index).zip(&mut *gathered) {
                let Some((lanes, place)) = lane else { continue };
                index[axis] = *place;
                let lane = lanes.lane(index, axis, y.len());
                if self.plain && self.sources.len() == 1 {
                    T::load(&lane, 0, y);
                    continue;
                }
                slices.push(if let Some(slice) = T::slice(&lane) {
                    slice
                } else {
                    gathered.resize(CHUNK, T::Number::default());
                    T::load(&lane, 0, &mut gathered[..y.len()]);
                    &gathered[..y.len()]
                });
            }
            if !(self.plain && self.sources.len() == 1) {
                let terms: Each<Term<'_, L, 1>> =
                    slices.iter().map(|slice| term(cast_slice(slice), self.alpha)).collect();
                blend(self.beta, cast_slice_mut(y), &terms);
            } else if lanes.iter().all(Option::is_none) {
                y.fill(T::Number::default());
            }
            (from, rest) = (end, others);
        }
    }
}

impl<T: Scalar, L: Scalar> Copy<'_, T, L> {
    /// A part of all rows as one line, which begins at `start`.
    fn line(&self, start: usize, mut part: LanesMut<'_, T>, past: bool) {
        let (mut at, len) = (vec![0; self.shape.len()], part.shape()[0]);
        let mut room = self.room();
        if !past {
            let mut lane = part.lane(&[0], 0, len);
            let Some(y) = lane.as_mut_slice() else { return };
            return self.several(start, y, &mut at, &mut room);
        }
        let mut held = vec![T::default(); CHUNK.min(len)];
        part.past_caches(|past| {
            for from in (0..len).step_by(CHUNK) {
                let held = &mut held[..CHUNK.min(len - from)];
                self.several(start + from, held, &mut at, &mut room);
                past.write(&[from], 0, held);
            }
        });
    }

    /// Elements of several rows, from place `start` of the line on.
    fn several(&self, start: usize, y: &mut [T], at: &mut [usize], room: &mut Room<T>) {
        let axis = self.shape.len() - 1;
        let (mut rest, mut start) = (y, start);
        while !rest.is_empty() {
            unflatten(&self.shape, start, at);
            let len = (self.shape[axis] - at[axis]).min(rest.len()).min(CHUNK);
            let (row, others) = rest.split_at_mut(len);
            self.row(at, row, room);
            (rest, start) = (others, start + len);
        }
    }
}
