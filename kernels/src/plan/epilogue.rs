//! A call that adds something up, and what is computed of the sums, as one call.

use super::overlap::{is_same, overlap};
use crate::verb::{Call, Epilogue, OperandName};
use arrayspan_bridge::Operand;
use arrayspan_bridge::devices::Access;

/// Whether the second call computes single numbers, some of sums of the first, and has nothing else in common with it.
pub(super) fn is_epilogue(first: &Call<'static>, second: &Call<'static>) -> bool {
    let Call::MapMany(call) = second else { return false };
    let free = match first {
        Call::MapMany(first) => first.is_fused() && first.epilogue.is_none(),
        Call::Stencil(first) => first.norm.is_some() && first.epilogue.is_none(),
        Call::Reduce(first) => first.is_sum_of_all() && first.epilogue.is_none(),
        _ => false,
    };
    if !free || !call.is_of_numbers() {
        return false;
    }
    let is_sum = |name: OperandName| match first {
        Call::Reduce(_) => matches!(name, OperandName::Output),
        _ => matches!(name, OperandName::Dot(_)),
    };
    let (mut reads, mut apart) = (false, true);
    first.verb().for_each_operand(&mut |name, written, own| {
        second.verb().for_each_operand(&mut |_, access, other: &Operand<'_>| {
            if !overlap(own, other) {
                return;
            }
            if access == Access::Read && is_sum(name) && is_same(own, other) {
                reads = true;
            } else if [access, written].contains(&Access::Write) {
                apart = false;
            }
        });
    });
    reads && apart
}

/// The one call.
pub(super) fn with_epilogue(mut first: Call<'static>, second: Call<'static>) -> Call<'static> {
    let Call::MapMany(second) = second else { return first };
    let epilogue = Epilogue::new(second.into_numbers());
    match &mut first {
        Call::MapMany(first) => first.epilogue = epilogue,
        Call::Stencil(first) => first.epilogue = epilogue,
        Call::Reduce(first) => first.epilogue = epilogue,
        _ => {}
    }
    first
}
