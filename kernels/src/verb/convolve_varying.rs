//! Convolutions with filters that change from place to place.

use arrayspan_bridge::devices::Access;
use arrayspan_bridge::{Operand, OperandMut, View, ViewMut};

use super::{OperandName, Verb, check};
use crate::factors::Factors;
use crate::plan::{Moved, Operands};
use crate::{Cost, Result, Update, VaryingConvolution};

const NAME: &str = "convolve_varying";

/// `y ← alpha · C x + beta · y`, where `C` is a [`VaryingConvolution`].
#[derive(Debug)]
pub struct ConvolveVaryingCall<'a> {
    pub(crate) convolution: VaryingConvolution,
    pub(crate) x: Operand<'a>,
    pub(crate) y: OperandMut<'a>,
    pub(crate) factors: Factors<'a>,
}

impl<'a> ConvolveVaryingCall<'a> {
    /// Checks the arguments.
    ///
    /// # Errors
    /// When shapes or dtypes differ, or the dtype is one of 16 bits; an axis is not there or has another extent; taps are complex where
    /// arrays are real, or too large; or a factor does not fit the dtype.
    pub fn new(
        convolution: &VaryingConvolution,
        x: View<'a>,
        y: ViewMut<'a>,
        update: Update<'a>,
    ) -> Result<Self> {
        check::computable(NAME, y.dtype())?;
        check::shape(NAME, "x", y.shape(), x.shape())?;
        check::dtype(NAME, "x", y.dtype(), x.dtype())?;
        let factors = Factors::new(NAME, update, y.dtype())?;
        convolution.check(y.shape(), y.dtype())?;
        Ok(Self { convolution: convolution.clone(), x: x.into(), y: y.into(), factors })
    }

    pub(super) fn held(&mut self) -> ConvolveVaryingCall<'_> {
        let (convolution, x) = (self.convolution.clone(), self.x.held());
        ConvolveVaryingCall { convolution, x, y: self.y.held(), factors: self.factors.held() }
    }
}

impl Verb for ConvolveVaryingCall<'_> {
    fn name(&self) -> &'static str {
        NAME
    }

    fn for_each_operand(&self, visit: &mut dyn FnMut(OperandName, Access, &Operand<'_>)) {
        self.factors.visit_between(&self.x, &self.y, visit);
    }

    fn cost(&self) -> Cost {
        let mut cost = self.factors.cost(&self.x, &self.y);
        // Each sample has the filters of two places along each axis.
        let taps = self.convolution.taps().saturating_mul(1 << self.convolution.along().len());
        cost.flops = self.y.layout().len().saturating_mul(2).saturating_mul(taps);
        cost
    }
}

impl Operands for ConvolveVaryingCall<'_> {
    fn move_operands(&mut self, moved: &Moved) {
        moved.read(&mut self.x);
        moved.written(&mut self.y);
        self.factors.move_operands(moved);
    }
}
