//! Lines of an array as rows of one number of each, on the way to a transform of several at once and back.

use arrayspan_bridge::{LaneMut, Lanes, LanesMut, RowSlices};
use bytemuck::{cast_slice, cast_slice_mut};
use pulp::{Simd, WithSimd};
use smallvec::SmallVec;

use super::lines::{Run, Sample};
use super::place::Place;
use super::plans::Planned;
use super::room::Room;
use super::together::{dispatch, width};
use super::transpose::Placed;
use crate::host::scalar::Scalar;
use crate::host::scan_sums::Store;
use crate::host::stored::Stored;

/// Numbers of lines from one of their elements on, in rows.
#[derive(Clone, Copy)]
struct Numbers {
    place: Place,
    first: usize,
    /// How many of them an element is, one or two.
    parts: usize,
    width: usize,
}

impl Placed for Numbers {
    #[inline(always)]
    fn width(&self) -> usize {
        self.width
    }

    #[inline(always)]
    fn row(&self, number: usize) -> usize {
        let shift = self.parts - 1;
        self.place.row(self.first + (number >> shift), number & shift)
    }
}

/// Fills rows with a run of so many lines of an array from the index `at` on; along its last axis, of lines along the one before.
pub(in crate::host) fn gather<X: Scalar + Sample<T>, Y, T: Planned>(
    (x, across, at): (&Lanes<'_, X>, bool, &mut [usize]),
    (run, lines): (Run, usize),
    place: Place,
    Room { groups, x: held, .. }: &mut Room<'_, X, Y, T>,
) {
    if run.len == 0 {
        return;
    }
    let (line, axis, width) = (at.len() - 2, at.len() - 1, width::<T>());
    let groups = &mut groups[..lines.div_ceil(width)];
    let numbers = Numbers { place, first: run.at, parts: X::PARTS, width };
    at[axis] = run.place;
    // What is contiguous: a row of several lines, or a line.
    let [(along, each), beside] =
        if across { [(line, lines), (axis, run.len)] } else { [(axis, run.len), (line, lines)] };
    let (_, count) = beside;
    let lanes = x.beside(at, beside, along, each);
    at[axis] = 0;
    let slices = lanes.slices().unwrap_or_else(|| {
        held.resize(count * each, X::default());
        for (number, to) in held.chunks_mut(each).enumerate() {
            lanes.lane(number).gather(0, to);
        }
        RowSlices::rows(held, each)
    });
    if across {
        return dispatch(ToRows { slices, count, groups, numbers });
    }
    for (number, group) in groups.iter_mut().enumerate() {
        // The last ones are taken again where there are no more.
        let each = (0..width).map(|lane| (number * width + lane).min(lines - 1));
        let lines: SmallVec<[&[T]; 16]> = each.map(|line| cast_slice(slices.get(line))).collect();
        T::to_rows(&lines, group, &numbers);
    }
}

/// Writes a run of so many lines to an array from `index` on, and zeros behind it.
pub(in crate::host) fn scatter<X, Y, T, L>(
    (y, across, index): (&mut LanesMut<'_, Y>, bool, &mut [usize]),
    (run, lines): (Run, usize),
    place: Place,
    store: &Store<L>,
    Room { groups, y: held, .. }: &mut Room<'_, X, Y, T>,
) where
    T: Planned,
    Y: Stored<Number = Y> + Sample<T>,
    L: Scalar,
{
    if run.len + run.behind == 0 {
        return;
    }
    let (axis, width) = (index.len() - 1, width::<T>());
    let groups = &groups[..lines.div_ceil(width)];
    let numbers = Numbers { place, first: run.at, parts: Y::PARTS, width };
    index[axis] = run.place;
    if across {
        of_rows((y, index), (run, lines), (groups, numbers), store, held);
    } else {
        of_lines((y, index), (run, lines), (groups, numbers), store, held);
    }
    index[axis] = 0;
}

/// Writes rows of several lines.
fn of_rows<Y, T, L>(
    (y, index): (&mut LanesMut<'_, Y>, &mut [usize]),
    (run, lines): (Run, usize),
    (groups, numbers): (&[&mut [T]], Numbers),
    store: &Store<L>,
    held: &mut Vec<Y>,
) where
    T: Planned,
    Y: Stored<Number = Y> + Sample<T>,
    L: Scalar,
{
    let (line, axis) = (index.len() - 2, index.len() - 1);
    held.resize(lines, Y::default());
    for number in 0..run.len {
        index[axis] = run.place + number;
        let mut lane = y.lane(index, line, lines);
        let numbers = Numbers { first: run.at + number, ..numbers };
        match lane.as_mut_slice() {
            Some(row) if store.plain => {
                dispatch(OfRows { groups, numbers, row: cast_slice_mut(row) });
            }
            _ => {
                dispatch(OfRows { groups, numbers, row: cast_slice_mut(held) });
                store.put(&mut lane, 0, held);
            }
        }
    }
    held.fill(Y::default());
    for place in run.place + run.len..run.place + run.len + run.behind {
        index[axis] = place;
        store.put(&mut y.lane(index, line, lines), 0, held);
    }
}

/// Writes each line for itself.
fn of_lines<Y, T, L>(
    (y, index): (&mut LanesMut<'_, Y>, &mut [usize]),
    (run, lines): (Run, usize),
    (groups, numbers): (&[&mut [T]], Numbers),
    store: &Store<L>,
    held: &mut Vec<Y>,
) where
    T: Planned,
    Y: Stored<Number = Y> + Sample<T>,
    L: Scalar,
{
    let (line, axis, width) = (index.len() - 2, index.len() - 1, numbers.width);
    let (first, len) = (index[line], run.len + run.behind);
    for (number, group) in groups.iter().enumerate() {
        index[line] = first + number * width;
        let own = width.min(lines - number * width);
        let run = (&**group, numbers, run);
        let done = match (own == width, width) {
            (true, 4) if store.plain => straight(y.beside::<4>(index, line, axis, len), run),
            (true, 8) if store.plain => straight(y.beside::<8>(index, line, axis, len), run),
            _ => false,
        };
        if done {
            continue;
        }
        held.resize(width * len, Y::default());
        write(held.chunks_mut(len), run);
        for (lane, results) in held.chunks(len).take(own).enumerate() {
            index[line] = first + number * width + lane;
            store.put(&mut y.lane(index, axis, len), 0, results);
        }
    }
    index[line] = first;
}

/// Writes a run of lines that are each contiguous; `false` if they are not.
fn straight<Y: Sample<T>, T: Planned, const R: usize>(
    mut lanes: [LaneMut<'_, Y>; R],
    run: (&[T], Numbers, Run),
) -> bool {
    let lines: SmallVec<[&mut [Y]; 8]> =
        lanes.iter_mut().filter_map(LaneMut::as_mut_slice).collect();
    let all = lines.len() == R;
    if all {
        write(lines, run);
    }
    all
}

/// Writes a run of lines, and zeros behind it.
fn write<'l, Y: Sample<T>, T: Planned>(
    lines: impl IntoIterator<Item = &'l mut [Y]>,
    (group, numbers, run): (&[T], Numbers, Run),
) {
    let lines = lines.into_iter().map(|line| {
        let (own, behind) = line.split_at_mut(run.len);
        behind.fill(Y::default());
        cast_slice_mut::<Y, T>(own)
    });
    T::of_rows(group, &numbers, &mut lines.collect::<SmallVec<[&mut [T]; 16]>>());
}

/// Rows of the array, each of some lines, that become rows of vectors.
struct ToRows<'a, 'g, 'r, X, T> {
    slices: RowSlices<'a, X>,
    count: usize,
    groups: &'g mut [&'r mut [T]],
    numbers: Numbers,
}

impl<X: Sample<T>, T: Planned> WithSimd for ToRows<'_, '_, '_, X, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { slices, count, groups, numbers } = self;
        let width = T::count::<S>();
        for number in 0..count {
            let row: &[T] = cast_slice(slices.get(number));
            let first = numbers.row(number * X::PARTS) * width;
            for (rows, row) in groups.iter_mut().zip(row.chunks(width * X::PARTS)) {
                if X::PARTS == 1 {
                    match rows[first..first + width] {
                        ref mut to if row.len() == width => to.copy_from_slice(&row[..width]),
                        ref mut to => to[..row.len()].copy_from_slice(row),
                    }
                    continue;
                }
                let second = numbers.row(number * X::PARTS + 1) * width;
                for (lane, [re, im]) in row.as_chunks().0.iter().enumerate() {
                    (rows[first + lane], rows[second + lane]) = (*re, *im);
                }
            }
        }
    }
}

/// A row of results, of as many lines, of rows of vectors.
struct OfRows<'a, 'r, T> {
    groups: &'a [&'r mut [T]],
    numbers: Numbers,
    row: &'a mut [T],
}

impl<T: Planned> WithSimd for OfRows<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { groups, numbers, row } = self;
        let (width, parts) = (T::count::<S>(), numbers.parts);
        let first = numbers.row(0) * width;
        if parts == 1 {
            for (rows, row) in groups.iter().zip(row.chunks_mut(width)) {
                match rows[first..first + width] {
                    ref from if row.len() == width => row[..width].copy_from_slice(from),
                    ref from => row.copy_from_slice(&from[..row.len()]),
                }
            }
            return;
        }
        let second = numbers.row(1) * width;
        for (rows, row) in groups.iter().zip(row.chunks_mut(width * parts)) {
            let [re, im] = [&rows[first..first + width], &rows[second..second + width]];
            for (to, (re, im)) in row.as_chunks_mut().0.iter_mut().zip(re.iter().zip(im)) {
                *to = [*re, *im];
            }
        }
    }
}
