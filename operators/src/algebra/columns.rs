//! Operators on some elements of their models.

use arrayspan_kernels::Gather;

use crate::{Error, Form, LinearMap, Operator, Result, Space, adjoint};

impl Operator {
    /// `A[:, columns]`: the operator on those elements of a model, by their numbers in row-major order, all others being zero;
    /// domain `[columns.len()]`.
    ///
    /// It is `A` after the adjoint of a restriction, so that it is one pass where these become one. Columns may repeat, and need no
    /// order. Its adjoint is the elements at `columns` of `Aᴴ y`.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use arrayspan_operators::kernels::bridge::{Array, DType};
    /// use arrayspan_operators::prelude::*;
    /// let sum = SumAlong::new(Space::new([2, 3], DType::Float64)?, 0)?;
    /// let some = sum.columns([0, 4, 1])?;
    /// let y = some.forward(&Array::from_slice(&[1.0, 2.0, 4.0], [3])?)?;
    /// assert_eq!(y.view().as_slice::<f64>()?, [1.0, 6.0, 0.0]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::Parameter`] for a column that there is not, [`Error::TooLarge`] when more are named than can be addressed.
    ///
    /// Golden: PyLops 2.8.0 `LinearOperator.apply_columns`.
    pub fn columns(&self, columns: impl AsRef<[usize]>) -> Result<Self> {
        let (columns, domain) = (columns.as_ref(), self.domain());
        if let Some(at) = columns.iter().position(|column| *column >= domain.len()) {
            let (column, all) = (columns[at], domain.len());
            let why = format!(
                "column {column}, number {at}, is not below {all}, the elements of {domain}"
            );
            return Error::parameter(self.name(), why);
        }
        let some = Space::of(self.name(), [columns.len()], domain.dtype())?;
        let starts = (0..=columns.len()).collect();
        // A model without axes is one element.
        let extents = if domain.shape().is_empty() { &[1] } else { domain.shape() };
        let rows = [columns.len()];
        let picked = Gather::new(0, &rows, extents, starts, columns.to_vec(), None)?;
        let from = Space::of(self.name(), extents, domain.dtype())?;
        let picked = Self::of("columns", from, some, Form::Gather(picked))?;
        if domain.shape().is_empty() {
            let map = crate::form::IndexMap::from_pieces("columns", &[1], &[], &[], &[0])?;
            let alone =
                Self::of("columns", picked.domain().clone(), domain.clone(), Form::Index(map))?;
            return self.after(alone.after(adjoint(picked))).build();
        }
        self.after(adjoint(picked)).build()
    }
}
