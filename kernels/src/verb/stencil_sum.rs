//! A sum of stencils of several inputs, with coefficient arrays, in one pass.

use arrayspan_bridge::devices::Access;
use arrayspan_bridge::{Operand, OperandMut, View, ViewMut};

use super::{OperandName, Stencil, Verb, check};
use crate::factors::Factors;
use crate::plan::{Moved, Operands};
use crate::{Cost, Result, Update, cost};

const NAME: &str = "stencil_sum";

/// An array that elements are multiplied by, or its complex conjugate. It broadcasts to the shape of the elements.
#[derive(Clone, Debug)]
pub struct Coefficients<'a> {
    /// The numbers.
    pub array: View<'a>,
    /// Whether it is their conjugates that are meant.
    pub conjugated: bool,
}

impl<'a> Coefficients<'a> {
    /// The numbers themselves.
    #[must_use]
    pub fn new(array: View<'a>) -> Self {
        Self { array, conjugated: false }
    }
}

/// One term of a sum: `after ⊙ stencil(before ⊙ x)`.
#[derive(Clone, Debug)]
pub struct StencilTerm<'a> {
    /// What is applied.
    pub stencil: Stencil,
    /// What it is applied to.
    pub x: View<'a>,
    /// What multiplies the input, if anything does.
    pub before: Option<Coefficients<'a>>,
    /// What multiplies the result, if anything does.
    pub after: Option<Coefficients<'a>>,
}

impl<'a> StencilTerm<'a> {
    /// The most terms of one pass: more would leave a thread few registers.
    pub const MOST: usize = 4;

    /// Without coefficients.
    #[must_use]
    pub fn new(stencil: &Stencil, x: View<'a>) -> Self {
        Self { stencil: stencil.clone(), x, before: None, after: None }
    }

    /// Whether it has coefficients.
    #[must_use]
    pub fn is_weighted(&self) -> bool {
        self.before.is_some() || self.after.is_some()
    }
}

/// `y ← alpha · Σᵢ afterᵢ ⊙ stencilᵢ(beforeᵢ ⊙ xᵢ) + beta · y`. Of 16-bit floats it is rounded as that of [`StencilCall`](super::StencilCall).
#[derive(Debug)]
pub struct StencilSumCall<'a> {
    pub(crate) terms: Vec<SummedTerm<'a>>,
    pub(crate) y: OperandMut<'a>,
    pub(crate) factors: Factors<'a>,
}

/// A term, checked. Coefficients have the shape of `x`.
#[derive(Debug)]
pub(crate) struct SummedTerm<'a> {
    pub(crate) stencil: Stencil,
    pub(crate) x: Operand<'a>,
    pub(crate) before: Option<Factor<'a>>,
    pub(crate) after: Option<Factor<'a>>,
}

/// Coefficients, checked and broadcast.
#[derive(Debug)]
pub(crate) struct Factor<'a> {
    pub(crate) array: Operand<'a>,
    pub(crate) conjugated: bool,
}

impl Factor<'_> {
    fn held(&self) -> Factor<'_> {
        Factor { array: self.array.held(), conjugated: self.conjugated }
    }
}

impl<'a> StencilSumCall<'a> {
    /// Checks the arguments: at most [`StencilTerm::MOST`] terms, all of the dtype of `y`. Inputs have its shape,
    /// coefficients broadcast to it.
    ///
    /// # Errors
    /// When there are too many terms; as [`StencilCall::new`](super::StencilCall::new) for each of them; when coefficients do
    /// not broadcast or have another dtype.
    pub fn new(terms: &[StencilTerm<'a>], y: ViewMut<'a>, update: Update<'a>) -> Result<Self> {
        let computed = check::stored(NAME, y.dtype())?;
        let factors = Factors::new(NAME, update, computed)?;
        let (count, most) = (terms.len(), StencilTerm::MOST);
        if count > most {
            return check::argument(NAME, format!("{count} terms, more than {most}"));
        }
        let (shape, dtype) = (y.shape(), y.dtype());
        let factor = |what: OperandName, given: &Option<Coefficients<'a>>| -> Result<_> {
            let Some(Coefficients { array, conjugated }) = given else { return Ok(None) };
            check::dtype(NAME, what, dtype, array.dtype())?;
            let array = super::map::broadcast(NAME, what, array, shape)?;
            // Of real numbers the conjugate is the same.
            Ok(Some(Factor { array, conjugated: *conjugated && dtype.is_complex() }))
        };
        let checked = terms.iter().enumerate().map(|(at, term)| {
            let x = OperandName::OfTerm("x", at);
            check::shape(NAME, x, shape, term.x.shape())?;
            check::dtype(NAME, x, dtype, term.x.dtype())?;
            term.stencil.check(NAME, shape, dtype)?;
            Ok(SummedTerm {
                stencil: term.stencil.clone(),
                x: term.x.clone().into(),
                before: factor(OperandName::OfTerm("before", at), &term.before)?,
                after: factor(OperandName::OfTerm("after", at), &term.after)?,
            })
        });
        let checked = checked.collect::<Result<_>>()?;
        Ok(Self { terms: checked, y: y.into(), factors })
    }

    pub(super) fn held(&mut self) -> StencilSumCall<'_> {
        let terms = self.terms.iter().map(SummedTerm::held).collect();
        StencilSumCall { terms, y: self.y.held(), factors: self.factors.held() }
    }
}

impl SummedTerm<'_> {
    fn held(&self) -> SummedTerm<'_> {
        SummedTerm {
            stencil: self.stencil.clone(),
            x: self.x.held(),
            before: self.before.as_ref().map(Factor::held),
            after: self.after.as_ref().map(Factor::held),
        }
    }

    /// Its arrays, and which of its arguments each is.
    pub(crate) fn arrays(&self) -> impl Iterator<Item = (&'static str, &Operand<'_>)> {
        let factors = [("before", &self.before), ("after", &self.after)].into_iter();
        let factors = factors.filter_map(|(name, factor)| Some((name, &factor.as_ref()?.array)));
        std::iter::once(("x", &self.x)).chain(factors)
    }
}

impl Verb for StencilSumCall<'_> {
    fn name(&self) -> &'static str {
        NAME
    }

    fn for_each_operand(&self, visit: &mut dyn FnMut(OperandName, Access, &Operand<'_>)) {
        for (at, term) in self.terms.iter().enumerate() {
            for (name, operand) in term.arrays() {
                visit(OperandName::OfTerm(name, at), Access::Read, operand);
            }
        }
        self.factors.visit(visit);
        visit(OperandName::Named("y"), Access::Write, self.y.as_operand());
    }

    /// An array that several terms read counts once.
    fn cost(&self) -> Cost {
        let len = self.y.layout().len();
        let mut seen: Vec<&Operand<'_>> = Vec::new();
        for (_, operand) in self.terms.iter().flat_map(SummedTerm::arrays) {
            if !seen.iter().any(|other| same(other, operand)) {
                seen.push(operand);
            }
        }
        let flops = self.terms.iter().map(|term| {
            let factors = usize::from(term.before.is_some()) + usize::from(term.after.is_some());
            term.stencil.flops(len).saturating_add(len.saturating_mul(factors))
        });
        let mut cost = cost::of_output(&self.y, self.factors.reads());
        cost.bytes_read += cost::read(seen) + self.factors.bytes();
        cost.flops = flops.fold(0, usize::saturating_add);
        cost
    }
}

impl Operands for StencilSumCall<'_> {
    fn move_operands(&mut self, moved: &Moved) {
        for term in &mut self.terms {
            moved.read(&mut term.x);
            let factors = term.before.iter_mut().chain(&mut term.after);
            factors.for_each(|factor| moved.read(&mut factor.array));
        }
        moved.written(&mut self.y);
        self.factors.move_operands(moved);
    }
}

/// Whether two arrays of one dtype are the same elements in the same order.
pub(crate) fn same(a: &Operand<'_>, b: &Operand<'_>) -> bool {
    a.memory().address() == b.memory().address() && a.layout() == b.layout()
}
