//! Arrays of pyclesperanto, which no protocol hands over: they are copied through memory of the host, and that is told.

use arrayspan::bridge::{Crossing, DType, SharedArray, Transfer, Why};
use pyo3::intern;
use pyo3::prelude::*;

use crate::error::{Class, Result, refuse};
use crate::{as_numpy, create, dtype};

/// The name of the library.
pub(crate) const NAME: &str = "pyclesperanto";

/// Whether it is an array of it, of whichever of its backends.
pub(crate) fn is_array(given: &Bound<'_, PyAny>) -> PyResult<bool> {
    let module = given.get_type().module()?;
    let ours = module.to_str()?.split('.').next().is_some_and(|root| root.starts_with(NAME));
    Ok(ours && given.hasattr(intern!(given.py(), "mtype"))?)
}

/// An array of pyclesperanto in memory of the host, and that it was copied.
pub(crate) fn pulled(
    given: &Bound<'_, PyAny>,
    transfer: Transfer,
) -> Result<(SharedArray, Crossing)> {
    let near = given.call_method0(intern!(given.py(), "get"))?;
    let (array, _) = create::taken(&near)?;
    let bytes = array.layout().len() * array.dtype().bytes();
    Ok((array, transfer.copy("convert", Why::OtherDevice, bytes)?))
}

/// An array of the host as one of pyclesperanto, on the device that is selected there, and that it was copied.
pub(crate) fn pushed(
    py: Python<'_>,
    array: SharedArray,
    transfer: Transfer,
) -> Result<(Bound<'_, PyAny>, Crossing)> {
    let of = array.dtype();
    // It would make 32 bits of 64 without a word, and has no complex numbers.
    let wide = of.bytes() > 4 || of.is_complex() || matches!(of, DType::Bool | DType::BFloat16);
    if wide || array.shape().len() > 3 {
        let name = dtype::name(of);
        let why = format!(
            "convert: pyclesperanto has no arrays of {name} with {} axes: at most 32 bits (dtype=...) and 3 axes",
            array.shape().len()
        );
        return Ok(refuse(Class::DType, why)?);
    }
    let crossing = transfer.copy("convert", Why::OtherDevice, array.layout().len() * of.bytes())?;
    let near = as_numpy::to_numpy(py, array)?;
    Ok((py.import(NAME)?.call_method1("push", (near,))?, crossing))
}
