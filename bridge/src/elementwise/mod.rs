//! Arithmetic of arrays, as data: `&a + 2.0 * &b` computes nothing, it says what one pass over memory will compute.

mod functions;
mod leaves;
mod operators;

use std::fmt;

use num_complex::Complex64;
use smallvec::SmallVec;

use crate::View;
use crate::expression::{self, Expression};
pub use leaves::AsElementwise;

/// What one pass over memory computes of borrowed arrays, element by element: an [`Expression`] and its inputs.
///
/// Made by `+ - * /` of arrays, views and numbers (on either side, `f64` or `Complex64`) and by methods as
/// [`conj`](Self::conj). It is data: nothing is checked and nothing runs before it is computed. Then arrays broadcast as in
/// [`View::broadcast`]; 0-d arrays are numbers that stay on the device. All arrays have one dtype, but arrays of one element
/// may be of a wider real dtype (see [`Expression`]). Numbers of the host take the dtype of the arrays. A view that comes
/// several times is read once.
///
/// ```
/// use arrayspan_bridge::{Array, AsElementwise};
///
/// let a = Array::from_vec(vec![1.0, 2.0], [2])?;
/// let b = Array::from_vec(vec![3.0, 4.0], [2])?;
/// let value = &a + 2.0 * &b - a.as_elementwise().abs2();
/// assert_eq!(value.expression().operations(), 4);
/// assert_eq!(value.inputs().len(), 2);
/// # Ok::<(), arrayspan_bridge::Error>(())
/// ```
#[derive(Clone)]
pub struct Elementwise<'a> {
    expression: Expression,
    /// No two show the same elements.
    inputs: Vec<View<'a>>,
}

impl<'a> Elementwise<'a> {
    /// What the output holds before the pass. Only where there is one: in an update in place.
    #[must_use]
    pub fn previous() -> Self {
        Self { expression: expression::previous(), inputs: Vec::new() }
    }

    /// The expression; its input `i` is view `i` of [`inputs`](Self::inputs).
    #[must_use]
    pub fn expression(&self) -> &Expression {
        &self.expression
    }

    /// The arrays it is computed of, each once, in no particular order.
    #[must_use]
    pub fn inputs(&self) -> &[View<'a>] {
        &self.inputs
    }

    fn array(view: View<'a>) -> Self {
        Self { expression: expression::input(0), inputs: vec![view] }
    }

    fn number(value: impl Into<Complex64>) -> Self {
        Self { expression: expression::constant(value), inputs: Vec::new() }
    }

    /// What `function` makes of it.
    fn then(self, function: impl FnOnce(Expression) -> Expression) -> Self {
        Self { expression: function(self.expression), inputs: self.inputs }
    }

    /// What `function` makes of both. The shorter expression takes the numbers of the longer one's inputs, so that sums of
    /// many terms are not made anew with each.
    fn with(
        self,
        other: Self,
        function: impl FnOnce(Expression, Expression) -> Expression,
    ) -> Self {
        if self.expression.operations() < other.expression.operations() {
            let (a, inputs) = self.taken_into(other.inputs);
            return Self { expression: function(a, other.expression), inputs };
        }
        let (b, inputs) = other.taken_into(self.inputs);
        Self { expression: function(self.expression, b), inputs }
    }

    /// Its expression with the numbers that its inputs get in `inputs`, which takes those it does not have.
    fn taken_into(self, mut inputs: Vec<View<'a>>) -> (Expression, Vec<View<'a>>) {
        let Self { expression, inputs: own } = self;
        if inputs.is_empty() {
            return (expression, own);
        }
        let mut number = |view: View<'a>| {
            let known = inputs.iter().position(|known| known.is_same(&view));
            known.unwrap_or_else(|| {
                inputs.push(view);
                inputs.len() - 1
            })
        };
        let numbers: SmallVec<[usize; 4]> = own.into_iter().map(&mut number).collect();
        if numbers.iter().enumerate().all(|(before, after)| before == *after) {
            return (expression, inputs);
        }
        // Of no more inputs than it has, or it would not have been made.
        (expression.renumbered(|input| numbers.get(input).copied().unwrap_or(input)), inputs)
    }
}

impl fmt::Debug for Elementwise<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.expression)?;
        for (number, view) in self.inputs.iter().enumerate() {
            let before = if number == 0 { " of" } else { "," };
            let (shape, dtype, device) = (view.shape(), view.dtype(), view.device());
            write!(f, "{before} x{number} = {shape:?} {dtype} on {device}")?;
        }
        Ok(())
    }
}
