//! `y[t] ← alpha · bandₜ(x) + beta · y[t]` for short bands, where rows lie without gaps and begin at odd places: all rows are one
//! line, in runs that are aligned for each output by itself.

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::{Argument, KernelSource, Memory, Specialisation};
use arrayspan_bridge::iteration::{
    Axes, IterationForm, IterationSpace, THREADS, Text, WIDEST, address, grid_of,
};

use super::element::{Element, PRELUDE};
use super::formula::Formula;
use super::{Gpu, bands, constants, map, map_flat};
use crate::band::{Edges, reach};
use crate::verb::StencilEachCall;
use crate::{Result, Stencil};

const TEXT: &str = include_str!("../source/stencil_apart.cl.h");
const BAND: &str = include_str!("../source/apart_band.cl.h");

/// The longest reach to either side: each tap is a load or two.
const MOST_REACH: usize = 2;

/// Taps of all special rows of a band, which are straight code, and how far they reach.
const MOST_SPECIAL: usize = 16;

/// Threads for each processor at least; fewer are better off with single elements, of which there are more.
const BUSY: usize = 32;

/// A kernel for several bands of one array.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Variant {
    dtype: DType,
    form: IterationForm,
    formula: Formula,
    stencil: Stencil,
    axes: Axes<usize>,
    /// The steps along the axes of the space, and from one output to the next, modulo the elements of a run.
    steps: Axes<usize>,
    apart: usize,
}

/// Enqueues a call over the space that `stencil` has found for it, whose outputs lie `step` elements apart, if its operands
/// are such rows; whether it was. `axes` are the axes of the bands there.
pub(super) fn run(
    gpu: &Gpu,
    call: &StencilEachCall<'_>,
    (space, axes): (&IterationSpace, &Axes<usize>),
    step: isize,
) -> Result<bool> {
    let dtype = call.y.dtype();
    let memories: [&Memory; 2] = [call.y.memory(), call.x.memory()];
    let Some(runs) = map_flat::runs(space, memories.map(address), dtype.bytes()) else {
        return Ok(false);
    };
    if !is_candidate(&call.stencil, space, axes, runs.len) {
        return Ok(false);
    }
    let (formula, constants) = Formula::update(&call.factors, Element(dtype));
    let form = space.form_with(runs, constants::count(&constants) + 1);
    let Some(variant) = Variant::new(&call.stencil, dtype, form, formula, (space, axes), step)
    else {
        return Ok(false);
    };
    // The last output may begin almost a run later.
    let items = space.extents.iter().product::<usize>().div_ceil(variant.run()) + 1;
    if items < gpu.units() * BUSY {
        return Ok(false);
    }
    let mut arguments = map::arguments(Element(dtype), space, &variant.form, &memories, &constants);
    arguments.push(Argument::I64(step as i64));
    // Along one axis alone: threads along another would do the same once more, and update what is updated already.
    let grid = grid_of([items, 1, 1], [THREADS, 1, 1]);
    // SAFETY: the arguments are those of `Variant::source`, in its order. The kernel loads and stores places of the line alone,
    // which is as long as the extents of the space together, and of the lines that lie as many steps further: without gaps
    // these are the places of the layouts, which lie within their memories. Nothing here depends on blocks but by their
    // alignment.
    unsafe { gpu.launch(&variant, grid, &arguments)? };
    Ok(true)
}

/// Whether the bands are short, their special rows straight code for such runs, and rows without gaps.
fn is_candidate(stencil: &Stencil, space: &IterationSpace, axes: &[usize], run: usize) -> bool {
    let IterationSpace { extents, strides, .. } = space;
    let without_gaps = |strides| map_flat::is_line(strides, extents);
    let is_short = |edges: &Edges| {
        let (common, all) = (reach(&edges.interior), edges.reach());
        common.0.max(common.1) <= MOST_REACH
            && all.0.max(all.1) <= MOST_SPECIAL
            && !edges.interior.is_empty()
            && edges.special_places() <= MOST_SPECIAL
            && edges.head.len().max(edges.tail.len()) <= run
    };
    run > 1
        && extents.len() <= 3
        && extents[0] >= 4 * WIDEST
        && !space.is_wide()
        && axes.iter().enumerate().all(|(at, axis)| !axes[..at].contains(axis))
        && strides.iter().all(without_gaps)
        && stencil.terms().iter().all(|(_, band)| band.edges().is_some_and(is_short))
}

impl Variant {
    /// The kernel for a call whose operands have this form; `None` where all rows and outputs begin with a run anyway.
    pub(super) fn new(
        stencil: &Stencil,
        dtype: DType,
        form: IterationForm,
        formula: Formula,
        (space, axes): (&IterationSpace, &Axes<usize>),
        step: isize,
    ) -> Option<Self> {
        let run = form.runs().len;
        let fits = is_candidate(stencil, space, axes, run);
        let steps: Axes<usize> =
            space.strides[0].iter().map(|stride| stride.unsigned_abs() % run).collect();
        let apart = step.rem_euclid(run as isize) as usize;
        let odd = apart > 0 || steps.iter().skip(1).any(|step| *step > 0);
        let (stencil, axes) = (stencil.clone(), axes.clone());
        (fits && odd).then_some(Self { dtype, form, formula, stencil, axes, steps, apart })
    }

    fn run(&self) -> usize {
        self.form.runs().len
    }

    /// What is known of the band along an axis.
    fn define_band(&self, axis: usize, edges: &Edges, text: &mut Text) {
        let (left, right) = reach(&edges.interior);
        let (first, last) = (left.max(edges.head.len()), right.max(edges.tail.len()));
        text.define(format_args!("BAND{axis}_STEP"), self.steps[axis]);
        // No tap beyond the axis nor, in whole runs, beyond the line.
        let rows = match axis {
            0 => format!("c >= {first} && c + PLACES <= n0 - {last}"),
            _ => format!("i{axis} >= {first} && i{axis} + more < n{axis} - {last}"),
        };
        let line = format!("f + {right} * STRIDE_{axis} + 2 * V <= all");
        text.define(format_args!("INSIDE_{axis}"), format_args!("({rows} && {line})"));
        let named = BAND.replace("BAND_", &format!("BAND{axis}_"));
        let named = named.replace("band_", &format!("band{axis}_"));
        text.add(named.replace("apart_", &format!("apart{axis}_")));
    }
}

impl Specialisation for Variant {
    fn source(&self) -> KernelSource {
        let mut text = Text::default();
        let element = Element(self.dtype);
        map::declare(element, &self.form, &self.formula, ", i64 y_step", &mut text);
        let outputs = self.axes.iter().enumerate();
        let outputs = outputs.map(|(number, axis)| {
            let shift = number * self.apart % self.run();
            format!("OUTPUT({number}, {shift}, {axis}) ")
        });
        text.define("OUTPUTS", outputs.collect::<String>());
        text.add(PRELUDE);
        let bands = bands::Bands::alone(&self.stencil, &self.axes, self.dtype, self.run());
        bands::weights(bands.complex, &mut text);
        bands.define(&mut text);
        for ((_, band), axis) in self.stencil.terms().iter().zip(&self.axes) {
            if let Some(edges) = band.edges() {
                self.define_band(*axis, edges, &mut text);
            }
        }
        text.add(TEXT);
        element.kernel("stencil_apart", text)
    }
}
