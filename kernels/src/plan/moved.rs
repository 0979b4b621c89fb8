//! Operands of recorded calls that turn to another array's memory.

use std::sync::Arc;

use arrayspan_bridge::devices::Memory;
use arrayspan_bridge::{Operand, OperandMut};

use crate::needed::Block;

/// What operands do when an array is exchanged for another: those in its memory turn to the other's.
#[derive(Debug)]
pub(crate) struct Moved {
    from: Block,
    to: Arc<Memory>,
}

impl Moved {
    /// From one array's memory to another's.
    ///
    /// # Safety
    /// All elements that operands in `from` have are in `to`, too, which is on the same device. The borrows that the operands were
    /// made of have ended, and whoever executes their calls sees to it that nobody else has `to` meanwhile.
    pub(super) unsafe fn new(from: Block, to: Arc<Memory>) -> Self {
        Self { from, to }
    }

    /// Of an operand that is read.
    pub(crate) fn read(&self, operand: &mut Operand<'_>) {
        if Block::of(operand.memory()) == self.from {
            // SAFETY: that of `new`.
            unsafe { operand.move_to(self.to.clone()) }
        }
    }

    /// Of one that is written.
    pub(crate) fn written(&self, operand: &mut OperandMut<'_>) {
        if Block::of(operand.memory()) == self.from {
            // SAFETY: that of `new`.
            unsafe { operand.move_to(self.to.clone()) }
        }
    }
}

/// What has operands. One verb, one implementation.
pub(crate) trait Operands {
    /// Moves each operand that [`Verb::for_each_operand`](crate::verb::Verb::for_each_operand) shows.
    fn move_operands(&mut self, moved: &Moved);
}
