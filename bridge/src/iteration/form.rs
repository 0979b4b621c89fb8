//! What of an index space is baked into a kernel.

use std::fmt::Write as _;

use super::runs::{Inner, Runs};
use super::text::Text;

/// What of a space is baked into a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IterationForm {
    rank: usize,
    runs: Runs,
    /// Whether places need 64 bits.
    wide: bool,
    /// Extents and strides, where they are too many to be arguments.
    baked: Vec<isize>,
}

impl IterationForm {
    /// So many axes, runs along the first, and whether places need 64 bits; nothing baked.
    #[must_use]
    pub fn new(rank: usize, runs: Runs, wide: bool) -> Self {
        Self { rank, runs, wide, baked: Vec::new() }
    }

    /// The same with these extents and strides as part of the kernel, in the order of the parameters they replace.
    #[must_use]
    pub fn baking(mut self, numbers: Vec<isize>) -> Self {
        self.baked = numbers;
        self
    }

    /// Whether extents and strides are part of the kernel, not arguments.
    #[must_use]
    pub fn is_baked(&self) -> bool {
        !self.baked.is_empty()
    }

    /// Whether places need 64 bits.
    #[must_use]
    pub fn is_wide(&self) -> bool {
        self.wide
    }

    /// What a thread takes in one access.
    #[must_use]
    pub fn runs(&self) -> &Runs {
        &self.runs
    }

    /// The same with other runs.
    #[must_use]
    pub fn with_runs(mut self, other: impl FnOnce(Runs) -> Runs) -> Self {
        self.runs = other(self.runs);
        self
    }

    /// The same with runs that divide `extent`.
    #[must_use]
    pub fn dividing(self, extent: usize) -> Self {
        self.with_runs(|runs| runs.dividing(extent))
    }

    /// How many axes there are.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// How many operands there are.
    #[must_use]
    pub fn operands(&self) -> usize {
        self.runs.inner().len()
    }

    /// The name of an operand.
    #[must_use]
    pub fn operand(number: usize) -> String {
        if number == 0 { "y".into() } else { format!("x{}", number - 1) }
    }

    /// The macros that the prelude and the verb's text take.
    pub fn define(&self, text: &mut Text) {
        let operands: Vec<_> = (0..self.operands()).map(Self::operand).collect();
        text.flag("WIDE", self.wide);
        self.runs.define(&operands, text);
        for (name, value) in self.names().iter().zip(&self.baked) {
            text.define(name, format_args!("((idx){value})"));
        }
        for (name, inner) in operands.iter().zip(self.runs.inner()) {
            match inner {
                Inner::Unit => text.define(format_args!("{name}_s0"), 1),
                Inner::Repeated => text.define(format_args!("{name}_s0"), 0),
                Inner::Apart => {}
            }
            let row: Vec<_> =
                (1..self.rank).map(|axis| format!("i{axis} * {name}_s{axis}")).collect();
            let row = if row.is_empty() { "0".into() } else { row.join(" + ") };
            text.define(format_args!("{name}_ROW"), format_args!("({row})"));
        }
        if self.rank == 1 {
            text.define("n1", 1);
        }
        self.define_split(text);
    }

    /// `OUTER`, the number of rows of rows, and `SPLIT(z)`, which makes `i2`, `i3`, … of one of them.
    fn define_split(&self, text: &mut Text) {
        let axes = 2..self.rank;
        let extents: Vec<_> = axes.clone().map(|axis| format!("n{axis}")).collect();
        let product = if extents.is_empty() { "1".into() } else { extents.join(" * ") };
        let mut split = String::new();
        let mut rest = "z".to_owned();
        for axis in axes {
            // Writing to a String cannot fail.
            if axis + 1 == self.rank {
                let _ = write!(split, "const idx i{axis} = {rest}; ");
            } else {
                let _ = write!(split, "const idx i{axis} = {rest} % n{axis}, ");
                let _ = write!(split, "z{axis} = {rest} / n{axis}; ");
                rest = format!("z{axis}");
            }
        }
        text.define("OUTER", format_args!("({product})"));
        text.define("SPLIT(z)", split);
    }

    /// The parameters for extents and strides, each after a comma.
    #[must_use]
    pub fn declare(&self) -> String {
        if !self.baked.is_empty() {
            return String::new();
        }
        self.names().iter().fold(String::new(), |text, name| text + ", idx " + name)
    }

    fn names(&self) -> Vec<String> {
        let extents = (0..self.rank).map(|axis| format!("n{axis}"));
        let strides = self.runs.inner().iter().enumerate().flat_map(|(number, inner)| {
            let first = usize::from(*inner != Inner::Apart);
            (first..self.rank).map(move |axis| format!("{}_s{axis}", Self::operand(number)))
        });
        extents.chain(strides).collect()
    }
}
