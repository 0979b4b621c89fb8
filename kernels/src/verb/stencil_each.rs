//! Bands along axes, each by itself, in one pass.

use arrayspan_bridge::devices::Access;
use arrayspan_bridge::{Operand, OperandMut, Relayout, View, ViewMut};

use super::{Epilogue, OperandName, Stencil, StencilCall, Verb, check};
use crate::factors::Factors;
use crate::plan::{Moved, Operands};
use crate::{Cost, Result, Update, cost};

const NAME: &str = "stencil_each";

/// `y[t] ← alpha · termₜ(x) + beta · y[t]`: the terms of a stencil, each by itself, in the order of their axes, along a new first
/// axis of `y`. Of 16-bit floats each is rounded as that of [`StencilCall`].
#[derive(Debug)]
pub struct StencilEachCall<'a> {
    pub(crate) stencil: Stencil,
    pub(crate) x: Operand<'a>,
    pub(crate) y: OperandMut<'a>,
    pub(crate) factors: Factors<'a>,
}

impl<'a> StencilEachCall<'a> {
    /// Checks the arguments: `y` has an index of its first axis for each term, and then the shape of `x`.
    ///
    /// # Errors
    /// When there are no terms; as [`StencilCall::new`].
    pub fn new(stencil: &Stencil, x: View<'a>, y: ViewMut<'a>, update: Update<'a>) -> Result<Self> {
        let computed = check::stored(NAME, y.dtype())?;
        let terms = stencil.terms().len();
        if terms == 0 {
            return check::argument(NAME, "there are no terms");
        }
        let shape: Vec<usize> = std::iter::once(terms).chain(x.shape().iter().copied()).collect();
        check::shape(NAME, "y", &shape, y.shape())?;
        check::dtype(NAME, "x", y.dtype(), x.dtype())?;
        let factors = Factors::new(NAME, update, computed)?;
        stencil.check(NAME, x.shape(), y.dtype())?;
        Ok(Self { stencil: stencil.clone(), x: x.into(), y: y.into(), factors })
    }

    pub(super) fn held(&mut self) -> StencilEachCall<'_> {
        let (stencil, x, factors) = (self.stencil.clone(), self.x.held(), self.factors.held());
        StencilEachCall { stencil, x, y: self.y.held(), factors }
    }

    /// One term after the other, as calls of their own.
    pub(crate) fn each(
        &mut self,
        mut run: impl FnMut(&mut StencilCall<'_>) -> Result<()>,
    ) -> Result<()> {
        for (number, (axis, band)) in self.stencil.terms().iter().enumerate() {
            let mut call = StencilCall {
                stencil: Stencil::along(*axis, band.clone())?,
                x: self.x.view().into(),
                y: self.y.view_mut().selected(0, number)?.into(),
                factors: self.factors.held(),
                norm: None,
                epilogue: Epilogue::default(),
            };
            run(&mut call)?;
        }
        Ok(())
    }
}

impl Verb for StencilEachCall<'_> {
    fn name(&self) -> &'static str {
        NAME
    }

    fn for_each_operand(&self, visit: &mut dyn FnMut(OperandName, Access, &Operand<'_>)) {
        self.factors.visit_between(&self.x, &self.y, visit);
    }

    fn cost(&self) -> Cost {
        let mut cost = cost::of_output(&self.y, self.factors.reads());
        cost.bytes_read += cost::read([&self.x]) + self.factors.bytes();
        cost.flops = self.stencil.flops(self.x.layout().len());
        cost
    }
}

impl Operands for StencilEachCall<'_> {
    fn move_operands(&mut self, moved: &Moved) {
        moved.read(&mut self.x);
        moved.written(&mut self.y);
        self.factors.move_operands(moved);
    }
}
