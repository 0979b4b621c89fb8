//! The error for bounds of a pool that make no sense.

use crate::{Device, Error};

/// What was asked for, and why that cannot be.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Wrong {
    pub(super) asked: String,
    pub(super) why: String,
}

impl Wrong {
    pub(super) fn error(self, device: Device, operation: &'static str) -> Error {
        Error::Limit { operation, device, asked: self.asked, why: self.why }
    }
}
