//! `y ← alpha · Σ xₛ[mₛ] + beta · y` along index maps: all of the output as one line, in aligned runs where it lies so, wherever its
//! rows begin.

mod kernel;
mod space;

use arrayspan_bridge::Operand;
use arrayspan_bridge::devices::Grid;
use arrayspan_bridge::iteration::{
    Arguments, Axes, Each, IterationSpace, MOST_ARGUMENTS, Start, THREADS, WIDEST, address, grid_of,
};

pub(super) use kernel::Variant;

use super::element::Element;
use super::formula::Formula;
use super::{Gpu, constants, map, map_flat};
use crate::Result;
use crate::factors::FactorOf;
use crate::verb::{CopyMappedCall, Span, Spans};
use kernel::Form;
pub(super) use space::Space;

/// The most axes of a copy that is taken as one line: each costs a division for each run.
const MOST_AXES: usize = 4;

/// Rows of fewer elements do not fill tiles.
const LEAST: usize = 8;

/// Bytes that a thread takes where there is enough for all of them.
const AHEAD: usize = 32;

/// Bytes of an output of which both ends are worth taking in turns.
const FAR: usize = 1 << 20;

/// Threads of each processor.
const BUSY: usize = 2048;

pub(super) fn run(gpu: &Gpu, call: &mut CopyMappedCall<'_>) -> Result<()> {
    let dtype = call.y.dtype();
    gpu.expect_float64("copy_mapped", dtype)?;
    if call.y.layout().is_empty() {
        return Ok(());
    }
    gpu.expect_factors("copy_mapped", &call.factors)?;
    let sources: Each<_> =
        call.sources.iter().map(|source| (source.x.layout(), &source.axes)).collect();
    let space = Space::new(call.y.layout(), &sources);
    if space.sources.is_empty() {
        return map::run(gpu, &call.factors.clearing(call.y.view_mut())?);
    }
    let element = Element(dtype);
    let (formula, constants) = Formula::update(&call.factors, element);
    let y = call.y.as_operand();
    let inputs = call.sources.iter().map(|source| &source.x);
    launch(gpu, element, formula, &constants, &space, std::iter::once(y).chain(inputs))
}

/// Whether a copy is quicker as a mapped one: the output lies without gaps, the input does not, and its rows cannot be moved in the
/// widest accesses. Not where it lies across.
pub(super) fn is_quicker([y, x]: [&Operand<'_>; 2], bytes: usize) -> bool {
    if [y, x].iter().all(|operand| operand.layout().is_contiguous()) {
        return false;
    }
    let mut space = IterationSpace::new(&[y.layout(), x.layout()]);
    let line = map_flat::is_line(&space.strides[0], &space.extents);
    if !line || space.extents.len() > MOST_AXES || space.is_wide() {
        return false;
    }
    let near = space.strides[1][0];
    let form = space.form(bytes, &[y, x].map(|operand| address(operand.memory())), 0);
    let narrow = 2 * form.runs().len * bytes <= WIDEST;
    let moved = space.extents.len() > 1 || near != 1;
    narrow && moved && !space.turn(LEAST)
}

/// `y ← alpha · x + beta · y` of layouts of one shape, which have elements.
pub(super) fn plain<'o>(
    gpu: &Gpu,
    element: Element,
    [y, x]: [&'o Operand<'o>; 2],
    formula: Formula,
    constants: &[FactorOf<'o>],
) -> Result<()> {
    let whole = |&extent: &usize| Spans::from_elem(Span { end: extent, reads: Some((0, 1)) }, 1);
    let axes: Axes<Spans> = y.layout().shape().iter().map(whole).collect();
    let space = Space::new(y.layout(), &[(x.layout(), &axes)]);
    launch(gpu, element, formula, constants, &space, [y, x])
}

/// Enqueues the kernel for a space of an output and inputs.
fn launch<'o>(
    gpu: &Gpu,
    element: Element,
    formula: Formula,
    constants: &[FactorOf<'o>],
    space: &Space,
    operands: impl IntoIterator<Item = &'o Operand<'o>>,
) -> Result<()> {
    let operands: Each<&'o Operand<'o>> = operands.into_iter().collect();
    let y = operands[0].memory();
    let planned = plan(element, formula, constants, space, address(y), gpu.units());
    let (variant, numbers, grid) = planned;
    let mut arguments = Arguments::new(space.wide);
    arguments.write(y, space.y_offset);
    for (number, offset) in &space.sources {
        arguments.read(operands[1 + number].memory(), *offset);
    }
    arguments.indices(numbers);
    constants::push(&mut arguments, constants, element);
    // SAFETY: the arguments are those of `Variant::define`, in its order. The kernel writes the places of the output's layout, each
    // once, and reads those that spans name, which the call has checked against the extents of layouts that lie within their
    // memories. Nothing here depends on blocks but by the alignment of the output's.
    unsafe { gpu.launch(&variant, grid, &arguments) }
}

/// The kernel for a space, of which something is read, the numbers it is given, and its threads.
pub(super) fn plan(
    element: Element,
    formula: Formula,
    constants: &[FactorOf<'_>],
    space: &Space,
    y: usize,
    units: usize,
) -> (Variant, Vec<isize>, Grid) {
    let (form, bytes, len) = (Form::of(space), element.bytes(), space.len());
    // Runs of an output without gaps begin with it.
    let first = y | (space.y_offset * bytes);
    let aligned = Start { stride: 1, first, steps: 0 }.aligned(bytes);
    let mut run = if space.is_line() { (aligned / bytes).max(1) } else { 1 };
    // A run reaches into the next row and no further.
    while run > space.axes.first().map_or(1, |row| row.extent) {
        run /= 2;
    }
    let runs = len.div_ceil(run);
    let mut takes = (AHEAD / (run * bytes)).max(1);
    while takes > 1 && runs < takes * units * BUSY {
        takes /= 2;
    }
    let numbers = form.numbers(space);
    let arguments = 2 + 2 * space.sources.len() + numbers.len() + constants::count(constants);
    let (baked, numbers) =
        if arguments > MOST_ARGUMENTS { (numbers, Vec::new()) } else { (Vec::new(), numbers) };
    let align = aligned.min(run * bytes);
    let both_ends = space.is_mirrored() && len * bytes > FAR;
    let variant = Variant { element, formula, form, run, align, takes, both_ends, baked };
    let grid = grid_of([runs.div_ceil(takes), 1, 1], [THREADS, 1, 1]);
    (variant, numbers, grid)
}
