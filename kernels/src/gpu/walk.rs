//! Spaces that a thread walks with one number.

use arrayspan_bridge::iteration::{IterationSpace, Text};
use std::fmt::Write as _;

/// A space that a thread walks with one number. Its indices are called after `tag`: `k0`, `k1`, …, their extents
/// `nk0`, … and the strides of operand `x0` along them `x0_k0`, ….
#[derive(Debug)]
pub(super) struct Walk<'n> {
    pub(super) tag: char,
    pub(super) rank: usize,
    pub(super) operands: &'n [String],
    /// Elements of a step along axis 0: a number or a macro.
    pub(super) step: &'static str,
}

impl Walk<'_> {
    /// The names of extents and strides.
    pub(super) fn names(&self) -> Vec<String> {
        let Self { tag, rank, .. } = self;
        let extents = (0..*rank).map(|axis| format!("n{tag}{axis}"));
        let strides = self
            .operands
            .iter()
            .flat_map(|name| (0..*rank).map(move |axis| format!("{name}_{tag}{axis}")));
        extents.chain(strides).collect()
    }

    /// The numbers that [`names`](Self::names) names.
    pub(super) fn numbers(space: &IterationSpace) -> impl Iterator<Item = isize> {
        let extents = space.extents.iter().map(|extent| *extent as isize);
        extents.chain(space.strides.iter().flatten().copied())
    }

    /// `<count>`, the number of whole steps; `<name>_SPLIT(at)`, which makes the indices of one; `<operand>_<name>`,
    /// their place.
    pub(super) fn define(&self, count: &str, name: &str, text: &mut Text) {
        let Self { tag, rank, step, .. } = self;
        let extents: Vec<String> = (0..*rank)
            .map(|axis| match axis {
                0 => format!("(n{tag}0 / {step})"),
                _ => format!("n{tag}{axis}"),
            })
            .collect();
        let mut split = String::new();
        let mut rest = "(at)".to_owned();
        for (axis, extent) in extents.iter().enumerate() {
            let times = if axis == 0 { format!(" * {step}") } else { String::new() };
            // Writing to a String cannot fail.
            if axis + 1 == *rank {
                let _ = write!(split, "const idx {tag}{axis} = {rest}{times}; ");
            } else {
                let _ = write!(split, "const idx {tag}{axis} = {rest} % {extent}{times}, ");
                let _ = write!(split, "rest_{tag}{axis} = {rest} / {extent}; ");
                rest = format!("rest_{tag}{axis}");
            }
        }
        text.define(count, format_args!("({})", extents.join(" * ")));
        text.define(format_args!("{name}_SPLIT(at)"), split);
        for operand in self.operands {
            let axes = (0..*rank).map(|axis| format!("{tag}{axis} * {operand}_{tag}{axis}"));
            let place = axes.collect::<Vec<_>>().join(" + ");
            text.define(format_args!("{operand}_{name}"), format_args!("({place})"));
        }
    }
}

/// The names of extents and strides that are arguments: those of both walks, or none if their values are `baked` into the
/// text, which is done here.
pub(super) fn arguments(walks: [&Walk<'_>; 2], baked: &[isize], text: &mut Text) -> Vec<String> {
    unless_baked(walks.map(Walk::names).concat(), baked, text)
}

/// Those of `names` that are arguments: all, or none if their values are `baked` into the text, which is done here.
pub(super) fn unless_baked(
    mut names: Vec<String>,
    baked: &[isize],
    text: &mut Text,
) -> Vec<String> {
    for (name, value) in names.iter().zip(baked) {
        text.define(name, format_args!("((idx){value})"));
    }
    if !baked.is_empty() {
        names.clear();
    }
    names
}
