//! What a library is asked for.

use arrayspan_bridge::devices::Memory;
use arrayspan_bridge::devices::vendor::Transform;

/// One part of the lines on the way through the library, `y` and `x`.
pub(super) struct Part<'a> {
    pub(super) transform: Transform,
    pub(super) memories: [&'a Memory; 2],
    /// Elements before the first one.
    pub(super) starts: [usize; 2],
    pub(super) positive: bool,
}
