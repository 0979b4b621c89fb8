//! What objects of Python say.

use arrayspan::devices::Device;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use smallvec::SmallVec;

pub(crate) type Extents = SmallVec<[usize; 4]>;
pub(crate) type Strides = SmallVec<[isize; 4]>;

/// Whole numbers of a tuple.
pub(crate) fn numbers<T>(given: &Bound<'_, PyAny>) -> PyResult<SmallVec<[T; 4]>>
where
    SmallVec<[T; 4]>: Extend<T>,
    T: for<'a, 'py> FromPyObject<'a, 'py, Error = PyErr>,
{
    let given = given.cast::<PyTuple>()?;
    given.iter_borrowed().map(pyo3::Borrowed::extract).collect()
}

/// The root of the module of a class, and the name of the class.
pub(crate) fn is_class(given: &Bound<'_, PyAny>, modules: &[&str], name: &str) -> bool {
    let class = given.get_type();
    let named = || -> PyResult<bool> {
        let module = class.module()?;
        Ok(modules.contains(&module.to_str()?) && class.name()?.to_str()? == name)
    };
    named().unwrap_or(false)
}

/// Whether a device of CUDA is there.
pub(crate) fn cuda(number: i32) -> Option<Device> {
    Device::cuda(usize::try_from(number).ok()?).ok()
}
