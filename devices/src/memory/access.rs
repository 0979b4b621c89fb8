//! What work does with a block.

/// Whether work reads a block or writes it (writing includes reading).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// The block keeps its content.
    Read,
    /// The block's content changes.
    Write,
}
