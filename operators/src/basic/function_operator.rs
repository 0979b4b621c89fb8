//! Operators of functions.

use std::fmt;

use arrayspan_bridge::{View, ViewMut};
use arrayspan_kernels::Update;

use crate::{Context, Error, LinearMap, Operator, Properties, Result, Space, scratch_bytes};

/// What a direction does: `y ← A x`, enqueued by the context.
type Function = Box<dyn Fn(Context<'_>, View<'_>, ViewMut<'_>) -> Result<()> + Send + Sync>;

/// `y = f(x)` and `x = g(y)`: an operator of two functions that write over their output; domain and range as given.
///
/// Each is told a [`Context`], whose verbs it calls, what it reads and what it writes, which fit the spaces, are where the
/// context computes and have any strides. What is in the output before is unspecified, and all of it has to be written. A
/// function enqueues and does not wait; all that it does it asks of the context, as a [`LinearMap`] does, so that plans can
/// keep it. Errors of the functions' own are [`Error::function`]. That the functions are linear, and each other's adjoint, their
/// author has to know: [`laws::check`](crate::laws::check) tries it.
///
/// Units: those of `f`. Complex: linear, or [real-linear](Self::real_linear). Cost: that of the functions (test
/// `bytes::function_operator`); an update that is not `y = f(x)` takes 1 launch and a workspace of one array more. Where that is
/// too much, write a [`LinearMap`], which is given the update.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::author::*;
/// use arrayspan_operators::kernels::bridge::Array;
/// use arrayspan_operators::prelude::FunctionOperator;
///
/// let space = Space::new([3], DType::Float64)?;
/// let backwards = FunctionOperator::self_adjoint(space, |on, x, y| {
///     Ok(on.copy(x.reversed(0)?, y, Update::set())?)
/// })?;
/// let y = backwards.forward(&Array::from_slice(&[1.0, 2.0, 4.0], [3])?)?;
/// assert_eq!(y.view().as_slice::<f64>()?, [4.0, 2.0, 1.0]);
/// assert!(laws::check(&backwards)?.holds());
/// # Ok(()) }
/// ```
///
/// Golden: PyLops 2.8.0 `FunctionOperator`, whose functions are of flat arrays.
#[derive(Debug)]
pub struct FunctionOperator(());

impl FunctionOperator {
    const NAME: &str = "FunctionOperator";

    /// From `domain` to `range` by `forward`, and back by `adjoint`.
    ///
    /// # Errors
    /// [`Error::Parameter`] when a dtype is not one to compute with.
    pub fn new(
        domain: Space,
        range: Space,
        forward: impl Fn(Context<'_>, View<'_>, ViewMut<'_>) -> Result<()> + Send + Sync + 'static,
        adjoint: impl Fn(Context<'_>, View<'_>, ViewMut<'_>) -> Result<()> + Send + Sync + 'static,
    ) -> Result<Operator> {
        let adjoint = Some(Box::new(adjoint) as Function);
        Ok(Operator::new(Functions::new([domain, range], Box::new(forward), adjoint)?))
    }

    /// As [`new`](Self::new), of functions that are linear over the real numbers only (see [`Properties`]).
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn real_linear(
        domain: Space,
        range: Space,
        forward: impl Fn(Context<'_>, View<'_>, ViewMut<'_>) -> Result<()> + Send + Sync + 'static,
        adjoint: impl Fn(Context<'_>, View<'_>, ViewMut<'_>) -> Result<()> + Send + Sync + 'static,
    ) -> Result<Operator> {
        let functions =
            Functions::new([domain, range], Box::new(forward), Some(Box::new(adjoint)))?;
        Ok(Operator::new(functions.saying(Properties::real_linear)))
    }

    /// Within `space`, by a function that is its own adjoint.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn self_adjoint(
        space: Space,
        function: impl Fn(Context<'_>, View<'_>, ViewMut<'_>) -> Result<()> + Send + Sync + 'static,
    ) -> Result<Operator> {
        let functions = Functions::new([space.clone(), space], Box::new(function), None)?;
        Ok(Operator::new(functions.saying(Properties::self_adjoint)))
    }

    /// From `domain` to `range` by `forward` alone: its adjoint is [`Error::NoAdjoint`].
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn forward_only(
        domain: Space,
        range: Space,
        forward: impl Fn(Context<'_>, View<'_>, ViewMut<'_>) -> Result<()> + Send + Sync + 'static,
    ) -> Result<Operator> {
        Ok(Operator::new(Functions::new([domain, range], Box::new(forward), None)?))
    }
}

struct Functions {
    spaces: [Space; 2],
    forward: Function,
    adjoint: Option<Function>,
    properties: Option<Properties>,
}

impl Functions {
    fn new(spaces: [Space; 2], forward: Function, adjoint: Option<Function>) -> Result<Self> {
        for space in &spaces {
            space.computable(FunctionOperator::NAME)?;
        }
        Ok(Self { spaces, forward, adjoint, properties: None })
    }

    fn saying(self, more: impl Fn(Properties) -> Properties) -> Self {
        Self { properties: Some(more(Properties::of(&self))), ..self }
    }

    /// `y ← alpha · f(x) + beta · y`
    fn run(
        function: &Function,
        on: Context<'_>,
        x: View<'_>,
        y: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        if update == Update::set() {
            return function(on.without_scratch(), x, y);
        }
        let (mut result, mut on) = on.scratch(&Space::new(y.shape(), y.dtype())?)?;
        function(on.reborrow().without_scratch(), x, result.reborrow())?;
        Ok(on.copy(result.view(), y, update)?)
    }
}

impl fmt::Debug for Functions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(FunctionOperator::NAME)
    }
}

impl LinearMap for Functions {
    fn name(&self) -> &'static str {
        FunctionOperator::NAME
    }

    fn domain(&self) -> &Space {
        &self.spaces[0]
    }

    fn range(&self) -> &Space {
        &self.spaces[1]
    }

    fn enqueue(&self, on: Context<'_>, x: View<'_>, y: ViewMut<'_>, update: Update) -> Result<()> {
        Self::run(&self.forward, on, x, y, update)
    }

    fn enqueue_adjoint(
        &self,
        on: Context<'_>,
        y: View<'_>,
        x: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        let own = self.properties().self_adjoint.then_some(&self.forward);
        match self.adjoint.as_ref().or(own) {
            Some(adjoint) => Self::run(adjoint, on, y, x, update),
            None => Err(Error::NoAdjoint { operator: self.name().to_owned() }),
        }
    }

    fn workspace(&self) -> usize {
        self.spaces.iter().map(scratch_bytes).max().unwrap_or(0)
    }

    fn properties(&self) -> Properties {
        self.properties.unwrap_or(Properties::of(self))
    }
}
