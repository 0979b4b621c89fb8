//! Which platforms are installed.

use super::platform::platforms;
use crate::Result;
use crate::probe::{Library, loaded_from};

/// The loader, and what every platform behind it says of itself.
pub(crate) fn installed() -> Result<(Library, Vec<String>)> {
    let platforms = platforms()?;
    Ok((Library { version: None, path: loaded_from("libOpenCL.so") }, platforms))
}
