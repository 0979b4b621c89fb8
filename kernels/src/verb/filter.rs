//! Long filters along an axis.

use arrayspan_bridge::devices::Access;
use arrayspan_bridge::{Operand, OperandMut, View, ViewMut};

use super::{OperandName, Verb, check};
use crate::factors::Factors;
use crate::fourier::Lines;
use crate::plan::{Moved, Operands};
use crate::{Cost, Filter, Result, Update};

const NAME: &str = "filter";

/// `y ← alpha · F x + beta · y`, where `F` is a [`Filter`] along an axis.
#[derive(Debug)]
pub struct FilterCall<'a> {
    pub(crate) filter: Filter,
    pub(crate) x: Operand<'a>,
    pub(crate) y: OperandMut<'a>,
    pub(crate) factors: Factors<'a>,
}

impl<'a> FilterCall<'a> {
    /// Checks the arguments.
    ///
    /// # Errors
    /// When shapes or dtypes differ, or the dtype is one of 16 bits; there is no such axis; taps are more than
    /// [`Filter::most_taps`], complex where arrays are real, or too large; the points of a periodic filter are fewer than samples, or none
    /// that [`Filter::takes_points`]; or a factor does not fit the dtype.
    pub fn new(filter: &Filter, x: View<'a>, y: ViewMut<'a>, update: Update<'a>) -> Result<Self> {
        check::computable(NAME, y.dtype())?;
        check::shape(NAME, "x", y.shape(), x.shape())?;
        check::dtype(NAME, "x", y.dtype(), x.dtype())?;
        let factors = Factors::new(NAME, update, y.dtype())?;
        filter.check(NAME, y.shape(), y.dtype())?;
        Ok(Self { filter: filter.clone(), x: x.into(), y: y.into(), factors })
    }

    pub(super) fn held(&mut self) -> FilterCall<'_> {
        let (filter, x, factors) = (self.filter.clone(), self.x.held(), self.factors.held());
        FilterCall { filter, x, y: self.y.held(), factors }
    }

    /// Its lines.
    pub(crate) fn lines(&self) -> Result<Lines> {
        Lines::along(self.filter.axis(), [self.y.layout(), self.x.layout()])
    }

    /// The elements of a line.
    pub(crate) fn extent(&self) -> usize {
        self.y.shape()[self.filter.axis()]
    }
}

impl Verb for FilterCall<'_> {
    fn name(&self) -> &'static str {
        NAME
    }

    fn for_each_operand(&self, visit: &mut dyn FnMut(OperandName, Access, &Operand<'_>)) {
        self.factors.visit_between(&self.x, &self.y, visit);
    }

    fn cost(&self) -> Cost {
        let mut cost = self.factors.cost(&self.x, &self.y);
        cost.flops = self.filter.flops(self.y.shape(), self.y.dtype());
        cost
    }
}

impl Operands for FilterCall<'_> {
    fn move_operands(&mut self, moved: &Moved) {
        moved.read(&mut self.x);
        moved.written(&mut self.y);
        self.factors.move_operands(moved);
    }
}
