//! Arrays of `CuPy` and tensors of torch, read where they are and on the stream that their library works on.
//!
//! What the protocol of `DLPack` needs calls of Python and events of two streams for is read from attributes here, and nothing is
//! ordered by events: the argument is ready on the library's current stream, the work is queued there, and so is whatever comes
//! after it. Arguments that this is not enough for (of derived classes, on streams that nobody keeps alive) go by the protocol.

mod cupy;
mod streams;
mod torch;

use std::sync::Arc;

use arrayspan::bridge::{Array, DType, Layout, LentArray, SharedArray, View};
use arrayspan::devices::{Access, Device, Memory, Release};
use arrayspan::kernels::{Executor, Update};
use arrayspan::operators::{LinearMap, LinearOperator, Operator};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use smallvec::SmallVec;

use crate::apply::Direction;
use crate::error::Result;

pub(crate) use torch::Layer;

/// Whose array it is.
enum Library {
    CuPy(&'static cupy::CuPy),
    Torch(&'static torch::Torch),
}

impl Library {
    /// `None` of all other arrays.
    fn of(given: &Bound<'_, PyAny>) -> Option<Self> {
        let cupy = cupy::of(given).map(Self::CuPy);
        cupy.or_else(|| torch::of(given).map(Self::Torch))
    }

    fn read(&self, given: &Bound<'_, PyAny>) -> Result<Option<Borrowed>> {
        match self {
            Self::CuPy(cupy) => cupy.read(given),
            Self::Torch(torch) => torch.read(given, false),
        }
    }

    fn give<'py>(
        &self,
        py: Python<'py>,
        array: Array,
        on: &dyn Executor,
    ) -> Result<Bound<'py, PyAny>> {
        match self {
            Self::CuPy(cupy) => cupy.give(py, array),
            Self::Torch(torch) => torch.give(py, array, on),
        }
    }
}

/// Applies an operator to an array of these libraries. `None`: it is none, or one for the protocol.
pub(crate) fn apply<'py>(
    operator: &Operator,
    direction: Direction,
    given: &Bound<'py, PyAny>,
) -> Result<Option<Bound<'py, PyAny>>> {
    if operator.devices().is_some() {
        return Ok(None);
    }
    let Some(library) = Library::of(given) else { return Ok(None) };
    let Some(borrowed) = library.read(given)? else { return Ok(None) };
    let result = crate::apply::run(given.py(), operator, borrowed.on.device(), || {
        applied(operator, direction, borrowed.view(), &*borrowed.on)
    })?;
    Ok(Some(library.give(given.py(), result, &*borrowed.hand_back()?)?))
}

/// The result in a new array.
fn applied(
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

/// An argument where it is, for as long as a call takes.
pub(crate) struct Borrowed {
    array: Option<LentArray>,
    memory: Option<Arc<Memory>>,
    on: Arc<dyn Executor>,
}

impl Borrowed {
    /// What `owner` owns: elements of `dtype` from `first` on.
    ///
    /// # Safety
    /// They are memory of the executor's device at all these places as long as the owner lives, ready at the present end of the
    /// executor's stream, and nobody writes them on another thread meanwhile. The caller has the owner as long as this lives.
    unsafe fn new(
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

    fn view(&self) -> View<'_> {
        let Some(array) = &self.array else { unreachable!("taken only at the end") };
        array.view()
    }

    /// Gives it back to its owner, who uses it after the work that reads it; what computed. With the interpreter's lock, so that
    /// the owner is let go of at once.
    fn hand_back(mut self) -> Result<Arc<dyn Executor>> {
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

/// The lowest byte of elements whose first is at `first`, how many bytes they span, and how they lie in these.
pub(crate) fn placed(
    first: usize,
    shape: &[usize],
    strides: &[isize],
    dtype: DType,
) -> Result<(usize, usize, Layout)> {
    if shape.contains(&0) {
        return Ok((0, 0, Layout::contiguous(shape)?));
    }
    let below: usize = shape
        .iter()
        .zip(strides)
        .map(|(&extent, &stride)| (extent - 1) * stride.min(0).unsigned_abs())
        .sum();
    let layout = Layout::strided(shape, strides, below)?;
    let elements = layout.extent().map_or(0, |(_, last)| last + 1);
    Ok((first - below * dtype.bytes(), elements * dtype.bytes(), layout))
}

type Extents = SmallVec<[usize; 4]>;
type Strides = SmallVec<[isize; 4]>;

/// Whole numbers of a tuple.
fn numbers<T>(given: &Bound<'_, PyAny>) -> PyResult<SmallVec<[T; 4]>>
where
    SmallVec<[T; 4]>: Extend<T>,
    T: for<'a, 'py> FromPyObject<'a, 'py, Error = PyErr>,
{
    let given = given.cast::<PyTuple>()?;
    given.iter_borrowed().map(|number| number.extract()).collect()
}

/// The root of the module of a class, and the name of the class.
fn is_class(given: &Bound<'_, PyAny>, modules: &[&str], name: &str) -> bool {
    let class = given.get_type();
    let named = || -> PyResult<bool> {
        let module = class.module()?;
        Ok(modules.contains(&module.to_str()?) && class.name()?.to_str()? == name)
    };
    named().unwrap_or(false)
}

/// Whether a device of CUDA is there.
fn cuda(number: i32) -> Option<Device> {
    Device::cuda(usize::try_from(number).ok()?).ok()
}
