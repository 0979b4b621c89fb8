//! An operator of any kind, owned and cheap to clone.

use std::any::Any;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use num_complex::Complex64;

use super::node::{Facts, Kind, Node, Operator};
use super::text;
use crate::form::{Form, Orientation};
use crate::number::{self, Gain};
use crate::{LinearMap, Result, Space};

impl Operator {
    /// Takes an operator of which nothing but its two directions is known; an `Operator` is given back as it is. (A `From`
    /// for all operators cannot be: this is one.)
    pub fn new(map: impl LinearMap + 'static) -> Self {
        if let Some(operator) = (&map as &dyn Any).downcast_ref::<Self>() {
            return operator.clone();
        }
        let spaces = (map.domain().clone(), map.range().clone());
        let (devices, linear) = (map.devices(), map.properties().complex_linear);
        let form = Kind::Form(Form::Opaque(Arc::new(map)));
        let facts = Facts { linear, ..Facts::LEAF };
        Self::with(Node::new(form, Vec::new(), spaces, devices, facts))
    }

    /// An operator from `domain` to `range` that does what its form says, called `name` by errors.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use arrayspan_operators::kernels::bridge::{Array, DType, devices::Device};
    /// use arrayspan_operators::kernels::{Band, Stencil};
    /// use arrayspan_operators::prelude::*;
    ///
    /// /// `y[i, …] = x[i, …] + x[i-1, …]` along the first axis.
    /// fn echo(space: &Space) -> arrayspan_operators::Result<Operator> {
    ///     let len = space.extent("Echo", 0)?;
    ///     let stencil = Stencil::along(0, Band::uniform(len, [(0, 1.0), (-1, 1.0)]))?;
    ///     Operator::of("Echo", space.clone(), space.clone(), Form::Stencil(stencil))
    /// }
    ///
    /// let mut x = Array::empty([3], DType::Float64, &Device::cpu().stream()?)?;
    /// x.view_mut().as_mut_slice()?.copy_from_slice(&[1.0, 2.0, 4.0]);
    /// let y = echo(&Space::new([3], DType::Float64)?)?.forward(&x)?;
    /// assert_eq!(y.view().as_slice::<f64>()?, [1.0, 3.0, 6.0]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) when the spaces are not those of the form or their dtype is not one to
    /// compute with.
    pub fn of(
        name: impl Into<Cow<'static, str>>,
        domain: Space,
        range: Space,
        form: Form,
    ) -> Result<Self> {
        let name = name.into();
        form.check(&name, &domain, &range)?;
        let (devices, linear) = (form.devices(), form.is_complex_linear(&domain));
        let facts = Facts { linear, ..Facts::LEAF };
        let node = Node::new(Kind::Form(form), Vec::new(), (domain, range), devices, facts);
        Ok(Self::with(node.named(name)))
    }

    /// The same operator, called `name` by errors and in formulas.
    #[must_use]
    pub fn named(self, name: impl Into<Cow<'static, str>>) -> Self {
        Self::with(self.whole().named(name.into()))
    }

    /// As [`named`](Self::named), of an operator with `Aᴴ A = 1`: its inverse is its adjoint.
    pub(crate) fn named_isometry(self, name: &'static str) -> Self {
        Self::with(self.whole().named(name.into()).isometric())
    }

    /// A node that has it as its only part.
    fn whole(self) -> Node {
        let spaces = (self.domain().clone(), self.range().clone());
        let (facts, devices) = (self.facts(), self.devices());
        Node::new(Kind::Named, vec![self], spaces, devices, facts)
    }

    pub(super) fn with(node: Node) -> Self {
        let orientation = Orientation::default();
        Self { node: Arc::new(node), factor: 1.0.into(), orientation }
    }

    /// The same without its factor.
    pub(crate) fn without_factor(&self) -> Self {
        Self { factor: 1.0.into(), ..self.clone() }
    }

    /// Its adjoint, conjugate or transpose.
    pub(crate) fn turned(&self, turn: Orientation) -> Self {
        let factor = turn.factor(self.factor);
        Self { node: self.node.clone(), factor, orientation: turn.of(self.orientation) }
    }

    /// `conj(A)`: the operator whose matrix is the conjugate, `y = conj(A conj(x))`. Of real spaces it is the same.
    #[must_use]
    pub fn conj(&self) -> Self {
        self.turned(Orientation::CONJ)
    }

    /// `Aᵀ`, the conjugate of the adjoint.
    #[must_use]
    pub fn transpose(&self) -> Self {
        self.turned(Orientation::ADJOINT.of(Orientation::CONJ))
    }

    /// The operator times -1.
    pub(super) fn negated(&self) -> Self {
        Self { factor: -self.factor, ..self.clone() }
    }

    /// The operator times `factor`, which is real if its spaces are.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) when the factor, or its product with one that is there already,
    /// does not fit the dtype.
    pub(super) fn times(&self, factor: Complex64) -> Result<Self> {
        let (name, what) = (self.name(), format!("the factor {}", number::text(factor)));
        for dtype in [self.domain().dtype(), self.range().dtype()] {
            number::check(name, || what.clone(), factor, dtype)?;
        }
        for adjoint in [false, true] {
            let to = if adjoint { self.domain() } else { self.range() };
            self.gain(adjoint).times(factor).check(name, &what, to.dtype())?;
        }
        Ok(self.multiplied(factor))
    }

    /// The operator times a factor that is known to fit.
    pub(crate) fn multiplied(&self, factor: Complex64) -> Self {
        let whole = Self { factor: factor * self.factor, ..self.clone() };
        if whole.factor == Complex64::default() { whole.within() } else { whole }
    }

    /// The sum of nothing but this. Zero times an operator is that, so that it is rewritten to zero and reads nothing.
    fn within(self) -> Self {
        let spaces = (self.domain().clone(), self.range().clone());
        let facts = self.facts();
        let (devices, name) = (self.devices(), self.node.name.clone());
        let mut node = Node::new(Kind::Sum, vec![self], spaces, devices, facts);
        node.name = name;
        Self::with(node)
    }

    fn facts(&self) -> Facts {
        let gains = [false, true].map(|adjoint| self.gain(adjoint));
        Facts { gains, levels: self.levels(), linear: self.is_linear() }
    }

    /// The factors that an update meets on its way.
    pub(super) fn gain(&self, adjoint: bool) -> Gain {
        let adjoint = adjoint != self.orientation.adjoint;
        self.node.facts.gains[usize::from(adjoint)].times(self.factor)
    }

    /// Stacks and block diagonals within each other.
    pub(super) fn levels(&self) -> usize {
        self.node.facts.levels
    }

    /// Whether complex factors commute with it, as far as its parts tell.
    pub(crate) fn is_linear(&self) -> bool {
        self.node.facts.linear
    }

    pub(crate) fn node(&self) -> &Node {
        &self.node
    }

    pub(super) fn into_node(self) -> Arc<Node> {
        self.node
    }

    pub(crate) fn factor(&self) -> Complex64 {
        self.factor
    }

    pub(crate) fn orientation(&self) -> Orientation {
        self.orientation
    }
}

impl From<&Operator> for Operator {
    fn from(operator: &Operator) -> Self {
        operator.clone()
    }
}

impl fmt::Debug for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        text::write(self, f)
    }
}
