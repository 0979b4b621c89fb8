//! Filters that verbs apply in one pass.

use std::sync::Arc;

use arrayspan_bridge::{View, ViewMut};
use arrayspan_kernels::{Convolution, Filter, Update, VaryingConvolution};

use crate::{Context, LinearMap, Result, Space};

/// A filter as a verb takes it.
pub(super) trait Taps: Clone + std::fmt::Debug + Send + Sync + 'static {
    /// The conjugate transpose.
    fn adjoint(&self) -> Self;

    /// What there is to say of it.
    fn description(&self) -> String;

    /// About how many operations it takes on an array of a space; `None` if it reads more than that.
    fn operations(&self, space: &Space) -> Option<usize>;

    /// The same along axes that stand so many places further behind.
    fn behind(&self, axes: usize) -> Self;

    /// `y ← alpha · F x + beta · y`.
    fn enqueue(
        &self,
        on: Context<'_>,
        x: View<'_>,
        y: ViewMut<'_>,
        update: Update<'_>,
    ) -> Result<()>;
}

/// A filter in both directions, each in one pass.
#[derive(Debug)]
pub(super) struct Pass<T> {
    name: &'static str,
    space: Space,
    forward: T,
    adjoint: T,
}

impl<T: Taps> Pass<T> {
    pub(super) fn new(name: &'static str, space: Space, forward: T) -> Self {
        Self { name, space, adjoint: forward.adjoint(), forward }
    }
}

impl<T: Taps> LinearMap for Pass<T> {
    fn name(&self) -> &str {
        self.name
    }

    fn domain(&self) -> &Space {
        &self.space
    }

    fn range(&self) -> &Space {
        &self.space
    }

    fn enqueue(&self, on: Context<'_>, x: View<'_>, y: ViewMut<'_>, update: Update) -> Result<()> {
        self.forward.enqueue(on, x, y, update)
    }

    fn enqueue_adjoint(
        &self,
        on: Context<'_>,
        y: View<'_>,
        x: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        self.adjoint.enqueue(on, y, x, update)
    }

    fn only_enqueues(&self) -> bool {
        true
    }

    fn operations(&self) -> Option<usize> {
        self.forward.operations(&self.space)
    }

    fn description(&self) -> Option<String> {
        Some(self.forward.description())
    }

    fn batched(&self, before: &[usize], behind: &[usize]) -> Option<Result<Arc<dyn LinearMap>>> {
        let lifted = || {
            let shape = [before, self.space.shape(), behind].concat();
            let space = Space::of(self.name, shape, self.space.dtype())?;
            let [forward, adjoint] =
                [&self.forward, &self.adjoint].map(|taps| taps.behind(before.len()));
            Ok(Arc::new(Self { name: self.name, space, forward, adjoint }) as Arc<dyn LinearMap>)
        };
        Some(lifted())
    }
}

impl Taps for Convolution {
    fn adjoint(&self) -> Self {
        self.adjoint()
    }

    fn description(&self) -> String {
        format!("{} taps", self.taps().len())
    }

    fn operations(&self, space: &Space) -> Option<usize> {
        Some(space.len().saturating_mul(self.taps().len()).saturating_mul(2))
    }

    fn behind(&self, axes: usize) -> Self {
        self.behind(axes)
    }

    fn enqueue(
        &self,
        on: Context<'_>,
        x: View<'_>,
        y: ViewMut<'_>,
        update: Update<'_>,
    ) -> Result<()> {
        Ok(on.convolve(self, x, y, update)?)
    }
}

impl Taps for Filter {
    fn adjoint(&self) -> Self {
        self.adjoint()
    }

    fn description(&self) -> String {
        let axis = self.axis();
        match self.points() {
            Some(points) => format!("a spectrum of {points} points along axis {axis}"),
            None => format!("{} taps along axis {axis}", self.taps().len()),
        }
    }

    fn operations(&self, space: &Space) -> Option<usize> {
        Some(self.flops(space.shape(), space.dtype()))
    }

    fn behind(&self, axes: usize) -> Self {
        self.at_axis(self.axis() + axes)
    }

    fn enqueue(
        &self,
        on: Context<'_>,
        x: View<'_>,
        y: ViewMut<'_>,
        update: Update<'_>,
    ) -> Result<()> {
        Ok(on.filter(self, x, y, update)?)
    }
}

impl Taps for VaryingConvolution {
    fn adjoint(&self) -> Self {
        self.adjoint()
    }

    fn description(&self) -> String {
        "filters that change from place to place".to_owned()
    }

    fn operations(&self, _: &Space) -> Option<usize> {
        None
    }

    fn behind(&self, axes: usize) -> Self {
        self.behind(axes)
    }

    fn enqueue(
        &self,
        on: Context<'_>,
        x: View<'_>,
        y: ViewMut<'_>,
        update: Update<'_>,
    ) -> Result<()> {
        Ok(on.convolve_varying(self, x, y, update)?)
    }
}
