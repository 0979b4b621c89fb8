//! `y ← alpha · stencil(x) + beta · y` on the host: one pass over memory for all terms.

use arrayspan_bridge::iteration::collapse_around;
use arrayspan_bridge::{Lane, Lanes, LanesMut, Layout, Relayout};
use bytemuck::{cast_slice, cast_slice_mut};

use super::blend::{Blend, blend};
use super::parts::{Parts, by_stride, for_each_lane, for_each_part};
use super::pieces::Pieces;
use super::rows::Rows;
use super::scalar::{Scalar, with_scalar};
use crate::verb::StencilCall;
use crate::{Band, Result};

/// Elements computed at a time: enough to stream, and a bound for what is copied together where strides
/// demand it.
const CHUNK: usize = 8192;

/// Lanes shorter than this are joined to the axis before them, if that has a band.
const SHORT: usize = 64;

pub(super) fn run(call: &mut StencilCall<'_>) -> Result<()> {
    if call.y.layout().is_empty() {
        return Ok(());
    }
    // Real weights act on real and imaginary parts alike, so complex arrays need no complex products.
    let real = call.stencil.is_real() && call.update.is_real();
    with_scalar!("stencil", call.y.dtype(), T => {
        if real { stencil::<T, <T as Scalar>::Part>(call) } else { stencil::<T, T>(call) }
    })
}

/// `L` is `T`, or its parts when all weights are real.
fn stencil<T: Scalar, L: Scalar>(call: &mut StencilCall<'_>) -> Result<()> {
    let terms = call.stencil.terms();
    let order = by_stride(call.y.layout().strides());
    let (x, y) = (call.x.view().permuted(&order)?, call.y.view_mut().permuted(&order)?);
    let fixed: Vec<usize> = order
        .iter()
        .enumerate()
        .filter(|(_, old)| terms.iter().any(|(axis, _)| axis == *old))
        .map(|(new, _)| new)
        .collect();
    let mut collapsed = collapse_around(&[y.layout(), x.layout()], &fixed);
    // With each band goes its axis among those that are left.
    let mut bands: Vec<_> = Vec::new();
    for &new in &fixed {
        let band = terms.iter().find(|(axis, _)| *axis == order[new]);
        bands.extend(collapsed.axes[new].zip(band.map(|(_, band)| band)));
    }
    if collapsed.shape.is_empty() {
        collapsed.shape.push(1);
    }
    let (mut x, mut y) = (x.reshaped(&collapsed.shape)?, y.reshaped(&collapsed.shape)?);
    let components = size_of::<T>() / size_of::<L>();
    let last = x.shape().len() - 1;
    let along = |axis: usize| bands.iter().find(|(other, _)| *other == axis);
    let near = |axis: usize, unit: usize| {
        Rows::new(along(axis)?.1, call.update.alpha, unit, CHUNK * components)
    };
    let joined = joined(x.layout(), y.layout(), &bands);
    let joined = joined.and_then(|block| Some((block, near(last - 1, block * components)?)));
    let mut weighted = Weighted::<T, L> {
        x: x.lanes::<T>()?,
        own: None,
        far: None,
        across: Vec::new(),
        beta: Blend::new(L::rounded(call.update.beta)),
        components,
    };
    let mut across = &bands[..];
    if let Some((block, rows)) = joined {
        let shape = [&collapsed.shape[..last - 1], &[collapsed.shape[last - 1] * block]].concat();
        (x, y) = (x.reshaped(&shape)?, y.reshaped(&shape)?);
        weighted.x = x.lanes::<T>()?;
        weighted.own = Some(rows);
        across = &bands[..bands.len() - 1];
    } else if let Some((_, band)) = along(last) {
        weighted.own = near(last, components);
        if weighted.own.is_none() {
            weighted.far = Some(Pieces::new(band, call.update.alpha));
        }
        across = &bands[..bands.len() - 1];
    }
    let pieces = |(axis, band): &(usize, &Band)| (*axis, Pieces::new(band, call.update.alpha));
    weighted.across = across.iter().map(pieces).collect();
    for_each_part(y.lanes_mut::<T>()?, Parts::Lanes, &|origin, part| weighted.part(origin, part));
    Ok(())
}

/// The extent of the last axis, if it is short and without a band, and joins one that has: a row of that
/// band is then several elements.
fn joined<B>(x: &Layout, y: &Layout, bands: &[(usize, B)]) -> Option<usize> {
    let outer = x.rank().checked_sub(2)?;
    let block = x.shape()[outer + 1];
    let banded = |axis| bands.iter().any(|(band, _)| *band == axis);
    let gapless = |layout: &Layout| layout.strides()[outer..] == [block as isize, 1];
    let joins = block < SHORT && banded(outer) && !banded(outer + 1) && gapless(x) && gapless(y);
    joins.then_some(block)
}

struct Weighted<'a, T, L> {
    x: Lanes<'a, T>,
    /// The band along the last axis, if there is one whose taps are near.
    own: Option<Rows<L>>,
    /// The same, if its taps are far.
    far: Option<Pieces<L>>,
    /// The bands along other axes.
    across: Vec<(usize, Pieces<L>)>,
    beta: Blend<L>,
    /// How many `L` make a `T`.
    components: usize,
}

impl<'a, T: Scalar, L: Scalar> Weighted<'a, T, L> {
    /// Computes the part of the output that begins at `origin`.
    fn part(&self, origin: &[usize], mut y: LanesMut<'_, T>) {
        let shape = y.shape().to_vec();
        let axis = shape.len() - 1;
        let mut work = Work::default();
        let mut sum = Vec::new();
        for_each_lane(origin, &shape, CHUNK, |index, at, len| {
            let mut lane = y.lane(index, axis, len);
            if let Some(slice) = lane.as_mut_slice() {
                return self.lane(at, slice, &mut work);
            }
            sum.resize(len, T::default());
            if self.beta != Blend::Set {
                lane.read().gather(0, &mut sum);
            }
            self.lane(at, &mut sum, &mut work);
            lane.scatter(0, &sum);
        });
    }

    /// Computes the elements from `at` along the last axis, as many as `y` has.
    fn lane(&self, at: &[usize], y: &mut [T], work: &mut Work<'a, T, L>) {
        work.at.clear();
        work.at.extend_from_slice(at);
        let Some(far) = &self.far else { return self.stretch(y, work) };
        let axis = at.len() - 1;
        let start = at[axis];
        let mut cuts = std::mem::take(&mut work.cuts);
        far.cuts(start..start + y.len(), &mut cuts);
        for rows in cuts.windows(2) {
            work.at[axis] = rows[0];
            self.stretch(&mut y[rows[0] - start..rows[1] - start], work);
        }
        work.cuts = cuts;
    }

    /// Computes the elements from `work.at` along the last axis, as many as `y` has. With a far band all take the same
    /// taps of it.
    fn stretch(&self, y: &mut [T], work: &mut Work<'a, T, L>) {
        let at = &mut work.at[..];
        let axis = at.len() - 1;
        let (start, len) = (at[axis], y.len());
        work.lanes.clear();
        let far = self.far.iter().map(|far| (axis, far));
        for (other, rows) in self.across.iter().map(|(axis, rows)| (*axis, rows)).chain(far) {
            let row = at[other];
            for (column, weight) in rows.row(row) {
                at[other] = column;
                work.lanes.push((self.x.lane(at, axis, len), weight));
            }
            at[other] = row;
        }
        let (start, end) = (start * self.components, (start + len) * self.components);
        let (base, own) = match &self.own {
            None => (start, None),
            Some(rows) => {
                let (from, to) = rows.needed(start, end);
                let (from, to) = (from / self.components, to.div_ceil(self.components));
                at[axis] = from;
                (from * self.components, Some(self.x.lane(at, axis, to - from)))
            }
        };
        let y: &mut [L] = cast_slice_mut(y);
        let direct = |lane: &Lane<'a, T>| lane.as_slice().map(cast_slice::<T, L>);

        let Work { lanes, across, terms, gathered, .. } = work;
        across.clear();
        across.extend(lanes.iter().filter_map(|(lane, weight)| Some((direct(lane)?, *weight))));
        let x = own.as_ref().map_or(Some(&[][..]), direct);
        if let (Some(x), true) = (x, across.len() == lanes.len()) {
            self.apply((start, y), (base, x), across, terms);
            return;
        }
        // Strides: the lanes are copied together first.
        gathered.clear();
        let all = lanes.iter().map(|(lane, _)| lane).chain(&own);
        for lane in all {
            let from = gathered.len();
            gathered.resize(from + lane.len(), T::default());
            lane.gather(0, &mut gathered[from..]);
        }
        let (first, x) = gathered.split_at(lanes.len() * len);
        let across: Vec<(&[L], L)> = first
            .chunks_exact(len)
            .zip(lanes)
            .map(|(lane, (_, weight))| (cast_slice(lane), *weight))
            .collect();
        self.apply((start, y), (base, cast_slice(x)), &across, &mut Vec::new());
    }

    fn apply<'x>(
        &self,
        y: (usize, &mut [L]),
        x: (usize, &'x [L]),
        across: &[(&'x [L], L)],
        terms: &mut Vec<(&'x [L], L)>,
    ) {
        match &self.own {
            None => blend(self.beta, y.1, across),
            Some(rows) => rows.apply(self.beta, y, x, across, terms),
        }
    }
}

/// Lists that are filled anew for each lane.
struct Work<'a, T, L> {
    at: Vec<usize>,
    cuts: Vec<usize>,
    lanes: Vec<(Lane<'a, T>, L)>,
    across: Vec<(&'a [L], L)>,
    terms: Vec<(&'a [L], L)>,
    gathered: Vec<T>,
}

impl<T, L> Default for Work<'_, T, L> {
    fn default() -> Self {
        Self {
            at: Vec::new(),
            cuts: Vec::new(),
            lanes: Vec::new(),
            across: Vec::new(),
            terms: Vec::new(),
            gathered: Vec::new(),
        }
    }
}
