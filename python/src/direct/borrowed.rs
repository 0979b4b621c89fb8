//! Arguments that are read where they are.

use std::sync::Arc;

use arrayspan::bridge::{Array, DType, LentArray, SharedArray, View};
use arrayspan::devices::{Access, Memory, Release};
use arrayspan::kernels::{Executor, Update};
use arrayspan::operators::{LinearMap, LinearOperator, Operator};
use pyo3::prelude::*;

use crate::direction::Direction;
use crate::error::Result;
use crate::placed::placed;

/// An argument where it is, for as long as a call takes.
pub(crate) struct Borrowed {
    array: Option<LentArray>,
    memory: Option<Arc<Memory>>,
    pub(crate) on: Arc<dyn Executor>,
}

impl Borrowed {
    /// What `owner` owns: elements of `dtype` from `first` on.
    ///
    /// # Safety
    /// They are memory of the executor's device at all these places as long as the owner lives, ready at the present end of the
    /// executor's stream, and nobody writes them on another thread meanwhile. The caller has the owner as long as this lives.
    pub(crate) unsafe fn new(
        first: usize,
        (shape, strides): (&[usize], &[isize]),
        dtype: DType,
        on: Arc<dyn Executor>,
        owner: &Bound<'_, PyAny>,
    ) -> Result<Self> {
        let (address, bytes, layout) = placed(first, shape, strides, dtype)?;
        // SAFETY: the caller's, passed on. The release function keeps the owner alive where work is queued that reads its memory.
        let shared = unsafe {
            let memory = if on.device().is_cpu() {
                Memory::borrowed(address, bytes)
            } else {
                let keep = owner.clone().unbind();
                let release: Release = Box::new(move || drop(keep));
                Memory::from_foreign_on(on.stream(), address, bytes, release)
            };
            SharedArray::from_memory(memory, layout, dtype)?
        };
        let memory = Some(shared.memory().clone());
        Ok(Self { array: Some(shared.into()), memory, on })
    }

    pub(crate) fn view(&self) -> View<'_> {
        let Some(array) = &self.array else { unreachable!("taken only at the end") };
        array.view()
    }

    /// Gives it back to its owner, who uses it after the work that reads it; what computed. With the interpreter's lock, so that
    /// the owner is let go of at once.
    pub(crate) fn hand_back(mut self) -> Result<Arc<dyn Executor>> {
        self.end()?;
        Ok(self.on.clone())
    }

    fn end(&mut self) -> Result<()> {
        self.array = None;
        let Some(memory) = self.memory.take() else { return Ok(()) };
        if self.on.device().is_cpu() {
            memory.wait(Access::Write)?;
        } else {
            // Of work that went to other streams, as that of operators with parts on several devices does.
            memory.acquire(self.on.stream(), Access::Write)?;
        }
        // Where somebody holds a handle of the memory, the owner stays alive until that is gone.
        if let Some(memory) = Arc::into_inner(memory) {
            // SAFETY: the stream that its owner works on, or the host, waits for all work on the memory, and whoever called has
            // the array.
            unsafe { memory.hand_back() };
        }
        Ok(())
    }
}

impl Drop for Borrowed {
    /// Also when a panic passes. What cannot be waited for keeps the owner alive until it is done.
    fn drop(&mut self) {
        drop(self.end());
    }
}

/// The result in a new array.
pub(crate) fn applied(
    operator: &Operator,
    direction: Direction,
    x: View<'_>,
    on: &dyn Executor,
) -> Result<Array> {
    let space = match direction {
        Direction::Forward => operator.range(),
        Direction::Adjoint => operator.domain(),
    };
    let mut y = on.empty(space.shape(), space.dtype())?;
    match direction {
        Direction::Forward => operator.apply(on, x, y.view_mut(), Update::set())?,
        Direction::Adjoint => operator.apply_adjoint(on, x, y.view_mut(), Update::set())?,
    }
    Ok(y)
}
