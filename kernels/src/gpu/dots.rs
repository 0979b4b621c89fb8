//! Dots in the kernel that fills what they are of: each thread adds up what it has computed, and groups share the sums.

use std::fmt::Write as _;
use std::sync::Arc;

use arrayspan_bridge::devices::{Argument, Grid};
use arrayspan_bridge::iteration::{Arguments, IterationForm, THREADS, Text};
use arrayspan_bridge::{Array, DType};

use super::Gpu;
use super::combine::{self, MOST_PARTS, Sharing};
use super::epilogue::Epilogue;
use crate::Result;
use crate::program::Kind;
use crate::verb::{self, DotCall, DotOf, MapManyCall, ReduceCall, Reduction, StencilCall};

const TEXT: &str = include_str!("../source/dots.cl.h");

/// Groups of a multiprocessor: as many as it holds.
const GROUPS: usize = 8;

/// Runs that a thread should have where all multiprocessors have a group: one group joins the sums of all others, which
/// takes the longer the more there are.
const RUNS: usize = 4;

/// What is compiled of one dot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Summed {
    pub(super) of: [DotOf; 2],
    /// Whether squares of differences are added up, rather than products.
    pub(super) differences: bool,
    /// The dtype of the result.
    pub(super) result: DType,
}

/// What is compiled of dots.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Dots {
    pub(super) of: Vec<Summed>,
    /// How groups share the results.
    pub(super) sharing: Sharing,
    /// Threads of a group, a power of two.
    pub(super) threads: usize,
    /// What is computed of the results.
    pub(super) epilogue: Option<Epilogue>,
}

/// Where groups leave their sums.
pub(super) enum Room {
    /// There is one group, or none of the groups is launched.
    None,
    /// For the group that is the last.
    Executors(Arc<Array>),
    /// For another kernel.
    Own(Array),
}

impl Dots {
    /// Those of an elementwise call on a device.
    pub(super) fn of_map(gpu: &Gpu, call: &MapManyCall<'_>) -> Result<Option<Self>> {
        for dot in &call.dots {
            gpu.expect_float64("map", dot.out.dtype())?;
        }
        if !call.is_fused() {
            return Ok(None);
        }
        let len = call.outs.first().map_or(0, |out| out.layout().len());
        let sharing = sharing(gpu, ReduceCall::is_long(len));
        // Extents and strides are none where they would be too many.
        let parts = if call.element.is_complex() { 2 } else { 1 };
        let arrays = call.outs.len() + call.inputs.len();
        let others = 2 * arrays + parts * call.constants.len();
        let others = (others, call.numbers);
        Ok(Some(Self::new(gpu, &call.dots, &call.epilogue, (sharing, THREADS), others)))
    }

    /// The squared norm of what a kernel of that grid writes, if there is one to be added up; `None` also if its groups are too many,
    /// or have no number of threads that can be joined by halves. The kernel has `others` arguments beside those of the norm.
    pub(super) fn of_norm(
        gpu: &Gpu,
        call: &StencilCall<'_>,
        grid: Grid,
        others: usize,
    ) -> Option<Self> {
        let norm = call.norm.as_ref()?;
        let [groups, threads] = [grid.groups, grid.threads].map(|of| of.iter().product());
        let fits = groups <= MOST_PARTS && usize::is_power_of_two(threads);
        let sharing = sharing(gpu, groups > 1);
        let norm = std::slice::from_ref(norm);
        fits.then(|| Self::new(gpu, norm, &call.epilogue, (sharing, threads), (others, None)))
    }

    fn new(
        gpu: &Gpu,
        dots: &[DotCall<'_>],
        epilogue: &verb::Epilogue<'_>,
        (sharing, threads): (Sharing, usize),
        (others, numbers): (usize, Option<DType>),
    ) -> Self {
        let summed = |dot: &DotCall<'_>| Summed {
            of: dot.of,
            differences: dot.terms.factor().is_some(),
            result: dot.out.dtype(),
        };
        let of: Vec<Summed> = dots.iter().map(summed).collect();
        let others = (others + Self::arguments_of(&of), numbers);
        // What another kernel joins that kernel does not know yet.
        let known = sharing != Sharing::Leave;
        let sums: Vec<_> = dots.iter().map(|dot| dot.out.as_operand()).collect();
        let epilogue = known.then(|| Epilogue::of(gpu, epilogue, &sums, others)).flatten();
        Self { of, sharing, threads, epilogue }
    }

    /// How many arguments they add.
    pub(super) fn arguments(&self) -> usize {
        Self::arguments_of(&self.of) + self.epilogue.as_ref().map_or(0, Epilogue::arguments)
    }

    /// Results, factors of differences, and room for parts.
    fn arguments_of(of: &[Summed]) -> usize {
        3 * of.len() + 1
    }

    /// Groups for so many runs.
    pub(super) fn grid(&self, gpu: &Gpu, runs: usize) -> Grid {
        let most = (GROUPS * gpu.units()).min(MOST_PARTS / self.of.len().max(1));
        let groups = match self.sharing {
            Sharing::Alone => 1,
            _ => runs.div_ceil(THREADS * RUNS).max(runs.div_ceil(THREADS).min(gpu.units())),
        };
        Grid { groups: [groups.clamp(1, most.max(1)), 1, 1], threads: [THREADS, 1, 1] }
    }

    /// The macros for the kernel of a variant.
    pub(super) fn define(&self, text: &mut Text) {
        combine::define(Reduction::Sum, [self.threads; 2], self.sharing, text);
        text.flag("DOTS", true);
        text.flag("REAL_RESULT", true);
        let each =
            |write: &dyn Fn(usize) -> String| (0..self.of.len()).map(write).collect::<String>();
        text.define("DOT_SUMS", each(&|dot| format!("accum dot{dot} = (accum)0; ")));
        text.define(
            "EACH_DOT(DO)",
            each(&|dot| format!("DO({dot}, dot{dot}, d{dot}, {}) ", self.result(dot))),
        );
        let names: Vec<String> = (0..self.of.len()).map(|dot| format!("d{dot}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        Epilogue::define(self.epilogue.as_ref(), &names, text);
    }

    /// The type of a result, in which products are computed: devices that have results of 64 bits add up in them.
    fn result(&self, dot: usize) -> &'static str {
        if self.of[dot].result == DType::Float64 { "accum" } else { "float" }
    }

    /// The parameters, which stand behind all others.
    pub(super) fn declare(&self) -> String {
        let mut text = String::new();
        for dot in 0..self.of.len() {
            // Writing to a String cannot fail.
            let of = self.result(dot);
            let _ = write!(text, ", GLOBAL {of}* RESTRICT d{dot}, i64 d{dot}_at");
            if self.of[dot].differences {
                let _ = write!(text, ", {of} d{dot}_factor");
            }
        }
        text += &self.epilogue.as_ref().map(Epilogue::declare).unwrap_or_default();
        text += self.sharing.declare();
        text
    }

    /// What each element adds, behind the steps of its outputs, whose results these are, of inputs of these kinds.
    pub(super) fn statements(&self, results: &[usize], inputs: &[Kind]) -> String {
        let value = |of: DotOf| match of {
            DotOf::Output(out) => format!("t{}", results[out]),
            DotOf::Input(input) => {
                let before = inputs[..input].iter();
                let arrays = before.filter(|kind| **kind != Kind::Number).count();
                format!("OF({})", IterationForm::operand(results.len() + arrays))
            }
        };
        let one = |(dot, Summed { of, differences, .. }): (usize, &Summed)| {
            let ([a, b], result) = (of.map(value), self.result(dot));
            if *differences {
                format!("dot{dot} += SQUARED_DIFFERENCE({result}, d{dot}_factor, {a}, {b}); ")
            } else {
                format!("dot{dot} += DOT({result}, {a}, {b}); ")
            }
        };
        self.of.iter().enumerate().map(one).collect()
    }

    /// What a thread adds of an output, where there is one dot, of that output with itself.
    pub(super) fn note(&self, value: &str) -> String {
        format!("dot0 += DOT({}, {value}, {value});", self.result(0))
    }

    /// The text behind the prelude.
    pub(super) fn add(text: &mut Text) {
        combine::add_sums(text);
        text.add(TEXT);
    }

    /// Where the groups of a kernel leave their sums.
    pub(super) fn room(&self, gpu: &Gpu) -> Result<Room> {
        Ok(match self.sharing {
            Sharing::Leave => Room::Own(combine::room(gpu)?),
            // A call that is only planned has no parts. (What joins them is planned all the same.)
            Sharing::LastJoins if gpu.planned.is_none() => Room::Executors(combine::scratch(gpu)?),
            _ => Room::None,
        })
    }

    /// Adds the arguments for a call's dots: results, and room for the parts of groups, if they share results.
    pub(super) fn push<'m, 'c: 'm>(
        &self,
        dots: impl IntoIterator<Item = &'m DotCall<'c>>,
        epilogue: &'m verb::Epilogue<'c>,
        room: &'m Room,
        arguments: &mut Arguments<'m>,
    ) {
        for dot in dots {
            arguments.write(dot.out.memory(), dot.out.layout().offset());
            if let Some(factor) = dot.terms.factor() {
                arguments.numbers(&[factor.into()], dot.out.dtype());
            }
        }
        if let (Some(own), Some(call)) = (&self.epilogue, epilogue.numbers()) {
            own.push(call, arguments);
        }
        match room {
            Room::None => {}
            Room::Executors(parts) => arguments.push(Argument::Write(parts.memory())),
            Room::Own(parts) => arguments.push(Argument::Write(parts.memory())),
        }
    }
}

impl Room {
    /// Joins what so many groups have left for another kernel, and gives the room back.
    pub(super) fn join<'m, 'c: 'm>(
        self,
        gpu: &Gpu,
        dots: impl IntoIterator<Item = &'m DotCall<'c>>,
        groups: usize,
    ) -> Result<()> {
        let Self::Own(room) = self else { return Ok(()) };
        let joined = dots.into_iter().enumerate().try_for_each(|(number, dot)| {
            let (result, reduction) = (dot.out.dtype(), Reduction::Sum);
            let join = combine::Variant { computed: result, result, reduction };
            let place = (dot.out.memory(), dot.out.layout().offset());
            combine::join(gpu, &join, place, &room, (number * groups, groups))
        });
        combine::give_back(gpu, room);
        joined
    }
}

/// How groups share results, of which there are several or one.
fn sharing(gpu: &Gpu, several: bool) -> Sharing {
    match (several, gpu.device_fence) {
        (false, _) => Sharing::Alone,
        (true, true) => Sharing::LastJoins,
        (true, false) => Sharing::Leave,
    }
}
