//! Running sums along an axis.

use arrayspan_bridge::devices::Access;
use arrayspan_bridge::{Operand, OperandMut, View, ViewMut};

use super::{OperandName, Verb, check};
use crate::factors::Factors;
use crate::plan::{Moved, Operands};
use crate::{Cost, Result, Scan, Update, cost};

const NAME: &str = "scan";

/// `y ← alpha · S x + beta · y`, where `S` is running sums along an axis: a [`Scan`].
///
/// Arrays may hold `Float16` or `BFloat16`: weights, factors and sums are those of `Float32` then, and results are rounded to 16
/// bits once.
#[derive(Debug)]
pub struct ScanCall<'a> {
    pub(crate) scan: Scan,
    pub(crate) x: Operand<'a>,
    pub(crate) y: OperandMut<'a>,
    pub(crate) factors: Factors<'a>,
}

impl<'a> ScanCall<'a> {
    /// Checks the arguments.
    ///
    /// # Errors
    /// When `x` has not as many elements along the axis or `y` not as many results, dtypes differ, or a weight or factor does
    /// not fit the dtype.
    pub fn new(scan: &Scan, x: View<'a>, y: ViewMut<'a>, update: Update<'a>) -> Result<Self> {
        let computed = check::stored(NAME, y.dtype())?;
        check::dtype(NAME, "x", y.dtype(), x.dtype())?;
        let Some(range) = scan.range_of(x.shape()) else {
            let (axis, columns) = (scan.axis(), scan.columns());
            let why = format!("x has shape {:?}, expected {columns} along axis {axis}", x.shape());
            return check::argument(NAME, why);
        };
        check::shape(NAME, "y", &range, y.shape())?;
        let factors = Factors::new(NAME, update, computed)?;
        scan.check(NAME, computed)?;
        Ok(Self { scan: *scan, x: x.into(), y: y.into(), factors })
    }

    /// Whether there is nothing to sum and `y` is only scaled, which [`Factors::cleared`] says for dtypes that are computed with.
    pub(crate) fn is_cleared(&self) -> bool {
        self.scan.columns() == 0 && self.y.dtype().is_computable()
    }

    pub(super) fn held(&mut self) -> ScanCall<'_> {
        let (scan, x, factors) = (self.scan, self.x.held(), self.factors.held());
        ScanCall { scan, x, y: self.y.held(), factors }
    }
}

impl Verb for ScanCall<'_> {
    fn name(&self) -> &'static str {
        NAME
    }

    fn for_each_operand(&self, visit: &mut dyn FnMut(OperandName, Access, &Operand<'_>)) {
        self.factors.visit_between(&self.x, &self.y, visit);
    }

    fn cost(&self) -> Cost {
        let mut cost = cost::of_output(&self.y, self.factors.reads());
        let read = if self.y.layout().is_empty() { 0 } else { cost::read([&self.x]) };
        cost.bytes_read += read + self.factors.bytes();
        // The sum goes on, and its weighted end is added to it.
        cost.flops = 2 * self.y.layout().len();
        cost
    }
}

impl Operands for ScanCall<'_> {
    fn move_operands(&mut self, moved: &Moved) {
        moved.read(&mut self.x);
        moved.written(&mut self.y);
        self.factors.move_operands(moved);
    }
}
