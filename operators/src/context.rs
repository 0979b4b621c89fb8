//! What an operator is given to work with.

use std::ops::Deref;

use arrayspan_bridge::{Array, DType, ViewMut, carve_bytes};
use arrayspan_kernels::Executor;

use crate::{LinearMap, Result, Space};

/// What an operator is given to work with: an executor, whose verbs are called on this directly, and
/// memory for intermediate results.
///
/// ```ignore
/// fn forward(&self, on: Context<'_>, x: View<'_>, y: ViewMut<'_>, update: Update) -> Result<()> {
///     Ok(on.stencil(&self.stencil, x, y, update)?)
/// }
/// ```
#[derive(Debug)]
pub struct Context<'a> {
    executor: &'a dyn Executor,
    scratch: Option<ViewMut<'a>>,
}

impl<'a> Context<'a> {
    /// Borrows it again, for one of several uses.
    #[must_use]
    pub fn reborrow(&mut self) -> Context<'_> {
        let scratch = self.scratch.as_mut().map(ViewMut::reborrow);
        Context { executor: self.executor, scratch }
    }

    /// Takes an array for an intermediate result; the rest is for whoever comes next. Its content is
    /// unspecified.
    ///
    /// # Errors
    /// When [`LinearMap::workspace`] asked for less than is taken.
    pub fn scratch(self, space: &Space) -> Result<(ViewMut<'a>, Self)> {
        let executor = self.executor;
        let Some(bytes) = self.scratch else {
            return crate::Error::parameter("workspace", format!("none left for {space}"));
        };
        let (array, rest) = bytes.carve(space.shape(), space.dtype())?;
        Ok((array, Self { executor, scratch: Some(rest) }))
    }
}

impl<'a> Deref for Context<'a> {
    type Target = dyn Executor + 'a;

    fn deref(&self) -> &Self::Target {
        self.executor
    }
}

/// The bytes that [`Context::scratch`] takes for an array of `space`.
#[must_use]
pub fn scratch_bytes(space: &Space) -> usize {
    carve_bytes(space.len(), space.dtype())
}

/// Memory for intermediate results, allocated once and used by many applications of an operator.
#[derive(Debug)]
pub struct Workspace {
    array: Option<Array>,
}

impl Workspace {
    /// Enough for `operator` in both directions, where `on` computes.
    ///
    /// # Errors
    /// Out of memory.
    pub fn of(operator: &(impl LinearMap + ?Sized), on: &dyn Executor) -> Result<Self> {
        let bytes = operator.workspace();
        let array = (bytes > 0).then(|| on.empty(&[bytes], DType::UInt8)).transpose()?;
        Ok(Self { array })
    }

    /// The context for one application.
    #[must_use]
    pub fn context<'a>(&'a mut self, on: &'a dyn Executor) -> Context<'a> {
        Context { executor: on, scratch: self.array.as_mut().map(Array::view_mut) }
    }
}
