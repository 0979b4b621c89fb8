//! Representative kernels, for tests that compile them all.

use arrayspan_bridge::devices::Source;

/// Kernels of every verb and dtype, in the variants that differ in more than a number.
#[must_use]
pub fn catalogue() -> Vec<Source> {
    Vec::new()
}
