//! `y ← alpha · C x + beta · y` with a convolution whose filters change, on the host: tile by tile, what the filters of the places around
//! it make of the samples, times the weights of these places.

use arrayspan_bridge::{Lanes, LanesMut, Relayout, View, ViewMut, parallel};
use bytemuck::{cast_slice, cast_slice_mut};

use super::operands::values;
use super::parts::{advance, even, for_each_block};
use super::scalar::{Scalar, with_scalar};
use super::scan_sums::Store;
use super::stored::Stored;
use super::tile::{Blend, Term, tile as add};
use super::window::ROWS;
use crate::convolution::vanishes;
use crate::factors::Known;
use crate::varying_convolution::Along;
use crate::verb::ConvolveVaryingCall;
use crate::{Result, VaryingConvolution};

/// Results of a tile: along the second axis of a convolution and along its lanes.
const TILE: [usize; 2] = [64, 512];

pub(super) fn run(call: &mut ConvolveVaryingCall<'_>) -> Result<()> {
    if call.y.layout().is_empty() {
        return Ok(());
    }
    let known = values(&call.factors)?;
    // Real weights act on real and imaginary parts alike.
    let real = call.convolution.is_real() && known.is_real();
    with_scalar!("convolve_varying", call.y.dtype(), T => {
        if real {
            convolve::<T, <T as Scalar>::Part>(call, known)
        } else {
            convolve::<T, T>(call, known)
        }
    })
}

fn convolve<T, L>(call: &mut ConvolveVaryingCall<'_>, known: Known) -> Result<()>
where
    T: Scalar + Stored<Number = T>,
    L: Scalar,
{
    let convolution = call.convolution.clone();
    let strides = call.y.layout().strides();
    let step = |axis: &usize| strides[*axis].unsigned_abs();
    // Its axes from the shortest steps on, by number.
    let mut own: Vec<usize> = (0..convolution.along().len()).collect();
    own.sort_by_key(|number| step(&convolution.along()[*number].axis));
    let is_other = |axis: &usize| convolution.along().iter().all(|along| along.axis != *axis);
    let others: Vec<usize> = (0..strides.len()).filter(is_other).collect();
    let axes = own.iter().rev().map(|number| convolution.along()[*number].axis);
    let order: Vec<usize> = others.iter().copied().chain(axes).collect();
    let roles = [own.get(2).copied(), own.get(1).copied(), own.first().copied()];
    let (missing, outer) = (3 - own.len(), others.len());
    let along = roles.map(|number| {
        number.map_or_else(Along::nothing, |number| convolution.along()[number].clone())
    });
    // Axes that a convolution has not have one element.
    let shape = |shape: &[usize]| -> Vec<usize> {
        let own = order.iter().map(|axis| shape[*axis]).collect::<Vec<_>>();
        let (others, own) = own.split_at(outer);
        others.iter().copied().chain(vec![1; missing]).chain(own.iter().copied()).collect()
    };
    let shape = shape(call.y.shape());
    let x: View<'_> = call.x.view().permuted(&order)?.reshaped(&shape)?;
    let y: ViewMut<'_> = call.y.view_mut().permuted(&order)?;
    let mut y = y.reshaped(&shape)?;
    let varying = Varying {
        x: x.lanes::<T>()?,
        along,
        roles,
        store: Store {
            alpha: L::rounded(known.alpha),
            beta: Blend::new(L::rounded(known.beta)),
            plain: known == Known::SET,
        },
        convolution: &convolution,
    };
    let y = y.lanes_mut::<T>()?;
    let block = varying.block(y.shape());
    for_each_block(y, block, &|origin: &[usize], part: LanesMut<'_, T>| varying.part(origin, part));
    Ok(())
}

/// A convolution along the last three axes of arrays.
struct Varying<'a, T, L> {
    x: Lanes<'a, T>,
    along: [Along; 3],
    /// Which of the convolution's axes these are.
    roles: [Option<usize>; 3],
    store: Store<L>,
    convolution: &'a VaryingConvolution,
}

/// A tile of results: where it begins among the other axes, and along the three.
struct Tile<'i> {
    others: &'i [usize],
    at: [usize; 3],
    /// Results along the last two axes; those of the first of these fill groups of rows up.
    extents: [usize; 2],
    rows: usize,
}

/// Room for a tile.
struct Room<T> {
    /// What is convolved: the samples around the tile, row by row.
    held: Vec<T>,
    /// What a filter has made of them, and the sums of all filters.
    made: Vec<T>,
    sums: Vec<T>,
}

impl<T, L> Varying<'_, T, L>
where
    T: Scalar + Stored<Number = T>,
    L: Scalar,
{
    /// The shape of parts, if there are several.
    fn block(&self, shape: &[usize]) -> Option<Vec<usize>> {
        let len = shape.iter().product();
        // Each sample has the filters of two places along each axis.
        let taps = self.convolution.taps() << self.convolution.along().len();
        let flops = 2 * taps * size_of::<T>() / size_of::<L>();
        let grain = parallel::even_grain(len, 3 * size_of::<T>(), flops);
        if grain == usize::MAX {
            return None;
        }
        let mut left = grain.max(1);
        let mut block = vec![1; shape.len()];
        for (axis, extent) in shape.iter().enumerate().rev() {
            let most = TILE.get((axis + 2).wrapping_sub(shape.len())).copied().unwrap_or(left);
            block[axis] = even(*extent, most.min(left.max(ROWS)));
            left /= block[axis].min(left.max(1));
        }
        Some(block)
    }

    /// Makes a part of the output that begins at `origin`.
    fn part(&self, origin: &[usize], mut y: LanesMut<'_, T>) {
        let shape = y.shape().to_vec();
        let outer = shape.len() - 2;
        let mut room = Room { held: Vec::new(), made: Vec::new(), sums: Vec::new() };
        let mut index = vec![0; shape.len()];
        loop {
            for row in (0..shape[outer]).step_by(TILE[0]) {
                for from in (0..shape[outer + 1]).step_by(TILE[1]) {
                    (index[outer], index[outer + 1]) = (row, from);
                    let at: Vec<usize> = origin.iter().zip(&index).map(|(a, b)| a + b).collect();
                    let extents =
                        [TILE[0].min(shape[outer] - row), TILE[1].min(shape[outer + 1] - from)];
                    let (others, at) = at.split_at(outer - 1);
                    let at = [at[0], at[1], at[2]];
                    let rows = extents[0].next_multiple_of(ROWS);
                    let tile = Tile { others, at, extents, rows };
                    self.tile(&tile, &mut room);
                    for number in 0..extents[0] {
                        index[outer] = row + number;
                        let sums = &room.sums[number * extents[1]..][..extents[1]];
                        let mut lane = y.lane(&index, outer + 1, extents[1]);
                        self.store.put(&mut lane, 0, sums);
                    }
                }
            }
            (index[outer], index[outer + 1]) = (0, 0);
            if !advance(&mut index[..outer], &shape[..outer]) {
                break;
            }
        }
    }

    /// The sums of all filters.
    fn tile(&self, tile: &Tile<'_>, room: &mut Room<T>) {
        let [planes, beside, lanes] = &self.along;
        let count = tile.rows * tile.extents[1];
        room.sums.clear();
        room.sums.resize(count, T::default());
        let zero = self.along.each_ref().map(|along| self.convolution.zero(along));
        for time in 0..planes.taps {
            let from = (tile.at[0] + zero[0]).checked_sub(time);
            let Some(from) = from.filter(|from| *from < self.x.shape()[tile.others.len()]) else {
                continue;
            };
            // The samples that there are of those that rows and lanes take.
            let reached = |axis: usize, along: &Along, extent: usize| {
                let first = (tile.at[axis] + zero[axis]).saturating_sub(along.taps - 1);
                let end = (tile.at[axis] + zero[axis] + extent)
                    .min(self.x.shape()[tile.others.len() + axis]);
                (first < end).then(|| first..=end - 1)
            };
            let reached = (reached(1, beside, tile.extents[0]), reached(2, lanes, tile.extents[1]));
            let (Some(of_rows), Some(of_lanes)) = reached else { continue };
            let weighted = if self.convolution.is_transposed() {
                self.hold(tile, from, None, &mut room.held);
                let end = |axis: usize| tile.at[axis] + tile.extents[axis - 1] - 1;
                [tile.at[0]..=tile.at[0], tile.at[1]..=end(1), tile.at[2]..=end(2)]
            } else {
                [from..=from, of_rows, of_lanes]
            };
            let [of_planes, of_rows, of_lanes] = weighted;
            for plane in planes.places_of(of_planes) {
                for row in beside.places_of(of_rows.clone()) {
                    for lane in lanes.places_of(of_lanes.clone()) {
                        self.filter(tile, [plane, row, lane], (time, from), room);
                    }
                }
            }
        }
    }

    /// Adds what the filter of places makes of a plane at one time.
    fn filter(
        &self,
        tile: &Tile<'_>,
        places: [usize; 3],
        (time, from): (usize, usize),
        room: &mut Room<T>,
    ) {
        let transposed = self.convolution.is_transposed();
        if !transposed {
            self.hold(tile, from, Some(places), &mut room.held);
        }
        let Room { held, made, sums } = room;
        let into = if transposed {
            made.clear();
            made.resize(sums.len(), T::default());
            &mut *made
        } else {
            &mut *sums
        };
        self.convolved(tile, places, time, held, into);
        if !transposed {
            return;
        }
        let of_plane = self.along[0].weight(places[0], tile.at[0]);
        let len = tile.extents[1];
        let of_lane: Vec<f64> = self.weights(2, places[2], tile.at[2], len);
        let rows = made.chunks_exact(len).zip(sums.chunks_exact_mut(len)).take(tile.extents[0]);
        for (row, (made, sums)) in rows.enumerate() {
            let of_row = of_plane * self.along[1].weight(places[1], tile.at[1] + row);
            for (weight, (made, sum)) in of_lane.iter().zip(made.iter().zip(sums)) {
                *sum = *sum + scaled(of_row * weight, made);
            }
        }
    }

    /// The weights of a place along an axis, at samples from one on.
    fn weights(&self, role: usize, place: usize, from: usize, count: usize) -> Vec<f64> {
        (from..from + count).map(|at| self.along[role].weight(place, at)).collect()
    }

    /// Holds the samples around a tile in a plane, times the weights of places if there are any; zeros beyond the array.
    fn hold(&self, tile: &Tile<'_>, from: usize, places: Option<[usize; 3]>, held: &mut Vec<T>) {
        let [_, beside, lanes] = &self.along;
        let (outer, shape) = (tile.others.len(), self.x.shape());
        let pitch = tile.extents[1] + lanes.taps - 1;
        held.clear();
        held.resize((tile.rows + beside.taps - 1) * pitch, T::default());
        // The first sample that there is, and where it is held.
        let start = |axis: usize| {
            let (zero, taps) = (self.convolution.zero(&self.along[axis]), self.along[axis].taps);
            let first = (tile.at[axis] + zero).saturating_sub(taps - 1);
            (first, first + taps - 1 - zero - tile.at[axis])
        };
        let ((row, above), (lane, before)) = (start(1), start(2));
        let count = (pitch - before.min(pitch)).min(shape[outer + 2].saturating_sub(lane));
        let [of_plane, of_lane] = match places {
            Some(places) => [
                vec![self.along[0].weight(places[0], from)],
                self.weights(2, places[2], lane, count),
            ],
            None => [vec![1.0], Vec::new()],
        };
        let mut index = tile.others.to_vec();
        index.extend([from, 0, lane]);
        for (number, held) in held.chunks_exact_mut(pitch).enumerate().skip(above) {
            let sample = row + number - above;
            if count == 0 || sample >= shape[outer + 1] {
                break;
            }
            let of_row = places.map(|places| of_plane[0] * beside.weight(places[1], sample));
            if of_row == Some(0.0) {
                continue;
            }
            index[outer + 1] = sample;
            let held = &mut held[before..before + count];
            self.x.lane(&index, outer + 2, count).gather(0, held);
            if let Some(of_row) = of_row {
                for (held, weight) in held.iter_mut().zip(&of_lane) {
                    *held = scaled(of_row * weight, held);
                }
            }
        }
    }

    /// Adds what the filter of places makes at one time of what is held.
    fn convolved(
        &self,
        tile: &Tile<'_>,
        places: [usize; 3],
        time: usize,
        held: &[T],
        into: &mut [T],
    ) {
        let [_, beside, lanes] = &self.along;
        let len = tile.extents[1];
        let pitch = len + lanes.taps - 1;
        let (mut own, mut times) = ([0; 3], [0; 3]);
        let mut tap = |row: usize, lane: usize| {
            for (role, number) in self.roles.iter().enumerate() {
                if let Some(number) = number {
                    own[*number] = places[role];
                    times[*number] = [time, row, lane][role];
                }
            }
            let count = self.convolution.along().len();
            let tap = self.convolution.tap(&own[..count], &times[..count]);
            (!vanishes(tap, T::DTYPE)).then(|| L::rounded(tap))
        };
        // What each held row contributes to rows of results beside each other, at each shift.
        let mut taken: Vec<(usize, usize, [L; ROWS], u32)> = Vec::new();
        for row in 0..ROWS + beside.taps - 1 {
            for shift in 0..lanes.taps {
                let mut weight = |r: usize| {
                    let time = (r + beside.taps).checked_sub(1 + row)?;
                    if time < beside.taps { tap(time, lanes.taps - 1 - shift) } else { None }
                };
                let mut weights = [L::zero(); ROWS];
                let mut rows = 0;
                for (r, to) in weights.iter_mut().enumerate() {
                    if let Some(weight) = weight(r) {
                        (*to, rows) = (weight, rows | 1 << r);
                    }
                }
                if rows != 0 {
                    taken.push((row, shift, weights, rows));
                }
            }
        }
        let mut terms: Vec<Term<'_, L, ROWS>> = Vec::with_capacity(taken.len());
        for (group, results) in into.chunks_exact_mut(ROWS * len).enumerate() {
            terms.clear();
            terms.extend(taken.iter().map(|(row, shift, weights, rows)| {
                let from = (group * ROWS + row) * pitch + shift;
                Term { x: cast_slice(&held[from..from + len]), weights: *weights, rows: *rows }
            }));
            let mut results = results.chunks_exact_mut(len);
            let results: [&mut [L]; ROWS] =
                std::array::from_fn(|_| cast_slice_mut(results.next().unwrap_or_default()));
            add(Blend::Add, results, &terms[..]);
        }
    }
}

/// What a weight makes of a value: nothing of any, if it is zero.
fn scaled<T: Scalar>(weight: f64, value: &T) -> T {
    let mut value = *value;
    if weight == 0.0 {
        return T::default();
    }
    // By parts: an infinite one says nothing of the other.
    let weight = T::Part::rounded(weight.into());
    let parts = cast_slice_mut::<T, T::Part>(std::slice::from_mut(&mut value));
    for part in parts {
        *part = weight * *part;
    }
    value
}
