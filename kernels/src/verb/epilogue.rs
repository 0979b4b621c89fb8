//! What is computed of the sums of a call, behind it.

use arrayspan_bridge::devices::Access;
use arrayspan_bridge::{DType, Operand, OperandMut};

use super::{MapManyCall, OperandName, Verb};
use crate::plan::{Moved, Operands};
use crate::program::{Kind, Op};
use crate::{Cost, Result};

/// What is computed of single numbers as soon as the sums of a call are known: on GPUs by the kernel that adds them up, where that can;
/// else by a launch of its own, as which it counts.
#[derive(Debug, Default)]
pub(crate) struct Epilogue<'a>(Option<Box<MapManyCall<'a>>>);

impl<'a> Epilogue<'a> {
    pub(crate) fn new(call: MapManyCall<'a>) -> Self {
        Self(Some(Box::new(call)))
    }

    /// Whether a call may be one: real numbers of one dtype alone, which do not depend on what the outputs held.
    pub(crate) fn is_possible(call: &MapManyCall<'_>) -> bool {
        let single = |of: &Operand<'_>| of.layout().len() == 1 && of.dtype() == call.element;
        let held = |op: &Op| matches!(op, Op::Previous(_));
        matches!(call.element, DType::Float32 | DType::Float64)
            && call.dots.is_empty()
            && call.epilogue.call().is_none()
            && call.kinds.iter().all(|kind| *kind == Kind::Element)
            && call.inputs.iter().all(single)
            && call.outs.iter().map(OperandMut::as_operand).all(single)
            && !call.program.steps.iter().any(|step| held(&step.op))
    }

    pub(crate) fn call(&self) -> Option<&MapManyCall<'a>> {
        self.0.as_deref()
    }

    /// Runs it by itself.
    pub(crate) fn alone(
        &mut self,
        run: impl FnOnce(&mut MapManyCall<'a>) -> Result<()>,
    ) -> Result<()> {
        self.0.as_deref_mut().map_or(Ok(()), run)
    }

    pub(super) fn held(&mut self) -> Epilogue<'_> {
        Epilogue(self.0.as_mut().map(|call| Box::new(call.held())))
    }

    pub(super) fn visit(&self, visit: &mut dyn FnMut(OperandName, Access, &Operand<'_>)) {
        if let Some(call) = self.call() {
            call.for_each_operand(visit);
        }
    }

    pub(super) fn cost(&self) -> Cost {
        self.call().map_or_else(Cost::default, Verb::cost)
    }
}

impl Operands for Epilogue<'_> {
    fn move_operands(&mut self, moved: &Moved) {
        if let Some(call) = &mut self.0 {
            call.move_operands(moved);
        }
    }
}
