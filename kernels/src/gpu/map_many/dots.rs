//! Dots in the kernel that fills what they are of: each thread adds up what it has computed, and groups share the sums.

use std::fmt::Write as _;

use arrayspan_bridge::devices::{Argument, Grid, KernelSource};
use arrayspan_bridge::iteration::{Arguments, IterationForm, THREADS, Text};
use arrayspan_bridge::{Array, DType};

use super::super::Gpu;
use super::super::combine::{self, MOST_PARTS, Sharing};
use super::super::element::{Element, PRELUDE};
use crate::Result;
use crate::program::Kind;
use crate::verb::{DotOf, MapManyCall, ReduceCall, Reduction};

/// Groups of a multiprocessor: as many as it holds.
const GROUPS: usize = 8;

/// Runs that a thread should have where all multiprocessors have a group: the last group to end joins the sums of all others, which
/// takes the longer the more there are.
const RUNS: usize = 4;

/// What is compiled of dots.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::gpu) struct Dots {
    /// The arrays of each, and the dtype of its result.
    pub(in crate::gpu) of: Vec<([DotOf; 2], DType)>,
    /// How groups share the results.
    pub(in crate::gpu) sharing: Sharing,
}

impl Dots {
    /// Those of a call on a device.
    pub(super) fn of(gpu: &Gpu, call: &MapManyCall<'_>) -> Result<Option<Self>> {
        for dot in &call.dots {
            gpu.expect_float64("map", dot.out.dtype())?;
        }
        if !call.is_fused() {
            return Ok(None);
        }
        let len = call.outs.first().map_or(0, |out| out.layout().len());
        let sharing = match (ReduceCall::is_long(len), gpu.device_fence) {
            (false, _) => Sharing::Alone,
            (true, true) => Sharing::LastJoins,
            (true, false) => Sharing::Leave,
        };
        let of = call.dots.iter().map(|dot| (dot.of, dot.out.dtype())).collect();
        Ok(Some(Self { of, sharing }))
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
        combine::define(Reduction::Sum, [THREADS; 2], self.sharing, text);
        text.flag("REAL_RESULT", true);
        let each =
            |write: &dyn Fn(usize) -> String| (0..self.of.len()).map(write).collect::<String>();
        text.define("DOT_SUMS", each(&|dot| format!("accum dot{dot} = (accum)0; ")));
        text.define(
            "EACH_DOT(DO)",
            each(&|dot| format!("DO({dot}, dot{dot}, d{dot}, {}) ", self.result(dot))),
        );
    }

    /// The type of a result, in which products are computed: devices that have results of 64 bits add up in them.
    fn result(&self, dot: usize) -> &'static str {
        if self.of[dot].1 == DType::Float64 { "accum" } else { "float" }
    }

    /// The parameters, which stand behind all others.
    pub(super) fn declare(&self) -> String {
        let mut text = String::new();
        for dot in 0..self.of.len() {
            // Writing to a String cannot fail.
            let _ = write!(text, ", GLOBAL {}* RESTRICT d{dot}, i64 d{dot}_at", self.result(dot));
        }
        if self.sharing != Sharing::Alone {
            text += ", GLOBAL total* parts";
        }
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
        let one = |(dot, (of, _)): (usize, &([DotOf; 2], DType))| {
            let [a, b] = of.map(value);
            format!("dot{dot} += DOT({}, {a}, {b}); ", self.result(dot))
        };
        self.of.iter().enumerate().map(one).collect()
    }

    /// Adds the arguments for a call's dots: results, and room for the parts of groups, if they share results.
    pub(super) fn push<'m>(
        call: &'m MapManyCall<'_>,
        arguments: &mut Arguments<'m>,
        parts: Option<&'m Array>,
    ) {
        for dot in &call.dots {
            arguments.write(dot.out.memory(), dot.out.layout().offset());
        }
        if let Some(parts) = parts {
            arguments.push(Argument::Write(parts.memory()));
        }
    }

    /// Joins what so many groups have left in `room`.
    pub(super) fn join(
        gpu: &Gpu,
        call: &MapManyCall<'_>,
        room: &Array,
        groups: usize,
    ) -> Result<()> {
        call.dots.iter().enumerate().try_for_each(|(number, dot)| {
            let (result, reduction) = (dot.out.dtype(), Reduction::Sum);
            let join = combine::Variant { computed: result, result, reduction };
            let place = (dot.out.memory(), dot.out.layout().offset());
            combine::join(gpu, &join, place, room, (number * groups, groups))
        })
    }
}

/// The source of a kernel with dots: the prelude, reductions, and the kernel's own text.
pub(super) fn source(element: Element, define: impl FnOnce(&mut Text), own: &str) -> KernelSource {
    let mut text = Text::default();
    define(&mut text);
    text.add(PRELUDE);
    text.add(combine::TEXT);
    text.add(own);
    element.kernel("map_many", text)
}
