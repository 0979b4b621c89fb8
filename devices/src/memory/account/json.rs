//! What is accounted for, as JSON.

use crate::Result;

/// Writes what `value` is as JSON.
pub(crate) fn json(what: &'static str, value: &impl serde::Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| crate::Error::Unsupported {
        device: what.into(),
        what: format!("writing it as JSON: {error}"),
    })
}
