//! `y ← alpha · x + beta · y` between any two layouts.

use arrayspan_bridge::devices::Access;
use arrayspan_bridge::{Operand, OperandMut, View, ViewMut};

use super::{OperandName, Verb, check};
use crate::factors::Factors;
use crate::plan::{Moved, Operands};
use crate::{Cost, Result, Update, cost};

const NAME: &str = "copy";

/// `y ← alpha · x + beta · y` between any two layouts of one shape: permuted, flipped, sliced, repeated.
#[derive(Debug)]
pub struct CopyCall<'a> {
    pub(crate) x: Operand<'a>,
    pub(crate) y: OperandMut<'a>,
    pub(crate) factors: Factors<'a>,
}

impl<'a> CopyCall<'a> {
    /// Checks the arguments. A plain copy (`Update::set`) takes any dtype, anything else a computable one, or
    /// `Float16` and `BFloat16`, whose elements are computed in `Float32` and rounded to 16 bits once.
    ///
    /// # Errors
    /// When shapes or dtypes differ, or a factor does not fit the dtype.
    pub fn new(x: View<'a>, y: ViewMut<'a>, update: Update<'a>) -> Result<Self> {
        check::shape(NAME, "x", y.shape(), x.shape())?;
        check::dtype(NAME, "x", y.dtype(), x.dtype())?;
        let factors = if update == Update::set() {
            Factors::set()
        } else {
            let computed = check::stored(NAME, y.dtype())?;
            Factors::new(NAME, update, computed)?
        };
        Ok(Self { x: x.into(), y: y.into(), factors })
    }

    pub(super) fn held(&mut self) -> CopyCall<'_> {
        CopyCall { x: self.x.held(), y: self.y.held(), factors: self.factors.held() }
    }
}

impl Verb for CopyCall<'_> {
    fn name(&self) -> &'static str {
        NAME
    }

    fn for_each_operand(&self, visit: &mut dyn FnMut(OperandName, Access, &Operand<'_>)) {
        self.factors.visit_between(&self.x, &self.y, visit);
    }

    fn cost(&self) -> Cost {
        let mut cost = cost::of_output(&self.y, self.factors.reads());
        cost.bytes_read += cost::read([&self.x]) + self.factors.bytes();
        cost
    }
}

impl Operands for CopyCall<'_> {
    fn move_operands(&mut self, moved: &Moved) {
        moved.read(&mut self.x);
        moved.written(&mut self.y);
        self.factors.move_operands(moved);
    }
}
