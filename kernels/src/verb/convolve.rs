//! Dense convolutions along several axes.

use arrayspan_bridge::devices::Access;
use arrayspan_bridge::{Layout, Operand, OperandMut, View, ViewMut};

use super::{OperandName, Verb, check};
use crate::factors::Factors;
use crate::plan::{Moved, Operands};
use crate::{Convolution, Cost, Result, Update};

const NAME: &str = "convolve";

/// Lanes of fewer elements are slow, if there are others.
const SHORT: usize = 16;

/// `y ← alpha · C x + beta · y`, where `C` is a [`Convolution`].
#[derive(Debug)]
pub struct ConvolveCall<'a> {
    pub(crate) convolution: Convolution,
    pub(crate) x: Operand<'a>,
    pub(crate) y: OperandMut<'a>,
    pub(crate) factors: Factors<'a>,
}

impl<'a> ConvolveCall<'a> {
    /// Checks the arguments.
    ///
    /// # Errors
    /// When shapes or dtypes differ, or the dtype is one of 16 bits; there is no such axis; taps are complex where arrays are real, or too
    /// large; or a factor does not fit the dtype.
    pub fn new(
        convolution: &Convolution,
        x: View<'a>,
        y: ViewMut<'a>,
        update: Update<'a>,
    ) -> Result<Self> {
        check::computable(NAME, y.dtype())?;
        check::shape(NAME, "x", y.shape(), x.shape())?;
        check::dtype(NAME, "x", y.dtype(), x.dtype())?;
        let factors = Factors::new(NAME, update, y.dtype())?;
        convolution.check(NAME, y.shape(), y.dtype())?;
        Ok(Self { convolution: convolution.clone(), x: x.into(), y: y.into(), factors })
    }

    pub(super) fn held(&mut self) -> ConvolveCall<'_> {
        let (convolution, x) = (self.convolution.clone(), self.x.held());
        ConvolveCall { convolution, x, y: self.y.held(), factors: self.factors.held() }
    }
}

/// The axis that results of that layout are best made along: the one with the shortest steps that is not short itself, or the longest.
pub(crate) fn lanes(y: &Layout) -> usize {
    let (shape, strides) = (y.shape(), y.strides());
    let longest = (0..shape.len()).max_by_key(|&axis| shape[axis]).unwrap_or(0);
    let least = shape.get(longest).map_or(2, |most| SHORT.min(*most).max(2));
    let long = (0..shape.len()).filter(|&axis| shape[axis] >= least);
    long.min_by_key(|&axis| strides[axis].unsigned_abs()).unwrap_or(longest)
}

impl Verb for ConvolveCall<'_> {
    fn name(&self) -> &'static str {
        NAME
    }

    fn for_each_operand(&self, visit: &mut dyn FnMut(OperandName, Access, &Operand<'_>)) {
        self.factors.visit_between(&self.x, &self.y, visit);
    }

    fn cost(&self) -> Cost {
        let mut cost = self.factors.cost(&self.x, &self.y);
        let taps = self.convolution.taps().len();
        cost.flops = self.y.layout().len().saturating_mul(2).saturating_mul(taps);
        cost
    }
}

impl Operands for ConvolveCall<'_> {
    fn move_operands(&mut self, moved: &Moved) {
        moved.read(&mut self.x);
        moved.written(&mut self.y);
        self.factors.move_operands(moved);
    }
}
