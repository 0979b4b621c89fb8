//! `y ← alpha · S x + beta · y` with a sparse matrix along an axis: a thread for a run of a few rows; a group for a few runs of
//! a row with many entries.

use arrayspan_bridge::devices::{Argument, Grid, KernelSource, Specialisation};
use arrayspan_bridge::iteration::{
    Arguments, IterationForm, IterationSpace, MOST_ARGUMENTS, MOST_GROUPS, Runs, Start, THREADS,
    Text, address, collapse, grid,
};
use arrayspan_bridge::{DType, Layout, View};

use super::element::{Element, PRELUDE};
use super::formula::Formula;
use super::gather_tables::Parts;
use super::table_key::Key;
use super::walk::Walk;
use super::{Gpu, bands, constants, map, stencil_window};
use crate::factors::Factors;
use crate::gather::{LONG, Table, Weights};
use crate::verb::{GatherCall, MapCall, Split};
use crate::{Gather, Result};

const ROW: &str = include_str!("../source/gather_row.cl.h");
const TEXT: &str = include_str!("../source/gather.cl.h");
const TEXT_LONG: &str = include_str!("../source/gather_long.cl.h");

/// A kernel for a sparse matrix.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Variant {
    pub(super) dtype: DType,
    pub(super) formula: Formula,
    pub(super) runs: Runs,
    pub(super) wide: bool,
    /// The numbers of the other axes but the first, of the rows' axes and of the columns'.
    pub(super) ranks: [usize; 3],
    /// Whether places of the table have 64 bits.
    pub(super) table_wide: bool,
    /// Whether entries have weights, and whether these are complex.
    pub(super) weights: Option<bool>,
    pub(super) work: Work,
    /// Extents and strides, where they are too many to be arguments.
    pub(super) baked: Vec<isize>,
}

/// What threads do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Work {
    /// One takes so many rows at once.
    Rows {
        /// The places of a row in a table whose rows are equally long, or 0.
        places: usize,
        at_once: usize,
        /// Whether neighbouring threads take neighbouring rows, rather than runs.
        along: bool,
        /// Whether rows with many entries are left out.
        skips: bool,
    },
    /// So many share a row with many entries.
    Long { ways: usize },
}

/// Rows of one entry that a thread takes at once: so many loads of single elements hide the time that they take.
const AT_ONCE: usize = 4;
/// Runs of a thread, for each of which its columns need not be loaded again.
const RUNS: usize = 8;
/// Threads per multiprocessor that saturate memory bandwidth.
const BUSY_THREADS: usize = 1024;

/// The axes as kernels go along them.
pub(super) struct Spaces {
    /// The other axes: `y`, then `x`.
    others: IterationSpace,
    /// Extents and strides of the rows' axes in `y` and the columns' in `x`, innermost first.
    rows: [Vec<isize>; 2],
    columns: [Vec<isize>; 2],
    wide: bool,
    /// Whether neighbours in `y` are rows.
    along: bool,
    /// Whether rows with many entries are shared.
    shares: bool,
    runs: Runs,
}

pub(super) fn run(gpu: &Gpu, call: &mut GatherCall<'_>) -> Result<()> {
    let dtype = call.y.dtype();
    gpu.expect_float64("gather", dtype)?;
    if call.y.layout().is_empty() {
        return Ok(());
    }
    gpu.expect_factors("gather", &call.factors)?;
    if let Some((scale, factor)) = GatherCall::without_entries(&call.gather, &call.factors) {
        let inputs: Vec<View<'_>> = factor.iter().map(|factor| factor.view()).collect();
        return map::run(gpu, &MapCall::new(&scale, &inputs, call.y.view_mut())?);
    }
    let key = Key::Gather(call.gather.clone(), dtype);
    let uploaded = gpu.shared.tables(key, &gpu.stream)?;
    let table = call.gather.table();
    let memories = [call.y.memory(), call.x.memory()];
    let layouts = [call.y.layout(), call.x.layout()];
    let spaces = Spaces::new(&call.gather, layouts, memories.map(address), dtype)?;
    let element = Element(dtype);
    let constants = Formula::update(&call.factors, element).1;
    let variants = variants(&spaces, &call.gather, dtype, &call.factors, gpu.units());
    if variants.len() > 1 && gpu.planned.is_none() {
        // Both are there before the first writes: a caller that tries again must find what it found.
        for variant in &variants {
            gpu.stream.device().kernel(variant)?;
        }
    }
    for variant in variants {
        let mut arguments = Arguments::new(variant.wide);
        arguments.write(call.y.memory(), spaces.others.offsets[0]);
        arguments.read(call.x.memory(), spaces.others.offsets[1]);
        if variant.baked.is_empty() {
            arguments.indices(spaces.numbers());
        }
        constants::push(&mut arguments, &constants, element);
        arguments.read(uploaded.0.memory(), 0);
        let (parts, work) = (Parts::of(table), variant.work);
        if table.places().is_none() {
            arguments.read(uploaded.0.memory(), parts.starts);
        }
        if let Work::Long { .. } = work {
            arguments.read(uploaded.0.memory(), parts.long);
            arguments.push(Argument::I64(table.long as i64));
        }
        if variant.weights.is_some() {
            arguments.read(uploaded.1.memory(), 0);
        }
        let grid = spaces.grid(table, work, gpu.units());
        // SAFETY: the arguments are those of `Variant::define`, in its order; layouts lie within their memories and the
        // kernel stays within their extents, which are those of the table. Its columns are below theirs, its rows begin and
        // end within its entries (`Table`), and it is kept by `uploaded` until the launch is queued; it is freed in the order
        // of the stream.
        unsafe { gpu.launch(&variant, grid, &arguments)? };
    }
    Ok(())
}

/// The kernels that it takes, one after the other.
pub(super) fn variants(
    spaces: &Spaces,
    gather: &Gather,
    dtype: DType,
    factors: &Factors<'_>,
    units: usize,
) -> Vec<Variant> {
    let (table, shares) = (gather.table(), spaces.shares);
    let few = (!shares || table.long < table.rows).then(|| spaces.rows_work(table, units));
    let long = shares.then(|| spaces.long_work());
    let (formula, constants) = Formula::update(factors, Element(dtype));
    let count = constants::count(&constants);
    let variant = |work| Variant::new(dtype, &formula, spaces, table, work, count);
    few.into_iter().chain(long).map(variant).collect()
}

impl Spaces {
    /// For `y` and `x` in blocks at these addresses.
    pub(super) fn new(
        gather: &Gather,
        layouts: [&Layout; 2],
        addresses: [usize; 2],
        dtype: DType,
    ) -> Result<Self> {
        let of_y = Split::of_rows(gather, layouts[0].rank());
        let of_x = Split::of_columns(gather, layouts[1].rank());
        let shares = gather.shares_rows(layouts[1].shape());
        let along =
            [Split::along(layouts[0], &of_y.others)?, Split::along(layouts[1], &of_x.others)?];
        let others = IterationSpace::new(&[&along[0], &along[1]]);
        let own = |layout: &Layout, axes: &[usize]| -> Result<[Vec<isize>; 2]> {
            let merged = collapse(&[&Split::along(layout, axes)?]);
            let extents = merged.shape.iter().rev().map(|extent| *extent as isize);
            let strides = merged.strides[0].iter().rev().copied();
            let (mut extents, mut strides): (Vec<_>, Vec<_>) =
                (extents.collect(), strides.collect());
            if extents.is_empty() {
                (extents, strides) = (vec![1], vec![0]);
            }
            Ok([extents, strides])
        };
        let rows = own(layouts[0], &of_y.own)?;
        let columns = own(layouts[1], &of_x.own)?;
        let wide = layouts.iter().any(|layout| IterationSpace::new(&[layout]).is_wide());
        // Where there is one other index, or rows lie nearer to each other than those do.
        let nearest = |strides: &[isize], extents: &[isize]| {
            let long = strides.iter().zip(extents).filter(|(_, extent)| **extent > 1);
            long.map(|(stride, _)| stride.unsigned_abs()).min().unwrap_or(usize::MAX)
        };
        let line =
            if others.extents[0] > 1 { others.strides[0][0].unsigned_abs() } else { usize::MAX };
        let along = nearest(&rows[1], &rows[0]) < line || others.extents[0] == 1;
        let bytes = dtype.bytes();
        let steps = [&rows, &columns].map(|[extents, strides]| {
            let long = strides.iter().zip(extents).filter(|(_, extent)| **extent > 1);
            long.fold(0, |bits, (stride, _)| bits | stride.unsigned_abs())
        });
        let start = |operand: usize| {
            let start = others.start(operand, addresses[operand], bytes);
            Start { steps: start.steps | steps[operand], ..start }
        };
        let runs = Runs::new(&[start(0), start(1)], bytes, others.extents[0]);
        let runs = runs.dividing(if along { 1 } else { others.extents[0] });
        Ok(Self { others, rows, columns, wide, along, shares, runs })
    }

    /// Runs along the first of the other axes, and how often.
    fn items(&self) -> [usize; 2] {
        let extents = &self.others.extents;
        [extents[0] / self.runs.len, extents[1..].iter().product()]
    }

    fn rows_work(&self, table: &Table, units: usize) -> Work {
        let places = table.places().unwrap_or(0);
        let [runs, outer] = self.items();
        let at_once = (AT_ONCE / places.max(1)).max(1);
        let all = runs.saturating_mul(outer).saturating_mul(table.rows);
        let busy = all / at_once >= units * BUSY_THREADS;
        let at_once = if places > 0 && busy { at_once } else { 1 };
        Work::Rows { places, at_once, along: self.along, skips: self.shares }
    }

    fn long_work(&self) -> Work {
        let neighbours = if self.along { 1 } else { self.items()[0].next_power_of_two().min(32) };
        Work::Long { ways: THREADS / neighbours }
    }

    fn grid(&self, table: &Table, work: Work, units: usize) -> Grid {
        let [runs, outer] = self.items();
        match work {
            Work::Rows { at_once, along, .. } => {
                let rows = table.rows.div_ceil(at_once);
                let all = runs.saturating_mul(outer).saturating_mul(rows);
                // A thread takes several runs of its rows where that leaves enough threads.
                let several = (all / (units * 2 * BUSY_THREADS)).clamp(1, RUNS);
                let items =
                    if along { [rows, runs.div_ceil(several), outer] } else { [runs, rows, outer] };
                grid(items, stencil_window::threads(items, units))
            }
            Work::Long { ways } => {
                let blocks = runs.div_ceil(THREADS / ways);
                let limited = [blocks.min(i32::MAX as usize), table.long.min(MOST_GROUPS)];
                let groups = [limited[0], limited[1], outer.min(MOST_GROUPS)];
                Grid { groups, threads: [THREADS, 1, 1] }
            }
        }
    }

    /// The other axes but the first, at least one: extents and strides.
    fn outer(&self) -> [Vec<isize>; 3] {
        let IterationSpace { extents, strides, .. } = &self.others;
        let mut outer = [
            extents[1..].iter().map(|extent| *extent as isize).collect::<Vec<_>>(),
            strides[0][1..].to_vec(),
            strides[1][1..].to_vec(),
        ];
        if extents.len() == 1 {
            outer.iter_mut().zip([1, 0, 0]).for_each(|(list, value)| list.push(value));
        }
        outer
    }

    /// The numbers that [`Variant::names`] names.
    fn numbers(&self) -> impl Iterator<Item = isize> {
        let first =
            [self.others.extents[0] as isize, self.others.strides[0][0], self.others.strides[1][0]];
        let lists = self.outer().into_iter().chain(self.rows.clone()).chain(self.columns.clone());
        first.into_iter().chain(lists.flatten())
    }
}

impl Variant {
    fn new(
        dtype: DType,
        formula: &Formula,
        spaces: &Spaces,
        table: &Table,
        work: Work,
        constants: usize,
    ) -> Self {
        let outer = (spaces.others.extents.len() - 1).max(1);
        let arguments = spaces.numbers().count() + 4 + constants + 9;
        let baked = arguments > MOST_ARGUMENTS;
        Self {
            dtype,
            formula: formula.clone(),
            runs: spaces.runs.clone(),
            wide: spaces.wide,
            ranks: [outer, spaces.rows[0].len(), spaces.columns[0].len()],
            table_wide: table.is_wide(),
            weights: match table.weights {
                Weights::Ones => None,
                Weights::Real(_) => Some(false),
                Weights::Complex(_) => Some(true),
            },
            work,
            baked: if baked { spaces.numbers().collect() } else { Vec::new() },
        }
    }

    /// The macros before the prelude.
    fn define(&self, text: &mut Text) {
        let element = Element(self.dtype);
        let (y, x) = (vec![IterationForm::operand(0)], vec![IterationForm::operand(1)]);
        let both = [y.clone(), x.clone()].concat();
        let [outer, rows, columns] = self.ranks;
        let outer = Walk { tag: 'k', rank: outer, operands: &both, step: "1" };
        let rows = Walk { tag: 'r', rank: rows, operands: &y, step: "1" };
        let columns = Walk { tag: 'c', rank: columns, operands: &x, step: "1" };
        element.define(text);
        text.flag("WIDE", self.wide);
        self.runs.define(&both, text);
        self.formula.define(text);
        outer.define("OUTER", "OUTER", text);
        rows.define("ROWS", "ROW", text);
        columns.define("COLUMNS", "COLUMN", text);
        text.flag("TABLE_WIDE", self.table_wide);
        text.flag("WEIGHTED", self.weights.is_some());
        let mut arrays = vec![("place", "indices")];
        let (mut count, mut long) = ("", None);
        match self.work {
            Work::Rows { places, at_once, along, skips } => {
                text.define("PLACES", places);
                text.define("AT_ONCE", at_once);
                text.flag("ALONG", along);
                text.define("LONG", if skips { LONG } else { 0 });
                arrays.extend((places == 0).then_some(("place", "starts")));
            }
            Work::Long { ways } => {
                text.define("P", ways);
                text.define("THREADS", THREADS);
                text.define("LONG_ROWS", "((idx)long_count)");
                arrays.push(("place", "starts"));
                (count, long) = (", i64 long_count", Some("long_rows"));
            }
        }
        let mut names = [vec!["n0".into(), "y_s0".into(), "x0_s0".into()], outer.names()].concat();
        names.extend([rows.names(), columns.names()].concat());
        for (name, value) in names.iter().zip(&self.baked) {
            text.define(name, format_args!("((idx){value})"));
        }
        if !self.baked.is_empty() {
            names.clear();
        }
        let mut others = names.iter().fold(String::new(), |text, name| text + ", idx " + name);
        others += &self.formula.declare(element);
        let declare = |(kind, name): &(&str, &str)| {
            format!(", const GLOBAL {kind}* RESTRICT {name}, i64 {name}_at")
        };
        others.extend(arrays.iter().map(declare));
        others.extend(long.iter().map(|name| declare(&("place", name))));
        others += count;
        arrays.extend(long.map(|name| ("place", name)));
        if self.weights.is_some() {
            others += &declare(&("weight", "factors"));
            arrays.push(("weight", "factors"));
        }
        let start = |(_, name): &(&str, &str)| format!(" {name} += {name}_at;");
        let prologue =
            self.formula.prologue(element) + &arrays.iter().map(start).collect::<String>();
        map::parameters(&map::Arrays::of_elements(&x), &others, &prologue, text);
    }
}

impl Specialisation for Variant {
    fn source(&self) -> KernelSource {
        let mut text = Text::default();
        self.define(&mut text);
        text.add(PRELUDE);
        bands::weights(self.weights == Some(true), &mut text);
        text.add(ROW);
        let (entry, source) = match self.work {
            Work::Rows { .. } => ("gather", TEXT),
            Work::Long { .. } => ("gather_long", TEXT_LONG),
        };
        text.add(source);
        Element(self.dtype).kernel(entry, text)
    }
}
