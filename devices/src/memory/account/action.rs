//! What happens to memory.

use serde::{Deserialize, Serialize};

/// What happened to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Action {
    /// A block was allocated.
    Allocate,
    /// A block was freed.
    Free,
    /// An allocation was refused.
    Refuse,
    /// The pool took memory from the driver.
    Grow,
    /// The pool gave memory back to the driver.
    Trim,
}
