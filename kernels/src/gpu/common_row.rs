//! The common row of a band as straight code takes it: a table of the weights of all places from its first to its last tap.

use arrayspan_bridge::iteration::Text;
use num_complex::Complex64;

use super::bands::Bands;
use crate::band::Edges;
use crate::{Stencil, Tap};

/// `FROM_FIRST_PLACES`, for kernels that count places from the first ones of their operands.
pub(super) const FIRST_PLACES: &str = include_str!("../source/first_places.cl.h");

/// The most places of rows along columns without a tap at some, up to half, of them, which straight code leaves out: a derivative
/// of something symmetric has none in the middle.
pub(super) const MOST_GAPPED: usize = 64;

/// The places of a common row.
#[derive(Clone, Copy, Debug)]
pub(super) struct CommonRow<'e> {
    edges: &'e Edges,
    /// The offset of the first tap; 0 without taps.
    pub(super) first: isize,
    /// Places from the first to the last tap; 0 without taps.
    pub(super) taps: usize,
}

impl<'e> CommonRow<'e> {
    pub(super) fn of(edges: &'e Edges) -> Self {
        let interior = &edges.interior;
        let (Some(first), Some(last)) = (interior.first(), interior.last()) else {
            return Self { edges, first: 0, taps: 0 };
        };
        let taps = last.offset.abs_diff(first.offset).saturating_add(1);
        Self { edges, first: first.offset, taps }
    }

    /// That of a stencil's only band, if all its rows are like it and have a tap at every place.
    pub(super) fn alone(stencil: &'e Stencil) -> Option<Self> {
        let [(_, band)] = stencil.terms() else { return None };
        let edges = band.edges()?;
        let row = Self::of(edges);
        (edges.special().next().is_none() && !row.has_gaps()).then_some(row)
    }

    /// Whether there is no tap at some of the places.
    pub(super) fn has_gaps(&self) -> bool {
        self.edges.interior.len() < self.taps
    }

    /// How many places before and behind a row's own it reaches.
    pub(super) fn reach(&self) -> [usize; 2] {
        let last = self.first.saturating_add_unsigned(self.taps.saturating_sub(1));
        [self.first.min(0).unsigned_abs(), last.max(0).unsigned_abs()]
    }

    /// The place of a tap.
    pub(super) fn place(&self, tap: &Tap) -> usize {
        tap.offset.abs_diff(self.first)
    }

    /// `FIRST_TAP`, `TAPS`, `tap_weights` and, of up to [`MOST_GAPPED`] places, `tap_is`. Straight code takes known places of a
    /// table, and is compiled much sooner than functions of the place. Numbers of 32 bits become parts of the code, if nobody can write to the table; for others
    /// that would be an instruction more.
    pub(super) fn define(&self, bands: &Bands<'_>, text: &mut Text) {
        text.define("FIRST_TAP", format_args!("({})", self.first));
        text.define("TAPS", self.taps);
        let mut weights = vec![Complex64::ZERO; self.taps];
        for tap in &self.edges.interior {
            weights[self.place(tap)] = tap.weight;
        }
        let weights: Vec<_> = weights.into_iter().map(|weight| bands.initializer(weight)).collect();
        let (weights, bits) = (weights.join(", "), bands.dtype.real().bits());
        let kind = if bits == 32 { "const weight" } else { "weight" };
        text.add(format_args!("CONSTANT {kind} tap_weights[] = {{{weights}}};"));
        if self.has_gaps() && self.taps <= MOST_GAPPED {
            let there = |bits, tap| bits | 1_u64 << self.place(tap);
            let places = self.edges.interior.iter().fold(0, there);
            text.define("tap_is(t)", format_args!("(((u64){places:#x} >> (t) & 1) != 0)"));
        } else {
            text.define("tap_is(t)", 1);
        }
    }
}
