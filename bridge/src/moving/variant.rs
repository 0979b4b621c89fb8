//! The kernels of the mover.

use arrayspan_devices::Source;

use crate::conversion::codec::Codec;
use crate::index::{Form, Runs, Space, Text};

/// Everything that is baked into a kernel: two moves with equal variants run the same one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Variant {
    pub(crate) work: Work,
    pub(crate) form: Form,
    /// The alignment of a run of the source in bytes.
    pub(crate) from_align: usize,
    pub(crate) tiles: bool,
}

/// What becomes of an element on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Work {
    /// Nothing: so many bytes, a power of two up to 16, are moved.
    Bytes(usize),
    /// It takes another dtype.
    Convert(Codec),
    /// It is looked at for the range of all.
    Range(Codec),
}

const ELEMENTS: &str = include_str!("source/elements.cl.h");
const ROWS: &str = include_str!("source/rows.cl.h");
const TILES: &str = include_str!("source/tiles.cl.h");
const RANGE: &str = include_str!("source/range.cl.h");
const LINE: &str = include_str!("source/line.cl.h");

/// Bytes by which the columns of a tile are spread over the banks of local memory.
const BANK_BYTES: usize = 4;

impl Work {
    /// Bytes of an element of the source and of the target.
    pub(crate) fn bytes(self) -> [usize; 2] {
        match self {
            Self::Bytes(bytes) => [bytes; 2],
            Self::Convert(codec) => codec.bytes(),
            Self::Range(codec) => [codec.bytes()[0]; 2],
        }
    }

    /// The side of a tile, and the rows of threads that serve it.
    pub(crate) fn tile(self) -> [usize; 2] {
        let [from, to] = self.bytes();
        if from.max(to) <= 2 { [64, 4] } else { [32, 8] }
    }

    /// Arguments that come beside those of the space.
    fn arguments(self) -> usize {
        match self {
            Self::Bytes(_) | Self::Range(_) => 0,
            Self::Convert(codec) => codec.parameters().len(),
        }
    }

    fn name(self) -> String {
        match self {
            Self::Bytes(bytes) => format!("bytes{bytes}"),
            Self::Convert(codec) => codec.name(),
            Self::Range(codec) => codec.from.to_string().to_lowercase(),
        }
    }
}

impl Variant {
    /// The kernel that does this work in a space of target and source, whose blocks are at these addresses.
    pub(crate) fn new(work: Work, space: &Space, tiles: bool, addresses: [usize; 2]) -> Self {
        let [from, to] = work.bytes();
        let start = |operand, bytes| space.start(operand, addresses[operand], bytes);
        let starts = [start(0, to), start(1, from)];
        let mut runs = Runs::of_sizes(&starts, &[to, from], space.extents[0]);
        if tiles {
            runs = runs.dividing(1);
        }
        let from_align = starts[1].aligned(from).min(runs.len * from);
        Self { work, form: space.form_with(runs, work.arguments()), from_align, tiles }
    }

    /// The kernel. Slow, and therefore asked for once only.
    pub(crate) fn source(&self) -> Source {
        let mut text = Text::default();
        let [from, to] = self.work.bytes();
        text.define("FROM_BYTES", from);
        text.define("TO_BYTES", to);
        text.define("FROM_ALIGN", self.from_align);
        self.form.define(&mut text);
        let source = "const GLOBAL from_t* RESTRICT x0, i64 x0_at";
        let (target, others) = match self.work {
            Work::Bytes(_) => ("GLOBAL to_t* RESTRICT y, i64 y_at", String::new()),
            Work::Convert(codec) => {
                ("GLOBAL to_t* RESTRICT y, i64 y_at", codec.parameters().concat())
            }
            Work::Range(_) => ("GLOBAL double* RESTRICT parts", String::new()),
        };
        let space = self.form.declare();
        text.define("PARAMETERS", format_args!("{target}, {source}{space}{others}"));
        text.define("PROLOGUE", "y += y_at; x0 += x0_at;");
        if self.tiles {
            let [side, rows] = self.work.tile();
            text.define("TILE", side);
            text.define("TILE_ROWS", rows);
            text.define("PAD", (BANK_BYTES / from).max(1));
        }
        text.add(ELEMENTS);
        match self.work {
            Work::Bytes(_) => {
                text.define("CONVERT(x)", "(x)");
                text.define("BEGIN", "");
                text.define("END", "");
            }
            Work::Convert(codec) | Work::Range(codec) => codec.define(&mut text),
        }
        let (entry, body) = match (self.work, self.tiles) {
            (Work::Range(_), _) => ("range", RANGE),
            (_, true) => ("tiles", TILES),
            (_, false) => ("rows", ROWS),
        };
        text.add(body);
        Source::new(format!("{entry}_{}", self.work.name()), entry, text.finish())
    }
}

/// The kernel that makes a line of the ranges of groups.
pub(crate) fn line_source() -> Source {
    Source::new("line_of", "line_of", LINE)
}
