//! The checks that several verbs share. Names of arguments become text where a check fails, and only there.

use std::fmt;

use arrayspan_bridge::DType;

use crate::{Error, Fit, Result, Update, fit};

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

pub(crate) fn update(verb: &'static str, dtype: DType, update: Update) -> Result<()> {
    for (what, factor) in [("alpha", update.alpha), ("beta", update.beta)] {
        if matches!(fit(factor, dtype), Fit::NotFinite | Fit::TooLarge) {
            return argument(verb, format!("{what} {factor:e} is not a finite number of {dtype}"));
        }
    }
    if dtype.is_complex() || update.is_real() {
        return Ok(());
    }
    let (alpha, beta) = (update.alpha, update.beta);
    argument(verb, format!("alpha {alpha} and beta {beta} must be real for {dtype}"))
}

pub(crate) fn argument<T>(verb: &'static str, why: impl Into<String>) -> Result<T> {
    Err(Error::Argument { verb, why: why.into() })
}
