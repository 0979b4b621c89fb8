//! Sums of bands of 16-bit floats: elements are widened as they are read, added up in `Float32`, and rounded once.
//!
//! A lane at a time, and of each tap the elements that it takes: they are widened again for the next.

use arrayspan_bridge::{Lanes, LanesMut};

use super::blend::{blend, term};
use super::parts::{Parts, for_each_lane, for_each_part};
use super::stored::Stored;
use super::tile::Blend;
use crate::Band;

/// Elements of a lane that are computed at a time.
const CHUNK: usize = 4096;

/// `alpha · Σ after ⊙ bands(before ⊙ x) + beta · y`, of arrays of one shape.
pub(super) struct Halves<'a, S> {
    pub(super) terms: Vec<Summand<'a, S>>,
    pub(super) alpha: f32,
    pub(super) beta: f32,
}

/// One term, and its bands by their axes.
pub(super) struct Summand<'a, S> {
    pub(super) x: Lanes<'a, S>,
    pub(super) before: Option<Lanes<'a, S>>,
    pub(super) after: Option<Lanes<'a, S>>,
    pub(super) bands: Vec<(usize, &'a Band)>,
}

/// Room for what is made of a lane.
#[derive(Default)]
struct Room {
    /// All terms, and those of one that is multiplied before it is added.
    total: Vec<f32>,
    sum: Vec<f32>,
    read: Vec<f32>,
    factors: Vec<f32>,
}

impl<S: Stored<Number = f32>> Halves<'_, S> {
    /// Computes all elements.
    pub(super) fn run(&self, y: LanesMut<'_, S>) {
        let taps = |(_, band): &(usize, &Band)| band.interior().len();
        let taps: usize = self.terms.iter().flat_map(|one| &one.bands).map(taps).sum();
        let cost = ((2 + self.terms.len()) * size_of::<S>(), 4 * taps);
        for_each_part(y, Parts::Lanes, cost, &|origin, y| self.part(origin, y));
    }

    /// Computes the part of the output that begins at `origin`.
    fn part(&self, origin: &[usize], mut y: LanesMut<'_, S>) {
        let shape = y.shape().to_vec();
        let axis = shape.len() - 1;
        let (mut room, mut place) = (Room::default(), vec![0; shape.len()]);
        for_each_lane(origin, &shape, CHUNK, |index, at, len| {
            room.total.clear();
            room.total.resize(len, 0.0);
            for summand in &self.terms {
                place.copy_from_slice(at);
                summand.add(at, &mut place, &mut room);
            }
            let mut lane = y.lane(index, axis, len);
            let Room { total, read, .. } = &mut room;
            if self.beta == 0.0 {
                for total in total.iter_mut() {
                    *total *= self.alpha;
                }
            } else {
                read.resize(len, 0.0);
                S::load(&lane.read(), 0, &mut read[..len]);
                for (total, held) in total.iter_mut().zip(read) {
                    *total = self.alpha * *total + self.beta * *held;
                }
            }
            S::store(&mut lane, 0, total);
        });
    }
}

impl<S: Stored<Number = f32>> Summand<'_, S> {
    /// Adds the elements from `at` on, as many as the room has; `place` is the same index.
    fn add(&self, at: &[usize], place: &mut [usize], room: &mut Room) {
        let Room { total, sum, read, factors } = room;
        let (axis, len) = (at.len() - 1, total.len());
        read.resize(len.max(read.len()), 0.0);
        factors.resize(len.max(factors.len()), 0.0);
        let Some(after) = &self.after else {
            return self.add_bands(at, place, total, [read, factors]);
        };
        sum.clear();
        sum.resize(len, 0.0);
        self.add_bands(at, place, sum, [read, factors]);
        S::load(&after.lane(at, axis, len), 0, &mut factors[..len]);
        for ((total, sum), factor) in total.iter_mut().zip(sum).zip(factors) {
            *total += *factor * *sum;
        }
    }

    fn add_bands(
        &self,
        at: &[usize],
        place: &mut [usize],
        sum: &mut [f32],
        mut room: [&mut Vec<f32>; 2],
    ) {
        let last = at.len() - 1;
        let (start, extents) = (at[last], self.x.shape());
        for (axis, band) in &self.bands {
            if *axis != last {
                for tap in band.row(at[*axis]) {
                    place[*axis] = at[*axis].wrapping_add_signed(tap.offset);
                    self.add_lane(place, tap.weight.re as f32, sum, &mut room);
                }
                place[*axis] = at[*axis];
                continue;
            }
            let here = start..start + sum.len();
            let rows = |of: std::ops::Range<usize>| of.start.max(here.start)..of.end.min(here.end);
            let near = band.pieces().map(|(of, taps)| (rows(of), taps));
            for (rows, taps) in near.filter(|(rows, _)| !rows.is_empty()) {
                for tap in taps {
                    // The rows whose tap falls on the axis.
                    let first = (rows.start as isize).max(-tap.offset);
                    let end = (rows.end as isize).min(extents[last] as isize - tap.offset);
                    if first < end {
                        place[last] = (first + tap.offset) as usize;
                        let sum = &mut sum[first as usize - start..end as usize - start];
                        self.add_lane(place, tap.weight.re as f32, sum, &mut room);
                    }
                }
            }
            place[last] = start;
        }
    }

    /// Adds `weight` times the elements from `place` on.
    fn add_lane(
        &self,
        place: &[usize],
        weight: f32,
        sum: &mut [f32],
        [read, factors]: &mut [&mut Vec<f32>; 2],
    ) {
        let (axis, len) = (place.len() - 1, sum.len());
        let read = &mut read[..len];
        S::load(&self.x.lane(place, axis, len), 0, read);
        if let Some(before) = &self.before {
            let factors = &mut factors[..len];
            S::load(&before.lane(place, axis, len), 0, factors);
            read.iter_mut().zip(factors).for_each(|(read, factor)| *read *= *factor);
        }
        blend(Blend::Add, sum, &[term(read, weight)]);
    }
}
