//! An operator of any kind, owned and cheap to clone.

use std::any::Any;
use std::sync::Arc;

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{View, ViewMut};
use arrayspan_kernels::Update;
use num_complex::Complex64;

use crate::{Context, LinearMap, Result, Space};

/// An operator of any kind: a multiple of a [`LinearMap`] or of its adjoint. Cheap to clone.
///
/// This is what the algebra takes and gives: `a + b`, `a - b`, `-a`, `2.0 * a`,
/// [`a.after(b)`](crate::LinearOperator::after), [`adjoint`](fn@crate::adjoint), [`vstack`](crate::vstack),
/// [`hstack`](crate::hstack), [`block_diagonal`](crate::block_diagonal).
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::kernels::bridge::DType;
/// use arrayspan_operators::prelude::*;
/// let space = Space::new([201, 64], DType::Float32);
/// let slope = FirstDerivative::new(space.clone(), 0, 0.004, Scheme::Centered3, Edge::Zero)?;
/// let misfit = (Operator::new(slope.clone()) - Identity::new(space)?)?;
/// let regularized = vstack([misfit, 0.1 * Operator::new(slope)])?;
/// assert_eq!(regularized.range().shape(), [402, 64]);
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Operator {
    map: Arc<dyn LinearMap>,
    factor: Complex64,
    adjoint: bool,
}

impl Operator {
    /// Takes an operator; an `Operator` is given back as it is. (A `From` for all operators cannot be: this is one.)
    pub fn new(map: impl LinearMap + 'static) -> Self {
        if let Some(operator) = (&map as &dyn Any).downcast_ref::<Self>() {
            return operator.clone();
        }
        Self { map: Arc::new(map), factor: 1.0.into(), adjoint: false }
    }

    /// The adjoint.
    pub(super) fn into_adjoint(self) -> Self {
        Self { factor: self.factor.conj(), adjoint: !self.adjoint, ..self }
    }

    /// The operator times `factor`, which its spaces can hold.
    pub(super) fn times(self, factor: Complex64) -> Self {
        Self { factor: factor * self.factor, ..self }
    }
}

impl LinearMap for Operator {
    fn name(&self) -> &'static str {
        self.map.name()
    }

    fn domain(&self) -> &Space {
        if self.adjoint { self.map.range() } else { self.map.domain() }
    }

    fn range(&self) -> &Space {
        if self.adjoint { self.map.domain() } else { self.map.range() }
    }

    fn enqueue(&self, on: Context<'_>, x: View<'_>, y: ViewMut<'_>, update: Update) -> Result<()> {
        let update = update.scaled(self.factor);
        if self.adjoint {
            self.map.enqueue_adjoint(on, x, y, update)
        } else {
            self.map.enqueue(on, x, y, update)
        }
    }

    fn enqueue_adjoint(
        &self,
        on: Context<'_>,
        y: View<'_>,
        x: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        let update = update.scaled(self.factor.conj());
        if self.adjoint {
            self.map.enqueue(on, y, x, update)
        } else {
            self.map.enqueue_adjoint(on, y, x, update)
        }
    }

    fn workspace(&self) -> usize {
        self.map.workspace()
    }

    fn device(&self) -> Option<Device> {
        self.map.device()
    }
}
