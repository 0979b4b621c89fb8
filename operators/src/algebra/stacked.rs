//! Operators on stacks of arrays: many right-hand sides at once.

use arrayspan_bridge::{Array, AsView};

use super::lift::{Around, lifted};
use crate::{Error, LinearMap, LinearOperator, Operator, Result, adjoint};

/// Where the axis of a stack of arrays is, and how many arrays it has. [`Operator::lifted`] makes an operator one that does to
/// each of them what it does to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lift {
    /// `[count, …]`: `I ⊗ A`, the arrays one after the other.
    Leading(usize),
    /// `[…, count]`: `A ⊗ I`, the arrays beside each other, as the columns of a matrix are.
    Trailing(usize),
}

impl Lift {
    /// How many arrays there are.
    #[must_use]
    pub fn count(self) -> usize {
        match self {
            Self::Leading(count) | Self::Trailing(count) => count,
        }
    }
}

impl Operator {
    /// The operator that does to each of several arrays, stacked along a new first or last axis, what this does to one:
    /// `I ⊗ A` or `A ⊗ I`.
    ///
    /// Forms do it in one pass over all arrays, and it is rewritten and compiled as any other operator, so that it has as many
    /// launches as this has. [Opaque](crate::Form::Opaque) parts are applied to one array after the other, unless they
    /// [say how](LinearMap::batched) to do it at once, as [`Regression`](crate::Regression) does. It is for many
    /// right-hand sides at once, also in solvers, which take it as the one system that it is.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use arrayspan_operators::kernels::bridge::DType;
    /// use arrayspan_operators::prelude::*;
    /// let space = Space::new([50, 40], DType::Float32)?;
    /// let slope = FirstDerivative::new(space, 0, 1.0, Scheme::Forward, Edge::Zero)?;
    /// let many = slope.lifted(Lift::Leading(8))?;
    /// assert_eq!(many.range().shape(), [8, 50, 40]);
    /// assert_eq!(many.cost(false).map(|cost| cost.launches), Some(1));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::TooLarge`] when a stack of models, of data or of what is between them cannot be addressed.
    pub fn lifted(&self, lift: Lift) -> Result<Self> {
        let around = match &lift {
            Lift::Leading(count) => Around { before: std::slice::from_ref(count), behind: &[] },
            Lift::Trailing(count) => Around { before: &[], behind: std::slice::from_ref(count) },
        };
        lifted("lifted", self, around)
    }

    /// `A X`: what it gives for each of several models, `[domain…, count]`, the columns of a matrix; data are
    /// `[range…, count]`. One batched pass where forms allow it (see [`lifted`](Self::lifted)). Enqueued; does not wait.
    ///
    /// The operator is lifted and compiled anew each time, some microseconds for each of its parts: what is applied often had
    /// better be lifted once.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use arrayspan_operators::kernels::bridge::{Array, DType};
    /// use arrayspan_operators::prelude::*;
    /// let sum = SumAlong::new(Space::new([3], DType::Float64)?, 0)?;
    /// let x = Array::from_slice(&[1.0, 10.0, 2.0, 20.0, 4.0, 40.0], [3, 2])?;
    /// assert_eq!(sum.matmat(&x)?.view().as_slice::<f64>()?, [7.0, 70.0]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] unless the models have one axis behind those of the domain; as
    /// [`forward`](LinearOperator::forward) and [`lifted`](Self::lifted).
    #[track_caller]
    pub fn matmat(&self, x: impl AsView) -> Result<Array> {
        let (x, own) = (x.as_view(), self.domain().shape());
        match x.shape() {
            [others @ .., count] if others.len() == own.len() => {
                self.lifted(Lift::Trailing(*count))?.forward(x)
            }
            found => {
                let count = found.get(own.len()).copied().unwrap_or(1);
                let (expected, found) = ([own, &[count]].concat(), found.to_vec());
                let (operator, argument) = (self.name().to_owned(), "stack of models");
                Err(Error::Shape { operator, argument, expected, found })
            }
        }
    }

    /// `Aᴴ Y`: what its adjoint gives for each of several data, `[range…, count]`. See [`matmat`](Self::matmat).
    ///
    /// # Errors
    /// As [`matmat`](Self::matmat).
    #[track_caller]
    pub fn rmatmat(&self, y: impl AsView) -> Result<Array> {
        adjoint(self).matmat(y)
    }
}
