//! Some threads for each result; several groups where results are few.

use arrayspan_bridge::devices::{Argument, Grid, KernelSource, Specialisation};
use arrayspan_bridge::iteration::{Arguments, MOST_ARGUMENTS, THREADS, Text};
use arrayspan_bridge::{Array, Layout, Operand, OperandMut};

use super::super::Gpu;
use super::super::combine::{self, MOST_PARTS};
use super::super::split::Split;
use super::super::walk::{self, Walk};
use super::elementwise::array;
use super::instance::Instance;
use super::{numbers, text};
use crate::Result;
use crate::user::Source;
use crate::verb::LaunchCall;

const TEXT: &str = include_str!("../../source/user/reduction.cl.h");

/// Elements each thread should have before another group shares a result.
const ELEMENTS_OF_THREAD: usize = 16;
/// Groups that keep a multiprocessor busy.
const BUSY_GROUPS: usize = 8;
/// Consecutive threads whose accesses coalesce.
const NEIGHBOURS: usize = 32;

/// A reduction of a user's.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Variant {
    pub(super) instance: Instance,
    pub(super) shape: Shape,
}

/// What of a reduction's layouts is compiled.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Shape {
    /// The number of kept and of reduced axes.
    pub(super) ranks: [usize; 2],
    pub(super) wide: bool,
    /// Threads of a result.
    pub(super) threads: usize,
    /// Whether they have consecutive numbers, rather than the threads of consecutive results.
    pub(super) along: bool,
    /// As `STAGE` of the kernel.
    pub(super) stage: u8,
    /// Extents and strides, where they are too many to be arguments.
    pub(super) baked: Vec<isize>,
}

pub(super) fn run(gpu: &Gpu, call: &LaunchCall<'_>, shape: &[usize], axes: &[usize]) -> Result<()> {
    if call.outputs[0].layout().is_empty() {
        return Ok(());
    }
    // The index, where the source names it, is read as an array that has it in every element.
    let index = call.definition.is_indexed().then(|| Layout::contiguous(shape)).transpose()?;
    let inputs = call.arrays().map(Operand::layout).chain(&index);
    let outputs = call.outputs.iter().map(OperandMut::layout);
    let split = Split::new(inputs, outputs, shape.len(), axes)?;
    let (results, len, along) = (split.results(), split.len(), split.is_along());
    let most = if along { THREADS } else { THREADS / NEIGHBOURS };
    let threads = len.next_power_of_two().clamp(1, most);
    let blocks = results.div_ceil(THREADS / threads);
    // As many groups as keep the device busy and have enough to do, and whose parts have room.
    let parts = (len / (threads * ELEMENTS_OF_THREAD))
        .min(gpu.units() * BUSY_GROUPS / blocks)
        .min(MOST_PARTS / results)
        .max(1);
    let arrays = split.inputs() + call.outputs.len();
    let fits = 2 * arrays + numbers::count(call) + split.numbers().count() + 3 <= MOST_ARGUMENTS;
    let mut form = Shape {
        ranks: split.ranks(),
        wide: split.is_wide(),
        threads,
        along,
        stage: u8::from(parts > 1),
        baked: if fits { Vec::new() } else { split.numbers().collect() },
    };
    let room = if parts > 1 { Some(combine::room(gpu)?) } else { None };
    let groups = [blocks.min(i32::MAX as usize), parts, 1];
    let first = launch(gpu, call, form.clone(), &split, room.as_ref(), groups);
    let Some(room) = room else { return first };
    first?;
    (form.stage, form.threads, form.along) = (2, parts.next_power_of_two().min(THREADS), true);
    let blocks = results.div_ceil(THREADS / form.threads);
    let joined = launch(gpu, call, form, &split, Some(&room), [blocks, parts, 1]);
    combine::give_back(gpu, room);
    joined
}

/// One kernel: of stage 2 with one group where the first had several.
fn launch(
    gpu: &Gpu,
    call: &LaunchCall<'_>,
    form: Shape,
    split: &Split,
    room: Option<&Array>,
    [blocks, parts, _]: [usize; 3],
) -> Result<()> {
    let mut arguments = Arguments::new(form.wide);
    for (output, offset) in call.outputs.iter().zip(split.starts_of_outputs()) {
        arguments.write(output.memory(), *offset);
    }
    let mut arrays = call.arrays();
    for input in 0..split.inputs() {
        let start = split.start(input);
        match arrays.next() {
            Some(array) => arguments.read(array.memory(), start),
            None => arguments.push(Argument::I64(start as i64)),
        }
    }
    if form.baked.is_empty() {
        arguments.indices(split.numbers());
    }
    arguments.push(Argument::I64(split.len() as i64));
    if let Some(room) = room {
        arguments.push(Argument::Write(room.memory()));
        arguments.index(parts as isize);
    }
    numbers::push(call, &mut arguments);
    let groups = [blocks, if form.stage == 2 { 1 } else { parts }, 1];
    let grid = Grid { groups, threads: [THREADS, 1, 1] };
    let variant = Variant { instance: Instance::of(call), shape: form };
    // SAFETY: the arguments are those of `Variant::source`, in its order. Layouts lie within their memories and the kernel stays
    // within their extents. The room has `MOST_PARTS` parts of the largest size there is, no fewer than all results
    // together leave, and is this call's alone until both its kernels are queued. What the user's source does was vouched
    // for when the kernel was declared; it is given values, and no place in memory.
    unsafe { gpu.launch(&variant, grid, &arguments) }
}

impl Specialisation for Variant {
    fn source(&self) -> KernelSource {
        let mut text = Text::default();
        text::types(&self.instance, &mut text);
        write(&self.instance, &self.shape, &mut text);
        self.instance.kernel("reduction", text)
    }
}

/// The kernel after the types.
fn write(instance: &Instance, shape: &Shape, text: &mut Text) {
    let of = &instance.definition;
    let Source::Reduction { total, map, combine, identity, finish } = &of.source else {
        unreachable!("a call's work is that of its definition")
    };
    let total = instance.letters.name(*total);
    text.add(format_args!("typedef {total} user_total;"));
    text::outputs(instance, text);
    let map_values = text::values(instance, &["const i64 i".into()]);
    for (head, part, expression) in [
        (format!("user_map({map_values})"), "map", map),
        ("user_combine(const user_total a, const user_total b)".into(), "combine", combine),
        ("user_identity()".into(), "identity", identity),
    ] {
        text.add(format_args!("FN user_total {head} {{\nreturn ("));
        text::source(instance, part, expression, text);
        text.add(");\n}");
    }
    text.add("FN user_outputs user_finish(const user_total a, const i64 n) {");
    for output in &of.outputs {
        text.add(format_args!("{} {} = {{0}};", instance.letters.name(output.kind), output.name));
    }
    text.add("{");
    text::source(instance, "finish", finish, text);
    text.add("}");
    text::give(instance, text);
    kernel(instance, shape, text);
}

/// The macros that the kernel's text takes, and the text.
fn kernel(instance: &Instance, shape: &Shape, text: &mut Text) {
    let of = &instance.definition;
    let (mut parameters, mut prologue, mut given) = (Vec::new(), String::new(), Vec::new());
    let outputs: Vec<String> = (0..of.outputs.len()).map(|k| format!("y{k}")).collect();
    for (name, output) in outputs.iter().zip(&of.outputs) {
        array(&mut parameters, &mut prologue, name, instance.letters.name(output.kind), "");
    }
    let mut inputs: Vec<String> = Vec::new();
    for (input, declared) in of.inputs.iter().enumerate() {
        if instance.by_value[input] {
            given.push(text::number(instance, input));
            continue;
        }
        let name = format!("x{}", inputs.len());
        array(
            &mut parameters,
            &mut prologue,
            &name,
            instance.letters.name(declared.kind),
            "const ",
        );
        given.push(format!("{name}[{name}_KEPT + {name}_REDUCED]"));
        inputs.push(name);
    }
    if of.is_indexed() {
        let name = format!("x{}", inputs.len());
        parameters.push(format!("i64 {name}_at"));
        given.push(format!("{name}_at + ({name}_KEPT + {name}_REDUCED)"));
        inputs.push(name);
    } else {
        given.push("0".into());
    }
    let all = [&inputs[..], &outputs[..]].concat();
    let [kept, reduced] = shape.ranks;
    let kept = Walk { tag: 'k', rank: kept, operands: &all, step: "1" };
    let reduced = Walk { tag: 'r', rank: reduced, operands: &inputs, step: "1" };
    text.add(if shape.wide { "typedef i64 idx;" } else { "typedef int idx;" });
    kept.define("OUTPUTS", "KEPT", text);
    reduced.define("RUNS", "REDUCED", text);
    let names = walk::arguments([&kept, &reduced], &shape.baked, text);
    parameters.extend(names.iter().map(|name| format!("idx {name}")));
    parameters.push("i64 reduced_len".into());
    if shape.stage > 0 {
        parameters.push("GLOBAL user_total* parts, idx groups".into());
    }
    let stores = (0..outputs.len()).map(|k| format!("y{k}[y{k}_KEPT] = user_all.o{k};"));
    let stores = stores.collect::<Vec<_>>().join(" ");
    let finish = "const user_outputs user_all = user_finish(total, reduced_len);";
    text.define("PARAMETERS", parameters.join(", ") + &text::numbers_declared(instance));
    text.define("PROLOGUE", prologue);
    text.define("MAPPED", format_args!("user_map({})", given.join(", ")));
    text.define("FINISH", format_args!("{finish} {stores}"));
    text.define("THREADS", THREADS);
    text.define("P", shape.threads);
    text.flag("ALONG", shape.along);
    text.define("STAGE", shape.stage);
    text.add(TEXT);
}
