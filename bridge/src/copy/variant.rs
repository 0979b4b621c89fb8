//! The kernels of copies.

use arrayspan_devices::{Grid, KernelSource, Specialisation};

use super::across::{Across, choose};
use super::cast::spec::CastSpec;
use crate::iteration::{IterationForm, IterationSpace, MOST_GROUPS, Runs, THREADS, Text, grid};

/// Everything that is baked into a kernel: two copies with equal variants run the same one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Variant {
    pub(crate) work: Work,
    pub(crate) form: IterationForm,
    /// The alignment of a run of the source in bytes.
    pub(crate) from_align: usize,
    pub(crate) tiles: Option<Tiles>,
}

/// What is done to each element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Work {
    /// Nothing: so many bytes, a power of two up to 16, are moved.
    Bytes(usize),
    /// It takes another dtype.
    Convert(CastSpec),
    /// It is looked at for the range of all.
    Range(CastSpec),
    /// Nothing: elements of so many bytes of several arrays go into one.
    Stack { bytes: usize, sources: usize },
    /// As the last, where elements of one index become consecutive.
    Interleave(Across),
}

/// How a kernel goes by tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Tiles {
    /// Whether threads move words of several elements.
    words: bool,
    /// Elements of the target's memory with a whole multiple of which tiles begin in each row.
    granule: usize,
    /// Whether there is a group for every tile.
    once: bool,
}

/// Bytes of memory that are written together.
const SECTOR: usize = 32;

/// Bytes of a word of small elements.
const WORD: usize = 8;

impl Tiles {
    fn new(work: Work, space: &IterationSpace) -> Self {
        let [_, to] = work.bytes();
        // Elements of one or two bytes, where both lie without gaps.
        let words = matches!(work, Work::Bytes(1 | 2)) && space.strides[1].get(1) == Some(&1);
        let granule = if words { WORD } else { SECTOR } / to;
        let outer: usize = space.extents.iter().skip(2).product();
        Self { words, granule, once: outer <= MOST_GROUPS }
    }

    /// The sides of a tile along axis 1 and axis 0, and its threads.
    fn shape(self, work: Work) -> [usize; 3] {
        match (self.words, work.widest()) {
            (true, 1) => [128, 128, 256],
            (true, _) => [64, 128, 256],
            (_, 1..=8) => [32, 64, 256],
            _ => [16, 32, 256],
        }
    }

    /// The groups of a space of so many elements along axis 0, along axis 1, and along the rest.
    fn grid(self, work: Work, [columns, rows, outer]: [usize; 3]) -> Grid {
        let [x, y, threads] = self.shape(work);
        let tiles = (columns + self.granule - 1).div_ceil(y).saturating_mul(rows.div_ceil(x));
        let groups = [tiles.min(i32::MAX as usize), outer.min(MOST_GROUPS), 1];
        Grid { groups, threads: [threads, 1, 1] }
    }

    fn define(self, work: Work, text: &mut Text) {
        let [x, y, threads] = self.shape(work);
        text.define("TILE_X", x);
        text.define("TILE_Y", y);
        text.define("THREADS", threads);
        text.define("GRANULE", self.granule);
        text.flag("ONCE", self.once);
        if self.words {
            text.define("M", WORD / work.widest());
            text.define("ACROSS", 4);
        } else {
            text.define("PAD", (BANK_BYTES / work.bytes()[0]).max(1));
        }
    }
}

const ELEMENTS: &str = include_str!("source/elements.cl.h");
const ROWS: &str = include_str!("source/rows.cl.h");
const TILES: &str = include_str!("source/tiles.cl.h");
const WORDS: &str = include_str!("source/words.cl.h");
const RANGE: &str = include_str!("source/range.cl.h");
const STACK: &str = include_str!("source/stack.cl.h");
const INTERLEAVE: &str = include_str!("source/interleave.cl.h");
const AFFINE: &str = include_str!("source/affine.cl.h");

/// Bytes by which the columns of a tile are spread over the banks of local memory.
const BANK_BYTES: usize = 4;

impl Work {
    /// Bytes of an element of the source and of the target.
    pub(crate) fn bytes(self) -> [usize; 2] {
        match self {
            Self::Bytes(bytes) | Self::Stack { bytes, .. } => [bytes; 2],
            Self::Convert(spec) => spec.bytes(),
            Self::Range(spec) => [spec.bytes()[0]; 2],
            Self::Interleave(across) => [across.bytes; 2],
        }
    }

    /// Bytes of an element of the source or of the target, whichever has more.
    fn widest(self) -> usize {
        let [from, to] = self.bytes();
        from.max(to)
    }

    /// Arguments that come beside those of the space.
    fn arguments(self) -> usize {
        match self {
            Self::Bytes(_) | Self::Range(_) => 0,
            Self::Convert(spec) => spec.parameters().len(),
            Self::Stack { .. } | Self::Interleave(_) => 1,
        }
    }

    fn name(self) -> String {
        match self {
            Self::Bytes(bytes) => format!("bytes{bytes}"),
            Self::Convert(spec) => spec.name(),
            Self::Range(spec) => spec.from.to_string().to_lowercase(),
            Self::Stack { bytes, sources } | Self::Interleave(Across { bytes, sources, .. }) => {
                format!("{sources}_bytes{bytes}")
            }
        }
    }
}

impl Variant {
    /// The kernel that does this work in a space of target and source, whose blocks are at these addresses.
    pub(crate) fn new(
        work: Work,
        space: &IterationSpace,
        tiles: bool,
        addresses: [usize; 2],
    ) -> Self {
        let [from, to] = work.bytes();
        let start = |operand, bytes| space.start(operand, addresses[operand], bytes);
        let starts = [start(0, to), start(1, from)];
        let mut runs = Runs::of_sizes(&starts, &[to, from], space.extents[0]);
        let tiles = tiles.then(|| Tiles::new(work, space));
        if tiles.is_some() {
            runs = runs.single();
        }
        let others = work.arguments() + if tiles.is_some_and(|tiles| tiles.words) { 2 } else { 0 };
        let from_align = starts[1].aligned(from).min(runs.len * from);
        Self { work, form: space.form_with(runs, others), from_align, tiles }
    }

    /// The kernel that stacks in a space of the first slice's place and all sources; the slices lie `step` elements apart.
    pub(crate) fn stacking(
        work: Work,
        space: &IterationSpace,
        addresses: &[usize],
        step: isize,
    ) -> Self {
        let bytes = work.bytes()[0];
        let each = addresses.iter().enumerate();
        let mut starts: Vec<_> = each.map(|(n, &at)| space.start(n, at, bytes)).collect();
        // Runs of the first slice must be runs of the others, too.
        starts[0].steps |= step.unsigned_abs();
        let runs = Runs::new(&starts, bytes, space.extents[0]);
        let from_align = starts[1..].iter().map(|start| start.aligned(bytes)).min();
        let from_align = from_align.unwrap_or(bytes).min(runs.len * bytes);
        Self { work, form: space.form_with(runs, work.arguments()), from_align, tiles: None }
    }

    /// The places between which the source lies, from its first element on, if the kernel takes them.
    pub(crate) fn ends(&self, space: &IterationSpace) -> Option<[isize; 2]> {
        self.tiles.filter(|tiles| tiles.words)?;
        let steps = space.strides[1].iter().zip(&space.extents);
        let reach = steps.map(|(stride, extent)| stride * (extent - 1) as isize);
        let [mut low, mut high] = [0, 1];
        reach.for_each(|reach| if reach < 0 { low += reach } else { high += reach });
        Some([low, high])
    }

    /// Runs that a thread takes at once.
    fn takes(&self) -> usize {
        if self.form.runs().len == 1 { 8 } else { 4 }
    }

    /// Threads and groups for so many runs along axis 0, rows, and rows of rows.
    pub(crate) fn grid(&self, [runs, rows, outer]: [usize; 3]) -> Grid {
        if let Some(tiles) = self.tiles {
            return tiles.grid(self.work, [runs, rows, outer]);
        }
        let threads = |items: usize| items.div_ceil(self.takes());
        match self.work {
            Work::Stack { sources, .. } => {
                let mut grid = grid([threads(runs), rows, outer], THREADS);
                grid.groups[2] = grid.groups[2].min(MOST_GROUPS / sources) * sources;
                grid
            }
            Work::Interleave(across) => {
                grid([threads(runs * across.parts()), rows, outer], THREADS)
            }
            _ => grid([threads(runs), rows, outer], THREADS),
        }
    }
}

impl Specialisation for Variant {
    fn source(&self) -> KernelSource {
        let mut text = Text::default();
        let [from, to] = self.work.bytes();
        text.define("FROM_BYTES", from);
        text.define("TO_BYTES", to);
        text.define("FROM_ALIGN", self.from_align);
        self.form.define(&mut text);
        let sources: Vec<String> = (1..self.form.operands()).map(IterationForm::operand).collect();
        let all = |part: &dyn Fn(&String) -> String| sources.iter().map(part).collect::<Vec<_>>();
        let read = all(&|x| format!("const GLOBAL from_t* RESTRICT {x}, i64 {x}_at")).join(", ");
        let (target, others) = match self.work {
            Work::Bytes(_) => ("GLOBAL to_t* RESTRICT y, i64 y_at", String::new()),
            Work::Convert(spec) => {
                ("GLOBAL to_t* RESTRICT y, i64 y_at", spec.parameters().concat())
            }
            Work::Range(_) => ("GLOBAL double* RESTRICT parts", String::new()),
            Work::Stack { .. } | Work::Interleave(_) => {
                ("GLOBAL to_t* RESTRICT y, i64 y_at", ", i64 y_step".into())
            }
        };
        let words = self.tiles.is_some_and(|tiles| tiles.words);
        let others = if words { ", i64 low, i64 high".into() } else { others };
        let space = self.form.declare();
        text.define("PARAMETERS", format_args!("{target}, {read}{space}{others}"));
        let begin = all(&|x| format!(" {x} += {x}_at;")).concat();
        text.define("PROLOGUE", format_args!("y += y_at;{begin}"));
        match self.tiles {
            Some(tiles) => tiles.define(self.work, &mut text),
            None => text.define("TAKES", self.takes()),
        }
        text.add(ELEMENTS);
        match self.work {
            Work::Bytes(_) => {
                text.define("CONVERT(x)", "(x)");
                text.define("BEGIN", "");
                text.define("END", "");
            }
            Work::Convert(spec) | Work::Range(spec) => spec.define(&mut text),
            Work::Stack { sources: count, .. } => {
                text.define("SOURCES", count);
                choose(&sources, 1, &mut text);
            }
            Work::Interleave(across) => across.define(&sources, &mut text),
        }
        let (entry, body) = match (self.work, self.tiles) {
            (Work::Range(_), _) => ("range", RANGE),
            (Work::Stack { .. }, _) => ("stack", STACK),
            (Work::Interleave(_), _) => ("interleave", INTERLEAVE),
            (_, Some(Tiles { words: true, .. })) => ("words", WORDS),
            (_, Some(_)) => ("tiles", TILES),
            (_, None) => ("rows", ROWS),
        };
        text.add(body);
        KernelSource::new(format!("{entry}_{}", self.work.name()), entry, text.finish())
    }
}

/// The kernel that makes the affine map of the ranges of groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Affine;

impl Specialisation for Affine {
    fn source(&self) -> KernelSource {
        KernelSource::new("affine_of", "affine_of", AFFINE)
    }
}
