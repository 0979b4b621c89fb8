//! Conversions that fail give back what they were given.

use super::Imported;
use crate::Error;

/// A conversion that failed, with the array as it was then, where that is still there.
#[derive(Debug)]
pub struct FailedConversion<'a> {
    /// Why.
    pub error: Error,
    /// The array.
    pub back: Option<Box<Imported<'a>>>,
}

impl<'a> FailedConversion<'a> {
    /// Gives the array back.
    pub fn with(error: impl Into<Error>, back: impl Into<Imported<'a>>) -> Self {
        Self { error: error.into(), back: Some(Box::new(back.into())) }
    }
}

impl From<Error> for FailedConversion<'_> {
    fn from(error: Error) -> Self {
        Self { error, back: None }
    }
}

impl From<arrayspan_devices::Error> for FailedConversion<'_> {
    fn from(error: arrayspan_devices::Error) -> Self {
        Error::from(error).into()
    }
}
