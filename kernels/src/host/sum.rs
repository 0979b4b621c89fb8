//! A sum of stencils over one output: how it is cut, and which loops compute it.

use std::sync::Arc;

use arrayspan_bridge::parallel;
use bytemuck::cast_slice_mut;

use super::across::Across;
use super::banded::{Banded, Work};
use super::blend::blend;
use super::group::has_contiguous_lanes;
use super::norms::cell;
use super::packed;
use super::parts::{Parts, even};
use super::scalar::Scalar;
use super::tile::Blend;
use super::window::{ROWS, Window};

/// Elements computed at a time: enough to stream, and a bound for what is copied together where strides
/// demand it.
pub(super) const CHUNK: usize = 8192;

/// Bytes of the inputs of a group that stay in a core's cache from one group to the next.
pub(super) const CACHE: usize = 256 << 10;

/// Bytes of a row in a part, at least: a page. What a group of rows needs is found out once for all of it.
const NARROW: usize = 4096;

/// Bytes of a row in a tile of the widest registers.
const TILE: usize = 256;

/// Widths that are copied together one after the other in a part.
const NEIGHBOURS: usize = 2;

/// The most parts: they need not be smaller where there is much to do.
pub(super) const MOST_PARTS: usize = 512;

/// Components at both ends of rows that are computed one by one, at most.
pub(super) const FEW_ENDS: usize = 8;

/// Terms that are summed into one output.
pub(super) struct Sum<'a, T, L> {
    pub(super) terms: Vec<Banded<'a, T, L>>,
    pub(super) beta: Blend<L>,
    /// Whether all inputs are contiguous along the lanes and no term has coefficients or taps that reach far along
    /// them, so that rows are computed in groups. A filter along them is computed row by row.
    pub(super) grouped: bool,
    /// The axis along which rows are grouped: the one with the most taps of those that lanes do not run along.
    pub(super) beside: Option<usize>,
    /// Whether taps leave the last axis from few components only, of rows that are computed in groups.
    pub(super) few_ends: bool,
    /// How many elements of each input row are copied together for the groups that take them, if they are.
    pub(super) packed: Option<usize>,
}

impl<'a, T: Scalar, L: Scalar> Sum<'a, T, L> {
    pub(super) fn new(terms: Vec<Banded<'a, T, L>>, beta: Blend<L>) -> Self {
        let plain = |term: &Banded<'a, T, L>| {
            let coefficients = term.before.is_some() || term.after.is_some();
            !coefficients && term.far.is_none() && has_contiguous_lanes(&term.x)
        };
        let across = || terms.iter().flat_map(|term| &term.across);
        let longest = |(axis, across): &&(usize, Arc<Across<L>>)| (across.taps(), *axis);
        let beside = across().max_by_key(longest).map(|(axis, _)| *axis);
        let filter = matches!(&terms[..], [term] if term.is_filter());
        let grouped = !filter && terms.iter().all(plain);
        let mut sum = Self { terms, beta, grouped, beside, few_ends: false, packed: None };
        let extent = sum.terms.first().and_then(|term| term.x.shape().last()).copied();
        let (from, to) = sum.inside(0, extent.unwrap_or(0));
        let ends = from + extent.unwrap_or(0) - to;
        sum.few_ends = grouped && ends * (size_of::<T>() / size_of::<L>()) <= FEW_ENDS;
        let rows = sum.windows().next().flatten().map(Window::len);
        if let ([term], Some(beside), Some(rows)) = (&sum.terms[..], beside, rows)
            && grouped
            && term.is_column()
        {
            let extent = term.x.shape().last().copied().unwrap_or(1);
            sum.packed = packed::width::<T>(rows, term.x.strides()[beside], extent);
        }
        sum
    }

    /// What groups of each term take along the axis of groups, if it has a band along it.
    pub(super) fn windows(&self) -> impl Iterator<Item = Option<&Window<L, ROWS>>> {
        self.terms.iter().map(|term| {
            let across = term.across.iter().find(|(axis, _)| Some(*axis) == self.beside);
            across.map(|(_, across)| &across.window)
        })
    }

    /// The shape of parts, if there are several, and how many elements of rows are computed before the next rows; both end where
    /// [cells](super::norms) do, if those are added up.
    pub(super) fn block(&self, shape: &[usize], cells: bool) -> (Option<Vec<usize>>, usize) {
        let taps = |term: &Banded<'a, T, L>| {
            let across = term.across.iter().map(|(_, across)| across.taps());
            let along = term.own.as_ref().map_or(0, |own| own.shifts().count());
            let far = term.far.as_ref().map_or(0, |far| far.longest().1.len());
            across.sum::<usize>() + along + far
        };
        let taps: usize = self.terms.iter().map(taps).sum();
        let arrays = self.terms.len() + 1 + usize::from(self.beta != Blend::Set);
        let len = shape.iter().product();
        let parts = size_of::<T>() / size_of::<L>();
        let grain = parallel::even_grain(len, arrays * size_of::<T>(), 2 * taps * parts);
        // Input rows of a group.
        let rows = self.windows().flatten().map(Window::len).sum::<usize>().max(1);
        let least = NARROW / size_of::<T>();
        let width = (CACHE / (rows * size_of::<T>())).clamp(least, CHUNK);
        // Neighbours of what is copied together are read soon after it.
        let (least, width) =
            self.packed.map_or((least, width), |packed| (NEIGHBOURS * packed, packed));
        let whole = if cells { cell::<T>() } else { TILE / size_of::<T>() };
        let width = if cells { (width / whole).max(1) * whole } else { width };
        if grain == usize::MAX {
            return (None, width);
        }
        let grain = grain.max(len / MOST_PARTS);
        let Some(beside) = self.beside else {
            let mut block = Parts::Lanes.block(shape, grain);
            if let (true, Some(last)) = (cells, block.last_mut()) {
                *last = last.next_multiple_of(whole);
            }
            return (Some(block), width);
        };
        // High and narrow, since each part reads the rows around it again that its own rows take.
        let last = shape.len() - 1;
        let narrow = (grain / (8 * rows)).clamp(least, width.max(least));
        let mut block = vec![1; shape.len()];
        block[last] = even(shape[last], narrow).next_multiple_of(whole).min(shape[last]);
        let high = (grain / block[last]).max(ROWS);
        block[beside] = even(shape[beside], high).next_multiple_of(ROWS).min(shape[beside]);
        let mut left = grain / (block[last] * block[beside]);
        for axis in (0..last).rev().filter(|axis| *axis != beside) {
            block[axis] = even(shape[axis], left);
            left /= block[axis];
        }
        (Some(block), width)
    }

    /// Computes the elements from `at` along the last axis, as many as `y` has, one term after the other.
    pub(super) fn lane(&self, at: &[usize], y: &mut [T], work: &mut Work<'a, T, L>) {
        let Some((first, others)) = self.terms.split_first() else {
            return blend(self.beta, cast_slice_mut(y), &[]);
        };
        first.lane(self.beta, at, y, work);
        for term in others {
            term.lane(Blend::Add, at, y, work);
        }
    }

    /// Which of the elements from `start` to `end` along the last axis no tap of a band along it leaves the axis from.
    pub(super) fn inside(&self, start: usize, end: usize) -> (usize, usize) {
        let parts = size_of::<T>() / size_of::<L>();
        let inside = self.terms.iter().filter_map(|term| Some(term.own.as_ref()?.inside()));
        let (from, to) = inside.fold((start, end), |(from, to), inside| {
            (from.max(inside.start.div_ceil(parts)), to.min(inside.end / parts))
        });
        let from = from.min(end);
        (from, to.max(from))
    }
}
