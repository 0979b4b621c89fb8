//! Spaces that a thread walks with one number.

use std::fmt::Write as _;

use super::arguments::Arguments;
use super::space::Space;

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
    /// The parameters, each after a comma.
    pub(super) fn declare(&self) -> String {
        let Self { tag, rank, .. } = self;
        let mut text = String::new();
        (0..*rank).for_each(|axis| text += &format!(", idx n{tag}{axis}"));
        for name in self.operands {
            (0..*rank).for_each(|axis| text += &format!(", idx {name}_{tag}{axis}"));
        }
        text
    }

    /// The arguments for [`declare`](Self::declare).
    pub(super) fn push(space: &Space, arguments: &mut Arguments<'_>) {
        space.extents.iter().for_each(|extent| arguments.index(*extent as isize));
        space.strides.iter().flatten().for_each(|stride| arguments.index(*stride));
    }

    /// `<count>`, the number of steps; `<name>_SPLIT(at)`, which makes the indices of one; `<operand>_<name>`,
    /// their place.
    pub(super) fn define(&self, count: &str, name: &str) -> String {
        let Self { tag, rank, step, .. } = self;
        let extents: Vec<String> = (0..*rank)
            .map(|axis| match axis {
                0 => format!("((n{tag}0 + {step} - 1) / {step})"),
                _ => format!("n{tag}{axis}"),
            })
            .collect();
        let mut split = String::new();
        let mut rest = "(at)".to_owned();
        for (axis, extent) in extents.iter().enumerate() {
            let times = if axis == 0 { format!(" * {step}") } else { String::new() };
            if axis + 1 == *rank {
                let _ = write!(split, "const idx {tag}{axis} = {rest}{times}; ");
            } else {
                let _ = write!(split, "const idx {tag}{axis} = {rest} % {extent}{times}, ");
                let _ = write!(split, "rest_{tag}{axis} = {rest} / {extent}; ");
                rest = format!("rest_{tag}{axis}");
            }
        }
        let mut text = format!("#define {count} ({})\n", extents.join(" * "));
        let _ = writeln!(text, "#define {name}_SPLIT(at) {split}");
        for operand in self.operands {
            let axes = (0..*rank).map(|axis| format!("{tag}{axis} * {operand}_{tag}{axis}"));
            let place = axes.collect::<Vec<_>>().join(" + ");
            let _ = writeln!(text, "#define {operand}_{name} ({place})");
        }
        text
    }
}
