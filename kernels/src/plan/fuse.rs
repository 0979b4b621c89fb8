//! Rules by which recorded calls take fewer passes over memory. Each leaves what the calls do.

use super::epilogue::{is_epilogue, with_epilogue};
use super::join::Join;
use super::norm::{is_norm, with_norm};
use super::overlap::{conflict, is_same, overlap};
use crate::program::Op;
use crate::verb::Call;
use arrayspan_bridge::Operand;
use arrayspan_bridge::devices::Access;

/// How many calls before it a call is compared with.
const FAR: usize = 16;

/// How two calls become one.
enum Way {
    Elementwise(Box<Join>),
    Norm,
    Epilogue,
}

impl Way {
    /// That of two calls that pass over arrays.
    fn new(first: &Call<'static>, second: &Call<'static>) -> Option<Self> {
        if is_norm(first, second) {
            return Some(Self::Norm);
        }
        Join::new(first, second).map(|join| Self::Elementwise(Box::new(join)))
    }

    /// That of one and a call of single numbers. Only what is joined with no other any more has an epilogue.
    fn epilogue(first: &Call<'static>, second: &Call<'static>) -> Option<Self> {
        is_epilogue(first, second).then_some(Self::Epilogue)
    }

    fn of(self, first: Call<'static>, second: Call<'static>) -> Call<'static> {
        match self {
            Self::Elementwise(join) => join.of(first, second),
            Self::Norm => with_norm(first, second),
            Self::Epilogue => with_epilogue(first, second),
        }
    }
}

/// A call and the number of its executor.
type Recorded = (usize, Call<'static>);
/// Finds the way in which two calls become one, if there is one.
type Find = fn(&Call<'static>, &Call<'static>) -> Option<Way>;

/// Joins calls, and leaves out what nobody reads.
pub(super) fn fused(calls: Vec<Recorded>) -> Vec<Recorded> {
    joined(joined(needed(calls), Way::new), Way::epilogue)
}

/// The same of calls of one executor, each with the number of its section: only numbers that are computed of sums are joined with a section
/// before, which leaves all bits.
pub(super) fn fused_in_sections(calls: Vec<Recorded>) -> Vec<Recorded> {
    let apart = joined(needed(calls), Way::new);
    joined(apart.into_iter().map(|(_, call)| (0, call)).collect(), Way::epilogue)
}

/// Each call joined with an earlier one of its executor, where both are elementwise, or the later one a sum of products, or the
/// norm of what a stencil writes, or single numbers that are computed of sums, and nothing between them stands in the way.
fn joined(calls: Vec<Recorded>, way: Find) -> Vec<Recorded> {
    let mut done: Vec<Recorded> = Vec::with_capacity(calls.len());
    for (number, call) in calls {
        match place(&done, number, &call, way) {
            Some((at, way)) => {
                let (_, first) = done.remove(at);
                done.insert(at, (number, way.of(first, call)));
            }
            None => done.push((number, call)),
        }
    }
    done
}

/// The latest call that a call can be joined with, where those after it can as well run after both.
fn place(
    done: &[Recorded],
    number: usize,
    call: &Call<'static>,
    way: Find,
) -> Option<(usize, Way)> {
    for (at, (other, before)) in done.iter().enumerate().rev().take(FAR) {
        if *other == number
            && let Some(way) = way(before, call)
        {
            return Some((at, way));
        }
        if conflict(before, call) {
            return None;
        }
    }
    None
}

/// Those whose results are read before they are overwritten, or left to whoever has the arrays.
fn needed(mut calls: Vec<Recorded>) -> Vec<Recorded> {
    let mut at = calls.len();
    while at > 0 {
        at -= 1;
        let (before, after) = calls.split_at(at + 1);
        let (_, call) = &before[at];
        let (mut writes, mut lost) = (false, true);
        call.verb().for_each_operand(&mut |_, access, operand| {
            if access == Access::Write && !operand.layout().is_empty() {
                writes = true;
                lost = lost && is_lost(operand, after);
            }
        });
        if writes && lost && !matches!(call, Call::Launch(_) | Call::Transfer(_)) {
            calls.remove(at);
        }
    }
    calls
}

/// Whether an array is overwritten by later calls before anyone reads it.
fn is_lost(array: &Operand<'_>, later: &[Recorded]) -> bool {
    for (_, call) in later {
        let (mut read, mut overwritten) = (false, false);
        let verb = call.verb();
        verb.for_each_operand(&mut |_, access, operand| match access {
            _ if !overlap(operand, array) => {}
            Access::Write if is_same(operand, array) && overwrites(call, operand) => {
                overwritten = true;
            }
            _ => read = true,
        });
        if read || overwritten {
            return !read;
        }
    }
    false
}

/// Whether an output of a call takes nothing of what it held, nor do others.
fn overwrites(call: &Call<'_>, out: &Operand<'_>) -> bool {
    match call {
        Call::Map(call) => !call.expression.reads_previous(),
        Call::MapMany(call) => {
            let number = call.outs.iter().position(|own| is_same(own.as_operand(), out));
            number.is_some_and(|out| {
                call.program.steps.iter().all(|step| step.op != Op::Previous(out))
            })
        }
        Call::Reduce(_) => true,
        _ => false,
    }
}
