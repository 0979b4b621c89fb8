//! The checks that several verbs share. Names of arguments become text where a check fails, and only there.

use std::fmt;

use arrayspan_bridge::DType;

use crate::{Error, Result};

pub(crate) fn shape(
    verb: &'static str,
    argument: impl fmt::Display,
    expected: &[usize],
    found: &[usize],
) -> Result<()> {
    if expected == found {
        return Ok(());
    }
    let (expected, found) = (expected.to_vec(), found.to_vec());
    Err(Error::Shape { verb, argument: argument.to_string(), expected, found })
}

pub(crate) fn dtype(
    verb: &'static str,
    argument: impl fmt::Display,
    expected: DType,
    found: DType,
) -> Result<()> {
    if expected == found {
        return Ok(());
    }
    Err(Error::DType { verb, argument: argument.to_string(), expected, found })
}

pub(crate) fn computable(verb: &'static str, dtype: DType) -> Result<()> {
    if dtype.is_computable() { Ok(()) } else { Err(Error::NotComputable { verb, dtype }) }
}

/// The dtype that arithmetic is done in, where 16-bit floats are only what arrays hold.
pub(crate) fn stored(verb: &'static str, dtype: DType) -> Result<DType> {
    let computed = crate::number::computed(dtype);
    if computed.is_computable() { Ok(computed) } else { Err(Error::NotComputable { verb, dtype }) }
}

pub(crate) fn argument<T>(verb: &'static str, why: impl Into<String>) -> Result<T> {
    Err(Error::Argument { verb, why: why.into() })
}
