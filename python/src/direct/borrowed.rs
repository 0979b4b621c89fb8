//! Arguments that are read where they are.

use std::sync::Arc;

use arrayspan::bridge::{Array, DType, LentArray, SharedArray, View};
use arrayspan::devices::{Access, Memory, Release};
use arrayspan::kernels::Executor;
use arrayspan::operators::Operator;
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
        let keep = || -> Release {
            let keep = owner.clone().unbind();
            Box::new(move || drop(keep))
        };
        // SAFETY: the caller's, passed on. The release function keeps the owner alive where work is queued that reads its memory.
        unsafe { Self::kept(first, (shape, strides), dtype, on, keep) }
    }

    /// The same of memory that `keep` makes a keeper of, which is dropped once nothing is queued any more that reads it.
    ///
    /// # Safety
    /// As [`new`](Self::new), with the keeper in place of the owner.
    pub(crate) unsafe fn kept(
        first: usize,
        (shape, strides): (&[usize], &[isize]),
        dtype: DType,
        on: Arc<dyn Executor>,
        keep: impl FnOnce() -> Release,
    ) -> Result<Self> {
        let (address, bytes, layout) = placed(first, shape, strides, dtype)?;
        // SAFETY: the caller's, passed on.
        let shared =
            unsafe { SharedArray::from_memory(lent(&*on, address, bytes, keep), layout, dtype)? };
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
        self.memory.take().map_or(Ok(()), |memory| hand_back(memory, &*self.on))
    }
}

/// Memory of the executor's device that somebody lends.
///
/// # Safety
/// That of [`Memory::borrowed`] on the host, elsewhere of [`Memory::from_foreign_on`] with what `keep` gives.
pub(crate) unsafe fn lent(
    on: &dyn Executor,
    address: usize,
    bytes: usize,
    keep: impl FnOnce() -> Release,
) -> Memory {
    if on.device().is_cpu() {
        // SAFETY: the caller's.
        unsafe { Memory::borrowed(address, bytes) }
    } else {
        // SAFETY: the caller's.
        unsafe { Memory::from_foreign_on(on.stream(), address, bytes, keep()) }
    }
}

/// Gives lent memory back to its owner, who uses it in the order of the executor's stream, or, on the host, now.
pub(crate) fn hand_back(memory: Arc<Memory>, on: &dyn Executor) -> Result<()> {
    if on.device().is_cpu() {
        memory.wait(Access::Write)?;
    } else {
        // Of work that went to other streams, as that of operators with parts on several devices does.
        memory.acquire(on.stream(), Access::Write)?;
    }
    // Where somebody holds a handle of the memory, the owner stays alive until that is gone.
    if let Some(memory) = Arc::into_inner(memory) {
        // SAFETY: the stream that its owner works on, or the host, waits for all work on the memory, and whoever called has
        // the array.
        unsafe { memory.hand_back() };
    }
    Ok(())
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
    let [_, space] = direction.spaces(operator);
    let mut y = on.empty(space.shape(), space.dtype())?;
    direction.apply(operator, on, x, y.view_mut())?;
    Ok(y)
}
