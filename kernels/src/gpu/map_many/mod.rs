//! Several outputs in one pass, over real and complex arrays of one precision: a thread for each run of consecutive
//! elements.

mod kernel;

use arrayspan_bridge::devices::Memory;
use arrayspan_bridge::iteration::{Arguments, Inner, IterationSpace, Runs, THREADS, address, grid};
use arrayspan_bridge::{DType, Layout, OperandMut};
pub(super) use kernel::Variant;
use kernel::constants;

use super::dots::{Dots, Room};
use super::element::Element;
use super::{Gpu, map, reduce};
use crate::Result;
use crate::program::Kind;
use crate::verb::{Epilogue, MapManyCall};

/// Runs that a thread holds at most, if it takes several rows.
const MOST_HELD: usize = 32;

pub(super) fn run(gpu: &Gpu, call: &mut MapManyCall<'_>) -> Result<()> {
    let dots = Dots::of_map(gpu, call)?;
    let [fused, ended] =
        [dots.is_some(), dots.as_ref().is_some_and(|dots| dots.epilogue.is_some())];
    fill(gpu, call, dots)?;
    if !fused {
        call.each_dot(|dot| reduce::run(gpu, dot))?;
    }
    if ended { Ok(()) } else { epilogue(gpu, &mut call.epilogue) }
}

/// Computes what is computed of sums, by itself.
pub(super) fn epilogue(gpu: &Gpu, epilogue: &mut Epilogue<'_>) -> Result<()> {
    let Some(numbers) = epilogue.numbers_mut() else { return Ok(()) };
    fill(gpu, &MapManyCall::of_numbers(numbers), None)
}

/// Fills the outputs, and adds up dots on the way.
fn fill(gpu: &Gpu, call: &MapManyCall<'_>, dots: Option<Dots>) -> Result<()> {
    gpu.expect_float64("map", call.element)?;
    if let Some(dtype) = call.numbers {
        gpu.expect_float64("map", dtype)?;
    }
    if call.outs.first().is_none_or(|out| out.layout().is_empty()) {
        return Ok(());
    }
    let real = |dtype: DType| if dtype == call.element { Kind::Element } else { Kind::Real };
    let outs: Vec<Kind> = call.outs.iter().map(|out| real(out.dtype())).collect();
    let arrays = call.inputs.iter().zip(&call.kinds).filter(|(_, kind)| **kind != Kind::Number);
    let (inputs, kinds): (Vec<_>, Vec<Kind>) = arrays.unzip();
    let layouts: Vec<&Layout> = call
        .outs
        .iter()
        .map(OperandMut::layout)
        .chain(inputs.iter().map(|input| input.layout()))
        .collect();
    let memories: Vec<&Memory> = call
        .outs
        .iter()
        .map(OperandMut::memory)
        .chain(inputs.iter().map(|input| input.memory()))
        .collect();
    let kinds: Vec<Kind> = outs.iter().chain(&kinds).copied().collect();
    let space = IterationSpace::new(&layouts);
    let addresses: Vec<usize> = memories.iter().copied().map(address).collect();
    let (runs, real_align) = runs(&space, &addresses, &kinds, Element(call.element));
    let constants: Vec<(usize, Kind)> = constants(&call.program).collect();
    let numbers = call.kinds.iter().filter(|kind| **kind == Kind::Number).count();
    let of_dots = dots.as_ref().map_or(0, Dots::arguments);
    let form = space.form_with(runs, 2 * constants.len() + 2 * numbers + of_dots);
    let mut arguments = Arguments::new(form.is_wide());
    for (number, (memory, offset)) in memories.iter().zip(&space.offsets).enumerate() {
        if number < outs.len() {
            arguments.write(memory, *offset);
        } else {
            arguments.read(memory, *offset);
        }
    }
    space.push(&form, &mut arguments);
    for (place, kind) in constants {
        arguments.numbers(&[call.constants[place]], call.dtype(kind));
    }
    for (input, _) in call.inputs.iter().zip(&call.kinds).filter(|(_, kind)| **kind == Kind::Number)
    {
        arguments.read(input.memory(), input.layout().offset());
    }
    // As many values are held as by a thread of `map`.
    let read = (0..outs.len()).filter(|out| call.reads(*out)).count() + call.inputs.len() - numbers;
    let rows = map::rows(&space, &form, Element(call.element), gpu.units());
    let rows = if rows * read <= MOST_HELD { rows } else { 1 };
    let items = map::items(&space, &form, rows);
    let grid = dots.as_ref().map_or_else(|| grid(items, THREADS), |dots| dots.grid(gpu, items[0]));
    let room = dots.as_ref().map_or(Ok(Room::None), |dots| dots.room(gpu))?;
    if let Some(dots) = &dots {
        dots.push(&call.dots, &call.epilogue, &room, &mut arguments);
    }
    let variant = Variant {
        element: Element(call.element),
        form,
        program: call.program.clone(),
        outs,
        inputs: call.kinds.clone(),
        numbers: call.numbers,
        real_align,
        rows,
        dots,
        single: call.outs.iter().all(|out| out.layout().len() == 1),
    };
    // SAFETY: the arguments are those of `Variant::define`, in its order. Layouts lie within their memories, and the
    // kernel stays within the extents of the space, which name no other places; so do the numbers' places. No output
    // shares a place with another or with an input: each is borrowed exclusively. The scratch is the executor's, has room for
    // `MOST_PARTS` parts and as many counts behind them, and is used by one kernel after the other, in the order of the
    // stream. The room has as many parts, and is this call's alone. There are no more groups than parts for each dot.
    unsafe { gpu.launch(&variant, grid, &arguments)? };
    room.join(gpu, &call.dots, grid.groups[0])
}

/// Runs for operands of these kinds in blocks at these addresses, with the alignment of those of elements, and the alignment of those of real numbers
/// beside them.
pub(super) fn runs(
    space: &IterationSpace,
    addresses: &[usize],
    kinds: &[Kind],
    element: Element,
) -> (Runs, usize) {
    let real = element.0.real().bytes();
    let bytes: Vec<usize> = kinds
        .iter()
        .map(|kind| if *kind == Kind::Element { element.bytes() } else { real })
        .collect();
    let operands = addresses.iter().zip(&bytes).enumerate();
    let starts: Vec<_> =
        operands.map(|(at, (address, bytes))| space.start(at, *address, *bytes)).collect();
    let runs = Runs::of_sizes(&starts, &bytes, space.extents[0]);
    let align = |kind: Kind, bytes: usize| {
        let operands = starts.iter().zip(kinds).zip(runs.inner());
        let loaded =
            operands.filter(|((_, own), inner)| **own == kind && **inner != Inner::Repeated);
        let aligned = loaded.map(|((start, _), _)| start.aligned(bytes)).min();
        aligned.unwrap_or(real).min(runs.len * bytes)
    };
    let (of_elements, of_reals) = (align(Kind::Element, element.bytes()), align(Kind::Real, real));
    (runs.aligned_to(of_elements), of_reals)
}
