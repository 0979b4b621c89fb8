//! What an operator is given to work with.

use std::ops::Deref;

use arrayspan_bridge::{Array, CARVE_BYTES, DType, ViewMut, carve_bytes};
use arrayspan_kernels::Executor;

use crate::{Error, LinearMap, Result, Space};

/// What an operator is given to work with: an executor, whose verbs are called on this directly, and
/// memory for intermediate results. An example stands with [`LinearMap`].
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
        let (needed, left) =
            (scratch_bytes(space), self.scratch.as_ref().map(|rest| rest.layout().len()));
        let bytes = match self.scratch {
            Some(bytes) if left >= Some(needed) => bytes,
            _ => {
                let left = left.unwrap_or(0);
                let why = "LinearMap::workspace asked for too little";
                let why = format!("{space} takes {needed} bytes and {left} are left: {why}");
                return Error::parameter("scratch", why);
            }
        };
        let (array, rest) = bytes.carve(space.shape(), space.dtype())?;
        Ok((array, Self { executor, scratch: Some(rest) }))
    }

    /// The same without memory for intermediate results.
    pub(crate) fn without_scratch(self) -> Self {
        Self { scratch: None, ..self }
    }

    /// Its memory, as bytes.
    pub(crate) fn into_scratch(self) -> Option<ViewMut<'a>> {
        self.scratch
    }

    /// Parts of its memory that do not overlap: where each begins, and its bytes. One of none has no memory.
    pub(crate) fn split<const N: usize>(self, parts: [(usize, usize); N]) -> Result<[Self; N]> {
        let executor = self.executor;
        let mut split = [const { None }; N];
        let mut order: [usize; N] = std::array::from_fn(|at| at);
        order.sort_unstable_by_key(|&at| parts[at].0);
        let (mut rest, mut passed) = (self.scratch, 0);
        for at in order {
            let (start, bytes) = parts[at];
            if bytes == 0 {
                continue;
            }
            let Some(memory) = rest.take() else {
                return Error::parameter("workspace", format!("nothing left for {bytes} bytes"));
            };
            let (part, behind) = memory.split_at(0, start - passed)?.1.split_at(0, bytes)?;
            split[at] = Some(part);
            (rest, passed) = (Some(behind), start + bytes);
        }
        Ok(split.map(|scratch| Self { executor, scratch }))
    }
}

impl<'a> Deref for Context<'a> {
    type Target = dyn Executor + 'a;

    fn deref(&self) -> &Self::Target {
        self.executor
    }
}

/// The bytes that [`Context::scratch`] takes for an array of `space`. Never none, so that arrays without
/// elements are no special case.
#[must_use]
pub fn scratch_bytes(space: &Space) -> usize {
    carve_bytes(space.len(), space.dtype()).max(CARVE_BYTES)
}

/// Memory for intermediate results, allocated once and used by many applications of an operator.
///
/// Work that uses it goes on in stream order, so it is for one stream at a time.
#[derive(Debug)]
pub struct Workspace {
    array: Option<Array>,
}

impl Workspace {
    /// Enough for `operator` in both directions, where `on` computes.
    ///
    /// # Errors
    /// Out of memory.
    #[track_caller]
    pub fn of(operator: &(impl LinearMap + ?Sized), on: &dyn Executor) -> Result<Self> {
        let bytes = operator.workspace();
        let array = match bytes {
            0 => None,
            _ => Some(on.empty(&[bytes], DType::UInt8)?),
        };
        Ok(Self { array })
    }

    /// Its size in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.array.as_ref().map_or(0, |array| array.layout().len())
    }

    /// The context for one application of `operator`.
    ///
    /// # Errors
    /// [`Error::Parameter`] when it is smaller than the operator needs, [`Error::WrongDevice`] when it lies
    /// elsewhere than `on` computes.
    pub fn context<'a>(
        &'a mut self,
        operator: &(impl LinearMap + ?Sized),
        on: &'a dyn Executor,
    ) -> Result<Context<'a>> {
        let (name, needed) = (operator.name(), operator.workspace());
        if needed == 0 {
            return Ok(Context { executor: on, scratch: None });
        }
        if self.bytes() < needed {
            let why = format!("a workspace of {} bytes, {needed} are needed", self.bytes());
            return Error::parameter(name, why);
        }
        let scratch = self.array.as_mut().map(Array::view_mut);
        match scratch.as_ref().map(ViewMut::device).filter(|found| *found != on.device()) {
            None => Ok(Context { executor: on, scratch }),
            Some(found) => Err(Error::WrongDevice {
                operator: name.into(),
                argument: "the workspace",
                expected: on.device(),
                found,
            }),
        }
    }
}
