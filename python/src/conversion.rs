//! What becomes of numbers that another dtype cannot hold, by the names that Python has for it.

use arrayspan::bridge::{Conversion, Overflow, Rounding, Scale};
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyString};

use crate::constructors::choice::{Choice, Named};
use crate::error::{Class, refuse};

impl Named for Overflow {
    const WHAT: &str = "overflow";
    const NAMES: &'static [(&'static str, Self)] =
        &[("wrap", Self::Wrap), ("saturate", Self::Saturate), ("exact", Self::Exact)];
}

impl Named for Rounding {
    const WHAT: &str = "rounding";
    const NAMES: &'static [(&'static str, Self)] = &[
        ("nearest-even", Self::NearestEven),
        ("nearest-away", Self::NearestAway),
        ("toward-zero", Self::TowardZero),
        ("down", Self::Down),
        ("up", Self::Up),
    ];
}

/// How numbers are scaled before: from the least and the largest one (`"minmax"`), or from a range `(low, high)`, to the whole range of the target's
/// integers, or to 0 and 1.
pub(crate) struct Scaling(Scale);

impl FromPyObject<'_, '_> for Scaling {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        if let Ok(name) = given.cast::<PyString>() {
            let name = name.to_str()?;
            if name == "minmax" {
                return Ok(Self(Scale::MinMax { to: None }));
            }
            let why = format!("scale '{name}': expected None, 'minmax' or a pair (low, high)");
            return refuse(Class::Parameter, why);
        }
        let is_text = given.is_instance_of::<PyBytes>() || given.is_instance_of::<PyByteArray>();
        if !is_text && let Ok([low, high]) = given.extract::<[Bound<'_, PyAny>; 2]>() {
            return Ok(Self(Scale::Range { from: (end(&low)?, end(&high)?), to: None }));
        }
        let class = given.get_type();
        let class = class.name()?;
        let why = format!("scale: expected None, 'minmax' or a pair (low, high), not {class}");
        Err(PyTypeError::new_err(why))
    }
}

/// An end of a range.
fn end(given: &Bound<'_, PyAny>) -> PyResult<f64> {
    if given.is_instance_of::<PyBool>() {
        return Err(PyTypeError::new_err("scale: a truth value is no end of a range"));
    }
    match given.extract::<f64>() {
        Err(error) if error.is_instance_of::<PyOverflowError>(given.py()) => {
            refuse(Class::Parameter, "scale: an end of the range is too large")
        }
        number => number,
    }
}

/// The rules that the words of a caller stand for.
pub(crate) fn rules(
    overflow: Option<Choice<Overflow>>,
    rounding: Choice<Rounding>,
    scale: Option<Scaling>,
) -> Conversion {
    // The ends of the range of 64-bit integers are rounded to numbers beyond it.
    let usual = if scale.is_some() { Overflow::Saturate } else { Overflow::Wrap };
    let scale = scale.map_or(Scale::None, |scaling| scaling.0);
    Conversion::new(overflow.map_or(usual, |choice| choice.0)).rounding(rounding.0).scale(scale)
}
