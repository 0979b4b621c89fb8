//! A batch of matrix products.

use arrayspan_bridge::devices::Access;
use arrayspan_bridge::{Operand, OperandMut, View, ViewMut};

use super::{OperandName, Verb, check};
use crate::factors::Factors;
use crate::plan::{Moved, Operands};
use crate::{Cost, Result, Update, cost};

const NAME: &str = "gemm";

/// `c ← alpha · a b + beta · c`, or with `conj(a)` for `a`; transposes are permuted views.
#[derive(Debug)]
pub struct GemmCall<'a> {
    /// `[m, k]` or `[batch, m, k]`.
    pub(crate) a: Operand<'a>,
    pub(crate) conjugate_a: bool,
    /// `[k, n]` or `[batch, k, n]`.
    pub(crate) b: Operand<'a>,
    /// `[m, n]` or `[batch, m, n]`.
    pub(crate) c: OperandMut<'a>,
    pub(crate) factors: Factors<'a>,
}

impl<'a> GemmCall<'a> {
    /// Checks the arguments: shapes `[m, k]`, `[k, n]`, `[m, n]`, or all three with the same batch in front.
    ///
    /// # Errors
    /// When shapes or dtypes do not fit together.
    pub fn new(
        a: View<'a>,
        conjugate_a: bool,
        b: View<'a>,
        c: ViewMut<'a>,
        update: Update<'a>,
    ) -> Result<Self> {
        check::computable(NAME, c.dtype())?;
        check::dtype(NAME, "a", c.dtype(), a.dtype())?;
        check::dtype(NAME, "b", c.dtype(), b.dtype())?;
        let factors = Factors::new(NAME, update, c.dtype())?;
        let fits = match (a.shape(), b.shape(), c.shape()) {
            ([m, k], [l, n], [p, q]) => k == l && m == p && n == q,
            ([x, m, k], [y, l, n], [z, p, q]) => x == y && y == z && k == l && m == p && n == q,
            _ => false,
        };
        if !fits {
            let (a, b, c) = (a.shape(), b.shape(), c.shape());
            return check::argument(NAME, format!("{a:?} times {b:?} does not give {c:?}"));
        }
        Ok(Self { a: a.into(), conjugate_a, b: b.into(), c: c.into(), factors })
    }

    pub(super) fn held(&mut self) -> GemmCall<'_> {
        let (a, b, factors) = (self.a.held(), self.b.held(), self.factors.held());
        GemmCall { a, conjugate_a: self.conjugate_a, b, c: self.c.held(), factors }
    }

    /// Batch, rows, columns and inner extent.
    pub(crate) fn extents(&self) -> [usize; 4] {
        match (self.a.shape(), self.c.shape()) {
            ([m, k], [_, n]) => [1, *m, *n, *k],
            ([batch, m, k], [_, _, n]) => [*batch, *m, *n, *k],
            _ => unreachable!("checked in `new`"),
        }
    }
}

impl Verb for GemmCall<'_> {
    fn name(&self) -> &'static str {
        NAME
    }

    fn for_each_operand(&self, visit: &mut dyn FnMut(OperandName, Access, &Operand<'_>)) {
        visit(OperandName::Named("a"), Access::Read, &self.a);
        visit(OperandName::Named("b"), Access::Read, &self.b);
        self.factors.visit(visit);
        visit(OperandName::Named("c"), Access::Write, self.c.as_operand());
    }

    fn cost(&self) -> Cost {
        let [batch, m, n, k] = self.extents();
        let written = batch * m * n * self.c.dtype().bytes();
        let previous = if self.factors.reads() { written } else { 0 };
        Cost {
            launches: usize::from(written > 0),
            bytes_read: cost::read([&self.a, &self.b]) + self.factors.bytes() + previous,
            bytes_written: written,
            // With broadcast axes (stride 0) the inner extent has no bound.
            flops: [2, batch, m, n, k].into_iter().fold(1, usize::saturating_mul),
        }
    }
}

impl Operands for GemmCall<'_> {
    fn move_operands(&mut self, moved: &Moved) {
        moved.read(&mut self.a);
        moved.read(&mut self.b);
        moved.written(&mut self.c);
        self.factors.move_operands(moved);
    }
}
