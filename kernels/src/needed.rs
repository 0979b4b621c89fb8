//! Memory that must be its user's own while calls that were kept run.

use arrayspan_bridge::devices::{Access, Memory};
use arrayspan_bridge::{Array, DType, Layout, Operand, View};

use crate::Error;
use crate::verb::{OperandName, Verb};

/// Where memory is known by: the place of its handle's target, as long as there is a handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block(usize);

impl Block {
    pub(crate) fn of(memory: &Memory) -> Self {
        Self(std::ptr::from_ref(memory).addr())
    }
}

/// Memory that must be its user's own while calls that were kept run.
#[derive(Debug)]
pub(crate) struct Needed {
    /// It stays that of this memory, of which who keeps the call holds a handle.
    pub(crate) block: Block,
    written: bool,
    /// What is read of it, each once.
    read: Vec<(DType, Layout)>,
    verb: &'static str,
    argument: OperandName,
}

impl Needed {
    /// What a call needs: all that it writes, or reads although others could write it. What a
    /// [`SharedArray`](arrayspan_bridge::SharedArray) lends and calls only read nobody can write.
    pub(crate) fn by(verb: &dyn Verb) -> Vec<Self> {
        let mut needed = Vec::new();
        verb.for_each_operand(&mut |argument: OperandName, access, operand: &Operand<'_>| {
            if access == Access::Write || !operand.is_shared() {
                let (block, written) = (Block::of(operand.memory()), access == Access::Write);
                // Of what is written no view will do, whatever it lends.
                let read = (operand.dtype(), operand.layout().clone());
                let read = if written { Vec::new() } else { vec![read] };
                needed.push(Self { block, written, read, verb: verb.name(), argument });
            }
        });
        needed
    }

    /// What several calls need.
    pub(crate) fn by_all<'v>(verbs: impl IntoIterator<Item = &'v dyn Verb>) -> Vec<Self> {
        let mut needed = Vec::new();
        verbs.into_iter().for_each(|verb| Self::add_to(&mut needed, Self::by(verb)));
        needed
    }

    /// The same of another block.
    pub(crate) fn of(self, block: Block) -> Self {
        Self { block, ..self }
    }

    /// Adds those that `all` does not know.
    pub(crate) fn add_to(all: &mut Vec<Self>, new: Vec<Self>) {
        for need in new {
            match all.iter_mut().find(|known| known.block == need.block) {
                Some(known) => {
                    known.written |= need.written;
                    for read in need.read {
                        if !known.read.contains(&read) {
                            known.read.push(read);
                        }
                    }
                }
                None => all.push(need),
            }
        }
    }

    /// The number of the first that no array meets, nor, if it is only read, one of `views`.
    pub(crate) fn missing_of(
        needed: &[Self],
        arrays: &[&mut Array],
        views: &[View<'_>],
    ) -> Option<usize> {
        let is_here = |need: &Self| {
            let own = arrays.iter().any(|array| Block::of(array.memory()) == need.block);
            let is_lent =
                |view: &View<'_>| Block::of(view.memory()) == need.block && need.is_within(view);
            own || !need.written && views.iter().any(is_lent)
        };
        needed.iter().position(|need| !is_here(need))
    }

    /// Whether a view lends all elements that are read: the rest of its array may be lent to others, who write it.
    fn is_within(&self, view: &View<'_>) -> bool {
        let (layout, dtype) = (view.layout(), view.dtype());
        let Some((first, last)) = layout.extent() else {
            return self.read.iter().all(|(_, read)| read.is_empty());
        };
        let dense = layout.len() == last - first + 1 && !layout.may_overlap_itself();
        self.read.iter().all(|(read_dtype, read)| {
            let same = *read_dtype == dtype && read == layout;
            let among = |(low, high): (usize, usize)| {
                let bytes = read_dtype.bytes();
                low * bytes >= first * dtype.bytes()
                    && (high + 1) * bytes <= (last + 1) * dtype.bytes()
            };
            same || read.extent().is_none_or(|extent| dense && among(extent))
        })
    }

    /// That there is no such array.
    pub(crate) fn missing(&self) -> Error {
        Error::NotKept { verb: self.verb, argument: self.argument.to_string() }
    }
}
