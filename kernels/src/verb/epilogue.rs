//! What is computed of the sums of a call, behind it.

use arrayspan_bridge::devices::Access;
use arrayspan_bridge::{DType, Expression, Operand, OperandMut};
use num_complex::Complex64;

use super::OperandName;
use crate::plan::{Moved, Operands};
use crate::program::Program;
use crate::{Cost, cost};

/// What is computed of single numbers as soon as the sums of a call are known: on GPUs by the kernel that adds them up, where that can;
/// else by a launch of its own, as which it counts.
#[derive(Debug, Default)]
pub(crate) struct Epilogue<'a>(Option<Box<Numbers<'a>>>);

/// An elementwise call of single real numbers of one dtype, which do not depend on what the outputs held.
#[derive(Debug)]
pub(crate) struct Numbers<'a> {
    /// One for each output.
    pub(crate) expressions: Vec<Expression>,
    /// What is computed, and the values of its constants.
    pub(crate) program: Program,
    pub(crate) constants: Vec<Complex64>,
    pub(crate) inputs: Vec<Operand<'a>>,
    pub(crate) outs: Vec<OperandMut<'a>>,
    pub(crate) element: DType,
}

impl<'a> Epilogue<'a> {
    pub(crate) fn new(numbers: Numbers<'a>) -> Self {
        Self(Some(Box::new(numbers)))
    }

    /// Whether there is none.
    pub(crate) fn is_none(&self) -> bool {
        self.0.is_none()
    }

    pub(crate) fn numbers(&self) -> Option<&Numbers<'a>> {
        self.0.as_deref()
    }

    pub(crate) fn numbers_mut(&mut self) -> Option<&mut Numbers<'a>> {
        self.0.as_deref_mut()
    }

    pub(super) fn held(&mut self) -> Epilogue<'_> {
        Epilogue(self.0.as_mut().map(|numbers| Box::new(numbers.held())))
    }

    pub(super) fn visit(&self, visit: &mut dyn FnMut(OperandName, Access, &Operand<'_>)) {
        let Some(Numbers { inputs, outs, .. }) = self.numbers() else { return };
        for (number, input) in inputs.iter().enumerate() {
            visit(OperandName::Input(number), Access::Read, input);
        }
        for (number, out) in outs.iter().enumerate() {
            visit(OperandName::OutputOf(number), Access::Write, out.as_operand());
        }
    }

    pub(super) fn cost(&self) -> Cost {
        let Some(numbers) = self.numbers() else { return Cost::default() };
        let written = numbers.outs.iter().map(|out| out.dtype().bytes());
        Cost {
            launches: 1,
            bytes_read: cost::read(&numbers.inputs),
            bytes_written: written.sum(),
            flops: numbers.program.operations(),
        }
    }
}

impl Numbers<'_> {
    pub(super) fn held(&mut self) -> Numbers<'_> {
        Numbers {
            expressions: self.expressions.clone(),
            program: self.program.clone(),
            constants: self.constants.clone(),
            inputs: self.inputs.iter().map(Operand::held).collect(),
            outs: self.outs.iter_mut().map(OperandMut::held).collect(),
            element: self.element,
        }
    }
}

impl Operands for Epilogue<'_> {
    fn move_operands(&mut self, moved: &Moved) {
        if let Some(Numbers { inputs, outs, .. }) = self.numbers_mut() {
            for input in inputs {
                moved.read(input);
            }
            for out in outs {
                moved.written(out);
            }
        }
    }
}
