//! The identity, also between spaces of different extents.

use crate::form::index::{AxisMap, IndexMap, Piece};
use crate::{Error, Form, Operator, Result, Space};

/// `y = x`, or the part of `x` that fits, with zeros where there is no `x`; domain and range may differ
/// in extents, not in rank or dtype.
///
/// Along each axis the first elements are kept: a shorter range truncates, a longer one pads with zeros at
/// the end; the adjoint does the opposite. Units: those of `x`. Complex: linear. Cost: 1 launch; 2 values moved per element
/// kept, 1 per zero (test `bytes::identity`).
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::kernels::bridge::DType;
/// use arrayspan_operators::prelude::*;
/// let crop = Identity::rectangular(
///     Space::new([6, 4], DType::Float32)?,
///     Space::new([5, 4], DType::Float32)?,
/// )?;
/// assert_eq!(crop.range().shape(), [5, 4]);
/// # Ok(()) }
/// ```
///
/// Golden: PyLops 2.8.0 `Identity`, which refuses to truncate one axis while it pads another.
#[derive(Debug)]
pub struct Identity(());

impl Identity {
    const NAME: &str = "Identity";

    /// `y = x` in `space`.
    ///
    /// # Errors
    /// [`Error::Parameter`] when the dtype is not one to compute with or to move.
    pub fn new(space: Space) -> Result<Operator> {
        Self::rectangular(space.clone(), space)
    }

    /// `y = x` where both spaces have elements, zero elsewhere.
    ///
    /// # Errors
    /// [`Error::Parameter`] when the dtype is not one to compute with or to move; [`Error::Spaces`] when the spaces
    /// differ in rank or dtype.
    pub fn rectangular(domain: Space, range: Space) -> Result<Operator> {
        domain.stored(Self::NAME)?;
        range.stored(Self::NAME)?;
        if domain.dtype() != range.dtype() || domain.shape().len() != range.shape().len() {
            let which = "rank or dtype of domain and range";
            return Err(Error::spaces(Self::NAME, which, &domain, &range));
        }
        if domain == range {
            return Operator::of(Self::NAME, domain, range, Form::Identity);
        }
        let extents = domain.shape().iter().zip(range.shape()).enumerate();
        let axes: Vec<AxisMap> = extents
            .map(|(axis, (&from, &to))| {
                let kept = from.min(to);
                let pieces = [Piece::reads(0, kept, 0, 1), Piece::zeros(kept, to)];
                AxisMap::new(Some(axis), pieces)
            })
            .collect();
        let held = vec![0; axes.len()];
        let map = IndexMap::from_pieces(Self::NAME, domain.shape(), range.shape(), &axes, &held)?;
        Operator::of(Self::NAME, domain, range, Form::Index(map))
    }
}
