//! Sums along curves.

use arrayspan_bridge::devices::Access;
use arrayspan_bridge::{Layout, Operand, OperandMut, View, ViewMut};

use super::{OperandName, Verb, check};
use crate::factors::Factors;
use crate::plan::{Moved, Operands};
use crate::{Cost, Projection, Result, Update, cost};

const NAME: &str = "project";

/// `y ← alpha · P x + beta · y`, where `P` sums along curves, or spreads: a [`Projection`].
#[derive(Debug)]
pub struct ProjectCall<'a> {
    pub(crate) projection: Projection,
    pub(crate) x: Operand<'a>,
    pub(crate) y: OperandMut<'a>,
    pub(crate) factors: Factors<'a>,
}

impl<'a> ProjectCall<'a> {
    /// Checks the arguments.
    ///
    /// # Errors
    /// When shapes are not those of the projection, dtypes differ or are not one to compute with, or a factor does not fit it.
    pub fn new(
        projection: &Projection,
        x: View<'a>,
        y: ViewMut<'a>,
        update: Update<'a>,
    ) -> Result<Self> {
        check::computable(NAME, y.dtype())?;
        check::dtype(NAME, "x", y.dtype(), x.dtype())?;
        let Some(range) = projection.range_of(x.shape()) else {
            let (axis, columns) = (projection.axis(), projection.columns());
            let why =
                format!("x has shape {:?}, expected {columns:?} from axis {axis} on", x.shape());
            return check::argument(NAME, why);
        };
        check::shape(NAME, "y", &range, y.shape())?;
        let factors = Factors::new(NAME, update, y.dtype())?;
        Ok(Self { projection: projection.clone(), x: x.into(), y: y.into(), factors })
    }

    pub(super) fn held(&mut self) -> ProjectCall<'_> {
        let (projection, x, factors) =
            (self.projection.clone(), self.x.held(), self.factors.held());
        ProjectCall { projection, x, y: self.y.held(), factors }
    }

    /// Whether there is nothing to sum and `y` is only scaled.
    pub(crate) fn is_cleared(&self) -> bool {
        self.x.layout().is_empty()
    }
}

/// The axes of an array that are not a projection's.
pub(crate) fn others(projection: &Projection, rank: usize) -> Vec<usize> {
    let own = projection.axis()..projection.axis() + projection.rows().len();
    (0..rank).filter(|axis| !own.contains(axis)).collect()
}

/// The extents and strides of a projection's axes: two of rows or lines, of which the first may be missing, and that along them.
pub(crate) fn own(projection: &Projection, layout: &Layout) -> [(usize, isize); 3] {
    let (first, count) = (projection.axis(), projection.rows().len());
    let axis = |number: usize| {
        let at = (number + count).checked_sub(3);
        at.map_or((1, 0), |at| (layout.shape()[first + at], layout.strides()[first + at]))
    };
    [axis(0), axis(1), axis(2)]
}

impl Verb for ProjectCall<'_> {
    fn name(&self) -> &'static str {
        NAME
    }

    fn for_each_operand(&self, visit: &mut dyn FnMut(OperandName, Access, &Operand<'_>)) {
        self.factors.visit_between(&self.x, &self.y, visit);
    }

    fn cost(&self) -> Cost {
        let dtype = self.y.dtype();
        let mut cost = cost::of_output(&self.y, self.factors.reads());
        cost.bytes_read += self.factors.bytes();
        if !self.is_cleared() && cost.launches > 0 {
            let others = others(&self.projection, self.x.layout().rank());
            let others = others.iter().map(|axis| self.x.shape()[*axis]).product();
            cost.bytes_read += cost::read([&self.x]) + self.projection.table_bytes(dtype);
            cost.flops = self.projection.cost(others, dtype).flops;
        }
        cost
    }
}

impl Operands for ProjectCall<'_> {
    fn move_operands(&mut self, moved: &Moved) {
        moved.read(&mut self.x);
        moved.written(&mut self.y);
        self.factors.move_operands(moved);
    }
}
