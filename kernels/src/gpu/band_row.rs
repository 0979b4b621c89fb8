//! The kernel source of a band along axis 0 for a thread that stays at one place there, and the calls that add bands.

use arrayspan_bridge::iteration::Text;

use super::bands::Bands;
use crate::band::Edges;
use crate::number::computed;
use crate::{Band, Stencil, Tap};

const ROW_0: &str = include_str!("../source/row0.cl.h");

/// What a thread may hold of the weights of a place of axis 0, and special rows that it looks through for them.
const MOST_ROW_BYTES: usize = 64;
const MOST_ROW_LINES: usize = 8;

/// The statement that finds out what place `c` of axis 0 has of the band along it, once for all rows of a thread.
pub(super) fn at_axis_0(stencil: &Stencil, axes: &[usize], tag: &str) -> String {
    let along = axes.iter().position(|axis| *axis == 0).map(|term| &stencil.terms()[term].1);
    if along.and_then(Band::edges).is_none() {
        return String::new();
    }
    format!("const band{tag}0_row row{tag}0 = band{tag}0_at(c, n0); ")
}

/// The statement that adds a band to `sum`, `strides` being those of what it is applied to. One along axis 0 takes what
/// [`at_axis_0`] has found out.
pub(super) fn add(band: &Band, tag: &str, axis: usize, strides: &str) -> String {
    let (function, place) = match axis {
        0 if band.edges().is_some() => ("add_row", format!("center, row{tag}0")),
        0 => ("add", "center, c, n0".into()),
        n => ("add", format!("i{n}, n{n}")),
    };
    format!("sum = band{tag}{axis}_{function}(sum, at, {strides}, {place} TABLE{tag}_ARGUMENTS); ")
}

impl Bands<'_> {
    /// As [`define`](Self::define), and what [`at_axis_0`] and [`add`] name.
    pub(super) fn define_with_rows(&self, text: &mut Text) {
        self.define(text);
        let tag = &self.tag;
        text.define(format_args!("TERM{tag}_ARGUMENTS"), self.loads.arguments);
        let mut terms = self.stencil.terms().iter().zip(self.axes);
        let along = terms.find(|(_, axis)| **axis == 0).and_then(|((_, band), _)| band.edges());
        if let Some(band) = along {
            self.define_places(band, text);
            text.add(self.named(ROW_0, 0, "0_"));
        }
    }

    /// The taps of a band along axis 0 by their places, where a thread can hold those of its own.
    fn define_places(&self, band: &Edges, text: &mut Text) {
        let tag = &self.tag;
        let (left, right) = band.reach();
        let places = left.saturating_add(right).saturating_add(1);
        let parts = if self.complex { 2 } else { 1 };
        let few =
            places.saturating_mul(parts * computed(self.dtype).real().bytes()) <= MOST_ROW_BYTES;
        let held = self.run == 1 && few && band.head.len() + band.tail.len() <= MOST_ROW_LINES;
        text.define(format_args!("BAND{tag}0_PLACES"), if held { places } else { 0 });
        text.define(format_args!("BAND{tag}0_BEFORE"), left);
        if !held {
            return;
        }
        let lines = std::iter::once(band.interior.as_slice()).chain(band.special());
        let taps: Vec<(usize, Tap)> = lines
            .enumerate()
            .flat_map(|(line, taps)| {
                let place = move |tap: &Tap| left.wrapping_add_signed(tap.offset);
                taps.iter().map(move |tap| (line * places + place(tap), *tap))
            })
            .collect();
        let at = format!("line * {places} + k");
        let weights = taps.iter().map(|(at, tap)| (*at, self.expression(tap.weight)));
        let zero = if self.complex { "e_zero()" } else { "R(0.0)" };
        let head = format!("weight band{tag}0_at_place(int line, int k)");
        text.switch(head, &at, weights, zero);
        let there = taps.iter().map(|(at, _)| (*at, "1".to_owned()));
        text.switch(format_args!("int band{tag}0_has(int line, int k)"), &at, there, "0");
    }
}
