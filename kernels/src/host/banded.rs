//! One term of a sum of stencils, a lane at a time.

use std::sync::Arc;

use arrayspan_bridge::{Lane, Lanes};
use bytemuck::{cast_slice, cast_slice_mut};

use super::across::Across;
use super::blend::{blend, term};
use super::elementwise::{Operand, binary, unary};
use super::pieces::Pieces;
use super::rows::{Rows, Terms};
use super::scalar::Scalar;
use super::tile::{Blend, Term};
use crate::{Binary, Unary};

/// Bands applied to one array, with coefficients or without. `L` is `T`, or its parts when all weights are real.
pub(super) struct Banded<'a, T, L> {
    pub(super) x: Lanes<'a, T>,
    /// What multiplies the elements of `x`.
    pub(super) before: Option<Coefficients<'a, T>>,
    /// What multiplies the result.
    pub(super) after: Option<Coefficients<'a, T>>,
    /// What multiplies that. Weights have it in them where nothing comes between.
    pub(super) alpha: L,
    /// The band along the last axis, if there is one whose taps are near.
    pub(super) own: Option<Rows<L>>,
    /// The same, if its taps are far.
    pub(super) far: Option<Pieces<L>>,
    /// The bands along other axes.
    pub(super) across: Vec<(usize, Arc<Across<L>>)>,
}

/// An array that multiplies elements, or its conjugate.
pub(super) struct Coefficients<'a, T> {
    pub(super) lanes: Lanes<'a, T>,
    pub(super) conjugated: bool,
}

impl<'a, T: Scalar, L: Scalar> Banded<'a, T, L> {
    /// How many `L` make a `T`.
    const COMPONENTS: usize = size_of::<T>() / size_of::<L>();

    /// Whether there is one band, and that along another axis than the lanes.
    pub(super) fn is_column(&self) -> bool {
        self.own.is_none() && self.far.is_none() && self.across.len() == 1
    }

    /// Whether it is one filter along the last axis.
    pub(super) fn is_filter(&self) -> bool {
        self.across.is_empty() && self.own.as_ref().is_some_and(Rows::is_filter)
    }

    /// Adds the elements from `at` along the last axis to `beta · y`, as many as `y` has.
    pub(super) fn lane(
        &self,
        beta: Blend<L>,
        at: &[usize],
        y: &mut [T],
        work: &mut Work<'a, T, L>,
    ) {
        let Some(after) = &self.after else { return self.summed(beta, at, y, work) };
        let mut result = std::mem::take(&mut work.result);
        result.clear();
        result.resize(y.len(), T::default());
        self.summed(Blend::Set, at, &mut result, work);
        after.multiply(&after.lane(at, y.len()), &mut result, &mut work.factors);
        blend(beta, cast_slice_mut(y), &[term(cast_slice(&result), self.alpha)]);
        work.result = result;
    }

    /// The same without the coefficients of the result.
    fn summed(&self, beta: Blend<L>, at: &[usize], y: &mut [T], work: &mut Work<'a, T, L>) {
        work.at.clear();
        work.at.extend_from_slice(at);
        let Some(far) = &self.far else { return self.stretch(beta, y, work) };
        let axis = at.len() - 1;
        let start = at[axis];
        let mut cuts = std::mem::take(&mut work.cuts);
        far.cuts(start..start + y.len(), &mut cuts);
        for rows in cuts.windows(2) {
            work.at[axis] = rows[0];
            self.stretch(beta, &mut y[rows[0] - start..rows[1] - start], work);
        }
        work.cuts = cuts;
    }

    /// Computes the elements from `work.at` along the last axis, as many as `y` has. With a far band all take the same
    /// taps of it.
    fn stretch(&self, beta: Blend<L>, y: &mut [T], work: &mut Work<'a, T, L>) {
        let at = &mut work.at[..];
        let axis = at.len() - 1;
        let (start, len) = (at[axis], y.len());
        work.lanes.clear();
        work.before.clear();
        let far = self.far.iter().map(|far| (axis, far));
        for (other, rows) in
            self.across.iter().map(|(axis, across)| (*axis, &across.pieces)).chain(far)
        {
            let row = at[other];
            for (column, weight) in rows.row(row) {
                at[other] = column;
                work.lanes.push((self.x.lane(at, axis, len), weight));
                work.before.extend(self.before.as_ref().map(|before| before.lane(at, len)));
            }
            at[other] = row;
        }
        let (start, end) = (start * Self::COMPONENTS, (start + len) * Self::COMPONENTS);
        let (base, own) = match &self.own {
            None => (start, None),
            Some(rows) => {
                let (from, to) = rows.needed(start, end);
                let (from, to) = (from / Self::COMPONENTS, to.div_ceil(Self::COMPONENTS));
                at[axis] = from;
                work.before.extend(self.before.as_ref().map(|before| before.lane(at, to - from)));
                (from * Self::COMPONENTS, Some(self.x.lane(at, axis, to - from)))
            }
        };
        let y: &mut [L] = cast_slice_mut(y);
        let direct = |lane: &Lane<'a, T>| lane.as_slice().map(cast_slice::<T, L>);

        let Work { lanes, before, across, terms, gathered, factors, .. } = work;
        across.clear();
        if before.is_empty() {
            across.extend(
                lanes.iter().filter_map(|(lane, weight)| Some(term(direct(lane)?, *weight))),
            );
            let x = own.as_ref().map_or(Some(&[][..]), direct);
            if let (Some(x), true) = (x, across.len() == lanes.len()) {
                self.apply(beta, (start, y), (base, x), across, terms);
                return;
            }
        }
        // Strides or coefficients: the lanes are copied together first.
        gathered.clear();
        let all = lanes.iter().map(|(lane, _)| lane).chain(&own);
        for (number, lane) in all.enumerate() {
            let from = gathered.len();
            gathered.resize(from + lane.len(), T::default());
            lane.gather(0, &mut gathered[from..]);
            if let (Some(coefficients), Some(lane)) = (&self.before, before.get(number)) {
                coefficients.multiply(lane, &mut gathered[from..], factors);
            }
        }
        let (first, x) = gathered.split_at(lanes.len() * len);
        let across: Vec<Term<'_, L, 1>> = first
            .chunks_exact(len)
            .zip(lanes)
            .map(|(lane, (_, weight))| term(cast_slice(lane), *weight))
            .collect();
        self.apply(beta, (start, y), (base, cast_slice(x)), &across, &mut Terms::new());
    }

    fn apply<'x>(
        &self,
        beta: Blend<L>,
        y: (usize, &mut [L]),
        x: (usize, &'x [L]),
        across: &[Term<'x, L, 1>],
        terms: &mut Terms<'x, L>,
    ) {
        match &self.own {
            None => blend(beta, y.1, across),
            Some(rows) => rows.apply(beta, y, x, across, terms),
        }
    }
}

impl<'a, T: Scalar> Coefficients<'a, T> {
    /// Those of `len` elements from `at` along the last axis.
    fn lane(&self, at: &[usize], len: usize) -> Lane<'a, T> {
        self.lanes.lane(at, at.len() - 1, len)
    }

    /// Multiplies elements by those of a lane as long.
    fn multiply(&self, lane: &Lane<'a, T>, elements: &mut [T], copied: &mut Vec<T>) {
        let with = |factors: Operand<'_, T>, elements: &mut [T]| {
            binary(Binary::Multiply, factors, Operand::Out, elements);
        };
        if let Some(number) = lane.as_repeated() {
            let number = if self.conjugated { number.conj() } else { number };
            return with(Operand::Number(number), elements);
        }
        match lane.as_slice() {
            Some(slice) if !self.conjugated => with(Operand::Slice(slice), elements),
            slice => {
                copied.resize(elements.len(), T::default());
                match slice {
                    Some(slice) => copied.copy_from_slice(slice),
                    None => lane.gather(0, copied),
                }
                if self.conjugated {
                    unary(Unary::Conjugate, Operand::Out, copied);
                }
                with(Operand::Slice(copied), elements);
            }
        }
    }
}

/// Lists that are filled anew for each lane.
pub(super) struct Work<'a, T, L> {
    at: Vec<usize>,
    cuts: Vec<usize>,
    lanes: Vec<(Lane<'a, T>, L)>,
    /// The coefficients of each lane, and of that of the band along the last axis.
    before: Vec<Lane<'a, T>>,
    across: Vec<Term<'a, L, 1>>,
    terms: Terms<'a, L>,
    gathered: Vec<T>,
    /// Coefficients copied together, and a result before it is multiplied by them.
    factors: Vec<T>,
    result: Vec<T>,
}

impl<T, L> Default for Work<'_, T, L> {
    fn default() -> Self {
        Self {
            at: Vec::new(),
            cuts: Vec::new(),
            lanes: Vec::new(),
            before: Vec::new(),
            across: Vec::new(),
            terms: Terms::new(),
            gathered: Vec::new(),
            factors: Vec::new(),
            result: Vec::new(),
        }
    }
}
