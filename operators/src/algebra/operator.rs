//! An operator of any kind, owned and cheap to clone.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{View, ViewMut};
use arrayspan_kernels::Update;
use num_complex::Complex64;

use super::pair::Pair;
use super::vstack::Stack;
use super::{formula, run};
use crate::number::{self, Gain};
use crate::{Context, LinearMap, Result, Space};

/// An operator of any kind: a multiple of a [`LinearMap`] or of its adjoint. Cheap to clone.
///
/// This is what the algebra takes and gives: `a + b`, `a - b`, `-a`, `2.0 * a`,
/// [`a.after(b)`](crate::LinearOperator::after), [`adjoint`](fn@crate::adjoint), [`vstack`](crate::vstack),
/// [`hstack`](crate::hstack), [`block_diagonal`](crate::block_diagonal). Sums and products may have any number of terms
/// and factors, nested in any way. Its `Debug` is its formula.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::kernels::bridge::DType;
/// use arrayspan_operators::prelude::*;
/// let space = Space::new([201, 64], DType::Float32)?;
/// let slope = FirstDerivative::new(space.clone(), 0, 0.004, Scheme::Centered3, Edge::Zero)?;
/// let misfit = (Operator::new(slope.clone()) - Identity::new(space)?)?;
/// let regularized = vstack([misfit, (0.1 * Operator::new(slope))?])?;
/// assert_eq!(regularized.range().shape(), [402, 64]);
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Operator {
    pub(super) node: Node,
    pub(super) factor: Complex64,
    pub(super) adjoint: bool,
    facts: Facts,
}

/// What an [`Operator`] is a multiple of.
#[derive(Clone)]
pub(super) enum Node {
    Map(Arc<dyn LinearMap>),
    Stack(Arc<Stack>),
    Pair(Arc<Pair>),
}

/// How a node is applied.
pub(super) enum Made<'a> {
    /// By itself.
    Whole(&'a dyn LinearMap),
    /// Part by part.
    OfTwo(&'a Pair),
}

impl Node {
    pub(super) fn made(&self) -> Made<'_> {
        match self {
            Self::Map(map) => Made::Whole(&**map),
            Self::Stack(stack) => Made::Whole(&**stack),
            Self::Pair(pair) => Made::OfTwo(pair),
        }
    }
}

/// What is known of a node without looking into it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facts {
    /// The factors that an update meets on its way, forward and adjoint.
    pub(super) gains: [Gain; 2],
    /// Stacks and block diagonals within each other.
    pub(super) levels: usize,
}

impl Facts {
    /// Those of an operator that is not made of others.
    pub(super) const LEAF: Self = Self { gains: [Gain::ONE; 2], levels: 0 };
}

impl Operator {
    /// Takes an operator; an `Operator` is given back as it is. (A `From` for all operators cannot be: this is one.)
    pub fn new(map: impl LinearMap + 'static) -> Self {
        if let Some(operator) = (&map as &dyn Any).downcast_ref::<Self>() {
            return operator.clone();
        }
        Self::with(Node::Map(Arc::new(map)), Facts::LEAF)
    }

    pub(super) fn with(node: Node, facts: Facts) -> Self {
        Self { node, factor: 1.0.into(), adjoint: false, facts }
    }

    /// The adjoint.
    pub(super) fn into_adjoint(self) -> Self {
        Self { factor: self.factor.conj(), adjoint: !self.adjoint, ..self }
    }

    /// The operator times -1.
    pub(super) fn negated(self) -> Self {
        Self { factor: -self.factor, ..self }
    }

    /// The operator times `factor`, which is real if its spaces are.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) when the factor, or its product with one that is there already,
    /// does not fit the dtype.
    pub(super) fn times(self, factor: Complex64) -> Result<Self> {
        let (name, what) = (self.name(), format!("the factor {}", number::text(factor)));
        for dtype in [self.domain().dtype(), self.range().dtype()] {
            number::check(name, || what.clone(), factor, dtype)?;
        }
        self.check(false, &what, factor)?;
        self.check(true, &what, factor)?;
        Ok(Self { factor: factor * self.factor, ..self })
    }

    /// The operator times a factor that is known to fit.
    pub(super) fn multiplied(&self, factor: Complex64) -> Self {
        Self { factor: factor * self.factor, ..self.clone() }
    }

    /// The factors that an update meets on its way.
    pub(super) fn gain(&self, adjoint: bool) -> Gain {
        self.facts.gains[usize::from(adjoint != self.adjoint)].times(self.factor)
    }

    /// Stacks and block diagonals within each other.
    pub(super) fn levels(&self) -> usize {
        self.facts.levels
    }

    /// Fails unless `factor`, which `what` names, can be applied to the results of all parts.
    fn check(&self, adjoint: bool, what: &str, factor: Complex64) -> Result<()> {
        let to = if adjoint { self.domain() } else { self.range() };
        self.gain(adjoint).times(factor).check(self.name(), what, to.dtype())
    }
}

impl LinearMap for Operator {
    fn name(&self) -> &'static str {
        match self.node.made() {
            Made::Whole(map) => map.name(),
            Made::OfTwo(pair) => pair.name(),
        }
    }

    fn domain(&self) -> &Space {
        match self.node.made() {
            Made::Whole(map) if self.adjoint => map.range(),
            Made::Whole(map) => map.domain(),
            Made::OfTwo(pair) => pair.space(self.adjoint),
        }
    }

    fn range(&self) -> &Space {
        match self.node.made() {
            Made::Whole(map) if self.adjoint => map.domain(),
            Made::Whole(map) => map.range(),
            Made::OfTwo(pair) => pair.space(!self.adjoint),
        }
    }

    fn enqueue(&self, on: Context<'_>, x: View<'_>, y: ViewMut<'_>, update: Update) -> Result<()> {
        self.check(false, "alpha", update.alpha)?;
        run::run(self, false, on, x, y, update)
    }

    fn enqueue_adjoint(
        &self,
        on: Context<'_>,
        y: View<'_>,
        x: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        self.check(true, "alpha", update.alpha)?;
        run::run(self, true, on, y, x, update)
    }

    fn workspace(&self) -> usize {
        match self.node.made() {
            Made::Whole(map) => map.workspace(),
            Made::OfTwo(pair) => pair.workspace(),
        }
    }

    fn device(&self) -> Option<Device> {
        match self.node.made() {
            Made::Whole(map) => map.device(),
            Made::OfTwo(pair) => pair.device(),
        }
    }
}

impl fmt::Debug for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        formula::write(self, f)
    }
}
