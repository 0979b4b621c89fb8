//! The kernels of sums along curves: what is compiled into one.

use arrayspan_bridge::devices::{KernelSource, Specialisation};
use arrayspan_bridge::iteration::{IterationSpace, MOST_ARGUMENTS, Text};
use arrayspan_bridge::{DType, Layout};

use super::super::element::Element;
use super::super::formula::Formula;
use super::super::map;
use super::super::walk::{Walk, unless_baked};
use crate::Projection;
use crate::projection::Paths;

const TEXT: &str = include_str!("../../source/project.cl.h");

/// Threads of a group.
pub(super) const THREADS: usize = 128;

/// A kernel that sums along curves, or spreads.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::gpu) struct Variant {
    pub(in crate::gpu) dtype: DType,
    pub(in crate::gpu) formula: Formula,
    pub(in crate::gpu) kind: Kind,
    pub(in crate::gpu) transposed: bool,
    pub(in crate::gpu) wide: bool,
    /// The number of the other axes.
    pub(in crate::gpu) rank: usize,
    /// Extents and strides, where they are too many to be arguments.
    pub(in crate::gpu) baked: Vec<isize>,
}

/// What curves are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::gpu) enum Kind {
    Shifts,
    Hyperbolas { nearest: bool },
    Straight,
}

impl Kind {
    pub(in crate::gpu) fn of(paths: &Paths) -> Self {
        match *paths {
            Paths::Shifts { .. } => Self::Shifts,
            Paths::Hyperbolas { nearest, .. } => Self::Hyperbolas { nearest },
            Paths::Straight { .. } => Self::Straight,
        }
    }
}

impl Variant {
    /// For `y` and `x`, so many axes of others, these extents and strides, and so many constants.
    pub(in crate::gpu) fn new(
        dtype: DType,
        formula: Formula,
        projection: &Projection,
        layouts: [&Layout; 2],
        (rank, numbers, constants): (usize, &[isize], usize),
    ) -> Self {
        let wide = |layout| IterationSpace::new(&[layout]).is_wide();
        // Lines are counted up to their number, and samples up to a group behind the last.
        let long = |layout: &Layout| layout.len() >= 1 << 30;
        Self {
            dtype,
            formula,
            kind: Kind::of(&projection.curves().paths),
            transposed: projection.is_transposed(),
            rank,
            baked: if numbers.len() + constants + 9 > MOST_ARGUMENTS {
                numbers.to_vec()
            } else {
                Vec::new()
            },
            wide: layouts.iter().any(|layout| wide(layout) || long(layout)),
        }
    }

    /// The macros before the prelude.
    fn define(&self, text: &mut Text) {
        let element = Element(self.dtype);
        element.define(text);
        text.flag("WIDE", self.wide);
        text.define("V", 1);
        text.define("ALIGN", self.dtype.real().bytes());
        self.formula.define(text);
        let (kind, nearest) = match self.kind {
            Kind::Shifts => (0, false),
            Kind::Hyperbolas { nearest } => (1, nearest),
            Kind::Straight => (2, false),
        };
        text.define("KIND", kind);
        text.flag("NEAREST", nearest);
        text.flag("TRANSPOSED", self.transposed);
        text.define("THREADS", THREADS);
        let mut others = ", const GLOBAL place* RESTRICT places, i64 places_at, const GLOBAL real* RESTRICT numbers, i64 numbers_at".to_owned();
        let names =
            ["y_a", "y_b", "n", "x_a", "x_b", "m", "y_0", "y_1", "y_s", "x0_a", "x0_b", "x0_s"];
        let both = ["y".to_owned(), "x0".to_owned()];
        let outer = Walk { tag: 'k', rank: self.rank, operands: &both, step: "1" };
        outer.define("OUTER", "OUTER", text);
        let names = [names.map(String::from).to_vec(), outer.names()].concat();
        let names = unless_baked(names, &self.baked, text);
        others.extend(names.iter().map(|name| format!(", idx {name}")));
        others += ", idx bits, real margin";
        others += &self.formula.declare(element);
        let prologue = " places += places_at; numbers += numbers_at;".to_owned()
            + &self.formula.prologue(element);
        let inputs = ["x0".to_owned()];
        map::parameters(&map::Arrays::of_elements(&inputs), &others, &prologue, text);
    }
}

impl Specialisation for Variant {
    fn source(&self) -> KernelSource {
        Element(self.dtype).source("project", |text| self.define(text), TEXT)
    }
}
