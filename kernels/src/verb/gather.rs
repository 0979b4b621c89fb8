//! A sparse matrix along an axis: elements picked by an index, with weights, and added.

use arrayspan_bridge::devices::Access;
use arrayspan_bridge::{DType, Layout, Operand, OperandMut, View, ViewMut};

use super::{OperandName, Verb, check};
use crate::factors::Factors;
use crate::plan::{Moved, Operands};
use crate::{Cost, Expression, Gather, Result, Update, cost};

const NAME: &str = "gather";

/// `y[…, j, …] ← alpha · Σₖ w[j, k] x[…, i[j, k], …] + beta · y[…, j, …]`: a [`Gather`] along its axes.
///
/// Arrays may hold `Float16` or `BFloat16`: arithmetic, and weights and factors, are those of `Float32` then, and results are
/// rounded once. What is only moved stays as it is.
#[derive(Debug)]
pub struct GatherCall<'a> {
    pub(crate) gather: Gather,
    pub(crate) x: Operand<'a>,
    pub(crate) y: OperandMut<'a>,
    pub(crate) factors: Factors<'a>,
}

/// Which axes of an array are those of a [`Gather`], and which are the others.
#[derive(Clone, Debug)]
pub(crate) struct Split {
    pub(crate) own: Vec<usize>,
    pub(crate) others: Vec<usize>,
}

impl<'a> GatherCall<'a> {
    /// Checks the arguments.
    ///
    /// # Errors
    /// When the shapes are not those between which the matrix maps, dtypes differ, or a weight or factor is complex and
    /// the dtype is not, or is too large for it.
    pub fn new(gather: &Gather, x: View<'a>, y: ViewMut<'a>, update: Update<'a>) -> Result<Self> {
        let computed = check::stored(NAME, y.dtype())?;
        check::dtype(NAME, "x", y.dtype(), x.dtype())?;
        let Some(range) = gather.range_of(x.shape()) else {
            let (axis, columns) = (gather.axis(), gather.columns());
            let why =
                format!("x has shape {:?}, expected {columns:?} from axis {axis} on", x.shape());
            return check::argument(NAME, why);
        };
        check::shape(NAME, "y", &range, y.shape())?;
        let factors = Factors::new(NAME, update, computed)?;
        gather.check(NAME, computed)?;
        Ok(Self { gather: gather.clone(), x: x.into(), y: y.into(), factors })
    }

    pub(super) fn held(&mut self) -> GatherCall<'_> {
        let (gather, x, factors) = (self.gather.clone(), self.x.held(), self.factors.held());
        GatherCall { gather, x, y: self.y.held(), factors }
    }

    /// What is left to do where the matrix has no entries, as a map of arrays of that dtype: `beta · y`, and the array that beta is
    /// read from if it is on the device.
    pub(crate) fn without_entries<'f>(
        gather: &Gather,
        dtype: DType,
        factors: &'f Factors<'_>,
    ) -> Option<(Expression, Option<&'f Operand<'f>>)> {
        (gather.is_zero() && dtype.is_computable()).then(|| factors.cleared())
    }
}

impl Split {
    /// The axes of an input of that rank.
    pub(crate) fn of_columns(gather: &Gather, rank: usize) -> Self {
        Self::new(gather.axis(), gather.columns().len(), rank)
    }

    /// The axes of a result of that rank.
    pub(crate) fn of_rows(gather: &Gather, rank: usize) -> Self {
        Self::new(gather.axis(), gather.rows().len(), rank)
    }

    fn new(first: usize, count: usize, rank: usize) -> Self {
        let own = first..first + count;
        Self { others: (0..rank).filter(|axis| !own.contains(axis)).collect(), own: own.collect() }
    }

    /// What a layout is along some axes, at the first index of all others.
    pub(crate) fn along(layout: &Layout, axes: &[usize]) -> Result<Layout> {
        let shape: Vec<usize> = axes.iter().map(|axis| layout.shape()[*axis]).collect();
        let strides = axes.iter().map(|axis| layout.strides()[*axis]).collect::<Vec<_>>();
        Ok(Layout::strided(shape, strides, layout.offset())?)
    }
}

impl Verb for GatherCall<'_> {
    fn name(&self) -> &'static str {
        NAME
    }

    fn for_each_operand(&self, visit: &mut dyn FnMut(OperandName, Access, &Operand<'_>)) {
        self.factors.visit_between(&self.x, &self.y, visit);
    }

    fn cost(&self) -> Cost {
        let mut cost = cost::of_output(&self.y, self.factors.reads());
        cost.launches *= self.gather.launches(self.x.shape());
        let others = Split::of_columns(&self.gather, self.x.layout().rank()).others;
        // Along an axis of stride 0 every index reads the same elements, which count once.
        let axes =
            others.iter().map(|axis| (self.x.shape()[*axis], self.x.layout().strides()[*axis]));
        let distinct =
            axes.map(|(extent, stride)| if stride == 0 { extent.min(1) } else { extent });
        let all: usize = others.iter().map(|axis| self.x.shape()[*axis]).product();
        let read = self.gather.cost(distinct.product(), self.y.dtype());
        cost.bytes_read += read.bytes_read + self.factors.bytes();
        cost.flops = self.gather.cost(all, self.y.dtype()).flops;
        cost
    }
}

impl Operands for GatherCall<'_> {
    fn move_operands(&mut self, moved: &Moved) {
        moved.read(&mut self.x);
        moved.written(&mut self.y);
        self.factors.move_operands(moved);
    }
}
