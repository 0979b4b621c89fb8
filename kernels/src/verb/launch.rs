//! A kernel of the user's own.

use std::sync::Arc;

use arrayspan_bridge::devices::Access;
use arrayspan_bridge::{DType, Operand, OperandMut, View, ViewMut};

use super::{OperandName, Verb};
use crate::plan::{Moved, Operands};
use crate::user::{Definition, Geometry, Letters, Number};
use crate::{Cost, cost};

/// The call of an [`ElementwiseKernel`](crate::user::ElementwiseKernel), a
/// [`ReductionKernel`](crate::user::ReductionKernel) or a [`RawKernel`](crate::user::RawKernel).
#[derive(Debug)]
pub struct LaunchCall<'a> {
    pub(crate) definition: Arc<Definition>,
    pub(crate) letters: Letters,
    /// In the order of the declared inputs.
    pub(crate) inputs: Vec<Slot<'a>>,
    /// In the order of the declared outputs.
    pub(crate) outputs: Vec<OperandMut<'a>>,
    pub(crate) work: Work,
}

/// What is launched over the arrays.
#[derive(Clone, Debug)]
pub(crate) enum Work {
    /// All elements; inputs have the shape of the outputs.
    Elements,
    /// Inputs have this shape, which is reduced over these axes, in rising order.
    Axes(Vec<usize>, Vec<usize>),
    /// What the caller says.
    Geometry(Geometry),
}

/// What an input is called with.
#[derive(Debug)]
pub(crate) enum Slot<'a> {
    Array(Operand<'a>),
    /// A number of a dtype that holds it.
    Number(Number, DType),
}

impl<'a> Slot<'a> {
    pub(crate) fn array(&self) -> Option<&Operand<'a>> {
        if let Self::Array(operand) = self { Some(operand) } else { None }
    }

    fn held(&self) -> Slot<'_> {
        match self {
            Self::Array(operand) => Slot::Array(operand.held()),
            Self::Number(number, dtype) => Slot::Number(*number, *dtype),
        }
    }
}

impl<'a> From<View<'a>> for Slot<'a> {
    fn from(view: View<'a>) -> Self {
        Self::Array(view.into())
    }
}

impl<'a> LaunchCall<'a> {
    pub(crate) fn new(
        definition: &Arc<Definition>,
        letters: Letters,
        inputs: Vec<Slot<'a>>,
        outputs: Vec<ViewMut<'a>>,
        work: Work,
    ) -> Self {
        let outputs = outputs.into_iter().map(Into::into).collect();
        Self { definition: definition.clone(), letters, inputs, outputs, work }
    }

    pub(super) fn held(&mut self) -> LaunchCall<'_> {
        LaunchCall {
            definition: self.definition.clone(),
            letters: self.letters.clone(),
            inputs: self.inputs.iter().map(Slot::held).collect(),
            outputs: self.outputs.iter_mut().map(OperandMut::held).collect(),
            work: self.work.clone(),
        }
    }

    /// The arrays among the inputs.
    pub(crate) fn arrays(&self) -> impl Iterator<Item = &Operand<'a>> {
        self.inputs.iter().filter_map(Slot::array)
    }

    /// Every dtype it computes with.
    pub(crate) fn dtypes(&self) -> impl Iterator<Item = DType> {
        let declared = self.definition.inputs.iter().chain(&self.definition.outputs);
        let kinds = declared.map(|parameter| parameter.kind).chain(self.definition.total());
        kinds.filter_map(|kind| self.letters.get(kind))
    }
}

impl Verb for LaunchCall<'_> {
    fn name(&self) -> &'static str {
        self.definition.verb()
    }

    fn for_each_operand(&self, visit: &mut dyn FnMut(OperandName, Access, &Operand<'_>)) {
        for (number, input) in self.inputs.iter().enumerate() {
            if let Slot::Array(operand) = input {
                visit(OperandName::Input(number), Access::Read, operand);
            }
        }
        for (number, output) in self.outputs.iter().enumerate() {
            visit(OperandName::OutputOf(number), Access::Write, output.as_operand());
        }
    }

    /// Arithmetic is not counted: nobody reads the source for it. A raw kernel is taken to read and write each array once.
    fn cost(&self) -> Cost {
        let bytes = |operand: &Operand<'_>| cost::distinct_bytes(operand.layout(), operand.dtype());
        let written = |output: &OperandMut<'_>| bytes(output.as_operand());
        let read = self.outputs.iter().zip(&self.definition.outputs);
        let before: usize =
            read.filter(|(_, declared)| declared.is_read).map(|(output, _)| written(output)).sum();
        let runs = match &self.work {
            Work::Geometry(geometry) => !geometry.is_empty(),
            _ => self.outputs.iter().any(|output| !output.layout().is_empty()),
        };
        Cost {
            launches: usize::from(runs),
            bytes_read: cost::read(self.arrays()) + before,
            bytes_written: self.outputs.iter().map(written).sum(),
            flops: 0,
        }
    }
}

impl Operands for LaunchCall<'_> {
    fn move_operands(&mut self, moved: &Moved) {
        for input in &mut self.inputs {
            if let Slot::Array(operand) = input {
                moved.read(operand);
            }
        }
        self.outputs.iter_mut().for_each(|output| moved.written(output));
    }
}
