//! Arithmetic of arrays, as data: `&a + 2.0 * &b` computes nothing, it says what one pass over memory will compute.

mod functions;
mod inputs;
mod leaves;
mod operators;
mod term;

use std::borrow::Cow;
use std::fmt;

use num_complex::Complex64;
use smallvec::SmallVec;

use crate::View;
use crate::expression::{self, Expression};
use inputs::{Input, Inputs};
pub use leaves::AsElementwise;
pub use term::Term;

/// What one pass over memory computes of arrays, element by element: an [`Expression`] and its inputs.
///
/// Made by `+ - * /` of arrays, views and numbers (on either side, `f64` or `Complex64`) and by methods as
/// [`conj`](Self::conj). It is data: nothing is checked and nothing runs before it is computed. Then arrays broadcast as in
/// [`View::broadcast`]; 0-d arrays are numbers that stay on the device. All arrays have one dtype, but arrays of one element
/// may be of a wider real dtype (see [`Expression`]). Numbers of the host take the dtype of the arrays. An array that comes
/// several times is read once.
///
/// Arrays are borrowed (`&y - &x`) or taken over (`&y - operator.forward(&x)?`), in any mixture. One that is taken over is
/// neither copied nor written; its memory is given back with the value, once all work that reads it is done. Clones of the
/// value share it.
///
/// On GPUs one pass takes 31 arrays beside the one that is written, and more are refused: a launch has 64 arguments, two for each
/// array and one for each number (two for a complex one).
/// More are refused ([`Unsupported`](arrayspan_devices::Error::Unsupported)) before anything is written; sums of more are
/// computed in parts.
///
/// ```
/// use arrayspan_bridge::{Array, AsElementwise};
///
/// let a = Array::from_vec(vec![1.0, 2.0], [2])?;
/// let b = Array::from_vec(vec![3.0, 4.0], [2])?;
/// let value = &a + 2.0 * &b - a.as_elementwise().abs2();
/// assert_eq!(value.expression().operations(), 4);
/// assert_eq!(value.inputs().len(), 2);
/// let value = value / Array::from_vec(vec![5.0, 6.0], [2])?; // an array that nobody needs afterwards
/// assert_eq!(value.inputs().len(), 3);
/// # Ok::<(), arrayspan_bridge::Error>(())
/// ```
#[derive(Clone)]
#[must_use = "nothing runs before it is computed, reduced or written over an array"]
pub struct Elementwise<'a> {
    expression: Expression,
    inputs: Inputs<'a>,
}

impl<'a> Elementwise<'a> {
    /// What the output holds before the pass. Only where there is one: in an update in place.
    pub fn previous() -> Self {
        Self { expression: expression::previous(), inputs: Inputs::default() }
    }

    /// The expression; its input `i` is view `i` of [`inputs`](Self::inputs).
    #[must_use]
    pub fn expression(&self) -> &Expression {
        &self.expression
    }

    /// The arrays it is computed of, each once, in no particular order.
    #[must_use]
    pub fn inputs(&self) -> Cow<'_, [View<'_>]> {
        self.inputs.views()
    }

    fn array(array: impl Into<Input<'a>>) -> Self {
        Self { expression: expression::input(0), inputs: Inputs::one(array) }
    }

    fn number(value: impl Into<Complex64>) -> Self {
        Self { expression: expression::constant(value), inputs: Inputs::default() }
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
    fn taken_into(self, mut inputs: Inputs<'a>) -> (Expression, Inputs<'a>) {
        let Self { expression, inputs: own } = self;
        if inputs.len() == 0 {
            return (expression, own);
        }
        let numbers: SmallVec<[usize; 4]> = own.each().map(|input| inputs.number(input)).collect();
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
        for (number, view) in self.inputs().iter().enumerate() {
            let before = if number == 0 { " of" } else { "," };
            let (shape, dtype, device) = (view.shape(), view.dtype(), view.device());
            write!(f, "{before} x{number} = {shape:?} {dtype} on {device}")?;
        }
        Ok(())
    }
}
