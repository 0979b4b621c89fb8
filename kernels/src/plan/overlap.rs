//! Which memory recorded calls have in common.

use arrayspan_bridge::Operand;
use arrayspan_bridge::devices::Access;

use super::Block;
use crate::verb::Call;

/// Whether both are the same elements in the same order.
pub(super) fn is_same(a: &Operand<'_>, b: &Operand<'_>) -> bool {
    Block::of(a.memory()) == Block::of(b.memory())
        && a.dtype() == b.dtype()
        && a.layout() == b.layout()
}

/// Whether both may have bytes in common: whether the bytes from the first to the last of each do.
pub(super) fn overlap(a: &Operand<'_>, b: &Operand<'_>) -> bool {
    let bytes = |operand: &Operand<'_>| {
        let size = operand.dtype().bytes();
        operand.layout().extent().map(|(first, last)| (first * size, (last + 1) * size))
    };
    let (Some((a_from, a_to)), Some((b_from, b_to))) = (bytes(a), bytes(b)) else { return false };
    Block::of(a.memory()) == Block::of(b.memory()) && a_from < b_to && b_from < a_to
}

/// Whether it matters which of two calls runs first: one writes what the other reads or writes.
pub(super) fn conflict(a: &Call<'_>, b: &Call<'_>) -> bool {
    let mut found = false;
    a.verb().for_each_operand(&mut |_, a_access, a| {
        b.verb().for_each_operand(&mut |_, b_access, b| {
            let written = a_access == Access::Write || b_access == Access::Write;
            found |= written && overlap(a, b);
        });
    });
    found
}
