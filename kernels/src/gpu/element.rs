//! What a kernel takes for an element.

use arrayspan_bridge::DType;
use arrayspan_bridge::iteration::Text;

/// A number of a computable dtype, as a kernel takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Element(pub(super) DType);

impl Element {
    /// Its size in bytes.
    pub(super) fn bytes(self) -> usize {
        self.0.bytes()
    }

    pub(super) fn is_complex(self) -> bool {
        self.0.is_complex()
    }

    /// For the names of kernels: `float32`.
    pub(super) fn name(self) -> String {
        self.0.to_string().to_lowercase()
    }

    /// Defines the macros of the prelude.
    pub(super) fn define(self, text: &mut Text) {
        text.define("ELEMENT", 1 + u8::from(self.is_complex()));
        text.define("BITS", self.0.real().bits());
    }
}
