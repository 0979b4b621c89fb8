//! What the compositions are made of.

use num_complex::Complex64;

use arrayspan_operators::{
    Diagonal, Edge, FirstDerivative, Identity, MatrixMult, Operator, Result, Scheme,
    SecondDerivative,
};

use super::space;
use crate::suite::{Cell, Values};

/// Values in a model of [`first`] and [`second`].
pub(super) const MODEL: usize = 21;

/// A derivative along axis 0 of a `[7, 3]` model. Not symmetric.
pub(super) fn first(cell: &Cell) -> Result<Operator> {
    let space = space(cell, &[7, 3])?;
    FirstDerivative::new(space, 0, 0.5, Scheme::Forward, Edge::Zero)
}

/// A derivative along axis 1 of a `[7, 3]` model.
pub(super) fn second(cell: &Cell) -> Result<Operator> {
    let space = space(cell, &[7, 3])?;
    SecondDerivative::new(space, 1, 1.0, Scheme::Centered3, Edge::Zero)
}

/// A `[5, 7]` matrix on a `[7, 3]` model, held on the cell's device.
pub(super) fn matrix(cell: &Cell) -> Result<Operator> {
    let values = Values::random(&space(cell, &[5, 7])?, 23);
    MatrixMult::new(cell.array(&values)?.into_shared(), &[3])
}

/// Weights of a `[7, 3]` model, held on the cell's device.
pub(super) fn weights(cell: &Cell) -> Result<Operator> {
    let space = space(cell, &[7, 3])?;
    Diagonal::new(space.clone(), cell.array(&Values::random(&space, 29))?.into_shared())
}

/// A multiple of the identity on a `[7, 3]` model; a complex one where the cell is complex.
pub(super) fn multiple(cell: &Cell) -> Result<Operator> {
    let imaginary = if cell.dtype.is_complex() { 0.5 } else { 0.0 };
    (Complex64::new(-1.5, imaginary) * Identity::new(space(cell, &[7, 3])?)?).build()
}

/// Keeps the `[5, 2]` corner of a `[7, 3]` model.
pub(super) fn corner(cell: &Cell) -> Result<Operator> {
    let corner = Identity::rectangular(space(cell, &[7, 3])?, space(cell, &[5, 2])?)?;
    Ok(Operator::new(corner))
}
