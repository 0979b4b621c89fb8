//! Kinds of arrays: what results become.

use std::cmp::Reverse;
use std::sync::Arc;

use arrayspan::bridge::{Array, Crossing, DType, Layout, LentArray, SharedArray, Transfer, Why};
use pyo3::intern;
use pyo3::prelude::*;

use crate::array::PyArray;
use crate::direct;
use crate::error::{Class, Result, found, refuse};

/// What results become: the kind of array that the argument is.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// `numpy.ndarray`
    NumPy,
    /// `arrayspan.Array`
    Ours,
    /// The array that a library makes of one of ours.
    Library(Arc<Maker>),
}

/// How a library makes its arrays of ours.
#[derive(Debug)]
pub(crate) struct Maker {
    /// Its `from_dlpack`.
    function: Py<PyAny>,
    /// Its name, if it is one of those that are known.
    name: Option<&'static str>,
}

impl Maker {
    fn of(py: Python<'_>, known: &Known) -> PyResult<Self> {
        let (_, library, function) = known;
        let function = py.import(*library)?.getattr(*function)?.unbind();
        Ok(Self { function, name: Some(known.0) })
    }

    fn is_jax(&self) -> bool {
        matches!(self.name, Some("jax" | "jaxlib"))
    }

    /// Refuses elements of 64 bits where the library would make others of them without a word: JAX by default.
    fn holds(&self, py: Python<'_>, dtype: DType) -> PyResult<()> {
        let wide =
            matches!(dtype, DType::Float64 | DType::Complex128 | DType::Int64 | DType::UInt64);
        if !wide || !self.is_jax() {
            return Ok(());
        }
        let config = py.import(intern!(py, "jax"))?.getattr(intern!(py, "config"))?;
        if config.getattr(intern!(py, "jax_enable_x64"))?.is_truthy()? {
            return Ok(());
        }
        refuse(
            Class::DType,
            format!(
                "JAX makes 32 bits of {dtype}: set jax_enable_x64, or convert to a dtype of 32 bits"
            ),
        )
    }

    /// Whether its arrays can be written even where ours says that they may not.
    fn writes(&self) -> bool {
        matches!(self.name, Some("torch" | "cupy"))
    }
}

type Known = (&'static str, &'static str, &'static str);

/// Modules whose classes are arrays, and where their libraries have `from_dlpack`.
const KNOWN: [Known; 5] = [
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
        if let Some(known) = KNOWN.iter().find(|known| known.0 == root) {
            return Ok(Self::Library(Arc::new(Maker::of(py, known)?)));
        }
        // By the Python Array API every array knows its library.
        let space = given.call_method0("__array_namespace__");
        Ok(match found(py, space.and_then(|space| space.getattr("from_dlpack")))? {
            Some(function) => {
                Self::Library(Arc::new(Maker { function: function.unbind(), name: None }))
            }
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
                Some(known) => Ok(Self::Library(Arc::new(Maker::of(py, known)?))),
                None => refuse(Class::Parameter, format!("'{name}' is no library that is known")),
            },
        }
    }

    /// Why arrays of this kind cannot share the memory of an array, if they cannot: torch ends the process over steps backwards, and
    /// writes what may not be written.
    pub(crate) fn misfit(&self, array: &SharedArray) -> Option<Why> {
        let Self::Library(maker) = self else { return None };
        if array.layout().is_empty() {
            return None;
        }
        // SAFETY: dropped at once.
        let fixed = || unsafe { array.alias() }.is_none();
        if crate::protocol::steps_backwards(array) || maker.is_jax() && !is_compact(array.layout())
        {
            Some(Why::Strides)
        } else if maker.writes() && fixed() {
            Some(Why::ReadOnly)
        } else {
            None
        }
    }

    /// The copy that the library itself makes of an array, if it is allowed: JAX of one of the host that is not aligned as its own.
    pub(crate) fn own_copy(
        &self,
        array: &SharedArray,
        transfer: Transfer,
    ) -> Result<Option<Crossing>> {
        let Self::Library(maker) = self else { return Ok(None) };
        let layout = array.layout();
        if !maker.is_jax() || layout.is_empty() || is_aligned(array) {
            return Ok(None);
        }
        let bytes = layout.len() * array.dtype().bytes();
        Ok(Some(transfer.copy("convert", Why::Alignment, bytes)?))
    }

    /// A copy of an array that does not fit, if copies are allowed.
    pub(crate) fn fitted(
        array: SharedArray,
        why: Why,
        transfer: Transfer,
    ) -> Result<(SharedArray, Crossing)> {
        let bytes = array.layout().len() * array.dtype().bytes();
        let crossing = transfer.copy("convert", why, bytes)?;
        let copy = LentArray::from(array).view().to_array()?;
        Ok((copy.into_shared(), crossing))
    }

    /// As [`give`](Self::give), of an array that others may hold.
    pub(crate) fn give_shared<'py>(
        &self,
        py: Python<'py>,
        mut array: SharedArray,
    ) -> Result<Bound<'py, PyAny>> {
        if array.device().is_cpu() {
            crate::as_numpy::until_written(py, &array)?;
        }
        if let Some(why) = self.misfit(&array) {
            let transfer = Transfer::CopyIfNeeded;
            array = py.detach(|| Self::fitted(array, why, transfer))?.0;
        }
        match self {
            Self::NumPy if array.device().is_cpu() => crate::as_numpy::to_numpy(py, array),
            Self::NumPy | Self::Ours => Ok(Bound::new(py, PyArray::new(array))?.into_any()),
            Self::Library(maker) => {
                maker.holds(py, array.dtype())?;
                let consumer = match maker.name {
                    Some(name) if !array.device().is_cpu() => {
                        direct::current_stream(py, name, array.device())?
                    }
                    _ => None,
                };
                let array = Bound::new(py, PyArray::made_for(array, consumer))?;
                Ok(maker.function.bind(py).call1((array,))?)
            }
        }
    }

    /// A result as the caller wants it. The host waits where others read it without asking: in the memory of the host.
    pub(crate) fn give<'py>(&self, py: Python<'py>, array: Array) -> Result<Bound<'py, PyAny>> {
        self.give_shared(py, array.into_shared())
    }
}

/// Whether JAX shares the memory of an array: XLA's buffers of the host begin at multiples of 64 bytes.
fn is_aligned(array: &SharedArray) -> bool {
    let first = array.layout().offset() * array.dtype().bytes();
    !array.device().is_cpu() || (array.memory().address() + first).is_multiple_of(64)
}

/// Whether elements lie side by side, in whatever order of the axes.
fn is_compact(layout: &Layout) -> bool {
    let mut axes: Vec<usize> = (0..layout.rank()).collect();
    axes.sort_by_key(|axis| Reverse(layout.strides()[*axis]));
    layout.permuted(&axes).is_ok_and(|layout| layout.is_contiguous())
}
