//! `out ← reduction over axes of expression(inputs)`: some threads for each result; several groups may share one.

use arrayspan_bridge::devices::{Argument, Grid, KernelSource, Specialisation};
use arrayspan_bridge::iteration::{
    Arguments, IterationForm, IterationSpace, MOST_ARGUMENTS, Runs, Start, Text, address,
};
use arrayspan_bridge::{DType, Operand};

use super::combine::Sharing;
use super::element::{Element, PRELUDE};
use super::epilogue::Epilogue;
use super::formula::Formula;
use super::reduce_groups::{Groups, Work};
use super::split::Split;
use super::walk::{self, Walk};
use super::{Gpu, cells, combine, map, map_many};
use crate::Result;
use crate::verb::{ReduceCall, Reduction};

const TEXT: &str = include_str!("../source/reduce.cl.h");

/// The most results, all moments of each counted, that several groups share.
const MOST_SHARED: usize = combine::MOST_PARTS / 4;

/// Elements, a power of two, of which a thread adds powers by halves before they are converted.
const MOST_HALVED: usize = 8;

/// A kernel that reduces an expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Variant {
    /// The dtype of the inputs.
    pub(super) dtype: DType,
    /// What the expression is computed in.
    pub(super) computed: DType,
    /// The dtype of the result.
    pub(super) result: DType,
    pub(super) reduction: Reduction,
    pub(super) formula: Formula,
    /// How many sums there are of each result.
    pub(super) moments: usize,
    /// The number of kept and of reduced axes.
    pub(super) ranks: [usize; 2],
    pub(super) runs: Runs,
    pub(super) wide: bool,
    pub(super) groups: Groups,
    /// Whether those have consecutive numbers, rather than the threads of consecutive results.
    pub(super) along: bool,
    /// How groups share a result.
    pub(super) sharing: Sharing,
    /// Extents and strides, where they are too many to be arguments.
    pub(super) baked: Vec<isize>,
    /// What is computed of the only result.
    pub(super) epilogue: Option<Epilogue>,
}

pub(super) fn run(gpu: &Gpu, call: &mut ReduceCall<'_>) -> Result<()> {
    if fill(gpu, call)? { Ok(()) } else { map_many::epilogue(gpu, &mut call.epilogue) }
}

/// Reduces; whether what is computed of the sum is, too.
fn fill(gpu: &Gpu, call: &ReduceCall<'_>) -> Result<bool> {
    let (out, computed) = (&call.out, call.computed());
    gpu.expect_float64("reduce", computed)?;
    if out.layout().is_empty() {
        return Ok(false);
    }
    let inputs = call.inputs.iter().map(Operand::layout);
    let moments = call.moments;
    // The first moment stands for all: the others are as far behind it.
    let first = if moments == 1 { None } else { Some(out.layout().selected(0, 0)?) };
    let outputs = std::iter::once(first.as_ref().unwrap_or(out.layout()));
    let apart = first.is_some().then(|| out.layout().strides()[0]);
    let split = Split::new(inputs, outputs, call.shape().len(), &call.axes)?;
    let (results, along) = (split.results(), split.is_along());
    let runs = runs(call, &split, along);
    let extents = &split.reduced.extents;
    let steps = extents[0].div_ceil(runs.len) * extents[1..].iter().product::<usize>();
    let bytes = runs.len * call.dtype().bytes() * call.inputs.len();
    let work = Work { results, steps, along, bytes };
    let most_threads = gpu.stream.device().info().group_threads;
    let mut groups = Groups::new(&work, gpu.units(), most_threads);
    if moments > 1 && runs.len == 1 {
        groups.at_once = MOST_HALVED;
    }
    // Where groups cannot read what others have written, a result is shared if it is the only one.
    let few = results > 1 && results * moments <= MOST_SHARED && groups.are_few(&work, gpu.units());
    let sharing = match (call.is_shared(), gpu.device_fence) {
        (true, false) => Sharing::Leave,
        (shared, true) if shared || few => Sharing::LastJoins,
        _ => Sharing::Alone,
    };
    let constants = call.expression.constants();
    let fixed = 4 + 2 * (call.inputs.len() + constants.len());
    let (known, sum) = (call.is_sum_of_all() && sharing != Sharing::Leave, [out.as_operand()]);
    let others = (fixed, None);
    let epilogue = known.then(|| Epilogue::of(gpu, &call.epilogue, &sum, others)).flatten();
    let of_epilogue = epilogue.as_ref().map_or(0, Epilogue::arguments);
    let arguments = fixed + of_epilogue + split.numbers().count();
    let parts =
        if sharing == Sharing::Alone { 1 } else { groups.parts(&work, moments, gpu.units()) };
    let variant = Variant {
        dtype: call.dtype(),
        computed,
        result: out.dtype(),
        reduction: call.reduction,
        formula: Formula::of(&call.expression),
        moments,
        ranks: split.ranks(),
        runs,
        wide: split.is_wide() || (moments > 1 && IterationSpace::new(&[out.layout()]).is_wide()),
        groups,
        along,
        sharing,
        baked: if arguments > MOST_ARGUMENTS { split.numbers().collect() } else { Vec::new() },
        epilogue,
    };
    let mut arguments = Arguments::new(variant.wide);
    let place = split.starts_of_outputs()[0];
    arguments.write(out.memory(), place);
    for (input, view) in call.inputs.iter().enumerate() {
        arguments.read(view.memory(), split.start(input));
    }
    if variant.baked.is_empty() {
        arguments.indices(split.numbers());
    }
    arguments.indices(apart);
    arguments.numbers(constants, computed);
    if let (Some(own), Some(call)) = (&variant.epilogue, call.epilogue.numbers()) {
        own.push(call, &mut arguments);
    }
    // A call that is only planned has no parts. (What joins them is planned all the same.)
    let planned = gpu.planned.is_some();
    let room = if sharing == Sharing::Leave { Some(combine::room(gpu)?) } else { None };
    let joins = sharing == Sharing::LastJoins && !planned;
    let scratch = if joins { Some(combine::scratch(gpu)?) } else { None };
    if let Some(parts) = room.as_ref().or(scratch.as_deref()) {
        arguments.push(Argument::Write(parts.memory()));
    }
    let blocks = results.div_ceil(groups.columns()).min(i32::MAX as usize);
    let grid = Grid { groups: [blocks, parts, 1], threads: [groups.threads, 1, 1] };
    // SAFETY: the arguments are those of `Variant::define`, in its order; layouts lie within their memories and the
    // kernel stays within their extents. The scratch is the executor's, has room for `MOST_PARTS` parts and as many
    // counts behind them, and is used by one kernel after the other, in the order of the stream. The room has as many
    // parts, and is this call's alone.
    unsafe { gpu.launch(&variant, grid, &arguments)? };
    let ended = variant.epilogue.is_some();
    let Some(room) = room else { return Ok(ended) };
    let join = combine::Variant { computed, result: out.dtype(), reduction: call.reduction };
    let joined = (0..moments).try_for_each(|moment| {
        let place = place.wrapping_add_signed(apart.unwrap_or(0).wrapping_mul(moment as isize));
        combine::join(gpu, &join, (out.memory(), place), &room, (moment * parts, parts))
    });
    combine::give_back(gpu, room);
    joined?;
    Ok(ended)
}

/// Runs along the innermost reduced axis; single elements where that axis is not contiguous.
fn runs(call: &ReduceCall<'_>, split: &Split, along: bool) -> Runs {
    let (Split { kept, reduced, .. }, bytes) = (split, call.dtype().bytes());
    let start = |(input, view): (usize, &Operand<'_>)| {
        let Start { stride, first, steps } = reduced.start(input, address(view.memory()), bytes);
        let first = first | ((kept.offsets[input] | split.offset(input)) * bytes);
        Start { stride, first, steps: steps | kept.steps(input, 0) }
    };
    let starts: Vec<Start> = call.inputs.iter().enumerate().map(start).collect();
    let runs = Runs::new(&starts, bytes, reduced.extents[0]);
    match (along, reduced.extents.len()) {
        (true, 1) => runs,
        (true, _) => runs.dividing(reduced.extents[0]),
        (false, _) => runs.dividing(1),
    }
}

impl Specialisation for Variant {
    fn source(&self) -> KernelSource {
        let mut text = Text::default();
        self.define(&mut text);
        text.add(PRELUDE);
        if Element(self.dtype).is_half() {
            text.add(cells::ITEMS);
        }
        combine::add(self.result, &mut text);
        text.add(TEXT);
        Element(self.dtype).kernel("reduce", text)
    }
}

impl Variant {
    /// The macros before the prelude.
    fn define(&self, text: &mut Text) {
        let element = Element(self.computed);
        let inputs: Vec<String> =
            (1..=self.runs.inner().len()).map(IterationForm::operand).collect();
        let with_output: Vec<String> =
            inputs.iter().cloned().chain([IterationForm::operand(0)]).collect();
        let [kept, reduced] = self.ranks;
        let kept = Walk { tag: 'k', rank: kept, operands: &with_output, step: "1" };
        let reduced = Walk { tag: 'r', rank: reduced, operands: &inputs, step: "V" };
        element.define(text);
        let half = Element(self.dtype).is_half();
        text.flag("NARROW", self.dtype != self.computed && !half);
        text.flag("REAL_RESULT", !self.result.is_complex());
        text.flag("WIDE", self.wide);
        if half {
            cells::hold(self.dtype, self.runs.align(), text);
            // The runs of elements that the prelude has are of no use.
            cells::in_registers(self.computed, self.runs.clone()).define(&inputs, text);
        } else {
            self.runs.define(&inputs, text);
        }
        self.formula.define(text);
        kept.define("OUTPUTS", "KEPT", text);
        reduced.define("RUNS", "REDUCED", text);
        let Groups { threads, ways, at_once } = self.groups;
        combine::define(self.reduction, [threads, ways], self.sharing, text);
        text.define("AT_ONCE", at_once);
        text.flag("ALONG", self.along);
        text.define("MOMENTS", self.moments);
        if let Some(last) = inputs.last().filter(|_| self.moments > 1) {
            text.define("WEIGHT(OF)", format_args!("OF({last})"));
        }
        text.flag("TAIL", self.ranks[1] == 1 && self.runs.len > 1);
        let names = walk::arguments([&kept, &reduced], &self.baked, text);
        let numbers: Vec<String> = names.iter().map(|name| format!(", idx {name}")).collect();
        let apart = if self.moments > 1 { ", idx y_moment" } else { "" };
        let epilogue = self.epilogue.as_ref();
        text.flag("EPILOGUES", epilogue.is_some());
        Epilogue::define(epilogue, &["y"], text);
        let others = numbers.concat()
            + apart
            + &self.formula.declare(element)
            + &epilogue.map(Epilogue::declare).unwrap_or_default()
            + self.sharing.declare();
        let of = |half: bool, other| if half { "cell" } else { other };
        let output = of(Element(self.result).is_half(), "result");
        let arrays = map::Arrays { output, input: of(half, "item"), inputs: &inputs };
        map::parameters(&arrays, &others, &self.formula.prologue(element), text);
    }
}
