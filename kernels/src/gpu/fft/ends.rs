//! The kernels before a library's transforms and behind them.

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::vendor::TransformKind;
use arrayspan_bridge::devices::{Grid, KernelSource, Specialisation};
use arrayspan_bridge::iteration::Text;

use super::super::formula::Formula;
use super::super::line_arrays::{LineArrays, Parameters};
use crate::fourier::{Lines, Route};
use crate::{Fourier, Signals};

const TEXT: &str = concat!(
    include_str!("../../source/fft_cells.cl.h"),
    include_str!("../../source/fft_ends.cl.h")
);

/// Threads of a group.
const THREADS: usize = 256;

/// Lines, and elements of each, that go through local memory together where lines lie side by side: `TILE` of the source.
const TILE: usize = 32;

/// Lines that a thread has under way where they do not lie side by side.
const LINES: usize = 4;

/// The most groups along an axis of the grid.
const MOST_GROUPS: usize = 65_535;

/// Places from here on need 64 bits.
const WIDE: usize = 1 << 30;

/// A kernel that writes lines into room, or one that reads them from there.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[allow(clippy::struct_excessive_bools, reason = "each is a macro of the source")]
pub(in crate::gpu) struct Ends {
    pub(in crate::gpu) arrays: LineArrays,
    behind: bool,
    across: bool,
    bins: u8,
    conjugate: bool,
    scales: bool,
    /// Whether lines are transformed along further axes.
    outer: bool,
    /// Threads of a group along what is side by side, and along the other.
    sides: [usize; 2],
}

/// What both kernels of a call have in common.
pub(in crate::gpu) struct Call<'a> {
    pub(in crate::gpu) fourier: &'a Fourier,
    /// That of complex numbers of the precision.
    pub(in crate::gpu) dtype: DType,
    pub(in crate::gpu) lines: &'a Lines,
    pub(in crate::gpu) route: &'a Route,
    /// How the elements of `y` and `x` are aligned.
    pub(in crate::gpu) align: [usize; 2],
}

impl Ends {
    /// That before the transform, or `behind` it, with so many arguments for the formula's constants.
    pub(in crate::gpu) fn new(
        call: &Call<'_>,
        behind: bool,
        (formula, constants): (&Formula, usize),
    ) -> Self {
        let Call { fourier, dtype, lines, route, align } = *call;
        let real = |side: usize| route.bytes[side] < dtype.bytes();
        let signals = fourier.dtypes(dtype).map(|dtype| !dtype.is_complex());
        let bins = match (fourier.signals(), fourier.is_inverse(), behind) {
            (Signals::Half, true, false) => 1,
            (Signals::Real, true, false) => 2,
            (Signals::Half, false, true) => 3,
            (Signals::Real, false, true) => 4,
            _ => 0,
        };
        // Of real numbers the library's exponents are positive on the way to them, and negative from them on.
        let conjugate = match (route.kind, behind) {
            (TransformKind::FromReal, true) => fourier.is_positive(),
            (TransformKind::ToReal, false) => !fourier.is_positive(),
            _ => false,
        };
        let (real, align) = if behind {
            ([signals[1], real(1)], [align[0], route.bytes[1]])
        } else {
            ([real(0), signals[0]], [route.bytes[0], align[1]])
        };
        let across = lines.across[usize::from(!behind)];
        let extent = Self::extent(call, behind);
        let first = if across { TILE } else { extent.next_power_of_two().clamp(8, THREADS) };
        let arguments = 4 + 10 + 2 + 2 + constants;
        let far = route.at_once.saturating_mul(extent.max(route.elements[usize::from(behind)]));
        let wide = lines.wide || far >= WIDE || route.lines >= WIDE || fourier.extent() >= WIDE;
        let written = (formula.clone(), arguments);
        Self {
            arrays: LineArrays::new(dtype, (lines, wide), (real, align), written),
            behind,
            across,
            bins,
            conjugate,
            scales: !behind && route.scales,
            outer: route.outer != [1; 2],
            sides: [first, THREADS / first],
        }
    }

    /// The elements of a line that are written.
    pub(in crate::gpu) fn extent(call: &Call<'_>, behind: bool) -> usize {
        if behind { call.fourier.extents()[1] } else { call.route.elements[0] }
    }

    /// The groups for so many lines.
    pub(in crate::gpu) fn grid(&self, lines: usize, extent: usize) -> Grid {
        let [first, second] = self.sides;
        let tiles = if self.across {
            [(lines, TILE), (extent, TILE)]
        } else {
            [(extent, first), (lines, second * LINES)]
        };
        let [near, far] = tiles.map(|(all, side)| all.div_ceil(side).clamp(1, MOST_GROUPS));
        Grid { groups: [near, far, 1], threads: [first, second, 1] }
    }

    /// The macros before the prelude.
    fn define(&self, text: &mut Text) {
        let ends = ["y_extent", "y_turn", "x_extent", "x_turn"];
        let indices: Vec<&str> = ["first_line", "count"]
            .into_iter()
            .chain(ends)
            .chain(["n", "extent", "outer_0", "outer_1"])
            .collect();
        let numbers = ["scale", "inner"];
        let parameters = Parameters { indices: &indices, table: false, numbers: &numbers };
        self.arrays.define(&parameters, text);
        text.flag("BEHIND", self.behind);
        text.flag("ACROSS", self.across);
        text.define("BINS", self.bins);
        text.flag("CONJUGATE", self.conjugate);
        text.flag("SCALES", self.scales);
        text.flag("OUTER", self.outer);
        text.define("SIDE_0", self.sides[0]);
        text.define("SIDE_1", self.sides[1]);
        text.define("LINES", LINES);
    }
}

impl Specialisation for Ends {
    fn source(&self) -> KernelSource {
        self.arrays.element().source("fft_ends", |text| self.define(text), TEXT)
    }
}
