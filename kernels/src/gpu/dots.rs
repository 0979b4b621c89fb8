//! Dots in the kernel that fills what they are of: each thread adds up what it has computed, and groups share the sums.

use std::fmt::Write as _;
use std::sync::Arc;

use arrayspan_bridge::devices::{Argument, Grid};
use arrayspan_bridge::iteration::{Arguments, IterationForm, THREADS, Text};
use arrayspan_bridge::{Array, DType};

use super::Gpu;
use super::combine::{self, MOST_PARTS, Sharing};
use crate::Result;
use crate::program::Kind;
use crate::verb::{DotCall, DotOf, MapManyCall, ReduceCall, Reduction};

const TEXT: &str = include_str!("../source/dots.cl.h");

/// Groups of a multiprocessor: as many as it holds.
const GROUPS: usize = 8;

/// Runs that a thread should have where all multiprocessors have a group: the last group to end joins the sums of all others, which
/// takes the longer the more there are.
const RUNS: usize = 4;

/// What is compiled of dots.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Dots {
    /// The arrays of each, and the dtype of its result.
    pub(super) of: Vec<([DotOf; 2], DType)>,
    /// How groups share the results.
    pub(super) sharing: Sharing,
    /// Threads of a group, a power of two.
    pub(super) threads: usize,
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
        let of = call.dots.iter().map(|dot| (dot.of, dot.out.dtype())).collect();
        Ok(Some(Self { of, sharing: sharing(gpu, ReduceCall::is_long(len)), threads: THREADS }))
    }

    /// The squared norm of what a kernel of that grid writes, if there is one to be added up; `None` also if its groups are too many,
    /// or have no number of threads that can be joined by halves.
    pub(super) fn of_norm(gpu: &Gpu, norm: Option<&DotCall<'_>>, grid: Grid) -> Option<Self> {
        let norm = norm?;
        let [groups, threads] = [grid.groups, grid.threads].map(|of| of.iter().product());
        let fits = groups <= MOST_PARTS && usize::is_power_of_two(threads);
        let of = vec![(norm.of, norm.out.dtype())];
        fits.then(|| Self { of, sharing: sharing(gpu, groups > 1), threads })
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

    /// What a thread adds of an output, where there is one dot, of that output with itself.
    pub(super) fn note(&self, value: &str) -> String {
        format!("dot0 += DOT({}, {value}, {value});", self.result(0))
    }

    /// The text behind the prelude.
    pub(super) fn add(text: &mut Text) {
        text.add(combine::TEXT);
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
        dots: impl IntoIterator<Item = &'m DotCall<'c>>,
        room: &'m Room,
        arguments: &mut Arguments<'m>,
    ) {
        for dot in dots {
            arguments.write(dot.out.memory(), dot.out.layout().offset());
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
