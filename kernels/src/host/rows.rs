//! A band along the contiguous axis, as the host's loops use it.

use std::iter::once;

use num_complex::Complex64;
use smallvec::SmallVec;

use super::blend::{blend, term};
use super::scalar::Scalar;
use super::slide::Filter;
use super::tile::{Blend, Term};
use crate::{Band, Tap};

/// Up to so many products scalar code is faster than preparing vector code.
const FEW: usize = 32;

/// Components that taps may reach beyond a lane before each tap is better taken for itself.
const NEAR: usize = 1 << 16;

/// Inputs of a row, without a block on the heap for the few that most bands have.
pub(super) type Terms<'x, L> = SmallVec<[Term<'x, L, 1>; 8]>;

/// A band with its weights in the type that the loops compute with.
///
/// A row is `unit` components wide: two where real weights act on complex elements, more where each row of
/// the band is several elements side by side. Positions count components.
#[derive(Debug)]
pub(super) struct Rows<L> {
    len: usize,
    unit: usize,
    /// Offsets and weights: those of the interior, then those of each special row, first and last ones.
    taps: SmallVec<[(isize, L); 8]>,
    /// How many of them are the interior's, and where those of each special row end.
    ends: SmallVec<[usize; 8]>,
    /// How many of the special rows are first ones.
    head: usize,
    /// Where special first rows end, where no interior tap falls outside any more, where one does again,
    /// and where special last rows begin.
    bounds: [usize; 4],
    /// How far the interior taps reach to the left and to the right.
    reach: (usize, usize),
    /// The weights of interior taps that lie beside each other and are more than a vector has elements; else none.
    filter: Vec<L>,
}

impl<L: Scalar> Rows<L> {
    /// The band for lanes of `lane` components; `None` if its special rows are many, or if its taps are so few and reach
    /// so far that a lane with all that they reach would be much more than what they take.
    pub(super) fn new(band: &Band, alpha: Complex64, unit: usize, lane: usize) -> Option<Self> {
        let edges = band.edges()?;
        let (left, right) = band.reach();
        let taps = edges.special().map(<[Tap]>::len).max().unwrap_or(0).max(edges.interior.len());
        let reached = left.saturating_add(right).saturating_mul(unit);
        if reached > NEAR.max(taps.saturating_mul(lane)) {
            return None;
        }
        let weighted = |tap: &Tap| (tap.offset, L::rounded(alpha * tap.weight));
        let rows = || once(&edges.interior[..]).chain(edges.special());
        let mut end = 0;
        let ends = rows().map(|row| {
            end += row.len();
            end
        });
        let (left, right) = crate::band::reach(&edges.interior);
        let (head, tail) = (edges.head.len(), band.len() - edges.tail.len());
        let first = left.clamp(head, tail);
        let last = band.len().saturating_sub(right).clamp(first, tail);
        let beside = edges.interior.windows(2).all(|taps| taps[0].offset + 1 == taps[1].offset);
        let filter: Vec<L> = if beside && edges.interior.len() > 1 {
            edges.interior.iter().map(|tap| weighted(tap).1).collect()
        } else {
            Vec::new()
        };
        let filter =
            if (Filter { weights: &filter, unit }).is_long() { filter } else { Vec::new() };
        Some(Self {
            filter,
            len: band.len(),
            unit,
            taps: rows().flatten().map(weighted).collect(),
            ends: ends.collect(),
            head,
            bounds: [head, first, last, tail].map(|row| row * unit),
            reach: (left * unit, right * unit),
        })
    }

    /// The taps of all rows but special ones.
    fn interior(&self) -> &[(isize, L)] {
        &self.taps[..self.ends[0]]
    }

    /// The columns and weights of row `i`.
    fn row(&self, i: usize) -> impl Iterator<Item = (usize, L)> {
        let tail = self.len + self.head + 1 - self.ends.len();
        let special = |at: usize| &self.taps[self.ends[at]..self.ends[at + 1]];
        let taps = match i {
            _ if i < self.head => special(i),
            _ if i >= tail => special(self.head + i - tail),
            _ => self.interior(),
        };
        let column = move |offset| i.checked_add_signed(offset).filter(|&j| j < self.len);
        taps.iter().filter_map(move |&(offset, weight)| Some((column(offset)?, weight)))
    }

    /// The positions that the result at a position takes, and their weights.
    pub(super) fn taps_at(&self, position: usize) -> impl Iterator<Item = (usize, L)> {
        let component = position % self.unit;
        self.row(position / self.unit)
            .map(move |(column, weight)| (column * self.unit + component, weight))
    }

    /// The positions that the results from `start` to `end` may need.
    pub(super) fn needed(&self, start: usize, end: usize) -> (usize, usize) {
        let special = self.taps[self.ends[0]..].iter().map(|(offset, _)| offset.unsigned_abs());
        let far = special.max().unwrap_or(0) * self.unit;
        let from = start.saturating_sub(self.reach.0.max(far));
        (from, (end + self.reach.1.max(far)).min(self.len * self.unit))
    }

    /// `y ← band · x + across + beta · y` from position `start` on. `x` begins at position `base`; the terms
    /// `across` are as long as `y`.
    pub(super) fn apply<'x>(
        &self,
        beta: Blend<L>,
        (start, y): (usize, &mut [L]),
        (base, x): (usize, &'x [L]),
        across: &[Term<'x, L, 1>],
        terms: &mut Terms<'x, L>,
    ) {
        let end = start + y.len();
        let [head, first, last, tail] = self.bounds.map(|bound| bound.clamp(start, end));
        let parts = [start..head, head..first, first..last, last..tail, tail..end];
        for (kind, part) in parts.into_iter().enumerate().filter(|(_, part)| !part.is_empty()) {
            let within = part.start - start..part.end - start;
            let y = &mut y[within.clone()];
            terms.clear();
            terms.extend(across.iter().map(|of| Term { x: &of.x[within.clone()], ..*of }));
            match kind {
                2 => self.uniform(beta, y, (part.start - base, x), terms),
                // A few taps on a few rows are not worth a copy of `x`.
                1 | 3 if self.is_worth_a_copy(kind) => {
                    self.clipped(beta, (part.start, y), (base, x), terms);
                }
                _ => {
                    blend(beta, y, terms);
                    self.add_rows((part.start, y), (base, x));
                }
            }
        }
    }

    /// Whether the interior taps are applied as one filter, if there is nothing else.
    pub(super) fn is_filter(&self) -> bool {
        !self.filter.is_empty()
    }

    /// Rows whose interior taps all fall on the axis, the first of which begins at `from` of `x`, and terms.
    fn uniform<'x>(
        &self,
        beta: Blend<L>,
        y: &mut [L],
        (from, x): (usize, &'x [L]),
        terms: &mut Terms<'x, L>,
    ) {
        if let (true, Some((first, _))) =
            (terms.is_empty() && self.is_filter(), self.shifts().next())
        {
            let from = from.wrapping_add_signed(first);
            let filter = Filter { weights: &self.filter, unit: self.unit };
            return filter.apply(beta, y, &x[from..from + y.len() + filter.reach()]);
        }
        terms.extend(self.shifted(x, from, y.len()));
        blend(beta, y, terms);
    }

    /// Whether so many products are in the rows before (1) or behind (3) those whose interior taps all fall on the axis
    /// that vector code is faster: of all these rows, so that results do not depend on where lanes are cut.
    fn is_worth_a_copy(&self, kind: usize) -> bool {
        (self.bounds[kind] - self.bounds[kind - 1]) * self.interior().len() > FEW
    }

    /// The positions of rows whose interior taps all fall on the axis.
    pub(super) fn inside(&self) -> std::ops::Range<usize> {
        self.bounds[1]..self.bounds[2]
    }

    /// The positions that results from `start` to `end` take, if they are [`inside`](Self::inside).
    pub(super) fn taken(&self, start: usize, end: usize) -> (usize, usize) {
        (start.saturating_sub(self.reach.0), (end + self.reach.1).min(self.len * self.unit))
    }

    /// The interior taps: how many positions from the result they are, and their weights.
    pub(super) fn shifts(&self) -> impl Iterator<Item = (isize, L)> {
        self.interior().iter().map(|&(offset, weight)| (offset * self.unit as isize, weight))
    }

    /// For each interior tap the `len` components that it takes, where the row itself begins at `from` of `x`.
    fn shifted<'x>(
        &self,
        x: &'x [L],
        from: usize,
        len: usize,
    ) -> impl Iterator<Item = Term<'x, L, 1>> {
        self.shifts().map(move |(shift, weight)| {
            let from = from.wrapping_add_signed(shift);
            term(&x[from..from + len], weight)
        })
    }

    /// Rows of which some taps fall outside the axis: as the others, with zeros around `x`.
    fn clipped(
        &self,
        beta: Blend<L>,
        (start, y): (usize, &mut [L]),
        (base, x): (usize, &[L]),
        across: &[Term<'_, L, 1>],
    ) {
        let (left, right) = self.reach;
        let mut padded = vec![L::zero(); left + y.len() + right];
        let from = start.saturating_sub(left);
        let to = (start + y.len() + right).min(self.len * self.unit);
        padded[from + left - start..][..to - from].copy_from_slice(&x[from - base..to - base]);
        self.uniform(beta, y, (left, &padded), &mut across.iter().copied().collect());
    }

    /// Adds rows one by one, each with its own taps.
    fn add_rows(&self, (start, y): (usize, &mut [L]), (base, x): (usize, &[L])) {
        for (i, y) in y.iter_mut().enumerate() {
            for (from, weight) in self.taps_at(start + i) {
                *y = *y + weight * x[from - base];
            }
        }
    }
}
