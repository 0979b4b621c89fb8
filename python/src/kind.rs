//! Kinds of arrays: what results become.

use std::sync::Arc;

use arrayspan::bridge::{Array, SharedArray};
use arrayspan::devices::Access;
use pyo3::prelude::*;

use crate::array::PyArray;
use crate::error::{Class, Result, found, refuse};

/// What results become: the kind of array that the argument is.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// `numpy.ndarray`
    NumPy,
    /// `arrayspan.Array`
    Ours,
    /// The array that a function of a library makes of one of ours: its `from_dlpack`.
    Library(Arc<Py<PyAny>>),
}

/// Modules whose classes are arrays, and where their libraries have `from_dlpack`.
const KNOWN: [(&str, &str, &str); 5] = [
    ("torch", "torch", "from_dlpack"),
    ("cupy", "cupy", "from_dlpack"),
    ("jaxlib", "jax.dlpack", "from_dlpack"),
    ("jax", "jax.dlpack", "from_dlpack"),
    ("tensorflow", "tensorflow.experimental.dlpack", "from_dlpack"),
];

impl Kind {
    /// That of an array which speaks `DLPack`. Of a library without a known way back it is ours.
    pub(crate) fn of(given: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = given.py();
        let module = given.get_type().module()?;
        let module = module.to_str()?;
        let root = module.split('.').next().unwrap_or(module);
        if let Some((_, library, function)) = KNOWN.iter().find(|known| known.0 == root) {
            let function = py.import(*library)?.getattr(*function)?;
            return Ok(Self::Library(Arc::new(function.unbind())));
        }
        // By the Python Array API every array knows its library.
        let space = given.call_method0("__array_namespace__");
        Ok(match found(py, space.and_then(|space| space.getattr("from_dlpack")))? {
            Some(function) => Self::Library(Arc::new(function.unbind())),
            None => Self::Ours,
        })
    }

    /// That of any array.
    pub(crate) fn of_any(given: &Bound<'_, PyAny>) -> PyResult<Self> {
        if crate::numpy::is_array(given) {
            Ok(Self::NumPy)
        } else if given.cast::<PyArray>().is_ok() {
            Ok(Self::Ours)
        } else {
            Self::of(given)
        }
    }

    /// That of a library by its name.
    pub(crate) fn by_name(py: Python<'_>, name: &str) -> PyResult<Self> {
        match name {
            "numpy" => Ok(Self::NumPy),
            "arrayspan" => Ok(Self::Ours),
            _ => match KNOWN.iter().find(|known| known.0 == name) {
                Some((_, library, function)) => {
                    let function = py.import(*library)?.getattr(*function)?;
                    Ok(Self::Library(Arc::new(function.unbind())))
                }
                None => refuse(Class::Parameter, format!("'{name}' is no library that is known")),
            },
        }
    }

    /// As [`give`](Self::give), of an array that others may hold.
    pub(crate) fn give_shared<'py>(
        &self,
        py: Python<'py>,
        array: SharedArray,
    ) -> Result<Bound<'py, PyAny>> {
        if array.device().is_cpu() {
            array.memory().wait(Access::Read)?;
        }
        match self {
            Self::NumPy if array.device().is_cpu() => crate::array::to_numpy(py, array),
            Self::NumPy | Self::Ours => Ok(Bound::new(py, PyArray::new(array))?.into_any()),
            Self::Library(function) => {
                Ok(function.bind(py).call1((Bound::new(py, PyArray::new(array))?,))?)
            }
        }
    }

    /// A result as the caller wants it. The host waits where others read it without asking: in the memory of the host.
    pub(crate) fn give<'py>(&self, py: Python<'py>, array: Array) -> Result<Bound<'py, PyAny>> {
        self.give_shared(py, array.into_shared())
    }
}
