//! Kronecker products.

use super::Formula;
use super::lift::{Around, lifted};
use crate::{Error, LinearMap, Operator, Result};

/// `(A ⊗ B) x`: `A` along the first axes of `x` and `B` along the last ones, `Y = A X Bᵀ` of matrices; domain `[A's…, B's…]`, range
/// likewise.
///
/// It is the product of `A ⊗ I` and `I ⊗ B`, in the order that takes fewer multiplications of matrices. Each of both is what its
/// operator is, along other axes: a matrix is a batch of products, bands, weights, index maps and sparse matrices are what they
/// were and are rewritten with each other, sums, products and stacks are those of their parts. Only an opaque operator is
/// applied to one slice after the other. Units: those of `A` times those of `B`. Complex: linear. Cost: that of both factors and an
/// array between them (test `bytes::kronecker`).
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::kernels::bridge::{Array, DType};
/// use arrayspan_operators::prelude::*;
/// let a = MatrixMult::new(Array::from_slice(&[1.0, 2.0], [1, 2])?, &[])?;
/// let sum = SumAlong::new(Space::new([3], DType::Float64)?, 0)?;
/// let both = Kronecker::new(&a, &sum)?;
/// let x = Array::from_slice(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [2, 3])?;
/// assert_eq!(both.forward(&x)?.view().as_slice::<f64>()?, [6.0 + 2.0 * 15.0]);
/// # Ok(()) }
/// ```
///
/// Golden: PyLops 2.8.0 `Kronecker`.
#[derive(Debug)]
pub struct Kronecker(());

impl Kronecker {
    const NAME: &str = "Kronecker";

    /// The Kronecker product of two operators.
    ///
    /// # Errors
    /// The first error of `a` and `b`; [`Error::Spaces`] when dtypes differ, [`Error::Devices`] when they live on different devices;
    /// [`Error::Parameter`] when one is [linear over the real numbers only](crate::Properties) on complex models;
    /// [`Error::TooLarge`] when a space cannot be addressed.
    pub fn new(a: impl Into<Formula>, b: impl Into<Formula>) -> Result<Operator> {
        let (a, b) = (a.into().build()?, b.into().build()?);
        let spaces = [a.domain(), a.range(), b.domain(), b.range()];
        if let Some(other) = spaces.iter().find(|space| space.dtype() != a.domain().dtype()) {
            let which = format!("dtypes of {} and {}", a.name(), b.name());
            return Err(Error::spaces(Self::NAME, which, a.domain(), other));
        }
        for operator in [&a, &b] {
            if !operator.is_complex_linear() {
                let why = format!("{} is linear over the real numbers only", operator.name());
                return Error::parameter(Self::NAME, why);
            }
        }
        let first = |own| Around { before: &[], behind: own };
        let last = |own| Around { before: own, behind: &[] };
        let [from, to] = [a.domain().shape(), a.range().shape()];
        let [source, target] = [b.domain().shape(), b.range().shape()];
        // As if both were matrices: what `b` makes first is wider by its range, what `a` makes by its own.
        let [rows_a, columns_a] = [a.range().len(), a.domain().len()].map(|len| len as f64);
        let [rows_b, columns_b] = [b.range().len(), b.domain().len()].map(|len| len as f64);
        let b_first = columns_a * rows_b * (columns_b + rows_a);
        let a_first = rows_a * columns_b * (columns_a + rows_b);
        let product = if b_first <= a_first {
            let inner = lifted(Self::NAME, &b, last(from))?;
            lifted(Self::NAME, &a, first(target))?.after(inner)
        } else {
            let inner = lifted(Self::NAME, &a, first(source))?;
            lifted(Self::NAME, &b, last(to))?.after(inner)
        };
        Ok(product.build()?.named(Self::NAME))
    }
}
