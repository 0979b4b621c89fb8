//! `y ← alpha · band(x) + beta · y` for one band, neither short nor very long, along rows that are taken as one line, by tiles in
//! local memory: rows that lie one behind the other without gaps in runs that are aligned wherever rows begin, if their ends
//! are few; others with zeros between.

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::{Grid, KernelSource, Memory, Specialisation};
use arrayspan_bridge::iteration::{IterationForm, IterationSpace, Runs, Text, address};

use super::common_row::{CommonRow, FIRST_PLACES};
use super::element::{Element, PRELUDE};
use super::formula::Formula;
use super::{Gpu, bands, constants, map, map_flat};
use crate::verb::StencilCall;
use crate::{Result, Stencil};

const RUNS: &str = include_str!("../source/stencil_filter.cl.h");
const PADDED: &str = include_str!("../source/stencil_padded.cl.h");

/// Places of a common row: fewer are better held by a thread, more are no straight code.
const TAPS: std::ops::RangeInclusive<usize> = 10..=128;

/// Rows without zeros between: the taps of what is made again at the ends of a row, to places of the row, with elements of four
/// bytes and of more.
const MOST_ENDS: [usize; 2] = [3, 1];

/// Threads of a group.
const THREADS: usize = 128;

/// Threads that a processor is to hold at once.
const RESIDENT: usize = 1024;

/// Places of lines whose numbers fit 32 bits, with room for those of a group.
const MOST: usize = (1 << 31) - (1 << 20);

/// A kernel for a band along rows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Variant {
    dtype: DType,
    form: IterationForm,
    formula: Formula,
    stencil: Stencil,
    /// Whether there are zeros between rows.
    padded: bool,
}

/// Enqueues a call over the space that `stencil` has found for it, if its operands are such rows; whether it was. `axes` are
/// the axes of the bands there.
pub(super) fn run(
    gpu: &Gpu,
    call: &StencilCall<'_>,
    space: &IterationSpace,
    axes: &[usize],
) -> Result<bool> {
    if candidate(&call.stencil, space, axes).is_none() {
        return Ok(false);
    }
    let memories: [&Memory; 2] = [call.y.memory(), call.x.memory()];
    let dtype = call.y.dtype();
    let (formula, constants) = Formula::update(&call.factors, Element(dtype));
    let addresses = (memories.map(address), constants::count(&constants));
    let Some(variant) = Variant::new(&call.stencil, dtype, formula, (space, axes), addresses)
    else {
        return Ok(false);
    };
    let arguments = map::arguments(Element(dtype), space, &variant.form, &memories, &constants);
    let Some(grid) = variant.grid(space) else { return Ok(false) };
    // SAFETY: the arguments are those of `map::declare`, in its order. With zeros between rows the kernel loads and stores
    // places within the extents of the space alone. Without, it does so with places of the line, which is as long as the
    // extents together: without gaps these are the places of the layouts. All lie within their memories, and nothing here
    // depends on blocks but by their alignment.
    unsafe { gpu.launch(&variant, grid, &arguments)? };
    Ok(true)
}

/// The common row of the only band, if all rows are like it and go along rows of at most two axes.
fn candidate<'s>(
    stencil: &'s Stencil,
    space: &IterationSpace,
    axes: &[usize],
) -> Option<CommonRow<'s>> {
    let row = CommonRow::alone(stencil)?;
    let near = space.strides.iter().all(|strides| strides[0] == 1);
    let fits = *axes == [0] && space.extents.len() <= 2 && near;
    (fits && TAPS.contains(&row.taps) && gap(&row) <= space.extents[0]).then_some(row)
}

/// Zeros between rows.
fn gap(row: &CommonRow<'_>) -> usize {
    row.reach()[0].max(row.reach()[1])
}

/// Aligned runs of rows without gaps, as wide as an access can be; `None` if there are none, or too many rows end.
fn runs(
    row: &CommonRow<'_>,
    space: &IterationSpace,
    addresses: &[usize; 2],
    dtype: DType,
) -> Option<Runs> {
    let (len, bytes) = (space.extents[0], dtype.bytes());
    let without_gaps = |strides| map_flat::is_line(strides, &space.extents);
    let [before, after] = row.reach();
    let most = MOST_ENDS[usize::from(bytes > 4)];
    if space.is_wide()
        || !space.strides.iter().all(without_gaps)
        || before.saturating_add(after).saturating_mul(row.taps) > most * len
    {
        return None;
    }
    map_flat::runs(space, *addresses, bytes)
}

impl Variant {
    /// The kernel for a call whose blocks are at these addresses, with so many constants; `None` for what others do better.
    pub(super) fn new(
        stencil: &Stencil,
        dtype: DType,
        formula: Formula,
        (space, axes): (&IterationSpace, &[usize]),
        (addresses, constants): ([usize; 2], usize),
    ) -> Option<Self> {
        let row = candidate(stencil, space, axes)?;
        let runs = runs(&row, space, &addresses, dtype);
        let padded = runs.is_none();
        let form = match runs {
            Some(runs) => space.form_with(runs, constants),
            None => space.form(dtype.bytes(), &addresses, constants).with_runs(Runs::single),
        };
        Some(Self { dtype, form, formula, stencil: stencil.clone(), padded })
    }

    /// Places of a thread: an odd number of them, or of runs, so that threads side by side use different banks.
    fn results(&self) -> usize {
        let run = self.form.runs().len;
        match (self.padded, self.dtype.bytes()) {
            (true, 4) => 17,
            (true, 8) => 9,
            (true, _) => 5,
            (false, 8) if self.dtype == DType::Float64 => 5 * run,
            (false, _) => 3 * run,
        }
    }

    /// Groups along one axis alone: the line has no other. `None` if it is too long.
    fn grid(&self, space: &IterationSpace) -> Option<Grid> {
        let row = CommonRow::alone(&self.stencil)?;
        let between = if self.padded { gap(&row) } else { 0 };
        let rows: usize = space.extents.iter().skip(1).product();
        let places = rows.checked_mul(space.extents[0] + between)?;
        let groups = places.div_ceil(self.results() * THREADS);
        let fits = i32::try_from(groups).is_ok() && (self.form.is_wide() || places <= MOST);
        fits.then_some(Grid { groups: [groups, 1, 1], threads: [THREADS, 1, 1] })
    }

    fn define(&self, row: &CommonRow<'_>, text: &mut Text) {
        let run = self.form.runs().len;
        let bands = bands::Bands::alone(&self.stencil, &[0], self.dtype, run);
        bands::weights(bands.complex, text);
        row.define(&bands, text);
        text.define("THREADS", THREADS);
        text.define("RESULTS", self.results());
        text.define("RESIDENT", RESIDENT / THREADS / (self.dtype.bytes() / 8).max(1));
        if self.padded {
            text.define("GAP", gap(row));
            return;
        }
        let tile = row.first.div_euclid(run as isize) * run as isize;
        text.define("TILE_FIRST", format_args!("({tile})"));
        text.define("SKIP", row.first - tile);
        let [before, after] = row.reach();
        text.define("BEFORE", before);
        text.define("AFTER", after);
    }
}

impl Specialisation for Variant {
    fn source(&self) -> KernelSource {
        let mut text = Text::default();
        let element = Element(self.dtype);
        map::declare(element, &self.form, &self.formula, "", &mut text);
        text.add(PRELUDE);
        if let Some(row) = CommonRow::alone(&self.stencil) {
            self.define(&row, &mut text);
        }
        text.add(FIRST_PLACES);
        text.add(if self.padded { PADDED } else { RUNS });
        element.kernel(if self.padded { "stencil_padded" } else { "stencil_filter" }, text)
    }
}
